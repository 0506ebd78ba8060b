/* SPDX-License-Identifier: ISC */
/* DTIOCGETAUXBASE: where a process has its ELF interpreter, by its auxv. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dt_softc.h"

#define AUXV_MAX 64 /* entries; Linux has about 20 */

static int
auxbase_read(pid_t pid, unsigned long *base)
{
	Elf64_auxv_t auxv[AUXV_MAX];
	char path[64];
	ssize_t n;
	size_t i;
	int fd, error = 0;

	if (pid <= 0)
		return ESRCH;
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

/* pid: as dtd's namespace has it. */
static int
auxbase_answer(struct ioctl_call *ic, pid_t pid)
{
	struct dtioc_getaux *out = ic->ic_out;
	unsigned long base;
	int error;

	if ((error = auxbase_read(pid, &base)) != 0)
		return error;
	memcpy(out, ic->ic_in, sizeof(*out));
	out->dtga_auxbase = base;
	ic->ic_outlen = sizeof(*out);
	return 0;
}

/* A client of another namespace: the kernel is asked who it means. */
static void
auxbase_run(void *arg)
{
	struct dt_softc *sc = arg;
	const struct dtioc_getaux *in = sc->ds_turn.tu_call->ic_in;
	pid_t pid;

	sc->ds_turn.tu_error = dt_ns_local(sc, in->dtga_pid, &pid);
	if (sc->ds_turn.tu_error == 0)
		sc->ds_turn.tu_error = auxbase_answer(sc->ds_turn.tu_call, pid);
}

int
dt_ioctl_get_auxbase(void *arg, struct ioctl_call *ic)
{
	const struct dtioc_getaux *in = ic->ic_in;
	struct dt_softc *sc = arg;

	if (sc->ds_peer.pr_pidns_own)
		return auxbase_answer(ic, in->dtga_pid);
	return dt_call_later(sc, ic, auxbase_run, NULL);
}
