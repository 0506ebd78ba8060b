/* SPDX-License-Identifier: ISC */
/* An event, or a call, as it is handed to an output. */
#ifndef CLI_RESULT_EVENT_H
#define CLI_RESULT_EVENT_H

#include <libdt.h>

struct probe;
struct procs;
struct call_paths;

/*
 * What a line is about: an event, or the entry and the return of a call that
 * were joined.
 */
struct out_event {
	const struct probe *oe_probe;  /* of oe_ev */
	const struct dt_event *oe_ev;  /* joined: the return */
	const struct probe *oe_eprobe; /* of the entry, or NULL */
	/* of a return, if it is known; of the second of a pair, the first */
	const struct dt_event *oe_entry;
	/* with OUT_PAIRED: oe_ev without what is the first's */
	const struct dt_event *oe_second;
	unsigned int oe_flags;		   /* OUT_* */
	struct procs *oe_procs;		   /* what descriptors mean, or NULL */
	const struct call_paths *oe_shape; /* of the entry, or NULL */
};

#define OUT_APART      0x1  /* of a return whose entry had its own line */
#define OUT_UNFINISHED 0x2  /* oe_ev is an entry: the call goes on */
#define OUT_RESUMED    0x4  /* such a call: oe_ev returns, or with NORETURN */
#define OUT_NORETURN   0x8  /* oe_ev is an entry: the call will not return */
#define OUT_PAIRED     0x10 /* joined by the kernel, whatever the two are */

#endif /* CLI_RESULT_EVENT_H */
