/* SPDX-License-Identifier: ISC */
/*
 * Shared by the programs about the tprof device: a session through libdt, a
 * counter of page faults, and the checks that hold for all samples.  A failed
 * check ends the program.
 */
#ifndef TPROF_H
#define TPROF_H

#include <sys/mman.h>

#include <err.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/check.h"
#include "tests/run/prog/prog.h"

#define ALL	(TPROF_PARAM_KERN | TPROF_PARAM_USER)
#define SAMPLES (ALL | TPROF_PARAM_PROFILE)

static struct prog_dtd dtd; /* with sockets of all devices */

static inline struct dt *
device(void)
{
	char path[PROG_PATH + 16];

	snprintf(path, sizeof(path), "%s/tprof", dtd.pd_dir);
	return dt_open(path, DT_OPEN_SERVICE);
}

static inline struct dt *
device_open(void)
{
	struct dt *dt = device();

	if (dt == NULL)
		errx(1, "tprof: %s", dt_error(NULL));
	return dt;
}

static inline void
configure(struct dt *dt, uint32_t counter, uint64_t event, uint64_t each,
    uint64_t flags)
{
	struct tprof_param p = {
		.p_counter = counter,
		.p_event = event,
		.p_unit = PERF_TYPE_SOFTWARE,
		.p_flags = flags | TPROF_PARAM_VALUE2_TRIGGERCOUNT,
		.p_value2 = each,
	};

	if (dt_ioctl(dt, TPROF_IOC_CONFIGURE_EVENT, &p) == -1)
		errx(1, "configure: %s", dt_error(dt));
}

static inline void
start(struct dt *dt, uint32_t mask)
{
	if (dt_ioctl(dt, TPROF_IOC_START, &mask) == -1)
		errx(1, "start: %s", dt_error(dt));
}

static inline void
stop(struct dt *dt)
{
	uint32_t mask = ~0U;

	if (dt_ioctl(dt, TPROF_IOC_STOP, &mask) == -1)
		errx(1, "stop: %s", dt_error(dt));
}

/* Touches n new pages. */
static inline void
fault(size_t n)
{
	size_t page = getpagesize(), i;
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	(void)madvise(p, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		p[i * page] = 1;
	munmap(p, n * page);
}

/*
 * After a stop: reads the rest.  Returns its bytes; *mine: samples of this
 * process.
 */
static inline uint64_t
readall(struct dt *dt, uint64_t *mine)
{
	tprof_sample_t s[100];
	uint64_t nbytes = 0;
	ssize_t n;
	size_t i;

	*mine = 0;
	while ((n = dt_read(dt, s, sizeof(s), 1000 * PROG_DEADLINE)) > 0) {
		nbytes += n;
		for (i = 0; i < n / sizeof(s[0]); i++)
			*mine += s[i].s_pid == (uint32_t)getpid();
	}
	if (n == -1)
		errx(1, "read: %s", dt_error(dt));
	return nbytes;
}

/*
 * Checks that each taken sample is counted as read, overflowed or dropped, and
 * that the counted samples were read.
 */
static inline void
conserve(struct dt *dt, uint64_t nbytes, struct tprof_stat *st)
{
	struct tprof_taken tt;

	if (dt_ioctl(dt, TPROF_IOC_GETSTAT, st) == -1 ||
	    dt_ioctl(dt, TPROF_IOC_GETTAKEN, &tt) == -1)
		errx(1, "statistics: %s", dt_error(dt));
	if (tt.tt_taken !=
	    st->ts_sample + st->ts_overflow + st->ts_dropbuf_sample)
		errx(1, "taken %llu, sample %llu, overflow %llu, dropped %llu",
		    (unsigned long long)tt.tt_taken,
		    (unsigned long long)st->ts_sample,
		    (unsigned long long)st->ts_overflow,
		    (unsigned long long)st->ts_dropbuf_sample);
	if (nbytes != st->ts_sample * sizeof(tprof_sample_t) ||
	    tt.tt_read != st->ts_sample)
		errx(1, "%llu bytes were read, of %llu samples",
		    (unsigned long long)nbytes,
		    (unsigned long long)st->ts_sample);
	printf("all samples are accounted for\n");
}

#endif /* TPROF_H */
