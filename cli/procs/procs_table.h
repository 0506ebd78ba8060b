/* SPDX-License-Identifier: ISC */
/*
 * The processes of procs.h, for the files that work on them: procs.c has the
 * table, procs_call.c what calls do to it, procs_query.c asks /proc.
 */
#ifndef CLI_PROCS_PROCS_TABLE_H
#define CLI_PROCS_PROCS_TABLE_H

#include <stddef.h>

#include "cli/procs/fd_table.h"
#include "cli/procs/procs.h"

enum proc_born {
	PROC_SEEN,   /* nobody told how it began */
	PROC_PARENT, /* its parent's return did, its own may follow */
	PROC_CHILD,  /* its own return did, its parent's may follow */
};

struct proc {
	struct proc *pc_hash;		  /* next in its bucket */
	struct proc *pc_newer, *pc_older; /* by last use */
	uint32_t pc_pid;
	uint8_t pc_born;
	uint8_t pc_rooted;	   /* its root was asked for */
	uint8_t pc_isknown;	   /* what is not in pc_files is not open */
	uint64_t pc_gone;	   /* when /proc did not know it, or 0 */
	char *pc_root;		   /* if it is not "/" */
	struct fd_table *pc_files; /* descriptors */
	struct fd_table *pc_dirs;  /* PROCS_CWD */
};

#define PROCS_NBUCKETS 1024
#define PROCS_MAX      4096	  /* processes */
#define PROCS_NBYTES   (32 << 20) /* of all tables and paths */
#define PROCS_OLD      10000000 /* ns: what is not followed was true so long */
#define PROCS_OLDCALL  1000000000 /* by a call, and closing is followed */
#define PROCS_SECOND   1000000000
#define PROCS_ASKS     5000 /* questions to /proc in a second */

struct procs {
	struct proc *pcs_buckets[PROCS_NBUCKETS];
	struct proc pcs_used; /* head of the list by last use */
	unsigned int pcs_n;
	size_t pcs_nbytes;
	struct proc *pcs_last; /* found last */
	int pcs_islive;
	unsigned int pcs_trust; /* PROCS_TRUST* */
	uint64_t pcs_time;	/* of the event */
	uint32_t pcs_seq;	/* events so far */
	uint64_t pcs_second;
	unsigned int pcs_nasks; /* since then */
	void (*pcs_watch)(void *, uint32_t, int, const char *);
	void *pcs_watcharg;
	void (*pcs_later)(struct procs *, void *);
	void *pcs_laterarg;
};

/* The process, or NULL; a new one; no more of it. */
struct proc *procs_find(struct procs *pr, uint32_t pid);
struct proc *procs_make(struct procs *pr, uint32_t pid);
void procs_free_one(struct procs *pr, struct proc *pc);
/* The process, which is made if it is new. */
struct proc *procs_get(struct procs *, uint32_t pid);
struct fd_table *procs_table(const struct proc *, int fd);
/* What /proc says now, if it begins so; remembered, also that it says nothing.
 * begins NULL: whatever it says. */
void procs_ask(struct procs *, struct proc *, int fd, const char *begins);
/* Returns whether execve(2) closes a descriptor; if unsure, it keeps 0 to 2. */
int procs_ends(enum procs_onexec, int fd);

#endif /* CLI_PROCS_PROCS_TABLE_H */
