/* SPDX-License-Identifier: ISC */
/*
 * Determines the pid namespace of a client, and looks up the processes that it
 * names by their pids there.
 *
 * DTIOCGETAUXBASE returns the address of such a process's ELF interpreter from
 * its auxv. The service reads it in the kernel with a BPF program: a read of
 * /proc/PID/auxv blocks while the process hangs in execve(2).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/conf.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/kernel/load_error.h"
#include "daemon/kernel/pidns.h"

#define AUXV_MAX 64 /* entries; Linux has about 28 */

int
dt_pidns_resolve(struct dt_softc *sc, struct reason *rs)
{
	struct pidns_of no;
	int error;

	if (sc->ds_pidns.dpn_inum != 0)
		return 0; /* known already */
	if ((error = pidns_of(&sc->ds_client.dcl_peer, &no, rs)) != 0)
		return error;
	sc->ds_pidns.dpn_kpid = no.no_kpid;
	sc->ds_pidns.dpn_level = no.no_level;
	sc->ds_pidns.dpn_inum = no.no_inum;
	sc->ds_pidns.dpn_ns = no.no_ns;
	return 0;
}

/* Looks up a process in the namespace of the client. */
static int
ns_find_of(struct dt_softc *sc, struct dt_nsquery *nq)
{
	int error;

	if (!sc->ds_client.dcl_peer.peer_own_pidns) {
		if ((error = dt_pidns_resolve(sc, NULL)) != 0)
			return error;
		nq->nq_ns = sc->ds_pidns.dpn_ns;
		nq->nq_level = sc->ds_pidns.dpn_level;
		nq->nq_inum = sc->ds_pidns.dpn_inum;
	}
	return pidns_process(nq);
}

int
dt_pidns_local(struct dt_softc *sc, pid_t pid, pid_t *local)
{
	struct dt_nsquery nq = { .nq_number = pid };
	int error;

	if ((error = ns_find_of(sc, &nq)) != 0)
		return error;
	if (nq.nq_pid == 0)
		return ESRCH;
	*local = nq.nq_pid;
	return 0;
}

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

/*
 * Stores AT_BASE of a process that the client named, 0: none. ESRCH, or the
 * errno with which the kernel refuses the program.
 */
static int
auxbase_in_kernel(struct dt_softc *sc, pid_t pid, uint64_t *base)
{
	struct dt_nsquery nq = { .nq_number = pid, .nq_auxv = 1 };
	int error;

	if ((error = ns_find_of(sc, &nq)) != 0)
		return error;
	*base = nq.nq_auxbase;
	return 0;
}

static int
auxbase_query(struct dt_softc *sc, pid_t pid, uint64_t *base, struct reason *rs)
{
	int error;

	if (pid <= 0)
		return ESRCH;
	if (conf.cf_private)
		return auxbase_read(pid, base);
	error = auxbase_in_kernel(sc, pid, base);
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
	const struct dt_softc *sc = op->op_sc;

	return op_later(op, auxbase_run, NULL,
	    dt_enabled_isslow(&sc->ds_enabled));
}
