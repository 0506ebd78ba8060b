/* SPDX-License-Identifier: ISC */
/* Reads credentials of a process from /proc. */
#ifndef DAEMON_INSPECT_PROCCRED_H
#define DAEMON_INSPECT_PROCCRED_H

#include <stdint.h>
#include <sys/types.h>

struct proccred {
	uid_t pc_uid; /* real */
	gid_t pc_gid;
	int pc_isone;	  /* real, effective and saved ids are the same */
	int pc_dumpable;  /* certainly dumpable: unknown, and 0, for user 0 */
	int pc_sandboxed; /* it has a seccomp filter, or no_new_privs */
	uint64_t pc_caps; /* permitted capabilities */
};

/* who: pid in dtd's pid namespace.  Returns ESRCH or another errno. */
int proccred_read(const char *who, struct proccred *);
/*
 * Parses the text of /proc/PID/status; owner owns that file.  Returns EINVAL.
 */
int proccred_parse(const char *text, uid_t owner, struct proccred *);

#endif /* DAEMON_INSPECT_PROCCRED_H */
