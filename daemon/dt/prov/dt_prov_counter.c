/* SPDX-License-Identifier: ISC */
/*
 * The counter provider: perf events on each online CPU that count what the
 * processor or the kernel does, for example cache misses or page faults, and run
 * a BPF program after each period.  The period is in the request.  As in the
 * profile provider, an event belongs to one session, and its link's cookie names
 * that.
 */
#include <errno.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/base/spawn_lock.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/load_error.h"
#include "daemon/perf/perf_event.h"
#include "daemon/unwind/unwind.h"
#include "dt_prov_counter.skel.h"

#define COUNTER_MAX (UINT64_C(1) << 47) /* events; counters have 48 bits */

extern const struct dt_provider dt_prov_counter;

/*
 * Events.  A shorter period than crd_min is refused: the processor counts some
 * billions of these per second.  crd_usual is the period of a request without
 * one.
 */
static const struct counter_row {
	const char *crd_name;
	uint32_t crd_unit; /* PERF_TYPE_* */
	uint32_t crd_event;
	uint32_t crd_min, crd_usual;
} counter_rows[] = {
#define HW(name, event, usual) \
	{ \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, 1000, usual \
	}
#define SW(name, event, usual) \
	{ \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event, 1, usual \
	}
	SW("page-faults", PAGE_FAULTS, 100),
	SW("minor-faults", PAGE_FAULTS_MIN, 100),
	SW("major-faults", PAGE_FAULTS_MAJ, 1),
	SW("context-switches", CONTEXT_SWITCHES, 1000),
	SW("cpu-migrations", CPU_MIGRATIONS, 1),
	SW("alignment-faults", ALIGNMENT_FAULTS, 1),
	SW("emulation-faults", EMULATION_FAULTS, 1),
	HW("cycles", CPU_CYCLES, 1000000),
	HW("instructions", INSTRUCTIONS, 1000000),
	HW("cache-references", CACHE_REFERENCES, 1000000),
	HW("cache-misses", CACHE_MISSES, 1000000),
	HW("branch-instructions", BRANCH_INSTRUCTIONS, 100000),
	HW("branch-misses", BRANCH_MISSES, 100000),
	HW("bus-cycles", BUS_CYCLES, 100000),
	HW("frontend-stalls", STALLED_CYCLES_FRONTEND, 1000000),
	HW("backend-stalls", STALLED_CYCLES_BACKEND, 1000000),
	HW("ref-cycles", REF_CPU_CYCLES, 1000000),
};

#define COUNTER_NROWS (sizeof(counter_rows) / sizeof(counter_rows[0]))

_Static_assert(COUNTER_NROWS <= DT_NCOUNTER, "settings for each probe");

static uint32_t counter_first; /* number of the first probe; by init */

/* Programs without and with unwind tables. */
static struct counter_progs {
	struct dt_prov_counter_bpf *ctp_skel; /* stays loaded */
	int ctp_fd;
} counter_progs[2];

/* Probes */

/* Returns whether the kernel knows the processor's counters. */
static int
counter_haspmu(void)
{
	static const char *const pmus[] = {
		"/sys/bus/event_source/devices/cpu",
		"/sys/bus/event_source/devices/cpu_core",
		"/sys/bus/event_source/devices/armv[78]_*",
	};
	size_t i;
	glob_t g;
	int n = 0;

	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]) && n == 0; i++)
		if (glob(pmus[i], GLOB_NOSORT, NULL, &g) == 0) {
			n = g.gl_pathc;
			globfree(&g);
		}
	return n > 0;
}

static int
dt_prov_counter_init(const struct dt_provider *prov,
    char *reason __attribute__((unused)), size_t size __attribute__((unused)))
{
	const int haspmu = counter_haspmu();
	const struct counter_row *crd = counter_rows;
	struct dt_probe *dtp;

	for (; crd < counter_rows + COUNTER_NROWS; crd++) {
		if (crd->crd_unit == PERF_TYPE_HARDWARE && !haspmu)
			break;
		dtp = dt_probe_add(prov, crd->crd_name, "overflow",
		    crd - counter_rows, 0);
		if (dtp == NULL)
			return ENOMEM;
		if (counter_first == 0)
			counter_first = dtp->dtp_pbn;
	}
	return 0;
}

static const struct counter_row *
counter_row_of(const struct dt_pcb *dp)
{
	return &counter_rows[dp->dp_dtp->dtp_sysnum];
}

static int
dt_prov_counter_alloc(struct dt_enabled *en __attribute__((unused)),
    struct dt_pcb *dp, const struct dtioc_req *rq)
{
	const struct counter_row *crd = counter_row_of(dp);
	struct dtioc_req period = *rq;
	int error;

	if (period.dtrq_nsecs == 0)
		period.dtrq_nsecs = crd->crd_usual;
	error = dt_pcb_period(dp, &period, crd->crd_min, COUNTER_MAX);
	return error != 0 ? error : dt_pcb_links(dp);
}

