/* SPDX-License-Identifier: ISC */
/*
 * complete pinned|moving|int80 [-n CALLS] [-r ROUNDS]
 *
 * Whether a record shows exactly the calls of a program: threads make known
 * calls with arguments drawn from a seed, and note each call with its result.
 * With all system calls enabled, the record of a thread must equal these notes:
 * entry and return alternating, in order, and nothing else.
 *
 * pinned	a thread stays on its CPU: the order is that of dt_next()
 * moving	threads move between CPUs: the order is that of DT_OPEN_ORDERED
 * int80	as pinned, and every third call is a 32-bit one, which must be
 *		counted but not recorded
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define NTHREADS   4
#define MAXARGS	   6
#define MARK_BEGIN 0x7fff0001L	/* close(2) of these: the known part */
#define MARK_END   0x7fff0002L	/* of a thread begins, and ends */
#define MAXNCALLS  40000	/* read after the end: rings hold them */
#define NOFD	   0x40000000UL /* bit of a descriptor that never exists */
#define COMM	   "dt-complete"

/* A call that a thread makes, with its argument types. */
enum value {
	ANY,
	BADFD,
	ZERO_FD,
	NULL_FD,
	BUFFER,
	SHORT,
	NOPATH,
	CWD,
	ZERO,
	SELF_CPUS,
	CPUSIZE
};

static const struct call {
	long ca_nr;
	const char *ca_name;
	unsigned int ca_nargs; /* number of arguments */
	enum value ca_args[MAXARGS];
} calls[] = {
	{ SYS_close, "close", 1, { BADFD } },
	{ SYS_lseek, "lseek", 3, { BADFD, ANY, ANY } },
	{ SYS_getppid, "getppid", 0, { ZERO } },
	{ SYS_read, "read", 3, { ZERO_FD, BUFFER, SHORT } },
	{ SYS_write, "write", 3, { NULL_FD, BUFFER, SHORT } },
	{ SYS_openat, "openat", 4, { CWD, NOPATH, ZERO, ANY } },
	{ SYS_mmap, "mmap", 6, { ZERO, ZERO, ANY, ANY, BADFD, ANY } },
	{ SYS_sendto, "sendto", 6, { BADFD, ANY, SHORT, ANY, ANY, SHORT } },
	{ SYS_prctl, "prctl", 5, { BADFD, ANY, ANY, ANY, ANY } },
	{ SYS_getpriority, "getpriority", 2, { BADFD, ANY } },
	/* the last call only where threads move */
	{ SYS_sched_setaffinity, "sched_setaffinity", 3,
	    { ZERO, CPUSIZE, SELF_CPUS } },
};

#define NCALLS (sizeof(calls) / sizeof(calls[0]))

/* A thread's note of a call. */
struct note {
	unsigned int no_call; /* index of calls */
	int no_error;
	int64_t no_ret;
	uint64_t no_args[MAXARGS];
};

struct notes {
	uint32_t ns_tid;
	long ns_n;
	long ns_nint80;
	struct note *ns_notes; /* shared */
};

enum mode {
	PINNED,
	MOVING,
	INT80
};

struct work {
	enum mode wk_mode;
	long wk_ncalls; /* per thread */
	uint64_t wk_seed;
	int wk_zero, wk_null;
	struct notes wk_notes[NTHREADS];
};

struct thread_arg {
	struct work *ta_work;
	unsigned int ta_num;
};

static uint64_t
draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Returns a mask of one CPU, which r selects. */
static cpu_set_t *
cpus(uint64_t r)
{
	static __thread cpu_set_t sets[8];
	static __thread int made;
	cpu_set_t may;
	int i, cpu = -1;

	if (!made) {
		made = 1;
		sched_getaffinity(getpid(), sizeof(may), &may);
		for (i = 0; i < 8; i++) {
			CPU_ZERO(&sets[i]);
			do
				cpu = (cpu + 1) % CPU_SETSIZE;
			while (!CPU_ISSET(cpu, &may));
			CPU_SET(cpu, &sets[i]);
		}
	}
	return &sets[r % 8];
}

static uint64_t
value(const struct work *wk, enum value v, uint64_t *state)
{
	static char buffer[64];
	uint64_t r = draw(state);

	switch (v) {
	case BADFD: /* the high half is ignored */
		return (r & ~0x80000000UL) | NOFD;
	case ZERO_FD:
		return wk->wk_zero;
	case NULL_FD:
		return wk->wk_null;
	case BUFFER:
		return (uintptr_t)buffer;
	case SHORT:
		return r % sizeof(buffer);
	case NOPATH:
		return (uintptr_t) "/nonexistent/dt";
	case CWD:
		return AT_FDCWD;
	case SELF_CPUS:
		return (uintptr_t)cpus(r);
	case CPUSIZE:
		return sizeof(cpu_set_t);
	case ZERO:
		return 0;
	default:
		return r;
	}
}

