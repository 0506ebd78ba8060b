/* SPDX-License-Identifier: ISC */
/* Implements bench.h.  Each load runs in a separate process. */
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"

#define BENCH_NSEC    1000000000LL
#define BENCH_NOFILE  (1L << 20)
#define BENCH_SPINS   1000U	  /* calls between checks of bl_stop */
#define BENCH_SETTLE  200000000LL /* ns without CPU time: idle */
#define BENCH_WAIT    1000000LL	  /* ns between looks at a process that ends */
#define BENCH_AGAIN   3000	  /* looks after which a signal is repeated */
#define BENCH_STARTMS 5000	  /* limit for the daemon to listen */
#define BENCH_SERVICE "/run/dt"	  /* dt's default path of the service */

int bench_quick;
const char *bench_dir;

void
bench_init(int argc, char **argv)
{
	char path[4096];
	int ch;

	while ((ch = getopt(argc, argv, "q")) != -1) {
		if (ch != 'q')
			errx(2, "usage: %s [-q]", argv[0]);
		bench_quick = 1;
	}
	bench_dir = getenv("B");
	if (bench_dir == NULL)
		bench_dir = "build";
	snprintf(path, sizeof(path), "%s/dtd", bench_dir);
	if (access(path, X_OK) == -1)
		err(1, "%s", path);
	if (setenv("DT_DTD", path, 1) == -1)
		err(1, "setenv");
	setvbuf(stdout, NULL, _IOLBF, 0);
}

int
bench_rounds(int whole, int quick)
{
	return bench_quick ? quick : whole;
}

int
bench_ncpu(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

int64_t
bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * BENCH_NSEC + ts.tv_nsec;
}

int64_t
bench_cputime(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if ((errno = clock_getcpuclockid(pid, &clock)) != 0 ||
	    clock_gettime(clock, &ts) == -1)
		err(1, "CPU clock of process %d", (int)pid);
	return ts.tv_sec * BENCH_NSEC + ts.tv_nsec;
}

