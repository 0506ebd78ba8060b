/* SPDX-License-Identifier: ISC */
/*
 * rename names|filter|exec
 *
 * Threads and programs that change their name while they are recorded.
 *
 * names	threads of a process rename themselves: each event has the name
 *		of its thread at the hit
 * filter	a filter by name applies the change at once
 * exec		a filter by process survives exec, also by a thread that is not
 *		the leader and so gets the leader's number
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define NTHREADS 4
#define NROUNDS	 25
#define NHITS	 20 /* under each name */
#define NAMELEN	 32 /* of which the kernel keeps 15 */

static void
hits(int n)
{
	while (n-- > 0)
		syscall(SYS_getppid);
}

static void
set_name(const char *name)
{
	if (prctl(PR_SET_NAME, name) == -1)
		err(1, "PR_SET_NAME");
}

static struct dt *
open_dt(const struct prog_dtd *pd, const struct dtioc_filter *fi)
{
	struct dt *dt = prog_open(pd, 0);

	if (dt_ioctl(dt, DTIOCSFILTER, (void *)fi) == -1)
		err(1, "filter: %s", dt_error(dt));
	prog_enable(dt, "syscall:getppid:entry", DTEVT_EXECNAME, 0);
	prog_record(dt, 1);
	return dt;
}

static struct dt *
open_pid(const struct prog_dtd *pd, pid_t pid)
{
	const struct dtioc_filter fi = { .dtfi_set = DTFI_PID,
		.dtfi_pid = pid };

	return open_dt(pd, &fi);
}

/* Stops, then passes each event to fn.  There must be n events. */
static void
finish(struct dt *dt, const char *who, uint64_t n,
    void (*fn)(const struct dt_event *, void *), void *arg)
{
	struct dt_ledger dl;
	struct dt_event ev;
	uint64_t nread = 0;
	int r;

	prog_record(dt, 0);
	for (; (r = dt_next(dt, &ev, PROG_DEADLINE * 1000)) == 1; nread++)
		fn(&ev, arg);
	if (r != -1 || errno != ENODATA)
		errx(1, "%s: the end does not come", who);
	prog_ledger(dt, who, nread, &dl);
	if (dl.dl_fired != n || nread != n)
		errx(1, "%s: %llu hits were made", who, (unsigned long long)n);
	dt_close(dt);
}

/*
 * names
 */

struct name_cache {
	pid_t na_tid[NTHREADS];	     /* shared with the child */
	unsigned int na_n[NTHREADS]; /* events that were read */
};

static struct name_cache *names;

static void
thread_name(char *buf, unsigned int thread, unsigned int round)
{
	snprintf(buf, NAMELEN, "t%u round %u", thread, round);
}

static void *
names_thread(void *arg)
{
	unsigned int thread = (uintptr_t)arg, r;
	char name[NAMELEN];

	names->na_tid[thread] = syscall(SYS_gettid);
	for (r = 0; r < NROUNDS; r++) {
		thread_name(name, thread, r);
		set_name(name);
		hits(NHITS);
	}
	return NULL;
}

static void
names_run(int sock, void *arg)
{
	pthread_t t[NTHREADS];
	unsigned int i;

	(void)arg;
	prog_pin(0); /* the order of one CPU */
	prog_hear(sock);
	for (i = 1; i < NTHREADS; i++)
		if (pthread_create(&t[i], NULL, names_thread,
			(void *)(uintptr_t)i) != 0)
			errx(1, "pthread_create");
	names_thread((void *)0);
	for (i = 1; i < NTHREADS; i++)
		pthread_join(t[i], NULL);
	prog_tell(sock, 'd');
	prog_hear(sock);
}

/* The events of a thread are in order, so the index of this one is known. */
static void
names_event(const struct dt_event *ev, void *arg)
{
	char want[NAMELEN];
	unsigned int i = 0;

	(void)arg;
	while (i < NTHREADS && names->na_tid[i] != (pid_t)ev->ev_rec->dr_tid)
		i++;
	if (i == NTHREADS)
		errx(1, "thread %u is not ours", ev->ev_rec->dr_tid);
	thread_name(want, i, names->na_n[i]++ / NHITS);
	if (strcmp(want, ev->ev_comm) != 0)
		errx(1, "event %u of thread %u is of '%s', was '%s'",
		    names->na_n[i], i, ev->ev_comm, want);
}

static void
rename_names(const struct prog_dtd *pd)
{
	struct prog_child pc;
	struct dt *dt;

	names = prog_shared(sizeof(*names));
	prog_child_start(&pc, names_run, NULL);
	dt = open_pid(pd, pc.pc_pid);
	prog_tell(pc.pc_sock, 'g');
	if (prog_hear(pc.pc_sock) != 'd')
		errx(1, "the threads do not end");
	finish(dt, "names", NTHREADS * NROUNDS * NHITS, names_event, NULL);
	prog_child_end(&pc);
}

/*
 * filter
 */

