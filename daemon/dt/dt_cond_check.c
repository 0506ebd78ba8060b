/* SPDX-License-Identifier: ISC */
/*
 * Checks conditions. Everything that a client puts into one is checked here,
 * once; the programs get a new struct dt_cond_entry compiled from it, not a
 * copy. Pure functions, except that the provider is queried for arguments.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_provider.h"

/* Properties of a kind of operand. */
struct cond_kind {
	const char *cdk_name;
	uint8_t cdk_size;    /* maximum bytes of a number; 0: text */
	uint8_t cdk_isarg;   /* op_argn is used */
	uint8_t cdk_isasked; /* the provider locates it */
	uint8_t cdk_iskey;   /* only of a key by which hits are counted */
	uint8_t cdk_how;     /* otherwise: DT_LOOK_* */
	uint32_t cdk_off;    /* and offset in struct dt_hit */
};

#define AT(member) DT_LOOK_HIT, offsetof(struct dt_hit, member)

static const struct cond_kind cond_kinds[DT_NOPD] = {
	[DT_OPD_ARG] = { "argument", 8, 1, 1, 0, 0, 0 },
	[DT_OPD_STRING] = { "text of an argument", 0, 1, 1, 0, 0, 0 },
	[DT_OPD_RETVAL] = { "return value", 8, 0, 1, 0, 0, 0 },
	[DT_OPD_ERRNO] = { "errno", 4, 0, 1, 0, 0, 0 },
	[DT_OPD_DURATION] = { "duration", 8, 0, 0, 0, AT(h_duration) },
	[DT_OPD_PID] = { "pid", 4, 0, 0, 0, AT(h_pid) },
	[DT_OPD_TID] = { "tid", 4, 0, 0, 0, AT(h_tid) },
	[DT_OPD_UID] = { "uid", 4, 0, 0, 0, AT(h_uid) },
	[DT_OPD_CPU] = { "cpu", 4, 0, 0, 0, AT(h_cpu) },
	[DT_OPD_COMM] = { "comm", 0, 0, 0, 0, DT_LOOK_COMM, 0 },
	[DT_OPD_PROBE] = { "probe", 4, 0, 0, 1, AT(h_pbn) },
	[DT_OPD_CGROUP] = { "cgroup", 8, 0, 0, 1, DT_LOOK_CGROUP, 0 },
	[DT_OPD_SOCKET] = { "socket at argument", 8, 1, 1, 1, 0, 0 },
	[DT_OPD_RETTEXT] = { "text of the return value", 0, 0, 1, 0, 0, 0 },
};

/* Outcomes for which each comparison holds. */
static const uint8_t cond_holds[DT_NCMP] = {
	[DT_CMP_EQ] = DT_IS_EQUAL,
	[DT_CMP_NE] = DT_IS_LESS | DT_IS_GREATER,
	[DT_CMP_LT] = DT_IS_LESS,
	[DT_CMP_LE] = DT_IS_LESS | DT_IS_EQUAL,
	[DT_CMP_GT] = DT_IS_GREATER,
	[DT_CMP_GE] = DT_IS_GREATER | DT_IS_EQUAL,
	[DT_CMP_PREFIX] = DT_IS_EQUAL,
};

/* A check in progress. */
struct cond_check {
	const struct dt_probe *cc_dtp;
	const struct dt_cond *cc_co; /* NULL: only an operand is checked */
	int cc_iskey;		     /* an operand of a key of counts */
	struct dt_cond_entry *cc_line;
	struct reason *cc_reason;
	unsigned int cc_insn;
	uint8_t cc_used[DT_COND_NTEXT]; /* bytes of co_text */
	unsigned int cc_nwords;		/* of ce_text, filled */
	unsigned int cc_nbytes;		/* of all texts together */
};

static int __attribute__((format(printf, 2, 3)))
cond_bad(struct cond_check *cc, const char *fmt, ...)
{
	char why[160], where[32] = "";
	va_list ap;

	if (cc->cc_co != NULL)
		snprintf(where, sizeof(where), "instruction %u: ", cc->cc_insn);
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return reason_fail(cc->cc_reason, EINVAL, "%s%s", where, why);
}

