/* SPDX-License-Identifier: ISC */
/*
 * Cost of following 1,000 short programs per second for a profile at 99 Hz: CPU
 * time of dtd, minus its CPU time in a profile without new programs (stacks are
 * not what is measured here), and the share of their samples that can be
 * symbolized.  Compared with perf record -a -g, which writes the same events
 * and stacks to a file. bpftrace does not follow processes: it cannot symbolize
 * programs that have exited.
 *
 * Symbols are requested after the window, so their cost is excluded.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/perf.h"

#define FOLLOW_MAXROUNDS 8
#define FOLLOW_GAP	 1000000LL    /* ns between two starts */
#define FOLLOW_WINDOW	 1000000000LL /* ns of a round */
#define FOLLOW_PERF	 2000000000LL /* ns; perf wakes up rarely */
#define FOLLOW_WARM	 500000000LL  /* ns to read existing processes */
#define FOLLOW_ALIVE	 32	      /* programs at a time */
#define FOLLOW_PERIOD	 10101010     /* ns, 99 Hz */
#define FOLLOW_MAXCPU	 1024
#define FOLLOW_SAMPLES	 2048
#define FOLLOW_KPCS	 64 /* frames of the kernel stack */
#define FOLLOW_TIMEOUT	 10 /* ms */

/* Uses a millisecond of CPU time; see tests/run/prog/sym. */
static const char tiny_name[] = "sym_tiny";

/* Shared with the process that starts them. */
struct spawner {
	pid_t sp_pid;
	atomic_long sp_n; /* programs started */
};

/* A sample of one of the programs. */
struct sample {
	uint64_t sa_time, sa_pc; /* pc of the innermost frame */
	pid_t sa_pid;
	size_t sa_nkpcs;
	uint64_t sa_kpcs[FOLLOW_KPCS];
};

static struct bench_dtd dtd;
static struct sample samples[FOLLOW_SAMPLES];
static int nsamples;

/* Reaps programs that have exited, and waits for one if there are too many. */
static void
spawner_reap(int *nalive)
{
	while (*nalive > 0 &&
	    waitpid(-1, NULL, *nalive < FOLLOW_ALIVE ? WNOHANG : 0) > 0)
		--*nalive;
}

static void
spawner_run(struct spawner *sp)
{
	int64_t start = bench_now(), wait;
	char path[4096], *argv[] = { path, NULL };
	posix_spawn_file_actions_t quiet;
	int nalive = 0;
	long n;

	/* each of them prints its truth for the tests */
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null",
	    O_WRONLY, 0);
	snprintf(path, sizeof(path), "%s/sym/%s", bench_dir, tiny_name);
	for (n = 0;; n++) {
		spawner_reap(&nalive);
		wait = start + n * FOLLOW_GAP - bench_now();
		if (wait > 0)
			bench_sleep(wait);
		if ((errno = posix_spawn(NULL, path, &quiet, NULL, argv,
			 environ)) != 0)
			err(1, "%s", path);
		nalive++;
		atomic_fetch_add(&sp->sp_n, 1);
	}
}

static struct spawner *
spawner_start(void)
{
	struct spawner *sp;
	pid_t pid;

	sp = mmap(NULL, sizeof(*sp), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sp == MAP_FAILED)
		err(1, "mmap");
	if ((pid = bench_fork(SIGKILL)) == 0)
		spawner_run(sp);
	sp->sp_pid = pid;
	return sp;
}

static void
spawner_stop(struct spawner *sp)
{
	bench_wait(sp->sp_pid, SIGKILL);
	munmap(sp, sizeof(*sp));
}

