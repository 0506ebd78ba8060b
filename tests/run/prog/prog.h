/* SPDX-License-Identifier: ISC */
/*
 * What the programs of the tests share: a daemon of one's own, opens of it,
 * and children that make a known load.  Whatever goes wrong ends the program
 * with a line and status 1; its children and its daemon end with it.
 */
#ifndef PROG_H
#define PROG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <libdt.h>

#define PROG_PATH     128
#define PROG_DEADLINE 120 /* s, of a wait: ten times what is usual */

/* What the C library may keep of the daemon's memory, kB: each thread that works
 * has an arena, the top of which is given back from 1 MB on. */
#define PROG_SLACK_KB 8192

/* Ends the program (SIGALRM) if it is still there after so many seconds. */
void prog_init(const char *name, unsigned int seconds);
/* The number that a text is, 1 to max. */
long prog_number(const char *text, long max);
int64_t prog_now(void); /* CLOCK_MONOTONIC, ns */
/* Fills buf with "/proc/PID/file". */
char *prog_proc(char *buf, size_t size, pid_t, const char *file);
/* Waits until fn returns not 0; what tells what has not come. */
void prog_wait(int (*fn)(void *), void *arg, const char *what);

/* Memory that this process and its children share, zeroed. */
void *prog_shared(size_t nbytes);
/* Pins the calling thread to the n-th CPU that this process may use. */
void prog_pin(unsigned int n);
unsigned int prog_ncpu(void); /* CPUs that this process may use */

/*
 * A daemon with sockets in a folder of its own.
 */
struct prog_dtd {
	pid_t pd_pid;
	char pd_dir[PROG_PATH];	 /* sockets, configuration, log */
	char pd_sock[PROG_PATH]; /* of the dt device */
	char pd_test[PROG_PATH]; /* of the test device */
	char pd_log[PROG_PATH];
};

/* Starts $DT_DTD -v with these lines of configuration, and waits until it
 * listens.  Unless they say so, no open is stopped for what it costs. */
void prog_dtd_start(struct prog_dtd *, const char *conf);
/* SIGTERM; its status must be 0. */
void prog_dtd_stop(struct prog_dtd *);
/* Waits for the first line of its log that has what in it, behind the one
 * that has after in it (NULL: from the beginning). */
void prog_dtd_line(const struct prog_dtd *, const char *after, const char *what,
    char *line, size_t size);
/* Lines of its log that have what in them, so far. */
unsigned int prog_dtd_count(const struct prog_dtd *, const char *what);
unsigned int prog_dtd_rss(const struct prog_dtd *); /* VmRSS, kB */

/*
 * Opens.
 */
struct dt *prog_open(const struct prog_dtd *, int flags);
uint32_t prog_probe(struct dt *, const char *name);
void
prog_enable(struct dt *, const char *name, uint64_t evtflags, uint64_t nsecs);
/* The same; where others have all memory for rings, waits until there is room. */
void prog_enable_wait(struct dt *, const char *name, uint64_t evtflags);
/* Enables a probe of each provider, so that its programs are loaded when this
 * returns: a service does that by itself, but not at once. */
void prog_load_all(struct dt *);
extern uint64_t prog_maxbudget; /* for the next prog_budget(), 0: fixed */
void prog_budget(struct dt *, uint64_t nbytes);
void prog_filter(struct dt *, pid_t);
void prog_record(struct dt *, int on);
/* The ledger after the end: its sum must hold, and read must be nread.  who
 * NULL: says nothing. */
void
prog_ledger(struct dt *, const char *who, uint64_t nread, struct dt_ledger *);

/*
 * Children.  One runs fn and ends with status 0; pc_sock is the other end of
 * its argument: a byte each way is how they wait for each other.
 */
struct prog_child {
	pid_t pc_pid;
	int pc_sock;
};

/* fork(2); the child is killed when the caller's thread ends. */
pid_t prog_fork(void);
void
prog_child_start(struct prog_child *, void (*fn)(int sock, void *), void *arg);
/* Hangs up, and waits for its end; its status must be 0. */
void prog_child_end(struct prog_child *);
/* Sends a byte; waits for one, and returns it, or -1 at the end. */
void prog_tell(int sock, char byte);
int prog_hear(int sock);

#endif /* PROG_H */
