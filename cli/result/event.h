/* SPDX-License-Identifier: ISC */
/* An event or a call, as passed to an output. */
#ifndef CLI_RESULT_EVENT_H
#define CLI_RESULT_EVENT_H

#include <libdt.h>

struct probe;
struct procs;
struct call_paths;

/* An event, or the joined entry and return of a call. */
struct out_event {
	const struct probe *oe_probe;  /* probe of oe_ev */
	const struct dt_event *oe_ev;  /* joined: the return */
	const struct probe *oe_eprobe; /* probe of the entry, or NULL */
	/* entry of a return, if known; first hit of the second of a pair */
	const struct dt_event *oe_entry;
	/* with OUT_PAIRED: oe_ev without the parts of the first hit */
	const struct dt_event *oe_second;
	unsigned int oe_flags;		   /* OUT_* */
	struct procs *oe_procs;		   /* paths of descriptors, or NULL */
	const struct call_paths *oe_shape; /* call paths of the entry, or
					    * NULL */
};

#define OUT_APART      0x1  /* a return whose entry was printed on its own */
#define OUT_UNFINISHED 0x2  /* oe_ev is an entry: the call is pending */
#define OUT_RESUMED    0x4  /* it returned, or has NORETURN too */
#define OUT_NORETURN   0x8  /* oe_ev is an entry: the call will not return */
#define OUT_PAIRED     0x10 /* joined by the kernel, for any two probes */

#endif /* CLI_RESULT_EVENT_H */
