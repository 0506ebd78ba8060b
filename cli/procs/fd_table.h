/* SPDX-License-Identifier: ISC */
/*
 * A table of descriptors, which processes share or copy, and the paths that
 * they stand for, which tables share.  procs.c has the processes.
 */
#ifndef CLI_PROCS_FD_TABLE_H
#define CLI_PROCS_FD_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/procs/procs.h"

struct fd_path {
	uint32_t fp_refs;
	uint32_t fp_size; /* of this, in memory */
	char fp_text[];
};

struct fd_entry {
	int fe_fd; /* FD_TABLE_FREE: none */
	uint8_t fe_onexec;
	uint8_t fe_iscall;	 /* a call told, not /proc */
	uint32_t fe_seq;	 /* event before which it was told */
	uint64_t fe_time;	 /* of that event, or of the question */
	struct fd_path *fe_path; /* NULL: was asked for, is not known */
};

#define FD_TABLE_FREE INT32_MIN

struct fd_table {
	uint32_t ft_refs; /* processes */
	uint32_t ft_n;
	uint32_t ft_size; /* a power of 2 */
	struct fd_entry *ft_list;
	size_t *ft_nbytes; /* memory of all tables together */
};

/* Memory that lacks ends the process.  A new table has one reference. */
struct fd_table *fd_table_alloc(size_t *nbytes);
struct fd_table *fd_table_copy(const struct fd_table *);
void fd_table_release(struct fd_table *); /* one reference; NULL is fine */

struct fd_entry *fd_table_find(const struct fd_table *, int fd); /* or NULL */
struct fd_entry *fd_table_get(struct fd_table *, int fd); /* or makes one */
void fd_table_del(struct fd_table *, int fd);
/* Deletes those from first to last for which the function says so. */
void fd_table_sweep(struct fd_table *, unsigned int first, unsigned int last,
    int (*)(const struct fd_entry *));
/* Another path, or NULL; copies. */
void fd_table_name(struct fd_table *, struct fd_entry *, const char *path);
/* The path of another one, shared. */
void fd_table_share(struct fd_table *, struct fd_entry *, struct fd_path *);

#endif /* CLI_PROCS_FD_TABLE_H */
