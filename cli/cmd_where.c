/* SPDX-License-Identifier: ISC */
/*
 * dt where: prints the state and the stacks of all threads at a moment, grouped
 * by equal stacks.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts/cmd.h"
#include "cli/out/out.h"
#include "cli/session/refusal.h"
#include "cli/sym/stack.h"
#include "cli/where/where.h"

#define WHERE_LETTERS "RSDTtXZPI"

struct where_opts {
	struct opts who_common;
	int who_iskernel;		     /* --kernel */
	struct opts_processes who_processes; /* -p */
	struct dtioc_threads who_threads;    /* --comm --state */
};

_Static_assert(OPTS_NPIDS == DTTH_NPIDS && OPTS_NNAMES == DTTH_NNAMES, "-p");

/* The snapshot, and what is made of it. */
struct where_run {
	struct dt *wru_dt;
	struct name_cache wru_names;
	uint8_t *wru_rows; /* struct dtioc_thread, and addresses */
	size_t wru_nbytes;
	struct where wru_where;
};

/* Fetches all threads of the snapshot. */
static void
where_fetch(struct where_run *wr)
{
	struct dtioc_threadlist tl;
	size_t max = 0;

	do {
		if (max < wr->wru_nbytes + DTTI_PAGE) {
			max = 2 * max + DTTI_PAGE;
			wr->wru_rows = realloc(wr->wru_rows, max);
			if (wr->wru_rows == NULL)
				err(1, NULL);
		}
		tl.dttl_size = DTTI_PAGE;
		tl.dttl_buf = wr->wru_rows + wr->wru_nbytes;
		if (dt_ioctl(wr->wru_dt, DTIOCGTHREADS, &tl) == -1)
			refusal_ioctl(wr->wru_dt, "threads");
		wr->wru_nbytes += tl.dttl_size;
	} while (tl.dttl_size > 0);
}

/* Requests the symbols of all kernel frames at once. */
static void
where_prefetch(struct where_run *wr)
{
	const struct dtioc_thread *ti;
	uint64_t *pcs = malloc(wr->wru_nbytes + 1);
	size_t at, n = 0;
	unsigned int i;

	if (pcs == NULL)
		err(1, NULL);
	for (at = 0; at < wr->wru_nbytes; at += ti->dtti_length) {
		ti = (const struct dtioc_thread *)(wr->wru_rows + at);
		for (i = 0; i < ti->dtti_kstack.drs_count; i++)
			pcs[n++] = stack_pc((const uint64_t *)(ti + 1), i);
	}
	name_cache_prefetch(&wr->wru_names, pcs, n);
	free(pcs);
}

static void
where_group_all(struct where_run *wr)
{
	const struct dtioc_thread *ti;
	size_t at;

	for (at = 0; at < wr->wru_nbytes; at += ti->dtti_length) {
		ti = (const struct dtioc_thread *)(wr->wru_rows + at);
		where_add(&wr->wru_where, ti);
	}
}

static void
where_open(struct where_run *wr, const struct where_opts *wo)
{
	const struct opts_processes *opc = &wo->who_processes;
	const struct opts *opts = &wo->who_common;
	struct dtioc_threads it = wo->who_threads;
	int on = 1;

	it.dtth_npids = opc->opc_npids;
	it.dtth_nnames = opc->opc_nnames;
	memcpy(it.dtth_pids, opc->opc_pids, sizeof(it.dtth_pids));
	memcpy(it.dtth_names, opc->opc_names, sizeof(it.dtth_names));

	wr->wru_dt = refusal_open(opts->o_socket,
	    opts->o_socket != NULL ? DT_OPEN_SERVICE : 0);
	if (opts->o_whose.owh_self &&
	    dt_ioctl(wr->wru_dt, DTIOCSELF, &on) == -1)
		refusal_ioctl(wr->wru_dt, "--self");
	if (!wo->who_iskernel)
		it.dtth_flags |= DTTH_USTACK;
	if (dt_ioctl(wr->wru_dt, DTIOCTHREADS, &it) == -1)
		refusal_ioctl(wr->wru_dt, "threads");
	name_cache_init(&wr->wru_names, wr->wru_dt);
	wr->wru_where.whr_names = &wr->wru_names;
	wr->wru_where.whr_time = it.dtth_time;
	wr->wru_where.whr_hasuser = !wo->who_iskernel;
}

