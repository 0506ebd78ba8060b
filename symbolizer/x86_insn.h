/* SPDX-License-Identifier: ISC */
/* Finds the lengths of instructions of x86-64, and which can be probed. */
#ifndef SYMBOLIZER_X86_INSN_H
#define SYMBOLIZER_X86_INSN_H

#include <stddef.h>
#include <stdint.h>

#define X86_INSN_MAX 15 /* bytes */

/*
 * Returns the length of the instruction at the start of n bytes; 0 if it is not
 * one, or is cut off.
 */
size_t x86_insn_length(const uint8_t *, size_t n);
/* Returns whether an instruction of this length returns from a function. */
int x86_insn_isret(const uint8_t *, size_t len);
/*
 * Returns whether uprobes of Linux accept the instruction at the start of n
 * bytes, and execute it.
 */
int x86_insn_isprobed(const uint8_t *, size_t n);

#endif /* SYMBOLIZER_X86_INSN_H */
