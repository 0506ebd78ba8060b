/* SPDX-License-Identifier: ISC */
/*
 * conds many|lines
 *
 * many		128 sessions of one probe, each with its own condition: each
 *		gets its own hits and no others
 * lines	as many different conditions as the table has entries, and no
 *		more; equal ones share an entry; all entries are free after the
 *		sessions close
 */
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/dt_shared.h"
#include "tests/run/prog/prog.h"

#define NLINES	 (DT_NCOND - 1) /* entry 0 is not used */
#define FIRST_FD 1000		/* above all open descriptors */
#define RINGS	 "ring-bytes = 256M\n"

static struct prog_dtd dtd;

/* Fills a condition: the first argument, as an int, equals value. */
static struct dtioc_condition
condition(uint32_t pbn, unsigned int value)
{
	struct dtioc_condition cn = { .dtcn_pbn = pbn };

	cn.dtcn_cond.co_ninsn = 1;
	cn.dtcn_cond.co_insn[0] = (struct dt_insn){
		.in_left = { .op_kind = DT_OPD_ARG, .op_size = 4 },
		.in_op = DT_CMP_EQ,
		.in_true = DT_COND_PASS,
		.in_false = DT_COND_FAIL,
		.in_mask = UINT64_MAX,
		.in_value = value,
	};
	return cn;
}

/* Returns 0 or an errno. */
static int
set(struct dt *dt, uint32_t pbn, unsigned int value)
{
	struct dtioc_condition cn = condition(pbn, value);

	return dt_ioctl(dt, DTIOCSCONDITION, &cn) == -1 ? errno : 0;
}

/* Reads all events of a session. */
static uint64_t
read_all(struct dt *dt)
{
	struct dt_event ev;
	uint64_t n = 0;
	int r;

	while ((r = dt_next(dt, &ev, -1)) == 1)
		n++;
	if (r == -1 && errno != ENODATA)
		err(1, "%s", dt_error(dt));
	return n;
}

static void
many(void)
{
	struct dt *opens[DT_MAXSESS];
	struct dt_ledger dl;
	unsigned int i, j;
	uint32_t pbn;
	int on = 1;

	for (i = 0; i < DT_MAXSESS; i++) {
		opens[i] = prog_open(&dtd, 0);
		prog_budget(opens[i], 1);
		prog_filter(opens[i], getpid());
		if (dt_ioctl(opens[i], DTIOCSELF, &on) == -1)
			errx(1, "self: %s", dt_error(opens[i]));
		prog_enable(opens[i], "syscall:close:entry", 0, 0);
		pbn = prog_probe(opens[i], "syscall:close:entry");
		/* Two sessions each share a condition. */
		if (set(opens[i], pbn, FIRST_FD + i / 2) != 0)
			errx(1, "open %u: %s", i, dt_error(opens[i]));
	}
	for (i = 0; i < DT_MAXSESS; i++)
		prog_record(opens[i], 1);
	for (i = 0; i < DT_MAXSESS; i++)
		for (j = 0; j <= i; j++)
			syscall(SYS_close, FIRST_FD + i);
	for (i = 0; i < DT_MAXSESS; i++)
		prog_record(opens[i], 0);
	for (i = 0; i < DT_MAXSESS; i++) {
		prog_ledger(opens[i], NULL, read_all(opens[i]), &dl);
		if (dl.dl_fired != i / 2 + 1)
			errx(1, "open %u has %llu hits", i,
			    (unsigned long long)dl.dl_fired);
		dt_close(opens[i]);
	}
	puts("128 opens, each its own hits");
}

/*
 * Opens a session with several probes and a different condition for each,
 * counting from first.  Returns how many conditions fitted.
 */
static unsigned int
fill(struct dt *dt, unsigned int first)
{
	struct dtioc_probe_info *pi;
	struct dtioc_req rq = { 0 };
	ssize_t n, i;
	int error;

	prog_budget(dt, 1);
	if ((n = dt_lookup(dt, "syscall:*:entry", &pi)) == -1)
		errx(1, "%s", dt_error(dt));
	for (i = 0; i < n; i++) {
		if (pi[i].dtpi_nargs == 0)
			continue;
		rq.dtrq_pbn = pi[i].dtpi_pbn;
		if (dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1)
			errx(1, "enable: %s", dt_error(dt));
		error = set(dt, rq.dtrq_pbn, first);
		if (error == ENOSPC)
			break;
		if (error != 0)
			errx(1, "condition: %s", dt_error(dt));
		first++;
	}
	free(pi);
	return first;
}

#define NOPENS 8 /* with more probes than there are entries */

/* first: the conditions from there on are unused so far. */
static void
lines_once(unsigned int first)
{
	struct dt *opens[NOPENS], *other = prog_open(&dtd, 0);
	unsigned int i, n = first, before = n + 1;
	uint32_t pbn;

	prog_budget(other, 1);
	prog_enable(other, "syscall:close:entry", 0, 0);
	pbn = prog_probe(other, "syscall:close:entry");
	for (i = 0; i < NOPENS && n != before; i++) {
		before = n;
		opens[i] = prog_open(&dtd, 0);
		n = fill(opens[i], n);
	}
	if (n != first + NLINES)
		errx(1, "%u lines, not %u", n - first, NLINES);
	if (set(other, pbn, n) != ENOSPC)
		errx(1, "one more found room");
	if (set(other, pbn, first + 5) != 0)
		errx(1, "an equal one: %s", dt_error(other));
	while (i > 0)
		dt_close(opens[--i]);
	dt_close(other);
}

static int
all_gone(void *arg)
{
	struct dtioc_fullstat fs;

	if (dt_ioctl(arg, DTIOCGFULLSTAT, &fs) == -1)
		errx(1, "%s", dt_error(arg));
	return fs.dtfs_nopen == 1;
}

static void
lines(void)
{
	struct dt *monitor = prog_open(&dtd, 0);
	int i;

	for (i = 0; i < 3; i++) {
		lines_once(i * 2 * NLINES);
		prog_wait(all_gone, monitor, "the end of the opens");
	}
	dt_close(monitor);
	printf("%d different, then ENOSPC; equal ones have room; "
	       "all come back\n",
	    NLINES);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} modes[] = { { "many", many }, { "lines", lines } };
	size_t i;

	prog_init("conds", 300);
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc != 2 || strcmp(argv[1], modes[i].name) != 0)
			continue;
		prog_dtd_start(&dtd, RINGS);
		modes[i].fn();
		prog_dtd_stop(&dtd);
		return 0;
	}
	errx(2, "usage: conds many|lines");
}
