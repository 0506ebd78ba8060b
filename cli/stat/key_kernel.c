/* SPDX-License-Identifier: ISC */
/*
 * Translates keys into the parts of an aggregation (DTIOCSAGG), and the words
 * of its rows back into events, so that rows get the same keys, texts and order
 * as events that dt counts itself.
 */
#include <stdio.h>
#include <string.h>

#include "cli/decode/args.h"
#include "cli/stat/key_impl.h"
#include "cli/stat/key_kernel.h"

/* Operands that have the same width for all probes. */
static const struct {
	uint8_t size;
	uint8_t issigned;
	uint8_t nwords;
} kernel_opds[DT_NOPD] = {
	[DT_OPD_RETVAL] = { 8, 1, 1 },
	[DT_OPD_ERRNO] = { 4, 0, 1 },
	[DT_OPD_DURATION] = { 8, 0, 1 },
	[DT_OPD_PID] = { 4, 0, 1 },
	[DT_OPD_TID] = { 4, 0, 1 },
	[DT_OPD_UID] = { 4, 0, 1 },
	[DT_OPD_CPU] = { 4, 0, 1 },
	[DT_OPD_COMM] = { 0, 0, 2 },
	[DT_OPD_PROBE] = { 4, 0, 1 },
	[DT_OPD_CGROUP] = { 8, 0, 1 },
	[DT_OPD_SOCKET] = { 8, 0, 1 },
};

static struct dt_opd
kernel_opd(enum dt_opd_kind kind)
{
	return (struct dt_opd){ .op_kind = kind,
		.op_size = kernel_opds[kind].size,
		.op_issigned = kernel_opds[kind].issigned };
}

static unsigned int
kernel_nwords(const struct dt_opd *op)
{
	return op->op_kind == DT_OPD_ARG ? 1 : kernel_opds[op->op_kind].nwords;
}

/* Adds a part, unless the key has it already. */
static int
kernel_part(struct dtioc_agg *ag, struct dt_opd op, char *why, size_t nwhy)
{
	unsigned int i, nwords = kernel_nwords(&op);

	for (i = 0; i < ag->dtag_nkeys; i++) {
		if (memcmp(&ag->dtag_keys[i], &op, sizeof(op)) == 0)
			return 0;
		nwords += kernel_nwords(&ag->dtag_keys[i]);
	}
	if (i == DTAG_NKEYS || nwords > DTAG_NWORDS)
		return keys_bad(why, nwhy, "the kernel counts by fewer keys");
	ag->dtag_keys[ag->dtag_nkeys++] = op;
	return 0;
}

/*
 * Finds the operand of an argument, which is the first hit's of a pair.
 * DT_OPD_NONE: the probe has no such number; it may have a text, which is in the
 * record.
 */
static int
kernel_arg(struct keys *by, struct key_kernel *kk, const struct key_item *bi,
    struct dt_opd *op, char *why, size_t nwhy)
{
	const struct key_probe *bp = key_probe(by,
	    kk->kyk_ispair ? kk->kyk_first : kk->kyk_pbn);
	unsigned int i = bi - by->ky_items;
	const struct key_arg *ba;
	uint64_t flags = 0;

	memset(op, 0, sizeof(*op));
	if (bp == NULL || (ba = &bp->kb_args[i])->kg_argn == -1)
		return 0;
	if (i != KEY_SUM)
		flags = key_arg_evtflags(bi, bp, ba->kg_argn);
	if (flags & (DTEVT_MEMORY | DTEVT_DATA))
		return keys_bad(why, nwhy, "%s may be a struct", bi->ki_name);
	if (flags != 0) {
		kk->kyk_isrecord = 1;
		return 0;
	}
	if (bp->kb_probe->pr_args[ba->kg_argn] == VAL_NONE)
		return 0;
	op->op_kind = DT_OPD_ARG;
	op->op_argn = ba->kg_argn;
	val_width(ba->kg_class, &op->op_size, &op->op_issigned);
	return 0;
}

