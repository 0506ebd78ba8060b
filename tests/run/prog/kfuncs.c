/* SPDX-License-Identifier: ISC */
/*
 * kfuncs read THREADS N	each thread reads a byte of /dev/zero N times
 * kfuncs nest THREADS N	each thread requests an event N times from an epoll
 *				in an epoll in an epoll in an epoll: the kernel's
 *				function for it is recursive
 * kfuncs wait THREADS		each thread waits in a read of one pipe until all
 *				threads do
 * kfuncs methods		all attach methods record the same of one load,
 *				including the top frames of the stack; so do the
 *				fast-path programs, without frames and strings
 * kfuncs both			two sessions whose functions overlap get each hit
 *				once, each with the data it requested
 * kfuncs rounds N PATTERN	N times enable, record, stop, close: memory,
 *				descriptors and kernel objects as before
 * kfuncs busy PATTERN		while one session attaches a pattern, others do
 *				not wait, and neither does its end
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/run/prog/held.h"
#include "tests/run/prog/prog.h"

#define NEST_DEPTH 4
#define NAME	   "/nosuch/kfuncs"
#define MAXTEXT	   8192

static long load_n;

/*
 * Loads
 */

static void *
load_read(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	long i;
	char c;

	(void)arg;
	for (i = 0; i < load_n; i++)
		if (read(fd, &c, 1) != 1)
			err(1, "/dev/zero");
	close(fd);
	return NULL;
}

static void *
load_nest(void *arg)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int fd[NEST_DEPTH + 1], i;
	long n;

	(void)arg;
	fd[0] = eventfd(1, EFD_CLOEXEC);
	for (i = 1; i <= NEST_DEPTH; i++) {
		fd[i] = epoll_create1(EPOLL_CLOEXEC);
		if (fd[i] == -1 ||
		    epoll_ctl(fd[i], EPOLL_CTL_ADD, fd[i - 1], &ev) == -1)
			err(1, "epoll");
	}
	for (n = 0; n < load_n; n++)
		if (epoll_wait(fd[NEST_DEPTH], &ev, 1, 0) != 1)
			errx(1, "epoll: no event");
	for (i = 0; i <= NEST_DEPTH; i++)
		close(fd[i]);
	return NULL;
}

static int waitpipe[2];

static void *
load_wait(void *arg)
{
	char c;

	(void)arg;
	if (read(waitpipe[0], &c, 1) != 1)
		err(1, "pipe");
	return NULL;
}

/* Returns how many threads of this process sleep. */
static int
is_asleep(void *arg)
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *de;
	char path[300], state;
	long n = 0;
	FILE *f;

	while (d != NULL && (de = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/stat",
		    de->d_name);
		if ((f = fopen(path, "re")) == NULL)
			continue;
		if (fscanf(f, "%*d (%*[^)]) %c", &state) == 1 && state == 'S')
			n++;
		fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return n >= *(long *)arg;
}

static void
load_waiting(long nthreads)
{
	pthread_t t[256];
	long i;

	if (pipe(waitpipe) == -1)
		err(1, "pipe");
	for (i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], NULL, load_wait, NULL) != 0)
			errx(1, "pthread_create");
	prog_wait(is_asleep, &nthreads, "all threads to wait");
	for (i = 0; i < nthreads; i++)
		if (write(waitpipe[1], "x", 1) != 1)
			err(1, "pipe");
	for (i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
}

static void
load_threads(void *(*fn)(void *), long nthreads)
{
	pthread_t t[256];
	long i;

	for (i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], NULL, fn, NULL) != 0)
			errx(1, "pthread_create");
	for (i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
}

/*
 * Events of a session as text
 */

static void
add_strings(char *text, const struct dt_event *ev)
{
	const struct dt_rec_string *s = NULL;

	while ((s = dt_string(ev, s)) != NULL)
		sprintf(strchr(text, '\0'), " %u=\"%.*s\"", s->drt_argn,
		    s->drt_length, (const char *)DT_STRING_BYTES(s));
}

/* Adds the two top frames. */
static void
add_frames(char *text, struct dt *dt, const struct dt_event *ev)
{
	uint64_t offset;
	const char *name;
	int i;

	for (i = 0;
	     ev->ev_kstack != NULL && i < 2 && i < ev->ev_kstack->drs_count;
	     i++) {
		name = dt_ksym(dt, DT_STACK_PCS(ev->ev_kstack)[i], &offset);
		sprintf(strchr(text, '\0'), " %s",
		    name != NULL ? name : "nobody's");
	}
}

