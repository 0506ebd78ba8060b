/* SPDX-License-Identifier: ISC */
/*
 * Where the time goes, by samples.  They are collected by their addresses;
 * names are asked for once, at the end, and what differs only in the place
 * inside of a kernel function becomes one stack.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "stack.h"

/* A stack, as a key: this, then pk_nkpcs and pk_nupcs addresses. */
struct profile_key {
	uint32_t pk_pid;
	uint8_t pk_nkpcs, pk_nupcs; /* 127 at most */
	uint8_t pk_kend, pk_uend;
	char pk_comm[DT_REC_COMMLEN];
	uint64_t pk_pcs[2 * DT_REC_MAXFRAMES];
};

#define PROFILE_KEYLEN(k) \
	(offsetof(struct profile_key, pk_pcs) + \
	    ((size_t)(k)->pk_nkpcs + (k)->pk_nupcs) * sizeof(uint64_t))

/* A function, as a key. */
struct profile_func {
	char pf_comm[DT_REC_COMMLEN];
	uint64_t pf_pc; /* its start; 1: user code, which has no
					   names; 0: unknown */
	uint64_t pf_iskernel;
};

static unsigned int
profile_frames(uint64_t *pcs, const struct dt_rec_stack *st, uint8_t *endp)
{
	unsigned int n;

	if (st == NULL)
		return 0;
	n = st->drs_count < DT_REC_MAXFRAMES ? st->drs_count : DT_REC_MAXFRAMES;
	memcpy(pcs, DT_STACK_PCS(st), n * sizeof(*pcs));
	*endp = st->drs_end;
	return n;
}

void
profile_event(struct profile *pf, const struct dt_event *ev)
{
	struct profile_key key;

	/* the kernel's idle loop: nobody wants to know where it spins */
	if (ev->ev_rec->dr_pid == 0 && !pf->pf_withidle) {
		pf->pf_idle++;
		return;
	}
	pf->pf_total++;
	memset(&key, 0, offsetof(struct profile_key, pk_pcs));
	key.pk_pid = ev->ev_rec->dr_pid;
	if (ev->ev_comm != NULL)
		memcpy(key.pk_comm, ev->ev_comm, sizeof(key.pk_comm));
	key.pk_comm[sizeof(key.pk_comm) - 1] = '\0';
	key.pk_nkpcs = profile_frames(key.pk_pcs, ev->ev_kstack, &key.pk_kend);
	key.pk_nupcs = profile_frames(key.pk_pcs + key.pk_nkpcs, ev->ev_ustack,
	    &key.pk_uend);
	map_get(&pf->pf_raw, &key, PROFILE_KEYLEN(&key))->me_count++;
}

/* All kernel addresses in one question. */
static void
profile_prefetch(struct profile *pf, struct map_entry **list)
{
	const struct profile_key *key;
	struct map pcs = { 0 };
	struct map_entry **sorted;
	uint64_t pc, *v;
	size_t i, j;

	for (i = 0; i < pf->pf_raw.mp_n; i++) {
		key = (const void *)list[i]->me_key;
		for (j = 0; j < key->pk_nkpcs; j++) {
			pc = stack_pc(key->pk_pcs, j);
			map_get(&pcs, &pc, sizeof(pc));
		}
	}
	sorted = map_sorted(&pcs);
	if ((v = calloc(pcs.mp_n + 1, sizeof(*v))) == NULL)
		err(1, "names");
	for (i = 0; i < pcs.mp_n; i++)
		v[i] = sorted[i]->me_key[0];
	names_prefetch(pf->pf_names, v, pcs.mp_n);
	free(v);
	free(sorted);
	map_clear(&pcs);
}

