/* SPDX-License-Identifier: ISC */
/*
 * Pseudo-random numbers, the same for the same seed, and payloads made of them.
 */
#ifndef SPOIL_H
#define SPOIL_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "wire/wire.h"

static uint64_t spoil_state;

static inline void
spoil_seed(uint64_t seed)
{
	spoil_state = seed * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t
draw(void)
{
	spoil_state ^= spoil_state << 13;
	spoil_state ^= spoil_state >> 7;
	spoil_state ^= spoil_state << 17;
	return spoil_state;
}

static inline uint32_t
below(uint32_t n)
{
	return draw() % n;
}

/*
 * Makes a condition that may be valid, of a probe that may be enabled:
 * comparisons of small numbers and short texts, most of whose branches lead
 * forwards.
 */
static inline void
spoil_condition(struct dtioc_condition *cn)
{
	struct dt_insn *in = cn->dtcn_cond.co_insn;
	unsigned int i, n = below(DT_COND_NINSN + 1);

	memset(cn, 0, sizeof(*cn));
	cn->dtcn_pbn = below(800);
	cn->dtcn_cond.co_ninsn = n;
	memset(cn->dtcn_cond.co_text, 'x', below(8));
	for (i = 0; i < n; i++, in++) {
		in->in_left.op_kind = below(DT_NOPD + 1);
		in->in_left.op_size = below(4) ? 1 << below(4) : 0;
		in->in_left.op_argn = below(4) ? 0 : below(8);
		in->in_op = below(DT_NCMP + 1);
		in->in_true = below(4) ? DT_COND_PASS : i + 1;
		in->in_false = below(4) ? DT_COND_FAIL : below(n + 1);
		in->in_mask = in->in_left.op_size ? draw() : 0;
		in->in_len = in->in_left.op_size ? 0 : below(8);
		in->in_text = below(16) ? 0 : draw();
	}
}

/* Makes a request to count hits that may be valid. */
static inline void
spoil_agg(struct dtioc_agg *ia)
{
	struct dt_opd *op;
	unsigned int i;

	memset(ia, 0, sizeof(*ia));
	ia->dtag_pbn = below(800);
	ia->dtag_nkeys = below(DTAG_NKEYS + 2);
	for (i = 0; i <= DTAG_NKEYS; i++) {
		op = i < DTAG_NKEYS ? &ia->dtag_keys[i] : &ia->dtag_value;
		if (i >= ia->dtag_nkeys && i < DTAG_NKEYS)
			continue;
		op->op_kind = below(DT_NOPD + 1);
		op->op_size = below(4) ? 1 << below(4) : 0;
		op->op_argn = below(4) ? 0 : below(8);
		op->op_issigned = below(2);
	}
	ia->dtag_flags = below(4) ? 0 : below(3);
	ia->dtag_hist = below(4);
	ia->dtag_sub = ia->dtag_hist == DTAG_LOG ? below(8) : 0;
	if (ia->dtag_hist == DTAG_LINEAR || below(16) == 0) {
		ia->dtag_nsteps = draw() % (DTAG_MAXSTEPS + 2);
		ia->dtag_min = draw();
		ia->dtag_step = draw() >> below(64);
	}
	ia->dtag_maxrows = below(4) ? below(2000) : 0;
	ia->dtag_divisor = below(4) ? 0 : draw();
}

/* Mostly small numbers, which are plausible probes, switches and lengths. */
static inline void
fill(uint8_t *p, size_t n)
{
	struct dtioc_condition cn;
	struct dtioc_agg ia;
	uint32_t v;
	size_t i;

	memset(p, 0, n);
	for (i = 0; i + sizeof(v) <= n; i += sizeof(v)) {
		v = below(4) == 0 ? draw() : below(2) ? below(800) : below(2);
		memcpy(p + i, &v, sizeof(v));
	}
	if (n == sizeof(cn) && below(4) > 0) {
		spoil_condition(&cn);
		memcpy(p, &cn, n);
	} else if (n == sizeof(ia) && below(4) > 0) {
		spoil_agg(&ia);
		memcpy(p, &ia, n);
	} else if (n >= WIRE_MAXPATTERN && below(2)) /* of a lookup */
		snprintf((char *)p + 8, 16, "%s",
		    below(2) ? "syscall:*" : "*[!a-z]*?*");
}

#endif /* SPOIL_H */
