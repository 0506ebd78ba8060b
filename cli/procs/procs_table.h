/* SPDX-License-Identifier: ISC */
/*
 * The table of processes, for the files that implement procs.h: procs.c,
 * procs_effects.c with the effects of calls, and procs_query.c with the lookups
 * in /proc.
 */
#ifndef CLI_PROCS_PROCS_TABLE_H
#define CLI_PROCS_PROCS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/procs/procs.h"

/* The path of descriptors, which tables share. */
struct fd_path {
	uint32_t fp_refs;
	uint32_t fp_size; /* bytes of this struct and its path */
	char fp_text[];
};

struct fd_entry {
	int fe_fd; /* FD_TABLE_FREE: unused, and the rest is 0 */
	uint8_t fe_onexec;
	uint8_t fe_iscall;	 /* learned from a call, not from /proc */
	uint32_t fe_seq;	 /* events seen when it was learned */
	uint64_t fe_time;	 /* time of the last event, or of the lookup */
	struct fd_path *fe_path; /* NULL: was looked up, is unknown */
};

#define FD_TABLE_FREE INT32_MIN

/* Descriptors, in a hash table that processes share or copy. */
struct fd_table {
	uint32_t ft_refs; /* processes that use it */
	uint32_t ft_n;
	uint32_t ft_size; /* a power of 2 */
	struct fd_entry *ft_list;
	size_t *ft_nbytes; /* memory of all tables */
};

enum proc_born {
	PROC_SEEN,   /* start was not seen */
	PROC_PARENT, /* the parent's return was seen */
	PROC_CHILD,  /* the child's return was seen */
};

/* Index of pc_fds: fd < 0.  clone(2) can share each of the two. */
enum proc_fds {
	PROC_FILES,
	PROC_DIRS, /* PROCS_CWD */
	PROC_NFDS
};

struct proc {
	struct proc *pc_hash;		  /* next in its bucket */
	struct proc *pc_newer, *pc_older; /* by last use */
	uint32_t pc_pid;
	uint8_t pc_born;
	uint8_t pc_rooted;  /* pc_root was looked up */
	uint8_t pc_isknown; /* descriptors that are missing in PROC_FILES are
			     * not open */
	uint64_t pc_exited; /* time at which /proc did not have it, or 0 */
	char *pc_root;	    /* NULL: "/" */
	struct fd_table *pc_fds[PROC_NFDS];
};

#define PROCS_NBUCKETS 1024
#define PROCS_SECOND   1000000000

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

/* Returns the process, or NULL. */
struct proc *procs_find(struct procs *, uint32_t pid);
/* Returns the process, and adds it if it is new. */
struct proc *procs_get(struct procs *, uint32_t pid);
/* Adds a process, which has no tables of descriptors yet. */
struct proc *procs_make(struct procs *, uint32_t pid);
void procs_del(struct procs *, struct proc *);
/*
 * Sets the path of a descriptor, at the time of the event.  NULL: it is unknown
 * now, and a path that was known stays.
 */
struct fd_entry *
procs_note(struct procs *, struct fd_table *, int fd, const char *path);
/*
 * Looks up the path in /proc now, and accepts it if it begins with begins
 * (NULL: any path); remembers a missing one, too.
 */
void procs_query(struct procs *, struct proc *, int fd, const char *begins);
/* Returns whether execve(2) closes a descriptor; if unsure, it keeps 0 to 2. */
int procs_ends(enum procs_onexec, int fd);

/*
 * Tables of descriptors.  These exit if memory runs out; a new table has one
 * reference.
 */
struct fd_table *fd_table_copy(const struct fd_table *);
/* Drops one reference; NULL is allowed. */
void fd_table_release(struct fd_table *);
/*
 * Returns the entry of a descriptor, or the unused one at which the search
 * ended.
 */
struct fd_entry *fd_table_find(const struct fd_table *, int fd);
/* Empties an entry, into which another one may move. */
void fd_table_del(struct fd_table *, struct fd_entry *);

#endif /* CLI_PROCS_PROCS_TABLE_H */
