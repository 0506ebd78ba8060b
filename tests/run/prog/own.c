/* SPDX-License-Identifier: ISC */
/*
 * own hits|ticks|names|follow|reuse|stats
 *
 * A user with the right TRACE_OWN, and processes of all kinds: the data of each
 * that the user gets, compared with a table.
 *
 * hits		system calls, with arguments and stacks: only of own processes
 * ticks	the same for clocks: a tick has no data of another's process
 * names	symbols and mappings of own processes, also after they ended
 * reuse	mappings of a process that was set-user-ID for a while
 * follow	following stops when a process changes its user
 * stats	no sums over all sessions
 */
#include <errno.h>

#include "tests/run/prog/own_actor.h"

static const struct kind {
	const char *name;
	void (*as)(int sock);
	int isown;
} kinds[] = {
	{ "user", as_user, 1 },
	{ "border", as_border, 1 },
	{ "root", as_root, 0 },
	{ "other", as_other, 0 },
	{ "group", as_group, 0 },
	{ "changed", as_changed, 0 },
	{ "setuid", as_setuid, 0 },
	{ "gaveup", as_gaveup, 0 },
	{ "setother", as_setother, 0 },
	{ "setgid", as_setgid, 0 },
	{ "unreadable", as_unreadable, 0 },
	{ "undumpable", as_undumpable, 0 },
	{ "capable", as_capable, 0 },
	{ "nsroot", as_nsroot, 0 },
	{ "nsuser", as_nsuser, 1 },
	{ "container", as_container, 0 },
	{ "pidns", as_pidns, 1 },
};

#define NKINDS	    (sizeof(kinds) / sizeof(kinds[0]))
#define KIND_BORDER 1

struct actor {
	struct prog_child ac_child;
	unsigned int ac_nhits; /* recorded for the user */
	pid_t ac_pid;	       /* process, time and pc of one hit */
	uint64_t ac_time;
	uint64_t ac_pc;
};

static struct actor actors[NKINDS];
static struct prog_dtd dtd;
static int boss;	      /* to the program that starts all actors */
static unsigned int nstrange; /* hits of processes not in the table */
static unsigned int nbad;

static void
bad(const char *what, const char *who, long got, long want)
{
	nbad++;
	printf("%s %s: %ld, expected %ld\n", what, who, got, want);
}

static void
actor_start(int sock, void *arg)
{
	((const struct kind *)arg)->as(sock);
}

static void
actors_start(void)
{
	size_t i;

	copies_make(dtd.pd_dir);
	for (i = 0; i < NKINDS; i++) {
		prog_child_start(&actors[i].ac_child, actor_start,
		    (void *)(uintptr_t)&kinds[i]);
		if (prog_hear(actors[i].ac_child.pc_sock) != 'r')
			errx(1, "%s does not come", kinds[i].name);
	}
}

/* Makes all actors call, one after the other. */
static void
actors_call(char border)
{
	size_t i;

	for (i = 0; i < NKINDS; i++) {
		prog_tell(actors[i].ac_child.pc_sock,
		    i == KIND_BORDER ? border : 'g');
		if (prog_hear(actors[i].ac_child.pc_sock) <= 0)
			errx(1, "%s has gone", kinds[i].name);
	}
}

static void
actors_end(void)
{
	size_t i;

	for (i = 0; i < NKINDS; i++)
		prog_child_end(&actors[i].ac_child);
	copies_remove();
}

/* Ends all actors through their parents. */
static void
actors_leave(void)
{
	size_t i;

	for (i = 0; i < NKINDS; i++)
		close(actors[i].ac_child.pc_sock);
	prog_tell(boss, 'e');
	if (prog_hear(boss) != 'e')
		errx(1, "the actors do not end");
}

