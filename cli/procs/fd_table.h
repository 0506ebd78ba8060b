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

struct descs_path {
	uint32_t dh_refs;
	uint32_t dh_size; /* of this, in memory */
	char dh_text[];
};

struct desc {
	int de_fd; /* DESCS_FREE: none */
	uint8_t de_onexec;
	uint8_t de_iscall;	    /* a call told, not /proc */
	uint32_t de_seq;	    /* event before which it was told */
	uint64_t de_time;	    /* of that event, or of the question */
	struct descs_path *de_path; /* NULL: was asked for, is not known */
};

#define DESCS_FREE INT32_MIN

struct descs {
	uint32_t ds_refs; /* processes */
	uint32_t ds_n;
	uint32_t ds_size; /* a power of 2 */
	struct desc *ds_list;
	size_t *ds_nbytes; /* memory of all tables together */
};

/* Memory that lacks ends the process.  A new table has one reference. */
struct descs *descs_alloc(size_t *nbytes);
struct descs *descs_copy(const struct descs *);
void descs_release(struct descs *); /* one reference; NULL is fine */

struct desc *descs_find(const struct descs *, int fd); /* or NULL */
struct desc *descs_get(struct descs *, int fd);	       /* or makes one */
void descs_del(struct descs *, int fd);
/* Deletes those from first to last for which the function says so. */
void descs_sweep(struct descs *, unsigned int first, unsigned int last,
    int (*)(const struct desc *));
/* Another path, or NULL; copies. */
void descs_name(struct descs *, struct desc *, const char *path);
/* The path of another one, shared. */
void descs_share(struct descs *, struct desc *, struct descs_path *);

#endif /* CLI_PROCS_FD_TABLE_H */
