/* SPDX-License-Identifier: ISC */
/*
 * kcovr rounds [N] | brake
 *
 * What kcov leaves behind, and what it may cost: a service of its own, on
 * kernels that have kprobes.
 *
 * rounds	enabled and disabled N times, for two sets of functions in turn,
 *		each for ten rounds: then the daemon has what it had
 * brake	a set that takes too much is stopped, and DISABLE says so; not
 *		for who lifts the limit
 */
#include <semaphore.h>
#include <stdlib.h>

#include "held.h"
#include "kcov.h"

#define SLACK_KB 8192 /* what the C library's arenas may keep, see kfuncs.c */

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

/* Each ten rounds what was attached goes, and something else is. */
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

/* No links, and what else there was; what is not as before. */
static int
is_as_before(void *arg)
{
	(void)arg;
	held_get(&now, dtd.pd_pid);
	if (held_exceeds(&base, &now, what, sizeof(what)))
		return 0;
	snprintf(what, sizeof(what), "%u kB, were %u", prog_dtd_rss(&dtd), rss);
	return prog_dtd_rss(&dtd) <= rss + SLACK_KB;
}

static void
rounds(unsigned int n)
{
	rounds_run(20); /* programs are loaded, and kept */
	held_get_resting(&base, dtd.pd_pid);
	rss = prog_dtd_rss(&dtd);
	rounds_run(n);
	prog_wait(is_as_before, NULL, what);
	printf("%u rounds, each with its own records, and all as before\n", n);
}

/*
 * The brake
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
enabled_run(void *arg)
{
	enable(arg);
	sem_post(&is_enabled);
	sem_wait(&may_end);
	want(arg, KIODISABLE, NULL, 0, "DISABLE of who has lifted it");
	return NULL;
}

/* One of another thread has more functions, and would be stopped first. */
static void
brake(void)
{
	struct dt *dt = ready("vfs_readlink", 64, NULL);
	struct dt *free = ready("vfs_readlink vfs_mkdir vfs_rmdir", 64, NULL);
	int on = 1, mode = KCOV_MODE_TRACE_PC;
	struct kio_price kp;
	struct kio_stat ks;
	pthread_t t;

	sem_init(&is_enabled, 0, 0);
	sem_init(&may_end, 0, 0);
	want(free, KIONOLIMIT, &on, 0, "NOLIMIT");
	if (pthread_create(&t, NULL, enabled_run, free) != 0)
		errx(1, "pthread_create");
	sem_wait(&is_enabled);
	enable(dt);
	prog_wait(is_stopped, dt, "the end of what costs too much");
	want(dt, KIOENABLE, &mode, EBUSY, "ENABLE of what was stopped");
	want(dt, KIODISABLE, NULL, ECANCELED, "DISABLE");
	printf("%s\n", dt_error(dt));
	check(dt_ioctl(dt, KIOGETPRICE, &kp) == 0 && kp.kp_attached == 0,
	    "nothing is attached");
	want(dt, KIODISABLE, NULL, EPERM, "DISABLE again");
	check(dt_ioctl(free, KIOGETSTAT, &ks) == 0 && ks.ks_stopped == 0,
	    "who has lifted the limit is not stopped");
	sem_post(&may_end);
	pthread_join(t, NULL);
	enable(dt);
	check(1, "and it may be enabled again");
	dt_close(free);
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
	} else if (strcmp(how, "brake") == 0) {
		prog_dtd_start(&dtd, "cost-limit = 0.0001\n");
		brake();
	} else
		errx(2, "usage: kcovr rounds [n] | brake");
	prog_dtd_stop(&dtd);
	return 0;
}