/* Adds the cgroup of a socket, of which a row has the thread's or this one. */
static int
kernel_socket(struct keys *by, struct key_kernel *kk, char *why, size_t nwhy)
{
	const struct key_probe *bp = key_probe(by, kk->kyk_pbn);
	const struct dt_probe_desc *pd;
	struct dt_opd op = kernel_opd(DT_OPD_SOCKET);
	unsigned int i;

	for (i = 0; i < by->ky_n; i++)
		if (by->ky_items[i].ki_kind->kki_opd == DT_OPD_CGROUP)
			return keys_bad(why, nwhy,
			    "sockunit excludes unit and cgroup");
	if (bp == NULL)
		return 0;
	pd = &bp->kb_probe->pr_desc;
	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS; i++)
		if (strcmp(pd->pd_names[i].dtan_name, "skaddr") == 0) {
			op.op_argn = i;
			return kernel_part(&kk->kyk_agg, op, why, nwhy);
		}
	return keys_bad(why, nwhy, "%s has no socket (skaddr)",
	    bp->kb_probe->pr_full);
}

/* Returns whether hits of the probe have the value of a built-in key. */
static int
kernel_has(const struct key_kernel *kk, const struct key_kind *kind)
{
	if (kind->kki_opd == DT_OPD_DURATION)
		return kk->kyk_ispair;
	return kind->kki_side != KEY_RETURN || kk->kyk_isreturn;
}

static int
kernel_key(struct keys *by, struct key_kernel *kk, const struct key_item *bi,
    char *why, size_t nwhy)
{
	const struct key_kind *kind = bi->ki_kind;
	struct dtioc_agg *ag = &kk->kyk_agg;
	struct dt_opd op;

	if (kind->kki_opd == DT_OPD_PROBE)
		return 0;
	if (kind->kki_opd == DT_OPD_NONE || bi->ki_where == KEY_FROM) {
		kk->kyk_isrecord = 1;
		/* the same addresses are other functions in other processes */
		return kind->kki_evtflags & DTEVT_USTACK
		    ? kernel_part(ag, kernel_opd(DT_OPD_PID), why, nwhy)
		    : 0;
	}
	if (kind == &key_argument) {
		if (kernel_arg(by, kk, bi, &op, why, nwhy) == -1)
			return -1;
		return op.op_kind == DT_OPD_NONE
		    ? 0
		    : kernel_part(ag, op, why, nwhy);
	}
	if (kind->kki_opd == DT_OPD_SOCKET)
		return kernel_socket(by, kk, why, nwhy);
	if (!kernel_has(kk, kind))
		return 0;
	/* whether the call has failed decides how its result prints */
	if (kind->kki_opd == DT_OPD_RETVAL &&
	    kernel_part(ag, kernel_opd(DT_OPD_ERRNO), why, nwhy) == -1)
		return -1;
	return kernel_part(ag, kernel_opd(kind->kki_opd), why, nwhy);
}

static int
kernel_value(struct keys *by, struct key_kernel *kk, char *why, size_t nwhy)
{
	const struct key_item *bi = &by->ky_items[KEY_SUM];
	struct dtioc_agg *ag = &kk->kyk_agg;

	if (bi->ki_kind == &key_argument) {
		if (kernel_arg(by, kk, bi, &ag->dtag_value, why, nwhy) == -1)
			return -1;
	} else if (kernel_has(kk, bi->ki_kind))
		ag->dtag_value = kernel_opd(bi->ki_kind->kki_opd);
	if (ag->dtag_value.op_kind == DT_OPD_NONE)
		return 0;
	kk->kyk_isunsigned = ag->dtag_value.op_size == 8 &&
	    !ag->dtag_value.op_issigned;
	if (kk->kyk_isreturn && !bi->ki_kind->kki_offailed)
		ag->dtag_flags = DTAG_OKONLY;
	return 0;
}

/* Returns whether hits have a result; only some keys need to know. */
static int
kernel_isreturn(struct keys *by, uint32_t pbn)
{
	const struct key_probe *bp;

	if (!by->ky_hassum && !key_kernel_wants_probe(by))
		return 0;
	bp = key_probe(by, pbn);
	return bp != NULL && bp->kb_side.kx_isreturn;
}

