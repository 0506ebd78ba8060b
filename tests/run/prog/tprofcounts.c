/* SPDX-License-Identifier: ISC */
/*
 * tprofcounts scale|skipped|tsc|spin|family
 *
 * scale	the number of samples follows from counts and scales
 * skipped	the same, while another process reads a BPF map all the time
 * tsc		counts of a unit in sysfs, compared with the CPU's instruction
 * spin		a load of about half a second, to be counted
 * family	touches FAMILY_PAGES pages in a thread, in a child and by itself
 */
#include <sys/wait.h>

#include <bpf/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/run/prog/tprof.h"

#define FAMILY_PAGES 4000
#define MAP_BYTES    (1 << 20)

/*
 * Page faults, each of which is a sample by default, so a scale of 0.1 is one
 * sample per 10.  The kernel skips one that interrupts a change of a BPF map.
 */
static const struct {
	uint64_t flags, value2, period;
} scales[] = {
	{ 0, 0, 1 },
	{ TPROF_PARAM_VALUE2_SCALE, 0, 1 },
	{ TPROF_PARAM_VALUE2_SCALE, 10ULL << 32, 10 },
	{ TPROF_PARAM_VALUE2_SCALE, (1ULL << 32) / 1000, 1 },
	{ TPROF_PARAM_VALUE2_TRIGGERCOUNT, 7, 7 },
	{ TPROF_PARAM_VALUE2_TRIGGERCOUNT, 0, 1 },
};

#define NSCALES (sizeof(scales) / sizeof(scales[0]))
#define MAXCPU	1024

/* Checks that each due sample was read, or is among the nlost. */
static void
scale_check(struct dt *dt, uint64_t samples[NSCALES][MAXCPU], uint64_t nlost)
{
	struct tprof_counts tc;
	uint64_t due, missing = 0;
	unsigned int cpu, i, n = 0;

	for (cpu = 0; cpu < (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
	     cpu++) {
		tc.c_cpu = cpu;
		if (dt_ioctl(dt, TPROF_IOC_GETCOUNTS, &tc) == -1)
			errx(1, "counts: %s", dt_error(dt));
		for (i = 0; i < NSCALES; i++) {
			due = tc.c_count[i] / scales[i].period;
			if (samples[i][cpu] > due)
				errx(1, "counter %u: %ju samples of %ju", i,
				    (uintmax_t)samples[i][cpu], (uintmax_t)due);
			missing += due - samples[i][cpu];
			n += tc.c_count[i] != 0;
		}
	}
	if (missing != nlost)
		errx(1, "%ju samples are missing, %ju are counted as lost",
		    (uintmax_t)missing, (uintmax_t)nlost);
	check(n >= NSCALES, "each CPU has a sample at each so many");
}

/*
 * Keeps the kernel in reads of a map with a large value, on the parent's CPU.
 * Returns the process.
 */
static pid_t
map_reader(void)
{
	static char value[MAP_BYTES];
	uint32_t key = 0;
	cpu_set_t set;
	pid_t pid;
	int fd;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set) == -1)
		err(1, "sched_setaffinity");
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "large", sizeof(key),
	    sizeof(value), 1, NULL);
	if (fd < 0 || (pid = fork()) == -1)
		err(1, "map");
	for (; pid == 0 && getppid() != 1;)
		(void)bpf_map_lookup_elem(fd, &key, value);
	close(fd);
	return pid;
}

