/* SPDX-License-Identifier: ISC */
/* Registers by the names of bpftrace, for reg(). */
#ifndef CLI_SCRIPT_SCRIPT_REGISTER_H
#define CLI_SCRIPT_SCRIPT_REGISTER_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number of a register of this machine (DT_READ_REG), or -1. */
int script_register(const char *name);
/* Returns a register with a similar name, or NULL. */
const char *script_register_near(const char *name);
/* Writes the names of registers, which are bits of mask, separated by spaces. */
void script_register_names(uint64_t mask, char *buf, size_t size);

#endif /* CLI_SCRIPT_SCRIPT_REGISTER_H */
