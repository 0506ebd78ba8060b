/* SPDX-License-Identifier: ISC */
/*
 * aggmutate [-n REQUESTS] [-s SEED]
 *
 * Sends requests to count hits (DTIOCSAGG) that are valid or nearly so, for
 * probes that are enabled: of calls, a pair, a tracepoint and a clock.  The same
 * seed gives the same requests.  Each must be refused with an errno and a
 * reason, or count hits whose rows and ledger agree.
 */
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/daemon.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/spoil.h"

#define NHITS 20 /* of each call, in a run */

static const char *const probes[] = { "syscall:lseek:entry",
	"syscall:getppid:entry", "syscall:getppid:return", "profile:hz:97",
	"tracepoint:raw_syscalls:sys_exit" };

#define NPROBES (sizeof(probes) / sizeof(probes[0]))
#define FROM	1 /* of the pair */
#define TO	2

static unsigned long naccepted, nrefused, nrows;

static void
pair_make(struct dt *dt, const uint32_t *pbns)
{
	struct dtioc_pair pa = { .dtpa_from = pbns[FROM],
		.dtpa_to = pbns[TO],
		.dtpa_nkeys = 1 };

	pa.dtpa_fromkey[0] = pa.dtpa_tokey[0] = (struct dt_opd){
		.op_kind = DT_OPD_TID,
		.op_size = 4
	};
	if (dt_ioctl(dt, DTIOCSPAIR, &pa) == -1)
		err(1, "pair: %s", dt_error(dt));
}

/* Sends one request.  Returns whether it was accepted. */
static int
request_send(struct dt *dt, struct dtioc_agg *ia)
{
	if (dt_ioctl(dt, DTIOCSAGG, ia) == 0) {
		naccepted++;
		return 1;
	}
	if (errno != EINVAL && errno != ENOMEM && errno != EEXIST &&
	    errno != ENOENT)
		err(1, "a request: %s", dt_error(dt));
	if (*dt_error(dt) == '\0')
		errx(1, "a refusal without a reason");
	nrefused++;
	return 0;
}

/* Makes a request for the probe: plausible, or with some random bytes. */
static void
request_make(struct dtioc_agg *ia, uint32_t pbn)
{
	unsigned int i;

	spoil_agg(ia);
	ia->dtag_pbn = pbn;
	if (below(8) == 0)
		fill((uint8_t *)ia, sizeof(*ia));
	for (i = below(8) == 0 ? below(4) : 0; i > 0; i--)
		((uint8_t *)ia)[below(sizeof(*ia))] = draw();
	if (ia->dtag_maxrows > 100000 && below(8) != 0)
		ia->dtag_maxrows = 1; /* the memory is really taken */
}

static uint64_t
rows_read(struct dt *dt, const struct dtioc_agg *ia)
{
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	int64_t first, last;
	uint64_t n = 0;
	int r;

	if (dt_ioctl(dt, DTIOCAGGSNAP, &as) == -1)
		err(1, "DTIOCAGGSNAP: %s", dt_error(dt));
	while ((r = dt_agg_next(dt, &row)) == 1) {
		n += row.dtrw_count;
		nrows++;
		if (row.dtrw_count == 0)
			errx(1, "a row without hits");
		if (ia != NULL &&
		    dt_agg_bucket(ia, row.dtrw_bucket, &first, &last) == 1 &&
		    (row.dtrw_min < first || row.dtrw_max > last))
			errx(1, "bucket %llx: %lld to %lld, not %lld to %lld",
			    (unsigned long long)row.dtrw_bucket,
			    (long long)row.dtrw_min, (long long)row.dtrw_max,
			    (long long)first, (long long)last);
	}
	if (r == -1)
		err(1, "rows: %s", dt_error(dt));
	return n;
}

static void
session_run(struct dt *dt, const struct dtioc_agg *ia)
{
	struct dt_ledger dl;
	struct dt_event ev;
	uint64_t n = 0, counted;
	int i;

	prog_record(dt, 1);
	for (i = 0; i < NHITS; i++) {
		syscall(SYS_lseek, -1, draw(), i);
		syscall(SYS_getppid);
	}
	prog_record(dt, 0);
	while (dt_next(dt, &ev, PROG_DEADLINE * 1000) == 1)
		n++;
	if (errno != ENODATA)
		err(1, "dt_next: %s", dt_error(dt));
	prog_ledger(dt, NULL, n, &dl);
	counted = rows_read(dt, ia);
	if (counted != dl.dl_counted)
		errx(1, "counted %llu, the rows have %llu", dl.dl_counted,
		    (unsigned long long)counted);
}

/* A session: requests for all its probes, and a run if one was accepted. */
static long
session(const struct prog_dtd *pd)
{
	struct dt *dt = prog_open(pd, 0);
	struct dtioc_agg ia, last;
	uint32_t pbns[NPROBES];
	long i, n = 0, accepted = 0;
	int self = 1;

	if (dt_ioctl(dt, DTIOCSELF, &self) == -1)
		err(1, "DTIOCSELF: %s", dt_error(dt));
	prog_filter(dt, getpid());
	for (i = 0; i < (long)NPROBES; i++) {
		pbns[i] = prog_probe(dt, probes[i]);
		prog_enable(dt, probes[i], below(2) ? DTEVT_KSTACK : 0,
		    strncmp(probes[i], "profile", 7) == 0 ? 1000000 : 0);
	}
	if (below(2))
		pair_make(dt, pbns);
	for (n = 0; n < 24; n++) {
		request_make(&ia, pbns[below(NPROBES)]);
		if (request_send(dt, &ia)) {
			accepted++;
			last = ia;
		}
	}
	if (accepted > 0)
		session_run(dt, accepted == 1 ? &last : NULL);
	dt_close(dt);
	return n;
}

int
main(int argc, char **argv)
{
	long nrequests = 3000, seed = 1;
	struct daemon_fds before;
	struct prog_dtd pd;
	int ch;

	while ((ch = getopt(argc, argv, "n:s:")) != -1) {
		if (ch == 'n')
			nrequests = prog_number(optarg, 1000000000);
		else if (ch == 's')
			seed = prog_number(optarg, 1000000000);
		else
			errx(2, "usage: aggmutate [-n requests] [-s seed]");
	}
	spoil_seed(seed);
	prog_init("aggmutate", 1200);
	prog_dtd_start(&pd, "");
	session(&pd); /* loads all programs */
	daemon_warm(&pd, &before);
	while (nrequests > 0)
		nrequests -= session(&pd);
	daemon_same(&before);
	prog_dtd_stop(&pd);
	printf("aggmutate: %lu accepted, %lu refused, %lu rows\n", naccepted,
	    nrefused, nrows);
	if (naccepted == 0 || nrefused == 0 || nrows == 0)
		errx(1, "nothing was tested");
	printf("aggmutate: the daemon is as before\n");
	return 0;
}