#ifdef __x86_64__
/* getpid(2), whose 32-bit number is writev(2) in 64 bits. */
static void
call_int80(pid_t pid)
{
	long nr = 20;

	__asm__ volatile("int $0x80"
			 : "+a"(nr)
			 :
			 : "r8", "r9", "r10", "r11", "memory");
	if (nr != pid)
		errx(1, "int $0x80: %ld", nr);
}
#else
static void
call_int80(pid_t pid)
{
	(void)pid;
	errx(1, "no 32-bit calls on this architecture");
}
#endif

static void
call_make(struct work *wk, struct notes *ns, uint64_t *state)
{
	struct note *no = &ns->ns_notes[ns->ns_n++];
	const struct call *ca;
	uint64_t *a = no->no_args;
	unsigned int i;

	no->no_call = draw(state) % (NCALLS - (wk->wk_mode != MOVING));
	ca = &calls[no->no_call];
	for (i = 0; i < ca->ca_nargs; i++)
		a[i] = value(wk, ca->ca_args[i], state);
	errno = 0;
	no->no_ret = syscall(ca->ca_nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	no->no_error = errno;
}

static void *
work_thread(void *arg)
{
	const struct thread_arg *ta = arg;
	struct work *wk = ta->ta_work;
	struct notes *ns = &wk->wk_notes[ta->ta_num];
	uint64_t state = wk->wk_seed * 1000003 + ta->ta_num + 1;
	pid_t pid = getpid(); /* before the mark: a call, too */
	long i;

	ns->ns_tid = gettid();
	if (wk->wk_mode == MOVING)
		cpus(0); /* makes its own system calls now */
	syscall(SYS_close, MARK_BEGIN);
	for (i = 0; i < wk->wk_ncalls; i++) {
		if (wk->wk_mode == INT80 && i % 3 == 0) {
			call_int80(pid);
			ns->ns_nint80++;
		}
		call_make(wk, ns, &state);
	}
	syscall(SYS_close, MARK_END);
	return NULL;
}

static void
work_run(int sock, void *arg)
{
	struct work *wk = arg;
	struct thread_arg ta[NTHREADS];
	pthread_t t[NTHREADS];
	unsigned int i;

	prctl(PR_SET_NAME, COMM);
	wk->wk_zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	wk->wk_null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	prog_hear(sock);
	for (i = 0; i < NTHREADS; i++) {
		ta[i] = (struct thread_arg){ wk, i };
		if (wk->wk_mode != MOVING)
			prog_pin(i); /* a thread starts where it stays */
		if (pthread_create(&t[i], NULL, work_thread, &ta[i]) != 0)
			errx(1, "pthread_create");
	}
	for (i = 0; i < NTHREADS; i++)
		pthread_join(t[i], NULL);
	prog_tell(sock, 'e');
	prog_hear(sock);
}

static struct work *
work_start(struct prog_child *pc, enum mode mode, long ncalls, uint64_t seed)
{
	struct work *wk = prog_shared(sizeof(*wk));
	unsigned int i;

	wk->wk_mode = mode;
	wk->wk_ncalls = ncalls / NTHREADS;
	wk->wk_seed = seed;
	for (i = 0; i < NTHREADS; i++)
		wk->wk_notes[i].ns_notes = prog_shared(
		    wk->wk_ncalls * sizeof(struct note));
	prog_child_start(pc, work_run, wk);
	return wk;
}

/*
 * The record
 */

/* The compared fields of a record. */
struct seen {
	uint64_t se_time;
	uint32_t se_pbn;
	unsigned int se_nargs;
	uint64_t se_args[MAXARGS];
	int64_t se_ret;
	int se_error;
};

struct record {
	long rc_n; /* records between the marks */
	long rc_max;
	int rc_marks; /* marks found: 2 at the end */
	struct seen *rc_seen;
};

struct reader {
	struct work *rd_work;
	pid_t rd_pid;
	uint64_t rd_nread;
	struct record rd_records[NTHREADS];
	uint32_t rd_entry[NCALLS]; /* pbn */
	uint32_t rd_return[NCALLS];
};

static int
is_mark(const struct reader *rd, const struct dt_event *ev, uint64_t mark)
{
	return ev->ev_rec->dr_pbn == rd->rd_entry[0] && ev->ev_nargs == 1 &&
	    ev->ev_args[0] == mark;
}

static void
record_add(struct record *rc, const struct dt_event *ev)
{
	struct seen *se;

	if (rc->rc_n == rc->rc_max)
		errx(1, "more records than calls");
	se = &rc->rc_seen[rc->rc_n++];
	se->se_time = ev->ev_rec->dr_time;
	se->se_pbn = ev->ev_rec->dr_pbn;
	se->se_nargs = ev->ev_nargs;
	memcpy(se->se_args, ev->ev_args != NULL ? ev->ev_args : se->se_args,
	    ev->ev_nargs * sizeof(uint64_t));
	if (ev->ev_ret != NULL) {
		se->se_ret = ev->ev_ret->drr_retval;
		se->se_error = ev->ev_ret->drr_error;
	}
}

/* Keeps the records between the marks of a thread. */
static void
reader_event(struct reader *rd, const struct dt_event *ev)
{
	struct record *rc;
	unsigned int i;

	rd->rd_nread++;
	if (ev->ev_rec->dr_pid != (uint32_t)rd->rd_pid ||
	    strcmp(ev->ev_comm, COMM) != 0)
		errx(1, "an event of %u %s", ev->ev_rec->dr_pid, ev->ev_comm);
	for (i = 0; i < NTHREADS; i++)
		if (rd->rd_work->wk_notes[i].ns_tid == ev->ev_rec->dr_tid)
			break;
	if (i == NTHREADS)
		return;
	rc = &rd->rd_records[i];
	if (is_mark(rd, ev, MARK_END))
		rc->rc_marks++;
	if (rc->rc_marks == 1)
		record_add(rc, ev);
	if (is_mark(rd, ev, MARK_BEGIN))
		rc->rc_marks++;
}

static void
reader_init(struct reader *rd, struct work *wk, pid_t pid, struct dt *dt)
{
	char name[64];
	unsigned int i;

	memset(rd, 0, sizeof(*rd));
	rd->rd_work = wk;
	rd->rd_pid = pid;
	for (i = 0; i < NTHREADS; i++) {
		rd->rd_records[i].rc_max = 2 * wk->wk_ncalls + 1;
		rd->rd_records[i].rc_seen = calloc(rd->rd_records[i].rc_max,
		    sizeof(struct seen));
		if (rd->rd_records[i].rc_seen == NULL)
			err(1, NULL);
	}
	for (i = 0; i < NCALLS; i++) {
		snprintf(name, sizeof(name), "syscall:%s:entry",
		    calls[i].ca_name);
		rd->rd_entry[i] = prog_probe(dt, name);
		snprintf(name, sizeof(name), "syscall:%s:return",
		    calls[i].ca_name);
		rd->rd_return[i] = prog_probe(dt, name);
	}
}

/* Enables every system call that the daemon has. */
static void
enable_all(struct dt *dt)
{
	struct dtioc_probe_info *info;
	struct dtioc_req rq;
	ssize_t i, n = dt_lookup(dt, "syscall", &info);

	if (n == -1)
		err(1, "lookup: %s", dt_error(dt));
	for (i = 0; i < n; i++) {
		rq = (struct dtioc_req){ .dtrq_pbn = info[i].dtpi_pbn,
			.dtrq_evtflags = DTEVT_FUNCARGS | DTEVT_EXECNAME };
		if (dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1)
			err(1, "enable: %s", dt_error(dt));
	}
	free(info);
}

/*
 * The comparison
 */

static void
expect_entry(const struct reader *rd, const struct note *no,
    const struct seen *se, unsigned int num, long i)
{
	const struct call *ca = &calls[no->no_call];

	if (se->se_pbn != rd->rd_entry[no->no_call])
		errx(1, "thread %u, call %ld: probe %u, not entry of %s", num,
		    i, se->se_pbn, ca->ca_name);
	if (se->se_nargs != ca->ca_nargs)
		errx(1, "%s: %u arguments", ca->ca_name, se->se_nargs);
	if (memcmp(se->se_args, no->no_args,
		ca->ca_nargs * sizeof(no->no_args[0])) != 0)
		errx(1, "thread %u, call %ld: %s with other arguments", num, i,
		    ca->ca_name);
}

static void
expect_return(const struct reader *rd, const struct note *no,
    const struct seen *se, unsigned int num, long i)
{
	if (se->se_pbn != rd->rd_return[no->no_call] ||
	    se->se_ret != no->no_ret || se->se_error != no->no_error)
		errx(1,
		    "thread %u, call %ld: probe %u gave %lld, errno %d; "
		    "%s gave %lld, errno %d",
		    num, i, se->se_pbn, (long long)se->se_ret, se->se_error,
		    calls[no->no_call].ca_name, (long long)no->no_ret,
		    no->no_error);
}

static void
compare(const struct reader *rd, unsigned int num)
{
	const struct notes *ns = &rd->rd_work->wk_notes[num];
	const struct record *rc = &rd->rd_records[num];
	/* The first record is the return of the mark itself. */
	const struct seen *se = rc->rc_seen + 1;
	long i;

	if (rc->rc_marks != 2 || rc->rc_n != 2 * ns->ns_n + 1)
		errx(1, "thread %u: %ld records and %d marks of %ld calls", num,
		    rc->rc_n, rc->rc_marks, ns->ns_n);
	for (i = 0; i < ns->ns_n; i++, se += 2) {
		expect_entry(rd, &ns->ns_notes[i], &se[0], num, i);
		expect_return(rd, &ns->ns_notes[i], &se[1], num, i);
		if (se[0].se_time > se[1].se_time ||
		    se[-1].se_time > se[0].se_time)
			errx(1, "thread %u, call %ld: time goes back", num, i);
	}
}

static void
read_all(struct reader *rd, struct dt *dt)
{
	struct dt_event ev;

	while (dt_next(dt, &ev, PROG_DEADLINE * 1000) == 1)
		reader_event(rd, &ev);
	if (errno != ENODATA)
		err(1, "dt_next: %s", dt_error(dt));
}

static void
round_run(const struct prog_dtd *pd, enum mode mode, long ncalls, uint64_t seed)
{
	static struct reader rd;
	struct dt *dt = prog_open(pd, mode == MOVING ? DT_OPEN_ORDERED : 0);
	struct prog_child pc;
	struct dt_ledger dl;
	struct work *wk;
	long n80 = 0;
	unsigned int i;

	wk = work_start(&pc, mode, ncalls, seed);
	reader_init(&rd, wk, pc.pc_pid, dt);
	prog_budget(dt, 1 << 30);
	prog_filter(dt, pc.pc_pid);
	enable_all(dt);
	prog_record(dt, 1);
	prog_tell(pc.pc_sock, 'g');
	if (prog_hear(pc.pc_sock) != 'e')
		errx(1, "the work has not ended");
	prog_record(dt, 0);
	read_all(&rd, dt);
	prog_ledger(dt, "record", rd.rd_nread, &dl);
	if (dl.dl_read != dl.dl_fired || dl.dl_missed != 0)
		errx(1, "%llu events were lost, %llu missed",
		    dl.dl_fired - dl.dl_read, dl.dl_missed);
	if (dt_late(dt) != 0)
		errx(1, "%llu events came late",
		    (unsigned long long)dt_late(dt));
	for (i = 0; i < NTHREADS; i++) {
		compare(&rd, i);
		n80 += wk->wk_notes[i].ns_nint80;
		free(rd.rd_records[i].rc_seen);
		munmap(wk->wk_notes[i].ns_notes,
		    wk->wk_ncalls * sizeof(struct note));
	}
	if (dl.dl_compat != (uint64_t)n80)
		errx(1, "%llu 32-bit calls, not %ld", dl.dl_compat, n80);
	dt_close(dt);
	prog_child_end(&pc);
}

int
main(int argc, char **argv)
{
	static const char *const modes[] = { "pinned", "moving", "int80" };
	long i, ncalls = 20000, rounds = 3;
	unsigned int mode = 0;
	struct prog_dtd pd;
	int ch;

	while (mode < 3 && (argc < 2 || strcmp(argv[1], modes[mode]) != 0))
		mode++;
	optind = 2;
	while (mode < 3 && (ch = getopt(argc, argv, "n:r:")) != -1) {
		if (ch == 'n')
			ncalls = prog_number(optarg, MAXNCALLS);
		else if (ch == 'r')
			rounds = prog_number(optarg, 100000);
		else
			mode = 3;
	}
	if (mode == 3)
		errx(2,
		    "usage: complete pinned|moving|int80 [-n calls] "
		    "[-r rounds]");
	prog_init("complete", 600);
	prog_dtd_start(&pd, NULL);
	for (i = 0; i < rounds; i++)
		round_run(&pd, mode, ncalls, i + 1);
	prog_dtd_stop(&pd);
	printf("complete %s: %ld times the same\n", modes[mode], rounds);
	return 0;
}
