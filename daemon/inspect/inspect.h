/* SPDX-License-Identifier: ISC */
/*
 * Inspectors: processes that look at what belongs to others.
 *
 * A process of another user, its root directory and its files can make whoever
 * looks at them wait for ever: a FUSE file system that does not answer holds up
 * execve(2), munmap(2) and close(2), and with them /proc/PID/maps and the links
 * in /proc/PID/ns.  So no thread of dtd reads /proc/PID of a foreign process,
 * looks up a name in a foreign root, or has a foreign file open for reading. 
 * It asks an inspector, waits for a limited time, and takes another inspector
 * if this one does not answer.
 *
 * - dtd forks a forker before it has threads, sockets or maps; the forker forks
 *   inspectors.  An inspector has no descriptor but its socket and those that
 *   come with a request, so one that hangs keeps nothing of dtd alive.
 * - dtd gets O_PATH descriptors only: their close(2) does not wait.  A
 *   descriptor for reading goes from the inspector to the symbolizer.
 * - An inspector that does not answer in time is stuck.  It stays until it
 *   answers or ends.  While it is stuck on a process or file, asks about the
 *   same one fail at once; a user whose processes and files hold up
 *   INSPECT_USERSTUCK inspectors, or who has them wait for INSPECT_WASTE ms in
 *   10 s, is barred: asks about him fail at once until that is over.
 */
#ifndef DAEMON_INSPECT_INSPECT_H
#define DAEMON_INSPECT_INSPECT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define INSPECT_MAXMSG	  65536 /* bytes of a payload */
#define INSPECT_MAXFDS	  4	/* descriptors in a message */
#define INSPECT_MAX	  64	/* inspectors */
#define INSPECT_RESERVE	  8	/* of them, for asks about root's processes */
#define INSPECT_USERSTUCK 4	/* stuck ones that one user may cause */
#define INSPECT_MSECS	  1000	/* the usual time limit of an ask */
#define INSPECT_WASTE	  2000	/* ms of waiting beyond INSPECT_QUICK each */
#define INSPECT_QUICK	  50	/* ms; an ask that waits no longer is free */

/* What an inspector can do: the table is in inspector.c. */
enum inspect_op {
	INSPECT_CLIENT, /* who a client is: inspect_client.h */
	INSPECT_LOOK,	/* mappings and more of processes: inspect_look.h */
	INSPECT_FIND,	/* these are about files: inspect_find.h */
	INSPECT_STAT,
	INSPECT_OPEN,
	INSPECT_JITMAP,
	INSPECT_READ,
	INSPECT_DEBUG,
	INSPECT_NOPS
};

/* An ask.  All that is not set is 0. */
struct inspect_ask {
	enum inspect_op ia_op;
	/*
	 * Whose fault it is if this takes long.  A process (the inspector finds
	 * out its user), or, if ia_pid is 0, the user ia_uid.
	 */
	pid_t ia_pid;
	uid_t ia_uid;
	uint64_t ia_key; /* of a file, never a pid; 0: ia_pid is the key */
	unsigned int ia_msecs; /* time limit; 0: INSPECT_MSECS */
	/* The request.  Descriptors stay the caller's. */
	const void *ia_in;
	size_t ia_inlen;
	int ia_fds[INSPECT_MAXFDS];
	unsigned int ia_nfds;
	/* Called for each piece of a long answer, or NULL. */
	void (*ia_piece)(void *arg, const void *piece, size_t len);
	void *ia_arg;
	/* The answer: room for ia_outmax bytes; less may come (ia_outlen).
	 * Descriptors become the caller's. */
	void *ia_out;
	size_t ia_outmax, ia_outlen;
	int ia_outfds[INSPECT_MAXFDS];
	unsigned int ia_noutfds;
};

struct inspect_stat {
	uint64_t is_started; /* inspectors, so far */
	uint64_t is_running; /* now */
	uint64_t is_stuck;   /* of them, those that have not answered in time */
	uint64_t is_asks;    /* so far */
	uint64_t is_timeouts; /* asks that got no answer in time */
	uint64_t is_refused;  /* asks refused, as the user is barred, or the
				 process or file has an inspector stuck */
};

/* Forks the forker.  Before there are threads or sockets.  Ends dtd if it
 * fails.  argv is overwritten in the forker. */
void inspect_start(char **argv);
/* lost() is called on the control thread if the forker ends: nobody can look at
 * anything any more, and only a new dtd helps.  After event_loop_init(). */
void inspect_watch(void (*lost)(void));
/*
 * Asks and waits for the answer: any thread but the control thread and the data
 * thread, and without a lock that others need.  Returns the errno of the
 * operation, or
 *   ETIMEDOUT  no answer in time;
 *   EBUSY      not asked: barred, or an inspector is stuck on the same one;
 *   ECANCELED  dtd ends;
 *   EAGAIN     there is no inspector.
 */
int inspect(struct inspect_ask *);
/*
 * Has fn called for the forker and each inspector, those that are there and
 * those that come and go: isthere 1 or 0.  NULL: no more.  fn must not ask, and
 * there is one.
 */
void inspect_tell(void (*fn)(pid_t, int isthere));
/* What such an errno means, in words. */
const char *inspect_strerror(int error);
/* Whether an inspector is stuck on a process, or on the file of a key. */
int inspect_isstuck(uint64_t key);
/* dtd ends: all that wait, and who asks from now on, get ECANCELED. */
void inspect_end(void);
void inspect_stat(struct inspect_stat *);

#endif /* DAEMON_INSPECT_INSPECT_H */
