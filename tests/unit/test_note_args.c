/* SPDX-License-Identifier: ISC */
/*
 * Arguments of static probes and of functions on arm64, for which there are no
 * files here; x86-64 is in test_symbolizer_probes.c.
 */
#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/calling_convention.h"
#include "symbolizer/note_args.h"

static const char *
no_symbol(void *arg, const char *name, size_t len, uint64_t *addr)
{
	(void)arg;
	(void)name;
	(void)len;
	(void)addr;
	return "no such symbol";
}

/* "rN", "cV", or "mBASE+INDEX*SCALE+VALUE", and the size; "!": unreadable. */
static const char *
text(const struct found_arg *fa)
{
	static char out[64];
	const struct probe_arg *pa = &fa->fa_arg;
	const char *sign = pa->pra_flags & PROBE_ARG_SIGNED ? "s" : "";

	assert_int_equal(pa->pra_place == PROBE_PLACE_NONE, fa->fa_why != NULL);
	switch (pa->pra_place) {
	case PROBE_PLACE_REG:
		snprintf(out, sizeof(out), "r%u%s/%u%s%s", pa->pra_base,
		    pa->pra_index == PROBE_REG_NONE ? "" : "+", pa->pra_size,
		    sign, pa->pra_flags & PROBE_ARG_BYREF ? "&" : "");
		break;
	case PROBE_PLACE_CONST:
		snprintf(out, sizeof(out), "c%" PRId64 "/%u%s", pa->pra_value,
		    pa->pra_size, sign);
		break;
	case PROBE_PLACE_MEM:
		snprintf(out, sizeof(out), "m%u+%d*%u%+" PRId64 "/%u%s",
		    pa->pra_base, (int8_t)pa->pra_index, pa->pra_scale,
		    pa->pra_value, pa->pra_size, sign);
		break;
	default:
		return "!";
	}
	return out;
}

static void
test_notes(void **state)
{
	static const struct {
		const char *text;
		const char *want[5];
	} rows[] = {
		{ "-4@w0 8@x30 4@-5 8@sp 2@wzr",
		    { "r0/4s", "r30/8", "c-5/4", "r31/8", "!" } },
		{ "8@[sp, 16] -4@[x29, -12] 8@[x0] 8@[x1,x2] 4@[x1, x2, lsl 2]",
		    { "m31+-1*1+16/8", "m29+-1*1-12/4s", "m0+-1*1+0/8",
			"m1+2*1+0/8", "m1+2*4+0/4" } },
		{ "8@[x1, w2, sxtw 3] 8f@d0 8@d0 8@[x0 8@x1",
		    { "!", "!", "!", "!" } },
		{ "8@[x0, #8] 4@#7", { "m0+-1*1+8/8", "c7/4" } },
		{ "", { NULL } },
	};
	struct note_args na = { .na_machine = EM_AARCH64,
		.na_symbol = no_symbol };
	unsigned int i, j;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		note_args_parse(&na, rows[i].text);
		for (j = 0; j < na.na_n; j++) {
			assert_true(j < 5 && rows[i].want[j] != NULL);
			assert_string_equal(text(&na.na_args[j]),
			    rows[i].want[j]);
		}
		assert_true(j == 5 || rows[i].want[j] == NULL);
	}
}

/* More arguments than a probe can have are dropped. */
static void
test_many(void **state)
{
	struct note_args na = { .na_machine = EM_X86_64,
		.na_symbol = no_symbol };
	char many[PROBE_ARGS_MAX * 10 + 10] = "";
	unsigned int i;

	(void)state;
	for (i = 0; i < PROBE_ARGS_MAX + 1; i++)
		strcat(many, "8@%rax ");
	note_args_parse(&na, many);
	assert_int_equal(na.na_n, PROBE_ARGS_MAX);
	assert_string_equal(na.na_args[PROBE_ARGS_MAX - 1].fa_name, "arg31");
}

static const struct type_info an_int = { .ti_kind = PROBE_ARG_INT,
	.ti_issigned = 1,
	.ti_size = 4,
	.ti_align = 4,
	.ti_parts = { TYPE_PART_INT },
	.ti_nfloats = -1 };
static const struct type_info a_wide_int = { .ti_kind = PROBE_ARG_INT,
	.ti_size = 16,
	.ti_align = 16,
	.ti_parts = { TYPE_PART_INT, TYPE_PART_INT },
	.ti_nfloats = -1 };
static const struct type_info a_double = { .ti_kind = PROBE_ARG_FLOAT,
	.ti_size = 8,
	.ti_align = 8,
	.ti_parts = { TYPE_PART_FLOAT },
	.ti_nfloats = 1,
	.ti_floatsize = 8 };
static const struct type_info two_longs = { .ti_kind = PROBE_ARG_STRUCT,
	.ti_size = 16,
	.ti_align = 8,
	.ti_parts = { TYPE_PART_INT, TYPE_PART_INT },
	.ti_nfloats = -1 };
static const struct type_info three_longs = { .ti_kind = PROBE_ARG_STRUCT,
	.ti_size = 24,
	.ti_align = 8,
	.ti_parts = { TYPE_PART_INT, TYPE_PART_INT },
	.ti_nfloats = -1 };
static const struct type_info four_doubles = { .ti_kind = PROBE_ARG_STRUCT,
	.ti_size = 32,
	.ti_align = 8,
	.ti_parts = { TYPE_PART_FLOAT, TYPE_PART_FLOAT },
	.ti_nfloats = 4,
	.ti_floatsize = 8 };
static const struct type_info mixed = { .ti_kind = PROBE_ARG_STRUCT,
	.ti_size = 16,
	.ti_align = 8,
	.ti_parts = { TYPE_PART_INT, TYPE_PART_FLOAT },
	.ti_nfloats = -1 };

/* The rules of AAPCS64 that differ from System V. */
static void
test_arm64(void **state)
{
	static const struct {
		const struct type_info *type;
		const char *want;
	} rows[] = {
		{ &an_int, "r0/4s" },
		{ &a_wide_int, "r2+/16" }, /* an even register */
		{ &a_double, "!" },
		{ &four_doubles, "!" },	    /* takes no integer registers */
		{ &mixed, "r4+/16" },	    /* in integer registers */
		{ &three_longs, "r6/24&" }, /* the address */
		{ &two_longs, "m31+-1*1+0/16" },
		{ &an_int, "m31+-1*1+16/4s" }, /* x7 stays unused */
		{ &a_wide_int, "m31+-1*1+32/16" },
		{ &three_longs, "m31+-1*1+48/24" },
	};
	struct convention cnv;
	struct found_arg fa;
	unsigned int i;

	(void)state;
	assert_int_equal(convention_begin(&cnv, EM_AARCH64), 1);
	convention_return(&cnv, &three_longs, &fa);
	assert_string_equal(text(&fa), "!"); /* in x8, which it may change */
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		convention_next(&cnv, rows[i].type, &fa);
		assert_string_equal(text(&fa), rows[i].want);
	}
	assert_int_equal(fa.fa_arg.pra_flags, PROBE_ARG_BYREF);
	convention_return(&cnv, &two_longs, &fa);
	assert_string_equal(text(&fa), "r0+/16");
	assert_int_equal(convention_begin(&cnv, EM_S390), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_arm64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