static int
dt_prov_counter_load(unsigned int part, struct reason *rs)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	const int tables = (part & DT_PART_TABLES) != 0;
	struct dt_prov_counter_bpf *skel;
	struct bpf_program *prog;
	int error;

	if ((skel = dt_prov_counter_bpf__open_opts(&opts)) == NULL)
		return reason_fail(rs, errno, "its BPF object does not open");
	prog = tables ? skel->progs.dt_counter_tables : skel->progs.dt_counter;
	bpf_program__set_autoload(prog, true);
	skel->rodata->dt_ncpu = dt_ncpu;
	skel->rodata->dt_counter_first = counter_first;
	if ((error = dt_maps_share(skel->obj, DT_TALLY_COUNTER)) != 0 ||
	    (tables && (error = unwind_share(skel->obj)) != 0) ||
	    (error = -dt_prov_counter_bpf__load(skel)) != 0)
		reason_set(rs, "this kernel refuses the program: %s",
		    dt_refused(error));
	else
		error = dt_maps_seen(skel->bss, rs);
	if (error != 0) {
		dt_prov_counter_bpf__destroy(skel);
		return error;
	}
	counter_progs[tables].ctp_skel = skel;
	counter_progs[tables].ctp_fd = bpf_program__fd(prog);
	dt_cost_watch(counter_progs[tables].ctp_fd, &dt_prov_counter, 0);
	return 0;
}

/* Recording */

/* Starts the counter of one CPU; the link keeps the event alive. */
static int
counter_start_cpu(const struct dt_enabled *en, struct dt_pcb *dp,
    unsigned int cpu)
{
	const struct counter_row *crd = counter_row_of(dp);
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = DT_COOKIE(en->den_client->dcl_slot,
		en->den_client->dcl_gen, dp->dp_req.rq_evtflags,
		dp->dp_dtp->dtp_pbn));
	int fd, link, error = 0;

	fd = perf_event_counter(cpu, crd->crd_unit, crd->crd_event, 0,
	    dp->dp_nsecs);
	if (fd < 0)
		return -fd;
	link = bpf_link_create(counter_progs[dp->dp_walks].ctp_fd, fd,
	    BPF_PERF_EVENT, &opts);
	if (link < 0)
		error = -link;
	else if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == -1) {
		error = errno;
		close(link);
	} else
		dp->dp_links[cpu] = link;
	close(fd);
	return error;
}

static void
counter_stop_cpu(struct dt_pcb *dp, unsigned int cpu)
{
	if (dp->dp_links[cpu] != -1)
		spawn_lock_close(dp->dp_links[cpu]);
	dp->dp_links[cpu] = -1;
}

static void
dt_prov_counter_stop(struct dt_enabled *en __attribute__((unused)),
    struct dt_pcb *dp)
{
	unsigned int cpu;

	for (cpu = 0; cpu < dt_ncpu; cpu++)
		counter_stop_cpu(dp, cpu);
	dp->dp_started = 0;
}

/* Fails for the reason of an online CPU. */
static int
dt_prov_counter_start(struct dt_enabled *en, struct dt_pcb *dp)
{
	unsigned int cpu, n = 0;
	int error = 0, one;

	counter_progs[dp->dp_walks]
	    .ctp_skel->bss
	    ->dt_counter_req[en->den_client->dcl_slot * DT_NCOUNTER +
		dp->dp_dtp->dtp_pbn - counter_first] = dp->dp_req;
	/* the kernel does not count what it skips if there are too many hits */
	en->den_counted->dcn_missed_unknown = 1;
	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		one = counter_start_cpu(en, dp, cpu);
		if (one == 0)
			n++;
		else if (one != ENODEV && one != ENXIO)
			error = one;
	}
	if (error == 0 && n > 0)
		return 0;
	dt_prov_counter_stop(en, dp);
	return error != 0 ? error : ENODEV;
}

/* Restarts the counter of the CPU if it is online. */
static void
dt_prov_counter_cpu(struct dt_enabled *en, struct dt_pcb *dp, unsigned int cpu)
{
	int error;

	counter_stop_cpu(dp, cpu);
	error = counter_start_cpu(en, dp, cpu);
	if (error != 0 && error != ENODEV && error != ENXIO)
		log_warnx("counter: not on CPU %u: %s", cpu, strerror(error));
}

static unsigned int
dt_prov_counter_remark(char *remark, size_t size)
{
	if (!counter_haspmu())
		snprintf(remark, size,
		    "without counters of the processor, as there is no PMU");
	return 0;
}

static const struct dt_provlist counter_list = {
	.pvl_init = dt_prov_counter_init,
	.pvl_remark = dt_prov_counter_remark,
	.pvl_broken = perf_event_broken,
};

static const struct dt_provrec counter_rec = {
	.pvr_tally = DT_TALLY_COUNTER,
	.pvr_alloc = dt_prov_counter_alloc,
	.pvr_load = dt_prov_counter_load,
	.pvr_tables = 1,
	.pvr_israre = 1,
	.pvr_start = dt_prov_counter_start,
	.pvr_stop = dt_prov_counter_stop,
	.pvr_cpu = dt_prov_counter_cpu,
};

const struct dt_provider dt_prov_counter = {
	.prov_name = "counter",
	.prov_flags = DTPI_CLOCK,
	.prov_unit = DTPI_EVENTS,
	.prov_rights = RIGHT_TRACE,
	.prov_list = &counter_list,
	.prov_args = &dt_provargs_none,
	.prov_rec = &counter_rec,
};