void
bench_sleep(int64_t nsecs)
{
	struct timespec ts = { .tv_sec = nsecs / BENCH_NSEC,
		.tv_nsec = nsecs % BENCH_NSEC };

	while (nanosleep(&ts, &ts) == -1 && errno == EINTR)
		;
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double
bench_quantile(const double *v, int n, double q)
{
	double copy[n], at = q * (n - 1);
	int i = at;

	if (n < 1)
		errx(1, "no rounds");
	memcpy(copy, v, n * sizeof(*v));
	qsort(copy, n, sizeof(*copy), compare);
	if (i + 1 >= n)
		return copy[n - 1];
	return copy[i] + (at - i) * (copy[i + 1] - copy[i]);
}

double
bench_median(const double *v, int n)
{
	return bench_quantile(v, n, 0.5);
}

static void
print_rounds(const double *rounds, int n)
{
	int i;

	for (i = 0; i < n; i++)
		printf("%s%.6g", i == 0 ? "" : ",", rounds[i]);
	printf("\n");
}

void
bench_row(const char *name, const double *rounds, int n)
{
	printf("row\t%s\t%.6g\t\t\t", name, bench_median(rounds, n));
	print_rounds(rounds, n);
}

void
bench_row_peer(const char *name, const double *ours, const double *theirs,
    int n)
{
	double ratio[n];
	int i;

	if (n < 1)
		errx(1, "no rounds");
	for (i = 0; i < n; i++)
		ratio[i] = ours[i] / theirs[i];
	printf("row\t%s\t%.6g\t%.6g\t%.6g\t", name, bench_median(ours, n),
	    bench_median(theirs, n), bench_median(ratio, n));
	print_rounds(ratio, n);
}

void
bench_row_beside(const char *name, const double *ours, const double *theirs,
    int n)
{
	printf("row\t%s\t%.6g\t%.6g\t\t", name, bench_median(ours, n),
	    bench_median(theirs, n));
	print_rounds(ours, n);
}

void
bench_note(const char *fmt, ...)
{
	va_list ap;

	printf("note\t");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

pid_t
bench_fork(int sig)
{
	pid_t parent = getpid(), pid;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0 &&
	    (prctl(PR_SET_PDEATHSIG, sig) == -1 || getppid() != parent))
		_exit(1);
	return pid;
}

static pid_t
spawn(char *const argv[], int closed, int upto)
{
	pid_t pid = bench_fork(SIGTERM);
	int fd;

	if (pid != 0)
		return pid;
	if ((fd = open("/dev/null", O_RDWR)) != -1)
		for (; closed <= upto; closed++)
			dup2(fd, closed);
	execvp(argv[0], argv);
	_exit(127);
}

pid_t
bench_spawn(char *const argv[])
{
	int verbose = getenv("BENCH_VERBOSE") != NULL;

	return spawn(argv, STDOUT_FILENO,
	    verbose ? STDIN_FILENO : STDERR_FILENO);
}

pid_t
bench_spawn_quiet(char *const argv[])
{
	return spawn(argv, STDOUT_FILENO, STDOUT_FILENO);
}

pid_t
bench_spawn_pipe(char *const argv[], int *fd)
{
	int to[2], out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	pid_t pid;

	if (out == -1 || pipe2(to, O_CLOEXEC) == -1 ||
	    dup2(to[1], STDOUT_FILENO) == -1)
		err(1, "pipe");
	pid = spawn(argv, STDERR_FILENO,
	    getenv("BENCH_VERBOSE") != NULL ? STDIN_FILENO : STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(to[1]);
	*fd = to[0];
	return pid;
}

void
bench_wait(pid_t pid, int sig)
{
	int status, n;
	pid_t r;

	/* bpftrace ignores a signal that arrives before it waits for events */
	for (n = 0; (r = waitpid(pid, &status, sig != 0 ? WNOHANG : 0)) <= 0;
	     n++) {
		if (r == -1 && errno != EINTR)
			err(1, "waitpid");
		if (r == 0 && n % BENCH_AGAIN == 0)
			kill(pid, sig);
		bench_sleep(BENCH_WAIT);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		errx(1, "a program could not be started");
	if (sig == 0 && status != 0)
		errx(1,
		    "a program failed: for its output, set "
		    "BENCH_VERBOSE=1");
}

/* Reads a field of /proc/PID/status in kB. */
static long
status_kbytes(pid_t pid, const char *name)
{
	char path[64], line[256];
	size_t len = strlen(name);
	long kbytes = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, len) == 0 &&
		    sscanf(line + len, ": %ld", &kbytes) == 1)
			break;
	fclose(f);
	if (kbytes == -1)
		errx(1, "%s has no %s", path, name);
	return kbytes;
}

void
bench_tree(pid_t pid, double *nsecs, double *kbytes)
{
	char path[64];
	int child;
	FILE *f;

	*nsecs += bench_cputime(pid);
	if (kbytes != NULL)
		*kbytes += bench_rss(pid);
	/* children of dtd are its main thread's */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
	    (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return;
	while (fscanf(f, "%d", &child) == 1)
		bench_tree(child, nsecs, kbytes);
	fclose(f);
}

long
bench_rss(pid_t pid)
{
	return status_kbytes(pid, "VmRSS");
}

long
bench_anon(pid_t pid)
{
	return status_kbytes(pid, "RssAnon");
}

long
bench_peak(pid_t pid)
{
	return status_kbytes(pid, "VmHWM");
}

static char files[BENCH_NFILE][32];
static int nfile;

static void
remove_files(void)
{
	while (nfile > 0)
		unlink(files[--nfile]);
}

char *
bench_file(void)
{
	char *path = files[nfile];
	int fd;

	if (nfile == BENCH_NFILE)
		errx(1, "more than %d files", BENCH_NFILE);
	if (nfile == 0)
		atexit(remove_files);
	strcpy(path, "/dev/shm/dt-bench.XXXXXX");
	if ((fd = mkstemp(path)) == -1)
		err(1, "%s", path);
	close(fd);
	unlink(path); /* a recorder would keep it and create a second file */
	nfile++;
	return path;
}

long
bench_nofile(void)
{
	struct rlimit rl = { BENCH_NOFILE, BENCH_NOFILE };

	/* without CAP_SYS_RESOURCE the hard limit applies */
	if (setrlimit(RLIMIT_NOFILE, &rl) == -1 &&
	    getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &rl) == -1)
			err(1, "RLIMIT_NOFILE");
	}
	return rl.rlim_cur;
}

