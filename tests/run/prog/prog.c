/* SPDX-License-Identifier: ISC */
/* Functions shared by the test programs; prog.h documents them. */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define PROG_PAUSE 2 /* ms between two checks of a wait */

/* The daemon whose folder this process removes; children leave it alone. */
static struct prog_dtd *prog_dtd;
static pid_t prog_main;
static cpu_set_t prog_cpus; /* usable by this process */

void
prog_init(const char *name, unsigned int seconds)
{
	prog_main = getpid();
	/* for runs by hand; a case has its own limit */
	alarm(seconds);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	if (sched_getaffinity(0, sizeof(prog_cpus), &prog_cpus) == -1)
		err(1, "sched_getaffinity");
	if (geteuid() != 0)
		errx(1, "%s: needs root", name);
}

long
prog_number(const char *text, long max)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*text == '\0' || *end != '\0' || n < 1 || n > max)
		errx(2, "%s: not a number from 1 to %ld", text, max);
	return n;
}

int64_t
prog_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

char *
prog_proc(char *buf, size_t size, pid_t pid, const char *file)
{
	snprintf(buf, size, "/proc/%d/%s", (int)pid, file);
	return buf;
}

void
prog_wait(int (*fn)(void *), void *arg, const char *what)
{
	const struct timespec pause = { 0, PROG_PAUSE * 1000000L };
	int64_t end = prog_now() + PROG_DEADLINE * INT64_C(1000000000);

	while (!fn(arg)) {
		if (prog_now() > end)
			errx(1, "%s: not within %d s", what, PROG_DEADLINE);
		nanosleep(&pause, NULL);
	}
}

void *
prog_shared(size_t nbytes)
{
	void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

unsigned int
prog_ncpu(void)
{
	return CPU_COUNT(&prog_cpus);
}

void
prog_pin(unsigned int n)
{
	unsigned int cpu;
	cpu_set_t set;

	n %= CPU_COUNT(&prog_cpus);
	for (cpu = 0; !CPU_ISSET(cpu, &prog_cpus) || n-- > 0; cpu++)
		continue;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == -1)
		err(1, "sched_setaffinity");
}

/*
 * The daemon
 */

static void
dtd_remove(void)
{
	static const char *const files[] = { "conf", "log", "dt", "test" };
	char path[PROG_PATH + 16];
	size_t i;

	if (prog_dtd == NULL || getpid() != prog_main)
		return;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", prog_dtd->pd_dir,
		    files[i]);
		unlink(path);
	}
	rmdir(prog_dtd->pd_dir);
	prog_dtd = NULL;
}

/* Prints the end of the daemon's log if the program fails. */
static void
dtd_tell(int status, void *arg)
{
	char buf[2048];
	ssize_t n;
	int fd;

	(void)arg;
	if (prog_dtd == NULL || getpid() != prog_main || status == 0)
		return;
	if ((fd = open(prog_dtd->pd_log, O_RDONLY | O_CLOEXEC)) == -1)
		return;
	if (lseek(fd, -(off_t)sizeof(buf), SEEK_END) == -1)
		lseek(fd, 0, SEEK_SET);
	if ((n = read(fd, buf, sizeof(buf))) > 0)
		fprintf(stderr, "the end of the daemon's log:\n%.*s", (int)n,
		    buf);
	close(fd);
}

