/* SPDX-License-Identifier: ISC */
/*
 * libsystemd, where a service manager or the journal is at the other end.
 *
 * It is loaded then, and not linked: it brings five libraries that a private
 * daemon, started by each dt(1) where no service runs, has no use for.
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
 * Looks for a manager in the environment, once, before there are threads.
 * Ends the program if sockets were handed over and the library is missing.
 */
void sdlib_init(void);
/* NULL: nobody is there.  Any thread. */
const struct sdlib *sdlib(void);

#endif /* DAEMON_BASE_SDLIB_H */
