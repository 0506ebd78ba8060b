/* SPDX-License-Identifier: ISC */
/*
 * Identifies the process at the other end of a socket and verifies its claims.
 */
#ifndef DAEMON_ACCESS_PEER_H
#define DAEMON_ACCESS_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inspect_client;
struct reason;

#define OWNER_NGROUPS 32

/* The identity that a client's own processes share with it, for TRACE_OWN. */
struct owner {
	uid_t onr_uid; /* 0: unset, no process is the client's own */
	gid_t onr_gid;
	gid_t onr_gids[OWNER_NGROUPS]; /* the client's groups at connect(2) */
	unsigned int onr_ngids;
	int onr_hasmore;     /* further groups, beyond onr_gids */
	uint64_t onr_caps;   /* permitted capabilities at open */
	uint32_t onr_userns; /* inode of the user namespace */
};

/* The client of a connection, as the kernel reports it. */
struct peer {
	pid_t peer_pid;	   /* process */
	uid_t peer_uid;	   /* effective user id */
	uid_t peer_person; /* user for limits */
	gid_t peer_gid;
	char peer_comm[16];	  /* command name at open, or "" */
	unsigned int peer_rights; /* RIGHT_* */
	int peer_initial_pidns;	  /* is in the initial pid namespace */
	int peer_own_pidns;	  /* is in dtd's pid namespace */
	struct owner peer_owner;  /* with TRACE_OWN, and not TRACE_ALL */
	char peer_noown[120];	  /* reason why TRACE_OWN was refused, or "" */
};

/* Fills pid, uid and gid as the kernel reports them, and the person that the
 * uid belongs to.  Returns errno. */
int peer_get(struct peer *, int sock);
/*
 * Compares the pid and user namespaces whose descriptors a client sent with the
 * namespaces of the connected process, which an inspector reported in ic; NULL:
 * the client started this daemon and is in the same namespaces.  Sets
 * peer_*_pidns, and *own_userns if the user namespace is the daemon's.  Returns
 * EINVAL or EPERM with a text if they differ.
 */
int peer_identify(struct peer *, int sock, const int *fds, int nfds,
    const struct inspect_client *ic, int *own_userns, struct reason *);
/*
 * Returns 0 if the peer still is the process that its pid names, since pids are
 * reused.  Kernels before 6.5 cannot detect that; there the result is always 0.
 */
int peer_alive(int sock);
/*
 * Returns the peer's groups, including the effective one; the caller frees
 * *gidsp.
 */
int peer_groups(const struct peer *, int sock, gid_t **gidsp, size_t *np);
/* Returns whether dtd is in the initial pid namespace. */
int peer_pidns_initial(void);

#endif /* DAEMON_ACCESS_PEER_H */
