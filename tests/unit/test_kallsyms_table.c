/* SPDX-License-Identifier: ISC */
/*
 * kallsyms_table.c and kallsyms_unloaded.c: the kernel's symbols, present and past.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/kernel/kallsyms_query.h"
#include "daemon/kernel/kallsyms_unloaded.h"
#include "daemon/kernel/kallsyms_table.h"

static const char boot[] = "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000100 t local_name\n"
			   "ffffffff81000100 T __global_name\n"
			   "ffffffff81000100 T global_name\n"
			   "ffffffff81000100 W a_very_long_weak_name\n"
			   "ffffffff81000180 D some_data\n"
			   "ffffffff81000200 t last\n"
			   "ffffffff81001000 T _etext\n"
			   "ffffffff83000000 t init_late\n"
			   "nonsense\n"
			   "\n";
static const char dummy[] = "ffffffffc0100000 t dummy_xmit\t[dummy]\n"
			    "ffffffffc0100040 t dummy_init\t[dummy]\n"
			    "ffffffffc0300000 t bpf_prog_0123_x\t[bpf]\n"
			    "ffffffffc0300040 t bpf_trampoline_7\t[bpf]\n";
static const char mods[] = "dummy 4096 0 - Live 0xffffffffc0100000\n"
			   "other 4096 0 - Live 0xffffffffc0200000 (OE)\n";

static struct kallsyms_table *
read_texts(const char *a, const char *b, const char *m)
{
	struct kallsyms_table *kt = NULL;
	char text[4096];
	FILE *f, *g;

	snprintf(text, sizeof(text), "%s%s", a, b);
	f = fmemopen(text, strlen(text), "r");
	g = m != NULL ? fmemopen((char *)m, strlen(m), "r") : NULL;
	assert_non_null(f);
	assert_int_equal(kallsyms_table_read(f, g, &kt), 0);
	fclose(f);
	if (g != NULL)
		fclose(g);
	return kt;
}

static void
is(const struct kallsyms_table *kt, uint64_t pc, const char *name,
    const char *module)
{
	struct kallsyms_range kf;

	assert_int_equal(kallsyms_table_find(kt, pc, &kf), name != NULL);
	if (name == NULL)
		return;
	assert_string_equal(kf.kra_name, name);
	assert_string_equal(kf.kra_module, module);
	assert_true(kf.kra_start <= pc && pc < kf.kra_end);
	assert_int_equal(kf.kra_isbpf, strcmp(module, "[bpf]") == 0);
}

static void
functions_end_where_the_next_begins_or_their_region_ends(void **state)
{
	struct kallsyms_table *kt = read_texts(boot, dummy, mods);

	(void)state;
	is(kt, 0, NULL, NULL);
	is(kt, 0xffffffff80ffffff, NULL, NULL);
	is(kt, 0xffffffff81000000, "startup_64", "[kernel]");
	is(kt, 0xffffffff810000ff, "startup_64", "[kernel]");
	is(kt, 0xffffffff81000100, "global_name", "[kernel]");
	is(kt, 0xffffffff810001ff, "global_name", "[kernel]");
	is(kt, 0xffffffff81000fff, "last", "[kernel]");
	is(kt, 0xffffffff83000010, "init_late", "[kernel]");
	is(kt, 0xffffffffc0100041, "dummy_init", "[dummy]");
	is(kt, 0xffffffffc0100fff, "dummy_init", "[dummy]");
	is(kt, 0xffffffffc0101000, NULL, NULL); /* the module is unloaded */
	is(kt, 0xffffffffc030003f, "bpf_prog_0123_x", "[bpf]");
	is(kt, 0xffffffffc0300040, "bpf_trampoline_7", "[bpf]");
	is(kt, 0xffffffffc0400000, NULL, NULL);
	is(kt, UINT64_MAX, NULL, NULL);
	kallsyms_table_free(kt);
	kt = read_texts(boot, dummy, NULL); /* a kernel without modules */
	is(kt, 0xffffffff81000100, "global_name", "[kernel]");
	kallsyms_table_free(kt);
	kallsyms_table_free(NULL);
}

static void
hidden_addresses_are_eperm(void **state)
{
	char hidden[] = "0000000000000000 T _stext\n0000000000000000 t foo\n";
	FILE *f = fmemopen(hidden, strlen(hidden), "r");
	struct kallsyms_table *kt = NULL;

	(void)state;
	assert_int_equal(kallsyms_table_read(f, NULL, &kt), EPERM);
	assert_null(kt);
	fclose(f);
}

struct seen {
	unsigned int se_n;
	char se_names[200];
	struct kallsyms_unloaded *se_gone;
	uint64_t se_now;
};

static void
see(void *arg, const struct kallsyms_range *kf)
{
	struct seen *se = arg;

	se->se_n++;
	strcat(strcat(se->se_names, kf->kra_name), " ");
	if (se->se_gone != NULL)
		kallsyms_unloaded_add(se->se_gone, kf, se->se_now);
}

/* Appends the name to those in arg, until there are five. */
static int
name_each(void *arg, const struct kallsyms_range *kf)
{
	char *names = arg, *p;
	int n = 0;

	strcat(strcat(names, kf->kra_name), " ");
	for (p = names; *p != '\0'; p++)
		n += *p == ' ';
	return n < 5;
}

