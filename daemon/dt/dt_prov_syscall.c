/* SPDX-License-Identifier: ISC */
/*
 * The syscall provider: entry and return of every system call of this
 * architecture, by name.  Two programs, one at each of the kernel's two
 * hooks, serve all probes of all opens: enabling is a line in a table, and
 * recording a bit in a mask.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "dt_maps.h"
#include "dt_prov_syscall.skel.h"
#include "dt_softc.h"
#include "syscalls.h"

/* What the seed's syscall provider lets through, and our cgroup. */
#define SYSCALL_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS | \
	    DTEVT_CGROUP)

extern const struct dt_provider dt_prov_syscall;

static struct dt_systable *systable; /* mapped; NULL before load */

static int
dt_prov_syscall_init(const struct dt_provider *prov,
    char *reason __attribute__((unused)), size_t size __attribute__((unused)))
{
	const struct syscall_desc *sd;
	unsigned int nr;

	_Static_assert(DT_SYS_ENTRY == 0 && DT_SYS_RETURN == 1,
	    "dtp_sysnum holds 2 * number + one of these");
	for (nr = 0; nr < syscall_max() && nr < DT_NSYSCALL; nr++) {
		if ((sd = syscall_desc(nr)) == NULL)
			continue;
		if (dt_probe_add(prov, sd->name, "entry", 2 * nr + DT_SYS_ENTRY,
			sd->nargs) == NULL ||
		    dt_probe_add(prov, sd->name, "return",
			2 * nr + DT_SYS_RETURN, 0) == NULL)
			return ENOMEM;
	}
	return 0;
}

static void
dt_prov_syscall_args(const struct dt_probe *dtp, unsigned int n,
    const char **type, const char **name, int *path)
{
	const struct syscall_arg *a = &syscall_desc(dtp->dtp_sysnum / 2)
					   ->args[n];

	*type = a->type;
	*name = a->name;
	*path = a->is_path;
}

static int
dt_prov_syscall_alloc(struct dt_softc *sc __attribute__((unused)),
    struct dt_pcb *dp, const struct dtioc_req *rq)
{
	dp->dp_req.dr_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & SYSCALL_EVTFLAGS);
	return 0;
}

/* Tells the programs each call's probes and arguments. */
static void
systable_fill(void)
{
	const struct dt_probe *dtp;
	unsigned int nr, dir;

	TAILQ_FOREACH(dtp, &dt_probes, dtp_next) {
		if (dtp->dtp_prov != &dt_prov_syscall)
			continue;
		nr = dtp->dtp_sysnum / 2;
		dir = dtp->dtp_sysnum % 2;
		systable->sy_pbn[dir][nr] = dtp->dtp_pbn;
		if (dir == DT_SYS_ENTRY)
			systable->sy_nargs[nr] = dtp->dtp_nargs;
	}
}

static int
dt_prov_syscall_load(char *text)
{
	static struct dt_prov_syscall_bpf *skel; /* stays loaded */
	int error;

	if ((skel = dt_prov_syscall_bpf__open()) == NULL) {
		snprintf(text, IOCTL_TEXT, "its BPF object does not open");
		return errno;
	}
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = dt_maps_share(skel->obj)) != 0 ||
	    (error = -dt_prov_syscall_bpf__load(skel)) != 0) {
		snprintf(text, IOCTL_TEXT,
		    "this kernel refuses the programs: %s", strerror(error));
		dt_prov_syscall_bpf__destroy(skel);
		return error;
	}
	systable = &skel->bss->dt_systable;
	systable_fill();
	dt_hook_set_prog(DT_HOOK_SYS_ENTRY, skel->progs.dt_syscall_entry);
	dt_hook_set_prog(DT_HOOK_SYS_RETURN, skel->progs.dt_syscall_return);
	return 0;
}

static uint64_t
slot_bit(const struct dt_softc *sc)
{
	return 1ULL << (sc->ds_slot % 64);
}

static int
dt_prov_syscall_start(struct dt_softc *sc, struct dt_pcb *dp)
{
	unsigned int nr = dp->dp_dtp->dtp_sysnum / 2;
	unsigned int dir = dp->dp_dtp->dtp_sysnum % 2;
	unsigned int word = sc->ds_slot / 64;

	int error;

	error = dt_hook_get(sc,
	    dir == DT_SYS_ENTRY ? DT_HOOK_SYS_ENTRY : DT_HOOK_SYS_RETURN);
	if (error != 0)
		return error;
	systable->sy_req[sc->ds_slot][dir][nr] = dp->dp_req;
	__atomic_or_fetch(&systable->sy_mask[dir][nr][word], slot_bit(sc),
	    __ATOMIC_SEQ_CST);
	__atomic_or_fetch(&systable->sy_any[word], slot_bit(sc),
	    __ATOMIC_SEQ_CST);
	return 0;
}

/* Whether a probe of this provider still records for the open. */
static int
syscall_active(const struct dt_softc *sc)
{
	const struct dt_pcb *dp;

	TAILQ_FOREACH(dp, &sc->ds_pcbs, dp_snext)
		if (dp->dp_started && dp->dp_dtp->dtp_prov == &dt_prov_syscall)
			return 1;
	return 0;
}

static void
dt_prov_syscall_stop(struct dt_softc *sc, struct dt_pcb *dp)
{
	unsigned int nr = dp->dp_dtp->dtp_sysnum / 2;
	unsigned int dir = dp->dp_dtp->dtp_sysnum % 2;
	unsigned int word = sc->ds_slot / 64;

	__atomic_and_fetch(&systable->sy_mask[dir][nr][word], ~slot_bit(sc),
	    __ATOMIC_SEQ_CST);
	dp->dp_started = 0;
	if (!syscall_active(sc))
		__atomic_and_fetch(&systable->sy_any[word], ~slot_bit(sc),
		    __ATOMIC_SEQ_CST);
}

const struct dt_provider dt_prov_syscall = {
	.dtpv_name = "syscall",
	.dtpv_rights = RIGHT_TRACE_ALL,
	.dtpv_init = dt_prov_syscall_init,
	.dtpv_args = dt_prov_syscall_args,
	.dtpv_alloc = dt_prov_syscall_alloc,
	.dtpv_load = dt_prov_syscall_load,
	.dtpv_start = dt_prov_syscall_start,
	.dtpv_stop = dt_prov_syscall_stop,
};