static void
dtd_folder(struct prog_dtd *pd, const char *conf)
{
	const char *tmp = getenv("T") != NULL ? getenv("T")
	    : getenv("TMPDIR") != NULL	      ? getenv("TMPDIR")
					      : "/tmp";
	char path[PROG_PATH + 16];
	FILE *f;

	if (snprintf(pd->pd_dir, sizeof(pd->pd_dir), "%s/dtd-XXXXXX", tmp) >
		70 ||
	    mkdtemp(pd->pd_dir) == NULL)
		err(1, "%s", pd->pd_dir);
	/* gives clients of other users access */
	if (chmod(pd->pd_dir, 0755) == -1)
		err(1, "%s", pd->pd_dir);
	snprintf(pd->pd_sock, sizeof(pd->pd_sock), "%.80s/dt", pd->pd_dir);
	snprintf(pd->pd_test, sizeof(pd->pd_test), "%.80s/test", pd->pd_dir);
	snprintf(pd->pd_log, sizeof(pd->pd_log), "%.80s/log", pd->pd_dir);
	snprintf(path, sizeof(path), "%s/conf", pd->pd_dir);
	if ((f = fopen(path, "we")) == NULL ||
	    fprintf(f, "directory = %s\ntest-device = yes\ncost-limit = 0\n%s",
		pd->pd_dir, conf != NULL ? conf : "") < 0 ||
	    fclose(f) != 0)
		err(1, "%s", path);
}

