/* SPDX-License-Identifier: ISC */
/* What the files of symprocs share. */
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

/* All of them, in files below this folder. */
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

/* What "symprocs child WHAT" does. */
int child_main(const char *what);

/* Holds; ends the program if that fails. */
void sym_hold(void);
/* Waits until /proc has been read n times. */
void wait_snapshot(struct proc_watch_stat *, uint64_t n);
struct proc_view *sym_view(pid_t, uint64_t nsecs);
/* The mapping that has addr; the program ends where there is none. */
const struct proc_mapping *
sym_at(const struct proc_view *, uint64_t addr, const char *what);
/* That it is of this file, and open; path NULL: of any name. */
void sym_is(const struct proc_mapping *, const struct stat *, const char *path,
    const char *what);
/* That a process had code of this file mapped at a time. */
void sym_has(pid_t, uint64_t nsecs, const struct stat *, const char *path,
    const char *what);
/* That no mapping has addr. */
void sym_hasnot(pid_t, uint64_t nsecs, uint64_t addr, const char *what);

/* This program's file, and that of a path. */
const char *own_path(void);
void path_stat(const char *path, struct stat *);
/* Another copy of this program, below the current folder. */
void own_copy(const char *path);
/* Runs a program with arguments "child" what; it has ended, status 0. */
pid_t child_run(const char *path, const char *what);
/* The same, but it waits in a read from what is returned in *sock. */
pid_t child_start(const char *path, const char *what, int *sock);
void child_end(pid_t, int sock);
/* A mapping of a page of a file, with PROT_EXEC, at addr (0: anywhere). */
void *map_page(const char *path, void *addr);

#endif /* SYMPROCS_H */
