/* SPDX-License-Identifier: ISC */
/* Measures what hits cost on this machine, for --explain. */
#ifndef CLI_SCRIPT_SCRIPT_COST_H
#define CLI_SCRIPT_SCRIPT_COST_H

#include <stdint.h>

/* The result of a hit. */
enum cost_how {
	COST_DROPPED, /* a condition is false */
	COST_COUNTED,
	COST_EVENT,
};

struct cost_kind {
	enum cost_how ckn_how;
	int ckn_ispair;	       /* a call, whose two hits the kernel joins */
	uint64_t ckn_evtflags; /* of the event; others than COST_FLAGS and
				 * DTEVT_STRINGS cost more than is measured */
};

#define COST_FLAGS \
	(DTEVT_EXECNAME | DTEVT_WHO | DTEVT_FUNCARGS | DTEVT_KSTACK | \
	    DTEVT_USTACK)

struct cost {
	uint64_t cto_kernel;	/* ns that the caller waits */
	uint64_t cto_read;	/* ns in dt to read the event; 0: no event */
	uint64_t cto_statement; /* ns in dt of @[comm] = count(); 0: no event */
};

struct script_costs;

/* socket: of dtd, or NULL.  Nothing is measured before the first request. */
struct script_costs *script_costs_alloc(const char *socket);
void script_costs_free(struct script_costs *);
/*
 * Makes calls that are traced, unless this kind was measured before.  Returns
 * NULL if that fails.
 */
const struct cost *
script_costs_get(struct script_costs *, const struct cost_kind *);
/* Returns why something could not be measured, or NULL. */
const char *script_costs_why(const struct script_costs *);

#endif /* CLI_SCRIPT_SCRIPT_COST_H */
