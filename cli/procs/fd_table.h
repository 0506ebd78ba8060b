/* SPDX-License-Identifier: ISC */
/*
 * Tables of descriptors, which processes share or copy, and the paths of
 * descriptors, which tables share.  procs.c has the processes.
 */
#ifndef CLI_PROCS_FD_TABLE_H
#define CLI_PROCS_FD_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/procs/procs.h"

struct fd_path {
	uint32_t fp_refs;
	uint32_t fp_size; /* bytes of this struct and its path */
	char fp_text[];
};

struct fd_entry {
	int fe_fd; /* FD_TABLE_FREE: unused */
	uint8_t fe_onexec;
	uint8_t fe_iscall;	 /* learned from a call, not from /proc */
	uint32_t fe_seq;	 /* events seen when it was learned */
	uint64_t fe_time;	 /* time of the last event, or of the lookup */
	struct fd_path *fe_path; /* NULL: was looked up, is unknown */
};

#define FD_TABLE_FREE INT32_MIN

struct fd_table {
	uint32_t ft_refs; /* processes that use it */
	uint32_t ft_n;
	uint32_t ft_size; /* a power of 2 */
	struct fd_entry *ft_list;
	size_t *ft_nbytes; /* memory of all tables */
};

/* Exits if memory runs out.  A new table has one reference. */
struct fd_table *fd_table_alloc(size_t *nbytes);
struct fd_table *fd_table_copy(const struct fd_table *);
void fd_table_release(struct fd_table *); /* drops one reference; NULL is
					   * allowed */

struct fd_entry *fd_table_find(const struct fd_table *, int fd); /* or NULL */
struct fd_entry *fd_table_get(struct fd_table *, int fd); /* or adds it */
void fd_table_del(struct fd_table *, int fd);
/*
 * Deletes the descriptors from first to last for which the function returns
 * true.
 */
void fd_table_sweep(struct fd_table *, unsigned int first, unsigned int last,
    int (*)(const struct fd_entry *));
/* Sets another path; copies it. */
void fd_table_name(struct fd_table *, struct fd_entry *, const char *path);
/* Sets the path of another entry, shared. */
void fd_table_share(struct fd_table *, struct fd_entry *, struct fd_path *);

#endif /* CLI_PROCS_FD_TABLE_H */
