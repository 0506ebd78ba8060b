/* SPDX-License-Identifier: ISC */
/* Evaluates expressions.  Numbers have 64 bits and wrap around, as in BPF. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_lex.h"
#include "cli/script/script_name.h"

#define BLOCK_BYTES 65536

struct srun_block {
	struct srun_block *srb_next;
	size_t srb_size;
	_Alignas(16) char srb_data[];
};

/* Memory of a clause: one block is kept, the others are freed at its end. */
void *
srun_alloc(struct srun *sr, size_t n)
{
	struct srun_block *srb = sr->srn_blocks;
	size_t size;

	n = (n + 15) & ~(size_t)15;
	if (srb == NULL || srb->srb_size - sr->srn_used < n) {
		size = n > BLOCK_BYTES ? n : BLOCK_BYTES;
		if ((srb = malloc(sizeof(*srb) + size)) == NULL)
			err(1, "script");
		srb->srb_size = size;
		srb->srb_next = sr->srn_blocks;
		sr->srn_blocks = srb;
		sr->srn_used = 0;
	}
	sr->srn_used += n;
	return memset(srb->srb_data + sr->srn_used - n, 0, n);
}

void
srun_release(struct srun *sr, int all)
{
	struct srun_block *srb;

	while (
	    (srb = sr->srn_blocks) != NULL && (all || srb->srb_next != NULL)) {
		sr->srn_blocks = srb->srb_next;
		free(srb);
	}
	sr->srn_used = 0;
}

/* Fields */

struct sval
srun_memory(struct srun *sr, unsigned int argn, struct sval sv)
{
	const struct dt_rec_string *s = NULL;
	char *text;

	if (sr->srn_ev == NULL || sr->srn_ev->ev_strings == NULL)
		return sv;
	while ((s = dt_string(sr->srn_ev, s)) != NULL) {
		if (s->drt_argn != argn ||
		    s->drt_flags & (DT_STR_FILE | DT_STR_MORE | DT_STR_READ) ||
		    s->drt_error != 0)
			continue;
		if (!(s->drt_flags & DT_STR_VECTOR)) {
			sv.sv_text = DT_STRING_BYTES(s);
			sv.sv_len = s->drt_length;
			sv.sv_iscut = s->drt_truelen > s->drt_length;
			if (sv.sv_type != ST_INT)
				sv.sv_type = s->drt_flags &
					(DT_STR_MEMORY | DT_STR_DATA)
				    ? ST_BUF
				    : ST_STR;
			return sv;
		}
		/* elements of argv, each with a NUL */
		text = srun_alloc(sr, sv.sv_len + s->drt_length + 1);
		if (sv.sv_len > 0)
			memcpy(text, sv.sv_text, sv.sv_len);
		memcpy(text + sv.sv_len, DT_STRING_BYTES(s), s->drt_length);
		sv.sv_text = text;
		sv.sv_len += s->drt_length + 1;
		sv.sv_isvector = 1;
	}
	return sv;
}

static struct sval
eval_ret(struct srun *sr)
{
	const struct dt_rec_ret *ret = sr->srn_ev->ev_ret;

	if (ret == NULL)
		return SVAL_INT(0);
	return srun_memory(sr, DT_STR_RETVAL,
	    SVAL_INT(ret->drr_error != 0 ? -(int64_t)ret->drr_error
					 : ret->drr_retval));
}

static struct sval
eval_field(struct srun *sr, const struct node *nd)
{
	const struct script_hit *sh = sr->srn_hit;
	struct sval sv = { .sv_type = ST_INT };
	enum val_class class;
	int n;

	if (sr->srn_ev == NULL || sh->sht_argn == NULL ||
	    (n = sh->sht_argn[nd->nd_ref]) == SCRIPT_NR)
		return sv;
	if (n == SCRIPT_RET)
		return eval_ret(sr);
	class = sh->sht_probe->pr_args[n];
	if (class == VAL_NONE)
		sv.sv_type = ST_STR;
	else if ((unsigned int)n < sr->srn_ev->ev_nargs) {
		sv.sv_number = val_whole(class, sr->srn_ev->ev_args[n]);
		sv.sv_isunsigned = class == VAL_U64 || class == VAL_HEX ||
		    class == VAL_X64;
	}
	sv = srun_memory(sr, n, sv);
	if (sv.sv_type == ST_STR && sv.sv_text == NULL)
		sv.sv_text = "";
	return sv;
}

/* Structs */

