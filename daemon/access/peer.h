/* SPDX-License-Identifier: ISC */
/* Who is at the other end of a socket, and that it is who it says. */
#ifndef DAEMON_ACCESS_PEER_H
#define DAEMON_ACCESS_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define IOCTL_TEXT 200 /* bytes of a sentence that says why not, with its NUL */

struct inspect_client;

#define OWNER_NGROUPS 32

/* Whose processes are his own, for who has TRACE_OWN; see
 * daemon/access/owner.h. */
struct owner {
	uid_t onr_uid; /* 0: nobody, and nothing is his */
	gid_t onr_gid;
	gid_t onr_gids[OWNER_NGROUPS]; /* his groups at connect(2) */
	unsigned int onr_ngids;
	int onr_hasmore;     /* groups that have no room */
	uint64_t onr_caps;   /* permitted capabilities, at the open */
	uint32_t onr_userns; /* inode of the user namespace */
};

/* Who opened, as the kernel tells it. */
struct peer {
	pid_t pr_pid;	 /* process */
	uid_t pr_uid;	 /* effective user id */
	uid_t pr_person; /* user for limits */
	gid_t pr_gid;
	char pr_comm[16]; /* what it called itself when it opened, or "" */
	unsigned int pr_rights; /* RIGHT_* */
	int pr_pidns_initial;	/* its pid namespace is the initial one */
	int pr_pidns_own;	/* or that of dtd */
	struct owner pr_owner;	/* with TRACE_OWN, and not TRACE_ALL */
	char pr_noown[120]; /* why the right TRACE_OWN was not given, or "" */
};

/* Fills pid, uid and gid as the kernel reports them, and the person that the
 * uid belongs to.  Returns errno. */
int peer_get(struct peer *, int sock);
/*
 * Compares the descriptors that a client sent, of its pid and its user
 * namespace, with those of the process behind the socket, of which an inspector
 * has told ic; NULL: it has made this daemon, and is in the same namespaces.
 * Notes in the peer which pid namespace that is; *own_userns: its user namespace
 * is the daemon's.  Returns EINVAL or EPERM with a text when they differ.
 */
int peer_identify(struct peer *, int sock, const int *fds, int nfds,
    const struct inspect_client *ic, int *own_userns, char *text);
/*
 * 0 if the peer is still the process that its number names: numbers are used
 * again.  Kernels before 6.5 cannot tell; there it counts as so.
 */
int peer_alive(int sock);
/* The peer's groups, its effective one among them; *gidsp is to be freed. */
int peer_groups(const struct peer *, int sock, gid_t **gidsp, size_t *np);
/* Whether dtd is in the initial pid namespace. */
int peer_pidns_initial(void);

#endif /* DAEMON_ACCESS_PEER_H */