static struct actor *
actor_named(const char *name)
{
	size_t i;

	for (i = 0; i < NKINDS; i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &actors[i];
	return NULL;
}

static struct actor *
event_actor(const struct dt_event *ev)
{
	struct actor *ac = ev->ev_comm ? actor_named(ev->ev_comm) : NULL;

	if (ac == NULL)
		nstrange++;
	return ac;
}

static void
event_note(const struct dt_event *ev, struct actor *ac)
{
	const struct dt_rec_stack *st = ev->ev_ustack;

	ac->ac_nhits++;
	ac->ac_pid = ev->ev_rec->dr_pid;
	ac->ac_time = ev->ev_rec->dr_time;
	if (st != NULL && st->drs_count > 0)
		ac->ac_pc = DT_STACK_PCS(st)[0];
	st = ev->ev_kstack;
	if (st != NULL &&
	    (st->drs_count != 0 || st->drs_end != DT_STACK_DENIED))
		bad("frames of the kernel of", ev->ev_comm, st->drs_count, 0);
}

/* Reads all events, until the end; returns their number. */
static uint64_t
read_all(struct dt *dt, void (*fn)(const struct dt_event *))
{
	struct dt_event ev;
	uint64_t n = 0;
	int r;

	while ((r = dt_next(dt, &ev, PROG_DEADLINE * 1000)) == 1) {
		fn(&ev);
		n++;
	}
	if (r == 0 || errno != ENODATA)
		errx(1, "dt_next: %s", dt_error(dt));
	return n;
}

static void
hit_event(const struct dt_event *ev)
{
	struct actor *ac = event_actor(ev);

	if (ac != NULL)
		event_note(ev, ac);
}

#define TURNS 20 /* programs of one process */

#define FLAGS (DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS)

/* Opens a session of the user. */
static struct dt *
user_open(void)
{
	struct dt *dt;

	become(USER, USER);
	if (prctl(PR_SET_DUMPABLE, 1) == -1)
		err(1, "prctl");
	dt = prog_open(&dtd, 0);
	if (dt_rights(dt) != (RIGHT_LIST | RIGHT_TRACE_OWN))
		errx(1, "rights %#x", dt_rights(dt));
	return dt;
}

/* Checks that only own processes are counted anywhere. */
static void
ledger_check(struct dt *dt, uint64_t nread)
{
	struct dt_ledger dl;

	prog_ledger(dt, NULL, nread, &dl);
	if (dl.dl_dropped != 0 || dl.dl_recursed != 0)
		bad("of the own", "lost", dl.dl_dropped + dl.dl_recursed, 0);
	if (dl.dl_excluded != 0 || dl.dl_compat != 0 || dl.dl_unfollowed != 0)
		bad("of others", "counted", dl.dl_excluded + dl.dl_compat, 0);
	if ((dl.dl_flags & DT_LEDGER_MISSED_UNKNOWN) == 0 || dl.dl_missed != 0)
		bad("what the kernel missed", "is told", dl.dl_missed, 0);
}

static void
hits_check(unsigned int ncalls)
{
	unsigned int want;
	size_t i;

	for (i = 0; i < NKINDS; i++) {
		want = kinds[i].isown ? ncalls : 0;
		if (actors[i].ac_nhits != want)
			bad("hits of", kinds[i].name, actors[i].ac_nhits, want);
	}
	if (nstrange != 0)
		bad("hits of", "who is in no table", nstrange, 0);
}

static void
own_hits(void)
{
	struct dt *dt = user_open();
	uint64_t n;

	prog_enable(dt, "syscall:getppid:entry", FLAGS, 0);
	prog_enable(dt, "syscall:getppid:return", FLAGS, 0);
	prog_record(dt, 1);
	actors_call('g');
	prog_record(dt, 0);
	n = read_all(dt, hit_event);
	hits_check(2 * CALLS);
	ledger_check(dt, n);
	dt_close(dt);
}

/* A tick of another's process: it must have no pid and no data. */
static void
tick_event(const struct dt_event *ev)
{
	struct actor *ac;

	if (ev->ev_rec->dr_pid == 0 && ev->ev_comm == NULL &&
	    ev->ev_ustack == NULL && ev->ev_kstack == NULL)
		return;
	/* a clock on one CPU also ticks in the reader */
	if (ev->ev_comm != NULL && strcmp(ev->ev_comm, "own") == 0)
		return;
	if ((ac = event_actor(ev)) != NULL)
		event_note(ev, ac);
}

/* The clocks tick while actors work: the user sees only own actors. */
static void
own_ticks(void)
{
	struct dt *dt = user_open();
	int64_t end;
	size_t i;

	prog_enable(dt, "profile:hz:97", FLAGS, 1000000);
	prog_enable(dt, "interval:hz:1", FLAGS, 1000000);
	prog_record(dt, 1);
	for (end = prog_now() + 300 * 1000000LL; prog_now() < end;)
		actors_call('g');
	prog_record(dt, 0);
	(void)read_all(dt, tick_event);
	for (i = 0; i < NKINDS; i++)
		if (!kinds[i].isown && actors[i].ac_nhits != 0)
			bad("ticks of", kinds[i].name, actors[i].ac_nhits, 0);
	if (nstrange != 0)
		bad("ticks of", "who is in no table", nstrange, 0);
	dt_close(dt);
}

/* Returns why an address has no symbol, or DTFR_NAMED. */
static unsigned int
name_why(struct dt *dt, pid_t pid, uint64_t nsecs, uint64_t pc)
{
	struct dt_frames fr;
	unsigned int why;

	if (dt_symbolize(dt, pid, nsecs, &pc, 1, 0, &fr) == -1)
		errx(1, "dt_symbolize: %s", dt_error(dt));
	why = fr.df_n == 1 ? fr.df_frames[0].df_why : ~0U;
	dt_frames_free(&fr);
	return why;
}

static int
maps_errno(struct dt *dt, pid_t pid, uint64_t nsecs)
{
	struct dt_mappings dm;

	if (dt_mappings(dt, pid, nsecs, &dm) == -1)
		return errno;
	dt_mappings_free(&dm);
	return 0;
}

/* Checks foreign processes, by the numbers that root has for them. */
static void
names_of_others(struct dt *dt)
{
	unsigned int why;
	size_t i;
	pid_t pid;

	for (i = 0; i < NKINDS; i++) {
		pid = actors[i].ac_child.pc_pid;
		if (kinds[i].isown)
			continue;
		why = name_why(dt, pid, 0, actors[0].ac_pc);
		if (why != DTFR_DENIED)
			bad("names of", kinds[i].name, why, DTFR_DENIED);
		why = name_why(dt, pid, actors[0].ac_time, actors[0].ac_pc);
		if (why != DTFR_DENIED)
			bad("past names of", kinds[i].name, why, DTFR_DENIED);
		if (maps_errno(dt, pid, 0) != EPERM)
			bad("mappings of", kinds[i].name,
			    maps_errno(dt, pid, 0), EPERM);
	}
}

/*
 * Checks own processes, also after their end; the one in a nested namespace is
 * known by its hits.
 */
static void
names_of_own(struct dt *dt, const char *when)
{
	unsigned int why;
	char what[64];
	size_t i;

	snprintf(what, sizeof(what), "%s names of", when);
	for (i = 0; i < NKINDS; i++) {
		if (!kinds[i].isown)
			continue;
		why = name_why(dt, actors[i].ac_pid, actors[i].ac_time,
		    actors[i].ac_pc);
		if (why != DTFR_NAMED)
			bad(what, kinds[i].name, why, DTFR_NAMED);
	}
}

static void
own_names(void)
{
	struct dt *dt = user_open(), *other;
	uint64_t pc = 0xffffffff81000000;
	struct dt_frames fr;
	unsigned int why;

	prog_enable(dt, "syscall:getppid:entry", FLAGS, 0);
	prog_record(dt, 1);
	actors_call('g');
	prog_record(dt, 0);
	(void)read_all(dt, hit_event);
	names_of_own(dt, "present");
	names_of_others(dt);
	if (maps_errno(dt, actors[0].ac_pid, 0) != 0)
		bad("mappings of", "user", maps_errno(dt, actors[0].ac_pid, 0),
		    0);
	actors_leave();
	names_of_own(dt, "past");
	/* a session that did not record it cannot know its user */
	other = prog_open(&dtd, 0);
	why = name_why(other, actors[0].ac_pid, actors[0].ac_time,
	    actors[0].ac_pc);
	if (why != DTFR_DENIED)
		bad("names of", "who has gone", why, DTFR_DENIED);
	dt_close(other);
	if (dt_symbolize(dt, 0, 0, &pc, 1, 0, &fr) != -1 || errno != EPERM)
		bad("names of", "the kernel", 0, EPERM);
	if (dt_symbolize_file(dt, "/bin/sh", NULL, 0, &pc, 1, 0, &fr) != -1 ||
	    errno != EPERM)
		bad("names of", "a file", 0, EPERM);
	dt_close(dt);
}

/*
 * The process KIND_BORDER executes a program that is not the user's, which
 * forks.
 */
static void
own_follow(void)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID | DTFI_CHILDREN,
		.dtfi_pid = actors[KIND_BORDER].ac_child.pc_pid };
	struct dt *dt = user_open();
	uint64_t n;

	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1)
		errx(1, "filter: %s", dt_error(dt));
	prog_enable(dt, "syscall:getppid:entry", FLAGS, 0);
	prog_record(dt, 1);
	actors_call('f'); /* and its own child */
	actors_call('x'); /* 'r': it runs the other program */
	actors_call('f');
	prog_record(dt, 0);
	n = read_all(dt, hit_event);
	if (n != 3 * CALLS || actors[KIND_BORDER].ac_nhits != n)
		bad("hits on this side of", "the border", n, 3 * CALLS);
	ledger_check(dt, n);
	dt_close(dt);
}

