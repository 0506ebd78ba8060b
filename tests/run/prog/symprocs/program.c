/* SPDX-License-Identifier: ISC */
/* Cases of symprocs: processes, programs, and their mappings over time. */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"
#include "tests/run/prog/symprocs/symprocs.h"

#define NBRIEF 200

static int
child_wait(void)
{
	char byte = 1;

	if (write(0, &byte, 1) != 1)
		return 1;
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}

/* Executes itself at the first byte, then waits. */
static int
child_exec(void)
{
	char byte = 1;
	char *argv[] = { "other", "child", "wait", NULL };

	if (write(0, &byte, 1) != 1 || read(0, &byte, 1) != 1)
		return 1;
	execv("other", argv);
	return 1;
}

static void *
thread_exec(void *arg __attribute__((unused)))
{
	(void)child_exec();
	return NULL;
}

/* Likewise, in a thread that is not the first. */
static int
child_threadexec(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread_exec, NULL) != 0)
		return 1;
	pthread_join(t, NULL);
	return 1;
}

/* Its first thread ends before the others. */
static void *
thread_wait(void *arg __attribute__((unused)))
{
	usleep(20000); /* the first thread's end sends no message */
	_exit(child_wait());
}

static int
child_leader(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread_wait, NULL) != 0)
		return 1;
	pthread_exit(NULL);
}

int
child_main(const char *what)
{
	static const struct {
		const char *name;
		int (*fn)(void);
	} table[] = { { "wait", child_wait }, { "exec", child_exec },
		{ "threadexec", child_threadexec },
		{ "leader", child_leader } };
	size_t i;

	if (strcmp(what, "end") == 0)
		return 0;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, what) == 0)
			return table[i].fn();
	return 2;
}

/* A process that existed before the table, and this one. */
void
case_alive(void)
{
	struct proc_view *sv;
	struct stat sb;
	int sock;
	pid_t pid = child_start(own_path(), "wait", &sock);

	path_stat(own_path(), &sb);
	sym_hold();
	sym_has(pid, prog_now(), &sb, own_path(), "a child");
	sv = sym_view(getpid(), prog_now());
	sym_is(sym_at(sv, (uint64_t)(uintptr_t)case_alive, "our own code"), &sb,
	    own_path(), "our own code");
	if (sv->pv_uid != getuid())
		errx(1, "user %d instead of %d", (int)sv->pv_uid,
		    (int)getuid());
	proc_watch_view_free(sv);
	if (proc_view_get(1u << 30, prog_now(), &sv) == 0)
		errx(1, "there is a process that cannot be");
	child_end(pid, sock);
	proc_watch_release();
}

/* Processes of a millisecond are all known after their exit. */
void
case_brief(void)
{
	pid_t pids[NBRIEF];
	int64_t times[NBRIEF];
	struct stat sb;
	int i;

	own_copy("brief");
	path_stat("brief", &sb);
	sym_hold();
	for (i = 0; i < NBRIEF; i++) {
		pids[i] = child_run("./brief", "end");
		times[i] = prog_now();
	}
	for (i = 0; i < NBRIEF; i++)
		sym_has(pids[i], times[i], &sb, NULL, "a brief process");
	proc_watch_release();
}