int
key_kernel_wants_probe(const struct keys *by)
{
	unsigned int i;

	for (i = 0; i < by->ky_n; i++)
		if (by->ky_items[i].ki_kind == &key_argument ||
		    by->ky_items[i].ki_kind->kki_isofprobe)
			return 1;
	return 0;
}

int
key_kernel_ismany(const struct keys *by)
{
	const struct key_kind *kind;
	unsigned int i;

	for (i = 0; i < by->ky_n; i++) {
		kind = by->ky_items[i].ki_kind;
		if (kind->kki_opd == DT_OPD_ARG ||
		    kind->kki_opd == DT_OPD_RETVAL ||
		    kind->kki_opd == DT_OPD_DURATION)
			return 1;
	}
	return 0;
}

int
key_kernel_agg(struct keys *by, int wantsprobe, struct key_kernel *kk,
    char *why, size_t nwhy)
{
	struct dtioc_agg *ag = &kk->kyk_agg;
	unsigned int i;

	memset(ag, 0, sizeof(*ag));
	ag->dtag_pbn = kk->kyk_pbn;
	kk->kyk_isreturn = kernel_isreturn(by, kk->kyk_pbn);
	if (wantsprobe)
		ag->dtag_keys[ag->dtag_nkeys++] = kernel_opd(DT_OPD_PROBE);
	for (i = 0; i < by->ky_n; i++)
		if (kernel_key(by, kk, &by->ky_items[i], why, nwhy) == -1)
			return -1;
	if (!kk->kyk_ispair && keys_wants_calls(by))
		return keys_bad(why, nwhy,
		    "calls are joined from their entry and return");
	return by->ky_hassum ? kernel_value(by, kk, why, nwhy) : 0;
}

/*
 * Rows
 */

/* Stores a part; returns the number of its words. */
static unsigned int
row_part(struct key_row *kr, const struct dt_opd *op, const uint64_t *w)
{
	switch (op->op_kind) {
	case DT_OPD_PID:
		kr->kyr_rec.dr_pid = *w;
		break;
	case DT_OPD_TID:
		kr->kyr_rec.dr_tid = *w;
		break;
	case DT_OPD_CPU:
		kr->kyr_ev.ev_cpu = *w;
		break;
	case DT_OPD_UID:
		kr->kyr_who.drw_uid = *w;
		break;
	case DT_OPD_CGROUP:
	case DT_OPD_SOCKET:
		kr->kyr_who.drw_cgroup = *w;
		break;
	case DT_OPD_COMM:
		memcpy(kr->kyr_comm, w, sizeof(kr->kyr_comm));
		break;
	case DT_OPD_ERRNO:
		kr->kyr_ret.drr_error = *w;
		break;
	case DT_OPD_RETVAL:
		kr->kyr_ret.drr_retval = *w;
		break;
	case DT_OPD_DURATION:
		kr->kyr_duration.drd_nsecs = *w;
		break;
	case DT_OPD_ARG:
		kr->kyr_args[op->op_argn] = *w;
		kr->kyr_ev.ev_args = kr->kyr_args;
		kr->kyr_ev.ev_nargs = DT_REC_NARGS;
		break;
	}
	return kernel_nwords(op);
}

void
key_kernel_row(const struct key_kernel *kk, const struct dtioc_aggrow *row,
    struct key_row *kr)
{
	const struct dtioc_agg *ag = &kk->kyk_agg;
	const uint64_t *w = row->dtrw_words;
	struct dt_event *ev = &kr->kyr_ev;
	unsigned int i;

	memset(kr, 0, sizeof(*kr));
	ev->ev_rec = &kr->kyr_rec;
	ev->ev_comm = kr->kyr_comm;
	ev->ev_who = &kr->kyr_who;
	kr->kyr_rec.dr_pbn = kk->kyk_pbn;
	if (kk->kyk_isreturn)
		ev->ev_ret = &kr->kyr_ret;
	if (kk->kyk_ispair) {
		ev->ev_duration = (const uint64_t *)&kr->kyr_duration.drd_nsecs;
		ev->ev_first = kk->kyk_first;
	}
	for (i = 0; i < ag->dtag_nkeys; i++)
		w += row_part(kr, &ag->dtag_keys[i], w);
}
