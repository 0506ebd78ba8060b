/* SPDX-License-Identifier: ISC */
/*
 * Functions shared by the providers tracepoint and rawtracepoint: fields, the
 * programs' table, start and stop.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/dt_hit.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/prov/dt_prov_tracepoint_common.h"

_Static_assert(DT_TP_FIELDS == DT_REC_NARGS, "fields of a record");
_Static_assert(TP_FORMAT_NAME == DTNAMESIZE, "names of fields");

/* Whether a field's value is a number at all. */
static int
has_value(const struct dt_field *f)
{
	return f->fld_how == DT_FIELD_NUMBER ||
	    f->fld_how == DT_FIELD_KERNTEXT || f->fld_how == DT_FIELD_USERTEXT;
}

static pthread_mutex_t tp_mtx = PTHREAD_MUTEX_INITIALIZER;

void
dt_tp_args(const struct tp_format *tf, unsigned int n, const char **type,
    const char **name, unsigned int *flags)
{
	const struct tfm_format_field *fi = &tf->tfm_fields[n];

	*type = fi->tf_type;
	*name = fi->tf_name;
	*flags = 0;
	if (fi->tf_isnumber)
		*flags = fi->tf_field.fld_signed ? DTAN_SIGNED : DTAN_UNSIGNED;
	if (n + 1 == tf->tfm_n && tf->tfm_cut > 0)
		*flags |= DTAN_MORE;
}

/*
 * Stores how a text is read, by the kind of its field.  The word of a text
 * outside of its field counts from the record; with __rel_loc, from the word.
 */
static int
operand_text(const struct dt_field *f, unsigned int argn, struct dt_look *lo)
{
	static const struct {
		int istext, isaddress;
		enum dt_look_how how;
	} hows[] = {
		[DT_FIELD_CHARS] = { 1, 0, DT_LOOK_RAWTEXT },
		[DT_FIELD_LOCCHARS] = { 1, 0, DT_LOOK_RAWLOC },
		[DT_FIELD_KERNTEXT] = { 1, 1, DT_LOOK_KERNTEXT },
		[DT_FIELD_USERTEXT] = { 1, 1, DT_LOOK_USERTEXT },
	};

	if (f->fld_how >= sizeof(hows) / sizeof(hows[0]) ||
	    !hows[f->fld_how].istext || f->fld_base != 0)
		return EINVAL;
	lo->lo_how = hows[f->fld_how].how;
	lo->lo_off = f->fld_off;
	if (!hows[f->fld_how].isaddress)
		return 0;
	if (argn >= DT_TP_FAST)
		return EINVAL; /* the hit does not have it */
	lo->lo_off = offsetof(struct dt_hit, h_args) + 8 * argn;
	return 0;
}

int
dt_tp_operand(const struct tp_format *tf, const struct dt_opd *op,
    struct dt_look *lo)
{
	const struct dt_field *f;

	if (op->op_argn >= tf->tfm_n)
		return EINVAL;
	f = &tf->tfm_fields[op->op_argn].tf_field;
	if (op->op_kind == DT_OPD_STRING)
		return operand_text(f, op->op_argn, lo);
	if (op->op_kind != DT_OPD_ARG || !has_value(f))
		return EINVAL;
	/* in a pair, h_args may have the first hit's arguments */
	lo->lo_how = DT_LOOK_RAW;
	lo->lo_off = f->fld_off;
	if (lo->lo_size > f->fld_size) { /* the type would allow more */
		lo->lo_size = f->fld_size;
		lo->lo_issigned = f->fld_signed;
	}
	return 0;
}

int
dt_tp_keep(struct dt_tp tp[2], const struct tp_format *tf)
{
	size_t len = offsetof(struct tp_format, tfm_fields) +
	    tf->tfm_n * sizeof(tf->tfm_fields[0]);

	if ((tp[0].tp_format = malloc(len)) == NULL)
		return ENOMEM;
	memcpy(tp[0].tp_format, tf, len);
	tp[1].tp_format = tp[0].tp_format;
	return 0;
}