/* Waits until the daemon has loaded its programs and is idle. */
static void
dtd_settle(const struct bench_dtd *bd)
{
	int64_t cputime, now = bench_cputime(bd->bd_pid);

	do {
		cputime = now;
		bench_sleep(BENCH_SETTLE);
		now = bench_cputime(bd->bd_pid);
	} while (now != cputime);
}

static void
dtd_config(struct bench_dtd *bd, const char *settings, char *path, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	FILE *f;

	snprintf(bd->bd_dir, sizeof(bd->bd_dir), "%s/dt-bench.XXXXXX",
	    tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(bd->bd_dir) == NULL)
		err(1, "%s", bd->bd_dir);
	snprintf(bd->bd_path, sizeof(bd->bd_path), "%s/dt", bd->bd_dir);
	snprintf(path, size, "%s/conf", bd->bd_dir);
	if ((f = fopen(path, "we")) == NULL)
		err(1, "%s", path);
	/* the loads exceed the default cost limit */
	fprintf(f, "directory = %s\ncost-limit = 0\n%s", bd->bd_dir, settings);
	if (fclose(f) != 0)
		err(1, "%s", path);
}

void
bench_dtd_start(struct bench_dtd *bd)
{
	bench_dtd_start_as(bd, getenv("DT_DTD"), "");
}

void
bench_dtd_start_as(struct bench_dtd *bd, char *path, const char *settings)
{
	char conf[96];
	char *argv[] = { path, "-c", conf, NULL };
	struct stat st;
	int i;

	dtd_config(bd, settings, conf, sizeof(conf));
	bd->bd_pid = bench_spawn(argv);
	for (i = 0; i < BENCH_STARTMS && stat(bd->bd_path, &st) == -1; i++)
		bench_sleep(1000000);
	dtd_settle(bd);
}

void
bench_dtd_stop(struct bench_dtd *bd)
{
	char conf[96];

	bench_wait(bd->bd_pid, SIGTERM);
	snprintf(conf, sizeof(conf), "%s/conf", bd->bd_dir);
	unlink(conf);
	unlink(bd->bd_path);
	rmdir(bd->bd_dir);
}

void
bench_dtd_serve(const struct bench_dtd *bd, int on)
{
	static int hasmounts;

	if (!hasmounts &&
	    (unshare(CLONE_NEWNS) == -1 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1))
		err(1, "a mount namespace");
	hasmounts = 1;
	if (mkdir(BENCH_SERVICE, 0755) == -1 && errno != EEXIST)
		err(1, BENCH_SERVICE);
	if (on ? mount(bd->bd_dir, BENCH_SERVICE, NULL, MS_BIND, NULL) == -1
	       : umount2(BENCH_SERVICE, MNT_DETACH) == -1)
		err(1, BENCH_SERVICE);
}

struct dt *
bench_open(const struct bench_dtd *bd, uint64_t budget)
{
	struct dt *dt = dt_open(bd->bd_path, DT_OPEN_SERVICE);

	if (dt == NULL)
		err(1, "dt_open: %s", dt_error(NULL));
	if (budget != 0 && dt_ioctl(dt, DTIOCSBUDGET, &budget) == -1)
		err(1, "budget: %s", dt_error(dt));
	return dt;
}

void
bench_enable(struct dt *dt, const char *probe, uint64_t evtflags,
    uint64_t nsecs)
{
	struct dtioc_req rq = { .dtrq_evtflags = evtflags,
		.dtrq_nsecs = nsecs };
	struct dtioc_probe_info *info;

	if (dt_lookup(dt, probe, &info) != 1)
		errx(1, "%s: not one probe: %s", probe, dt_error(dt));
	rq.dtrq_pbn = info->dtpi_pbn;
	free(info);
	if (dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1)
		err(1, "enable %s: %s", probe, dt_error(dt));
}

