/* SPDX-License-Identifier: ISC */
/*
 * Values that are read by structs.  A place is a pointer, or the memory that it
 * leads to after some steps; a read has the steps to the place of a value.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/decode/args.h"
#include "cli/script/script_name.h"
#include "cli/script/script_reads.h"
#include "cli/script/script_register.h"
#include "cli/script/script_struct.h"
#include "cli/session/refusal.h"

#define READS_TEXT 64 /* bytes that buf() reads if the length is a variable */

struct reads_place {
	struct dt_read rdp_read; /* base and steps */
	int rdp_ismemory;	 /* else: the pointer itself */
	int64_t rdp_add;	 /* to a pointer in memory, once it is loaded */
	struct script_ctype rdp_ctype;
	uint8_t rdp_shift, rdp_bits; /* of a bit field */
};

/* A clause while it is bound. */
struct reads_bind {
	struct script_bind *rdb_bind;
	struct bound *rdb_bound;
	const int8_t *rdb_argn;
	struct script_read *rdb_reads;
	const struct node *rdb_bad;
};

static int __attribute__((format(printf, 3, 4)))
reads_fail(struct reads_bind *rb, const struct node *nd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rb->rdb_bind->sbi_why, sizeof(rb->rdb_bind->sbi_why), fmt,
	    ap);
	va_end(ap);
	rb->rdb_bad = nd;
	return -1;
}

/* Symbols */

/* Looks up a name, whose length the check has tested. */
static int
reads_symbol(struct dt *dt, const struct node *nd, struct dtioc_addr *ad)
{
	strcpy(ad->dtad_name, nd->nd_kids->nd_text);
	return dt_ioctl(dt, DTIOCGADDR, ad);
}

/* A session whose script looks up symbols, and the first that failed. */
struct reads_kaddr {
	struct dt *rdk_dt;
	const struct node *rdk_bad;
};

static void
reads_kaddr(void *arg, struct node *nd)
{
	struct reads_kaddr *rdk = arg;
	struct dtioc_addr ad = { .dtad_pbn = 0 };

	if (rdk->rdk_bad != NULL || nd->nd_kind != ND_CALL ||
	    nd->nd_func == NULL || strcmp(nd->nd_text, "kaddr") != 0)
		return;
	if (reads_symbol(rdk->rdk_dt, nd, &ad) == -1)
		rdk->rdk_bad = nd;
	nd->nd_number = ad.dtad_addr;
}

int
script_reads_kaddrs(struct script *sc, struct dt *dt)
{
	struct reads_kaddr rdk = { .rdk_dt = dt };
	const struct clause *cl;

	if (sc->scr_nkaddrs == 0)
		return 0;
	for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next) {
		node_walk(cl->cla_pred, reads_kaddr, &rdk);
		node_walk(cl->cla_body, reads_kaddr, &rdk);
	}
	return rdk.rdk_bad == NULL
	    ? 0
	    : script_fail(&sc->scr_error, rdk.rdk_bad->nd_begin,
		  rdk.rdk_bad->nd_end, "%s", dt_error(dt));
}

/* Places */

static int
place_base(struct reads_place *pl, enum dt_read_base base, unsigned int argn)
{
	pl->rdp_read.mrd_base = base;
	pl->rdp_read.mrd_argn = argn;
	return 0;
}

/* args.NAME, whose type the probe knows */
static int
place_field(struct reads_bind *rb, const struct node *nd,
    struct reads_place *pl)
{
	const struct dt_probe_desc *pd = &rb->rdb_bound->bo_probe->pr_desc;
	const int n = rb->rdb_argn[nd->nd_ref];

	if (n == SCRIPT_RET)
		return place_base(pl, DT_READ_RETVAL, 0);
	if (n < 0)
		return reads_fail(rb, nd, "%s has no argument %s",
		    rb->rdb_bound->bo_probe->pr_full, nd->nd_text);
	(void)script_btf_type(pd->pd_types[n].dtai_argtype, &pl->rdp_ctype);
	return place_base(pl, DT_READ_ARG, n);
}

static int
place_builtin(const struct node *nd, struct reads_place *pl)
{
	if (strncmp(nd->nd_text, "arg", 3) == 0)
		return place_base(pl, DT_READ_ARG, nd->nd_number);
	pl->rdp_ctype = nd->nd_ctype;
	return place_base(pl,
	    nd->nd_builtin->sb_read == READ_VALUE ? DT_READ_TASK
						  : DT_READ_RETVAL,
	    0);
}

