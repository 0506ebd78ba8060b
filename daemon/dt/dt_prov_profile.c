/* SPDX-License-Identifier: ISC */
/*
 * The profile provider: a clock on every CPU that is online, as a perf event
 * of its software clock whose overflow runs a BPF program.  The event belongs
 * to one open; its link carries the open, its generation and what it wants
 * as a cookie.  A period, not a frequency: the kernel's frequency mode loses
 * up to half of the ticks at some rates.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "dt_maps.h"
#include "dt_prov_profile.skel.h"
#include "dt_softc.h"

/* Bounds of the newer seed: 200 us, and seconds that fit 32 bits. */
#define PROFILE_MINNSECS 200000ULL
#define PROFILE_MAXNSECS (4294967295ULL * 1000000000ULL)
#define PROFILE_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_CGROUP)

extern const struct dt_provider dt_prov_profile;

static int profile_progfd = -1;
static struct dt_req *profile_req; /* by slot; mapped, NULL before load */

static int
dt_prov_profile_init(const struct dt_provider *prov,
    char *reason __attribute__((unused)), size_t size __attribute__((unused)))
{
	return dt_probe_add(prov, "hz", "97", 0, 0) == NULL ? ENOMEM : 0;
}

static int
dt_prov_profile_alloc(struct dt_softc *sc __attribute__((unused)),
    struct dt_pcb *dp, const struct dtioc_req *rq)
{
	unsigned int cpu;

	if (rq->dtrq_nsecs < PROFILE_MINNSECS ||
	    rq->dtrq_nsecs > PROFILE_MAXNSECS)
		return EINVAL;
	dp->dp_links = malloc(dt_ncpu * sizeof(*dp->dp_links));
	if (dp->dp_links == NULL)
		return ENOMEM;
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		dp->dp_links[cpu] = -1;
	dp->dp_nsecs = rq->dtrq_nsecs;
	dp->dp_req.dr_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & PROFILE_EVTFLAGS);
	return 0;
}

static int
dt_prov_profile_load(char *text)
{
	static struct dt_prov_profile_bpf *skel; /* stays loaded */
	int error;

	if ((skel = dt_prov_profile_bpf__open()) == NULL) {
		snprintf(text, IOCTL_TEXT, "its BPF object does not open");
		return errno;
	}
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = dt_maps_share(skel->obj)) != 0 ||
	    (error = -dt_prov_profile_bpf__load(skel)) != 0) {
		snprintf(text, IOCTL_TEXT,
		    "this kernel refuses the program: %s", strerror(error));
		dt_prov_profile_bpf__destroy(skel);
		return error;
	}
	profile_progfd = bpf_program__fd(skel->progs.dt_profile);
	profile_req = skel->bss->dt_profile_req;
	dt_cost_watch(profile_progfd, &dt_prov_profile, 0);
	return 0;
}

/* Starts the clock of one CPU.  The link keeps the event alive. */
static int
profile_start_cpu(struct dt_softc *sc, struct dt_pcb *dp, unsigned int cpu)
{
	struct perf_event_attr attr;
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = DT_COOKIE(sc->ds_slot, sc->ds_gen,
		dp->dp_req.dr_evtflags, dp->dp_dtp->dtp_pbn));
	int fd, link;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = dp->dp_nsecs;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
	    PERF_FLAG_FD_CLOEXEC);
	if (fd == -1)
		return errno;
	link = bpf_link_create(profile_progfd, fd, BPF_PERF_EVENT, &opts);
	close(fd);
	if (link < 0)
		return -link;
	dp->dp_links[cpu] = link;
	return 0;
}

static void
dt_prov_profile_stop(struct dt_softc *sc, struct dt_pcb *dp)
{
	unsigned int cpu;

	dt_ticks_stop(sc);
	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		if (dp->dp_links[cpu] != -1)
			close(dp->dp_links[cpu]);
		dp->dp_links[cpu] = -1;
	}
	dp->dp_started = 0;
}

static int
dt_prov_profile_start(struct dt_softc *sc, struct dt_pcb *dp)
{
	unsigned int cpu, n = 0;
	int error;

	profile_req[sc->ds_slot] = dp->dp_req;
	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		error = profile_start_cpu(sc, dp, cpu);
		if (error == ENODEV)
			continue; /* offline */
		if (error != 0) {
			dt_prov_profile_stop(sc, dp);
			return error;
		}
		n++;
	}
	dt_ticks_start(sc, dp->dp_nsecs, n);
	return n > 0 ? 0 : ENODEV;
}

const struct dt_provider dt_prov_profile = {
	.dtpv_name = "profile",
	.dtpv_rights = RIGHT_PROFILE | RIGHT_TRACE_ALL,
	.dtpv_init = dt_prov_profile_init,
	.dtpv_alloc = dt_prov_profile_alloc,
	.dtpv_load = dt_prov_profile_load,
	.dtpv_start = dt_prov_profile_start,
	.dtpv_stop = dt_prov_profile_stop,
};