/* Prints events until none arrives, one per line, without varying fields. */
static long
tell(struct dt *dt, char *text)
{
	const struct dt_probe_desc *pd;
	struct dt_event ev;
	long n = 0;

	*text = '\0';
	while (dt_next(dt, &ev, -1) == 1) {
		pd = dt_probe(dt, ev.ev_rec->dr_pbn);
		n++;
		if (pd == NULL || strlen(text) > MAXTEXT - 512)
			continue;
		sprintf(strchr(text, '\0'), "%s:%s", pd->pd_info.dtpi_func,
		    pd->pd_info.dtpi_name);
		if (ev.ev_ret != NULL)
			sprintf(strchr(text, '\0'), " = %lld %u",
			    (long long)ev.ev_ret->drr_retval,
			    ev.ev_ret->drr_error);
		else if (ev.ev_nargs > 2) /* other arguments are pointers */
			sprintf(strchr(text, '\0'), " %lld",
			    (long long)
				ev.ev_args[*pd->pd_info.dtpi_func == 'd' ? 0
									 : 2]);
		add_strings(text, &ev);
		add_frames(text, dt, &ev);
		strcat(text, "\n");
	}
	return n;
}

static void
enable_some(struct dt *dt)
{
	const uint64_t flags = DTEVT_FUNCARGS | DTEVT_STRINGS;
	const uint64_t stack = DTEVT_FUNCARGS | DTEVT_KSTACK;

	prog_enable(dt, "kprobe:read_zero:entry", stack, 0);
	prog_enable(dt, "kprobe:read_zero:return", DTEVT_KSTACK, 0);
	prog_enable(dt, "kprobe:do_sys_openat2:entry", flags, 0);
	prog_enable(dt, "kprobe:do_sys_openat2:return", 0, 0);
}

/*
 * The load: a missing file and a few bytes of zeros.  It runs on one CPU, whose
 * events arrive in order.
 */
static void
child_load(int sock, void *arg)
{
	char name[] = NAME; /* in memory already */

	(void)arg;
	prog_pin(0);
	(void)prog_hear(sock);
	load_n = 10;
	if (open(name, O_RDONLY) != -1 || errno != ENOENT)
		errx(1, "there is a file " NAME);
	load_read(NULL);
	prog_tell(sock, 'd');
	(void)prog_hear(sock);
}

static const char *
remark_of(struct dt *dt)
{
	static struct dtioc_prov_info pv[16];
	struct dtioc_prov po = { sizeof(pv), pv };
	size_t i;

	if (dt_ioctl(dt, DTIOCGPROVS, &po) == -1)
		errx(1, "providers: %s", dt_error(dt));
	for (i = 0; i < po.dtpo_size / sizeof(*pv); i++)
		if (strcmp(pv[i].dtpv_name, "kprobe") == 0)
			return pv[i].dtpv_reason;
	errx(1, "no provider kprobe");
}

static void
run_load(struct prog_dtd *pd, struct dt *dt, char *text)
{
	struct prog_child pc;
	struct dt_ledger dl;
	long n;

	(void)pd;
	prog_child_start(&pc, child_load, NULL);
	prog_filter(dt, pc.pc_pid);
	prog_record(dt, 1);
	prog_tell(pc.pc_sock, 'g');
	if (prog_hear(pc.pc_sock) != 'd')
		errx(1, "the load broke off");
	prog_record(dt, 0);
	n = tell(dt, text);
	prog_ledger(dt, NULL, n, &dl);
	prog_child_end(&pc);
}

/* Enables what the fast path records: numbers, at the beginning of a line. */
static void
enable_quick(struct dt *dt)
{
	prog_enable(dt, "kprobe:read_zero:entry", DTEVT_FUNCARGS, 0);
	prog_enable(dt, "kprobe:read_zero:return", 0, 0);
	prog_enable(dt, "kprobe:do_sys_openat2:entry", DTEVT_FUNCARGS, 0);
	prog_enable(dt, "kprobe:do_sys_openat2:return", 0, 0);
}

/* Returns whether each line of one text begins with the other's line. */
static int
lines_begin(const char *whole, const char *begin)
{
	size_t n;

	while (*whole != '\0') {
		n = strcspn(begin, "\n");
		if (strncmp(whole, begin, n) != 0 || begin[n] == '\0')
			return 0;
		begin += n + 1;
		whole += strcspn(whole, "\n") + 1;
	}
	return *begin == '\0';
}