/* Returns the result of a read, or NULL. */
static const struct dt_rec_string *
read_find(const struct dt_event *ev, int number)
{
	const struct dt_rec_string *s = NULL;

	if (number >= 0 && ev->ev_strings != NULL)
		while ((s = dt_string(ev, s)) != NULL)
			if (s->drt_flags & DT_STR_READ && s->drt_argn == number)
				break;
	return s;
}

/* Returns the number in n bytes that were read. */
static int64_t
read_number(const struct script_read *srd, const void *bytes, size_t n)
{
	const unsigned int bits = srd->srd_bits, unused = 64 - bits;
	uint64_t v = 0;

	if (bits == 0 || bits > 64)
		return 0;
	memcpy(&v, bytes, n < sizeof(v) ? n : sizeof(v));
	v = v >> srd->srd_shift << unused;
	return srd->srd_issigned ? (int64_t)v >> unused
				 : (int64_t)(v >> unused);
}

/* Returns an element of an array that is an argument; 0 if the event lacks it. */
static struct sval
read_element(struct srun *sr, const struct script_read *srd)
{
	const struct sval all = srun_memory(sr, srd->srd_value, SVAL_INT(0));
	struct sval sv = SVAL_INT(0);

	sv.sv_isunsigned = !srd->srd_issigned;
	if (all.sv_text != NULL &&
	    all.sv_len >= srd->srd_offset + srd->srd_bits / 8U)
		sv.sv_number = read_number(srd,
		    (const char *)all.sv_text + srd->srd_offset,
		    srd->srd_bits / 8);
	return sv;
}

/* A failed read is 0, or an empty text. */
struct sval
srun_read(struct srun *sr, const struct node *nd)
{
	static const struct script_read none = { .srd_type = ST_INT };
	const struct script_read *srd = &none;
	const struct dt_rec_string *s = NULL;
	struct sval sv = { 0 };

	if (sr->srn_ev != NULL && sr->srn_hit->sht_reads != NULL)
		srd = &sr->srn_hit->sht_reads[nd->nd_ref];
	if (srd->srd_iselement)
		return read_element(sr, srd);
	if (srd->srd_isused)
		s = read_find(sr->srn_ev, srd->srd_value);
	if (srd->srd_isused && (s == NULL || s->drt_error != 0)) {
		sr->srn_nunread++;
		s = NULL;
	}
	sv.sv_type = srd->srd_isused || nd->nd_type == ST_ANY ? srd->srd_type
							      : nd->nd_type;
	sv.sv_isunsigned = !srd->srd_issigned;
	if (sv.sv_type == ST_INT && s != NULL) {
		sv.sv_number = read_number(srd, DT_STRING_BYTES(s),
		    s->drt_length);
		s = read_find(sr->srn_ev, srd->srd_text);
		if (s != NULL && s->drt_error != 0)
			s = NULL;
	}
	if (s != NULL && (sv.sv_type != ST_INT || srd->srd_text >= 0)) {
		sv.sv_text = DT_STRING_BYTES(s);
		sv.sv_len = s->drt_length;
	} else if (sv.sv_type != ST_INT)
		sv.sv_text = "";
	return sv;
}

/* Operators */

static int64_t
eval_divide(struct srun *sr, unsigned int op, uint64_t a, uint64_t b)
{
	if (b == 0) {
		sr->srn_nzero++;
		return op == '/' ? 0 : (int64_t)a; /* as BPF does */
	}
	return op == '/' ? a / b : a % b;
}

static int
eval_compare(const struct sval *a, const struct sval *b)
{
	const uint64_t x = a->sv_number, y = b->sv_number;

	if (a->sv_isunsigned || b->sv_isunsigned)
		return x < y ? -1 : x > y;
	return (int64_t)x < (int64_t)y ? -1 : (int64_t)x > (int64_t)y;
}

/* Makes a pointer its text, if it has one and the other is bytes, too. */
static void
eval_text(struct sval *x, const struct sval *other)
{
	const enum script_type type = other->sv_type;

	if (x->sv_type == ST_INT && x->sv_text != NULL &&
	    (type == ST_STR || type == ST_BUF || type == ST_INET ||
		type == ST_MAC))
		x->sv_type = type;
}

static int
eval_isequal(const struct sval *a, const struct sval *b)
{
	struct sval x = *a, y = *b;

	if (x.sv_type == ST_INT && y.sv_type == ST_INT)
		return x.sv_number == y.sv_number;
	eval_text(&x, &y);
	eval_text(&y, &x);
	if (x.sv_type == ST_NONE || y.sv_type == ST_NONE)
		return !sval_istrue(&x) && !sval_istrue(&y);
	return sval_compare(&x, &y) == 0;
}