static int
dtd_listens(void *arg)
{
	struct prog_dtd *pd = arg;
	char line[256];
	FILE *f;
	int listens = 0;

	if (waitpid(pd->pd_pid, NULL, WNOHANG) == pd->pd_pid)
		errx(1, "the daemon ended at once");
	if ((f = fopen(pd->pd_log, "re")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		listens |= strstr(line, "listening at") != NULL &&
		    strstr(line, "/dt\n") != NULL; /* the last device */
	fclose(f);
	return listens;
}

void
prog_dtd_start(struct prog_dtd *pd, const char *conf)
{
	const char *dtd = getenv("DT_DTD") != NULL ? getenv("DT_DTD") : "dtd";
	char path[PROG_PATH + 16];
	int fd;

	memset(pd, 0, sizeof(*pd));
	dtd_folder(pd, conf);
	snprintf(path, sizeof(path), "%s/conf", pd->pd_dir);
	if (prog_dtd == NULL) {
		atexit(dtd_remove);
		on_exit(dtd_tell, NULL); /* runs before it */
	}
	prog_dtd = pd;
	if ((pd->pd_pid = prog_fork()) == 0) {
		fd = open(pd->pd_log, O_WRONLY | O_CREAT | O_APPEND, 0644);
		if (fd == -1 || dup2(fd, STDERR_FILENO) == -1)
			_exit(126);
		execlp(dtd, "dtd", "-v", "-c", path, NULL);
		_exit(127);
	}
	prog_wait(dtd_listens, pd, "the daemon's sockets");
}

void
prog_dtd_stop(struct prog_dtd *pd)
{
	int status;

	if (kill(pd->pd_pid, SIGTERM) == -1 ||
	    waitpid(pd->pd_pid, &status, 0) != pd->pd_pid)
		err(1, "the daemon");
	if (status != 0)
		errx(1, "the daemon ended with status %#x", status);
	dtd_remove();
}

struct dtd_wanted {
	const struct prog_dtd *dw_pd;
	const char *dw_after; /* NULL: from the beginning */
	const char *dw_what;
	char *dw_line;
	size_t dw_size;
};

static int
dtd_has_line(void *arg)
{
	const struct dtd_wanted *dw = arg;
	int after = dw->dw_after == NULL, found = 0;
	FILE *f;

	if ((f = fopen(dw->dw_pd->pd_log, "re")) == NULL)
		err(1, "%s", dw->dw_pd->pd_log);
	while (!found && fgets(dw->dw_line, dw->dw_size, f) != NULL)
		if (!after)
			after = strstr(dw->dw_line, dw->dw_after) != NULL;
		else
			found = strstr(dw->dw_line, dw->dw_what) != NULL &&
			    strchr(dw->dw_line, '\n') != NULL;
	fclose(f);
	return found;
}

void
prog_dtd_line(const struct prog_dtd *pd, const char *after, const char *what,
    char *line, size_t size)
{
	struct dtd_wanted dw = { pd, after, what, line, size };

	prog_wait(dtd_has_line, &dw, what);
}

unsigned int
prog_dtd_count(const struct prog_dtd *pd, const char *what)
{
	unsigned int n = 0;
	char line[256];
	FILE *f;

	if ((f = fopen(pd->pd_log, "re")) == NULL)
		err(1, "%s", pd->pd_log);
	while (fgets(line, sizeof(line), f) != NULL)
		n += strstr(line, what) != NULL;
	fclose(f);
	return n;
}

unsigned int
prog_dtd_kb(const struct prog_dtd *pd, const char *field)
{
	char line[128];
	size_t n = strlen(field);
	unsigned int kb = 0;
	FILE *f;

	if ((f = fopen(prog_proc(line, sizeof(line), pd->pd_pid, "status"),
		 "re")) == NULL)
		err(1, "the daemon is gone: %s", line);
	while (fgets(line, sizeof(line), f) != NULL &&
	    (strncmp(line, field, n) != 0 ||
		sscanf(line + n, ": %u", &kb) != 1))
		continue;
	fclose(f);
	return kb;
}

unsigned int
prog_dtd_rss(const struct prog_dtd *pd)
{
	return prog_dtd_kb(pd, "VmRSS");
}

/*
 * Sessions
 */

struct dt *
prog_open(const struct prog_dtd *pd, int flags)
{
	struct dt *dt = dt_open(pd->pd_sock, DT_OPEN_SERVICE | flags);

	if (dt == NULL)
		err(1, "dt_open: %s", dt_error(NULL));
	return dt;
}

uint32_t
prog_probe(struct dt *dt, const char *name)
{
	struct dtioc_probe_info *info;
	ssize_t n = dt_lookup(dt, name, &info);
	uint32_t pbn;

	if (n != 1)
		errx(1, "%s: %zd probes: %s", name, n, dt_error(dt));
	pbn = info->dtpi_pbn;
	free(info);
	return pbn;
}

static void
ioctl_ok(struct dt *dt, unsigned long cmd, void *arg, const char *what)
{
	if (dt_ioctl(dt, cmd, arg) == -1)
		err(1, "%s: %s", what, dt_error(dt));
}

void
prog_enable(struct dt *dt, const char *name, uint64_t evtflags, uint64_t nsecs)
{
	struct dtioc_req rq = { .dtrq_pbn = prog_probe(dt, name),
		.dtrq_evtflags = evtflags,
		.dtrq_nsecs = nsecs };

	ioctl_ok(dt, DTIOCPRBENABLE, &rq, name);
}

void
prog_enable_wait(struct dt *dt, const char *name, uint64_t evtflags)
{
	struct dtioc_req rq = { .dtrq_pbn = prog_probe(dt, name),
		.dtrq_evtflags = evtflags };
	int64_t end = prog_now() + PROG_DEADLINE * INT64_C(1000000000);

	while (dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1) {
		if (errno != ENOMEM || prog_now() > end)
			errx(1, "%s: %s", name, dt_error(dt));
		poll(NULL, 0, 5);
	}
}

/*
 * The first two, since entry and return are loaded separately, and two more for
 * the programs of long records.  A probe that is missing here loads nothing.
 */
static void
load_one(struct dt *dt, const char *prov, uint32_t evtflags)
{
	struct dtioc_req rq = { .dtrq_nsecs = 1000000000,
		.dtrq_evtflags = evtflags };
	struct dtioc_probe_info *info;
	char pattern[DTNAMESIZE + 8];
	ssize_t i, n;

	snprintf(pattern, sizeof(pattern), "%.63s:*:*", prov);
	if ((n = dt_lookup(dt, pattern, &info)) < 1)
		return;
	for (i = 0; i < n && i < 4; i++) {
		rq.dtrq_pbn = info[i].dtpi_pbn;
		if (i == 2)
			rq.dtrq_evtflags |= DTEVT_WHO;
		(void)dt_ioctl(dt, DTIOCPRBENABLE, &rq);
	}
	free(info);
}

void
prog_load_all(struct dt *dt, uint32_t evtflags)
{
	struct dtioc_prov_info info[32];
	struct dtioc_prov po = { sizeof(info), info };
	size_t i;

	ioctl_ok(dt, DTIOCGPROVS, &po, "providers");
	for (i = 0; i < po.dtpo_size / sizeof(info[0]); i++)
		load_one(dt, info[i].dtpv_name, evtflags);
}

uint64_t prog_maxbudget;

void
prog_budget(struct dt *dt, uint64_t nbytes)
{
	ioctl_ok(dt, DTIOCSBUDGET, &nbytes, "budget");
	if (prog_maxbudget != 0)
		ioctl_ok(dt, DTIOCSMAXBUDGET, &prog_maxbudget, "max budget");
	prog_maxbudget = 0;
}

void
prog_filter(struct dt *dt, pid_t pid)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID, .dtfi_pid = pid };

	ioctl_ok(dt, DTIOCSFILTER, &fi, "filter");
}

