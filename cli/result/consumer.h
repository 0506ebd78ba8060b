/* SPDX-License-Identifier: ISC */
/*
 * A consumer of events, as sessions and the joiner of calls see it: a printer
 * (cli/out/) or a recorder (cli/recording/).
 */
#ifndef CLI_RESULT_CONSUMER_H
#define CLI_RESULT_CONSUMER_H

#include <stdint.h>

#include "cli/result/call.h"

struct ledger_run;

/*
 * Functions that a session calls.  Their first argument is cns_arg; the first
 * three return 0, or -1 when the output is full or has failed.
 */
struct consumer_ops {
	/* meaning of a descriptor in the following events; may be NULL */
	int (*cso_file)(void *, uint32_t pid, int fd, const char *path);
	int (*cso_save)(void *, const struct dt_ledger *,
	    const struct ledger_run *); /* makes all events durable */
	int (*cso_ledger)(void *, const struct dt_ledger *,
	    const struct ledger_run *);
	/* a probe whose events may follow; may be NULL */
	void (*cso_enabled)(void *, const struct probe *);
	/*
	 * Called when no event is pending.  Returns 1 if it kept something and
	 * wants another call soon.
	 */
	int (*cso_idle)(void *);
	int (*cso_isover)(const void *); /* is it full, or has it failed? */
	int (*cso_fd)(const void *);	 /* descriptor of the output, or -1 */
	void (*cso_hangup)(void *);	 /* that has no reader any more */
	/*
	 * Ends the output, and subtracts from the run what was not written.
	 * Returns 0, or the errno of a failure; isreported: it was printed.
	 */
	int (*cso_close)(void *, struct ledger_run *, int *isreported);
};

struct consumer {
	/*
	 * prints or writes a call; cns_arg is its first argument.  Returns 0, or
	 * -1 when the output is full or has failed.  NULL: calls are ignored
	 */
	int (*cns_call)(void *, const struct call *);
	const struct consumer_ops *cns_ops; /* NULL: used without a session */
	void *cns_arg;
	unsigned int cns_flags; /* CONSUMER_* */
};

#define CONSUMER_RAW   0x1 /* wants events, without the texts of calls */
#define CONSUMER_JOINS 0x2 /* wants entry and return of a call as one */
#define CONSUMER_PATHS 0x4 /* wants the absolute paths of arguments */

#endif /* CLI_RESULT_CONSUMER_H */
