/* SPDX-License-Identifier: ISC */
/*
 * kcovr rounds [N] | gone | brake | people
 *
 * Checks that kcov releases everything, and its cost limit: with a separate
 * service, on kernels that have kprobes.
 *
 * rounds	enabled and disabled N times, for two alternating sets of
 *		functions, each for ten rounds: then the daemon holds the same
 *		as before
 * gone		the client exits while functions are being attached: the same
 * brake	a set that costs too much is stopped, and DISABLE reports it; a
 *		session without a limit is not stopped
 * people	of a user with three small sets and root with a larger one, the
 *		user is stopped
 */
#include <sys/wait.h>

#include <grp.h>

#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/run/prog/held.h"
#include "tests/run/prog/kcov.h"

static struct held base, now;
static char what[200];
static unsigned int rss;

static void
round_one(struct dt *dt, uint64_t *memory, unsigned int i)
{
	unsigned int n = i % 3;

	memory[0] = 0;
	enable(dt);
	mkdirs(n);
	disable(dt);
	mkdirs(i % 2);
	if (memory[0] != n)
		errx(1, "round %u: %ju records", i, (uintmax_t)memory[0]);
}

/* Every ten rounds one set is detached and the other attached. */
static void
rounds_run(unsigned int n)
{
	uint64_t *memory;
	struct dt *dt = ready("vfs_mkdir", 64, &memory);
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (i % 10 == 0)
			funcs(dt, i % 20 == 0 ? "vfs_mkdir" : "vfs_mkdi[r]");
		round_one(dt, memory, i);
	}
	munmap(memory, 64 * KCOV_ENTRY_SIZE);
	dt_close(dt);
}

/*
 * Returns whether no links and only the earlier objects are left; what: the
 * difference.
 */
static int
is_as_before(void *arg)
{
	(void)arg;
	held_get(&now, dtd.pd_pid);
	if (held_exceeds(&base, &now, what, sizeof(what)))
		return 0;
	snprintf(what, sizeof(what), "%u kB, were %u", prog_dtd_rss(&dtd), rss);
	return prog_dtd_rss(&dtd) <= rss + PROG_SLACK_KB;
}

/* Loads what the daemon loads by itself after its start, and what rounds use. */
static void
loaded(void)
{
	struct dt *dt = prog_open(&dtd, 0);

	prog_load_all(dt, 0);
	dt_close(dt);
	rounds_run(20);
}

static void
rounds(unsigned int n)
{
	loaded();
	held_get_resting(&base, dtd.pd_pid);
	rss = prog_dtd_rss(&dtd);
	rounds_run(n);
	prog_wait(is_as_before, NULL, what);
	printf("%u rounds, each with its own records, and all as before\n", n);
}

/*
 * A client that exits while functions are being attached for it
 */

static void
enables(int sock, void *arg)
{
	struct dt *dt = ready(arg, 64, NULL);

	prog_tell(sock, 'r');
	(void)prog_hear(sock);
	(void)try(dt, KIOENABLE, KCOV_MODE_TRACE_PC);
}

static int
is_attaching(void *arg)
{
	(void)arg;
	held_get(&now, dtd.pd_pid);
	return now.he_ids[LINK].is_n > 0;
}

static void
gone(void)
{
	struct dt *dt = kcov_ready(64, NULL);
	struct prog_child child;
	struct kio_price kp;
	const char *globs = "[a-h]*"; /* a third of all: takes seconds */

	if (dt_ioctl(dt, KIOGETPRICE, &kp) == -1)
		errx(1, "GETPRICE: %s", dt_error(dt));
	if (kp.kp_method == KCOV_METHOD_KPROBE)
		globs = "";
	dt_close(dt);
	loaded();
	held_get_resting(&base, dtd.pd_pid);
	rss = prog_dtd_rss(&dtd);
	prog_child_start(&child, enables, (void *)globs);
	if (prog_hear(child.pc_sock) != 'r')
		errx(1, "the client does not begin");
	prog_tell(child.pc_sock, 'e');
	prog_wait(is_attaching, NULL, "the first that are attached");
	kill(child.pc_pid, SIGKILL);
	waitpid(child.pc_pid, NULL, 0);
	close(child.pc_sock);
	prog_wait(is_as_before, NULL, what);
	printf("what was attached has gone\n");
}

/*
 * The cost limit
 */

static sem_t is_enabled, may_end;

static int
is_stopped(void *arg)
{
	struct kio_stat ks;
	char path[16];
	int i;

	for (i = 0; i < 1000; i++)
		if (readlink("/proc/self", path, sizeof(path)) == -1)
			err(1, "/proc/self");
	if (dt_ioctl(arg, KIOGETSTAT, &ks) == -1)
		errx(1, "GETSTAT: %s", dt_error(arg));
	return ks.ks_stopped != 0;
}

static void *
unlimited_run(void *arg)
{
	int on = 1;

	want(arg, KIONOLIMIT, &on, 0, "NOLIMIT");
	enable(arg);
	sem_post(&is_enabled);
	sem_wait(&may_end);
	want(arg, KIODISABLE, NULL, 0, "DISABLE of who has lifted it");
	return NULL;
}