static void
check_quick(struct prog_dtd *pd, const char *method, const char *whole)
{
	static char text[MAXTEXT];
	struct dt *dt = prog_open(pd, 0);

	enable_quick(dt);
	run_load(pd, dt, text);
	if (!lines_begin(whole, text))
		errx(1, "%s, quick:\n%s\nand not quick:\n%s", method, text,
		    whole);
	dt_close(dt);
}

static void
check_methods(void)
{
	static const char *const names[] = { "session", "multi", "fentry",
		"perf" };
	static char first[MAXTEXT], text[MAXTEXT];
	char conf[64];
	struct prog_dtd pd;
	struct dt *dt;
	unsigned int i, n = 0;
	int works;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(conf, sizeof(conf), "kprobe-attach = %s\n", names[i]);
		prog_dtd_start(&pd, conf);
		dt = prog_open(&pd, 0);
		works = strstr(remark_of(dt), "cannot be attached") == NULL;
		if (!works)
			printf("%s: not here\n", names[i]);
		else {
			enable_some(dt);
			run_load(&pd, dt, n == 0 ? first : text);
			printf("%s: works\n", names[i]);
			if (n++ > 0 && strcmp(first, text) != 0)
				errx(1, "%s:\n%s\nand before:\n%s", names[i],
				    text, first);
		}
		dt_close(dt);
		if (works)
			check_quick(&pd, names[i], first);
		prog_dtd_stop(&pd);
	}
	printf("%s%u methods, the same\n", first, n);
}

static void
check_both(void)
{
	static char a[MAXTEXT], b[MAXTEXT];
	struct prog_child pc;
	struct prog_dtd pd;
	struct dt_ledger dl;
	struct dt *da, *db;
	long na, nb;

	prog_dtd_start(&pd, NULL);
	da = prog_open(&pd, 0);
	db = prog_open(&pd, 0);
	prog_child_start(&pc, child_load, NULL);
	prog_filter(da, pc.pc_pid);
	prog_filter(db, pc.pc_pid);
	enable_some(da);
	prog_enable(db, "kprobe:read_zero:entry", DTEVT_FUNCARGS, 0);
	prog_enable(db, "kprobe:vfs_read:return", 0, 0);
	prog_record(da, 1);
	prog_record(db, 1);
	prog_tell(pc.pc_sock, 'g');
	if (prog_hear(pc.pc_sock) != 'd')
		errx(1, "the load broke off");
	prog_record(da, 0);
	prog_record(db, 0);
	na = tell(da, a);
	nb = tell(db, b);
	prog_ledger(da, "a", na, &dl);
	prog_ledger(db, "b", nb, &dl);
	prog_child_end(&pc);
	printf("a %ld\n%sb %ld\n%s", na, a, nb, b);
	dt_close(da);
	dt_close(db);
	prog_dtd_stop(&pd);
}

/*
 * Rounds
 */

static void
enable_all(struct dt *dt, const char *pattern)
{
	struct dtioc_probe_info *pi;
	ssize_t i, n;

	if ((n = dt_lookup(dt, pattern, &pi)) == -1)
		errx(1, "%s: %s", pattern, dt_error(dt));
	for (i = 0; i < n; i++) {
		struct dtioc_req rq = { .dtrq_pbn = pi[i].dtpi_pbn };

		if (dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1 && errno != EINVAL)
			errx(1, "%s: %s", pi[i].dtpi_func, dt_error(dt));
	}
	free(pi);
}

static void
one_round(struct prog_dtd *pd, const char *pattern)
{
	struct dt *dt = prog_open(pd, 0);
	struct dt_event ev;

	prog_budget(dt, 128 << 10);
	prog_filter(dt, getpid());
	enable_all(dt, pattern);
	prog_record(dt, 1);
	prog_record(dt, 0);
	while (dt_next(dt, &ev, -1) == 1)
		;
	dt_close(dt);
}

struct round_end {
	pid_t re_pid;
	const struct held *re_base;
	const struct prog_dtd *re_dtd;
	unsigned int re_rss; /* kB */
	struct held re_now;
	char re_what[200];
};