static void
take(const struct dt_event *ev)
{
	struct sample *sa = &samples[nsamples];
	size_t i;

	if (nsamples == FOLLOW_SAMPLES || ev->ev_ustack == NULL ||
	    ev->ev_ustack->drs_count == 0 || ev->ev_comm == NULL ||
	    strcmp(ev->ev_comm, tiny_name) != 0)
		return;
	sa->sa_time = ev->ev_rec->dr_time;
	sa->sa_pid = ev->ev_rec->dr_pid;
	sa->sa_pc = DT_STACK_PCS(ev->ev_ustack)[0];
	sa->sa_nkpcs = 0;
	for (i = 0; ev->ev_kstack != NULL && i < ev->ev_kstack->drs_count &&
	     i < FOLLOW_KPCS;
	     i++)
		sa->sa_kpcs[sa->sa_nkpcs++] = DT_STACK_PCS(ev->ev_kstack)[i];
	nsamples++;
}

/* Reads events for nsecs. */
static void
read_samples(struct dt *dt, int64_t nsecs)
{
	int64_t end = bench_now() + nsecs;
	struct dt_event ev;
	int r;

	while (bench_now() < end) {
		if ((r = dt_next(dt, &ev, FOLLOW_TIMEOUT)) == -1)
			err(1, "dt_next: %s", dt_error(dt));
		if (r == 1)
			take(&ev);
	}
}

static struct dt *
profile(void)
{
	struct dt *dt = bench_open(&dtd, 0);

	bench_enable(dt, "profile:hz:97",
	    DTEVT_EXECNAME | DTEVT_KSTACK | DTEVT_USTACK, FOLLOW_PERIOD);
	bench_record(dt, 1);
	read_samples(dt, FOLLOW_WARM);
	return dt;
}

static void
spin(uint64_t n)
{
	volatile uint64_t i;

	for (i = 0; i < 1000 * n; i++)
		;
}

static const struct bench_call spinning = { "spin", NULL, spin };

/*
 * Returns the CPU time of dtd in a window with busy CPUs and no new programs.
 */
static double
without(void)
{
	int i, ncpu = bench_ncpu();
	struct bench_load *bl[FOLLOW_MAXCPU];
	struct dt *dt;
	int64_t cpu;

	for (i = 0; i < ncpu; i++)
		bl[i] = bench_load_start(i, &spinning, 0);
	for (i = 0; i < ncpu; i++)
		bench_load_go(bl[i]);
	dt = profile();
	cpu = bench_cputime(dtd.bd_pid);
	read_samples(dt, FOLLOW_WINDOW);
	cpu = bench_cputime(dtd.bd_pid) - cpu;
	dt_close(dt);
	for (i = 0; i < ncpu; i++) {
		bench_load_stop(bl[i]);
		bench_load_end(bl[i]);
	}
	return cpu;
}

/*
 * Converts CPU time and programs of a window to percent of a CPU at 1,000
 * programs per second.
 */
static double
percent(double cputime, long nstarted)
{
	if (nstarted == 0)
		errx(1, "no program was started");
	return cputime / nstarted * 1000 / 1e9 * 100;
}

/*
 * Returns whether the sample is in the kernel while it loads the program: the
 * new name is set, but the registers are those of the old program, whose
 * mappings are removed.
 */
static int
is_loading(struct dt *dt, const struct sample *sa)
{
	const char *name;
	size_t i;

	for (i = 0; i < sa->sa_nkpcs; i++) {
		name = dt_ksym(dt, sa->sa_kpcs[i], NULL);
		if (name != NULL && strcmp(name, "load_elf_binary") == 0)
			return 1;
	}
	return 0;
}

/* Result of symbolizing the samples. */
struct named {
	int na_n, na_loading;
	double na_known; /* percent with known process and file */
	double na_named; /* percent with a function */
};

