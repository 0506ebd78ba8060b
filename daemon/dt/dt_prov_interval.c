/* SPDX-License-Identifier: ISC */
/*
 * The interval provider: a clock that ticks on one CPU, also when that is
 * idle.  An open that records it has a thread that sleeps until the next
 * period and then has the kernel run the program on that CPU, in an interrupt
 * (BPF_PROG_TEST_RUN).  The thread keeps away from it, for it would interrupt
 * itself; where there is no other CPU, that is what the ticks tell of.
 *
 * The CPU is the first that is online, of those that dtd may use.  When it
 * goes, the kernel refuses, and the next one takes its place.
 *
 * Periods that the thread missed are skipped ticks: one tick for all that
 * have passed when it wakes, as the newer seed does.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "dt_btf.h"
#include "dt_maps.h"
#include "dt_prov_interval.skel.h"
#include "dt_softc.h"
#include "log.h"
#include "sym/kallsyms.h"

#define INTERVAL_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_WHO)
#define INTERVAL_STACK (64UL << 10) /* bytes, of the thread */

/* What the thread has; it is the thread's from its start to its end. */
struct dt_interval {
	pthread_t iv_thread;
	uint64_t iv_cookie;
	struct dt_count *iv_counts; /* of the open, by CPU */
	int iv_timer;
	int iv_end;	     /* eventfd: the thread shall end */
	unsigned int iv_cpu; /* where it ticks */
};

extern const struct dt_provider dt_prov_interval;

static int interval_progfd = -1;

static int
dt_prov_interval_init(const struct dt_provider *prov,
    char *reason __attribute__((unused)), size_t size __attribute__((unused)))
{
	return dt_probe_add(prov, "hz", "1", 0, 0) == NULL ? ENOMEM : 0;
}

static int
dt_prov_interval_alloc(struct dt_softc *sc __attribute__((unused)),
    struct dt_pcb *dp, const struct dtioc_req *rq)
{
	dp->dp_req.dr_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & INTERVAL_EVTFLAGS);
	return dt_pcb_period(dp, rq);
}

/* Tells the program which frames of a kernel stack are its own. */
static void
interval_entries(struct dt_prov_interval_bpf *skel)
{
	struct kfunc kf[] = {
#if defined(__x86_64__)
		{ .kf_name = "asm_sysvec_call_function_single" },
#else
		{ .kf_name = "el1h_64_irq" },
#endif
		{ .kf_name = "flush_smp_call_function_queue" },
	};
	size_t i, n = sizeof(kf) / sizeof(kf[0]);

	_Static_assert(sizeof(kf) / sizeof(kf[0]) ==
		sizeof(skel->rodata->dt_entry_begin) / sizeof(__u64),
	    "the program looks for as many");
	if (kallsyms_find(kf, n) != 0)
		return;
	for (i = 0; i < n; i++) {
		skel->rodata->dt_entry_begin[i] = kf[i].kf_begin;
		skel->rodata->dt_entry_end[i] = kf[i].kf_end;
	}
}

static int
dt_prov_interval_load(unsigned int part __attribute__((unused)), char *text)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts,
	    .btf_custom_path = dt_btf_path());
	struct dt_prov_interval_bpf *skel;
	int error;

	if ((skel = dt_prov_interval_bpf__open_opts(&opts)) == NULL) {
		snprintf(text, IOCTL_TEXT, "its BPF object does not open");
		return errno;
	}
	skel->rodata->dt_ncpu = dt_ncpu;
	interval_entries(skel);
	if ((error = dt_maps_share(skel->obj, DT_TALLY_INTERVAL)) != 0 ||
	    (error = -dt_prov_interval_bpf__load(skel)) != 0) {
		snprintf(text, IOCTL_TEXT,
		    "this kernel refuses the program: %s", dt_refused(error));
		dt_prov_interval_bpf__destroy(skel);
		return error;
	}
	interval_progfd = dt_prog_keep(skel->progs.dt_interval);
	error = interval_progfd == -1 ? errno : 0;
	dt_prov_interval_bpf__destroy(skel);
	if (error != 0)
		return error;
	dt_cost_watch(interval_progfd, &dt_prov_interval, 0);
	return 0;
}

/*
 * Keeps this thread off a CPU.  Fails where there is no other, and does not
 * last when the others go offline: the kernel then moves the thread.
 */
static void
interval_avoid(unsigned int cpu)
{
	size_t size = CPU_ALLOC_SIZE(dt_ncpu);
	cpu_set_t *set = CPU_ALLOC(dt_ncpu);
	unsigned int i;

	if (set == NULL)
		return;
	CPU_ZERO_S(size, set);
	for (i = 0; i < dt_ncpu; i++)
		if (i != cpu)
			CPU_SET_S(i, size, set);
	(void)sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

static int
interval_run(const struct dt_interval *iv, unsigned int cpu)
{
	uint64_t cookie = iv->iv_cookie;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &cookie,
	    .ctx_size_in = sizeof(cookie), .flags = BPF_F_TEST_RUN_ON_CPU,
	    .cpu = cpu);

	return -bpf_prog_test_run_opts(interval_progfd, &opts);
}

static void
interval_skipped(const struct dt_interval *iv, uint64_t n)
{
	__atomic_fetch_add(&iv->iv_counts[iv->iv_cpu].dc_skiptick, n,
	    __ATOMIC_RELAXED);
}

