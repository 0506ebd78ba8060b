/* SPDX-License-Identifier: ISC */
/*
 * Names of the kernel's functions, modules and BPF programs, by address, from
 * /proc/kallsyms.  Any thread.
 */
#ifndef DAEMON_SYM_KALLSYMS_H
#define DAEMON_SYM_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct ksym {
	char ks_name[128];
	char ks_module[64]; /* "" for the kernel itself */
	uint64_t ks_offset; /* of the address in the function */
};

/*
 * Looks npcs addresses up; out[i].ks_name is "" where there is no name.
 * Waits for the kernel when the table has to be read (tens of ms), so it is
 * for workers.  Returns errno: EPERM when the kernel hides its addresses.
 */
int kallsyms_lookup(const uint64_t *pcs, size_t npcs, struct ksym *out);

/* Where a function of the kernel begins, and the one behind it. */
struct kfunc {
	const char *kf_name;
	uint64_t kf_begin; /* 0: there is none of this name */
	uint64_t kf_end;
};

/* Finds n functions by name, in one pass that keeps nothing.  Worker. */
int kallsyms_find(struct kfunc *, size_t n);
/* Forgets the table if nobody has asked for some seconds. */
void kallsyms_trim(void);

#endif /* DAEMON_SYM_KALLSYMS_H */
