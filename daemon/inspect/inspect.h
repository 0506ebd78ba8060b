/* SPDX-License-Identifier: ISC */
/*
 * Inspectors: processes that read processes and files of other users.
 *
 * A process of another user, its root directory and its files can block a
 * reader forever: a FUSE file system that does not respond blocks execve(2),
 * munmap(2) and close(2), and thereby /proc/PID/maps and the links in
 * /proc/PID/ns.  So no thread of dtd reads /proc/PID of a foreign process,
 * looks up a name in a foreign root, or has a foreign file open for reading.
 * It sends a request to an inspector, waits for a limited time, and uses
 * another inspector if that one does not reply.
 *
 * - dtd forks a forker before it has threads, sockets or maps; the forker forks
 *   inspectors.  An inspector has only its socket and the descriptors of its
 *   request, so a hanging inspector keeps no object of dtd alive.
 * - dtd receives O_PATH descriptors only: their close(2) does not block.  The
 *   inspector sends descriptors for reading to the symbolizer.
 * - An inspector that does not reply in time is stuck.  It remains until it
 *   replies or ends.  While it is stuck on a process or file, requests for the
 *   same one fail at once.  A user whose processes and files block
 *   INSPECT_USERSTUCK inspectors, or make them wait for INSPECT_USERWAIT ms in
 *   10 s, is barred: requests for that user fail at once until this is over.
 *   For root it is INSPECT_ROOTSTUCK inspectors: a file server that is down
 *   makes many of root's processes hang, which is when root needs dtd.
 */
#ifndef DAEMON_INSPECT_INSPECT_H
#define DAEMON_INSPECT_INSPECT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define INSPECT_MAXMSG	  65536 /* bytes of a payload */
#define INSPECT_MAXFDS	  4	/* descriptors in a message */
#define INSPECT_MAX	  64	/* inspectors */
#define INSPECT_RESERVE	  8	/* reserved for root's processes */
#define INSPECT_USERSTUCK 4	/* stuck inspectors that one user may cause */
#define INSPECT_ROOTSTUCK 24	/* the same, for root */
#define INSPECT_NOUSER	  ((uid_t)-1) /* user unknown */
#define INSPECT_MSECS	  1000	      /* default time limit of a request */
#define INSPECT_USERWAIT  2000 /* ms; only waits above INSPECT_QUICK count */
#define INSPECT_QUICK	  50   /* ms; a shorter wait is not counted */

/* Operations of an inspector; their table is in inspector.c. */
enum inspect_op {
	INSPECT_CLIENT, /* identity of a client: inspect_client.h */
	INSPECT_PROC,	/* mappings etc. of processes: inspect_proc.h */
	INSPECT_FIND,	/* this and the following: files, inspect_file.h */
	INSPECT_STAT,
	INSPECT_SERVED,
	INSPECT_OPEN,
	INSPECT_JITMAP,
	INSPECT_READ,
	INSPECT_DEBUG,
	INSPECT_STACKS, /* of threads: inspect_stacks.h */
	INSPECT_NOPS
};

/* A request.  Unset fields are 0. */
struct inspect_query {
	enum inspect_op ia_op;
	/*
	 * The user to whom waiting time is attributed: the user of the process
	 * ia_pid, whom the inspector determines, or, if ia_pid is 0, ia_uid:
	 * root for files in dtd's own root directory, INSPECT_NOUSER if the user
	 * is unknown, and for INSPECT_PROC, whose processes have many users.
	 */
	pid_t ia_pid;
	uid_t ia_uid;
	uint64_t ia_key; /* key of a file, never a pid; 0: ia_pid is the key */
	unsigned int ia_msecs; /* time limit; 0: INSPECT_MSECS */
	/* The payload.  Descriptors stay the caller's. */
	const void *ia_in;
	size_t ia_inlen;
	int ia_fds[INSPECT_MAXFDS];
	unsigned int ia_nfds;
	/* Called for each piece of a long reply, or NULL. */
	void (*ia_piece)(void *arg, const void *piece, size_t len);
	void *ia_arg;
	/*
	 * The reply: a buffer of ia_outmax bytes and the length received.
	 * Descriptors become the caller's.
	 */
	void *ia_out;
	size_t ia_outmax, ia_outlen;
	int ia_outfds[INSPECT_MAXFDS];
	unsigned int ia_noutfds;
};

struct inspect_stat {
	uint64_t is_started;  /* inspectors started so far */
	uint64_t is_running;  /* inspectors that exist */
	uint64_t is_stuck;    /* inspectors that are stuck */
	uint64_t is_asks;     /* requests so far */
	uint64_t is_timeouts; /* requests without a reply in time */
	uint64_t is_refused;  /* requests refused: user barred, or an inspector
			       * is stuck on the process or file */
};

/*
 * Forks the forker.  To be called before threads or sockets exist.  Exits on
 * failure.  The forker overwrites argv.
 */
void inspect_start(char **argv);
/*
 * Sets lost(), which is called on the control thread if the forker ends: no
 * inspector can be started any more; a new dtd is needed.  After
 * event_loop_init().
 */
void inspect_watch(void (*lost)(void));
/*
 * Sends a request and waits for the reply.  Any thread except the control and
 * data threads, without a lock that others need.  Returns the errno of the
 * operation, or
 *
 *   ETIMEDOUT  no reply in time;
 *   EBUSY      not sent: user barred, or an inspector is stuck on the same key;
 *   ECANCELED  dtd is exiting;
 *   EAGAIN     no inspector is available.
 */
int inspect(struct inspect_query *);
/*
 * Sets fn, which is called for the forker and each inspector, existing ones and
 * those that start (isthere 1) or end (0) later.  NULL: unset.  Only one fn can
 * be set, and it must not call inspect().
 */
void inspect_tell(void (*fn)(pid_t, int isthere));
/* Returns a text for an errno of inspect(). */
const char *inspect_strerror(int error);
/*
 * Returns whether an inspector is stuck on a process, or on the file of a key.
 */
int inspect_isstuck(uint64_t key);
/* dtd is exiting: pending and later requests return ECANCELED. */
void inspect_end(void);
void inspect_stat(struct inspect_stat *);

#endif /* DAEMON_INSPECT_INSPECT_H */