static void *
limited_run(void *arg)
{
	int mode = KCOV_MODE_TRACE_PC;
	struct kio_price kp;

	enable(arg);
	sem_post(&is_enabled);
	sem_wait(&may_end);
	want(arg, KIOENABLE, &mode, EBUSY, "ENABLE of what was stopped");
	want(arg, KIODISABLE, NULL, ECANCELED, "DISABLE");
	printf("%s\n", dt_error(arg));
	check(dt_ioctl(arg, KIOGETPRICE, &kp) == 0 && kp.kp_attached == 0,
	    "nothing is attached");
	want(arg, KIODISABLE, NULL, EPERM, "DISABLE again");
	enable(arg);
	check(1, "and it may be enabled again");
	disable(arg);
	return NULL;
}

static pthread_t
thread_start(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, fn, arg) != 0)
		errx(1, "pthread_create");
	sem_wait(&is_enabled);
	return t;
}

/*
 * The calls are made by a third thread, this one.  The session without a limit
 * has more functions, and would be stopped first.
 */
static void
brake(void)
{
	struct dt *dt = ready("vfs_readlink", 64, NULL);
	struct dt *free = ready("vfs_readlink vfs_mkdir vfs_rmdir", 64, NULL);
	struct kio_stat ks;
	pthread_t t, tfree;

	sem_init(&is_enabled, 0, 0);
	sem_init(&may_end, 0, 0);
	tfree = thread_start(unlimited_run, free);
	t = thread_start(limited_run, dt);
	prog_wait(is_stopped, dt, "the end of what costs too much");
	check(dt_ioctl(free, KIOGETSTAT, &ks) == 0 && ks.ks_stopped == 0,
	    "who has lifted the limit is not stopped");
	sem_post(&may_end);
	sem_post(&may_end);
	pthread_join(t, NULL);
	pthread_join(tfree, NULL);
	dt_close(free);
	dt_close(dt);
}

/*
 * The cost limit per user
 */

#define USER 65534

static const char *const user_sets[] = { "vfs_readlink", "vfs_mkdir",
	"vfs_rmdir" };
#define NSETS (sizeof(user_sets) / sizeof(user_sets[0]))

/* A session of the user; replies whether it was stopped. */
static void
user_session(int sock, void *arg)
{
	struct kio_stat ks = { 0 };
	struct dt *dt;

	if (setgroups(0, NULL) == -1 || setresgid(USER, USER, USER) == -1 ||
	    setresuid(USER, USER, USER) == -1)
		err(1, "user %d", USER);
	dt = ready(arg, 64, NULL);
	enable(dt);
	prog_tell(sock, 'e');
	while (prog_hear(sock) != -1) {
		if (dt_ioctl(dt, KIOGETSTAT, &ks) == -1)
			errx(1, "GETSTAT: %s", dt_error(dt));
		prog_tell(sock, ks.ks_stopped != 0 ? 's' : 'e');
	}
}

/* Calls a function of one of the user's sets, until its session is stopped. */
static int
user_isstopped(void *arg)
{
	struct prog_child *pc = arg;
	unsigned int i, n = 0;
	char path[16];

	for (i = 0; i < 1000; i++)
		if (readlink("/proc/self", path, sizeof(path)) == -1)
			err(1, "/proc/self");
	for (i = 0; i < NSETS; i++) {
		prog_tell(pc[i].pc_sock, '?');
		n += prog_hear(pc[i].pc_sock) == 's';
	}
	return n > 0;
}

/* Root's thread waits: its own cost does not count. */
static void *
root_run(void *arg)
{
	enable(arg);
	sem_post(&is_enabled);
	sem_wait(&may_end);
	disable(arg);
	return NULL;
}

static void
people(void)
{
	struct dt *dt = ready("vfs_mkdir vfs_rmdir", 64, NULL);
	struct prog_child users[NSETS];
	struct kio_stat ks;
	unsigned int i;
	pthread_t t;

	sem_init(&is_enabled, 0, 0);
	sem_init(&may_end, 0, 0);
	t = thread_start(root_run, dt);
	for (i = 0; i < NSETS; i++) {
		prog_child_start(&users[i], user_session,
		    (void *)(uintptr_t)user_sets[i]);
		if (prog_hear(users[i].pc_sock) != 'e')
			errx(1, "session %u of the user", i);
	}
	prog_wait(user_isstopped, users, "the end of a session of the user");
	check(dt_ioctl(dt, KIOGETSTAT, &ks) == 0 && ks.ks_stopped == 0,
	    "root is not stopped while a user takes more");
	sem_post(&may_end);
	pthread_join(t, NULL);
	for (i = 0; i < NSETS; i++)
		prog_child_end(&users[i]);
	dt_close(dt);
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	prog_init("kcovr", 600);
	if (strcmp(how, "rounds") == 0) {
		prog_dtd_start(&dtd, NULL);
		rounds(argc > 2 ? atoi(argv[2]) : 1000);
	} else if (strcmp(how, "gone") == 0) {
		prog_dtd_start(&dtd, NULL);
		gone();
	} else if (strcmp(how, "brake") == 0) {
		prog_dtd_start(&dtd, "cost-limit = 0.0001\n");
		brake();
	} else if (strcmp(how, "people") == 0) {
		prog_dtd_start(&dtd,
		    "cost-limit = 0.0001\n"
		    "allow = trace-all to user nobody\n");
		people();
	} else
		errx(2, "usage: kcovr rounds [n] | gone | brake | people");
	prog_dtd_stop(&dtd);
	return 0;
}
