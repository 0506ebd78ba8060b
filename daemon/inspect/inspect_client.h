/* SPDX-License-Identifier: ISC */
/* What an inspector tells of a process that is a client, or is asked about. */
#ifndef DAEMON_INSPECT_INSPECT_CLIENT_H
#define DAEMON_INSPECT_INSPECT_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/inspect/proccred.h"

#define CLIENT_NSLINK 32 /* bytes of a link in /proc/PID/ns */
#define CLIENT_WHY    80 /* bytes of the reason why ptrace is confined */

#define CLIENT_MSECS  5000 /* time limit: nobody but the client waits for it */

/* The answer to INSPECT_CLIENT.  Texts end with a NUL byte. */
struct inspect_client {
	char icl_pidns[CLIENT_NSLINK], icl_userns[CLIENT_NSLINK];
	uint32_t icl_usernsino; /* 0: it could not be read */
	/* Who made the outermost user namespace that is not dtd's own; -1: it
	 * is in dtd's, or nobody knows. */
	uid_t icl_owner;
	char icl_comm[16];
	int32_t icl_crederror; /* errno, and icl_cred is empty */
	struct proccred icl_cred;
	char icl_confined[CLIENT_WHY]; /* by what ptrace is confined, or "" */
};

/*
 * Whether ptrace(2) of or by this process is confined beyond its ids; why is the
 * reason.  root: "", or a folder where tests have their proc and sys.  In an
 * inspector: ptrace_confined.c.
 */
int ptrace_confined(const char *root, const char *who, const struct proccred *,
    char *why, size_t len);

/* Asks for it: errno as inspect().  Not on the control thread. */
int inspect_client_ask(pid_t, struct inspect_client *);

#endif /* DAEMON_INSPECT_INSPECT_CLIENT_H */
