/* SPDX-License-Identifier: ISC */
/*
 * dt-symbolizer: resolves addresses in files of any user.
 *
 * dtd starts it with a socket as its only connection (wire/symbolizer.h),
 * passes it open files and addresses, and receives symbols. It parses untrusted
 * files with libraries that were not made for these, so it has no rights,
 * little memory and little time. A crash affects only the file being parsed.
 *
 * Called with "fetch" it drops its rights and executes debuginfod-find
 * (symbolizer/debuginfod.h); with "clear" it removes what that has left.
 */
#include <err.h>
#include <errno.h>
#include <libelf.h>
#include <malloc.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "symbolizer/debuginfod.h"
#include "symbolizer/file_cache.h"
#include "symbolizer/requests.h"
#include "symbolizer/sandbox.h"

/*
 * Time that it works on a request beyond dtd's limit, ms, if dtd has exited or
 * may not kill it.
 */
#define LATE_MSECS 1000

static struct request request;

static int
serve_one(void)
{
	if (request.rq_fd == -1)
		return EBADF;
	if (request.rq_head.srq_type != SYMREQ_NAMES &&
	    request.rq_head.srq_type != SYMREQ_JIT &&
	    request.rq_head.srq_type != SYMREQ_UNWIND &&
	    request.rq_head.srq_type != SYMREQ_PROBES)
		return EINVAL;
	return files_names(&request, proto_sink());
}

static void
serve(void)
{
	int error;

	while (proto_next(&request)) {
		cage_alarm(request.rq_head.srq_msecs + LATE_MSECS);
		error = serve_one();
		if (request.rq_fd != -1)
			close(request.rq_fd);
		cage_alarm(0);
		proto_end(error);
	}
}

static int
is_socket(int fd)
{
	socklen_t len = sizeof(int);
	int type;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    type == SOCK_SEQPACKET;
}

int
main(int argc, char **argv)
{
	unsigned int uid = CAGE_NOBODY, gid = CAGE_NOBODY;
	int end = 0;

	if (argc == 4 && strcmp(argv[1], "fetch") == 0)
		fetch_exec(argv[2], argv[3]);
	if (argc == 2 && strcmp(argv[1], "clear") == 0)
		fetch_clear();
	if (argc > 2 ||
	    (argc == 2 &&
		(sscanf(argv[1], "%u:%u%n", &uid, &gid, &end) != 2 ||
		    argv[1][end] != '\0' || uid == 0 || gid == 0)) ||
	    !is_socket(SYMREQ_FD) || !is_socket(SYMREQ_CHANNEL_FD))
		errx(2, "is started by dtd");
	/* Returns freed memory to the kernel, also after a large file. */
	(void)mallopt(M_MMAP_THRESHOLD, 128 << 10);
	(void)mallopt(M_TRIM_THRESHOLD, 256 << 10);
	(void)elf_version(EV_CURRENT);
	cage_enter(uid, gid);
	serve();
	return 0;
}
