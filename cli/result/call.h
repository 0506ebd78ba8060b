/* SPDX-License-Identifier: ISC */
/* An event or a call, as passed to an output: it needs no other state. */
#ifndef CLI_RESULT_CALL_H
#define CLI_RESULT_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

struct probe;

/* Part of cal_text. */
struct call_text {
	size_t clt_from, clt_len;
};

/*
 * An event, or the joined entry and return of a call.  Its texts are valid
 * until the output returns, and exist for printers only.
 */
struct call {
	const struct probe *cal_probe;	/* probe of cal_ev */
	const struct dt_event *cal_ev;	/* joined: the return */
	const struct probe *cal_eprobe; /* probe of the entry, or NULL */
	/* entry of a return, if known; first hit of the second of a pair */
	const struct dt_event *cal_entry;
	/* with CALL_PAIRED: cal_ev without the parts of the first hit */
	const struct dt_event *cal_second;
	unsigned int cal_flags; /* CALL_* */

	const char *cal_text;
	/*
	 * escaped texts of arguments: as of the entry, or of the return if that
	 * has written them
	 */
	const struct call_text *cal_args;
	uint32_t cal_hasargs;	  /* bits: arguments in cal_args */
	uint32_t cal_inuse;	  /* bits: arguments in use by the call */
	struct call_text cal_ret; /* escaped result, as of the return */
	int cal_hasret;		  /* 0: none, or the call has failed */
	/* raw absolute paths of arguments, as of the entry */
	const struct call_text *cal_paths;
	uint32_t cal_haspaths; /* bits: arguments in cal_paths */
};

#define CALL_APART	0x1  /* a return whose entry was printed on its own */
#define CALL_UNFINISHED 0x2  /* cal_ev is an entry: the call is pending */
#define CALL_RESUMED	0x4  /* it returned, or has NORETURN too */
#define CALL_NORETURN	0x8  /* cal_ev is an entry: the call will not return */
#define CALL_PAIRED	0x10 /* joined by the kernel, for any two probes */
#define CALL_FROMTO	0x20 /* with PAIRED: not entry and return of one call */
#define CALL_CHILD	0x40 /* a fork returns in the child; no entry */

#endif /* CLI_RESULT_CALL_H */