static uint64_t reuse_times[TURNS * CALLS];
static size_t reuse_n;

static void
reuse_event(const struct dt_event *ev)
{
	if (reuse_n < TURNS * CALLS)
		reuse_times[reuse_n] = ev->ev_rec->dr_time;
	reuse_n++;
}

static int
earlier(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/*
 * KIND_BORDER executes a set-user-ID program, which executes the user's program
 * again, and so on: one pid with two alternating addresses of mm_struct.
 * Mappings between two of the user's programs must be denied.
 */
static void
own_reuse(void)
{
	struct prog_child *pc = &actors[KIND_BORDER].ac_child;
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID,
		.dtfi_pid = pc->pc_pid };
	struct dt *dt = user_open();
	uint64_t before, after;
	size_t i;
	int r;

	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1)
		errx(1, "filter: %s", dt_error(dt));
	prog_enable(dt, "syscall:getppid:entry", FLAGS, 0);
	prog_record(dt, 1);
	for (i = 0; i < 2 * TURNS; i++) {
		prog_tell(pc->pc_sock, i % 2 == 0 ? 'x' : 'b');
		if (prog_hear(pc->pc_sock) != 'r')
			errx(1, "the border has gone");
	}
	prog_record(dt, 0);
	(void)read_all(dt, reuse_event);
	if (reuse_n != TURNS * CALLS)
		errx(1, "hits of the border: %zu", reuse_n);
	/* events of different CPUs arrive in any order */
	qsort(reuse_times, reuse_n, sizeof(reuse_times[0]), earlier);
	r = maps_errno(dt, pc->pc_pid, reuse_times[reuse_n - 1]);
	if (r != 0)
		bad("mappings of", "the user's last program", r, 0);
	for (i = CALLS; i < reuse_n && nbad == 0; i += CALLS) {
		before = reuse_times[i - 1];
		after = reuse_times[i];
		r = maps_errno(dt, pc->pc_pid, before + (after - before) / 2);
		if (r != EPERM)
			bad("mappings of", "the set-user-ID program", r, EPERM);
	}
	dt_close(dt);
}

