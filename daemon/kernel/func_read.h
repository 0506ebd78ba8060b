/* SPDX-License-Identifier: ISC */
/*
 * The kernel's lists of its functions, as they are read: what ftrace can trace
 * and what kallsyms calls code.  Nothing here knows the table that is made of
 * them (daemon/kernel/func.c).
 */
#ifndef DAEMON_KERNEL_FUNC_READ_H
#define DAEMON_KERNEL_FUNC_READ_H

#include <stddef.h>
#include <stdint.h>

#define KFUNC_MAX (1U << 22) /* functions, that pbns have room for */

/* A line of one of the lists. */
struct kname {
	uint64_t kn_addr;
	uint32_t kn_name, kn_module; /* offsets */
	uint32_t kn_order;	     /* in its list */
};

/* A list: of all functions, or of those of one name. */
struct klist {
	const char *li_only; /* NULL: of all */
	int li_isfirst;	     /* the kernel's own first one will do */
	uint64_t li_last;    /* up to this address, 0: all of the file */
	struct kname *li_lines;
	size_t li_n, li_max;
	char *li_names;
	size_t li_nnames, li_maxnames;
	uint32_t li_nlong; /* names that are too long to be probed */
};

/*
 * Those that can be traced, with addresses, sorted by name, module and address.
 * An errno; EPERM: addresses are hidden, ENOENT: there are none.  One thread
 * at a time.
 */
int klist_get(struct klist *);
void klist_free(struct klist *);
/* A sum of the modules that are there: name and address. */
uint64_t klist_modules(void);

/* For func_read.c and func_addr.c: lists of which some lines are wanted. */
int klist_read_ftrace(struct klist *, const char *path, int addrs);
int klist_read_kallsyms(struct klist *);
void klist_sort(struct klist *);
/* Names and modules of two lines compared. */
int klist_cmp(const struct klist *, const struct kname *, const struct klist *,
    const struct kname *);

/* Arrays that grow: room for want elements of this size. */
int klist_grow(void *pp, size_t want, size_t *max, size_t size);
/* Adds a name to a pool; *at: its offset. */
int
klist_put(char **pool, size_t *n, size_t *max, const char *name, uint32_t *at);

#define KLIST_KALLSYMS "/proc/kallsyms"

#endif /* DAEMON_KERNEL_FUNC_READ_H */