/* n periods have passed: a tick, on the next CPU that is there. */
static void
interval_tick(struct dt_interval *iv, uint64_t n)
{
	unsigned int i, cpu = iv->iv_cpu;
	int error = ENXIO;

	if ((unsigned int)sched_getcpu() == cpu)
		interval_avoid(cpu);
	for (i = 0; i < dt_ncpu && error == ENXIO; i++) {
		cpu = (iv->iv_cpu + i) % dt_ncpu;
		error = interval_run(iv, cpu);
	}
	if (error == 0)
		n--;
	else
		log_warnx("interval: %s", strerror(error));
	if (error == 0 && cpu != iv->iv_cpu) {
		iv->iv_cpu = cpu;
		interval_avoid(cpu);
	}
	if (n > 0)
		interval_skipped(iv, n);
}

/*
 * Before all that is no clock, if dtd may (CAP_SYS_NICE): on a machine whose
 * CPUs are all busy a tick would else wait for its turn, and every fourth of a
 * thousand a second came too late.
 */
static void
interval_hurry(void)
{
	const struct sched_param sp = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &sp) == -1)
		log_debug("interval: no SCHED_FIFO: %s", strerror(errno));
}

static void *
interval_thread(void *arg)
{
	struct dt_interval *iv = arg;
	struct pollfd pfd[] = {
		{ .fd = iv->iv_end, .events = POLLIN },
		{ .fd = iv->iv_timer, .events = POLLIN },
	};
	uint64_t n;

	interval_hurry();
	interval_avoid(iv->iv_cpu);
	while (poll(pfd, 2, -1) == -1 || pfd[0].revents == 0)
		if (read(iv->iv_timer, &n, sizeof(n)) == sizeof(n))
			interval_tick(iv, n);
	/* A period that ended as the recording did has its tick, too. */
	if (read(iv->iv_timer, &n, sizeof(n)) == sizeof(n))
		interval_tick(iv, n);
	return NULL;
}

static void
interval_free(struct dt_interval *iv)
{
	if (iv->iv_timer != -1)
		close(iv->iv_timer);
	if (iv->iv_end != -1)
		close(iv->iv_end);
	free(iv);
}

/* The kernel leaves those out that are offline. */
static unsigned int
interval_first(void)
{
	size_t size = CPU_ALLOC_SIZE(dt_ncpu);
	cpu_set_t *set = CPU_ALLOC(dt_ncpu);
	unsigned int cpu = 0;

	if (set == NULL)
		return 0;
	CPU_ZERO_S(size, set);
	(void)sched_getaffinity(0, size, set);
	while (cpu < dt_ncpu && !CPU_ISSET_S(cpu, size, set))
		cpu++;
	CPU_FREE(set);
	return cpu < dt_ncpu ? cpu : 0;
}

/* The thread starts with the clock: the first tick is a period away. */
static int
interval_start_thread(struct dt_interval *iv, uint64_t nsecs)
{
	const struct timespec period = {
		.tv_sec = nsecs / 1000000000,
		.tv_nsec = nsecs % 1000000000,
	};
	const struct itimerspec it = { period, period };
	pthread_attr_t attr;
	int error;

	iv->iv_timer = timerfd_create(CLOCK_MONOTONIC,
	    TFD_CLOEXEC | TFD_NONBLOCK);
	iv->iv_end = eventfd(0, EFD_CLOEXEC);
	if (iv->iv_timer == -1 || iv->iv_end == -1 ||
	    timerfd_settime(iv->iv_timer, 0, &it, NULL) == -1)
		return errno;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, INTERVAL_STACK);
	error = pthread_create(&iv->iv_thread, &attr, interval_thread, iv);
	pthread_attr_destroy(&attr);
	return error;
}

static int
dt_prov_interval_start(struct dt_softc *sc, struct dt_pcb *dp)
{
	struct dt_interval *iv;
	int error;

	if ((iv = calloc(1, sizeof(*iv))) == NULL)
		return ENOMEM;
	iv->iv_timer = iv->iv_end = -1;
	iv->iv_cpu = interval_first();
	iv->iv_cookie = DT_COOKIE(sc->ds_slot, sc->ds_gen,
	    dp->dp_req.dr_evtflags, dp->dp_dtp->dtp_pbn);
	iv->iv_counts = dt_counts_of(sc->ds_slot, DT_TALLY_INTERVAL);
	if ((error = interval_start_thread(iv, dp->dp_nsecs)) != 0) {
		interval_free(iv);
		return error;
	}
	dp->dp_interval = iv;
	return 0;
}

static void
dt_prov_interval_stop(struct dt_softc *sc __attribute__((unused)),
    struct dt_pcb *dp)
{
	struct dt_interval *iv = dp->dp_interval;
	uint64_t one = 1;

	if (write(iv->iv_end, &one, sizeof(one)) == -1)
		log_warn("interval: eventfd");
	pthread_join(iv->iv_thread, NULL);
	interval_free(iv);
	dp->dp_interval = NULL;
	dp->dp_started = 0;
}

const struct dt_provider dt_prov_interval = {
	.dtpv_name = "interval",
	.dtpv_tally = DT_TALLY_INTERVAL,
	.dtpv_rights = RIGHT_TRACE,
	.dtpv_init = dt_prov_interval_init,
	.dtpv_alloc = dt_prov_interval_alloc,
	.dtpv_load = dt_prov_interval_load,
	.dtpv_start = dt_prov_interval_start,
	.dtpv_stop = dt_prov_interval_stop,
};
