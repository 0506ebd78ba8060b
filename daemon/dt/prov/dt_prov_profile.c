/* SPDX-License-Identifier: ISC */
/*
 * The profile provider: a clock on every online CPU, made of a perf event of
 * the CPU's software clock whose overflow runs a BPF program.  The event
 * belongs to one session; the cookie of its link has the session's slot, its
 * generation and the requested parts of a record.
 *
 * The program counts missing ticks (bpf/dt_clock.bpf.h).  A second program, run
 * on each CPU, opens and closes the CPU's account, so that the time before the
 * first and after the last tick also counts.
 */
#include <errno.h>
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
#include "dt_prov_profile.skel.h"

extern const struct dt_provider dt_prov_profile;

/* Programs without and with unwind tables. */
static struct profile_progs {
	struct dt_prov_profile_bpf *ppr_skel; /* stays loaded */
	int ppr_fd;
	struct dt_req *ppr_req; /* by slot; mapped */
} profile_progs[2];

static int profile_gapfd = -1;
/* The programs know how long a CPU was idle; -1 before the first load. */
static int profile_exact = -1;

/* Parses a line "cpuN user nice system idle iowait ...". */
static int
idle_parse(const char *line, unsigned int *cpu, unsigned long long *ticks)
{
	unsigned long long idle, iowait;

	if (sscanf(line, "cpu%u %*u %*u %*u %llu %llu", cpu, &idle, &iowait) !=
	    3)
		return -1;
	*ticks = idle + iowait;
	return 0;
}

static uint64_t
idle_unit(void)
{
	return 1000000000ULL / sysconf(_SC_CLK_TCK);
}

/*
 * Stores the idle time of each CPU in ns, from /proc/stat, for kernels that do
 * not provide it to BPF programs. Its unit is a hundredth of a second.
 */
static int
idle_read(uint64_t *nsecs)
{
	unsigned long long ticks;
	unsigned int cpu;
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	memset(nsecs, 0, dt_ncpu * sizeof(*nsecs));
	if ((f = fopen("/proc/stat", "re")) == NULL)
		return errno;
	while (getline(&line, &size, f) > 0 && strncmp(line, "cpu", 3) == 0)
		if (idle_parse(line, &cpu, &ticks) == 0 && cpu < dt_ncpu)
			nsecs[cpu] = ticks * idle_unit();
	free(line);
	fclose(f);
	return 0;
}

static int
dt_prov_profile_init(const struct dt_provider *prov,
    char *reason __attribute__((unused)), size_t size __attribute__((unused)))
{
	return dt_probe_add(prov, "hz", "97", 0, 0) == NULL ? ENOMEM : 0;
}

static int
dt_prov_profile_alloc(struct dt_enabled *en __attribute__((unused)),
    struct dt_pcb *dp, const struct dtioc_req *rq)
{
	int error = dt_pcb_period(dp, rq, DT_CLOCK_MIN, DT_CLOCK_MAX);

	return error != 0 ? error : dt_pcb_links(dp);
}

static struct bpf_program *
profile_prog(const struct dt_prov_profile_bpf *skel, int exact, int tables)
{
	if (exact)
		return tables ? skel->progs.dt_profile_tables
			      : skel->progs.dt_profile;
	return tables ? skel->progs.dt_profile_coarse_tables
		      : skel->progs.dt_profile_coarse;
}

static struct bpf_program *
profile_gapprog(const struct dt_prov_profile_bpf *skel, int exact)
{
	return exact ? skel->progs.dt_profile_gap
		     : skel->progs.dt_profile_gap_coarse;
}

/* Loads one of the two pairs of programs, without or with unwind tables. */
static int
profile_load(int exact, int tables, struct dt_prov_profile_bpf **skelp)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_profile_bpf *skel = dt_prov_profile_bpf__open_opts(
	    &opts);
	int error;

	if (skel == NULL)
		return errno;
	bpf_program__set_autoload(profile_prog(skel, exact, tables), true);
	bpf_program__set_autoload(profile_gapprog(skel, exact), true);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = dt_maps_share(skel->obj, DT_TALLY_PROFILE)) != 0 ||
	    (tables && (error = unwind_share(skel->obj)) != 0) ||
	    (error = -dt_prov_profile_bpf__load(skel)) != 0) {
		dt_prov_profile_bpf__destroy(skel);
		return error;
	}
	*skelp = skel;
	return 0;
}

