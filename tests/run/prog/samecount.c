/* SPDX-License-Identifier: ISC */
/*
 * samecount [-n CALLS]
 *
 * Whether a record has as many entries of each system call as strace(1) counts,
 * for a program with threads, a child, signals and interrupted calls: both
 * trace the same run.  exit, exit_group and restart_syscall are not compared.
 *
 * The program is this one under another name, which is the session's filter.
 * It enters its own execve(2) under strace's name, so a second session without
 * that filter counts that call.
 */
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

/* The program's name, with a number so that two runs differ. */
#define NAME	 "dtsame"
#define NTHREADS 3
#define MAXPBN	 4096

/*
 * The program
 */

static pthread_mutex_t mtx = PTHREAD_MUTEX_INITIALIZER;
static long ncalls = 300;
static volatile long shared_work;

static void
on_signal(int sig)
{
	(void)sig;
}

static void
do_files(void)
{
	char buf[512];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (read(fd, buf, sizeof(buf)) <= 0 || close(fd) == -1 ||
	    open("/nonexistent/dt", O_RDONLY) != -1)
		err(1, "files");
}

static void
do_memory(void)
{
	void *p = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);

	if (p == MAP_FAILED || munmap(p, 65536) == -1)
		err(1, "memory");
}

static void
do_waits(void)
{
	const struct timespec ts = { 0, 1000 };

	nanosleep(&ts, NULL);
	poll(NULL, 0, 1); /* the timer's signal may arrive in between */
	raise(SIGUSR1);
}

static void *
thread_run(void *arg)
{
	long i;

	(void)arg;
	for (i = 0; i < ncalls; i++) {
		do_files();
		do_memory();
		do_waits();
		pthread_mutex_lock(&mtx);
		for (shared_work = 0; shared_work < 1000; shared_work++)
			continue;
		pthread_mutex_unlock(&mtx);
	}
	return NULL;
}

static void
child_run(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		thread_run(NULL);
		_exit(0);
	}
	if (pid == -1 || waitpid(pid, NULL, 0) != pid)
		err(1, "fork");
}

static int
program_main(void)
{
	struct sigaction sa = { .sa_handler = on_signal,
		.sa_flags = SA_RESTART };
	struct itimerval it = { { 0, 3000 }, { 0, 3000 } };
	pthread_t t[NTHREADS];
	pid_t pid = getpid();
	unsigned int i;

	if (write(STDOUT_FILENO, &pid, sizeof(pid)) != sizeof(pid))
		err(1, "stdout");
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	for (i = 0; i < NTHREADS; i++)
		pthread_create(&t[i], NULL, thread_run, NULL);
	for (i = 0; i < NTHREADS; i++)
		pthread_join(t[i], NULL);
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, NULL);
	child_run();
	return 0;
}

/*
 * The record
 */

struct counts {
	char ct_names[MAXPBN][DTNAMESIZE]; /* of entries */
	unsigned long ct_n[MAXPBN];
	uint64_t ct_nread;
};

static void
enable_entries(struct dt *dt, struct counts *ct)
{
	struct dtioc_probe_info *info;
	ssize_t i, n = dt_lookup(dt, "syscall:*:entry", &info);
	struct dtioc_req rq;

	if (n == -1)
		err(1, "lookup: %s", dt_error(dt));
	for (i = 0; i < n; i++) {
		rq = (struct dtioc_req){ .dtrq_pbn = info[i].dtpi_pbn };
		if (rq.dtrq_pbn >= MAXPBN ||
		    dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1)
			err(1, "enable: %s", dt_error(dt));
		memcpy(ct->ct_names[rq.dtrq_pbn], info[i].dtpi_func,
		    DTNAMESIZE);
	}
	free(info);
}

/*
 * Counts the events that are read; only one process's if pid is not 0.
 */
static void
count_all(struct dt *dt, struct counts *ct, pid_t pid)
{
	struct dt_event ev;

	while (dt_next(dt, &ev, PROG_DEADLINE * 1000) == 1) {
		ct->ct_nread++;
		if (pid == 0 || ev.ev_rec->dr_pid == (uint32_t)pid)
			ct->ct_n[ev.ev_rec->dr_pbn]++;
	}
	if (errno != ENODATA)
		err(1, "dt_next: %s", dt_error(dt));
}

static unsigned long *
count_of(struct counts *ct, const char *name)
{
	unsigned int i;

	for (i = 0; i < MAXPBN; i++)
		if (strcmp(ct->ct_names[i], name) == 0)
			return &ct->ct_n[i];
	errx(1, "strace counts %s, which is no probe", name);
}

static int
is_aside(const char *name)
{
	return strcmp(name, "exit") == 0 || strcmp(name, "exit_group") == 0 ||
	    strcmp(name, "restart_syscall") == 0;
}

/*
 * Parses "% time seconds usecs/call calls [errors] syscall"; returns 1 on
 * success.
 */