struct sval
srun_binary(struct srun *sr, unsigned int op, const struct sval *x,
    const struct sval *y)
{
	const uint64_t a = x->sv_number, b = y->sv_number;
	struct sval sv = SVAL_INT(0);
	uint64_t v = 0;

	sv.sv_isunsigned = x->sv_isunsigned || y->sv_isunsigned;
	switch (op) {
	case '+':
		v = a + b;
		break;
	case '-':
		v = a - b;
		break;
	case '*':
		v = a * b;
		break;
	case '/':
	case '%':
		v = eval_divide(sr, op, a, b);
		break;
	case '&':
		v = a & b;
		break;
	case '|':
		v = a | b;
		break;
	case '^':
		v = a ^ b;
		break;
	case OP2('<', '<'):
		v = a << (b & 63);
		break;
	case OP2('>', '>'):
		v = a >> (b & 63);
		break;
	default:
		sv.sv_isunsigned = 0;
		v = op == OP2('=', '=')	  ? eval_isequal(x, y)
		    : op == OP2('!', '=') ? !eval_isequal(x, y)
		    : op == '<'		  ? eval_compare(x, y) < 0
		    : op == '>'		  ? eval_compare(x, y) > 0
		    : op == OP2('<', '=') ? eval_compare(x, y) <= 0
					  : eval_compare(x, y) >= 0;
	}
	sv.sv_number = v;
	return sv;
}

static struct sval
eval_binary(struct srun *sr, const struct node *nd)
{
	struct sval a = srun_eval(sr, nd->nd_kids), b;

	if (nd->nd_op == OP2('&', '&') && !sval_istrue(&a))
		return SVAL_INT(0);
	if (nd->nd_op == OP2('|', '|') && sval_istrue(&a))
		return SVAL_INT(1);
	b = srun_eval(sr, nd->nd_kids->nd_next);
	if (nd->nd_op == OP2('&', '&') || nd->nd_op == OP2('|', '|'))
		return SVAL_INT(sval_istrue(&b));
	return srun_binary(sr, nd->nd_op, &a, &b);
}

static struct sval
eval_unary(struct srun *sr, const struct node *nd)
{
	struct sval sv = srun_eval(sr, nd->nd_kids);

	if (nd->nd_op == '!')
		return SVAL_INT(!sval_istrue(&sv));
	return SVAL_INT(nd->nd_op == '~' ? ~sv.sv_number
					 : (int64_t) - (uint64_t)sv.sv_number);
}

static struct sval
eval_cast(struct srun *sr, const struct node *nd)
{
	struct sval sv = srun_eval(sr, nd->nd_kids);
	const unsigned int bits = 64 - 8 * nd->nd_size;
	uint64_t v = (uint64_t)sv.sv_number << bits;

	sv.sv_type = ST_INT;
	sv.sv_number = nd->nd_isunsigned ? (int64_t)(v >> bits)
					 : (int64_t)v >> bits;
	sv.sv_isunsigned = nd->nd_isunsigned;
	return sv;
}

static struct sval
eval_ternary(struct srun *sr, const struct node *nd)
{
	struct sval sv = srun_eval(sr, nd->nd_kids);

	return srun_eval(sr, node_kid(nd, sval_istrue(&sv) ? 1 : 2));
}

/* Returns how many values a tuple has, also in tuples inside. */
static size_t
tuple_size(const struct sval *sv)
{
	const struct sval *kids = sv->sv_text;
	size_t i, n = 1;

	for (i = 0; sv->sv_type == ST_TUPLE && i < sv->sv_len; i++)
		n += tuple_size(&kids[i]);
	return n;
}

/* A tuple that contains itself of the last time would grow for ever. */
static struct sval
eval_tuple(struct srun *sr, const struct node *nd)
{
	struct sval *kids = srun_alloc(sr, nd->nd_nkids * sizeof(*kids));
	const struct node *kid;
	unsigned int i = 0;
	size_t n = 0;

	for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next, i++) {
		kids[i] = srun_eval(sr, kid);
		n += tuple_size(&kids[i]);
	}
	if (n > SCRIPT_MAXTUPLE) {
		sr->srn_ntuples++;
		return SVAL_INT(0);
	}
	return (
	    struct sval){ .sv_type = ST_TUPLE, .sv_text = kids, .sv_len = i };
}

