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

#define FUNC_MAX (1U << 22) /* functions, that pbns have room for */

/* A line of one of the lists. */
struct func_name {
	uint64_t kn_addr;
	uint32_t kn_name, kn_module; /* offsets */
	uint32_t kn_order;	     /* in its list */
};

/* A list: of all functions, or of those of one name. */
struct func_list {
	const char *li_only; /* NULL: of all */
	int li_isfirst;	     /* the kernel's own first one will do */
	uint64_t li_last;    /* up to this address, 0: all of the file */
	struct func_name *li_lines;
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
int func_read_get(struct func_list *);
void func_read_free(struct func_list *);
/* A sum of the modules that are there: name and address. */
uint64_t func_read_modules(void);

/* For func_read.c and func_addr.c: lists of which some lines are wanted. */
int func_read_ftrace(struct func_list *, const char *path, int addrs);
int func_read_kallsyms(struct func_list *);
void func_read_sort(struct func_list *);
/* Names and modules of two lines compared. */
int func_read_cmp(const struct func_list *, const struct func_name *,
    const struct func_list *, const struct func_name *);

/* Arrays that grow: room for want elements of this size. */
int func_read_grow(void *pp, size_t want, size_t *max, size_t size);
/* Adds a name to a pool; *at: its offset. */
int func_read_put(char **pool, size_t *n, size_t *max, const char *name,
    uint32_t *at);

#define FUNC_READ_KALLSYMS "/proc/kallsyms"

#endif /* DAEMON_KERNEL_FUNC_READ_H */
