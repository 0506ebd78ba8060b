/* SPDX-License-Identifier: ISC */
/* What /proc tells of the credentials of a process. */
#ifndef DAEMON_INSPECT_PROCCRED_H
#define DAEMON_INSPECT_PROCCRED_H

#include <stdint.h>
#include <sys/types.h>

struct proccred {
	uid_t pc_uid; /* real */
	gid_t pc_gid;
	int pc_isone;	  /* effective and saved ids are the same */
	int pc_dumpable;  /* for certain: the kernel hides it of user 0 */
	int pc_sandboxed; /* it has a seccomp filter, or no_new_privs */
	uint64_t pc_caps; /* permitted capabilities */
};

/* who: a number of dtd's pid namespace.  ESRCH, or another errno. */
int proccred_read(const char *who, struct proccred *);
/* The text of /proc/PID/status, whose owner is uid: EINVAL. */
int proccred_parse(const char *text, uid_t owner, struct proccred *);

#endif /* DAEMON_INSPECT_PROCCRED_H */
