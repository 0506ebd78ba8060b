/* SPDX-License-Identifier: ISC */
/* Shared by the files of symprocs. */
#ifndef SYMPROCS_H
#define SYMPROCS_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "daemon/procs/proc_watch.h"

struct symcase {
	const char *sc_name;
	void (*sc_fn)(void);
};

/* All cases, in files of this folder. */
#define SYMCASES \
	SYMCASE(alive) \
	SYMCASE(brief) \
	SYMCASE(forked) \
	SYMCASE(vforked) \
	SYMCASE(threads) \
	SYMCASE(reused) \
	SYMCASE(execed) \
	SYMCASE(deleted) \
	SYMCASE(replaced) \
	SYMCASE(spoilt) \
	SYMCASE(container) \
	SYMCASE(memfd) \
	SYMCASE(many) \
	SYMCASE(storm) \
	SYMCASE(lossy) \
	SYMCASE(hostile) \
	SYMCASE(jit) \
	SYMCASE(pidns) \
	SYMCASE(cost) \
	SYMCASE(start)

#define SYMCASE(name) void case_##name(void);
SYMCASES
#undef SYMCASE

/* Runs a child as "symprocs child WHAT". */
int child_main(const char *what);

/* Starts following processes; exits on failure. */
void sym_hold(void);
/* Waits until /proc has been read n times. */
void wait_snapshot(struct proc_watch_stat *, uint64_t n);
struct proc_view *sym_view(pid_t, uint64_t nsecs);
/* Returns the mapping at addr; exits if there is none. */
const struct proc_mapping *
sym_at(const struct proc_view *, uint64_t addr, const char *what);
/* Checks that it maps this file, and that it is open; path NULL: any name. */
void sym_is(const struct proc_mapping *, const struct stat *, const char *path,
    const char *what);
/* Checks that a process had code of this file mapped at a time. */
void sym_has(pid_t, uint64_t nsecs, const struct stat *, const char *path,
    const char *what);
/* Checks that no mapping has addr. */
void sym_hasnot(pid_t, uint64_t nsecs, uint64_t addr, const char *what);

/* Return this program's path, and the status of a path. */
const char *own_path(void);
void path_stat(const char *path, struct stat *);
/* Copies this program to path, below the current folder. */
void own_copy(const char *path);
/* Runs a program with arguments "child" what until it exits with status 0. */
pid_t child_run(const char *path, const char *what);
/* Likewise, but it waits in a read; *sock is the other end. */
pid_t child_start(const char *path, const char *what, int *sock);
void child_end(pid_t, int sock);
/* Maps a page of a file with PROT_EXEC at addr (0: anywhere). */
void *map_page(const char *path, void *addr);

#endif /* SYMPROCS_H */
