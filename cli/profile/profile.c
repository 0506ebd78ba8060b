/* SPDX-License-Identifier: ISC */
/*
 * Aggregates samples into a profile.  Samples are counted by their addresses,
 * and resolved about once per second, all addresses of a process in one
 * request: the process may have exited by then, but its mappings are still
 * known.  Stacks that differ only in the address inside of a function become
 * one stack, unless the format distinguishes addresses.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile/profile.h"
#include "cli/profile/profile_funcs.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

#define PROFILE_PERIOD	  1000000000 /* ns between lookups */
#define PROFILE_MAXRAW	  65536	     /* pending stacks that cause a lookup */
#define PROFILE_MAXFRAMES 1024	     /* of a stack, with inlined ones */
/*
 * A process may have other code at the same address a moment later: samples
 * further apart than 2^24 ns (17 ms) are resolved separately.
 */
#define PROFILE_SLICE  24

#define PROFILE_SWITCH "finish_task_switch" /* compilers add a suffix */
#define PROFILE_HOOK   "syscall_" /* functions with hooks of all calls */

/* Key of a stack: this, then pk_nkpcs and pk_nupcs addresses. */
struct profile_key {
	uint32_t pk_pid;
	uint8_t pk_nkpcs, pk_nupcs; /* at most 127 */
	uint8_t pk_kend, pk_uend;
	uint16_t pk_kerror, pk_uerror;
	uint8_t pk_haskernel, pk_hasuser;
	uint8_t pk_uhow; /* enum dt_stack_how */
	uint8_t pk_wait; /* enum profile_wait */
	uint64_t pk_slice;
	const char *pk_call; /* of frames_str(), or NULL */
	uint64_t pk_isusercall;
	char pk_comm[DT_REC_COMMLEN];
	uint64_t pk_pcs[2 * DT_REC_MAXFRAMES];
};

#define PROFILE_KEYLEN(k) \
	(offsetof(struct profile_key, pk_pcs) + \
	    ((size_t)(k)->pk_nkpcs + (k)->pk_nupcs) * sizeof(uint64_t))

/* Key of a stack of frames: this, then the ids of the frames. */
struct profile_stack {
	const char *ps_why; /* of frames_str(); NULL: complete */
	char ps_comm[DT_REC_COMMLEN];
	uint32_t ps_pid; /* 0: not distinguished */
	uint16_t ps_nkernel, ps_nframes;
	uint8_t ps_kend, ps_uend;
	uint8_t ps_hasuser;
	uint8_t ps_wait;
	uint8_t ps_pad[4];
	uint32_t ps_frames[PROFILE_MAXFRAMES];
};

#define PROFILE_STACKLEN(k) \
	(offsetof(struct profile_stack, ps_frames) + \
	    (size_t)(k)->ps_nframes * sizeof(uint32_t))

/* Value of both tables; he_count is the number of hits. */
struct profile_sum {
	uint64_t psu_weight;
	uint64_t psu_nsecs; /* of addresses: time of the first hit */
	uint32_t psu_index; /* number of the stack in its table */
	uint32_t psu_stack; /* of addresses: psu_index of its frames */
	uint32_t psu_pid;   /* of frames: the process, of the first hit */
	int psu_isseveral;  /* of frames: of several processes */
};

