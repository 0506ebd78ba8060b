/* SPDX-License-Identifier: ISC */
/* Resolves user addresses and stacks, live through dtd or from a recording. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sym/frames.h"
#include "cli/sym/rec_symbols.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

/* Sets all addresses to unknown. */
static void
user_symbols_none(struct user_symbols *us, size_t npcs, unsigned int why,
    int error)
{
	size_t i;

	if ((us->us_own = calloc(npcs + 1, sizeof(*us->us_own))) == NULL)
		err(1, "names");
	for (i = 0; i < npcs; i++) {
		us->us_own[i].df_pc = i;
		us->us_own[i].df_why = why;
		us->us_own[i].df_error = error;
	}
	us->us_n = npcs;
	us->us_frames = us->us_own;
}

void
user_symbols_get(struct user_symbols *us, struct name_cache *nm, uint32_t pid,
    uint64_t nsecs, const uint64_t *pcs, size_t npcs)
{
	memset(us, 0, sizeof(*us));
	if (npcs == 0)
		return;
	if (nm->nm_umaps != NULL) {
		us->us_own = rec_symbols_get(nm->nm_umaps, pid, nsecs, pcs,
		    npcs, &us->us_n);
		us->us_frames = us->us_own;
		return;
	}
	if (nm->nm_dt == NULL) {
		user_symbols_none(us, npcs, DTFR_NOPROC, 0);
		return;
	}
	if (dt_symbolize(nm->nm_dt, pid, nsecs, pcs, npcs, nm->nm_symflags,
		&us->us_lib) == -1) {
		user_symbols_none(us, npcs,
		    errno == EPERM ? DTFR_DENIED : DTFR_NOFILE, errno);
		return;
	}
	us->us_n = us->us_lib.df_n;
	us->us_frames = us->us_lib.df_frames;
}

static int
user_symbols_islibc(const struct dt_frame *df)
{
	return df->df_module != NULL &&
	    strncmp(frames_base(df->df_module), "libc", 4) == 0;
}

/*
 * Returns whether libc calls the program from frame i.  Without libc's debug
 * file, the caller of main() has no symbol.
 */
static int
user_symbols_callsprogram(const struct user_symbols *us, size_t i)
{
	const struct dt_frame *df = &us->us_frames[i];

	if (df->df_func != NULL)
		return stack_is_libc_start(df->df_func);
	return i > 0 && user_symbols_islibc(df) && df[-1].df_func != NULL &&
	    strcmp(df[-1].df_func, "main") == 0;
}

/* Returns the function of the last frame. */
static const char *
user_symbols_last(const struct user_symbols *us)
{
	if (us->us_n == 0)
		return NULL;
	return user_symbols_callsprogram(us, us->us_n - 1)
	    ? STACK_CALLS_MAIN
	    : us->us_frames[us->us_n - 1].df_func;
}

/*
 * Returns the number of frames up to the one from which libc calls the program,
 * if only frames of libc and a start follow.  Those come from a register that
 * libc uses for other purposes.
 */
static size_t
user_symbols_program(const struct user_symbols *us)
{
	const struct dt_frame *next;
	size_t i;

	for (i = 0; i + 1 < us->us_n; i++) {
		next = &us->us_frames[i + 1];
		if (user_symbols_callsprogram(us, i) &&
		    (next->df_func != NULL ? !stack_is_start(next->df_func)
					   : !user_symbols_islibc(next)))
			return i + 1;
	}
	return us->us_n;
}

/* Returns the number of frames whose address is in code. */
static size_t
user_symbols_mapped(const struct user_symbols *us)
{
	size_t i;

	for (i = 0; i < us->us_n; i++)
		if (us->us_frames[i].df_pc > 0 &&
		    us->us_frames[i].df_why == DTFR_NOMAP)
			break;
	return i;
}

/*
 * Returns whether a frame may hide its caller: the stack ends in a libc without
 * frame pointers, and has other frames of it.  In a program that links libc
 * statically both are in one file, so such frames are not detected.
 */
static int
user_symbols_ishidden(const struct user_symbols *us)
{
	const struct dt_frame *last;
	size_t i;

	if (!stack_is_libc_start(user_symbols_last(us)))
		return 0;
	last = &us->us_frames[us->us_n - 1];
	if (!user_symbols_islibc(last))
		return 0;
	for (i = 0; i + 1 < us->us_n; i++)
		if (us->us_frames[i].df_module != NULL &&
		    us->us_frames[i].df_pc != last->df_pc &&
		    strcmp(us->us_frames[i].df_module, last->df_module) == 0)
			return 1;
	return 0;
}

/* Returns why the last frame has no symbol. */
static const char *
user_symbols_noname(const struct user_symbols *us)
{
	const struct dt_frame *df;

	if (us->us_n == 0)
		return NULL;
	df = &us->us_frames[us->us_n - 1];
	switch (df->df_why) {
	case DTFR_NAMED:
	case DTFR_NOSYM:
		return "outermost frame has no name";
	default:
		return frames_why(df->df_why, df->df_error);
	}
}

static struct stack_end
user_symbols_end(const struct dt_rec_stack *st, const char *func)
{
	return (struct stack_end){
		.se_end = st->drs_end,
		.se_error = st->drs_error,
		.se_count = st->drs_count,
		.se_how = st->drs_how,
		.se_func = func,
	};
}

void
user_symbols_stack(struct user_symbols *us, struct name_cache *nm, uint32_t pid,
    uint64_t nsecs, const uint64_t *stack, unsigned int n,
    struct stack_end *end)
{
	uint64_t pcs[DT_REC_MAXFRAMES];
	unsigned int i;
	size_t mapped;

	if (n > DT_REC_MAXFRAMES)
		n = DT_REC_MAXFRAMES;
	for (i = 0; i < n; i++)
		pcs[i] = stack_pc(stack, i);
	user_symbols_get(us, nm, pid, nsecs, pcs, n);
	mapped = user_symbols_mapped(us);
	end->se_isunmapped = mapped < us->us_n ||
	    (mapped == 1 && us->us_frames[0].df_why == DTFR_NOMAP);
	us->us_n = mapped;
	if (end->se_how != DT_STACK_TABLE)
		us->us_n = user_symbols_program(us);
	end->se_func = user_symbols_last(us);
	end->se_noname = user_symbols_noname(us);
	end->se_ishidden = user_symbols_ishidden(us);
}

void
user_symbols_event(struct user_symbols *us, struct name_cache *nm,
    const struct dt_event *ev, const char **why)
{
	const struct dt_rec_stack *k = ev->ev_kstack, *u = ev->ev_ustack;
	struct stack_end kend, uend;
	const char *kfunc = NULL;
	uint64_t off;

	memset(us, 0, sizeof(*us));
	*why = NULL;
	if (u == NULL)
		return;
	uend = user_symbols_end(u, NULL);
	user_symbols_stack(us, nm, ev->ev_rec->dr_pid, ev->ev_rec->dr_time,
	    DT_STACK_PCS(u), u->drs_count, &uend);
	if (k != NULL && k->drs_count > 0)
		kfunc = name_cache_ksym(nm,
		    stack_pc(DT_STACK_PCS(k), k->drs_count - 1), &off);
	if (k != NULL)
		kend = user_symbols_end(k, kfunc);
	*why = stack_incomplete(k != NULL ? &kend : NULL, &uend);
}

void
user_symbols_free(struct user_symbols *us)
{
	if (us->us_own == NULL)
		dt_frames_free(&us->us_lib);
	free(us->us_own);
	memset(us, 0, sizeof(*us));
}