void
prog_record(struct dt *dt, int on)
{
	ioctl_ok(dt, DTIOCRECORD, &on, "record");
}

void
prog_ledger(struct dt *dt, const char *who, uint64_t nread,
    struct dt_ledger *dl)
{
	const char *name = who != NULL ? who : "a ledger";

	if (dt_ledger(dt, dl) == -1)
		err(1, "%s: %s", name, dt_error(dt));
	if (who != NULL)
		printf("%s: fired %llu, read %llu, dropped %llu, "
		       "recursed %llu\n",
		    who, dl->dl_fired, dl->dl_read, dl->dl_dropped,
		    dl->dl_recursed);
	if ((dl->dl_flags & DT_LEDGER_FINAL) == 0 ||
	    dl->dl_fired !=
		dl->dl_read + dl->dl_dropped + dl->dl_recursed +
		    dl->dl_counted + dl->dl_mapfull)
		errx(1,
		    "%s: fired %llu, read %llu, dropped %llu, recursed "
		    "%llu, counted %llu, mapfull %llu, flags %#llx: the sum "
		    "does not hold",
		    name, dl->dl_fired, dl->dl_read, dl->dl_dropped,
		    dl->dl_recursed, dl->dl_counted, dl->dl_mapfull,
		    dl->dl_flags);
	if (dl->dl_read != nread)
		errx(1, "%s: it says %llu were read, but these are %llu", name,
		    dl->dl_read, (unsigned long long)nread);
}

/*
 * Children
 */

pid_t
prog_fork(void)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

void
prog_child_start(struct prog_child *pc, void (*fn)(int, void *), void *arg)
{
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == -1)
		err(1, "socketpair");
	if ((pc->pc_pid = prog_fork()) == 0) {
		close(sv[0]);
		prog_tell(sv[1], 's');
		fn(sv[1], arg);
		fflush(NULL);
		_exit(0);
	}
	close(sv[1]);
	pc->pc_sock = sv[0];
	/* from here on only fn acts */
	if (prog_hear(sv[0]) != 's')
		errx(1, "a child does not start");
}

void
prog_child_end(struct prog_child *pc)
{
	int status;

	/* children forked later have copies */
	shutdown(pc->pc_sock, SHUT_RDWR);
	close(pc->pc_sock);
	if (waitpid(pc->pc_pid, &status, 0) != pc->pc_pid)
		err(1, "waitpid");
	if (status != 0)
		errx(1, "a child ended with status %#x", status);
}

void
prog_tell(int sock, char byte)
{
	if (write(sock, &byte, 1) != 1)
		err(1, "a child or its parent is gone");
}

int
prog_hear(int sock)
{
	unsigned char byte;
	ssize_t n;

	while ((n = read(sock, &byte, 1)) == -1 && errno == EINTR)
		continue;
	return n == 1 ? byte : -1;
}