/* Prints why no thread was found. */
static void
where_none(const struct where_opts *wo)
{
	const struct opts_processes *opc = &wo->who_processes;
	unsigned int i;

	for (i = 0; i < opc->opc_npids; i++)
		if (kill(opc->opc_pids[i], 0) == -1 && errno == ESRCH)
			errx(1, "there is no process %u", opc->opc_pids[i]);
	errx(1,
	    opc->opc_npids > 0 ? "there is no such thread, or it is hidden here"
			       : "there is no such thread");
}

static int
where_run(struct opts *opts)
{
	struct where_run wr = { 0 };
	struct out_where ow;
	struct out out;
	int error;

	where_open(&wr, (const struct where_opts *)opts);
	where_fetch(&wr);
	where_prefetch(&wr);
	where_group_all(&wr);
	where_result(&wr.wru_where, &ow);
	out_open(&out, opts, &wr.wru_names);
	out_where(&out, &ow);
	error = out_close(&out);
	where_free(&wr.wru_where);
	name_cache_free(&wr.wru_names);
	free(wr.wru_rows);
	dt_close(wr.wru_dt);
	if (error != 0)
		errx(1, "output: %s", strerror(error));
	if (ow.ow_nthreads == 0)
		where_none((const struct where_opts *)opts);
	return 0;
}

static const char *
where_add_process(struct opts *o, const char *word, size_t n)
{
	return opts_processes_add(&((struct where_opts *)o)->who_processes,
	    word, n, 1);
}

static const char *
where_set_processes(struct opts *o, const char *arg)
{
	return opts_each_word(o, arg, where_add_process);
}

static const char *
where_set_comm(struct opts *o, const char *arg)
{
	struct dtioc_threads *it = &((struct where_opts *)o)->who_threads;

	if (*arg == '\0')
		return "should be the name of a thread";
	memset(it->dtth_comm, 0, sizeof(it->dtth_comm));
	memcpy(it->dtth_comm, arg, strnlen(arg, sizeof(it->dtth_comm) - 1));
	return NULL;
}

static const char *
where_set_state(struct opts *o, const char *arg)
{
	struct dtioc_threads *it = &((struct where_opts *)o)->who_threads;
	size_t n = strlen(arg);

	if (n == 0 || n >= sizeof(it->dtth_states) ||
	    strspn(arg, WHERE_LETTERS) != n)
		return "should be letters of states, of " WHERE_LETTERS
		       " (for example D)";
	memset(it->dtth_states, 0, sizeof(it->dtth_states));
	memcpy(it->dtth_states, arg, n);
	return NULL;
}

static const struct opt where_opts[] = {
	OPT_GROUP("Threads"),
	{ 'p', "pid", "LIST", "select processes by number or name: 812,nginx",
	    OPT_CALL, .opt_check = where_set_processes },
	{ 0, "comm", "NAME", "select threads of this name (15 characters)",
	    OPT_CALL, .opt_check = where_set_comm },
	{ 0, "state", "LETTERS",
	    "select threads in these states, for example D", OPT_CALL,
	    .opt_check = where_set_state },
	OPT_ROW_FLAG("self", "include dt's own processes", o_whose.owh_self),
	OPT_GROUP("Output"),
	{ 'K', "kernel", NULL, "omit user stacks, which take most of the time",
	    OPT_FLAG, OPT_OF(struct where_opts, who_iskernel) },
	OPT_ROW_JSON,
	{ 0 },
};

const struct cmd cmd_where = {
	.cmd_name = "where",
	.cmd_args = "[-K] [-p PID|NAME|LIST] [--comm NAME] [--state D] [-j]",
	.cmd_what = "print where all threads wait now, by equal stacks",
	.cmd_run = where_run,
	.cmd_size = sizeof(struct where_opts),
	.cmd_opts = where_opts,
	.cmd_examples =
	    "  # print what all threads do at this moment\n"
	    "  dt where\n"
	    "  # print why processes do not react to signals\n"
	    "  dt where --state D\n"
	    "  # print what the threads of these processes wait for\n"
	    "  dt where -p 1,bash\n"
	    "  # print the number of threads by the function that waits\n"
	    "  dt where -K -j | jq -r '[.count, .wchan] | @tsv'\n",
};
