/* SPDX-License-Identifier: ISC */
/* Lengths of instructions: rare forms, and whole files, checked with objdump. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/x86_insn.h"

/* Elsewhere, objdump does not read these files. */
#ifdef __x86_64__
#define IS_X86 1
#else
#define IS_X86 0
#endif

static size_t
parse(const char *hex, uint8_t *bytes, size_t max)
{
	size_t n = 0;
	char *end;

	while (n < max && *hex != '\t' && *hex != '\0') {
		bytes[n] = strtoul(hex, &end, 16);
		if (end == hex)
			break;
		n++;
		hex = end + strspn(end, " ");
	}
	return n;
}

/* Forms that compilers hardly use; the length is the number of bytes. */
static const char *const whole[] = {
	"48 a1 01 02 03 04 05 06 07 08", /* movabs (addr), rax */
	"67 a1 01 02 03 04",		 /* the same, short */
	"48 b8 01 02 03 04 05 06 07 08", /* movabs $, rax */
	"66 b8 01 02",			 /* mov $, ax */
	"66 81 c0 01 02",		 /* add $, ax */
	"66 48 81 c0 01 02 03 04",	 /* REX.W wins */
	"c8 01 02 03",			 /* enter */
	"c2 08 00",			 /* ret $8 */
	"f6 05 01 02 03 04 05",		 /* testb $, (rip) */
	"f7 c0 01 02 03 04",		 /* test $, eax */
	"f7 d8",			 /* neg eax */
	"8f 00",			 /* pop (rax) */
	"8f e9 78 01 c0",		 /* XOP map 9 */
	"8f e8 78 c0 c0 01",		 /* XOP map 8 */
	"8f ea 78 10 c0 01 02 03 04",	 /* XOP map 10 */
	"c5 f8 77",			 /* vzeroupper */
	"c4 e3 79 16 c0 01",		 /* vpextrd */
	"c4 e2 71 f7 c0",		 /* shlx */
	"62 f1 7c 48 10 00",		 /* EVEX vmovups */
	"62 f3 75 08 25 c2 03",		 /* EVEX vpternlogd */
	"62 f5 7c 48 58 c1",		 /* EVEX vaddph */
	"66 0f 78 c0 01 02",		 /* extrq */
	"f2 0f 78 c1 01 02",		 /* insertq */
	"0f 78 c0",			 /* vmread */
	"0f 0f c0 bf",			 /* 3DNow! */
	"f3 0f 1e fa",			 /* endbr64 */
	"66 66 48 e8 01 02 03 04",	 /* call __tls_get_addr */
	"f2 c3",			 /* bnd ret */
	"66 2e 0f 1f 84 00 00 00 00 00", /* nop */
	"66 66 66 66 66 66 2e 0f 1f 84 00 00 00 00 00", /* 15 bytes */
};

static const char *const none[] = {
	"06",
	"9a 01 02 03 04 05 06",
	"62 f1 78 48 10 00",
	"c4 00 00 00",
	"66 66 66 66 66 66 66 2e 0f 1f 84 00 00 00 00 00",
	"48",
	"0f",
	"0f 04",
};

static void
test_forms(void **state)
{
	uint8_t bytes[32];
	size_t i, j, n;

	(void)state;
	for (i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		n = parse(whole[i], bytes, sizeof(bytes));
		if (x86_insn_length(bytes, n) != n)
			fail_msg("%s: %zu", whole[i],
			    x86_insn_length(bytes, n));
		/* cut off anywhere, it has no length */
		for (j = 0; j < n; j++)
			assert_int_equal(x86_insn_length(bytes, j), 0);
	}
	for (i = 0; i < sizeof(none) / sizeof(*none); i++) {
		n = parse(none[i], bytes, sizeof(bytes));
		if (x86_insn_length(bytes, n) != 0)
			fail_msg("%s", none[i]);
	}
}

/* tests/run/prog/probable.c compares all opcodes with the kernel. */
static void
test_probed(void **state)
{
	static const struct {
		const char *hex;
		int isprobed;
	} insns[] = {
		{ "55", 1 },
		{ "48 89 e5", 1 },
		{ "f3 0f 1e fa", 1 },
		{ "66 0f 6f c0", 1 },
		{ "c5 fd 10 07", 1 },	    /* vmovupd */
		{ "c5 f8 77", 0 },	    /* vzeroupper, taken for ja */
		{ "62 e2 7d 28 7a c6", 0 }, /* vpbroadcastb, for jp */
		{ "e8 01 02 03 04", 1 },
		{ "66 e8 01 02 03 04", 0 },
		{ "f0 ff 07", 0 },	 /* lock */
		{ "66 2e 0f 1f 00", 0 }, /* cs */
		{ "c5 f9 6e c6", 0 },	 /* vmovd, with the opcode of outs */
		{ "66 0f 38 00 c1", 1 },
		{ "66 0f 84 01 02", 0 },
		{ "8e d0", 0 }, /* mov ss */
		{ "8e d8", 1 },
		{ "66", 0 },
		{ "", 0 },
	};
	uint8_t bytes[32];
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(insns) / sizeof(*insns); i++) {
		n = parse(insns[i].hex, bytes, sizeof(bytes));
		if (x86_insn_isprobed(bytes, n) != insns[i].isprobed)
			fail_msg("%s", insns[i].hex);
	}
}

/* FWAIT is an instruction; objdump joins it with the next one. */
static int
is_joined(const uint8_t *bytes, size_t n, size_t len)
{
	return bytes[0] == 0x9b && len == 1 &&
	    x86_insn_length(bytes + 1, n - 1) == n - 1;
}

/* Compares a line of objdump.  Returns whether it has an instruction. */
static int
compare(const char *line)
{
	const char *hex = strchr(line, '\t'), *text;
	uint8_t bytes[32];
	size_t n, len;
	int isret;

	if (line[0] != ' ' || hex == NULL ||
	    (text = strchr(hex + 1, '\t')) == NULL ||
	    strstr(text, "(bad)") != NULL || strstr(text, ".byte") != NULL)
		return 0;
	n = parse(hex + 1, bytes, sizeof(bytes));
	len = x86_insn_length(bytes, n);
	if (len != n && !is_joined(bytes, n, len))
		fail_msg("%zu: %s", len, line);
	isret = strncmp(text, "\tret", 4) == 0 || strstr(text, " ret") != NULL;
	if (len == n && x86_insn_isret(bytes, n) != isret)
		fail_msg("ret: %s", line);
	return 1;
}

static void
test_objdump(void **state)
{
	static const char *const files[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libm.so.6",
	};
	char line[4096], command[256];
	unsigned long n;
	size_t i;
	FILE *f;

	(void)state;
	if (!IS_X86)
		skip();
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(command, sizeof(command),
		    "test ! -e %s || objdump -d -w --insn-width=16 %s",
		    files[i], files[i]);
		f = popen(command, "r");
		assert_non_null(f);
		for (n = 0; fgets(line, sizeof(line), f) != NULL;)
			n += compare(line);
		assert_int_equal(pclose(f), 0);
		assert_true(n == 0 || n > 10000);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_probed),
		cmocka_unit_test(test_objdump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