/* Compares with the state before; re_what describes a difference. */
static int
is_over(void *arg)
{
	struct round_end *re = arg;
	unsigned int rss = prog_dtd_rss(re->re_dtd);

	held_get(&re->re_now, re->re_pid);
	if (held_differs(re->re_base, &re->re_now, re->re_what,
		sizeof(re->re_what)))
		return 0;
	snprintf(re->re_what, sizeof(re->re_what), "%u kB, were %u", rss,
	    re->re_rss);
	return rss <= re->re_rss + PROG_SLACK_KB;
}

static int
is_unlinked(void *arg)
{
	struct round_end *re = arg;

	held_get(&re->re_now, re->re_pid);
	return re->re_now.he_ids[LINK].is_n == 0;
}

static void
check_rounds(long rounds, const char *pattern)
{
	static struct held base;
	static struct round_end re;
	struct prog_dtd pd;
	long i;

	prog_dtd_start(&pd, NULL);
	re.re_pid = pd.pd_pid;
	re.re_base = &base;
	for (i = 0; i < 3; i++)
		one_round(&pd, pattern);
	prog_wait(is_unlinked, &re, "links of the first rounds");
	held_get(&base, pd.pd_pid);
	re.re_dtd = &pd;
	re.re_rss = prog_dtd_rss(&pd);
	for (i = 0; i < rounds; i++)
		one_round(&pd, pattern);
	prog_wait(is_over, &re, re.re_what);
	prog_dtd_stop(&pd);
	printf("%ld rounds, all as before\n", rounds);
}

/*
 * Busy
 */

static void
child_attach(int sock, void *arg)
{
	struct prog_dtd *pd = arg;
	struct dt *dt = prog_open(pd, 0);
	int on = 1;

	enable_all(dt, getenv("KFUNCS"));
	prog_tell(sock, 'e');
	(void)dt_ioctl(dt, DTIOCRECORD, &on);
	prog_tell(sock, 'r');
	(void)prog_hear(sock);
}

/* Returns how long open and list take, in ns. */
static int64_t
ask_list(struct prog_dtd *pd)
{
	int64_t begun = prog_now();
	struct dt *dt = prog_open(pd, 0);

	(void)prog_probe(dt, "syscall:getppid:entry");
	dt_close(dt);
	return prog_now() - begun;
}

static void
check_busy(const char *pattern)
{
	int64_t idle, busy, begun;
	struct prog_child pc;
	struct prog_dtd pd;

	setenv("KFUNCS", pattern, 1);
	prog_dtd_start(&pd, NULL);
	(void)ask_list(&pd);
	idle = ask_list(&pd);
	prog_child_start(&pc, child_attach, &pd);
	if (prog_hear(pc.pc_sock) != 'e')
		errx(1, "the other open broke off");
	begun = prog_now();
	busy = ask_list(&pd);
	/* most likely it dies while it attaches */
	if (kill(pc.pc_pid, SIGKILL) == -1 || waitpid(pc.pc_pid, NULL, 0) == -1)
		err(1, "kill");
	prog_dtd_line(&pd, NULL, "close 1", (char[256]){ 0 }, 256);
	printf("list %lld ms, while one attaches %lld ms; closed after %lld "
	       "ms\n",
	    (long long)idle / 1000000, (long long)busy / 1000000,
	    (long long)(prog_now() - begun) / 1000000);
	if (busy > 10 * idle + 500000000)
		errx(1, "others waited");
	begun = prog_now();
	prog_dtd_stop(&pd);
	printf("ended after %lld ms\n",
	    (long long)(prog_now() - begun) / 1000000);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	prog_init("kfuncs", 240);
	if ((strcmp(what, "read") == 0 || strcmp(what, "nest") == 0) &&
	    argc == 4) {
		load_n = prog_number(argv[3], 1000000);
		load_threads(*what == 'r' ? load_read : load_nest,
		    prog_number(argv[2], 256));
	} else if (strcmp(what, "wait") == 0 && argc == 3)
		load_waiting(prog_number(argv[2], 256));
	else if (strcmp(what, "enum") == 0)
		return kill(getpid(), 0);
	else if (strcmp(what, "methods") == 0)
		check_methods();
	else if (strcmp(what, "both") == 0)
		check_both();
	else if (strcmp(what, "rounds") == 0 && argc == 4)
		check_rounds(prog_number(argv[2], 10000), argv[3]);
	else if (strcmp(what, "busy") == 0 && argc == 3)
		check_busy(argv[2]);
	else
		errx(1, "see the source for what there is");
	return 0;
}
