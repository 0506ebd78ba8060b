/* SPDX-License-Identifier: ISC */
/*
 * Access to libsystemd, for a service manager or the journal.
 *
 * It is loaded only if one of them is present, not linked: it pulls in five
 * libraries that a private daemon, started by each dt(1) where no service runs,
 * does not need.
 */
#ifndef DAEMON_BASE_SDLIB_H
#define DAEMON_BASE_SDLIB_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct sdlib {
	int (*sl_notify)(int unset, const char *state);
	int (*sl_listen_fds)(int unset, char ***names);
	int (*sl_is_socket_unix)(int fd, int type, int listening,
	    const char *path, size_t length);
	int (*sl_watchdog_enabled)(int unset, uint64_t *usec);
	int (*sl_journal_sendv)(const struct iovec *, int n);
};

/*
 * Looks for a service manager in the environment, once, before threads are
 * started.  Exits if sockets were passed and the library is missing.
 */
void sdlib_init(void);
/* Returns NULL without a service manager or journal.  Any thread. */
const struct sdlib *sdlib(void);

#endif /* DAEMON_BASE_SDLIB_H */