void
bench_filter_pid(struct dt *dt, pid_t pid)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID, .dtfi_pid = pid };

	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1)
		err(1, "filter: %s", dt_error(dt));
}

void
bench_record(struct dt *dt, int on)
{
	if (dt_ioctl(dt, DTIOCRECORD, &on) == -1)
		err(1, "record: %s", dt_error(dt));
}

static void
loop_call6(uint64_t n)
{
	/* An offset within a page is refused before anything else. */
	while (n-- > 0)
		(void)syscall(SYS_mmap, 1L, 2L, 3L, 4L, 5L, 6L);
}

static void
loop_call0(uint64_t n)
{
	while (n-- > 0)
		(void)syscall(SYS_getppid);
}

void
bench_peek(uint64_t n)
{
	static int sv[2];
	char c = 0;

	if (sv[1] == 0 &&
	    (socketpair(AF_UNIX, SOCK_DGRAM, 0, sv) == -1 ||
		write(sv[1], &c, 1) != 1))
		err(1, "socketpair");
	while (n-- > 0)
		(void)recv(sv[0], &c, 1, MSG_PEEK); /* it stays in the queue */
}

const struct bench_call bench_call6 = { "mmap", "syscall:mmap:entry",
	loop_call6 };
const struct bench_call bench_call0 = { "getppid", "syscall:getppid:entry",
	loop_call0 };

void
bench_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == -1)
		err(1, "CPU %d", cpu);
}

static void
load_run(struct bench_load *bl, const struct bench_call *bc)
{
	int64_t start, cputime;

	bc->bc_loop(BENCH_SPINS); /* warms up page faults and caches */
	atomic_store(&bl->bl_ready, 1);
	while (!atomic_load(&bl->bl_go))
		bench_sleep(100000);
	cputime = bench_cputime(0);
	start = bench_now();
	if (bl->bl_want != 0) {
		bc->bc_loop(bl->bl_want);
		bl->bl_calls = bl->bl_want;
	} else
		while (!atomic_load(&bl->bl_stop)) {
			bc->bc_loop(BENCH_SPINS);
			bl->bl_calls += BENCH_SPINS;
		}
	bl->bl_nsecs = bench_now() - start;
	bl->bl_cputime = bench_cputime(0) - cputime;
	atomic_store(&bl->bl_done, 1);
}

struct bench_load *
bench_load_start(int cpu, const struct bench_call *bc, uint64_t ncalls)
{
	struct bench_load *bl;
	pid_t pid;

	bl = mmap(NULL, sizeof(*bl), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (bl == MAP_FAILED)
		err(1, "mmap");
	bl->bl_want = ncalls;
	if ((pid = bench_fork(SIGKILL)) == 0) {
		bench_pin(cpu);
		load_run(bl, bc);
		_exit(0);
	}
	bl->bl_pid = pid;
	while (!atomic_load(&bl->bl_ready))
		bench_sleep(100000);
	return bl;
}

void
bench_load_go(struct bench_load *bl)
{
	atomic_store(&bl->bl_go, 1);
}

void
bench_load_stop(struct bench_load *bl)
{
	atomic_store(&bl->bl_stop, 1);
}

int
bench_load_done(const struct bench_load *bl)
{
	return atomic_load(&bl->bl_done);
}

static double
load_end(struct bench_load *bl, const int64_t *of)
{
	double nsecs;

	bench_wait(bl->bl_pid, 0);
	if (!bench_load_done(bl))
		errx(1, "the load ended too early");
	nsecs = (double)*of / bl->bl_calls;
	munmap(bl, sizeof(*bl));
	return nsecs;
}

double
bench_load_end(struct bench_load *bl)
{
	return load_end(bl, &bl->bl_nsecs);
}

double
bench_load_end_cputime(struct bench_load *bl)
{
	return load_end(bl, &bl->bl_cputime);
}

pid_t
bench_caller(int64_t gap, int64_t spread)
{
	pid_t pid = bench_fork(SIGKILL);

	if (pid != 0)
		return pid;
	srandom(getpid());
	for (;;) {
		bench_sleep(gap + (spread > 0 ? random() % spread : 0));
		(void)syscall(SYS_getppid);
	}
}