static void
own_stats(void)
{
	struct dt *root = prog_open(&dtd, 0), *dt;
	struct dtioc_fullstat fs;

	prog_enable(root, "syscall:getppid:entry", FLAGS, 0);
	prog_record(root, 1);
	actors_call('g');
	dt = user_open();
	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		errx(1, "fullstat: %s", dt_error(dt));
	if (fs.dtfs_nopen != 1)
		bad("opens", "told", fs.dtfs_nopen, 1);
	if (fs.dtfs_cost != UINT64_MAX)
		bad("cost of all", "told", fs.dtfs_cost, -1);
	if (fs.dtfs_sym.dtss_nprocs != 0 || fs.dtfs_sym.dtss_ksyms != 0)
		bad("processes", "told", fs.dtfs_sym.dtss_nprocs, 0);
	if (fs.dtfs_fired != 0)
		bad("hits of others", "told", fs.dtfs_fired, 0);
	dt_close(dt);
}

static const struct {
	const char *name;
	void (*fn)(void);
} parts[] = {
	{ "hits", own_hits },
	{ "ticks", own_ticks },
	{ "names", own_names },
	{ "follow", own_follow },
	{ "reuse", own_reuse },
	{ "stats", own_stats },
};

#define NPARTS (sizeof(parts) / sizeof(parts[0]))

static void
user_start(int sock, void *arg)
{
	boss = sock;
	(*(void (**)(void))arg)();
	if (nbad != 0)
		errx(1, "%u differ", nbad);
}

int
main(int argc, char **argv)
{
	struct prog_child user;
	void (*fn)(void);
	size_t i;

	if (argc == 4 && strcmp(argv[1], "actor") == 0) {
		snprintf(copy_dir, sizeof(copy_dir), "%s", argv[3]);
		actor_main(argv[2]);
	}
	for (i = 0; argc == 2 && i < NPARTS; i++)
		if (strcmp(parts[i].name, argv[1]) == 0)
			break;
	if (argc != 2 || i == NPARTS)
		errx(2, "usage: own hits|ticks|names|follow|reuse|stats");
	prog_init("own", PROG_DEADLINE);
	prog_dtd_start(&dtd,
	    "allow = trace-own to user 65534\ntrace-own-despite-lsm = yes\n");
	actors_start();
	fn = parts[i].fn;
	prog_child_start(&user, user_start, &fn);
	if (prog_hear(user.pc_sock) == 'e') {
		actors_end();
		prog_tell(user.pc_sock, 'e');
	}
	prog_child_end(&user);
	copies_remove();
	prog_dtd_stop(&dtd);
	printf("own %s: as the table says\n", argv[1]);
	return 0;
}
