/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the arguments of static probes, and instructions: a byte whose lowest
 * bit is the machine, and a text.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/note_args.h"
#include "symbolizer/x86_insn.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *
symbol(void *arg, const char *name, size_t len, uint64_t *addr)
{
	(void)arg;
	if (len == 0 || memchr(name, '\0', len) != NULL)
		abort();
	*addr = len;
	return len % 3 == 0 ? "no such symbol" : NULL;
}

static int
is_register(uint8_t reg)
{
	return reg < PROBE_REG_MAX || reg == PROBE_REG_NONE;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct note_args na = { .na_symbol = symbol };
	const struct probe_arg *pa;
	unsigned int i;
	char *text;

	if (n == 0)
		return 0;
	if (x86_insn_length(data, n) > (n < X86_INSN_MAX ? n : X86_INSN_MAX))
		abort();
	(void)x86_insn_isret(data, n);
	na.na_machine = data[0] & 1 ? EM_AARCH64 : EM_X86_64;
	if ((text = malloc(n)) == NULL)
		abort();
	memcpy(text, data + 1, n - 1);
	text[n - 1] = '\0';
	note_args_parse(&na, text);
	for (i = 0; i < na.na_n; i++) {
		pa = &na.na_args[i].fa_arg;
		if (!is_register(pa->pra_base) || !is_register(pa->pra_index) ||
		    pa->pra_place == 0 || pa->pra_size > 8 ||
		    (pa->pra_place == PROBE_PLACE_NONE) !=
			(na.na_args[i].fa_why != NULL))
			abort();
	}
	free(text);
	return 0;
}
