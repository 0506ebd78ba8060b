/* SPDX-License-Identifier: ISC */
/*
 * What the measuring programs share: time, medians, a daemon of their own,
 * loads, and the line that bench/run reads.
 *
 * A failure ends the program with err(3): a bench that can't measure has
 * nothing to say.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include <libdt.h>

/*
 * -q: a smoke run.  Sets the directory of the programs under test from $B,
 * and makes the daemon that dt_open() starts the one in there.
 */
void bench_init(int argc, char **argv);
extern int bench_quick;
extern const char *bench_dir; /* where dt and dtd are */
int bench_rounds(int whole, int quick);
int bench_ncpu(void); /* online; CPU n-1 is the loads' */

int64_t bench_now(void);	  /* CLOCK_MONOTONIC, ns */
int64_t bench_cputime(pid_t pid); /* of a process, ns; 0: self */
void bench_sleep(int64_t nsecs);
/* Sorts a copy; q is 0 to 1. */
double bench_quantile(const double *v, int n, double q);
double bench_median(const double *v, int n);

/* A row for bench/run: what was measured, in each round.  The median is the
 * figure. */
void bench_row(const char *name, const double *rounds, int n);
/* The same beside a peer's: the figure is the median of the ratios. */
void bench_row_peer(const char *name, const double *ours, const double *theirs,
    int n);
/* A remark below the table. */
void bench_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* fork(2); the child gets this signal when its parent goes, however that
 * ends. */
pid_t bench_fork(int sig);
/* Starts a program; what it prints is seen only with $BENCH_VERBOSE. */
pid_t bench_spawn(char *const argv[]);
/* The same, but stderr stays. */
pid_t bench_spawn_quiet(char *const argv[]);
/* The same, with stdout in a pipe. */
pid_t bench_spawn_pipe(char *const argv[], int *fd);
/* Ends it by a signal, or (0) waits until it has ended with status 0. */
void bench_wait(pid_t pid, int sig);
long bench_rss(pid_t pid);  /* kB */
long bench_peak(pid_t pid); /* kB, the most that it was */
/* A path for a file in memory, so that no disk is waited for.  The file goes
 * with the program; so many at most. */
#define BENCH_NFILE 4
char *bench_file(void);
/* As many descriptors as we may have, for us and our children.  How many. */
long bench_nofile(void);

/* The service, in a directory of its own; it has loaded its programs. */
struct bench_dtd {
	pid_t bd_pid;
	char bd_dir[72];
	char bd_path[96]; /* its socket */
};
void bench_dtd_start(struct bench_dtd *);
/* The same from another program, with further lines of configuration. */
void bench_dtd_start_as(struct bench_dtd *, char *path, const char *settings);
void bench_dtd_stop(struct bench_dtd *);

/* An open of it; budget 0: what the daemon gives. */
struct dt *bench_open(const struct bench_dtd *, uint64_t budget);
void
bench_enable(struct dt *, const char *probe, uint64_t evtflags, uint64_t nsecs);
void bench_filter_pid(struct dt *, pid_t pid);
void bench_record(struct dt *, int on);

/* A system call, made in a loop by a process pinned to a CPU. */
struct bench_call {
	const char *bc_name;
	const char *bc_probe;
	void (*bc_loop)(uint64_t n); /* n calls */
};
/* The cheapest with six arguments, and the cheapest of all. */
extern const struct bench_call bench_call6, bench_call0;

/* Shared with the process of the load. */
struct bench_load {
	pid_t bl_pid;
	atomic_int bl_ready, bl_go, bl_stop, bl_done;
	uint64_t bl_want;   /* calls; 0: until bl_stop */
	uint64_t bl_calls;  /* made */
	int64_t bl_nsecs;   /* that it took */
	int64_t bl_cputime; /* of them, on the CPU */
};
struct bench_load *
bench_load_start(int cpu, const struct bench_call *, uint64_t ncalls);
void bench_load_go(struct bench_load *);
void bench_load_stop(struct bench_load *); /* if ncalls was 0 */
int bench_load_done(const struct bench_load *);
/* Waits, frees, returns ns a call; or those on the CPU, where others may want
 * it, too. */
double bench_load_end(struct bench_load *);
double bench_load_end_cputime(struct bench_load *);
void bench_pin(int cpu);

/* A process that calls getppid at intervals of gap to gap + spread ns, until
 * it is killed. */
pid_t bench_caller(int64_t gap, int64_t spread);

#endif /* BENCH_BENCH_H */
