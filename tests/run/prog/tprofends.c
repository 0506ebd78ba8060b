/* SPDX-License-Identifier: ISC */
/*
 * tprofends service|brake
 *
 * A session of tprof that the daemon stops by itself.
 *
 * service	the service ends: the reader gets the rest, and the reason
 * brake	samples cost too much: the same
 */
#include "tests/run/prog/tprof.h"

/* Reads to the end that the daemon has made, and gets the reason. */
static void
read_end(struct dt *dt, const char *why)
{
	struct tprof_stat st;
	uint64_t nbytes, mine;

	nbytes = readall(dt, &mine);
	check(nbytes > 0, "the rest of the samples, and the end");
	check(dt_note(dt) != NULL && strstr(dt_note(dt), why) != NULL, why);
	conserve(dt, nbytes, &st);
}

/* A session that only counts gets the reason, too. */
static void
ends_child(int sock, void *profiles)
{
	struct dt *dt = device_open();
	struct dt_tprof_sample ts;
	struct tprof_counts tc = { .c_cpu = 0 };

	configure(dt, 0, PERF_COUNT_SW_PAGE_FAULTS, 1,
	    profiles != NULL ? SAMPLES : ALL);
	start(dt, 1);
	fault(1000);
	check(dt_note(dt) == NULL, "nothing to tell");
	prog_tell(sock, 'r');
	if (profiles != NULL)
		read_end(dt, "dtd is exiting");
	while (dt_note(dt) == NULL)
		(void)dt_tprof_next(dt, &ts, 10);
	check(dt_ioctl(dt, TPROF_IOC_GETCOUNTS, &tc) == 0 &&
		tc.c_runningmask == 0,
	    "counts are final");
	dt_close(dt);
}

static void
service(void)
{
	struct prog_child pc;
	int i;

	for (i = 0; i < 2; i++) {
		prog_child_start(&pc, ends_child, i == 0 ? &dtd : NULL);
		prog_tell(pc.pc_sock, 'g');
		if (prog_hear(pc.pc_sock) != 'r')
			errx(1, "the client has failed");
		prog_dtd_stop(&dtd);
		prog_child_end(&pc);
		prog_dtd_start(&dtd, NULL);
	}
}

static void
brake(void)
{
	struct dt *dt;
	struct dt_tprof_sample ts;
	uint64_t n = 0;
	int r;

	prog_dtd_stop(&dtd);
	prog_dtd_start(&dtd, "cost-limit = 0.01\n");
	dt = device_open();
	configure(dt, 0, PERF_COUNT_SW_PAGE_FAULTS, 1, SAMPLES);
	start(dt, 1);
	while ((r = dt_tprof_next(dt, &ts, 0)) != -1 || errno == EINTR)
		if (r == 0)
			fault(500);
		else
			n++;
	check(errno == ENODATA && n > 0, "the end");
	check(dt_note(dt) != NULL && strstr(dt_note(dt), "limit is 0.01 %"),
	    "told why");
	check(prog_dtd_count(&dtd, "is stopped: samples took") == 1,
	    "in the log once");
	start(dt, 1);
	check(dt_note(dt) == NULL, "it can be started again");
	dt_close(dt);
}

int
main(int argc, char **argv)
{
	prog_init("tprofends", PROG_DEADLINE);
	if (argc != 2 ||
	    (strcmp(argv[1], "service") != 0 && strcmp(argv[1], "brake") != 0))
		errx(1, "usage: tprofends service|brake");
	prog_dtd_start(&dtd, NULL);
	if (argv[1][0] == 's')
		service();
	else
		brake();
	prog_dtd_stop(&dtd);
	return 0;
}
