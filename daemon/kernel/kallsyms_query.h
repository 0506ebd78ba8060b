/* SPDX-License-Identifier: ISC */
/*
 * Names of a few kernel addresses at this moment, from the kernel: a table of
 * all functions takes tens of ms to read.  Any thread.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_QUERY_H
#define DAEMON_KERNEL_KALLSYMS_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/kernel/kallsyms.h"

/* Blocks for microseconds per address.  Returns errno. */
int kallsyms_query(const uint64_t *pcs, size_t npcs, struct ksym *out);
/*
 * Parses "name+0x1c/0x30 [module]"; for another text, the name is empty.  BPF programs
 * get the module that /proc/kallsyms has for them.
 */
void kallsyms_parse(const char *text, struct ksym *out);

#endif /* DAEMON_KERNEL_KALLSYMS_QUERY_H */