static int
cond_operand(struct cond_check *cc, const struct dt_opd *op, struct dt_look *lo)
{
	const struct dt_provider *prov = cc->cc_dtp->dtp_prov;
	const struct cond_kind *ck;
	const char *why;

	if (op->op_kind == DT_OPD_NONE || op->op_kind >= DT_NOPD)
		return cond_bad(cc, "there is no operand %u", op->op_kind);
	ck = &cond_kinds[op->op_kind];
	if (ck->cdk_isasked && prov->prov_args->pva_why != NULL &&
	    (why = prov->prov_args->pva_why(cc->cc_dtp, op)) != NULL)
		return ck->cdk_isarg
		    ? reason_fail(cc->cc_reason, EINVAL,
			  "arg%u cannot be read: %.100s", op->op_argn, why)
		    : reason_fail(cc->cc_reason, EINVAL,
			  "the %s cannot be read: %.100s", ck->cdk_name, why);
	if (ck->cdk_iskey && !cc->cc_iskey)
		return cond_bad(cc, "%s is only a key of counts", ck->cdk_name);
	if (op->op_reserved != 0 || (op->op_argn != 0 && !ck->cdk_isarg) ||
	    op->op_issigned > (ck->cdk_size != 0))
		return cond_bad(cc,
		    "op_argn, op_issigned or op_reserved is "
		    "not 0 as it has to be for %s",
		    ck->cdk_name);
	if (op->op_size > ck->cdk_size || (op->op_size & (op->op_size - 1)) ||
	    (op->op_size == 0 && ck->cdk_size != 0))
		return cond_bad(cc, "op_size %u is not a size of %s",
		    op->op_size, ck->cdk_name);
	*lo = (struct dt_look){
		.lo_how = ck->cdk_how,
		.lo_size = op->op_size,
		.lo_issigned = op->op_issigned,
		.lo_off = ck->cdk_off,
	};
	if (!ck->cdk_isasked)
		return 0;
	/* providers other than tracepoint do not know sockets */
	if (prov->prov_args->pva_operand != NULL &&
	    prov->prov_args->pva_operand(cc->cc_dtp, op, lo) == 0 &&
	    (op->op_kind == DT_OPD_SOCKET) == (lo->lo_how == DT_LOOK_SOCKET))
		return 0;
	if (op->op_kind == DT_OPD_ARG && op->op_argn < cc->cc_dtp->dtp_nargs)
		return cond_bad(cc, "conditions cannot use %s %u of this probe",
		    ck->cdk_name, op->op_argn);
	if (ck->cdk_isarg)
		return cond_bad(cc, "this probe has no %s %u", ck->cdk_name,
		    op->op_argn);
	return cond_bad(cc, "this probe has no %s", ck->cdk_name);
}

int
dt_cond_look(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo, struct reason *rs)
{
	struct cond_check cc = { .cc_dtp = dtp, .cc_reason = rs };

	return cond_operand(&cc, op, lo);
}

int
dt_cond_key(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo, struct reason *rs)
{
	struct cond_check cc = {
		.cc_dtp = dtp,
		.cc_iskey = 1,
		.cc_reason = rs,
	};

	return cond_operand(&cc, op, lo);
}

static int
cond_number(struct cond_check *cc, const struct dt_insn *in, struct dt_step *st)
{
	if (in->in_op == DT_CMP_PREFIX)
		return cond_bad(cc, "a number has no prefix");
	if (in->in_len != 0 || in->in_text != 0)
		return cond_bad(cc, "in_len or in_text is not 0 with a number");
	st->stp_mask = in->in_mask;
	st->stp_value = in->in_value ^ (uint64_t)st->stp_look.lo_issigned << 63;
	return 0;
}

/* Returns whether a text is part of co_text and overlaps no other. */
static int
cond_claim(struct cond_check *cc, const struct dt_insn *in)
{
	if (in->in_len > DT_COND_MAXSTR)
		return cond_bad(cc, "a text has %d bytes at most",
		    DT_COND_MAXSTR);
	if (in->in_text > DT_COND_NTEXT ||
	    in->in_len > DT_COND_NTEXT - in->in_text)
		return cond_bad(cc, "its text is outside of co_text");
	if (memchr(cc->cc_co->co_text + in->in_text, '\0', in->in_len) != NULL)
		return cond_bad(cc, "its text has a NUL inside");
	memset(cc->cc_used + in->in_text, 1, in->in_len);
	if ((cc->cc_nbytes += in->in_len) > DT_COND_NTEXT)
		return cond_bad(cc, "all texts together have %d bytes at most",
		    DT_COND_NTEXT);
	return 0;
}

