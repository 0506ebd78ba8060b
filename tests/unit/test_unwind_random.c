/* SPDX-License-Identifier: ISC */
/*
 * The walk of user stacks in BPF (bpf/unwind.bpf.h), and of copies, with random
 * tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <dt/evt.h>

#if defined(__x86_64__)

#include "tests/unit/unwind_walk.h"

static uint64_t
random_word(void)
{
	static uint64_t x = 0x9e3779b97f4a7c15;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/*
 * Fills slabs: with any bytes, or with rules like true ones.  Then blocks are
 * where a rule's size divides their place, and have a number of rows that puts
 * their rules onto the slab's.
 */
#define TRUE_PLACE (64 * 3)

static void
slabs_spoil(int istrue)
{
	struct unwind_rule *un;
	uint8_t *p;
	size_t i, n;

	for (i = 0; i < nslabs; i++) {
		p = slabs[i].sl_base;
		for (n = 0; n < UNWIND_SLAB; n += 8)
			*(uint64_t *)(p + n) = random_word();
		un = (struct unwind_rule *)p;
		for (n = 0; istrue && n < UNWIND_SLAB / sizeof(*un); n++) {
			un[n].un_cfa = un[n].un_cfa % 4 ? UNWIND_CFA_REG
							: un[n].un_cfa % 7;
			un[n].un_reg = un[n].un_reg % 8 ? 7 : un[n].un_reg % 17;
			un[n].un_ra = un[n].un_ra % 8 ? 0 : un[n].un_ra % 5;
			un[n].un_fp %= 5;
			un[n].un_cfaoff = (un[n].un_cfaoff & 31) * 8;
			un[n].un_raoff = -8;
		}
		for (n = 0; istrue && n < UNWIND_SLAB / TRUE_PLACE; n++)
			*(uint32_t *)(p +
			    n * TRUE_PLACE) = random_word() % 1000 * 3 + 2;
	}
}

/* Refers the keys of all pages to places anywhere. */
static void
keys_spoil(void)
{
	static struct unwind_pagekey keys[NPAGES];
	static unsigned int nkeys;
	int fd = bpf_map__fd(skel->maps.unwind_pages);
	unsigned int i;
	uint32_t off;

	while (nkeys < NPAGES - 1 &&
	    bpf_map_get_next_key(fd, nkeys == 0 ? NULL : &keys[nkeys - 1],
		&keys[nkeys]) == 0)
		nkeys++;
	for (i = 0; i < nkeys; i++) {
		off = random_word() % (UNWIND_SLAB / TRUE_PLACE) * TRUE_PLACE;
		page_set(keys[i].uk_file, keys[i].uk_page, UNWIND_READY,
		    UNWIND_PLACE((uint32_t)random_word() % (nslabs + 1), off));
	}
}

/* Changes a copy, and walks it. */
static void
copy_spoil(struct stacks *st)
{
	size_t n = copy_nbytes(copy), words = n / 8, i;
	uint64_t *w = (uint64_t *)copy;

	for (i = 0; i < 20; i++)
		w[offsetof(struct unwind_copy, ucp_regs) / 8 +
		    random_word() %
			(i < 4 ? UNWIND_NREGS : words - UNWIND_NREGS)] ^=
		    random_word() >> random_word() % 64;
	if (copy_nbytes(copy) != n)
		return; /* refused on arrival */
	copy_walk(&st->st_copy, copy, maps, nmaps);
	assert_in_range(st->st_copy.cwk_walk.uw_count, 0, DT_REC_MAXFRAMES);
	assert_in_range(st->st_copy.cwk_walk.uw_end, 0, DT_STACK_EVICTED);
}

static void
expect_same(const struct stacks *st)
{
	if (copy_issame(st))
		return;
	stacks_print(st);
	fail_msg("the copy has other frames");
}

/* Any tables give at most DT_REC_MAXFRAMES frames and a reason. */
static void
test_random(void **state)
{
	unsigned int i, n, round, ends[256] = { 0 };
	struct stacks st;

	(void)state;
	need_bpf();
	for (round = 0; round < 800; round++) {
		slabs_spoil(round % 8 > 1);
		keys_spoil();
		rules_forget();
		if (round % 8 != 1) /* else the mappings are random, too */
			proc_set(UNWIND_READY);
		for (i = 0; i < 10; i++) {
			recurse(&st, i);
			assert_in_range(st.st_head.drs_count, 1,
			    DT_REC_MAXFRAMES);
			assert_in_range(st.st_head.drs_end, 0,
			    DT_STACK_EVICTED);
			ends[st.st_head.drs_end]++;
			if (round % 8 != 1)
				expect_same(&st);
			copy_spoil(&st);
		}
	}
	for (i = 0, n = 0; i <= DT_STACK_EVICTED; i++)
		n += ends[i] != 0;
	assert_in_range(n, 4, DT_STACK_EVICTED); /* the tables had effects */
}

#else

static void
test_random(void **state)
{
	(void)state;
	skip(); /* as in test_unwind_walk.c */
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

#if defined(__x86_64__)
	(void)elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, setup, NULL);
#else
	return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
