/* SPDX-License-Identifier: ISC */
/*
 * Callbacks of the compilers' -fsanitize-coverage=trace-pc,trace-cmp: one
 * record per call, in the format of kcov(4) for the kernel.  Uses no lock, no
 * allocation and no library function, so that a signal handler may interrupt
 * any of it and record.
 *
 * This library itself is never instrumented, see the Makefile.
 */
#include "dtkcov/thread_slot.h"

#define STRIDE_PC  1
#define STRIDE_CMP 4

#define CALLER	   ((uintptr_t)__builtin_return_address(0))

/*
 * Marks an instrumented program for dt(1): a NUL, this text, a NUL. retain
 * keeps it from being removed by the linker.
 */
const char dtkcov_mark[] __attribute__((used, retain)) = "\0dtkcov-runtime-1";

/* Handles a thread's first callback. */
static __attribute__((noinline, cold)) struct dtkcov_slot *
first(void)
{
	dtkcov_first();
	return dtkcov_mine;
}

/*
 * Returns space for a record, or NULL.  The program may overwrite the count at
 * any time, so it is checked before it is used as an index.
 */
static inline _Atomic uint64_t *
claim(struct dtkcov_slot *ks, int mode, size_t stride)
{
	uint64_t max, n;

	if (ks == DTKCOV_NEW && (ks = first()) == DTKCOV_OFF)
		return NULL;
	max = atomic_load_explicit(&ks->dks_max[mode], memory_order_acquire);
	/* after fork(2) the slot may belong to a thread of the child */
	if (max == 0 ||
	    atomic_load_explicit(&ks->dks_owner, memory_order_relaxed) !=
		&dtkcov_mine)
		return NULL;
	n = atomic_load_explicit(&ks->dks_buf[0], memory_order_relaxed);
	do {
		if (n >= max) {
			if (ks->dks_wait == 0 || !dtkcov_wait(ks, max))
				return NULL;
			n = atomic_load_explicit(&ks->dks_buf[0],
			    memory_order_relaxed);
			if (n >= max)
				return NULL;
		}
	} while (!atomic_compare_exchange_weak_explicit(&ks->dks_buf[0], &n,
	    n + 1, memory_order_relaxed, memory_order_relaxed));
	return &ks->dks_buf[1 + n * stride];
}

static inline void
put(_Atomic uint64_t *entry, uint64_t value)
{
	atomic_store_explicit(entry, value, memory_order_release);
}

static __attribute__((noinline)) void
trace_pc(struct dtkcov_slot *ks, uintptr_t pc)
{
	_Atomic uint64_t *to = claim(ks, KCOV_MODE_TRACE_PC, STRIDE_PC);

	if (to != NULL)
		put(&to[0], pc);
}

/*
 * Writes the address last: its presence shows a concurrent reader that the
 * record is complete.
 */
static __attribute__((noinline)) void
trace_cmp(struct dtkcov_slot *ks, uint64_t type, uint64_t arg1, uint64_t arg2,
    uintptr_t pc)
{
	_Atomic uint64_t *to = claim(ks, KCOV_MODE_TRACE_CMP, STRIDE_CMP);

	if (to == NULL)
		return;
	put(&to[0], type);
	put(&to[1], arg1);
	put(&to[2], arg2);
	put(&to[3], pc);
}

void __sanitizer_cov_trace_pc(void);

void
__sanitizer_cov_trace_pc(void)
{
	struct dtkcov_slot *ks = dtkcov_mine;

	if (ks != DTKCOV_OFF)
		trace_pc(ks, CALLER);
}

#define TRACE_CMP(name, uint, type) \
	void __sanitizer_cov_trace_##name(uint, uint); \
	void __sanitizer_cov_trace_##name(uint arg1, uint arg2) \
	{ \
		struct dtkcov_slot *ks = dtkcov_mine; \
\
		if (ks != DTKCOV_OFF) \
			trace_cmp(ks, (type), arg1, arg2, CALLER); \
	}

TRACE_CMP(cmp1, uint8_t, KCOV_CMP_SIZE(0))
TRACE_CMP(cmp2, uint16_t, KCOV_CMP_SIZE(1))
TRACE_CMP(cmp4, uint32_t, KCOV_CMP_SIZE(2))
TRACE_CMP(cmp8, uint64_t, KCOV_CMP_SIZE(3))
TRACE_CMP(const_cmp1, uint8_t, KCOV_CMP_SIZE(0) | KCOV_CMP_CONST)
TRACE_CMP(const_cmp2, uint16_t, KCOV_CMP_SIZE(1) | KCOV_CMP_CONST)
TRACE_CMP(const_cmp4, uint32_t, KCOV_CMP_SIZE(2) | KCOV_CMP_CONST)
TRACE_CMP(const_cmp8, uint64_t, KCOV_CMP_SIZE(3) | KCOV_CMP_CONST)

/* Returns log2 of the number of bytes, or -1. */
static int
log2_of_bits(uint64_t nbits)
{
	switch (nbits) {
	case 8:
		return 0;
	case 16:
		return 1;
	case 32:
		return 2;
	case 64:
		return 3;
	}
	return -1;
}

void __sanitizer_cov_trace_switch(uint64_t, void *);

/* list: number of cases, their size in bits, the cases. */
void
__sanitizer_cov_trace_switch(uint64_t value, void *list)
{
	struct dtkcov_slot *ks = dtkcov_mine;
	const uint64_t *cases = list;
	int size;
	uint64_t i;

	if (ks == DTKCOV_OFF || (size = log2_of_bits(cases[1])) == -1)
		return;
	for (i = 0; i < cases[0]; i++)
		trace_cmp(ks, KCOV_CMP_SIZE(size) | KCOV_CMP_CONST,
		    cases[2 + i], value, CALLER);
}

/*
 * Callbacks without a record: gcc compares floating point numbers with
 * trace-cmp, and clang has further options besides trace-cmp.
 */
#define IGNORED(name, type) \
	void __sanitizer_cov_trace_##name(type); \
	void __sanitizer_cov_trace_##name(type arg) \
	{ \
		(void)arg; \
	}

#define IGNORED_PAIR(name, type) \
	void __sanitizer_cov_trace_##name(type, type); \
	void __sanitizer_cov_trace_##name(type arg1, type arg2) \
	{ \
		(void)arg1; \
		(void)arg2; \
	}

IGNORED_PAIR(cmpf, float)
IGNORED_PAIR(cmpd, double)
IGNORED(div4, uint32_t)
IGNORED(div8, uint64_t)
IGNORED(gep, uintptr_t)
IGNORED(pc_indir, uintptr_t)
