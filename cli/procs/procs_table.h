/* SPDX-License-Identifier: ISC */
/*
 * The table of processes, for the files that implement procs.h: procs.c, and
 * procs_query.c with the lookups in /proc.
 */
#ifndef CLI_PROCS_PROCS_TABLE_H
#define CLI_PROCS_PROCS_TABLE_H

#include <stddef.h>

#include "cli/procs/fd_table.h"
#include "cli/procs/procs.h"

enum proc_born {
	PROC_SEEN,   /* start was not seen */
	PROC_PARENT, /* the parent's return was seen */
	PROC_CHILD,  /* the child's return was seen */
};

struct proc {
	struct proc *pc_hash;		  /* next in its bucket */
	struct proc *pc_newer, *pc_older; /* by last use */
	uint32_t pc_pid;
	uint8_t pc_born;
	uint8_t pc_rooted;	   /* pc_root was looked up */
	uint8_t pc_isknown;	   /* descriptors that are missing in
				    * pc_files are not open */
	uint64_t pc_exited;	   /* time at which /proc did not have it, or
				    * 0 */
	char *pc_root;		   /* NULL: "/" */
	struct fd_table *pc_files; /* descriptors */
	struct fd_table *pc_dirs;  /* PROCS_CWD */
};

#define PROCS_NBUCKETS 1024
#define PROCS_MAX      4096	  /* processes */
#define PROCS_NBYTES   (32 << 20) /* bytes of all tables and paths */
#define PROCS_OLD      10000000 /* ns: validity of facts that are not traced */
#define PROCS_OLDCALL  1000000000 /* of facts from calls if closing is traced */
#define PROCS_SECOND   1000000000
#define PROCS_QUERIES  5000 /* lookups in /proc per second */

struct procs {
	struct proc *pcs_buckets[PROCS_NBUCKETS];
	struct proc pcs_used; /* head of the list by last use */
	unsigned int pcs_n;
	size_t pcs_nbytes;
	struct proc *pcs_last; /* process found last */
	int pcs_islive;
	unsigned int pcs_trust; /* PROCS_TRUST* */
	uint64_t pcs_time;	/* time of the event */
	uint32_t pcs_seq;	/* events so far */
	uint64_t pcs_second;
	unsigned int pcs_nqueries; /* lookups since then */
	void (*pcs_watch)(void *, uint32_t, int, const char *);
	void *pcs_watcharg;
	uint64_t pcs_nguesses;
};

/* Returns the process, and adds it if it is new. */
struct proc *procs_get(struct procs *, uint32_t pid);
struct fd_table *procs_table(const struct proc *, int fd);
/*
 * Looks up the path in /proc now, and accepts it if it begins with begins
 * (NULL: any path); remembers a missing one, too.
 */
void procs_query(struct procs *, struct proc *, int fd, const char *begins);
/* Returns whether execve(2) closes a descriptor; if unsure, it keeps 0 to 2. */
int procs_ends(enum procs_onexec, int fd);

#endif /* CLI_PROCS_PROCS_TABLE_H */
