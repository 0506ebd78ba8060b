/* SPDX-License-Identifier: ISC */
/* dt tprof analyze: groups the samples of a file, by descending frequency. */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/buf.h"
#include "cli/base/esc.h"
#include "cli/base/hash.h"
#include "cli/opts/cmd.h"
#include "cli/tprof/tprof.h"

/* Key of a row; members that do not matter are 0. */
struct analyze_row {
	uint32_t arw_pid, arw_lwp, arw_cpu, arw_flags;
	uint64_t arw_place; /* address, or number of the function */
};

/* Printed values of a row, from its first sample. */
struct shown {
	uint64_t sh_pc;
	const struct tprof_sym *sh_sym;
};

struct analyze_opts {
	struct opts ano_common;
	int ano_bysym, ano_kernel, ano_nocpu, ano_nolwp, ano_nopid;
	struct tprof_pids ano_pids; /* -p */
};

struct analysis {
	const struct analyze_opts *ana_opts;
	struct hash ana_rows;  /* struct analyze_row -> struct shown */
	struct hash ana_funcs; /* "function\0module" -> number */
};

/* A function is the same at all addresses where it is mapped. */
static uint64_t
analyze_func(struct analysis *an, const struct tprof_sym *sy)
{
	char key[1024];
	struct hash_entry *me;
	int n;

	memset(key, 0, sizeof(key));
	n = snprintf(key, sizeof(key), "%.511s%c%.500s", sy->sy_func, 0,
	    sy->sy_module != NULL ? sy->sy_module : "");
	me = hash_get(&an->ana_funcs, key, n);
	if (me->he_count == 0)
		me->he_count = an->ana_funcs.ha_n;
	return me->he_count;
}

static void
analyze_sample(void *arg, const tprof_sample_t *s, const struct tprof_sym *sy)
{
	struct analysis *an = arg;
	const struct analyze_opts *ao = an->ana_opts;
	int bysym = ao->ano_bysym && sy->sy_func != NULL;
	struct analyze_row rw = { .arw_pid = ao->ano_nopid ? 0 : s->s_pid,
		.arw_lwp = ao->ano_nolwp ? 0 : s->s_lwpid,
		.arw_cpu = ao->ano_nocpu ? 0 : s->s_cpuid,
		.arw_flags = s->s_flags & TPROF_SAMPLE_INKERNEL,
		.arw_place = s->s_pc };
	struct hash_entry *me;
	struct shown *sh;

	if (!tprof_pids_has(&ao->ano_pids, s->s_pid) ||
	    (ao->ano_kernel && (s->s_flags & TPROF_SAMPLE_INKERNEL) == 0))
		return;
	if (bysym)
		rw.arw_place = analyze_func(an, sy);
	me = hash_get(&an->ana_rows, &rw, sizeof(rw));
	if (me->he_count++ != 0)
		return;
	if ((sh = me->he_ptr = malloc(sizeof(*sh))) == NULL)
		err(1, NULL);
	sh->sh_pc = s->s_pc - (bysym ? sy->sy_offset : 0);
	sh->sh_sym = sy;
}

/* Prints "vfs_read+0x1c", "main (prog)", or the address. */
static void
analyze_symbol(struct buf *b, const struct shown *sh, int bysym)
{
	const struct tprof_sym *sy = sh->sh_sym;

	if (sy->sy_func == NULL)
		buf_printf(b, "<%016" PRIx64 ">", sh->sh_pc);
	else {
		esc_str(b, sy->sy_func);
		if (!bysym && sy->sy_offset != 0)
			buf_printf(b, "+0x%" PRIx64, sy->sy_offset);
	}
	if (sy->sy_module != NULL) {
		buf_printf(b, " (");
		esc_str(b, sy->sy_module);
		buf_printf(b, ")");
	}
}

static void
analyze_text(struct buf *b, const struct analyze_opts *ao,
    const struct hash_entry *e)
{
	const struct analyze_row *rw = (const struct analyze_row *)e->he_key;
	const struct shown *sh = e->he_ptr;

	buf_printf(b, "%8" PRIu64 " %6u %4u %2u %u %016" PRIx64 " ",
	    e->he_count, rw->arw_pid, rw->arw_lwp, rw->arw_cpu, rw->arw_flags,
	    sh->sh_pc);
	analyze_symbol(b, sh, ao->ano_bysym);
	buf_c(b, '\n');
}

/* A number that is the same for all samples of the row, or null. */
static void
analyze_json_number(struct buf *b, const char *name, int iscombined, uint32_t n)
{
	buf_printf(b, ",\"%s\":", name);
	if (iscombined)
		buf_str(b, "null");
	else
		buf_u64(b, n);
}