static int
cond_text(struct cond_check *cc, const struct dt_insn *in, struct dt_step *st)
{
	int isprefix = in->in_op == DT_CMP_PREFIX, error;

	if (in->in_op != DT_CMP_EQ && in->in_op != DT_CMP_NE && !isprefix)
		return cond_bad(cc, "texts are equal or not, or have a prefix");
	if (isprefix && in->in_len == 0)
		return cond_bad(cc, "a prefix is not empty");
	if (in->in_mask != 0 || in->in_value != 0)
		return cond_bad(cc, "in_mask or in_value is not 0 with a text");
	if ((error = cond_claim(cc, in)) != 0)
		return error;
	st->stp_len = in->in_len + !isprefix; /* the NUL */
	st->stp_text = cc->cc_nwords;
	memcpy(&cc->cc_line->ce_text[st->stp_text],
	    cc->cc_co->co_text + in->in_text, in->in_len);
	cc->cc_nwords += (st->stp_len + 7) / 8;
	return 0;
}

/* Checks a jump: forwards, to an instruction or to the end. */
static int
cond_jump(struct cond_check *cc, unsigned int to)
{
	if (to == DT_COND_PASS || to == DT_COND_FAIL)
		return 0;
	if (to <= cc->cc_insn)
		return cond_bad(cc, "continues at %u, which does not follow it",
		    to);
	if (to >= cc->cc_co->co_ninsn)
		return cond_bad(cc,
		    "continues at %u, after the last instruction", to);
	return 0;
}

static int
cond_insn(struct cond_check *cc, const struct dt_insn *in, struct dt_step *st)
{
	int error;

	if ((error = cond_operand(cc, &in->in_left, &st->stp_look)) != 0)
		return error;
	if (in->in_op >= DT_NCMP)
		return cond_bad(cc, "there is no comparison %u", in->in_op);
	st->stp_holds = cond_holds[in->in_op];
	st->stp_true = in->in_true;
	st->stp_false = in->in_false;
	if ((error = cond_jump(cc, in->in_true)) != 0 ||
	    (error = cond_jump(cc, in->in_false)) != 0)
		return error;
	return st->stp_look.lo_size != 0 ? cond_number(cc, in, st)
					 : cond_text(cc, in, st);
}

/* Checks that fields reserved for later versions are 0. */
static int
cond_unused(const struct cond_check *cc)
{
	static const struct dt_insn none;
	const struct dt_cond *co = cc->cc_co;
	unsigned int i;

	for (i = co->co_ninsn; i < DT_COND_NINSN; i++)
		if (memcmp(&co->co_insn[i], &none, sizeof(none)) != 0)
			return EINVAL;
	for (i = 0; i < DT_COND_NTEXT; i++)
		if (co->co_text[i] != '\0' && !cc->cc_used[i])
			return EINVAL;
	return co->co_reserved != 0 ? EINVAL : 0;
}

int
dt_cond_check(const struct dt_probe *dtp, const struct dt_cond *co,
    struct dt_cond_entry *cl, struct reason *rs)
{
	struct cond_check cc = {
		.cc_dtp = dtp,
		.cc_co = co,
		.cc_line = cl,
		.cc_reason = rs,
	};
	int error;

	memset(cl, 0, sizeof(*cl));
	if (co->co_ninsn > DT_COND_NINSN)
		return reason_fail(rs, EINVAL,
		    "a condition has %d instructions "
		    "at most",
		    DT_COND_NINSN);
	for (; cc.cc_insn < co->co_ninsn; cc.cc_insn++) {
		error = cond_insn(&cc, &co->co_insn[cc.cc_insn],
		    &cl->ce_step[cc.cc_insn]);
		if (error != 0)
			return error;
	}
	if ((error = cond_unused(&cc)) != 0)
		reason_set(rs,
		    "bytes of the condition that are not used are not 0");
	return error;
}

int
dt_look_call(const struct dt_opd *op, unsigned int nargs, int hasresult,
    enum dt_look_how text, struct dt_look *lo)
{
	switch (op->op_kind) {
	case DT_OPD_ARG:
	case DT_OPD_STRING:
		if (op->op_argn >= nargs)
			return EINVAL;
		DT_LOOK_AT(lo, op->op_kind == DT_OPD_ARG ? DT_LOOK_HIT : text,
		    h_args[op->op_argn]);
		return 0;
	case DT_OPD_RETVAL:
		DT_LOOK_AT(lo, DT_LOOK_HIT, h_ret.drr_retval);
		break;
	case DT_OPD_ERRNO:
		DT_LOOK_AT(lo, DT_LOOK_HIT, h_ret.drr_error);
		break;
	case DT_OPD_RETTEXT:
		DT_LOOK_AT(lo, text, h_ret.drr_retval);
		break;
	}
	return hasresult ? 0 : EINVAL;
}