/* Adds without overflow, since the values of arguments may be large. */
static void
profile_plus(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

/* Returns the sum of a stack, which is new if *isnew is set. */
static struct profile_sum *
profile_sum(struct hash *m, const void *key, size_t len,
    const struct profile_hits *ph, int *isnew)
{
	struct hash_entry *e = hash_get(m, key, len);
	struct profile_sum *sum;

	*isnew = e->he_ptr == NULL;
	if (*isnew && (e->he_ptr = calloc(1, sizeof(*sum))) == NULL)
		err(1, "stacks");
	sum = e->he_ptr;
	if (*isnew)
		sum->psu_index = m->ha_n - 1;
	e->he_count += ph->phi_count;
	profile_plus(&sum->psu_weight, ph->phi_weight);
	return sum;
}

/* Samples */

void
profile_begin(struct profile *pf, struct name_cache *nm, int isexact,
    int withidle)
{
	memset(pf, 0, sizeof(*pf));
	pf->pf_names = nm;
	pf->pf_withidle = withidle;
	pf->pf_isexact = isexact;
	pf->pf_frames.fs_isexact = pf->pf_isexact;
}

void
profile_unit(struct profile *pf, enum profile_unit unit, const char *name)
{
	pf->pf_out.opr_unit = unit;
	pf->pf_out.opr_name = name;
}

void
profile_keep(struct profile *pf)
{
	pf->pf_keeps = 1;
	buf_init(&pf->pf_kept, -1);
	buf_init(&pf->pf_threads, -1);
}

/* Returns the index of the thread of an event. */
static uint32_t
profile_thread(struct profile *pf, const struct dt_event *ev)
{
	const uint32_t key[] = { ev->ev_rec->dr_pid, ev->ev_rec->dr_tid };
	struct hash_entry *e = hash_get(&pf->pf_tids, key, sizeof(key));
	struct out_thread th = { .oth_pid = key[0], .oth_tid = key[1] };
	struct out_thread *known;

	if (e->he_sum == 0) {
		e->he_sum = pf->pf_tids.ha_n;
		buf_mem(&pf->pf_threads, &th, sizeof(th));
	}
	known = (struct out_thread *)pf->pf_threads.b_data + e->he_sum - 1;
	if (ev->ev_comm != NULL && ev->ev_rec->dr_time >= known->oth_time) {
		memcpy(known->oth_comm, ev->ev_comm,
		    sizeof(known->oth_comm) - 1);
		known->oth_time = ev->ev_rec->dr_time;
	}
	return e->he_sum - 1;
}

/* stack: psu_index of its addresses. */
static void
profile_keep_hit(struct profile *pf, const struct dt_event *ev,
    const struct profile_hits *ph, uint32_t stack)
{
	const struct timespec *real = &ev->ev_realtime;
	uint64_t nsecs = ev->ev_duration != NULL ? *ev->ev_duration : 0;
	struct out_sample sa = { .osa_time = ev->ev_rec->dr_time - nsecs,
		.osa_weight = ph->phi_weight,
		.osa_stack = stack,
		.osa_name = frames_str(&pf->pf_frames, ph->phi_name),
		.osa_text = frames_str(&pf->pf_frames, ph->phi_text) };

	if (ph->phi_count != 1 ||
	    pf->pf_kept.b_len / sizeof(sa) >= PROFILE_MAXKEPT) {
		pf->pf_out.opr_nunkept += ph->phi_count;
		return;
	}
	pf->pf_out.opr_clock = (int64_t)(real->tv_sec * UINT64_C(1000000000) +
	    real->tv_nsec - ev->ev_rec->dr_time);
	sa.osa_thread = profile_thread(pf, ev);
	buf_mem(&pf->pf_kept, &sa, sizeof(sa));
}

static unsigned int
profile_frames(uint64_t *pcs, const struct dt_rec_stack *st, uint8_t *endp,
    uint16_t *errorp, uint8_t *hasp)
{
	unsigned int n;

	if (st == NULL)
		return 0;
	n = st->drs_count < DT_REC_MAXFRAMES ? st->drs_count : DT_REC_MAXFRAMES;
	memcpy(pcs, DT_STACK_PCS(st), n * sizeof(*pcs));
	*endp = st->drs_end;
	*errorp = st->drs_error;
	*hasp = 1;
	return n;
}

static void
profile_total(struct out_profile *op, const struct profile_hits *ph)
{
	op->opr_hits += ph->phi_count;
	profile_plus(&op->opr_total, ph->phi_weight);
	op->opr_waits[ph->phi_wait].hits += ph->phi_count;
	profile_plus(&op->opr_waits[ph->phi_wait].nsecs, ph->phi_weight);
}

void
profile_event(struct profile *pf, const struct dt_event *ev)
{
	static const struct profile_hits one = { .phi_count = 1,
		.phi_weight = 1 };

	profile_add(pf, ev, &one);
}

void
profile_add(struct profile *pf, const struct dt_event *ev,
    const struct profile_hits *ph)
{
	struct profile_key key;
	struct profile_sum *sum;
	int isnew;

	/* the kernel's idle loop: its address is of no interest */
	if (ev->ev_rec->dr_pid == 0 && !pf->pf_withidle) {
		pf->pf_out.opr_idle += ph->phi_count;
		return;
	}
	profile_name(pf,
	    pf->pf_raw.ha_n < PROFILE_MAXRAW ? ev->ev_rec->dr_time
					     : UINT64_MAX);
	if (pf->pf_raw.ha_n == 0)
		pf->pf_since = ev->ev_rec->dr_time;
	profile_total(&pf->pf_out, ph);
	memset(&key, 0, offsetof(struct profile_key, pk_pcs));
	key.pk_pid = ev->ev_rec->dr_pid;
	key.pk_slice = ev->ev_rec->dr_time >> PROFILE_SLICE;
	key.pk_wait = ph->phi_wait;
	key.pk_call = frames_str(&pf->pf_frames, ph->phi_call);
	key.pk_isusercall = ph->phi_isusercall;
	if (ev->ev_comm != NULL)
		memcpy(key.pk_comm, ev->ev_comm, sizeof(key.pk_comm));
	key.pk_comm[sizeof(key.pk_comm) - 1] = '\0';
	key.pk_nkpcs = profile_frames(key.pk_pcs, ev->ev_kstack, &key.pk_kend,
	    &key.pk_kerror, &key.pk_haskernel);
	key.pk_nupcs = profile_frames(key.pk_pcs + key.pk_nkpcs, ev->ev_ustack,
	    &key.pk_uend, &key.pk_uerror, &key.pk_hasuser);
	if (ev->ev_ustack != NULL)
		key.pk_uhow = ev->ev_ustack->drs_how;
	sum = profile_sum(&pf->pf_raw, &key, PROFILE_KEYLEN(&key), ph, &isnew);
	if (isnew)
		sum->psu_nsecs = ev->ev_rec->dr_time;
	if (pf->pf_keeps)
		profile_keep_hit(pf, ev, ph, sum->psu_index);
}

/* Resolving */

/* Resolves all kernel addresses in one request. */
static void
profile_resolve_kernel(struct profile *pf, struct hash_entry **list)
{
	const struct profile_key *key;
	struct hash pcs = { 0 };
	struct hash_entry **sorted;
	uint64_t pc, *v;
	size_t i, j;

	for (i = 0; i < pf->pf_raw.ha_n; i++) {
		key = (const void *)list[i]->he_key;
		for (j = 0; j < key->pk_nkpcs; j++) {
			pc = stack_pc(key->pk_pcs, j);
			hash_get(&pcs, &pc, sizeof(pc));
		}
	}
	sorted = hash_sorted(&pcs);
	if ((v = calloc(pcs.ha_n + 1, sizeof(*v))) == NULL)
		err(1, "names");
	for (i = 0; i < pcs.ha_n; i++)
		v[i] = sorted[i]->he_key[0];
	name_cache_prefetch(pf->pf_names, v, pcs.ha_n);
	free(v);
	free(sorted);
	hash_clear(&pcs);
}

/* Orders by process, address space and time. */
static int
profile_compare(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	const struct profile_key *ka = (const void *)a->he_key;
	const struct profile_key *kb = (const void *)b->he_key;
	const struct profile_sum *sa = a->he_ptr, *sb = b->he_ptr;
	int n;

	(void)arg;
	if (ka->pk_pid != kb->pk_pid)
		return ka->pk_pid < kb->pk_pid ? -1 : 1;
	if ((n = strcmp(ka->pk_comm, kb->pk_comm)) != 0)
		return n;
	if (sa->psu_nsecs != sb->psu_nsecs)
		return sa->psu_nsecs < sb->psu_nsecs ? -1 : 1;
	return 0;
}

/*
 * Resolves all user addresses of the n stacks of one process and name, so that
 * libdt answers later lookups itself, if the process had the same mappings.
 */
static void
profile_resolve_user(struct profile *pf, struct hash_entry **list, size_t n)
{
	const struct profile_sum *first = list[0]->he_ptr;
	const struct profile_key *key;
	struct hash pcs = { 0 };
	struct hash_entry **sorted;
	struct user_symbols us;
	uint64_t pc, *v;
	size_t i, j;

	for (i = 0; i < n; i++) {
		key = (const void *)list[i]->he_key;
		for (j = 0; j < key->pk_nupcs; j++) {
			pc = stack_pc(key->pk_pcs + key->pk_nkpcs, j);
			hash_get(&pcs, &pc, sizeof(pc));
		}
	}
	if (pcs.ha_n == 0)
		return;
	sorted = hash_sorted(&pcs);
	if ((v = calloc(pcs.ha_n, sizeof(*v))) == NULL)
		err(1, "names");
	for (i = 0; i < pcs.ha_n; i++)
		v[i] = sorted[i]->he_key[0];
	key = (const void *)list[0]->he_key;
	user_symbols_get(&us, pf->pf_names, key->pk_pid, first->psu_nsecs, v,
	    pcs.ha_n);
	user_symbols_free(&us);
	free(v);
	free(sorted);
	hash_clear(&pcs);
}

/* Appends a frame.  Consecutive frames with only a reason are merged. */
static void
profile_append(struct profile *pf, struct profile_stack *ps,
    const struct frame *fr)
{
	if (ps->ps_nframes == PROFILE_MAXFRAMES)
		return;
	if (!pf->pf_isexact && fr->fr_func == NULL && ps->ps_nframes > 0 &&
	    fr->fr_name[0] == '[' &&
	    ps->ps_frames[ps->ps_nframes - 1] == fr->fr_id)
		return;
	ps->ps_frames[ps->ps_nframes++] = fr->fr_id;
}

/*
 * Frames at the begin of a kernel stack of hits that are not part of the
 * profiled code: of the tracing, for calls of the hooks around each of them, and
 * for waits of the scheduler.  They depend on the kernel.
 */
static int
profile_istracing(enum profile_unit unit, const struct profile_key *key,
    const char *name)
{
	if (name == NULL)
		return 0;
	return stack_istracing(name) ||
	    (key->pk_call != NULL &&
		strncmp(name, PROFILE_HOOK, strlen(PROFILE_HOOK)) == 0) ||
	    (unit == PROFILE_WAITS &&
		(strcmp(name, "__schedule") == 0 ||
		    strcmp(name, "schedule") == 0 ||
		    strncmp(name, PROFILE_SWITCH, strlen(PROFILE_SWITCH)) ==
			0));
}

/* These two set the function of the outermost frame in *end. */
static void
profile_name_kernel(struct profile *pf, const struct profile_key *key,
    struct profile_stack *ps, struct stack_end *end)
{
	enum profile_unit unit = pf->pf_out.opr_unit;
	const char *name = NULL;
	unsigned int i;
	uint64_t pc, off;

	for (i = 0; i < key->pk_nkpcs; i++) {
		pc = stack_pc(key->pk_pcs, i);
		off = 0;
		name = name_cache_ksym(pf->pf_names, pc, &off);
		if (unit != PROFILE_SAMPLES && ps->ps_nframes == 0 &&
		    profile_istracing(unit, key, name))
			continue;
		profile_append(pf, ps,
		    frames_kernel(&pf->pf_frames, key->pk_pcs[i], i > 0, name,
			off));
	}
	ps->ps_nkernel = ps->ps_nframes;
	end->se_func = name;
}

static void
profile_name_user(struct profile *pf, const struct profile_key *key,
    uint64_t nsecs, struct profile_stack *ps, struct stack_end *end)
{
	const uint64_t *all = key->pk_pcs + key->pk_nkpcs;
	struct user_symbols us;
	unsigned int i;
	size_t j;

	user_symbols_stack(&us, pf->pf_names, key->pk_pid, nsecs, all,
	    key->pk_nupcs, end);
	for (j = 0; j < us.us_n; j++) {
		i = us.us_frames[j].df_pc;
		profile_append(pf, ps,
		    frames_user(&pf->pf_frames, key->pk_pid, all[i], i > 0,
			&us.us_frames[j]));
	}
	user_symbols_free(&us);
}

/* Returns the frame of a function of a program, which is named FILE:FUNCTION. */
static const struct frame *
profile_call_user(struct profile *pf, const struct profile_key *key)
{
	const char *colon = strchr(key->pk_call, ':');
	struct dt_frame df = { .df_func = key->pk_call };
	const struct module *mo;
	char file[DTNAMESIZE];

	if (colon == NULL)
		return frames_user(&pf->pf_frames, key->pk_pid, 0, 0, &df);
	df.df_func = colon + 1;
	snprintf(file, sizeof(file), "%.*s", (int)(colon - key->pk_call),
	    key->pk_call);
	df.df_module = file;
	if ((mo = frames_module_named(&pf->pf_frames, file)) != NULL) {
		df.df_module = mo->mo_path;
		df.df_buildid = mo->mo_buildid;
		df.df_buildidlen = mo->mo_buildidlen;
	}
	return frames_user(&pf->pf_frames, key->pk_pid, 0, 0, &df);
}

/* Adds the called function as the innermost frame, unless it is one. */
static void
profile_name_call(struct profile *pf, const struct profile_key *key,
    struct profile_stack *ps)
{
	unsigned int at = key->pk_isusercall ? ps->ps_nkernel : 0;
	const struct frame *fr, *now;

	if (key->pk_call == NULL || ps->ps_nframes == PROFILE_MAXFRAMES)
		return;
	fr = key->pk_isusercall
	    ? profile_call_user(pf, key)
	    : frames_kernel(&pf->pf_frames, 0, 0, key->pk_call, 0);
	if (at < ps->ps_nframes) {
		now = pf->pf_frames.fs_list[ps->ps_frames[at]];
		if (now->fr_func != NULL &&
		    strcmp(now->fr_func, fr->fr_func) == 0)
			return;
	}
	memmove(&ps->ps_frames[at + 1], &ps->ps_frames[at],
	    (ps->ps_nframes - at) * sizeof(ps->ps_frames[0]));
	ps->ps_frames[at] = fr->fr_id;
	ps->ps_nframes++;
	ps->ps_nkernel += !key->pk_isusercall;
}

/* Counts hits with complete stacks, and reasons for incomplete ones. */
static const char *
profile_judge(struct profile *pf, const struct profile_key *key,
    const struct stack_end *k, const struct stack_end *u, uint64_t count)
{
	const char *why;

	if (!key->pk_hasuser)
		return NULL;
	why = stack_incomplete(key->pk_haskernel ? k : NULL, u);
	/* kernel threads, and threads that are exiting, have no user stack */
	if (key->pk_uend == DT_STACK_NOMM)
		return why == NULL ? NULL : frames_str(&pf->pf_frames, why);
	pf->pf_out.opr_judged += count;
	if (key->pk_uhow == DT_STACK_TABLE)
		pf->pf_out.opr_bytable += count;
	if (why == NULL) {
		pf->pf_out.opr_complete += count;
		return NULL;
	}
	hash_get(&pf->pf_whys, why, strlen(why) + 1)->he_count += count;
	return frames_str(&pf->pf_frames, why);
}

/* Converts a stack of addresses into one of frames. */
static void
profile_fold(struct profile *pf, const struct hash_entry *raw)
{
	const struct profile_key *key = (const void *)raw->he_key;
	struct profile_stack ps;
	struct stack_end k = {
		.se_end = key->pk_kend,
		.se_error = key->pk_kerror,
		.se_count = key->pk_nkpcs,
	}, u = {
		.se_end = key->pk_uend,
		.se_error = key->pk_uerror,
		.se_count = key->pk_nupcs,
		.se_how = key->pk_uhow,
	};
	struct profile_sum *from = raw->he_ptr;
	const struct profile_hits hits = { .phi_count = raw->he_count,
		.phi_weight = from->psu_weight };
	struct profile_sum *sum;
	int isnew;

	memset(&ps, 0, offsetof(struct profile_stack, ps_frames));
	memcpy(ps.ps_comm, key->pk_comm, sizeof(ps.ps_comm));
	ps.ps_pid = pf->pf_isexact ? key->pk_pid : 0;
	ps.ps_kend = key->pk_kend;
	ps.ps_uend = key->pk_uend;
	ps.ps_hasuser = key->pk_hasuser;
	ps.ps_wait = key->pk_wait;
	profile_name_kernel(pf, key, &ps, &k);
	profile_name_user(pf, key, from->psu_nsecs, &ps, &u);
	profile_name_call(pf, key, &ps);
	ps.ps_why = profile_judge(pf, key, &k, &u, raw->he_count);
	sum = profile_sum(&pf->pf_stacks, &ps, PROFILE_STACKLEN(&ps), &hits,
	    &isnew);
	from->psu_stack = sum->psu_index;
	if (isnew)
		sum->psu_pid = key->pk_pid;
	else if (sum->psu_pid != key->pk_pid)
		sum->psu_isseveral = 1;
}

/* Replaces the psu_index of addresses in kept hits by the one of their frames. */
static void
profile_fold_kept(struct profile *pf, struct hash_entry **list)
{
	struct out_sample *sa = (struct out_sample *)pf->pf_kept.b_data;
	size_t i, n = pf->pf_kept.b_len / sizeof(*sa);
	const struct profile_sum *sum;
	uint32_t *stacks;

	if ((stacks = calloc(pf->pf_raw.ha_n + 1, sizeof(*stacks))) == NULL)
		err(1, "stacks");
	for (i = 0; i < pf->pf_raw.ha_n; i++) {
		sum = list[i]->he_ptr;
		stacks[sum->psu_index] = sum->psu_stack;
	}
	for (i = pf->pf_nfolded; i < n; i++)
		sa[i].osa_stack = stacks[sa[i].osa_stack];
	pf->pf_nfolded = n;
	free(stacks);
}

/* Returns how many stacks from i on are of the same process and name. */
static size_t
profile_group(struct hash_entry **list, size_t i, size_t n)
{
	const struct profile_key *first = (const void *)list[i]->he_key, *key;
	size_t j;

	for (j = i + 1; j < n; j++) {
		key = (const void *)list[j]->he_key;
		if (key->pk_pid != first->pk_pid ||
		    strcmp(key->pk_comm, first->pk_comm) != 0)
			break;
	}
	return j - i;
}

uint64_t
profile_name(struct profile *pf, uint64_t now)
{
	struct hash_entry **list;
	size_t i, j, n;

	if (pf->pf_raw.ha_n == 0)
		return 0;
	if (now < pf->pf_since + PROFILE_PERIOD)
		return pf->pf_since + PROFILE_PERIOD;
	list = hash_sorted_by(&pf->pf_raw, profile_compare, NULL);
	profile_resolve_kernel(pf, list);
	for (i = 0; i < pf->pf_raw.ha_n; i += n) {
		n = profile_group(list, i, pf->pf_raw.ha_n);
		profile_resolve_user(pf, list + i, n);
		for (j = i; j < i + n; j++)
			profile_fold(pf, list[j]);
	}
	if (pf->pf_keeps)
		profile_fold_kept(pf, list);
	free(list);
	hash_free(&pf->pf_raw);
	return 0;
}

/* Result */

/*
 * Orders by the names of frames: their numbers depend on the order in which they
 * were resolved.
 */
static int
profile_order_frames(const struct profile *pf, const struct profile_stack *a,
    const struct profile_stack *b)
{
	struct frame *const *list = pf->pf_frames.fs_list;
	unsigned int i;
	int n = 0;

	for (i = 0; i < a->ps_nframes && n == 0; i++)
		n = strcmp(list[a->ps_frames[i]]->fr_name,
		    list[b->ps_frames[i]]->fr_name);
	return n != 0 ? n
		      : memcmp(a->ps_frames, b->ps_frames,
			    a->ps_nframes * sizeof(uint32_t));
}

/*
 * Orders by descending weight; then by values that do not depend on addresses
 * in dt's memory.
 */
static int
profile_order(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	const struct profile_stack *pa = (const void *)a->he_key;
	const struct profile_stack *pb = (const void *)b->he_key;
	const struct profile_sum *sa = a->he_ptr, *sb = b->he_ptr;
	int n;

	if (sa->psu_weight != sb->psu_weight)
		return sa->psu_weight < sb->psu_weight ? 1 : -1;
	if (a->he_count != b->he_count)
		return a->he_count < b->he_count ? 1 : -1;
	if ((n = strcmp(pa->ps_comm, pb->ps_comm)) != 0)
		return n;
	if (pa->ps_pid != pb->ps_pid)
		return pa->ps_pid < pb->ps_pid ? -1 : 1;
	if (pa->ps_wait != pb->ps_wait)
		return pa->ps_wait < pb->ps_wait ? -1 : 1;
	if (pa->ps_nframes != pb->ps_nframes)
		return pa->ps_nframes < pb->ps_nframes ? -1 : 1;
	return profile_order_frames(arg, pa, pb);
}

static struct out_stack *
profile_stacks(struct profile *pf, struct hash_entry **list)
{
	const struct profile_stack *ps;
	const struct profile_sum *sum;
	const struct frame **fr;
	struct out_stack *os;
	size_t i, j, nframes = 0;

	for (i = 0; i < pf->pf_stacks.ha_n; i++) {
		ps = (const void *)list[i]->he_key;
		nframes += ps->ps_nframes;
	}
	os = calloc(pf->pf_stacks.ha_n + 1, sizeof(*os));
	fr = calloc(nframes + 1, sizeof(*fr));
	if (os == NULL || fr == NULL)
		err(1, "stacks");
	for (i = 0; i < pf->pf_stacks.ha_n; i++) {
		ps = (const void *)list[i]->he_key;
		sum = list[i]->he_ptr;
		os[i] = (struct out_stack){
			.os_weight = sum->psu_weight,
			.os_hits = list[i]->he_count,
			.os_wait = ps->ps_wait,
			.os_pid = sum->psu_isseveral ? 0 : sum->psu_pid,
			.os_isseveral = sum->psu_isseveral,
			.os_comm = ps->ps_comm,
			.os_frames = fr,
			.os_nframes = ps->ps_nframes,
			.os_nkernel = ps->ps_nkernel,
			.os_hasuser = ps->ps_hasuser,
			.os_why = ps->ps_why,
			.os_kend = ps->ps_kend,
			.os_uend = ps->ps_uend,
		};
		for (j = 0; j < ps->ps_nframes; j++)
			*fr++ = pf->pf_frames.fs_list[ps->ps_frames[j]];
	}
	/* the first one has the array of all frames; the caller frees it */
	os[pf->pf_stacks.ha_n].os_frames = fr - nframes;
	return os;
}

static struct out_why *
profile_whys(struct profile *pf, struct hash_entry **list)
{
	struct out_why *ow;
	size_t i;

	if ((ow = calloc(pf->pf_whys.ha_n + 1, sizeof(*ow))) == NULL)
		err(1, "stacks");
	for (i = 0; i < pf->pf_whys.ha_n; i++)
		ow[i] = (struct out_why){
			.oy_why = (const char *)list[i]->he_key,
			.oy_count = list[i]->he_count,
		};
	return ow;
}

static int
profile_order_kept(const void *va, const void *vb)
{
	const struct out_sample *a = va, *b = vb;

	if (a->osa_thread != b->osa_thread)
		return a->osa_thread < b->osa_thread ? -1 : 1;
	if (a->osa_time != b->osa_time)
		return a->osa_time < b->osa_time ? -1 : 1;
	return 0;
}

/* list: the stacks in the order of the result. */
static void
profile_kept(struct profile *pf, struct hash_entry **list)
{
	struct out_sample *sa = (struct out_sample *)pf->pf_kept.b_data;
	struct out_profile *op = &pf->pf_out;
	const struct profile_sum *sum;
	uint32_t *order;
	size_t i;

	op->opr_nsamples = pf->pf_kept.b_len / sizeof(*sa);
	op->opr_nthreads = pf->pf_tids.ha_n;
	op->opr_samples = sa;
	op->opr_threads = (const struct out_thread *)pf->pf_threads.b_data;
	if (op->opr_nsamples == 0)
		return;
	if ((order = calloc(pf->pf_stacks.ha_n, sizeof(*order))) == NULL)
		err(1, "stacks");
	for (i = 0; i < pf->pf_stacks.ha_n; i++) {
		sum = list[i]->he_ptr;
		order[sum->psu_index] = i;
	}
	for (i = 0; i < op->opr_nsamples; i++)
		sa[i].osa_stack = order[sa[i].osa_stack];
	free(order);
	qsort(sa, op->opr_nsamples, sizeof(*sa), profile_order_kept);
}

const struct out_profile *
profile_result(struct profile *pf, unsigned int top)
{
	struct hash_entry **slist, **wlist;
	struct out_profile *op = &pf->pf_out;

	profile_name(pf, UINT64_MAX);
	slist = hash_sorted_by(&pf->pf_stacks, profile_order, pf);
	wlist = hash_sorted(&pf->pf_whys);
	op->opr_top = top != 0 ? top : PROFILE_TOP;
	op->opr_stacks = profile_stacks(pf, slist);
	op->opr_nstacks = pf->pf_stacks.ha_n;
	op->opr_whys = profile_whys(pf, wlist);
	op->opr_nwhys = pf->pf_whys.ha_n;
	op->opr_funcs = profile_funcs(op->opr_stacks, op->opr_nstacks,
	    &op->opr_nfuncs);
	profile_kept(pf, slist);
	free(slist);
	free(wlist);
	return op;
}

void
profile_end(struct profile *pf)
{
	struct out_profile *op = &pf->pf_out;

	free((void *)op->opr_stacks[op->opr_nstacks].os_frames);
	free((void *)op->opr_stacks);
	free((void *)op->opr_funcs);
	free((void *)op->opr_whys);
	hash_free(&pf->pf_raw);
	hash_free(&pf->pf_stacks);
	hash_clear(&pf->pf_whys);
	frames_free(&pf->pf_frames);
	hash_clear(&pf->pf_tids);
	buf_free(&pf->pf_kept);
	buf_free(&pf->pf_threads);
	memset(op, 0, sizeof(*op));
}
