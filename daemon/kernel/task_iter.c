/* SPDX-License-Identifier: ISC */
/*
 * Runs a BPF iterator over all tasks.  The kernel runs it during read(2) of a
 * descriptor.
 */
#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/kernel/task_iter.h"

#define TASK_ITER_BYTES 32768 /* as much as the kernel buffers */

static int
task_iter_read(int fd, int (*fn)(void *, const void *, size_t), void *arg)
{
	char buf[TASK_ITER_BYTES];
	ssize_t n;
	int error;

	for (;;) {
		n = read(fd, buf, sizeof(buf));
		if (n == 0)
			return 0;
		if (n == -1 && errno != EAGAIN && errno != EINTR)
			return errno;
		if (n > 0 && fn != NULL && (error = fn(arg, buf, n)) != 0)
			return error;
	}
}

int
task_iter_run(struct bpf_program *prog,
    int (*fn)(void *arg, const void *, size_t), void *arg)
{
	struct bpf_link *link;
	int fd, error;

	if ((link = bpf_program__attach_iter(prog, NULL)) == NULL)
		return errno;
	if ((fd = bpf_iter_create(bpf_link__fd(link))) < 0) {
		bpf_link__destroy(link);
		return -fd;
	}
	error = task_iter_read(fd, fn, arg);
	close(fd);
	bpf_link__destroy(link);
	return error;
}
