/* SPDX-License-Identifier: ISC */
/*
 * Reads the kernel's lists of functions: traceable functions from ftrace, code
 * from kallsyms.  Does not depend on the table made of them
 * (daemon/kernel/func.c).
 */
#ifndef DAEMON_KERNEL_FUNC_READ_H
#define DAEMON_KERNEL_FUNC_READ_H

#include <stddef.h>
#include <stdint.h>

#define FUNC_MAX (1U << 22) /* functions; pbns have no more bits */

/* An entry of a list. */
struct func_name {
	uint64_t kn_addr;
	uint32_t kn_name, kn_module; /* offsets */
	uint32_t kn_order;	     /* position in its list */
};

/* A list of all functions, or of the functions with one name. */
struct func_list {
	const char *li_only; /* the one name, NULL: all functions */
	int li_isfirst;	     /* stop at the kernel's own first match */
	uint64_t li_last;    /* last address wanted, 0: the whole file */
	struct func_name *li_lines;
	size_t li_n, li_max;
	char *li_names;
	size_t li_nnames, li_maxnames;
	uint32_t li_nlong; /* names too long to be probed */
};

/*
 * Reads the traceable functions with addresses, sorted by name, module and
 * address.  Returns an errno; EPERM: addresses are hidden, ENOENT: none found.
 * One thread at a time.
 */
int func_read_get(struct func_list *);
void func_read_free(struct func_list *);
/* Returns a checksum of the loaded modules' names and addresses. */
uint64_t func_read_modules(void);

/* For func_read.c and func_addr.c: read lists partially. */
int func_read_ftrace(struct func_list *, const char *path, int addrs);
int func_read_kallsyms(struct func_list *);
void func_read_sort(struct func_list *);
/* Compares names and modules of two entries. */
int func_read_cmp(const struct func_list *, const struct func_name *,
    const struct func_list *, const struct func_name *);

/* Grows an array to a capacity of want elements of this size. */
int func_read_grow(void *pp, size_t want, size_t *max, size_t size);
/* Adds a name to a pool; *at: its offset. */
int func_read_put(char **pool, size_t *n, size_t *max, const char *name,
    uint32_t *at);

#define FUNC_READ_KALLSYMS "/proc/kallsyms"

#endif /* DAEMON_KERNEL_FUNC_READ_H */