/* Both variants, without and with tables, use the same pair. */
static int
dt_prov_profile_load(unsigned int part, struct reason *rs)
{
	const int tables = (part & DT_PART_TABLES) != 0;
	struct profile_progs *ppr = &profile_progs[tables];
	struct dt_prov_profile_bpf *skel;
	int exact = profile_exact != 0, error;

	error = profile_load(exact, tables, &skel);
	if (error != 0 && profile_exact == -1) {
		exact = 0;
		error = profile_load(exact, tables, &skel);
		log_debug("profile: idle time comes from /proc/stat");
	}
	if (error != 0)
		return reason_fail(rs, error,
		    "this kernel refuses the program: %s", dt_refused(error));
	if ((error = dt_maps_seen(skel->bss, rs)) != 0) {
		dt_prov_profile_bpf__destroy(skel);
		return error;
	}
	profile_exact = exact;
	ppr->ppr_skel = skel;
	ppr->ppr_fd = bpf_program__fd(profile_prog(skel, exact, tables));
	ppr->ppr_req = skel->bss->dt_profile_req;
	profile_gapfd = bpf_program__fd(profile_gapprog(skel, exact));
	dt_cost_watch(ppr->ppr_fd, &dt_prov_profile, 0);
	return 0;
}

static struct dt_count *
profile_count(const struct dt_enabled *en, unsigned int cpu)
{
	return &dt_counts_of(en->den_client->dcl_slot, DT_TALLY_PROFILE)[cpu];
}

/*
 * Returns the idle time of all CPUs from /proc if the programs do not know it,
 * otherwise NULL. The caller frees it.
 */
static uint64_t *
profile_idle(void)
{
	uint64_t *nsecs;
	int error;

	if (profile_exact)
		return NULL;
	if ((nsecs = malloc(dt_ncpu * sizeof(*nsecs))) == NULL)
		return NULL;
	if ((error = idle_read(nsecs)) != 0) {
		log_warnx("/proc/stat: %s", strerror(error));
		free(nsecs);
		return NULL;
	}
	return nsecs;
}

/* Opens or closes the account of a CPU: ENXIO if it is offline. */
static int
profile_gap(const struct dt_enabled *en, unsigned int cpu, int open)
{
	uint64_t args[] = { en->den_client->dcl_slot, cpu, open };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args,
	    .ctx_size_in = sizeof(args), .flags = BPF_F_TEST_RUN_ON_CPU,
	    .cpu = cpu);
	int error = -bpf_prog_test_run_opts(profile_gapfd, &opts);

	if (error == ENXIO && !open) {
		opts.flags = 0;
		opts.cpu = 0;
		error = -bpf_prog_test_run_opts(profile_gapfd, &opts);
	}
	return error;
}

/*
 * Counts missing ticks of unknown cause as idle: the number of periods in the
 * CPU's idle time, rounded up since its unit is a hundredth of a second, less
 * the ticks that occurred in it.
 */
static void
profile_settle(struct dt_count *c, uint64_t period, uint64_t idle)
{
	uint64_t n = 0;

	if (idle > c->dc_idle0)
		n = (idle - c->dc_idle0 + idle_unit()) / period;
	n = n > c->dc_idleticks ? n - c->dc_idleticks : 0;
	if (n > c->dc_unknown)
		n = c->dc_unknown;
	__atomic_fetch_add(&c->dc_idle, n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->dc_skiptick, c->dc_unknown - n,
	    __ATOMIC_RELAXED);
	c->dc_unknown = 0;
	c->dc_idleticks = 0;
}

/*
 * Starts the clock of one CPU; ENODEV or ENXIO: it is offline.  The link keeps
 * the event alive.
 */
