/* SPDX-License-Identifier: ISC */
/* Threads and their numbers in pid namespaces, for any device. */
#ifndef DAEMON_KERNEL_PIDNS_H
#define DAEMON_KERNEL_PIDNS_H

#include <stdint.h>
#include <sys/types.h>

struct dt_nsquery;
struct peer;

struct pidns_of {
	uint32_t no_kpid;  /* its number in the initial one */
	uint32_t no_level; /* of its own, how deep that is */
	uint32_t no_inum;  /* and its inode; 0: it is the initial one */
	uint64_t no_ns;	   /* kernel address, for lookups; 0: dtd's own */
};

/* A thread.  Numbers count in dtd's pid namespace; 0: none there. */
struct pidns_thread {
	uint32_t nt_tid;
	uint32_t nt_pid;      /* process */
	uint32_t nt_parent;   /* parent process */
	uint32_t nt_nthreads; /* of the process */
	int nt_exits;	      /* the thread has begun to exit */
	uint64_t nt_start;    /* when the thread started: differs on reuse */
};

/* Waits for the kernel.  Errno, with a text. */
int pidns_of(const struct peer *, struct pidns_of *, char *text);
/*
 * Looks up a thread by its number in a namespace (NULL: dtd's own).  Takes
 * microseconds, except the first time, when the program is loaded; no process
 * can delay it.  ESRCH; another errno: this kernel refuses the program.
 */
int
pidns_thread(const struct pidns_of *, uint32_t number, struct pidns_thread *);
/* Runs a lookup (bpf/dt_shared.h), with the same errnos.  ESRCH also if the
 * number is that of a thread other than a process's first one. */
int pidns_process(struct dt_nsquery *);
/* The number in the initial namespace of a process that is pid in dtd's. */
int pidns_initial(pid_t pid, uint32_t *kpid);

#endif /* DAEMON_KERNEL_PIDNS_H */