static void
analyze_json_text(struct buf *b, const char *name, const char *s)
{
	buf_printf(b, ",\"%s\":", name);
	if (s == NULL) {
		buf_str(b, "null");
		return;
	}
	buf_c(b, '"');
	esc_json(b, s, strlen(s));
	buf_c(b, '"');
}

static void
analyze_json(struct buf *b, const struct analyze_opts *ao,
    const struct hash_entry *e)
{
	const struct analyze_row *rw = (const struct analyze_row *)e->he_key;
	const struct shown *sh = e->he_ptr;
	const struct tprof_sym *sy = sh->sh_sym;

	buf_printf(b, "{\"count\":%" PRIu64, e->he_count);
	analyze_json_number(b, "pid", ao->ano_nopid, rw->arw_pid);
	analyze_json_number(b, "tid", ao->ano_nolwp, rw->arw_lwp);
	analyze_json_number(b, "cpu", ao->ano_nocpu, rw->arw_cpu);
	buf_printf(b, ",\"kernel\":%s,\"address\":\"0x%" PRIx64 "\"",
	    rw->arw_flags != 0 ? "true" : "false", sh->sh_pc);
	analyze_json_text(b, "function", sy->sy_func);
	analyze_json_number(b, "offset", sy->sy_func == NULL,
	    ao->ano_bysym ? 0 : sy->sy_offset);
	analyze_json_text(b, "module", sy->sy_module);
	buf_str(b, "}\n");
}

static void
analyze_print(const struct analysis *an)
{
	const struct opts_print *pr = &an->ana_opts->ano_common.o_print;
	struct hash_entry **list = hash_sorted(&an->ana_rows);
	size_t i, n = an->ana_rows.ha_n;
	struct buf b;

	if (pr->opi_top != 0 && pr->opi_top < n)
		n = pr->opi_top;
	buf_init(&b, STDOUT_FILENO);
	for (i = 0; i < n; i++)
		(pr->opi_json ? analyze_json : analyze_text)(&b, an->ana_opts,
		    list[i]);
	if (buf_flush(&b) == -1)
		errx(1, "output: %s", strerror(b.b_error));
	buf_free(&b);
	free(list);
}

static int
tprof_analyze(struct opts *opts)
{
	struct analysis an = { .ana_opts = (struct analyze_opts *)opts };
	struct tprof_reading *rd;
	int isbad;

	rd = tprof_file_read(opts->o_args[0], analyze_sample, &an);
	analyze_print(&an);
	hash_free(&an.ana_rows);
	hash_clear(&an.ana_funcs);
	isbad = tprof_reading_isbad(rd);
	tprof_reading_free(rd);
	return isbad;
}

static const char *
analyze_set_pids(struct opts *o, const char *arg)
{
	return tprof_pids_add(&((struct analyze_opts *)o)->ano_pids, arg, 0);
}

static const struct opt analyze_opts[] = {
	OPT_GROUP("Samples"),
	{ 'k', NULL, NULL, "print samples of the kernel only", OPT_FLAG,
	    OPT_OF(struct analyze_opts, ano_kernel) },
	TPROF_ROW_PIDS("PID,PID", "print samples of these processes only",
	    analyze_set_pids),
	OPT_GROUP("Rows"),
	{ 's', NULL, NULL, "group by function, not by address", OPT_FLAG,
	    OPT_OF(struct analyze_opts, ano_bysym) },
	{ 'C', NULL, NULL, "combine all CPUs", OPT_FLAG,
	    OPT_OF(struct analyze_opts, ano_nocpu) },
	{ 'L', NULL, NULL, "combine all threads", OPT_FLAG,
	    OPT_OF(struct analyze_opts, ano_nolwp) },
	{ 'P', NULL, NULL, "combine all processes", OPT_FLAG,
	    OPT_OF(struct analyze_opts, ano_nopid) },
	OPT_ROW_TOP("print at most N rows"),
	OPT_ROW_JSON,
	{ 0 },
};

const struct cmd cmd_tprof_analyze = {
	.cmd_name = "tprof analyze",
	.cmd_args = "[-CkLPs] [-p PID,PID] [--top N] [-j] FILE",
	.cmd_what = "print the samples of monitor by function or address",
	.cmd_run = tprof_analyze,
	.cmd_size = sizeof(struct analyze_opts),
	.cmd_opts = analyze_opts,
	.cmd_flags = CMD_FILE,
	.cmd_examples = "  # take samples, and print them by function\n"
			"  dt tprof monitor -e cpu-clock sleep 1\n"
			"  dt tprof analyze -s tprof.out\n",
};
