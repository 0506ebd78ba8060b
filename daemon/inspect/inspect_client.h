/* SPDX-License-Identifier: ISC */
/* Inspects the identity of a client, or of another process. */
#ifndef DAEMON_INSPECT_INSPECT_CLIENT_H
#define DAEMON_INSPECT_INSPECT_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/inspect/proccred.h"

#define CLIENT_NSLINK 32 /* bytes of a link in /proc/PID/ns */
#define CLIENT_WHY    80 /* bytes of the reason why ptrace is confined */

#define CLIENT_MSECS  5000 /* time limit: only the client itself waits */

/* The reply to INSPECT_CLIENT.  Texts end with a NUL byte. */
struct inspect_client {
	char icl_pidns[CLIENT_NSLINK], icl_userns[CLIENT_NSLINK];
	uint32_t icl_usernsino; /* 0: unreadable */
	/*
	 * Owner of the outermost user namespace other than dtd's; -1: the
	 * process is in dtd's, or the owner is unknown.
	 */
	uid_t icl_owner;
	char icl_comm[16];
	int32_t icl_crederror; /* errno; icl_cred is then empty */
	struct proccred icl_cred;
	char icl_confined[CLIENT_WHY]; /* restriction of ptrace, or "" */
};

/*
 * Returns whether ptrace(2) of or by this process is confined beyond its ids;
 * why is the reason.  root: "", or a directory with proc and sys for tests.
 * Runs in an inspector: ptrace_confined.c.
 */
int ptrace_confined(const char *root, const char *who, const struct proccred *,
    char *why, size_t len);

/* Sends the request: errno as inspect().  Not on the control thread. */
int inspect_client_request(pid_t, struct inspect_client *);

#endif /* DAEMON_INSPECT_INSPECT_CLIENT_H */
