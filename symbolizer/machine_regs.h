/* SPDX-License-Identifier: ISC */
/* Registers of machines, as words of what ptrace(2) returns. */
#ifndef SYMBOLIZER_MACHINE_REGS_H
#define SYMBOLIZER_MACHINE_REGS_H

#include <stddef.h>
#include <stdint.h>

/* The words that calling conventions need; wire/file_probe.h. */
enum {
	REG_X86_RCX = 11,
	REG_X86_RAX = 10,
	REG_X86_RDX = 12,
	REG_X86_RSI = 13,
	REG_X86_RDI = 14,
	REG_X86_R8 = 9,
	REG_X86_R9 = 8,
	REG_X86_RIP = 16,
	REG_X86_RSP = 19,
	REG_ARM64_X8 = 8,
	REG_ARM64_SP = 31,
	REG_ARM64_PC = 32,
};

/* A register, or a part of one, as assemblers name it. */
struct machine_reg {
	uint8_t mr_word;
	uint8_t mr_size;  /* bytes */
	uint8_t mr_shift; /* bits */
};

/* Finds a name of len bytes, without '%'.  Returns 0 if there is none. */
int machine_reg_find(unsigned int machine, const char *name, size_t len,
    struct machine_reg *);
/* Returns the word of the program counter. */
uint8_t machine_reg_pc(unsigned int machine);

#endif /* SYMBOLIZER_MACHINE_REGS_H */