/* Counts the stack of functions, and the innermost one. */
static void
profile_fold(struct profile *pf, const struct map_entry *raw)
{
	struct names *nm = pf->pf_names;
	struct profile_func func;
	struct profile_key key;
	const char *name;
	uint64_t pc, off;
	unsigned int i;

	memcpy(&key, raw->me_key, raw->me_keylen);
	for (i = 0; i < key.pk_nkpcs; i++) {
		pc = stack_pc(key.pk_pcs, i);
		if ((name = names_ksym(nm, pc, &off)) == NULL)
			continue;
		key.pk_pcs[i] = pc - off;
		names_add_ksym(nm, key.pk_pcs[i], name, 0);
	}
	map_get(&pf->pf_stacks, &key, PROFILE_KEYLEN(&key))
	    ->me_count += raw->me_count;
	memset(&func, 0, sizeof(func));
	memcpy(func.pf_comm, key.pk_comm, sizeof(func.pf_comm));
	func.pf_iskernel = key.pk_nkpcs > 0;
	func.pf_pc = func.pf_iskernel ? key.pk_pcs[0] : key.pk_nupcs > 0;
	map_get(&pf->pf_funcs, &func, sizeof(func))->me_count += raw->me_count;
}

static struct out_func *
profile_funcs(struct profile *pf, struct map_entry **list)
{
	struct names *nm = pf->pf_names;
	const struct profile_func *func;
	struct out_func *of;
	uint64_t off;
	size_t i;

	if ((of = calloc(pf->pf_funcs.mp_n + 1, sizeof(*of))) == NULL)
		err(1, "functions");
	for (i = 0; i < pf->pf_funcs.mp_n; i++) {
		func = (const void *)list[i]->me_key;
		of[i].of_count = list[i]->me_count;
		of[i].of_pc = func->pf_pc;
		of[i].of_iskernel = func->pf_iskernel;
		of[i].of_comm = func->pf_comm;
		if (func->pf_iskernel)
			of[i].of_name = names_ksym(nm, func->pf_pc, &off);
	}
	return of;
}

static struct out_stack *
profile_stacks(struct profile *pf, struct map_entry **list)
{
	const struct profile_key *key;
	struct out_stack *os;
	size_t i;

	if ((os = calloc(pf->pf_stacks.mp_n + 1, sizeof(*os))) == NULL)
		err(1, "stacks");
	for (i = 0; i < pf->pf_stacks.mp_n; i++) {
		key = (const void *)list[i]->me_key;
		os[i] = (struct out_stack){
			.os_count = list[i]->me_count,
			.os_pid = key->pk_pid,
			.os_comm = key->pk_comm,
			.os_nkpcs = key->pk_nkpcs,
			.os_nupcs = key->pk_nupcs,
			.os_kpcs = key->pk_pcs,
			.os_upcs = key->pk_pcs + key->pk_nkpcs,
			.os_kend = key->pk_kend,
			.os_uend = key->pk_uend,
		};
	}
	return os;
}

void
profile_print(struct profile *pf, struct out *out, unsigned int top)
{
	struct map_entry **raw, **flist, **slist;
	struct out_profile op = {
		.op_total = pf->pf_total,
		.op_idle = pf->pf_idle,
		.op_top = top != 0 ? top : PROFILE_TOP,
	};
	struct out_func *funcs;
	struct out_stack *stacks;
	size_t i;

	raw = map_sorted(&pf->pf_raw);
	profile_prefetch(pf, raw);
	for (i = 0; i < pf->pf_raw.mp_n; i++)
		profile_fold(pf, raw[i]);
	flist = map_sorted(&pf->pf_funcs);
	slist = map_sorted(&pf->pf_stacks);
	op.op_funcs = funcs = profile_funcs(pf, flist);
	op.op_stacks = stacks = profile_stacks(pf, slist);
	op.op_nfuncs = pf->pf_funcs.mp_n;
	op.op_nstacks = pf->pf_stacks.mp_n;
	out_profile(out, &op);
	free(funcs);
	free(stacks);
	free(flist);
	free(slist);
	free(raw);
	map_clear(&pf->pf_raw);
	map_clear(&pf->pf_funcs);
	map_clear(&pf->pf_stacks);
}