/* Where the file of a probe has a variable, from the program counter. */
static int
place_uaddr(struct reads_bind *rb, const struct node *nd,
    struct reads_place *pl)
{
	struct dt *dt = rb->rdb_bind->sbi_session->ss_dt;
	struct dtioc_addr ad = { .dtad_pbn = rb->rdb_bound->bo_info.dtpi_pbn };

	if (reads_symbol(dt, nd, &ad) == -1)
		return reads_fail(rb, nd, "%s", dt_error(dt));
	pl->rdp_read.mrd_disp = ad.dtad_addr;
	pl->rdp_ctype = (struct script_ctype){ .sct_stars = 1,
		.sct_size = ad.dtad_size == 1 || ad.dtad_size == 2 ||
			ad.dtad_size == 4
		    ? ad.dtad_size
		    : 8 };
	return place_base(pl, DT_READ_REG, DT_READ_PC);
}

static int
place_register(struct reads_bind *rb, const struct node *nd,
    struct reads_place *pl)
{
	const struct dtioc_probe_info *pi = &rb->rdb_bound->bo_info;
	const uint64_t mask = dt_read_registers(pi->dtpi_regs,
	    strcmp(pi->dtpi_name, "return") == 0);
	char names[160];

	if (mask == 0)
		return reads_fail(rb, nd,
		    "hits of %s have no registers; use kprobe, uprobe or usdt",
		    pi->dtpi_prov);
	if ((mask >> nd->nd_number & 1) == 0) {
		script_register_names(mask, names, sizeof(names));
		return reads_fail(rb, nd,
		    "%s has only the registers of arguments or results: %s",
		    rb->rdb_bound->bo_probe->pr_full, names);
	}
	return place_base(pl, DT_READ_REG, nd->nd_number);
}

/* reg(), kaddr() or uaddr() */
static int
place_call(struct reads_bind *rb, const struct node *nd, struct reads_place *pl)
{
	if (strcmp(nd->nd_text, "reg") == 0)
		return place_register(rb, nd, pl);
	if (strcmp(nd->nd_text, "uaddr") == 0)
		return place_uaddr(rb, nd, pl);
	pl->rdp_read.mrd_disp = nd->nd_number;
	return place_base(pl, DT_READ_CONST, 0);
}

/* Loads the pointer that is at the place. */
static int
place_load(struct reads_bind *rb, const struct node *nd, struct reads_place *pl)
{
	struct dt_read *mr = &pl->rdp_read;

	if (mr->mrd_nsteps == DT_READ_NSTEPS)
		return reads_fail(rb, nd, "more than %d pointers",
		    DT_READ_NSTEPS);
	mr->mrd_nsteps++;
	pl->rdp_ismemory = 1;
	if (pl->rdp_add < 0 || pl->rdp_add >= DT_READ_MAXOFF)
		return reads_fail(rb, nd, "this is too far from its pointer");
	mr->mrd_off[mr->mrd_nsteps - 1] = pl->rdp_add;
	pl->rdp_add = 0;
	return 0;
}

static int
place_of(struct reads_bind *, const struct node *, struct reads_place *);

/* A member, an element, or what a pointer points to. */
static int
place_part(struct reads_bind *rb, const struct node *nd, struct reads_place *pl)
{
	struct btf_field bf;
	uint32_t *off;

	if (place_of(rb, nd->nd_kids, pl) == -1)
		return -1;
	script_struct_word(nd, &pl->rdp_ctype);
	if (script_struct_part(nd, &pl->rdp_ctype, &bf, rb->rdb_bind->sbi_why,
		sizeof(rb->rdb_bind->sbi_why)) == -1) {
		rb->rdb_bad = nd;
		return -1;
	}
	if (pl->rdp_ctype.sct_stars > 0 && place_load(rb, nd, pl) == -1)
		return -1;
	if (!pl->rdp_ismemory)
		return reads_fail(rb, nd, "only pointers lead to memory");
	off = &pl->rdp_read.mrd_off[pl->rdp_read.mrd_nsteps - 1];
	if (bf.bfl_offset / 8 >= DT_READ_MAXOFF - *off)
		return reads_fail(rb, nd, "this is too far from its pointer");
	*off += bf.bfl_offset / 8;
	pl->rdp_shift = bf.bfl_offset % 8;
	pl->rdp_bits = bf.bfl_bits;
	pl->rdp_ctype = bf.bfl_type;
	return 0;
}

