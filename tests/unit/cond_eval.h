/* SPDX-License-Identifier: ISC */
/*
 * For tests of conditions: the evaluator of the BPF programs, compiled for this
 * machine, with replacements for the kernel's functions; a provider; and a
 * second, independent evaluator of the struct that a client sends.
 */
#ifndef TEST_COND_EVAL_H
#define TEST_COND_EVAL_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_pcb.h"

/* Replace the maps. */
#define BPF_DT_MAPS_BPF_H

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define __noinline	 static __attribute__((noinline))
#define barrier_var(var) __asm__ volatile("" : "=r"(var) : "0"(var))

static struct dt_cond_entry eval_line; /* the only entry of the map */
static int dt_conds;

#define bpf_map_lookup_elem(map, key) ((void)(map), (void)(key), &eval_line)

/*
 * Reads fail in the first page, and at addresses where no program has memory:
 * arm64 has 48 bits.
 */
static inline int
eval_isnothing(uint64_t addr)
{
	return addr < 4096 || addr >> 48 != 0;
}

static long
bpf_probe_read_kernel(void *to, uint32_t size, const void *from)
{
	if (eval_isnothing((uintptr_t)from))
		return -EFAULT;
	memcpy(to, from, size);
	return 0;
}

static long
bpf_probe_read_user_str(void *to, uint32_t size, const void *from)
{
	size_t n;

	if (eval_isnothing((uintptr_t)from))
		return -EFAULT;
	n = strnlen(from, size - 1);
	memcpy(to, from, n);
	((char *)to)[n] = '\0';
	return n + 1;
}

#define bpf_probe_read_kernel_str bpf_probe_read_user_str

#include "bpf/dt_cond.bpf.h"

#define EVAL_NARGS 6

/* A return of a call with six arguments. */
static int
eval_operand(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo)
{
	(void)dtp;
	return dt_look_call(op, EVAL_NARGS, 1, DT_LOOK_USERTEXT, lo);
}

static const struct dt_provargs eval_args = { .pva_operand = eval_operand };

static const struct dt_provider eval_provider = {
	.prov_name = "eval",
	.prov_args = &eval_args,
};

static const struct dt_probe eval_probe = { .dtp_prov = &eval_provider };

/*
 * Returns whether a hit passes in the BPF programs; -1 with a reason if the
 * daemon refuses the condition.
 */
static inline int
eval_bpf(const struct dt_cond *co, const struct dt_hit *h, struct reason *rs)
{
	struct dt_hit hit = *h;

	if (dt_cond_check(&eval_probe, co, &eval_line, rs) != 0)
		return -1;
	return dt_cond_passes(&hit, 1);
}

/*
 * The second evaluator
 */

static inline uint64_t
eval_number(const struct dt_opd *op, const struct dt_hit *h)
{
	uint64_t v = 0;

	switch (op->op_kind) {
	case DT_OPD_ARG:
		v = h->h_args[op->op_argn];
		break;
	case DT_OPD_RETVAL:
		v = h->h_ret.drr_retval;
		break;
	case DT_OPD_ERRNO:
		v = h->h_ret.drr_error;
		break;
	case DT_OPD_DURATION:
		v = h->h_duration;
		break;
	case DT_OPD_PID:
		v = h->h_pid;
		break;
	case DT_OPD_TID:
		v = h->h_tid;
		break;
	case DT_OPD_UID:
		v = h->h_uid;
		break;
	case DT_OPD_CPU:
		v = h->h_cpu;
		break;
	}
	switch (op->op_size) {
	case 1:
		return op->op_issigned ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return op->op_issigned ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return op->op_issigned ? (uint64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

/* Returns -1 if it cannot be read. */
static inline int
eval_text(const struct dt_insn *in, const struct dt_hit *h, const char *text)
{
	const char *s = (const char *)h->h_comm;

	if (in->in_left.op_kind == DT_OPD_STRING)
		s = (const char *)(uintptr_t)h->h_args[in->in_left.op_argn];
	if (s == NULL)
		return in->in_op == DT_CMP_NE;
	if (eval_isnothing((uintptr_t)s))
		return -1;
	if (in->in_op == DT_CMP_PREFIX)
		return strncmp(s, text, in->in_len) == 0;
	return (strlen(s) == in->in_len && memcmp(s, text, in->in_len) == 0) ==
	    (in->in_op == DT_CMP_EQ);
}

static inline int
eval_insn(const struct dt_insn *in, const struct dt_hit *h, const char *texts)
{
	uint64_t v, w = in->in_value;
	int less;

	if (in->in_left.op_size == 0)
		return eval_text(in, h, texts + in->in_text);
	v = eval_number(&in->in_left, h) & in->in_mask;
	less = in->in_left.op_issigned ? (int64_t)v < (int64_t)w : v < w;
	switch (in->in_op) {
	case DT_CMP_EQ:
		return v == w;
	case DT_CMP_NE:
		return v != w;
	case DT_CMP_LT:
		return less;
	case DT_CMP_LE:
		return less || v == w;
	case DT_CMP_GT:
		return !less && v != w;
	default:
		return !less;
	}
}

/* Evaluates a checked condition; -2: it does not end. */
static inline int
eval_client(const struct dt_cond *co, const struct dt_hit *h)
{
	unsigned int pc = 0, steps;
	int holds;

	if (co->co_ninsn == 0)
		return 1;
	for (steps = 0; steps < DT_COND_NINSN; steps++) {
		holds = eval_insn(&co->co_insn[pc], h, co->co_text);
		if (holds == -1)
			return 1;
		pc = holds ? co->co_insn[pc].in_true : co->co_insn[pc].in_false;
		if (pc >= DT_COND_FAIL)
			return pc == DT_COND_PASS;
	}
	return -2;
}

#endif /* TEST_COND_EVAL_H */
