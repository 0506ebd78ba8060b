/* SPDX-License-Identifier: ISC */
/*
 * Runs dt(1) with a private dtd.  Tracers do not report when they record, so
 * that is detected: they have attached, and use no CPU time.
 */
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/client.h"

/* ns in which idle processes use almost no CPU time */
#define CLIENT_IDLE  150000000LL
#define CLIENT_LOOKS 3000000LL	   /* bpftrace polls ten times per second */
#define CLIENT_MAX   30000000000LL /* limit for becoming idle, ns */
#define CLIENT_START 5000	   /* limit for its dtd to start, ms */

static int64_t
cputime_of(const pid_t *pids, int n)
{
	int64_t nsecs = 0;

	while (n-- > 0)
		nsecs += bench_cputime(pids[n]);
	return nsecs;
}

/* Returns the only child of a process, 0: none yet. */
static pid_t
child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
	    (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		err(1, "%s", path);
	if (fscanf(f, "%d", &child) != 1)
		child = 0;
	fclose(f);
	return child;
}

/* Returns whether a process has a perf event or a BPF link. */
static int
is_attached(pid_t pid)
{
	char path[64], to[64];
	const struct dirent *de;
	ssize_t n;
	int is = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if ((dir = opendir(path)) == NULL)
		err(1, "%s", path);
	while (!is && (de = readdir(dir)) != NULL) {
		n = readlinkat(dirfd(dir), de->d_name, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = '\0';
		is = strstr(to, "[perf_event]") != NULL ||
		    strstr(to, "bpf_link") != NULL ||
		    strstr(to, "bpf-link") != NULL;
	}
	closedir(dir);
	return is;
}

/*
 * Does not sleep: in a machine whose clock counts instructions, time jumps over
 * sleeps, while a program that waits for its files needs real time.
 */
static void
client_wait(int64_t nsecs)
{
	int64_t end = bench_now() + nsecs;

	while (bench_now() < end)
		continue;
}

/* Waits in a way until processes use almost no CPU time, or for a limit. */
static void
until_idle(const pid_t *pids, int n, void (*wait)(int64_t nsecs))
{
	int64_t end = bench_now() + CLIENT_MAX, was, now;

	now = cputime_of(pids, n);
	do {
		was = now;
		wait(CLIENT_IDLE);
		now = cputime_of(pids, n);
	} while (now - was > CLIENT_LOOKS && bench_now() < end);
}

void
client_idle(const pid_t *pids, int n)
{
	until_idle(pids, n, bench_sleep);
}

void
client_ready(pid_t pid)
{
	int64_t end = bench_now() + CLIENT_MAX;
	pid_t pids[2] = { pid, 0 };

	while (!is_attached(pid) && (pids[1] == 0 || !is_attached(pids[1]))) {
		if (bench_now() > end)
			errx(1, "process %d attaches nothing", (int)pid);
		client_wait(CLIENT_LOOKS);
		pids[1] = child_of(pid);
	}
	until_idle(pids, pids[1] != 0 ? 2 : 1, client_wait);
}

/* bench_spawn() with stderr redirected to a file. */
static pid_t
spawn(char **argv, int fderr)
{
	pid_t pid;
	int fd = dup(STDERR_FILENO);

	if (fd == -1 || dup2(fderr, STDERR_FILENO) == -1)
		err(1, "dup");
	pid = bench_spawn_quiet(argv);
	dup2(fd, STDERR_FILENO);
	close(fd);
	return pid;
}

/* Returns what dt has written to stderr. */
static const char *
said(const struct client *cl)
{
	static char buf[4096];
	ssize_t n = pread(cl->cl_err, buf, sizeof(buf) - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

void
client_start(struct client *cl, char **argv)
{
	static char path[4096];
	char name[] = "/tmp/dt-bench.XXXXXX";
	int i;

	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	argv[0] = path;
	if ((cl->cl_err = mkstemp(name)) == -1)
		err(1, "%s", name);
	unlink(name);
	cl->cl_pids[0] = spawn(argv, cl->cl_err);
	for (i = 0; (cl->cl_pids[1] = child_of(cl->cl_pids[0])) == 0; i++) {
		if (waitpid(cl->cl_pids[0], NULL, WNOHANG) != 0)
			errx(1, "dt failed: %s", said(cl));
		if (i == CLIENT_START)
			errx(1, "dt starts no dtd: is there a service?");
		bench_sleep(1000000);
	}
	client_ready(cl->cl_pids[0]);
	cl->cl_cputime = cputime_of(cl->cl_pids, 2);
}

int64_t
client_settle(struct client *cl)
{
	client_idle(cl->cl_pids, 2);
	return cputime_of(cl->cl_pids, 2) - cl->cl_cputime;
}

void
client_stop(struct client *cl, struct client_ledger *lg)
{
	unsigned long long nread, nlost = 0;
	const char *p;

	bench_wait(cl->cl_pids[0], SIGINT);
	/* "dt: 1200 events, none lost" or "..., 7 lost (0.6 %)" */
	for (p = said(cl); p != NULL; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (sscanf(p, "dt: %llu event%*[^,], %llu lost", &nread,
			&nlost) >= 1)
			break;
	}
	if (p == NULL)
		errx(1, "dt failed: %s", said(cl));
	close(cl->cl_err);
	lg->cl_read = nread;
	lg->cl_lost = nlost;
}