static int
profile_start_cpu(struct dt_enabled *en, struct dt_pcb *dp, unsigned int cpu,
    const uint64_t *idle)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = DT_COOKIE(en->den_client->dcl_slot,
		en->den_client->dcl_gen, dp->dp_req.rq_evtflags,
		dp->dp_dtp->dtp_pbn));
	int fd, link, error;

	if ((fd = perf_event_clock(cpu, dp->dp_nsecs)) < 0)
		return -fd;
	link = bpf_link_create(profile_progs[dp->dp_walks].ppr_fd, fd,
	    BPF_PERF_EVENT, &opts);
	if (link < 0) {
		close(fd);
		return -link;
	}
	/*
	 * Without the idle time at the start, no missing tick counts as idle.
	 */
	if (!profile_exact)
		profile_count(en, cpu)->dc_idle0 = idle != NULL &&
			idle[cpu] != 0
		    ? idle[cpu]
		    : UINT64_MAX;
	error = profile_gap(en, cpu, 1);
	if (error == 0 && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == -1)
		error = errno;
	close(fd);
	if (error != 0) {
		close(link);
		return error;
	}
	dp->dp_links[cpu] = link;
	return 0;
}

/* Stops the clock of a CPU, and counts the ticks that are missing so far. */
static void
profile_stop_cpu(struct dt_enabled *en, struct dt_pcb *dp, unsigned int cpu,
    const uint64_t *idle)
{
	int error;

	if (dp->dp_links[cpu] == -1)
		return;
	spawn_lock_close(dp->dp_links[cpu]);
	dp->dp_links[cpu] = -1;
	if ((error = profile_gap(en, cpu, 0)) != 0)
		log_warnx("profile: CPU %u: %s", cpu, strerror(error));
	if (!profile_exact)
		profile_settle(profile_count(en, cpu), dp->dp_nsecs,
		    idle != NULL ? idle[cpu] : 0);
}

static void
dt_prov_profile_stop(struct dt_enabled *en, struct dt_pcb *dp)
{
	uint64_t *idle = profile_idle();
	unsigned int cpu;

	for (cpu = 0; cpu < dt_ncpu; cpu++)
		profile_stop_cpu(en, dp, cpu, idle);
	free(idle);
	dp->dp_started = 0;
}

static int
profile_isoffline(int error)
{
	return error == ENODEV || error == ENXIO;
}

static int
dt_prov_profile_start(struct dt_enabled *en, struct dt_pcb *dp)
{
	uint64_t *idle = profile_idle();
	unsigned int cpu, n = 0;
	int error = 0;

	profile_progs[dp->dp_walks]
	    .ppr_req[en->den_client->dcl_slot] = dp->dp_req;
	dt_maps.dtm_table->t_sess[en->den_client->dcl_slot]
	    .ses_period = dp->dp_nsecs;
	/* perf does not count the ticks that it skips; they count as missing */
	en->den_counted->dcn_missed_unknown = 1;
	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		error = profile_start_cpu(en, dp, cpu, idle);
		if (error == 0)
			n++;
		else if (!profile_isoffline(error))
			break;
		error = 0;
	}
	free(idle);
	if (error == 0 && n == 0)
		error = ENODEV;
	if (error != 0)
		dt_prov_profile_stop(en, dp);
	return error;
}

/* Restarts the clock of the CPU if it is online. */
static void
dt_prov_profile_cpu(struct dt_enabled *en, struct dt_pcb *dp, unsigned int cpu)
{
	uint64_t *idle = profile_idle();
	int error;

	profile_stop_cpu(en, dp, cpu, idle);
	error = profile_start_cpu(en, dp, cpu, idle);
	if (error != 0 && !profile_isoffline(error))
		log_warnx("profile: no clock on CPU %u: %s", cpu,
		    strerror(error));
	free(idle);
}

static const struct dt_provlist profile_list = {
	.pvl_init = dt_prov_profile_init,
	.pvl_broken = perf_event_broken,
};

static const struct dt_provrec profile_rec = {
	.pvr_tally = DT_TALLY_PROFILE,
	.pvr_alloc = dt_prov_profile_alloc,
	.pvr_load = dt_prov_profile_load,
	.pvr_tables = 1,
	.pvr_start = dt_prov_profile_start,
	.pvr_stop = dt_prov_profile_stop,
	.pvr_cpu = dt_prov_profile_cpu,
};

const struct dt_provider dt_prov_profile = {
	.prov_name = "profile",
	.prov_flags = DTPI_CLOCK,
	.prov_rights = RIGHT_TRACE,
	.prov_list = &profile_list,
	.prov_args = &dt_provargs_none,
	.prov_rec = &profile_rec,
};