void
dt_tp_init(struct dt_tp tp[2], dt_tp_attach_fn *attach)
{
	int tables;

	for (tables = 0; tables < 2; tables++) {
		memset(&tp[tables], 0, sizeof(tp[tables]));
		dt_tplink_init(&tp[tables].tp_link);
		tp[tables].tp_attach = attach;
		tp[tables].tp_tables = tables;
	}
}

/*
 * The program's table
 */

/* Returns how the program extracts a value from a word; 0: not in one word. */
static int
fast_make(const struct dt_field *f, struct dt_tpfast *ft)
{
	unsigned int in = f->fld_off % 8;

	memset(ft, 0, sizeof(*ft));
	if (!has_value(f))
		return 1;
	if (in + f->fld_size > 8 || f->fld_off + f->fld_size > 8 * DT_TP_WORDS)
		return 0;
	ft->ft_word = f->fld_off / 8;
	ft->ft_up = 64 - 8 * (in + f->fld_size);
	ft->ft_down = 64 - 8 * f->fld_size;
	ft->ft_bits = DT_TP_VALUE | (f->fld_signed ? DT_TP_SIGNED : 0);
	return 1;
}

/* Returns whether the fast program can read all fields. */
static int
line_isquick(const struct tp_format *tp)
{
	unsigned int i, end, length = dt_tp_quicklength(tp);
	const struct dt_field *f;
	struct dt_tpfast ft;

	for (i = 0; i < tp->tfm_n; i++) {
		f = &tp->tfm_fields[i].tf_field;
		end = has_value(f) ? f->fld_off + f->fld_size : 0;
		if (end > length || !fast_make(f, &ft))
			return 0;
	}
	return tp->tfm_n <= DT_TP_FAST;
}

/* Returns whether this is the tracepoint of an exec that has taken effect. */
static int
line_isexec(const struct dt_tp *tr, const struct dt_probe *dtp)
{
	return strcmp(tr->tp_israw ? dtp->dtp_func : dtp->dtp_name,
		   "sched_process_exec") == 0;
}

/* Fills an entry that no program reads yet. */
static void
line_fill(const struct dt_tp *tr, const struct dt_probe *dtp)
{
	const struct tp_format *tp = tr->tp_format;
	struct dt_tp_entry *tl = &dt_tptable->tpt_entry[tr->tp_link.tpl_entry];
	unsigned int i;

	memset(tl, 0, sizeof(*tl));
	tl->tl_pbn = dtp->dtp_pbn;
	tl->tl_nfields = tp->tfm_n;
	tl->tl_bits = (tr->tp_israw ? DT_TP_RAW : 0) |
	    (line_isexec(tr, dtp) ? DT_TP_EXEC : 0);
	for (i = 0; i < tp->tfm_n; i++) {
		tl->tl_field[i] = tp->tfm_fields[i].tf_field;
		if (i < DT_TP_FAST &&
		    !fast_make(&tl->tl_field[i], &tl->tl_fast[i]))
			tl->tl_slow |= 1U << i;
	}
}

/* Returns a request as the program reads it. */
static struct dt_req
tp_req(const struct dt_pcb *dp, const struct tp_format *tp)
{
	struct dt_req r = dp->dp_req;
	unsigned int i, strings = 0;

	for (i = 0; i < tp->tfm_n; i++)
		strings |= tp->tfm_fields[i].tf_field.fld_how !=
		    DT_FIELD_NUMBER;
	if (!strings)
		r.rq_evtflags &= ~DT_EVT_STRINGS;
	if (tp->tfm_n > DT_TP_FAST && (r.rq_evtflags & DT_EVT_FUNCARGS) &&
	    r.rq_agg == 0)
		r.rq_bits |= DT_REQ_LONG;
	return r;
}

