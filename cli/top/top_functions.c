/* SPDX-License-Identifier: ISC */
/*
 * The view of functions: clock ticks are events with stacks, of which the
 * innermost function counts.  Earlier samples fade away.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sym/frames.h"
#include "cli/sym/user_symbols.h"
#include "cli/top/top.h"

#define FUNCTIONS_ALLHZ 1000   /* samples per second of all CPUs, at most */
#define FUNCTIONS_FADE	3      /* seconds after which samples count 1/e */
#define FUNCTIONS_MAX	100000 /* names that are kept */
#define FUNCTIONS_LEAST 0.05   /* samples that are forgotten */

struct functions {
	struct frames fun_frames;
	struct hash fun_weights; /* function_key() -> struct function_weight */
	double fun_total;
};

struct function_weight {
	const struct frame *fnw_frame;
	double fnw_weight;
	uint32_t fnw_pid; /* of the last sample */
};

static void
functions_open(struct top_run *tp)
{
	struct top_session *ts = &tp->top_session;
	unsigned int hz = FUNCTIONS_ALLHZ / tp->top_ncpus;

	if ((tp->top_state = calloc(1, sizeof(struct functions))) == NULL)
		err(1, NULL);
	top_session_open(ts, tp->top_opts, &top_scope(tp)->tsc_filter,
	    DT_OPEN_BATCHED);
	top_session_clock(ts,
	    hz == 0	      ? 1
		: hz < TOP_HZ ? hz
			      : TOP_HZ,
	    DTEVT_KSTACK | DTEVT_USTACK);
	top_session_start(ts);
}

static void
functions_close(struct top_run *tp)
{
	struct functions *fn = tp->top_state;

	hash_free(&fn->fun_weights);
	frames_free(&fn->fun_frames);
	free(fn);
}

/* Returns the innermost function of a sample, or NULL. */
static const struct frame *
functions_frame(struct top_run *tp, const struct dt_event *ev)
{
	struct functions *fn = tp->top_state;
	struct name_cache *nm = &tp->top_session.tos_names;
	const struct dt_rec_stack *k = ev->ev_kstack, *u = ev->ev_ustack;
	const struct frame *fr = NULL;
	struct user_symbols us;
	const char *func;
	uint64_t pc, off = 0;
	unsigned int i;

	if (k != NULL && (i = name_cache_kfirst(nm, k)) < k->drs_count) {
		pc = DT_STACK_PCS(k)[i];
		func = name_cache_ksym(nm, pc, &off);
		return frames_kernel(&fn->fun_frames, pc, 0, func, off);
	}
	if (u == NULL || u->drs_count == 0)
		return NULL;
	pc = DT_STACK_PCS(u)[0];
	user_symbols_get(&us, nm, ev->ev_rec->dr_pid, ev->ev_rec->dr_time, &pc,
	    1);
	if (us.us_n > 0)
		fr = frames_user(&fn->fun_frames, ev->ev_rec->dr_pid, pc, 0,
		    us.us_frames);
	user_symbols_free(&us);
	return fr;
}

/* Code without symbols is one row per file. */
static uint64_t
function_key(const struct frame *fr)
{
	return fr->fr_func == NULL && fr->fr_module != NULL
	    ? fr->fr_module->mo_id | UINT64_C(1) << 32
	    : fr->fr_id;
}

static void
functions_event(struct top_run *tp, const struct dt_event *ev)
{
	struct functions *fn = tp->top_state;
	const struct frame *fr = functions_frame(tp, ev);
	struct function_weight *fw;
	struct hash_entry *e;
	uint64_t key;

	if (fr == NULL || ev->ev_rec->dr_pid == 0)
		return;
	key = function_key(fr);
	e = hash_get(&fn->fun_weights, &key, sizeof(key));
	if ((fw = e->he_ptr) == NULL &&
	    (e->he_ptr = fw = calloc(1, sizeof(*fw))) == NULL)
		err(1, NULL);
	fw->fnw_frame = fr;
	fw->fnw_pid = ev->ev_rec->dr_pid;
	fw->fnw_weight += 1;
	fn->fun_total += 1;
}

static void
functions_row(struct top_run *tp, const struct function_weight *fw)
{
	const struct functions *fn = tp->top_state;
	const struct frame *fr = fw->fnw_frame;
	uint64_t key = function_key(fr);
	struct top_row *r = top_add(tp,
	    key == fr->fr_id ? fr->fr_name : "(no symbol)");

	r->tow_id = key + 1;
	r->tow_pid = fw->fnw_pid;
	r->tow_nums[0] = 100 * fw->fnw_weight / fn->fun_total;
	snprintf(r->tow_tags[0], TOP_TAG, "%.15s",
	    fr->fr_iskernel		? MODULE_KERNEL
		: fr->fr_module != NULL ? fr->fr_module->mo_name
					: "-");
}

/* Forgets all names if there are very many: dt top may run for months. */
static void
functions_trim(struct top_run *tp)
{
	struct functions *fn = tp->top_state;
	struct name_cache *nm = &tp->top_session.tos_names;

	if (fn->fun_frames.fs_n < FUNCTIONS_MAX &&
	    nm->nm_ksyms.ha_n < FUNCTIONS_MAX)
		return;
	hash_free(&fn->fun_weights);
	frames_free(&fn->fun_frames);
	memset(fn, 0, sizeof(*fn));
	name_cache_free(nm);
	name_cache_init(nm, tp->top_session.tos_dt);
}

static void
functions_read(struct top_run *tp, double secs)
{
	struct functions *fn = tp->top_state;
	struct function_weight *fw;
	struct hash_entry **list;
	struct dt_event ev;
	double fade = exp(-secs / FUNCTIONS_FADE);
	size_t i;
	int n;

	functions_trim(tp);
	list = hash_sorted(&fn->fun_weights);
	for (i = 0; i < fn->fun_weights.ha_n; i++) {
		fw = list[i]->he_ptr;
		fw->fnw_weight *= fade;
	}
	free(list);
	fn->fun_total *= fade;
	while ((n = dt_next(tp->top_session.tos_dt, &ev, 0)) == 1)
		functions_event(tp, &ev);
	if (n == -1)
		top_session_ended(&tp->top_session);
	list = hash_sorted(&fn->fun_weights);
	for (i = 0; i < fn->fun_weights.ha_n; i++) {
		fw = list[i]->he_ptr;
		if (fw->fnw_weight > FUNCTIONS_LEAST)
			functions_row(tp, fw);
	}
	free(list);
}

const struct top_view top_functions = {
	.tov_name = "functions",
	.tov_key = '4',
	.tov_what = "functions that run on the CPUs, by samples",
	.tov_label = "FUNCTION",
	.tov_columns = {
	    { "%TIME", TOP_PERCENT, 0, 6 },
	    { "PID", TOP_PID, 0, 7 },
	    { "MODULE", TOP_TEXT, 0, 15 },
	},
	.tov_sort = 0,
	.tov_open = functions_open,
	.tov_close = functions_close,
	.tov_read = functions_read,
	.tov_enter = top_enter_process,
};
