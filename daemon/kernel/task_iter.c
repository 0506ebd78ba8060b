/* SPDX-License-Identifier: ISC */
/*
 * Runs a BPF iterator over all tasks.  The kernel runs it during read(2) of a
 * descriptor; its results are in the program's map.
 */
#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/kernel/task_iter.h"

int
task_iter_run(struct bpf_program *prog)
{
	struct bpf_link *link;
	char buf[64]; /* the programs print nothing */
	ssize_t n;
	int fd, error = 0;

	if ((link = bpf_program__attach_iter(prog, NULL)) == NULL)
		return errno;
	if ((fd = bpf_iter_create(bpf_link__fd(link))) < 0) {
		bpf_link__destroy(link);
		return -fd;
	}
	do
		n = read(fd, buf, sizeof(buf));
	while (n > 0 || (n == -1 && (errno == EAGAIN || errno == EINTR)));
	if (n == -1)
		error = errno;
	close(fd);
	bpf_link__destroy(link);
	return error;
}