static void
name_samples(struct dt *dt, struct named *na)
{
	const struct sample *sa;
	struct dt_frames fr;
	unsigned int why;

	*na = (struct named){ 0 };
	for (sa = samples; sa < &samples[nsamples]; sa++) {
		if (is_loading(dt, sa)) {
			na->na_loading++;
			continue;
		}
		if (dt_symbolize(dt, sa->sa_pid, sa->sa_time, &sa->sa_pc, 1, 0,
			&fr) == -1)
			errx(1, "dt_symbolize: %s", dt_error(dt));
		why = fr.df_frames[0].df_why;
		na->na_n++;
		na->na_known += why == DTFR_NAMED || why == DTFR_NOSYM;
		na->na_named += why == DTFR_NAMED;
		dt_frames_free(&fr);
	}
	if (na->na_n == 0)
		errx(1, "no program was sampled");
	na->na_known *= 100.0 / na->na_n;
	na->na_named *= 100.0 / na->na_n;
}

/*
 * Measures the cost per round with new programs.  Returns the number of lost
 * side-band events.
 */
static double
with(double *cost, long *nstarted, int rounds, struct named *na)
{
	struct dt *dt = profile();
	struct spawner *sp = spawner_start();
	struct dtioc_fullstat fs;
	int64_t cpu;
	long n;
	int i;

	read_samples(dt, FOLLOW_WARM);
	nsamples = 0;
	for (i = 0; i < rounds; i++) {
		cpu = bench_cputime(dtd.bd_pid);
		n = atomic_load(&sp->sp_n);
		read_samples(dt, FOLLOW_WINDOW);
		nstarted[i] = atomic_load(&sp->sp_n) - n;
		cost[i] = bench_cputime(dtd.bd_pid) - cpu;
	}
	spawner_stop(sp);
	bench_record(dt, 0);
	name_samples(dt, na);
	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		err(1, "statistics: %s", dt_error(dt));
	dt_close(dt);
	return fs.dtfs_sym.dtss_nlost;
}

static double
with_perf(void)
{
	struct spawner *sp = spawner_start();
	struct perf_counts pc;
	char *path = bench_file();
	struct perf pe;
	int64_t cpu;
	long n;

	perf_start_stacks(&pe, path);
	perf_enable(&pe);
	bench_sleep(FOLLOW_WARM);
	cpu = bench_cputime(pe.pe_pid);
	n = atomic_load(&sp->sp_n);
	bench_sleep(FOLLOW_PERF);
	n = atomic_load(&sp->sp_n) - n;
	cpu = bench_cputime(pe.pe_pid) - cpu;
	spawner_stop(sp);
	perf_stop(&pe);
	perf_count(path, &pc);
	bench_note("follow: perf record lost %llu events",
	    (unsigned long long)pc.pc_lost);
	return percent(cpu, n);
}

int
main(int argc, char **argv)
{
	double base, cost[FOLLOW_MAXROUNDS], whole[FOLLOW_MAXROUNDS];
	double theirs[FOLLOW_MAXROUNDS], lost, perf;
	long nstarted[FOLLOW_MAXROUNDS], n = 0;
	int i, rounds;
	struct named na;

	bench_init(argc, argv);
	rounds = bench_rounds(5, 1);
	if (bench_ncpu() > FOLLOW_MAXCPU)
		errx(1, "more than %d CPUs", FOLLOW_MAXCPU);
	bench_dtd_start(&dtd);
	base = without();
	lost = with(cost, nstarted, rounds, &na);
	bench_dtd_stop(&dtd);
	perf = with_perf();
	for (i = 0; i < rounds; i++) {
		theirs[i] = perf;
		whole[i] = percent(cost[i], nstarted[i]);
		cost[i] = percent(cost[i] - base, nstarted[i]);
		n += nstarted[i];
	}
	bench_row("follow", cost, rounds);
	bench_row_peer("follow-perf", whole, theirs, rounds);
	bench_row("follow-lost", &lost, 1);
	bench_row("follow-known", &na.na_known, 1);
	bench_row("follow-named", &na.na_named, 1);
	bench_note("follow: %.0f programs per second, %d samples of them, %d "
		   "more while the kernel loaded them; without them %.2f %% of "
		   "a CPU",
	    (double)n / rounds, na.na_n, na.na_loading,
	    base / FOLLOW_WINDOW * 100);
	return 0;
}
