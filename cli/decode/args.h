/* SPDX-License-Identifier: ISC */
/*
 * How the arguments and the result of a call read: flags and modes in words,
 * descriptors with their path, what pointers lead to.  Pure functions into a
 * buffer; what they print of others' text is escaped.
 */
#ifndef CLI_DECODE_ARGS_H
#define CLI_DECODE_ARGS_H

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/base/probe.h"

struct procs;

/* A call, as far as it is known. */
struct arg_call {
	const struct probe *ac_probe;	 /* its entry; that, or its return */
	const struct probe *ac_rprobe;	 /* of ac_ret, if it is another */
	const struct dt_event *ac_entry; /* NULL: was not recorded */
	const struct dt_event *ac_ret;	 /* NULL: has not returned */
	struct procs *ac_procs;		 /* what descriptors mean, or NULL */
};

/*
 * Whether argument argn means something in this call: a mode for a file that
 * is not created does not.  Text leaves out what is not shown, name and all.
 */
int arg_shown(const struct arg_call *, unsigned int argn);
/* Argument number argn of ac_entry, which has so many. */
void arg_text(struct buf *, const struct arg_call *, unsigned int argn);
/* DTEVT_* that an event needs so that argument argn reads as in a record: 0 of
 * numbers, and of pointers to what is not read. */
uint64_t arg_evtflags(const struct probe *, unsigned int argn);
/* The value that ac_ret returned; it has not failed. */
void arg_ret_text(struct buf *, const struct arg_call *);

#endif /* CLI_DECODE_ARGS_H */
