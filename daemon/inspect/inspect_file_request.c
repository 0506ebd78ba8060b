/* SPDX-License-Identifier: ISC */
/* Sends requests about files to inspectors. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemon/inspect/inspect.h"
#include "daemon/inspect/inspect_file.h"

/*
 * Returns the i-th descriptor of the reply, which the caller then owns; -1:
 * there is none.
 */
static int
take_fd(struct inspect_query *ia, unsigned int i)
{
	int fd = -1;

	if (i < ia->ia_noutfds) {
		fd = ia->ia_outfds[i];
		ia->ia_outfds[i] = -1;
	}
	return fd;
}

static void
close_rest(struct inspect_query *ia)
{
	unsigned int i;

	for (i = 0; i < ia->ia_noutfds; i++)
		if (ia->ia_outfds[i] != -1)
			close(ia->ia_outfds[i]);
	ia->ia_noutfds = 0;
}

/*
 * Sends the request.  EIO: the reply has another length, or lacks a descriptor.
 */
static int
request(struct inspect_query *ia, unsigned int nfds)
{
	int error = inspect(ia);

	if (error == 0 &&
	    (ia->ia_outlen != ia->ia_outmax || ia->ia_noutfds < nfds))
		error = EIO;
	if (error != 0)
		close_rest(ia);
	return error;
}

int
inspect_find_request(const struct find_request *fq, int rootfd, uid_t uid,
    unsigned int msecs, struct find_reply *fn, int *fd, int *livefd)
{
	struct inspect_query ia = { .ia_op = INSPECT_FIND,
		.ia_uid = uid,
		.ia_key = FIND_KEY(fq->fnr_dev, fq->fnr_ino),
		.ia_msecs = msecs,
		.ia_in = fq,
		.ia_inlen = sizeof(*fq),
		.ia_fds = { rootfd },
		.ia_nfds = rootfd != -1,
		.ia_out = fn,
		.ia_outmax = sizeof(*fn) };
	int error;

	memset(fn, 0, sizeof(*fn));
	if ((error = request(&ia, 1)) != 0)
		return error;
	*fd = take_fd(&ia, 0);
	*livefd = take_fd(&ia, 1);
	close_rest(&ia);
	return 0;
}

int
inspect_stat_request(int fd, uint64_t key, uid_t uid, struct find_stat *fs)
{
	struct inspect_query ia = { .ia_op = INSPECT_STAT,
		.ia_uid = uid,
		.ia_key = key,
		.ia_fds = { fd },
		.ia_nfds = 1,
		.ia_out = fs,
		.ia_outmax = sizeof(*fs) };
	int error = request(&ia, 0);

	close_rest(&ia);
	return error;
}

int
inspect_served_request(int fd, uid_t uid, uint32_t *isserved)
{
	struct inspect_query ia = { .ia_op = INSPECT_SERVED,
		.ia_uid = uid,
		.ia_fds = { fd },
		.ia_nfds = 1,
		.ia_out = isserved,
		.ia_outmax = sizeof(*isserved) };
	int error = request(&ia, 0);

	close_rest(&ia);
	return error;
}

int
inspect_open_request(const char *path, uid_t uid, int *fd)
{
	struct inspect_query ia = { .ia_op = INSPECT_OPEN,
		.ia_uid = uid,
		.ia_in = path,
		.ia_inlen = strlen(path) };
	int error = request(&ia, 1);

	if (error == 0)
		*fd = take_fd(&ia, 0);
	close_rest(&ia);
	return error;
}

int
inspect_jitmap_request(const struct find_jitmap *fj, int rootfd, int *fd)
{
	struct inspect_query ia = { .ia_op = INSPECT_JITMAP,
		.ia_uid = fj->fj_uid,
		.ia_in = fj,
		.ia_inlen = sizeof(*fj),
		.ia_fds = { rootfd },
		.ia_nfds = 1 };
	int error = request(&ia, 1);

	if (error == 0)
		*fd = take_fd(&ia, 0);
	close_rest(&ia);
	return error;
}

int
inspect_read_request(int fd, uint64_t key, uid_t uid, int channel,
    uint64_t serial)
{
	struct inspect_query ia = { .ia_op = INSPECT_READ,
		.ia_uid = uid,
		.ia_key = key,
		.ia_in = &serial,
		.ia_inlen = sizeof(serial),
		.ia_fds = { fd, channel },
		.ia_nfds = 2 };
	int error = request(&ia, 0);

	close_rest(&ia);
	return error;
}

int
inspect_debug_request(const struct find_debug *fd, int rootfd, uint64_t key,
    uid_t uid, int channel, uint32_t *skip)
{
	struct inspect_query ia = { .ia_op = INSPECT_DEBUG,
		.ia_uid = uid,
		.ia_key = key,
		.ia_in = fd,
		.ia_inlen = sizeof(*fd),
		.ia_fds = { channel, rootfd },
		.ia_nfds = rootfd != -1 ? 2 : 1,
		.ia_out = skip,
		.ia_outmax = sizeof(*skip) };
	int error = request(&ia, 0);

	close_rest(&ia);
	return error;
}
