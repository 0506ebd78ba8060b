/* SPDX-License-Identifier: ISC */
/* Finds registers by the names that assemblers give them. */
#include <elf.h>
#include <string.h>

#include "symbolizer/machine_regs.h"

/* By size: 8, 4, 2, 1 bytes, and the second byte. */
static const struct {
	uint8_t xr_word;
	const char *xr_names[5];
} x86_regs[] = {
	{ 5, { "rbx", "ebx", "bx", "bl", "bh" } },
	{ 10, { "rax", "eax", "ax", "al", "ah" } },
	{ 11, { "rcx", "ecx", "cx", "cl", "ch" } },
	{ 12, { "rdx", "edx", "dx", "dl", "dh" } },
	{ 13, { "rsi", "esi", "si", "sil", NULL } },
	{ 14, { "rdi", "edi", "di", "dil", NULL } },
	{ 4, { "rbp", "ebp", "bp", "bpl", NULL } },
	{ 19, { "rsp", "esp", "sp", "spl", NULL } },
	{ 9, { "r8", "r8d", "r8w", "r8b", NULL } },
	{ 8, { "r9", "r9d", "r9w", "r9b", NULL } },
	{ 7, { "r10", "r10d", "r10w", "r10b", NULL } },
	{ 6, { "r11", "r11d", "r11w", "r11b", NULL } },
	{ 3, { "r12", "r12d", "r12w", "r12b", NULL } },
	{ 2, { "r13", "r13d", "r13w", "r13b", NULL } },
	{ 1, { "r14", "r14d", "r14w", "r14b", NULL } },
	{ 0, { "r15", "r15d", "r15w", "r15b", NULL } },
	{ 16, { "rip", "eip", NULL, NULL, NULL } },
};

static const uint8_t x86_sizes[] = { 8, 4, 2, 1, 1 };

static int
is_name(const char *want, const char *name, size_t len)
{
	return want != NULL && strlen(want) == len &&
	    memcmp(want, name, len) == 0;
}

static int
x86_find(const char *name, size_t len, struct machine_reg *mr)
{
	size_t i, j;

	for (i = 0; i < sizeof(x86_regs) / sizeof(*x86_regs); i++)
		for (j = 0; j < sizeof(x86_sizes); j++)
			if (is_name(x86_regs[i].xr_names[j], name, len)) {
				*mr = (struct machine_reg){ x86_regs[i].xr_word,
					x86_sizes[j], j == 4 ? 8 : 0 };
				return 1;
			}
	return 0;
}

/* x0 to x30, w0 to w30, sp. */
static int
arm64_find(const char *name, size_t len, struct machine_reg *mr)
{
	unsigned int n = 0;
	size_t i;

	if (is_name("sp", name, len)) {
		*mr = (struct machine_reg){ REG_ARM64_SP, 8, 0 };
		return 1;
	}
	if (len < 2 || len > 3 || (name[0] != 'x' && name[0] != 'w'))
		return 0;
	for (i = 1; i < len; i++) {
		if (name[i] < '0' || name[i] > '9')
			return 0;
		n = n * 10 + (name[i] - '0');
	}
	if (n > 30)
		return 0;
	*mr = (struct machine_reg){ n, name[0] == 'x' ? 8 : 4, 0 };
	return 1;
}

int
machine_reg_find(unsigned int machine, const char *name, size_t len,
    struct machine_reg *mr)
{
	switch (machine) {
	case EM_X86_64:
	case EM_386:
		return x86_find(name, len, mr);
	case EM_AARCH64:
		return arm64_find(name, len, mr);
	default:
		return 0;
	}
}

uint8_t
machine_reg_pc(unsigned int machine)
{
	return machine == EM_AARCH64 ? REG_ARM64_PC : REG_X86_RIP;
}
