/* SPDX-License-Identifier: ISC */
/*
 * Commands of programs that read symbols by themselves, as those written for
 * the BSD original do: DTIOCRDVNODE opens the file that a process has mapped at
 * an address, and DTIOCGKSYMS lists the kernel's functions.
 *
 * A file is sent as an O_PATH descriptor: the client opens it for reading, and
 * the kernel decides whether it may.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/kernel/kallsyms.h"
#include "daemon/kernel/kallsyms_table.h"
#include "daemon/sym/resolve_user.h"

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
