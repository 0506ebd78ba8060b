/* SPDX-License-Identifier: ISC */
/*
 * DTIOCGETAUXBASE: returns the address of a process's ELF interpreter from its
 * auxv. The service reads it in the kernel with a BPF program: a read of
 * /proc/PID/auxv blocks while the process hangs in execve(2).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/conf.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/kernel/load_error.h"

#define AUXV_MAX 64 /* entries; Linux has about 28 */

/* For a private dtd, which may have no right to load programs. */
static int
auxbase_read(pid_t pid, uint64_t *base)
{
	Elf64_auxv_t auxv[AUXV_MAX];
	char path[64];
	ssize_t n;
	size_t i;
	int fd, error = 0;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? ESRCH : errno;
	if ((n = read(fd, auxv, sizeof(auxv))) == -1)
		error = errno;
	close(fd);
	*base = 0;
	for (i = 0; error == 0 && i < n / sizeof(auxv[0]); i++)
		if (auxv[i].a_type == AT_BASE)
			*base = auxv[i].a_un.a_val;
	return error;
}

static int
auxbase_query(struct dt_softc *sc, pid_t pid, uint64_t *base, struct reason *rs)
{
	int error;

	if (pid <= 0)
		return ESRCH;
	if (conf.cf_private)
		return auxbase_read(pid, base);
	error = dt_pidns_auxbase(sc, pid, base);
	if (error == 0 || error == ESRCH)
		return error;
	return reason_fail(rs, EOPNOTSUPP,
	    "this kernel refuses to look up threads: %s", dt_refused(error));
}

static int
auxbase_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dtioc_getaux ga;
	uint64_t base;
	int error;

	memcpy(&ga, op->op_arg, sizeof(ga));
	error = auxbase_query(sc, ga.dtga_pid, &base, &op->op_reason);
	if (error != 0)
		return error;
	ga.dtga_auxbase = base;
	return op_reply(op, &ga, sizeof(ga));
}

int
dt_ioctl_get_auxbase(struct op *op)
{
	return op_later(op, auxbase_run, NULL, dt_softc_isslow(op->op_sc));
}
