/* SPDX-License-Identifier: ISC */
/*
 * One machine of -H: its ssh(1), what dt sends to it, and the messages of
 * 'dt remote' there, which are untrusted.
 */
#ifndef CLI_HOSTS_HOST_H
#define CLI_HOSTS_HOST_H

#include <poll.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/base/buf.h"
#include "cli/opts/opts.h"

/* Lines that a machine sends, by what they are. */
enum host_line {
	HOST_RESULT,
	HOST_STDOUT,
	HOST_STDERR,
	HOST_SSH, /* of ssh(1) itself, and of the shell there */
	HOST_NLINES
};

struct host;

/* Called for each line, without its newline.  The line may be changed. */
typedef void
host_line_fn(void *, struct host *, enum host_line, char *line, size_t len);

#define HOST_NFDS 4 /* descriptors of a machine for poll(2) */

struct host {
	char *hst_name;
	unsigned int hst_i; /* index among the machines */
	pid_t hst_pid;	    /* ssh; 0: it has ended */
	int hst_pidfd;
	int hst_in;	     /* stdin of ssh; -1: closed */
	int hst_out;	     /* stdout of ssh */
	int hst_err;	     /* stderr of ssh */
	struct buf hst_send; /* bytes to send, from hst_sent on */
	size_t hst_sent;
	struct buf hst_got;		   /* bytes of an incomplete message */
	struct buf hst_lines[HOST_NLINES]; /* lines without an end yet */
	size_t hst_nnoise;		   /* bytes before HOSTS_HELLO */
	int hst_isready;		   /* HOSTS_HELLO has arrived */
	int hst_hasended;		   /* HOSTS_STATUS has arrived */
	int hst_status;	   /* then: the exit status of dt there */
	int hst_sshstatus; /* of waitpid(2) */
	char hst_why[512]; /* why its answer is missing, or "" */
};

/* Returns the machines of a list with commas; the caller frees them. */
struct host *host_list(const char *names, unsigned int *n);
/* Returns the command that starts ssh: --ssh, $DT_SSH or ssh. */
const char *host_ssh(const struct opts *);
/*
 * Starts ssh: a command of sh(1), to which options and the machine are appended.
 * request: the bytes to send after its greeting.  Exits on failure.
 */
void host_start(struct host *, const char *ssh, const struct buf *request);
/* Fills HOST_NFDS entries; a paused machine is not read from. */
void host_poll(const struct host *, struct pollfd *, int ispaused);
/* Reads and sends after poll(2). */
void host_serve(struct host *, const struct pollfd *, host_line_fn *, void *);
/* Returns whether nothing more will arrive. */
int host_isover(const struct host *);
/* Passes on Ctrl-C; a machine that has not answered yet is given up. */
void host_interrupt(struct host *);
/* Ends ssh.  The reason counts unless another one is known. */
void host_stop(struct host *, const char *why);
void host_free(struct host *);
/* Ends ssh, which the caller waits for: returns its pid, 0: it has ended. */
pid_t host_abandon(struct host *);

#endif /* CLI_HOSTS_HOST_H */
