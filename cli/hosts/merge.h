/* SPDX-License-Identifier: ISC */
/*
 * Merges what several machines print, with the machine as the first key: tables
 * of one interval become one, profiles one with the machines below the root,
 * JSON gets the member "host", and other lines the machine before them.
 */
#ifndef CLI_HOSTS_MERGE_H
#define CLI_HOSTS_MERGE_H

#include <stddef.h>

#include "cli/base/file_sink.h"
#include "cli/hosts/host.h"
#include "cli/out/out.h"

struct merge_profile;
struct merge_stacks;
struct merge_table;

/* The unprinted part of a machine's answer. */
struct merge_host {
	struct merge_table *mho_tables;	  /* the oldest first */
	struct merge_table *mho_building; /* an incomplete table */
	size_t mho_ntables;
	struct merge_profile *mho_profile; /* being received; NULL: none */
	int mho_hasanswer;   /* a profile, which is printed at the end */
	struct buf mho_held; /* messages that follow the answer */
};

struct merge {
	const struct opts *mrg_opts;
	struct host *mrg_hosts;
	unsigned int mrg_n;
	unsigned int mrg_width; /* of the longest name */
	struct merge_host *mrg_each;
	struct out mrg_out; /* for results */
	struct file_sink mrg_sink;
	struct buf mrg_stdout, mrg_stderr;
	struct buf *mrg_last;		 /* the buffer that was written last */
	struct merge_stacks *mrg_stacks; /* NULL: no profile has arrived */
};

void
merge_begin(struct merge *, const struct opts *, struct host *, unsigned int n);
/* A host_line_fn; the argument is a struct merge. */
void merge_line(void *, struct host *, enum host_line, char *line, size_t len);
/* Returns whether a machine is so far ahead of others that it should wait. */
int merge_ispaused(const struct merge *, const struct host *);
/*
 * Prints what is complete, and flushes.  Returns 0, or -1: the output has
 * failed, or has no reader.
 */
int merge_print(struct merge *);
/* Prints the rest and frees everything.  Returns 0, or the errno of a failure. */
int merge_end(struct merge *);

/*
 * merge_stacks.c: a line of a profile.  Returns 0, or -1: it is malformed.
 * merge_stacks_print() prints all profiles as one, if there are any, and frees
 * them.
 */
int merge_stacks_line(struct merge *, struct host *, char *line, size_t len);
void merge_stacks_print(struct merge *);

/*
 * merge_table.c: a line of a table.  Returns 0, or -1: it is malformed.
 * merge_tables_due() returns whether each machine has sent one, or cannot any
 * more; merge_tables_print() prints the oldest of each, or returns 0: there is
 * none.
 */
int merge_table_line(struct merge *, struct host *, char *line, size_t len);
int merge_tables_due(const struct merge *);
int merge_tables_print(struct merge *);
void merge_tables_free(struct merge *);

#endif /* CLI_HOSTS_MERGE_H */
