/* SPDX-License-Identifier: ISC */
/*
 * clocks LOAD [-i] [-p USECS] [-d MSECS]
 *
 * Whether clocks account for all time: during a load, ticks, skipped ticks and
 * idle ticks together equal the elapsed time on each CPU, which is measured
 * here with another clock.  With -i the provider is interval, else profile.
 *
 * none		no load: CPUs are idle unless other processes use them
 * busy		a thread spins on each CPU; ticks must show it
 * update	a thread on each CPU changes a BPF map; meanwhile the kernel
 *		runs no other perf program, and ticks of profile are lost
 * stop		the daemon is stopped half of the time (SIGSTOP): profile keeps
 *		ticking, interval skips
 */
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/run/prog/prog.h"

#define CLOCKS_MAXCPU 64
/* Ticks per CPU that a clock may start late, and that it may be off. */
#define CLOCKS_SLACK 2

struct load {
	const char *ld_name;
	void *(*ld_thread)(void *); /* on each CPU; NULL: none */
	int ld_stops;		    /* the daemon is stopped */
	int ld_loses;		    /* ticks must be skipped */
	int ld_seen;		    /* ticks must show its threads */
};

static volatile int over;
static int map;

static void *
spin(void *arg)
{
	prog_pin((uintptr_t)arg);
	while (!over)
		continue;
	return NULL;
}

static void *
update(void *arg)
{
	uint32_t key = 0;
	uint64_t v = 0;

	prog_pin((uintptr_t)arg);
	while (!over)
		if (bpf_map_update_elem(map, &key, &v, BPF_ANY) != 0)
			err(1, "an update of a map");
	return NULL;
}

static const struct load loads[] = {
	{ "none", NULL, 0, 0, 0 },
	{ "busy", spin, 0, 0, 1 },
	{ "update", update, 0, 1, 0 },
	{ "stop", NULL, 1, 0, 0 },
};