/* Faults in short turns, each of which interrupts the process's reads. */
static void
skipped_faults(void)
{
	pid_t pid = map_reader();
	int i;

	for (i = 0; i < 1000; i++) {
		fault(1);
		usleep(500);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
scale(int skipped)
{
	static uint64_t samples[NSCALES][MAXCPU];
	struct tprof_param p = { .p_event = PERF_COUNT_SW_PAGE_FAULTS,
		.p_unit = PERF_TYPE_SOFTWARE };
	struct dt *dt = device_open();
	struct dt_tprof_sample ts;
	struct tprof_stat st;
	uint64_t n = 0;

	for (p.p_counter = 0; p.p_counter < NSCALES; p.p_counter++) {
		p.p_flags = SAMPLES | scales[p.p_counter].flags;
		p.p_value2 = scales[p.p_counter].value2;
		if (dt_ioctl(dt, TPROF_IOC_CONFIGURE_EVENT, &p) == -1)
			errx(1, "configure: %s", dt_error(dt));
	}
	start(dt, (1U << NSCALES) - 1);
	if (skipped)
		skipped_faults();
	else
		fault(1000);
	stop(dt);
	for (; dt_tprof_next(dt, &ts, -1) == 1; n++)
		samples[TPROF_SAMPLE_COUNTER(&ts.ts_sample)]
		       [ts.ts_sample.s_cpuid % MAXCPU]++;
	conserve(dt, n * sizeof(tprof_sample_t), &st);
	if (!skipped && 100 * st.ts_overflow > n)
		errx(1, "%ju samples were lost", (uintmax_t)st.ts_overflow);
	scale_check(dt, samples, st.ts_overflow + st.ts_dropbuf_sample);
	if (skipped)
		printf("the kernel skipped %s\n",
		    st.ts_overflow != 0 ? "some" : "none");
	dt_close(dt);
}

#ifdef __x86_64__
static uint64_t
tsc(void)
{
	return __builtin_ia32_rdtsc();
}
#else
static uint64_t
tsc(void)
{
	errx(1, "no such instruction");
}
#endif

static uint32_t
msr_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/msr/type", "re");
	uint32_t type;

	if (f == NULL || fscanf(f, "%u", &type) != 1)
		err(1, "msr");
	fclose(f);
	return type;
}

/* Reads the counter of CPU cpu, and the time before and after. */
static void
tsc_count(struct dt *dt, uint32_t cpu, uint64_t v[3])
{
	struct tprof_counts tc = { .c_cpu = cpu };

	v[0] = tsc();
	if (dt_ioctl(dt, TPROF_IOC_GETCOUNTS, &tc) == -1)
		errx(1, "counts: %s", dt_error(dt));
	v[1] = tc.c_count[3];
	v[2] = tsc();
}

static void
counts_tsc(void)
{
	struct tprof_param p = { .p_counter = 3,
		.p_unit = msr_type(),
		.p_flags = ALL,
		.p_value = 1000 };
	struct dt *dt = device_open();
	uint64_t v[3], w[3];
	uint32_t cpu;

	if (dt_ioctl(dt, TPROF_IOC_CONFIGURE_EVENT, &p) == -1)
		errx(1, "configure: %s", dt_error(dt));
	for (cpu = 0; cpu < prog_ncpu(); cpu++) {
		tsc_count(dt, cpu, v);
		if (v[1] != 1000)
			errx(1, "before START: %ju", (uintmax_t)v[1]);
	}
	start(dt, 1U << 3);
	for (cpu = 0; cpu < prog_ncpu(); cpu++) {
		tsc_count(dt, cpu, v);
		fault(1000);
		tsc_count(dt, cpu, w);
		if (w[1] - v[1] > w[2] - v[0] || w[1] - v[1] < w[0] - v[2])
			errx(1, "CPU %u: %ju of %ju to %ju", cpu,
			    (uintmax_t)(w[1] - v[1]), (uintmax_t)(w[0] - v[2]),
			    (uintmax_t)(w[2] - v[0]));
	}
	check(1, "counts are what the instruction says");
	dt_close(dt);
}

static void
spin(void)
{
	volatile uint64_t i;

	for (i = 0; i < 30000000; i++)
		;
}

static void *
family_thread(void *arg)
{
	fault(FAMILY_PAGES);
	return arg;
}

static void
family(void)
{
	pthread_t t;
	pid_t pid;

	if (pthread_create(&t, NULL, family_thread, NULL) != 0 ||
	    pthread_join(t, NULL) != 0 || (pid = fork()) == -1)
		err(1, "family");
	fault(FAMILY_PAGES);
	if (pid == 0)
		_exit(0);
	if (waitpid(pid, NULL, 0) == -1)
		err(1, "waitpid");
}

int
main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";

	prog_init("tprofcounts", PROG_DEADLINE);
	if (strcmp(how, "spin") == 0) {
		spin();
		return 0;
	}
	if (strcmp(how, "family") == 0) {
		family();
		return 0;
	}
	prog_dtd_start(&dtd, NULL);
	if (strcmp(how, "tsc") == 0)
		counts_tsc();
	else if (strcmp(how, "scale") == 0)
		scale(0);
	else if (strcmp(how, "skipped") == 0)
		scale(1);
	else
		errx(1, "usage: tprofcounts scale|skipped|tsc|spin|family");
	prog_dtd_stop(&dtd);
	return 0;
}