/* A pointer plus or minus a constant. */
static int
place_sum(struct reads_bind *rb, const struct node *nd, struct reads_place *pl)
{
	uint64_t n = nd->nd_kids->nd_next->nd_number;

	if (place_of(rb, nd->nd_kids, pl) == -1)
		return -1;
	if (nd->nd_islate) /* else the check has done it */
		n *= script_struct_scale(&pl->rdp_ctype);
	if (nd->nd_op == '-')
		n = -n;
	if (pl->rdp_ismemory)
		pl->rdp_add = (uint64_t)pl->rdp_add + n;
	else
		pl->rdp_read.mrd_disp = (uint64_t)pl->rdp_read.mrd_disp + n;
	return 0;
}

static int
place_of(struct reads_bind *rb, const struct node *nd, struct reads_place *pl)
{
	switch (nd->nd_kind) {
	case ND_VAR:
		return place_of(rb, nd->nd_def, pl);
	case ND_CAST:
		if (place_of(rb, nd->nd_kids, pl) == -1)
			return -1;
		pl->rdp_ctype = nd->nd_ctype;
		return 0;
	case ND_FIELD:
		return place_field(rb, nd, pl);
	case ND_BUILTIN:
		return place_builtin(nd, pl);
	case ND_CALL:
		return script_struct_issame(nd) ? place_of(rb, nd->nd_kids, pl)
						: place_call(rb, nd, pl);
	case ND_BINARY:
		return place_sum(rb, nd, pl);
	default:
		return place_part(rb, nd, pl);
	}
}

/* Reads */

/* Returns the number of a read, which it adds if it is new; -1 on failure. */
static int
reads_add(struct reads_bind *rb, const struct node *nd,
    const struct dt_read *mr)
{
	struct bound *bo = rb->rdb_bound;
	unsigned int i;

	if (mr->mrd_size == 0)
		return reads_fail(rb, nd, "this has no bytes");
	for (i = 0; i < bo->bo_nreads; i++)
		if (memcmp(&bo->bo_reads[i], mr, sizeof(*mr)) == 0)
			return i;
	if (i == DT_READ_MAX)
		return reads_fail(rb, nd,
		    "the clauses of %s read more than %d values",
		    bo->bo_probe->pr_full, DT_READ_MAX);
	/* few of many probes have any */
	if (bo->bo_reads == NULL)
		bo->bo_reads = script_alloc(rb->rdb_bind->sbi_script,
		    DT_READ_MAX * sizeof(*bo->bo_reads));
	bo->bo_reads[bo->bo_nreads++] = *mr;
	return i;
}

/* Sets size and kind of a value at a place. */
static void
reads_size(const struct btf_value *bv, struct reads_place *pl)
{
	struct dt_read *mr = &pl->rdp_read;
	unsigned int size = bv->bvl_size;

	if (bv->bvl_shape == BTF_TEXT) {
		mr->mrd_kind = DT_READ_TEXT;
		/* an array without a length is at the end of a struct */
		if (size == 0 || size > DT_READ_MAXTEXT)
			size = DT_READ_MAXTEXT;
	} else if (pl->rdp_bits > 0)
		for (size = 1; 8 * size < pl->rdp_shift + pl->rdp_bits;)
			size *= 2;
	mr->mrd_size = size < DT_READ_MAXBYTES || bv->bvl_shape == BTF_TEXT
	    ? size
	    : DT_READ_MAXBYTES;
}

/* Returns whether a function takes what its argument points to. */
static int
reads_iscall(const struct node *parent, const struct node *nd, const char *name)
{
	return parent->nd_kind == ND_CALL && parent->nd_kids == nd &&
	    strcmp(parent->nd_func->sf_name, name) == 0;
}

/* The length in str(x, n) and buf(x, n), at most max; def: if it is unknown. */
static unsigned int
reads_length(const struct node *nd, unsigned int def, unsigned int max)
{
	const struct node *n = nd->nd_next;

	if (n == NULL || n->nd_kind != ND_NUMBER)
		return def;
	return (uint64_t)n->nd_number < max ? n->nd_number : max;
}