static void
each_address_is_listed_once_ascending(void **state)
{
	struct kallsyms_table *kt = read_texts(boot, dummy, mods);
	static const struct {
		uint64_t from;
		const char *names;
	} rows[] = {
		{ 0, "startup_64 global_name last _etext init_late " },
		{ 0xffffffff81000100,
		    "global_name last _etext init_late "
		    "dummy_xmit " },
		{ 0xffffffff81000101,
		    "last _etext init_late dummy_xmit "
		    "dummy_init " },
		{ 0xffffffffc0300040, "bpf_trampoline_7 " },
		{ 0xffffffffc0300041, "" },
		{ UINT64_MAX, "" },
	};
	char names[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		names[0] = '\0';
		kallsyms_table_each(kt, rows[i].from, name_each, names);
		assert_string_equal(names, rows[i].names);
	}
	kallsyms_table_free(kt);
}

static void
what_was_unloaded_keeps_its_time(void **state)
{
	static const char again[] = "ffffffffc0100000 t other_xmit\t[other]\n";
	struct kallsyms_table *with = read_texts(boot, dummy, mods);
	struct kallsyms_table *without = read_texts(boot, "", NULL);
	struct kallsyms_table *other = read_texts(boot, again, NULL);
	struct seen se = { .se_gone = kallsyms_unloaded_alloc(),
		.se_now = 1000 };
	struct kallsyms_range kf;

	(void)state;
	assert_non_null(se.se_gone);
	kallsyms_table_diff(with, with, see, &se);
	assert_int_equal(se.se_n, 0);
	kallsyms_table_diff(with, without, see, &se);
	assert_string_equal(se.se_names,
	    "dummy_xmit dummy_init bpf_prog_0123_x bpf_trampoline_7 ");
	se.se_now = 2000;
	kallsyms_table_diff(other, without, see, &se);
	kallsyms_table_free(with);
	kallsyms_table_free(without);
	kallsyms_table_free(other);
	assert_int_equal(kallsyms_unloaded_size(se.se_gone), 5);
	assert_int_equal(kallsyms_unloaded_find(se.se_gone, 0xffffffffc0100010,
			     999, &kf),
	    1);
	assert_string_equal(kf.kra_name, "dummy_xmit");
	assert_string_equal(kf.kra_module, "[dummy]");
	assert_int_equal(kallsyms_unloaded_find(se.se_gone, 0xffffffffc0100010,
			     1000, &kf),
	    1);
	assert_string_equal(kf.kra_name, "other_xmit");
	assert_int_equal(kallsyms_unloaded_find(se.se_gone, 0xffffffffc0100010,
			     2000, &kf),
	    0);
	assert_int_equal(kallsyms_unloaded_find(se.se_gone, 0xffffffff81000000,
			     1, &kf),
	    0);
	kallsyms_unloaded_free(se.se_gone);
	kallsyms_unloaded_free(NULL);
}

static void
what_was_unloaded_first_is_forgotten_first(void **state)
{
	struct kallsyms_unloaded *kg = kallsyms_unloaded_alloc();
	struct kallsyms_range kf = { .kra_name = "f", .kra_module = "[m]" };
	uint64_t i;

	(void)state;
	for (i = 0; i < KALLSYMS_UNLOADED_MAX + 10; i++) {
		kf.kra_start = i * 16;
		kf.kra_end = i * 16 + 16;
		kallsyms_unloaded_add(kg, &kf, i + 1);
	}
	assert_int_equal(kallsyms_unloaded_size(kg), KALLSYMS_UNLOADED_MAX);
	assert_int_equal(kallsyms_unloaded_find(kg, 9 * 16, 0, &kf), 0);
	assert_int_equal(kallsyms_unloaded_find(kg, 10 * 16, 0, &kf), 1);
	assert_int_equal(kallsyms_unloaded_find(kg,
			     (KALLSYMS_UNLOADED_MAX + 9) * 16, 0, &kf),
	    1);
	kallsyms_unloaded_free(kg);
}

/* Texts as the kernel prints them. */
static void
printed_names_have_their_offset_and_module(void **state)
{
	static const struct {
		const char *text, *name, *module;
		uint64_t offset;
	} rows[] = {
		{ "do_syscall_64+0x3c/0x90", "do_syscall_64", "[kernel]",
		    0x3c },
		{ "dummy_xmit+0x0/0x40 [dummy]", "dummy_xmit", "[dummy]", 0 },
		{ "bpf_prog_0123456789abcdef_x+0x1f/0x2f",
		    "bpf_prog_0123456789abcdef_x", "[bpf]", 0x1f },
		{ "bpf_trampoline_6442531081+0x5/0x100",
		    "bpf_trampoline_6442531081", "[bpf]", 5 },
		{ "bpf_prog_test_run_syscall+0x1/0x2",
		    "bpf_prog_test_run_syscall", "[kernel]", 1 },
		{ "0xffffffff81000000", "", "", 0 },
		{ "+0x1/0x2", "", "", 0 },
		{ "name+0x1", "", "", 0 },
		{ "", "", "", 0 },
	};
	struct ksym ks;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		kallsyms_parse(rows[i].text, &ks);
		assert_string_equal(ks.ksy_name, rows[i].name);
		assert_string_equal(ks.ksy_module, rows[i].module);
		assert_true(ks.ksy_offset == rows[i].offset);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed_names_have_their_offset_and_module),
		cmocka_unit_test(
		    functions_end_where_the_next_begins_or_their_region_ends),
		cmocka_unit_test(hidden_addresses_are_eperm),
		cmocka_unit_test(each_address_is_listed_once_ascending),
		cmocka_unit_test(what_was_unloaded_keeps_its_time),
		cmocka_unit_test(what_was_unloaded_first_is_forgotten_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