static int
strace_line(const char *line, char *name, unsigned long *n)
{
	unsigned long nerror;
	double d;

	if (sscanf(line, "%lf %lf %lf %lu %lu %63s", &d, &d, &d, n, &nerror,
		name) == 6)
		return strcmp(name, "total") != 0;
	return sscanf(line, "%lf %lf %lf %lu %63s", &d, &d, &d, n, name) == 5 &&
	    strcmp(name, "total") != 0;
}

/* Compares, and sets equal counts to 0. */
static unsigned int
compare(struct counts *ct, const char *path)
{
	char line[256], name[64];
	unsigned int nname = 0;
	unsigned long n, *seen;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (!strace_line(line, name, &n) || is_aside(name))
			continue;
		seen = count_of(ct, name);
		if (*seen != n)
			errx(1, "%s: strace counts %lu, the record has %lu",
			    name, n, *seen);
		*seen = 0;
		nname++;
	}
	fclose(f);
	return nname;
}

static void
expect_no_others(const struct counts *ct)
{
	unsigned int i;

	for (i = 0; i < MAXPBN; i++)
		if (ct->ct_n[i] != 0 && !is_aside(ct->ct_names[i]))
			errx(1, "%s: the record has %lu, strace none",
			    ct->ct_names[i], ct->ct_n[i]);
}

/* Runs strace with the program; returns the pid of the program. */
static pid_t
strace_run(const char *file, const char *program)
{
	char number[24];
	int fds[2], status;
	pid_t strace, pid;

	snprintf(number, sizeof(number), "%ld", ncalls);
	if (pipe(fds) == -1)
		err(1, "pipe");
	if ((strace = prog_fork()) == 0) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		execlp("strace", "strace", "-f", "-c", "-o", file, program,
		    "-n", number, NULL);
		err(1, "strace");
	}
	close(fds[1]);
	if (read(fds[0], &pid, sizeof(pid)) != sizeof(pid))
		errx(1, "the program did not start");
	close(fds[0]);
	if (waitpid(strace, &status, 0) != strace || status != 0)
		errx(1, "strace ended with status %#x", status);
	return pid;
}

static void
watch(const struct prog_dtd *pd, const char *file, const char *program)
{
	static struct counts all, execs;
	struct dt *dt = prog_open(pd, 0), *dtexec = prog_open(pd, 0);
	struct dtioc_filter fi = { .dtfi_set = DTFI_COMM };
	struct dt_ledger dl;
	unsigned int n;
	pid_t pid;

	prog_budget(dt, 1 << 30);
	snprintf(fi.dtfi_comm, sizeof(fi.dtfi_comm), NAME "%d", getpid());
	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1)
		err(1, "filter: %s", dt_error(dt));
	enable_entries(dt, &all);
	prog_enable(dtexec, "syscall:execve:entry", 0, 0);
	prog_record(dtexec, 1);
	prog_record(dt, 1);
	pid = strace_run(file, program);
	prog_record(dt, 0);
	prog_record(dtexec, 0);
	count_all(dt, &all, 0);
	count_all(dtexec, &execs, pid);
	prog_ledger(dt, "record", all.ct_nread, &dl);
	if (dl.dl_dropped != 0 || dl.dl_missed != 0)
		errx(1, "some were lost");
	*count_of(&all,
	    "execve") += execs.ct_n[prog_probe(dtexec, "syscall:execve:entry")];
	n = compare(&all, file);
	expect_no_others(&all);
	printf("samecount: %u system calls as strace counts them\n", n);
	dt_close(dt);
	dt_close(dtexec);
}

/* Executes this program under another name. */
static void
link_self(const char *path)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n == -1)
		err(1, "/proc/self/exe");
	self[n] = '\0';
	if (symlink(self, path) == -1)
		err(1, "%s", path);
}

int
main(int argc, char **argv)
{
	const char *base = strrchr(argv[0], '/');
	char file[PROG_PATH + 32], program[PROG_PATH + 32];
	struct prog_dtd pd;
	int ch;

	while ((ch = getopt(argc, argv, "n:")) != -1) {
		if (ch != 'n')
			errx(2, "usage: samecount [-n calls]");
		ncalls = prog_number(optarg, 5000);
	}
	if (strncmp(base != NULL ? base + 1 : argv[0], NAME,
		sizeof(NAME) - 1) == 0)
		/*
		 * _exit(2), because a sanitizer cannot search for leaks while
		 * strace traces it
		 */
		_exit(program_main());
	prog_init("samecount", 600);
	prog_dtd_start(&pd, NULL);
	snprintf(file, sizeof(file), "%s/strace", pd.pd_dir);
	snprintf(program, sizeof(program), "%s/" NAME "%d", pd.pd_dir,
	    getpid());
	link_self(program);
	watch(&pd, file, program);
	unlink(file);
	unlink(program);
	prog_dtd_stop(&pd);
	return 0;
}