/* Adds a read of what the pointer at a place points to.  Its number, or -1. */
static int
reads_pointed(struct reads_bind *rb, const struct node *nd,
    struct reads_place pl, int isbuf)
{
	if (place_load(rb, nd, &pl) == -1)
		return -1;
	pl.rdp_read.mrd_kind = isbuf ? DT_READ_BYTES : DT_READ_TEXT;
	pl.rdp_read.mrd_size = isbuf
	    ? reads_length(nd, READS_TEXT, DT_READ_MAXBYTES)
	    : reads_length(nd, DT_READ_MAXTEXT, DT_READ_MAXTEXT);
	return reads_add(rb, nd, &pl.rdp_read);
}

/* Adds the text or bytes after a pointer that was read, if they are used. */
static int
reads_text(struct reads_bind *rb, const struct node *parent,
    const struct node *nd, const struct reads_place *pl,
    struct script_read *srd)
{
	struct btf_value bv = script_btf_value(&pl->rdp_ctype);
	const int isbuf = reads_iscall(parent, nd, "buf");
	int n;

	bv = script_btf_value(&bv.bvl_element);
	if (!isbuf && !reads_iscall(parent, nd, "str") &&
	    (bv.bvl_shape != BTF_NUMBER || bv.bvl_size != 1 ||
		script_bind_isnumber(parent, nd)))
		return 0;
	if ((n = reads_pointed(rb, nd, *pl, isbuf)) == -1)
		return -1;
	srd->srd_text = n;
	return 0;
}

/*
 * Adds what str() and buf() return for an argument by number, or a result, unless
 * the event has the text anyway; or the text of such a pointer that is assigned.
 */
static int
reads_call(struct reads_bind *rb, const struct node *nd)
{
	const int isassign = nd->nd_kind == ND_ASSIGN;
	const int isbuf = !isassign && strcmp(nd->nd_func->sf_name, "buf") == 0;
	const struct node *pointer = isassign ? nd->nd_kids->nd_next
					      : nd->nd_kids;
	struct reads_place pl = { .rdp_shift = 0 };
	int n;

	/* without the right, it is empty */
	if (!rb->rdb_bind->sbi_mayread ||
	    (!isbuf && script_bind_str(rb->rdb_bound, pointer) & DTEVT_STRINGS))
		return 0;
	if (place_of(rb, pointer, &pl) == -1 ||
	    (n = reads_pointed(rb, pointer, pl, isbuf)) == -1)
		return -1;
	rb->rdb_reads[nd->nd_ref] = (struct script_read){ .srd_isused = 1,
		.srd_value = n,
		.srd_text = -1,
		.srd_type = isbuf ? ST_BUF : ST_STR };
	return 0;
}

/*
 * Describes args.NAME[N], if the argument is an array, such as "u8[16]", which
 * the event itself has.  Returns 1, 0 if it is another one, or -1.
 */
static int
reads_element(struct reads_bind *rb, const struct node *nd,
    struct script_read *srd)
{
	struct bound *bo = rb->rdb_bound;
	const struct node *field = nd->nd_kids;
	const char *array, *bracket;
	char type[DTNAMESIZE + 2];
	struct btf_value bv = { .bvl_shape = BTF_VOID };
	struct script_ctype ct;
	uint64_t i, count;
	int n;

	if (nd->nd_kind != ND_INDEX || field->nd_kind != ND_FIELD ||
	    (n = rb->rdb_argn[field->nd_ref]) < 0)
		return 0;
	array = bo->bo_probe->pr_desc.pd_types[n].dtai_argtype;
	if ((bracket = strrchr(array, '[')) == NULL)
		return 0;
	snprintf(type, sizeof(type), "%.*s *", (int)(bracket - array), array);
	count = strtoull(bracket + 1, NULL, 10);
	i = field->nd_next->nd_number;
	if (script_btf_type(type, &ct) == 0) {
		bv = script_btf_value(&ct);
		bv = script_btf_value(&bv.bvl_element);
	}
	if (bv.bvl_shape != BTF_NUMBER)
		return reads_fail(rb, nd,
		    "only elements that are numbers can be read");
	if (i >= count)
		return reads_fail(rb, nd, "%s has %llu elements",
		    field->nd_text, (unsigned long long)count);
	bo->bo_evtflags |= arg_evtflags(bo->bo_probe, n);
	*srd = (struct script_read){ .srd_iselement = 1,
		.srd_value = n,
		.srd_offset = i * bv.bvl_size,
		.srd_bits = 8 * bv.bvl_size,
		.srd_issigned = bv.bvl_issigned };
	return 1;
}

