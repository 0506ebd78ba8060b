/* SPDX-License-Identifier: ISC */
/* In which pid namespace a client is, for any device. */
#ifndef DAEMON_DT_DT_NS_H
#define DAEMON_DT_DT_NS_H

#include <stdint.h>

struct peer;

struct dt_nsof {
	uint32_t no_kpid;  /* its number in the initial one */
	uint32_t no_level; /* of its own, how deep that is */
	uint32_t no_inum;  /* and its inode; 0: it is the initial one */
};

/* Waits for the kernel.  Errno, with a text. */
int dt_ns_of(const struct peer *, struct dt_nsof *, char *text);

#endif /* DAEMON_DT_DT_NS_H */