static struct sval
eval_element(struct srun *sr, const struct node *nd)
{
	struct sval sv = srun_eval(sr, nd->nd_kids);
	const struct sval *kids = sv.sv_text;

	if (sv.sv_type != ST_TUPLE || (uint64_t)nd->nd_number >= sv.sv_len)
		return SVAL_INT(0);
	return kids[nd->nd_number];
}

/* Names */

struct smap *
srun_key(struct srun *sr, const struct node *nd)
{
	struct smap *sm = &sr->srn_maps[nd->nd_ref];
	struct sval keys[SCRIPT_MAXKEYS];
	const struct node *kid;
	unsigned int i, n = 0;

	/* a key may itself read this map */
	for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next)
		keys[n++] = srun_eval(sr, kid);
	sm->sm_key.b_len = 0;
	for (i = 0; i < n; i++)
		sval_pack(&sm->sm_key, &keys[i]);
	return sm;
}

/* Copies a value of a map, since the clause may delete it before its use. */
static struct sval
eval_keep(struct srun *sr, struct sval sv)
{
	const int isstack = sv.sv_type == ST_KSTACK || sv.sv_type == ST_USTACK;
	const size_t size = sv.sv_type == ST_TUPLE ? sizeof(sv)
	    : isstack				   ? sizeof(uint64_t)
						   : 1;
	struct sval *kids;
	size_t i;
	void *text;

	if (sv.sv_text == NULL)
		return sv;
	text = srun_alloc(sr, sv.sv_len * size + 1);
	memcpy(text, sv.sv_text, sv.sv_len * size);
	if (sv.sv_type == ST_TUPLE)
		for (kids = text, i = 0; i < sv.sv_len; i++)
			kids[i] = eval_keep(sr, kids[i]);
	sv.sv_text = text;
	return sv;
}

void
srun_sync(struct srun *sr, const struct smap *sm)
{
	if (!sm->sm_iscounted || sr->srn_issynced)
		return;
	sr->srn_issynced = 1;
	sr->srn_sync(sr->srn_syncarg);
}

static struct sval
eval_map(struct srun *sr, const struct node *nd)
{
	struct sval sv;
	struct smap *sm;

	srun_sync(sr, &sr->srn_maps[nd->nd_ref]);
	sm = srun_key(sr, nd);
	sv = smap_read(sm, smap_find(sm));
	if (sv.sv_type == ST_NONE && sm->sm_name->sn_type == ST_STR)
		return SVAL_STR("", 0);
	if (sv.sv_type == ST_NONE)
		return SVAL_INT(0);
	return eval_keep(sr, sv);
}

static struct sval
eval_incr(struct srun *sr, const struct node *nd)
{
	struct sval old = srun_eval(sr, nd->nd_kids), one = SVAL_INT(1), new;

	new = srun_binary(sr, nd->nd_op & 0xff, &old, &one);
	srun_assign(sr, nd->nd_kids, &new);
	return nd->nd_number ? new : old;
}

struct sval
srun_eval(struct srun *sr, const struct node *nd)
{
	struct sval sv;

	switch (nd->nd_kind) {
	case ND_NUMBER:
		sv = SVAL_INT(nd->nd_number);
		sv.sv_isunsigned = nd->nd_isunsigned;
		return sv;
	case ND_STRING:
		return SVAL_STR(nd->nd_text, nd->nd_len);
	case ND_PARAM:
		sv = SVAL_INT(nd->nd_number);
		sv.sv_text = nd->nd_text;
		sv.sv_len = nd->nd_len;
		sv.sv_type = nd->nd_type;
		return sv;
	case ND_VAR:
		return sr->srn_vars[nd->nd_ref];
	case ND_MAP:
		return eval_map(sr, nd);
	case ND_BUILTIN:
		return nd->nd_builtin->sb_eval(sr, nd);
	case ND_FIELD:
		return eval_field(sr, nd);
	case ND_MEMBER:
	case ND_INDEX:
	case ND_DEREF:
		return srun_read(sr, nd);
	case ND_CALL:
		return nd->nd_func->sf_eval(sr, nd);
	case ND_UNARY:
		return eval_unary(sr, nd);
	case ND_BINARY:
		return eval_binary(sr, nd);
	case ND_TERNARY:
		return eval_ternary(sr, nd);
	case ND_CAST:
		return eval_cast(sr, nd);
	case ND_TUPLE:
		return eval_tuple(sr, nd);
	case ND_ELEMENT:
		return eval_element(sr, nd);
	case ND_INCR:
		return eval_incr(sr, nd);
	default:
		return (struct sval){ .sv_type = ST_NONE };
	}
}