/* A child has its parent's mappings of that time, and then its own. */
void
case_forked(void)
{
	long page = getpagesize();
	char *p = mmap(NULL, 3 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
	    -1, 0);
	char *child = p + page, *after = p + 2 * page;
	struct stat sb;
	struct proc_view *sv;
	int64_t *start = prog_shared(sizeof(*start)), now;
	int status;
	pid_t pid;

	path_stat(own_path(), &sb);
	(void)map_page(own_path(), p);
	sym_hold();
	if ((pid = prog_fork()) == 0) {
		*start = prog_now();
		(void)map_page(own_path(), child);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	now = prog_now();
	(void)map_page(own_path(), after);
	sv = sym_view(pid, now);
	sym_is(sym_at(sv, (uintptr_t)p, "of the parent"), &sb, NULL,
	    "of the parent");
	sym_is(sym_at(sv, (uintptr_t)child, "the child's own"), &sb, NULL,
	    "the child's own");
	proc_watch_view_free(sv);
	sym_hasnot(pid, *start, (uintptr_t)child, "the child, before");
	sym_hasnot(getpid(), prog_now(), (uintptr_t)child, "the parent");
	sym_hasnot(pid, prog_now(), (uintptr_t)after, "the child, after");
	sv = sym_view(getpid(), prog_now());
	(void)sym_at(sv, (uintptr_t)after, "the parent, after");
	proc_watch_view_free(sv);
	proc_watch_release();
}

void
case_vforked(void)
{
	struct stat sb;
	pid_t pid;

	own_copy("vforked");
	path_stat("vforked", &sb);
	sym_hold();
	pid = child_run("./vforked", "end");
	sym_has(pid, prog_now(), &sb, NULL, "behind vfork");
	path_stat(own_path(), &sb);
	sym_has(getpid(), prog_now(), &sb, own_path(), "the parent");
	proc_watch_release();
}

/*
 * Threads are not processes; an exec by a thread is the process's; the end of
 * the first thread is not the end.
 */
void
case_threads(void)
{
	struct proc_watch_stat ps;
	struct stat sb;
	uint64_t ended;
	int sock;
	pid_t pid;

	own_copy("other");
	path_stat("other", &sb);
	sym_hold();
	pid = child_start(own_path(), "threadexec", &sock);
	prog_tell(sock, 1);
	if (prog_hear(sock) == -1)
		errx(1, "the other program has ended");
	sym_has(pid, prog_now(), &sb, NULL, "a thread's exec");
	proc_watch_stat(&ps);
	ended = ps.pws_ended;
	child_end(pid, sock);
	sym_has(pid, prog_now(), &sb, NULL, "a thread's exec, afterwards");
	proc_watch_stat(&ps);
	if (ps.pws_ended <= ended)
		errx(1, "its end is not known");
	pid = child_start("./other", "leader", &sock);
	sym_has(pid, prog_now(), &sb, NULL, "without its first thread");
	child_end(pid, sock);
	proc_watch_release();
}

/* Returns a time that differs from those of the caller's next actions. */
static int64_t
now_distinct(void)
{
	int64_t now = prog_now();

	while (prog_now() <= now + 2 * PROC_WATCH_SLACK)
		;
	return now;
}

/* At one address, one file after another: by time. */
void
case_reused(void)
{
	struct stat a, b;
	int64_t ta, tb, tc;
	struct proc_view *sv;
	void *p;

	own_copy("liba");
	own_copy("libb");
	path_stat("liba", &a);
	path_stat("libb", &b);
	sym_hold();
	p = map_page("liba", NULL);
	ta = now_distinct();
	munmap(p, getpagesize());
	(void)map_page("libb", p);
	tb = now_distinct();
	munmap(p, getpagesize());
	(void)map_page("liba", p);
	tc = prog_now();
	sv = sym_view(getpid(), ta);
	sym_is(sym_at(sv, (uintptr_t)p, "first"), &a, NULL, "first");
	proc_watch_view_free(sv);
	sv = sym_view(getpid(), tb);
	sym_is(sym_at(sv, (uintptr_t)p, "second"), &b, NULL, "second");
	proc_watch_view_free(sv);
	sv = sym_view(getpid(), tc);
	sym_is(sym_at(sv, (uintptr_t)p, "third"), &a, NULL, "third");
	proc_watch_view_free(sv);
	proc_watch_release();
}

/* One program and then another, each at its time. */
void
case_execed(void)
{
	struct stat before, after;
	int64_t tbefore;
	int sock;
	pid_t pid;

	own_copy("other");
	path_stat(own_path(), &before);
	path_stat("other", &after);
	sym_hold();
	pid = child_start(own_path(), "exec", &sock);
	tbefore = prog_now();
	prog_tell(sock, 1);
	if (prog_hear(sock) == -1)
		errx(1, "the other program has ended");
	sym_has(pid, prog_now(), &after, NULL, "after the exec");
	sym_has(pid, tbefore, &before, own_path(), "before the exec");
	child_end(pid, sock);
	sym_has(pid, tbefore, &before, own_path(), "before the exec, later");
	sym_has(pid, prog_now(), &after, NULL, "after the exec, later");
	proc_watch_release();
}
