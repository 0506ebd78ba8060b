/* SPDX-License-Identifier: ISC */
/* The process of dt(1) that counts the hits of one metric. */
#ifndef EXPORTER_COUNTER_H
#define EXPORTER_COUNTER_H

#include <stdint.h>
#include <sys/types.h>

#include "exporter/metric_file.h"

#define COUNTER_MAXSAID 4000 /* bytes of messages that are kept */

enum counter_state {
	COUNTER_DOWN,	  /* will start again at ct_next */
	COUNTER_STARTING, /* has not printed yet */
	COUNTER_UP,
};

struct counter {
	struct metric_file *ct_file;
	enum counter_state ct_state;
	pid_t ct_pid;
	int ct_in, ct_out, ct_err; /* our ends of its pipes, or -1 */
	char *ct_text;		   /* the reply that is being read */
	size_t ct_len, ct_size;
	int ct_isreply; /* ct_text is a complete reply, and was not requested
			 * again */
	char ct_said[COUNTER_MAXSAID]; /* messages to log */
	size_t ct_nsaid;
	char *ct_logged;   /* last error of a start, or NULL */
	uint64_t ct_since; /* ns: start */
	uint64_t ct_next;  /* ns: next start */
	uint64_t ct_delay; /* ns between this and the next start */
};

/* Sets the program dt(1) and dtd's socket; before any start. */
void counter_init(const char *program, const char *socket);
/* Takes ownership of the file.  The counter is down, and due to start. */
struct counter *counter_alloc(struct metric_file *);
/* Ends the process. */
void counter_free(struct counter *);

/* Starts the process, and requests a first reply. */
void counter_start(struct counter *);
/* Requests a reply.  Returns 0, or -1 if the process exits. */
int counter_request(struct counter *);
/*
 * Reads what is there of the reply.  Returns 1: it is complete in ct_text, and
 * the counter is up; 0: not yet; -1: the process exits, or was ended.
 */
int counter_read(struct counter *);
/* Reads and logs messages.  After the last one, the process is ended. */
void counter_messages(struct counter *);
/* Ends a process that has not replied. */
void counter_fail(struct counter *, const char *why);

#endif /* EXPORTER_COUNTER_H */
