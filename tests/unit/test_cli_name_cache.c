/* SPDX-License-Identifier: ISC */
/*
 * The hash table of dt(1), names without a daemon, and the nearest name.
 */
#include <errno.h>

#include "tests/unit/test_cli.h"

#include "cli/base/hash.h"
#include "cli/sym/name_cache.h"
#include "cli/base/suggest.h"

static void
a_map_finds_all_that_it_holds(void **state)
{
	struct hash m = { 0 };
	struct hash_entry **list;
	uint64_t i, key[3];

	(void)state;
	assert_null(hash_find(&m, "x", 1));
	for (i = 0; i < 10000; i++) {
		key[0] = i;
		key[1] = i << 32;
		key[2] = 7;
		hash_get(&m, key, sizeof(key))->he_count += i + 1;
		assert_int_equal(m.ha_n, i + 1);
	}
	for (i = 0; i < 10000; i++) {
		key[0] = i;
		key[1] = i << 32;
		assert_int_equal(hash_find(&m, key, sizeof(key))->he_count,
		    i + 1);
		assert_null(hash_find(&m, key, 16));
	}
	list = hash_sorted(&m);
	for (i = 0; i < 10000; i++)
		assert_int_equal(list[i]->he_count, 10000 - i);
	free(list);
	hash_clear(&m);
	assert_int_equal(m.ha_n, 0);
	assert_null(hash_find(&m, key, sizeof(key)));
	hash_get(&m, "again", 5);
	hash_clear(&m);
}

static void
equal_counts_are_in_order_of_keys(void **state)
{
	static const uint64_t keys[] = { 256, 3, 1ULL << 40, 255 };
	static const uint64_t want[] = { 3, 255, 256, 1ULL << 40 };
	struct hash_entry **list;
	struct hash m = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		hash_get(&m, &keys[i], sizeof(keys[i]))->he_count = 1;
	hash_get(&m, "a", 1)->he_count = 1;
	list = hash_sorted(&m);
	assert_int_equal(list[0]->he_keylen, 1); /* the short first */
	for (i = 0; i < 4; i++)
		assert_int_equal(list[i + 1]->he_key[0], want[i]);
	free(list);
	hash_clear(&m);
}

static void
names_come_from_a_file(void **state)
{
	struct dt_probe_desc pd = { .pd_info = {
					.dtpi_pbn = 5,
					.dtpi_nargs = 1,
					.dtpi_prov = "syscall",
					.dtpi_flags = DTPI_CALL,
					.dtpi_func = "close",
					.dtpi_name = "entry",
				    } };
	const struct probe *pr;
	struct name_cache nm;
	uint64_t off;

	(void)state;
	name_cache_init(&nm, NULL);
	assert_null(name_cache_probe(&nm, 5));
	assert_null(name_cache_ksym(&nm, 0x1000, &off));
	name_cache_add_probe(&nm, &pd);
	strcpy(pd.pd_info.dtpi_func, "other");
	name_cache_add_probe(&nm, &pd); /* the first value is kept */
	pr = name_cache_probe(&nm, 5);
	assert_string_equal(pr->pr_full, "syscall:close:entry");
	assert_string_equal(pr->pr_call, "close");
	pd.pd_info.dtpi_pbn = 6;
	pd.pd_info.dtpi_flags = DTPI_CLOCK;
	strcpy(pd.pd_info.dtpi_prov, "profile");
	strcpy(pd.pd_info.dtpi_func, "hz");
	strcpy(pd.pd_info.dtpi_name, "97");
	name_cache_add_probe(&nm, &pd);
	assert_string_equal(name_cache_probe(&nm, 6)->pr_call, "profile:hz:97");
	name_cache_add_ksym(&nm, 0x1004, "func", 4);
	assert_string_equal(name_cache_ksym(&nm, 0x1004, &off), "func");
	assert_int_equal(off, 4);
	name_cache_free(&nm);
}

static void
slips_of_the_finger_are_understood(void **state)
{
	static const struct dtioc_probe_info probes[] = {
		{ .dtpi_prov = "profile",
		    .dtpi_func = "hz",
		    .dtpi_name = "97" },
		{ .dtpi_prov = "syscall",
		    .dtpi_func = "open",
		    .dtpi_name = "entry" },
		{ .dtpi_prov = "syscall",
		    .dtpi_func = "openat",
		    .dtpi_name = "entry" },
		{ .dtpi_prov = "syscall",
		    .dtpi_func = "openat",
		    .dtpi_name = "return" },
		{ .dtpi_prov = "tracepoint",
		    .dtpi_flags = DTPI_FIELDS | DTPI_RECORD,
		    .dtpi_func = "sched",
		    .dtpi_name = "sched_switch" },
		{ .dtpi_prov = "rawtracepoint",
		    .dtpi_func = "xfs_dqread",
		    .dtpi_name = "hit" },
	};
	static const struct {
		const char *pattern, *near;
	} cases[] = {
		{ "openat", "syscall:openat" },
		{ "openta", "syscall:openat" },
		{ "syscall:opnat", "syscall:openat" },
		{ "sycall:openat:entry", "syscall:openat:entry" },
		{ "syscall:openat:retrun", "syscall:openat" },
		{ "profile:hz:99", "profile:hz:97" },
		{ "vfs_read", NULL },
		{ "sched_swich", "tracepoint:sched:sched_switch" },
		{ "sched:sched_switch", "tracepoint:sched:sched_switch" },
		{ "shed:sched_switch", "tracepoint:sched:sched_switch" },
		{ "tracepoint:sched:sched_swicth",
		    "tracepoint:sched:sched_switch" },
		{ "tracepont:sched:sched_switch",
		    "tracepoint:sched:sched_switch" },
		{ "xfs_dqraed", "rawtracepoint:xfs_dqread" },
		{ "", NULL },
		{ "a-name-that-is-longer-than-anybody-would-ever-type-it",
		    NULL },
	};
	char near[3 * DTNAMESIZE];
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		n = suggest_probe(probes, 6, cases[i].pattern, near,
		    sizeof(near));
		assert_int_equal(n, cases[i].near != NULL ? 0 : -1);
		if (n == 0)
			assert_string_equal(near, cases[i].near);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_finds_all_that_it_holds),
		cmocka_unit_test(equal_counts_are_in_order_of_keys),
		cmocka_unit_test(names_come_from_a_file),
		cmocka_unit_test(slips_of_the_finger_are_understood),
	};

	return cmocka_run_group_tests_name("test_cli_name_cache", tests, NULL,
	    NULL);
}
