/* SPDX-License-Identifier: ISC */
/*
 * Shared by the benchmark programs: time, medians, a private dtd, loads, and
 * the output that bench/run reads.
 *
 * Any failure ends the program with err(3): a benchmark that cannot measure
 * prints no row.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include <libdt.h>

/*
 * Parses the options; -q: a smoke run.  Sets the directory of the programs
 * under test from $B, and makes dt_open() start the dtd in it.
 */
void bench_init(int argc, char **argv);
extern int bench_quick;
extern const char *bench_dir; /* directory of dt and dtd */
int bench_rounds(int whole, int quick);
int bench_ncpu(void); /* CPUs online; CPU n-1 is for the loads */

int64_t bench_now(void);	  /* CLOCK_MONOTONIC, ns */
int64_t bench_cputime(pid_t pid); /* of a process, ns; 0: this one */
void bench_sleep(int64_t nsecs);
/* Returns a quantile of v, q from 0 to 1.  v is not changed. */
double bench_quantile(const double *v, int n, double q);
double bench_median(const double *v, int n);

/* Prints a row for bench/run: a value per round; the result is their median. */
void bench_row(const char *name, const double *rounds, int n);
/* The same with a peer's values; the result is the median of the ratios. */
void bench_row_peer(const char *name, const double *ours, const double *theirs,
    int n);
/* The same without a ratio: the result is the median of ours. */
void bench_row_beside(const char *name, const double *ours,
    const double *theirs, int n);
/* Prints a note below the table. */
void bench_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* fork(2).  The child receives sig when its parent exits for any reason. */
pid_t bench_fork(int sig);
/* Starts a program; its output is visible only with $BENCH_VERBOSE. */
pid_t bench_spawn(char *const argv[]);
/* The same, but stderr is inherited. */
pid_t bench_spawn_quiet(char *const argv[]);
/* The same, with stdout in a pipe. */
pid_t bench_spawn_pipe(char *const argv[], int *fd);
/* Ends a process by a signal, or (0) waits until it exits with status 0. */
void bench_wait(pid_t pid, int sig);
/* Adds the CPU time of a process and its descendants, and their memory unless
 * that is NULL. */
void bench_tree(pid_t pid, double *nsecs, double *kbytes);
long bench_rss(pid_t pid);  /* resident memory, kB */
long bench_anon(pid_t pid); /* the same, without files: its own, kB */
long bench_peak(pid_t pid); /* peak of the resident memory, kB */
/*
 * Returns a path for a file in memory, so that no disk is involved.  The file
 * is removed at exit.  At most BENCH_NFILE calls.
 */
#define BENCH_NFILE 4
char *bench_file(void);
/*
 * Raises the limit of descriptors for this process and its children.  Returns
 * the limit.
 */
long bench_nofile(void);

/* A service in a temporary directory, with its programs loaded. */
struct bench_dtd {
	pid_t bd_pid;
	char bd_dir[72];
	char bd_path[96]; /* socket of the dt device */
};
void bench_dtd_start(struct bench_dtd *);
/* The same from another executable, with additional settings. */
void bench_dtd_start_as(struct bench_dtd *, char *path, const char *settings);
void bench_dtd_stop(struct bench_dtd *);
/* Binds it to dt's default path in a private mount namespace, or unbinds it. */
void bench_dtd_serve(const struct bench_dtd *, int on);

/* Opens a session; budget 0: the daemon's default. */
struct dt *bench_open(const struct bench_dtd *, uint64_t budget);
void
bench_enable(struct dt *, const char *probe, uint64_t evtflags, uint64_t nsecs);
void bench_filter_pid(struct dt *, pid_t pid);
void bench_record(struct dt *, int on);

/* A system call, made in a loop by a process pinned to a CPU. */
struct bench_call {
	const char *bc_name;
	const char *bc_probe;
	void (*bc_loop)(uint64_t n); /* makes n calls */
};
/* The cheapest call with six arguments, and the cheapest of all. */
extern const struct bench_call bench_call6, bench_call0;
/* Peeks at a message n times: hits of tracepoint:skb:skb_copy_datagram_iovec. */
void bench_peek(uint64_t n);

/* State shared with the load's process. */
struct bench_load {
	pid_t bl_pid;
	atomic_int bl_ready, bl_go, bl_stop, bl_done;
	uint64_t bl_want;   /* number of calls; 0: until bl_stop */
	uint64_t bl_calls;  /* calls made */
	int64_t bl_nsecs;   /* their elapsed time */
	int64_t bl_cputime; /* their CPU time */
};
struct bench_load *
bench_load_start(int cpu, const struct bench_call *, uint64_t ncalls);
void bench_load_go(struct bench_load *);
void bench_load_stop(struct bench_load *); /* if ncalls was 0 */
int bench_load_done(const struct bench_load *);
/*
 * Wait, free, and return the time or the CPU time of a call, ns; the latter if
 * other processes use the CPU, too.
 */
double bench_load_end(struct bench_load *);
double bench_load_end_cputime(struct bench_load *);
void bench_pin(int cpu);

/*
 * Starts a process that calls getppid at intervals of gap to gap + spread ns,
 * until it is killed.
 */
pid_t bench_caller(int64_t gap, int64_t spread);

#endif /* BENCH_BENCH_H */