/* Returns the number of words with the first fields, at least 1. */
static unsigned int
tp_nwords(const struct dt_tp_entry *tl)
{
	unsigned int i, n = 1;

	for (i = 0; i < tl->tl_nfields && i < DT_TP_FAST; i++)
		if (tl->tl_fast[i].ft_word >= n)
			n = tl->tl_fast[i].ft_word + 1;
	return n;
}

/*
 * Returns whether a session needs fields: for events, for its condition, for a
 * key by which it counts, or for the second hit of a pair.
 */
static int
req_reads(const struct dt_req *r)
{
	return (r->rq_evtflags & DT_EVT_FUNCARGS) || r->rq_cond != 0 ||
	    r->rq_agg != 0 || (r->rq_bits & (DT_REQ_FROM | DT_REQ_TO));
}

/*
 * Updates the counts of sessions that need fields, and of those that the fast
 * program serves, for one session more or less.
 */
static void
tp_count(const struct dt_enabled *en, struct dt_tp *tp, const struct dt_req *r,
    int change)
{
	struct dt_tp_entry *tl = &dt_tptable->tpt_entry[tp->tp_link.tpl_entry];
	const struct dt_sess *o = &dt_maps.dtm_table
				       ->t_sess[en->den_client->dcl_slot];
	uint8_t bits = tl->tl_bits & ~DT_TP_QUICK;

	pthread_mutex_lock(&tp_mtx);
	if (req_reads(r))
		tp->tp_nread += change;
	if ((dt_isquick(o, r) || dt_isquick_count(o, r)) &&
	    line_isquick(tp->tp_format))
		tp->tp_nquick += change;
	if (tp->tp_nquick != 0)
		bits |= DT_TP_QUICK;
	__atomic_store_n(&tl->tl_nwords, tp->tp_nread != 0 ? tp_nwords(tl) : 0,
	    __ATOMIC_SEQ_CST);
	__atomic_store_n(&tl->tl_bits, bits, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&tp_mtx);
}

/* A dt_tplink_get() function. */
static int
tp_attach(struct dt_tplink *tl, int isnew, void *arg)
{
	const struct dt_pcb *dp = arg;
	struct dt_tp *tp = (struct dt_tp *)tl; /* first member */

	if (isnew)
		line_fill(tp, dp->dp_dtp);
	return tp->tp_attach(tp, dp->dp_dtp);
}

int
dt_tp_start(struct dt_enabled *en, struct dt_pcb *dp, struct dt_tp tps[2])
{
	struct dt_tp *tp = &tps[dp->dp_walks];
	int error = dt_tplink_get(&tp->tp_link,
	    en->den_client->dcl_peer.peer_person, tp_attach, dp);
	struct dt_req *r;

	if (error != 0)
		return error;
	r = &dt_tptable
		 ->tpt_req[en->den_client->dcl_slot][tp->tp_link.tpl_entry];
	*r = tp_req(dp, tp->tp_format);
	tp_count(en, tp, r, 1);
	__atomic_or_fetch(&dt_tptable->tpt_entry[tp->tp_link.tpl_entry]
			       .tl_mask[en->den_client->dcl_slot / 64],
	    1ULL << (en->den_client->dcl_slot % 64), __ATOMIC_SEQ_CST);
	return 0;
}

void
dt_tp_stop(struct dt_enabled *en, struct dt_pcb *dp, struct dt_tp tps[2])
{
	struct dt_tp *tp = &tps[dp->dp_walks];

	dp->dp_started = 0;
	__atomic_and_fetch(&dt_tptable->tpt_entry[tp->tp_link.tpl_entry]
				.tl_mask[en->den_client->dcl_slot / 64],
	    ~(1ULL << (en->den_client->dcl_slot % 64)), __ATOMIC_SEQ_CST);
	tp_count(en, tp,
	    &dt_tptable
		 ->tpt_req[en->den_client->dcl_slot][tp->tp_link.tpl_entry],
	    -1);
	dt_tplink_put(&tp->tp_link);
}