static void
filter_run(int sock, void *arg)
{
	int i;

	prog_hear(sock);
	for (i = 0; i < NROUNDS; i++) {
		set_name("somebody");
		hits(NHITS);
		set_name(arg);
		hits(NHITS);
		set_name("somebody else");
		hits(NHITS);
	}
	prog_tell(sock, 'd');
	prog_hear(sock);
}

static void
filter_event(const struct dt_event *ev, void *arg)
{
	if (strcmp(ev->ev_comm, arg) != 0)
		errx(1, "an event of '%s'", ev->ev_comm);
}

static void
rename_filter(const struct prog_dtd *pd)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_COMM };
	struct prog_child pc;
	struct dt *dt;

	/* a unique name */
	snprintf(fi.dtfi_comm, sizeof(fi.dtfi_comm), "dt %d", (int)getpid());
	prog_child_start(&pc, filter_run, fi.dtfi_comm);
	dt = open_dt(pd, &fi);
	prog_tell(pc.pc_sock, 'g');
	if (prog_hear(pc.pc_sock) != 'd')
		errx(1, "the load does not end");
	finish(dt, "filter", NROUNDS * NHITS, filter_event, fi.dtfi_comm);
	prog_child_end(&pc);
}

/*
 * exec
 */

struct exec {
	int ex_thread;	   /* a thread that is not the leader */
	unsigned int ex_n; /* events that were read */
	pid_t ex_pid;	   /* of all */
	pid_t ex_tid;	   /* shared: of the thread, before */
};

static int exec_sock;

/* The executed program: continues with the inherited descriptor. */
static void
exec_after(int sock)
{
	hits(NHITS);
	set_name("and later");
	hits(NHITS);
	prog_tell(sock, 'd');
	prog_hear(sock);
}

static void *
exec_now(void *arg)
{
	struct exec *ex = arg;
	char self[4096], fd[16];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int sock;

	ex->ex_tid = syscall(SYS_gettid);
	set_name("thread");
	hits(NHITS);
	if (n == -1 || (sock = dup(exec_sock)) == -1) /* stays open */
		err(1, "exec");
	self[n] = '\0';
	snprintf(fd, sizeof(fd), "%d", sock);
	execl(self, "rename", "after", fd, (char *)NULL);
	err(1, "%s", self);
}

static void
exec_run(int sock, void *arg)
{
	struct exec *ex = arg;
	pthread_t t;

	exec_sock = sock;
	prog_pin(0);
	prog_hear(sock);
	set_name("leader");
	hits(NHITS);
	if (!ex->ex_thread)
		exec_now(ex);
	if (pthread_create(&t, NULL, exec_now, ex) != 0)
		errx(1, "pthread_create");
	pthread_join(t, NULL); /* ends here after the exec */
}

static void
exec_event(const struct dt_event *ev, void *arg)
{
	static const char *const comms[] = { "leader", "thread", "rename",
		"and later" };
	struct exec *ex = arg;
	unsigned int stage = ex->ex_n++ / NHITS;
	pid_t tid = stage == 1 ? ex->ex_tid : ex->ex_pid;

	if (strcmp(ev->ev_comm, comms[stage]) != 0 ||
	    (pid_t)ev->ev_rec->dr_pid != ex->ex_pid ||
	    (pid_t)ev->ev_rec->dr_tid != tid)
		errx(1, "event %u is of '%s', process %u, thread %u", ex->ex_n,
		    ev->ev_comm, ev->ev_rec->dr_pid, ev->ev_rec->dr_tid);
}

static void
exec_one(const struct prog_dtd *pd, int thread)
{
	struct exec *ex = prog_shared(sizeof(*ex));
	struct prog_child pc;
	struct dt *dt;

	ex->ex_thread = thread;
	prog_child_start(&pc, exec_run, ex);
	ex->ex_pid = pc.pc_pid;
	dt = open_pid(pd, pc.pc_pid);
	prog_tell(pc.pc_sock, 'g');
	if (prog_hear(pc.pc_sock) != 'd')
		errx(1, "the other program does not end");
	if ((ex->ex_tid == ex->ex_pid) == thread)
		errx(1, "the wrong thread");
	finish(dt, thread ? "exec by a thread" : "exec", 4 * NHITS, exec_event,
	    ex);
	prog_child_end(&pc);
}

static void
rename_exec(const struct prog_dtd *pd)
{
	exec_one(pd, 0);
	exec_one(pd, 1);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct prog_dtd pd;

	if (strcmp(what, "after") == 0 && argc == 3) {
		exec_after(atoi(argv[2]));
		return 0;
	}
	prog_init("rename", 300);
	prog_dtd_start(&pd, NULL);
	if (strcmp(what, "names") == 0)
		rename_names(&pd);
	else if (strcmp(what, "filter") == 0)
		rename_filter(&pd);
	else if (strcmp(what, "exec") == 0)
		rename_exec(&pd);
	else
		errx(2, "usage: rename names|filter|exec");
	prog_dtd_stop(&pd);
	return 0;
}