/* Adds the reads of a value. */
static int
reads_value(struct reads_bind *rb, const struct node *parent,
    const struct node *nd)
{
	struct script_read *srd = &rb->rdb_reads[nd->nd_ref];
	struct reads_place pl = { .rdp_shift = 0 };
	struct btf_value bv;
	int n;

	if ((n = reads_element(rb, nd, srd)) != 0)
		return n == -1 ? -1 : 0;
	if (place_of(rb, nd, &pl) == -1)
		return -1;
	bv = script_btf_value(&pl.rdp_ctype);
	if (!pl.rdp_ismemory)
		bv.bvl_size = sizeof(uint64_t); /* curtask */
	if (bv.bvl_shape == BTF_VOID && pl.rdp_ismemory)
		return reads_fail(rb, nd, "this has no type that can be read");
	reads_size(&bv, &pl);
	if ((n = reads_add(rb, nd, &pl.rdp_read)) == -1)
		return -1;
	*srd = (struct script_read){ .srd_isused = 1,
		.srd_value = n,
		.srd_text = -1,
		.srd_type = bv.bvl_shape == BTF_TEXT ? ST_STR
		    : bv.bvl_shape == BTF_ARRAY || bv.bvl_shape == BTF_STRUCT
		    ? ST_BUF
		    : ST_INT,
		.srd_issigned = bv.bvl_issigned,
		.srd_shift = pl.rdp_shift,
		.srd_bits = pl.rdp_bits > 0 ? pl.rdp_bits : 8 * bv.bvl_size };
	return bv.bvl_shape == BTF_POINTER || bv.bvl_size == sizeof(uint64_t)
	    ? reads_text(rb, parent, nd, &pl, srd)
	    : 0;
}

static int
reads_walk(struct reads_bind *rb, const struct node *parent,
    const struct node *nd)
{
	const struct node *kid;

	if (script_struct_isread(nd))
		return reads_value(rb, parent, nd);
	if (nd->nd_isread && reads_call(rb, nd) == -1)
		return -1;
	for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next)
		if (reads_walk(rb, nd, kid) == -1)
			return -1;
	return 0;
}

int
script_reads_bind(struct script_bind *sbi, struct bound *bo,
    const struct clause *cl, const int8_t *argn, struct script_read *reads,
    const struct node **bad)
{
	const struct node top = { .nd_kind = ND_EXPR };
	struct reads_bind rb = { .rdb_bind = sbi,
		.rdb_bound = bo,
		.rdb_argn = argn,
		.rdb_reads = reads };

	if ((cl->cla_pred == NULL ||
		reads_walk(&rb, &top, cl->cla_pred) == 0) &&
	    reads_walk(&rb, &top, cl->cla_body) == 0)
		return 0;
	*bad = rb.rdb_bad;
	return -1;
}

void
script_reads_set(const struct script_bind *sbi)
{
	struct dt *dt = sbi->sbi_session->ss_dt;
	const struct bound *bo;
	struct dtioc_reads ir;
	unsigned int i;

	for (i = 0; i < sbi->sbi_n; i++) {
		bo = sbi->sbi_bounds[i];
		if (bo->bo_nreads == 0)
			continue;
		ir = (struct dtioc_reads){ .dtrd_pbn = bo->bo_info.dtpi_pbn,
			.dtrd_nreads = bo->bo_nreads };
		memcpy(ir.dtrd_reads, bo->bo_reads,
		    bo->bo_nreads * sizeof(*bo->bo_reads));
		if (dt_ioctl(dt, DTIOCSREADS, &ir) == -1)
			refusal_ioctl(dt, bo->bo_probe->pr_full);
	}
}

static void
reads_first(void *arg, struct node *nd)
{
	const struct node **first = arg;

	if (*first == NULL && (script_struct_isread(nd) || nd->nd_isread))
		*first = nd;
}

const struct node *
script_reads_first(const struct clause *cl)
{
	const struct node *first = NULL;

	node_walk(cl->cla_pred, reads_first, &first);
	node_walk(cl->cla_body, reads_first, &first);
	return first;
}
