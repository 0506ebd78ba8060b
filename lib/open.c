/* SPDX-License-Identifier: ISC */
/*
 * dt_open() and dt_close(): connects to the service, or to a private dtd if
 * there is none, and creates or frees the handle.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/device.h"
#include "lib/handle.h"

#define OPEN_FLAGS \
	(DT_OPEN_PRIVATE | DT_OPEN_SERVICE | DT_OPEN_ORDERED | \
	    DT_OPEN_VERBOSE | DT_OPEN_LOWWATER | DT_OPEN_BATCHED)

static struct dt *
open_alloc(void)
{
	struct dt *dt;

	dt = calloc(1, sizeof(*dt));
	if (dt == NULL)
		return NULL;
	dt->h_private.ch_pidfd = -1;
	dt_errtext_init(&dt->h_err);
	dt_stream_init(&dt->h_stream);
	dt_probes_init(&dt->h_probes);
	dt_ksyms_init(&dt->h_ksyms);
	dt_names_init(&dt->h_names);
	dt_ends_init(&dt->h_ends);
	dt_session_sums_init(&dt->h_sums);
	dt_kcov_init(&dt->h_kcov);
	if (dt_ctl_init(&dt->h_ctl) == -1) {
		dt_close(dt);
		return NULL;
	}
	return dt;
}

/* Connects to the service.  Returns the socket or -1. */
static int
open_connect(struct dt *dt, const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int error, fd;

	if (strlen(path) >= sizeof(sun.sun_path))
		return dt_fail(dt, ENAMETOOLONG, NULL);
	memcpy(sun.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return dt_fail(dt, errno, "socket: %s", strerror(errno));
	while (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1) {
		/* interrupted before it was queued: try again */
		if (errno == EINTR)
			continue;
		error = errno;
		close(fd);
		return dt_fail(dt, error, "%s: %s", path, strerror(error));
	}
	return fd;
}

/* Returns a socket connected to a daemon of either kind, or -1. */
static int
open_daemon(struct dt *dt, const char *path, int flags)
{
	bool verbose = (flags & DT_OPEN_VERBOSE) != 0;
	int fd;

	if (flags & DT_OPEN_PRIVATE)
		return dt_private_start(dt, verbose);
	fd = open_connect(dt, path);
	if (fd != -1 || (flags & DT_OPEN_SERVICE))
		return fd;
	if (errno != ENOENT && errno != ECONNREFUSED)
		return -1; /* the service exists and refuses */
	return dt_private_start(dt, verbose);
}

/*
 * Returns the data socket, or -1.  A service that is restarting may accept the
 * connection and exit before reading from it; a second attempt then waits for
 * the new instance.
 */
static int
open_request(struct dt *dt, const char *path, int flags, uint32_t wflags,
    struct wire_opened *opened)
{
	int datafd = -1, fd, tries;

	for (tries = 0; tries < 2; tries++) {
		if (tries > 0 && dt_ctl_again(&dt->h_ctl) == -1)
			return dt_fail(dt, ENOMEM, NULL);
		if ((fd = open_daemon(dt, path, flags)) == -1)
			return -1;
		datafd = dt_ctl_open(dt, fd, wflags, opened);
		if (datafd != -1 || errno != EPIPE)
			break;
		if (dt->h_private.ch_pidfd != -1)
			return dt_private_ended(dt);
	}
	return datafd;
}

static int
open_device(struct dt *dt, const char *path, int flags)
{
	bool ordered = (flags & DT_OPEN_ORDERED) != 0;
	uint32_t wflags = 0;
	struct wire_opened opened;
	int datafd;

	if ((flags & ~OPEN_FLAGS) != 0 ||
	    ((flags & DT_OPEN_PRIVATE) && (flags & DT_OPEN_SERVICE)) ||
	    (ordered && (flags & DT_OPEN_LOWWATER)))
		return dt_fail(dt, EINVAL, "invalid flags for dt_open");
	dt->h_device = dt_device_of(path);
	if (flags & (DT_OPEN_ORDERED | DT_OPEN_LOWWATER))
		wflags = WIRE_OPEN_ORDERED;
	if (flags & DT_OPEN_BATCHED)
		wflags |= WIRE_OPEN_BATCHED;
	datafd = open_request(dt, path != NULL ? path : DTDEVNAME, flags,
	    wflags, &opened);
	if (datafd == -1)
		return -1;
	dt->h_rights = opened.wp_rights;
	memcpy(dt->h_release, opened.wp_release, sizeof(dt->h_release));
	dt->h_release[sizeof(dt->h_release) - 1] = '\0';
	return dt_stream_open(dt, datafd, opened.wp_clockoff, ordered);
}

struct dt *
dt_open(const char *path, int flags)
{
	struct dt *dt;
	int error;

	dt = open_alloc();
	if (dt == NULL) {
		dt_fail_early(ENOMEM, "out of memory");
		return NULL;
	}
	if (open_device(dt, path, flags) == -1) {
		error = errno;
		dt_fail_open(dt);
		dt_close(dt);
		errno = error;
		return NULL;
	}
	return dt;
}

void
dt_close(struct dt *dt)
{
	if (dt == NULL)
		return;
	dt_kcov_free(&dt->h_kcov);
	dt_ctl_free(&dt->h_ctl);
	dt_stream_free(&dt->h_stream);
	dt_tprof_free(&dt->h_tprof);
	dt_private_wait(&dt->h_private);
	dt_probes_free(&dt->h_probes);
	dt_ksyms_free(&dt->h_ksyms);
	dt_names_free(&dt->h_names);
	dt_ends_free(&dt->h_ends);
	dt_session_sums_free(&dt->h_sums);
	dt_aggrows_free(&dt->h_agg);
	dt_errtext_free(&dt->h_err);
	free(dt);
}

unsigned int
dt_rights(const struct dt *dt)
{
	return dt->h_rights;
}

int
dt_is_private(const struct dt *dt)
{
	return dt->h_private.ch_pid != 0;
}

const char *
dt_release(const struct dt *dt)
{
	return dt->h_release;
}
