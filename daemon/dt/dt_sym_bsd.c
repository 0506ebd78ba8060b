/* SPDX-License-Identifier: ISC */
/*
 * Commands of programs that read symbols by themselves, as those written for
 * the BSD original do: DTIOCRDVNODE opens the file that a process has mapped at
 * an address, DTIOCGETAUXBASE returns the address of its ELF interpreter, and
 * DTIOCGKSYMS lists the kernel's functions.
 *
 * A file is sent as an O_PATH descriptor: the client opens it for reading, and
 * the kernel decides whether it may.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/conf.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/kernel/kallsyms.h"
#include "daemon/kernel/kallsyms_table.h"
#include "daemon/kernel/load_error.h"
#include "daemon/sym/resolve_user.h"

#define AUXV_MAX 64 /* entries; Linux has about 28 */

/*
 * Files
 */

/* Returns the mapping of a file at an address, or NULL. */
static const struct proc_mapping *
rdvnode_find(const struct proc_view *pv, uint64_t va)
{
	const struct proc_mapping *pm;

	for (pm = pv->pv_maps; pm < pv->pv_maps + pv->pv_nmaps; pm++)
		if (pm->pm_start <= va && va < pm->pm_end)
			return pm->pm_file->mf_kind == MAPPED_FILE_ELF ? pm
								       : NULL;
	return NULL;
}

static int
rdvnode_reply(struct op *op, const struct proc_view *pv)
{
	const struct wire_rdvnode *rq = op->op_arg;
	const struct proc_mapping *pm = rdvnode_find(pv, rq->wrv_va);
	struct wire_rdvnode rv = { .wrv_pid = rq->wrv_pid };

	if (pm == NULL)
		return op_fail(op, ENOENT,
		    "process %u has no code of a file at that address",
		    rq->wrv_pid);
	if (pm->pm_file->mf_fd == -1)
		return op_fail(op,
		    pm->pm_file->mf_error != 0 ? pm->pm_file->mf_error : ENOENT,
		    "%s cannot be found any more", pm->pm_file->mf_path);
	op->op_outfd = fcntl(pm->pm_file->mf_fd, F_DUPFD_CLOEXEC, 0);
	if (op->op_outfd == -1)
		return errno;
	rv.wrv_va = pm->pm_start;
	rv.wrv_offset = pm->pm_off;
	return op_reply(op, &rv, sizeof(rv));
}

static int
rdvnode_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct wire_rdvnode *rq = op->op_arg;
	struct wire_syms ws;
	struct proc_view *pv;
	int error;

	symbolizer_begin(DT_SYM_MSECS, sc->ds_client.dcl_peer.peer_person);
	error = dt_sym_view(sc, rq->wrv_pid, 0, &pv, &ws);
	if (error != 0)
		return op_fail(op, error, "process %u is not known: %s",
		    rq->wrv_pid, strerror(error));
	error = rdvnode_reply(op, pv);
	dt_sym_trim_exclude();
	proc_watch_view_free(pv);
	return error;
}

int
dt_ioctl_rdvnode(struct op *op)
{
	const struct wire_rdvnode *rq = op->op_arg;

	if (rq->wrv_reserved != 0 || rq->wrv_offset != 0)
		return op_fail(op, EINVAL,
		    "the request has bytes that are "
		    "not 0");
	if (rq->wrv_pid == 0)
		return op_fail(op, ESRCH, "no such process");
	return dt_sym_later(op, rdvnode_run);
}

/*
 * The ELF interpreter of a process, from its auxv.  The service reads that in
 * the kernel with a BPF program: a read of /proc/PID/auxv blocks while the
 * process hangs in execve(2).
 */

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

	if ((error = dt_pidns_find(&sc->ds_pidns, &sc->ds_client.dcl_peer,
		 &nq)) != 0)
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

/*
 * Kernel functions
 */

/* A page being filled: entries in the reply, names aside. */
struct ksyms_page {
	struct wire_ksyms_page *ksp_head;
	char *ksp_names;
	size_t ksp_nbytes;
};

/* Returns the bytes of the head and n entries. */
static size_t
ksyms_size(size_t n)
{
	return sizeof(struct wire_ksyms_page) + n * sizeof(struct wire_ksym);
}

/* A kallsyms_each() function: 0 if the function begins the next page. */
static int
ksyms_add(void *arg, const struct kallsyms_range *kf)
{
	struct ksyms_page *ksp = arg;
	struct wire_ksyms_page *head = ksp->ksp_head;
	struct wire_ksym *wk = (struct wire_ksym *)(head + 1) + head->wkl_count;
	size_t n = strlen(kf->kra_name) + 1;

	if (ksyms_size(head->wkl_count + 1) + ksp->ksp_nbytes + n > OP_MAXOUT) {
		head->wkl_next = kf->kra_start;
		return 0;
	}
	*wk = (struct wire_ksym){ .wkm_start = kf->kra_start,
		.wkm_size = kf->kra_end - kf->kra_start,
		.wkm_name = ksp->ksp_nbytes };
	memcpy(ksp->ksp_names + ksp->ksp_nbytes, kf->kra_name, n);
	ksp->ksp_nbytes += n;
	head->wkl_count++;
	return 1;
}

static int
ksyms_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct wire_ksyms *rq = op->op_arg;
	struct ksyms_page ksp = { .ksp_head = op->op_out };
	size_t size;
	int error;

	if ((ksp.ksp_names = malloc(OP_MAXOUT)) == NULL)
		return ENOMEM;
	memset(ksp.ksp_head, 0, sizeof(*ksp.ksp_head));
	dt_sym_kernel(&sc->ds_sym);
	error = kallsyms_each(rq->wks_from, ksyms_add, &ksp);
	if (error != 0)
		kallsyms_why(error, &op->op_reason);
	size = ksyms_size(ksp.ksp_head->wkl_count);
	memcpy((char *)op->op_out + size, ksp.ksp_names, ksp.ksp_nbytes);
	op->op_outlen = size + ksp.ksp_nbytes;
	free(ksp.ksp_names);
	return error;
}

int
dt_ioctl_get_ksyms(struct op *op)
{
	return dt_sym_later(op, ksyms_run);
}
