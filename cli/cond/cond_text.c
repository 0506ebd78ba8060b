/* SPDX-License-Identifier: ISC */
/*
 * Compiles comparisons with texts: user names, strings, and prefixes of
 * strings.
 */
#include <pwd.h>
#include <string.h>

#include "cli/cond/cond_compile.h"

/* Compares with a user name in quotes: uid == "www-data". */
static int
compile_user(struct compile *cm, const struct compare *cp, struct dt_insn *in)
{
	char name[DT_COND_MAXSTR + 1];
	const struct passwd *pw;
	int len, isprefix;

	len = cond_lex_text(cm->cm_expr->ce_text, &cp->cp_const->cn_tok, name,
	    DT_COND_MAXSTR, &isprefix, cm->cm_error);
	if (len == -1)
		return -1;
	name[len] = '\0';
	if (isprefix || compile_orders(cp) || (pw = getpwnam(name)) == NULL)
		return compile_fail(cm, cp->cp_const, "unknown user");
	in->in_left = cp->cp_operand.cop_opd;
	in->in_op = cp->cp_op;
	in->in_mask = UINT64_MAX;
	in->in_value = pw->pw_uid;
	return 0;
}

/* Appends a text to co_text. */
static int
compile_put_text(struct compile *cm, const struct compare *cp,
    struct dt_insn *in, int *isprefix)
{
	const struct cond_operand *co = &cp->cp_operand;
	char text[DT_COND_MAXSTR];
	int len;

	len = cond_lex_text(cm->cm_expr->ce_text, &cp->cp_const->cn_tok, text,
	    sizeof(text), isprefix, cm->cm_error);
	if (len == -1)
		return -1;
	if (co->cop_maxlen != 0 && (unsigned int)len > co->cop_maxlen)
		return compile_fail(cm, cp->cp_const,
		    "%s has at most %u "
		    "bytes",
		    co->cop_name, co->cop_maxlen);
	if (*isprefix && len == 0)
		return compile_fail(cm, cp->cp_const,
		    "this matches every "
		    "string");
	if (cm->cm_ntext + len > DT_COND_NTEXT)
		return compile_fail(cm, cp->cp_const,
		    "all strings together can have at most %d bytes",
		    DT_COND_NTEXT);
	memcpy(cm->cm_cond->co_text + cm->cm_ntext, text, len);
	in->in_text = cm->cm_ntext;
	in->in_len = len;
	cm->cm_ntext += len;
	return 0;
}

int
compile_texts(struct compile *cm, const struct compare *cp, struct dt_insn *in)
{
	const struct cond_operand *co = &cp->cp_operand;
	int isprefix;

	if (co->cop_opd.op_kind == DT_OPD_UID)
		return compile_user(cm, cp, in);
	if (!co->cop_istext)
		return compile_fail(cm, cp->cp_const,
		    "%s is a number, not a string", co->cop_name);
	if (cp->cp_mask != NULL)
		return compile_fail(cm, cp->cp_mask, "strings have no bits");
	if (compile_orders(cp))
		return compile_fail(cm, cp->cp_node,
		    "compare strings by == or != only; \"abc*\" matches a "
		    "beginning");
	if (compile_put_text(cm, cp, in, &isprefix) == -1)
		return -1;
	in->in_left.op_kind = co->cop_textkind;
	in->in_left.op_argn = co->cop_opd.op_argn;
	in->in_op = isprefix ? DT_CMP_PREFIX : cp->cp_op;
	return isprefix && cp->cp_op == DT_CMP_NE;
}