/* The child: runs the threads until the parent closes the socket. */
static void
load_run(int sock, void *arg)
{
	const struct load *ld = arg;
	pthread_t t[CLOCKS_MAXCPU];
	unsigned int i, n = prog_ncpu();

	if (n > CLOCKS_MAXCPU)
		errx(1, "%u CPUs", n);
	map = bpf_map_create(BPF_MAP_TYPE_HASH, "clocks", 4, 8, 1, NULL);
	if (map < 0)
		err(1, "a map");
	for (i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, ld->ld_thread,
			(void *)(uintptr_t)i) != 0)
			errx(1, "pthread_create");
	prog_tell(sock, 's');
	prog_hear(sock);
	over = 1;
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void
pause_ms(long ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

/*
 * Waits for ms milliseconds; if the load is "stop", the daemon is stopped for
 * half of them.
 */
static void
meanwhile(const struct load *ld, const struct prog_dtd *pd, long ms)
{
	if (!ld->ld_stops) {
		pause_ms(ms);
		return;
	}
	pause_ms(ms / 4);
	kill(pd->pd_pid, SIGSTOP);
	pause_ms(ms / 2);
	kill(pd->pd_pid, SIGCONT);
	pause_ms(ms / 4);
}

/*
 * Returns the idle time of all CPUs together in ns; *unit: its resolution, ns.
 */
static uint64_t
idle_time(uint64_t *unit)
{
	unsigned long long idle, iowait;
	FILE *f = fopen("/proc/stat", "re");

	*unit = 1000000000ULL / sysconf(_SC_CLK_TCK);
	if (f == NULL ||
	    fscanf(f, "cpu %*u %*u %*u %llu %llu", &idle, &iowait) != 2)
		err(1, "/proc/stat");
	fclose(f);
	return (idle + iowait) * *unit;
}

/* *nload: counts events of the load's threads, with their stack. */
static uint64_t
read_all(struct dt *dt, pid_t load, uint64_t *nload)
{
	struct dt_event ev;
	uint64_t n = 0;

	*nload = 0;
	while (dt_next(dt, &ev, 1000 * PROG_DEADLINE) == 1) {
		n++;
		*nload += (pid_t)ev.ev_rec->dr_pid == load &&
		    ev.ev_comm != NULL && strcmp(ev.ev_comm, "clocks") == 0 &&
		    ev.ev_ustack != NULL && ev.ev_ustack->drs_count > 0;
	}
	return n;
}

/* least and most: bounds of the recording's length in ns; idle: periods. */
static void
check(const struct load *ld, const struct dt_ledger *dl, int interval,
    unsigned int ncpu, uint64_t period, uint64_t least, uint64_t most,
    uint64_t idle)
{
	uint64_t n = dl->dl_fired + dl->dl_excluded, lost = dl->dl_skiptick;
	uint64_t sum = n + lost + dl->dl_idle, slack = CLOCKS_SLACK * ncpu;

	printf("%s: %llu ticks, %llu skipped, %llu idle; due %llu to %llu\n",
	    ld->ld_name, (unsigned long long)n, (unsigned long long)lost,
	    (unsigned long long)dl->dl_idle,
	    (unsigned long long)(least / period * ncpu),
	    (unsigned long long)(most / period * ncpu));
	if (sum + slack < least / period * ncpu ||
	    sum > most / period * ncpu + slack)
		errx(1, "%llu in all", (unsigned long long)sum);
	if (n == 0)
		errx(1, "no ticks");
	if (ld->ld_loses && !interval && lost == 0)
		errx(1, "nothing was lost");
	/*
	 * Periods of an idle CPU count as ticks or as idle; the boundary
	 * between two ticks may be rounded by half a period.
	 */
	if (!interval && sum > idle && lost > sum - idle + n / 2 + slack)
		errx(1, "of %llu idle ones some count as lost",
		    (unsigned long long)idle);
}

static void
run(const struct load *ld, int interval, uint64_t period, long ms)
{
	unsigned int ncpu = interval ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
	int64_t before, begin, end, after;
	uint64_t idle, unit, nload;
	struct prog_child pc = { .pc_pid = -1 };
	struct dt_ledger dl;
	struct prog_dtd pd;
	struct dt *dt;

	if (ld->ld_thread != NULL) {
		prog_child_start(&pc, load_run, (void *)ld);
		prog_hear(pc.pc_sock);
	}
	prog_dtd_start(&pd, NULL);
	dt = prog_open(&pd, 0);
	prog_budget(dt, 8 << 20);
	prog_enable(dt, interval ? "interval:hz:1" : "profile:hz:97",
	    ld->ld_seen ? DTEVT_EXECNAME | DTEVT_USTACK : 0, period);
	before = prog_now();
	prog_record(dt, 1);
	begin = prog_now();
	idle = idle_time(&unit);
	meanwhile(ld, &pd, ms);
	idle = idle_time(&unit) - idle;
	end = prog_now();
	prog_record(dt, 0);
	after = prog_now();
	prog_ledger(dt, NULL, read_all(dt, pc.pc_pid, &nload), &dl);
	dt_close(dt);
	prog_dtd_stop(&pd);
	if (ld->ld_thread != NULL)
		prog_child_end(&pc);
	check(ld, &dl, interval, ncpu, period, end - begin, after - before,
	    idle > ncpu * unit ? (idle - ncpu * unit) / period : 0);
	if (ld->ld_seen && nload == 0)
		errx(1, "no tick tells of who was busy");
	if (ld->ld_stops && interval && dl.dl_skiptick < ms * 400000 / period)
		errx(1, "a stopped daemon skips nothing");
	if (ld->ld_stops && !interval && dl.dl_dropped != 0)
		errx(1, "dropped %llu", (unsigned long long)dl.dl_dropped);
}

int
main(int argc, char **argv)
{
	const struct load *ld = NULL;
	long usecs = 1000, ms = 1000;
	int ch, interval = 0;
	size_t i;

	prog_init("clocks", PROG_DEADLINE);
	for (i = 0; argc > 1 && i < sizeof(loads) / sizeof(loads[0]); i++)
		if (strcmp(argv[1], loads[i].ld_name) == 0)
			ld = &loads[i];
	if (ld == NULL)
		errx(2, "which load?");
	optind = 2;
	while ((ch = getopt(argc, argv, "id:p:")) != -1)
		if (ch == 'i')
			interval = 1;
		else if (ch == 'p')
			usecs = prog_number(optarg, 1000000);
		else if (ch == 'd')
			ms = prog_number(optarg, 60000);
		else
			return 2;
	run(ld, interval, usecs * 1000ULL, ms);
	printf("clocks %s: all time is accounted for\n", ld->ld_name);
	return 0;
}
