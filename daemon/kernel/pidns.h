/* SPDX-License-Identifier: ISC */
/* Translates thread ids between pid namespaces, for any device. */
#ifndef DAEMON_KERNEL_PIDNS_H
#define DAEMON_KERNEL_PIDNS_H

#include <stdint.h>
#include <sys/types.h>

struct dt_nsquery;
struct peer;
struct reason;

struct pidns_of {
	uint32_t no_kpid;  /* pid in the initial namespace */
	uint32_t no_level; /* depth of the namespace */
	uint32_t no_inum;  /* inode of the namespace; 0: initial */
	uint64_t no_ns;	   /* kernel address for lookups; 0: dtd's own */
};

/* A thread, with ids of dtd's pid namespace; 0: none there. */
struct pidns_thread {
	uint32_t nt_tid;
	uint32_t nt_pid;      /* process */
	uint32_t nt_parent;   /* parent process */
	uint32_t nt_nthreads; /* threads of the process */
	int nt_exits;	      /* the thread has begun to exit */
	uint64_t nt_start;    /* start time: differs on reuse of the id */
};

/*
 * Describes a peer's namespace.  Blocks in the kernel.  Returns errno, with a
 * text.
 */
int pidns_of(const struct peer *, struct pidns_of *, struct reason *);
/*
 * Looks up a thread by its id in a namespace (NULL: dtd's own).  Takes
 * microseconds, except the first time, when the program is loaded; no process
 * can delay it.  ESRCH; another errno: this kernel refuses the program.
 */
int
pidns_thread(const struct pidns_of *, uint32_t number, struct pidns_thread *);
/*
 * Runs a lookup (bpf/dt_shared.h), with the same errnos.  ESRCH also if the id
 * names a thread other than a process's first one.
 */
int pidns_process(struct dt_nsquery *);
/* Returns inode (0: the initial one) and depth of dtd's namespace. */
int pidns_own(uint32_t *inum, uint32_t *level);
/* Translates a pid of dtd's namespace to the initial one. */
int pidns_initial(pid_t pid, uint32_t *kpid);

#endif /* DAEMON_KERNEL_PIDNS_H */
