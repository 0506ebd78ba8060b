/* SPDX-License-Identifier: ISC */
/*
 * Functions shared by the test programs: a daemon for the test, its sessions, and
 * children that make a known load.  Any failure ends the program with a line
 * and status 1; its children and its daemon end with it.
 */
#ifndef PROG_H
#define PROG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <libdt.h>

#define PROG_PATH     128
#define PROG_DEADLINE 120 /* s, for a wait: ten times the usual */

/*
 * Memory that the daemon's C library may keep, in kB: each thread that works
 * has an arena, whose top is returned only from 1 MB on.
 */
#define PROG_SLACK_KB 8192

/* Ends the program (SIGALRM) if it still runs after secs seconds. */
void prog_init(const char *name, unsigned int seconds);
/* Converts a text to a number from 1 to max. */
long prog_number(const char *text, long max);
int64_t prog_now(void); /* CLOCK_MONOTONIC, ns */
/* Fills buf with "/proc/PID/file". */
char *prog_proc(char *buf, size_t size, pid_t, const char *file);
/* Waits until fn returns nonzero; the error message contains what. */
void prog_wait(int (*fn)(void *), void *arg, const char *what);

/* Returns zeroed memory that this process and its children share. */
void *prog_shared(size_t nbytes);
/* Pins the calling thread to the n-th CPU that this process may use. */
void prog_pin(unsigned int n);
unsigned int prog_ncpu(void); /* usable by this process */

/*
 * A daemon with sockets in its own folder.
 */
struct prog_dtd {
	pid_t pd_pid;
	char pd_dir[PROG_PATH];	 /* sockets, configuration, log */
	char pd_sock[PROG_PATH]; /* of the dt device */
	char pd_test[PROG_PATH]; /* of the test device */
	char pd_log[PROG_PATH];
};

/*
 * Starts $DT_DTD -v with these lines of configuration, and waits until it
 * listens.  By default no session is stopped for its cost.
 */
void prog_dtd_start(struct prog_dtd *, const char *conf);
/* Sends SIGTERM; the daemon's status must be 0. */
void prog_dtd_stop(struct prog_dtd *);
/*
 * Waits for the first line of its log with what in it, after the line with
 * after in it (NULL: from the beginning).
 */
void prog_dtd_line(const struct prog_dtd *, const char *after, const char *what,
    char *line, size_t size);
/* Returns the number of lines of its log with what in them. */
unsigned int prog_dtd_count(const struct prog_dtd *, const char *what);
/* Returns a size in its /proc/PID/status, e.g. "RssAnon", in kB. */
unsigned int prog_dtd_kb(const struct prog_dtd *, const char *field);
unsigned int prog_dtd_rss(const struct prog_dtd *); /* VmRSS */

/*
 * Sessions.
 */
struct dt *prog_open(const struct prog_dtd *, int flags);
uint32_t prog_probe(struct dt *, const char *name);
void
prog_enable(struct dt *, const char *name, uint64_t evtflags, uint64_t nsecs);
/* Likewise; if others hold all memory for rings, waits until some is free. */
void prog_enable_wait(struct dt *, const char *name, uint64_t evtflags);
/*
 * Enables a probe of each provider, so that its programs are loaded when this
 * returns: a service loads them by itself, but not at once.
 */
void prog_load_all(struct dt *, uint32_t evtflags);
extern uint64_t prog_maxbudget; /* for the next prog_budget(), 0: fixed */
void prog_budget(struct dt *, uint64_t nbytes);
void prog_filter(struct dt *, pid_t);
void prog_record(struct dt *, int on);
/*
 * Returns the ledger after the end: its sum must hold, and read must be nread.
 * who NULL: prints nothing.
 */
void
prog_ledger(struct dt *, const char *who, uint64_t nread, struct dt_ledger *);

/*
 * Children.  A child runs fn and exits with status 0.  pc_sock is the other end
 * of fn's socket; both sides wait for single bytes on it.
 */
struct prog_child {
	pid_t pc_pid;
	int pc_sock;
};

/* fork(2); the child is killed when the caller's thread ends. */
pid_t prog_fork(void);
void
prog_child_start(struct prog_child *, void (*fn)(int sock, void *), void *arg);
/* Closes the socket and waits for the child's exit; its status must be 0. */
void prog_child_end(struct prog_child *);
/* Sends a byte; waits for one and returns it, or -1 at the end. */
void prog_tell(int sock, char byte);
int prog_hear(int sock);

#endif /* PROG_H */
