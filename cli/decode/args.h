/* SPDX-License-Identifier: ISC */
/*
 * Formats the arguments and the result of a call: flags and modes by name,
 * descriptors with their path, memory that pointers refer to.  Pure functions
 * that append to a buffer; untrusted text is escaped.
 */
#ifndef CLI_DECODE_ARGS_H
#define CLI_DECODE_ARGS_H

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/base/probe.h"

struct procs;

/* A call, with the events that are known. */
struct arg_call {
	const struct probe *ac_probe;	 /* probe of the entry, or of the
					  * return if there is no entry */
	const struct probe *ac_rprobe;	 /* probe of ac_ret, if it differs */
	const struct dt_event *ac_entry; /* NULL: not recorded */
	const struct dt_event *ac_ret;	 /* NULL: not returned */
	struct procs *ac_procs;		 /* paths of descriptors, or NULL */
};

/*
 * Returns whether argument argn is in use in this call: the mode of a file that
 * is not created is not.  Text output omits unused arguments with their names.
 */
int arg_shown(const struct arg_call *, unsigned int argn);
/* Formats argument number argn of ac_entry, which must have it. */
void arg_text(struct buf *, const struct arg_call *, unsigned int argn);
/* Returns why the value of argument argn, or of a result, is never known. */
const char *arg_unreadable(const struct probe *, unsigned int argn);
/*
 * Returns the DTEVT_* that an event needs so that argument argn prints as in a
 * record: 0 for numbers, and for pointers whose memory is not read.
 */
uint64_t arg_evtflags(const struct probe *, unsigned int argn);
/* The same of str(): text to which the argument points, whatever its type. */
uint64_t arg_str_evtflags(const struct probe *, unsigned int argn);
/* Formats the return value of ac_ret, a call that has not failed. */
void arg_ret_text(struct buf *, const struct arg_call *);

#endif /* CLI_DECODE_ARGS_H */
