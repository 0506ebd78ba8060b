/* SPDX-License-Identifier: ISC */
/* Finds the texts that a record requests among the arguments of each probe. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/str_name.h"
#include "cli/decode/args.h"
#include "cli/recording/record_texts.h"

static void
texts_add(struct record_texts *rts, const char *name, size_t len, int isoption)
{
	struct record_text *rct;

	if (rts->rts_n == RECORD_NTEXTS)
		errx(1, "at most %d texts can be recorded", RECORD_NTEXTS);
	rct = &rts->rts_list[rts->rts_n++];
	snprintf(rct->rct_name, sizeof(rct->rct_name), "%.*s", (int)len, name);
	rct->rct_isfound = 0;
	rct->rct_isoption = isoption;
}

/* Adds the names of str(NAME), which may follow a side of a pair. */
static void
texts_add_cond(struct record_texts *rts, const struct cond_expr *ce)
{
	const struct cond_node *cn;
	char inner[COND_MAXNAME];
	const char *name;

	for (cn = ce->ce_nodes; cn < ce->ce_nodes + ce->ce_n; cn++) {
		if (cn->cn_kind != COND_NAME ||
		    (name = strstr(cn->cn_tok.tok_name, "str(")) == NULL ||
		    !str_name(name, inner, sizeof(inner)))
			continue;
		texts_add(rts, inner, strlen(inner), 0);
	}
}

void
record_texts_init(struct record_texts *rts, const char *list,
    const struct cond_expr *ce)
{
	size_t len;

	rts->rts_n = 0;
	for (; list != NULL && *list != '\0'; list += len) {
		len = strcspn(list, ",");
		if (len > 0)
			texts_add(rts, list, len, 1);
		len += list[len] == ',';
	}
	if (ce != NULL)
		texts_add_cond(rts, ce);
}

/* Returns the flags of a text if the probe has it, or 0. */
static uint64_t
text_evtflags(const struct record_text *rct, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	struct cond_operand co;
	char name[DTNAMESIZE + 8];

	snprintf(name, sizeof(name), "str(%.63s)", rct->rct_name);
	if (cond_operand(pr, pr, name, &co) == -1)
		return 0;
	if (co.cop_opd.op_kind == DT_OPD_ARG)
		return arg_str_evtflags(pr, co.cop_opd.op_argn);
	return strcmp(pd->pd_info.dtpi_name, "return") == 0
	    ? DTEVT_STRINGS | DTEVT_RETTEXT
	    : 0;
}

uint64_t
record_texts_evtflags(struct record_texts *rts, const struct probe *pr)
{
	struct record_text *rct = rts->rts_list;
	uint64_t flags = 0, one;

	for (; rct < rts->rts_list + rts->rts_n; rct++) {
		one = text_evtflags(rct, pr);
		rct->rct_isfound |= one != 0;
		flags |= one;
	}
	return flags;
}

void
record_texts_check(const struct record_texts *rts)
{
	const struct record_text *rct = rts->rts_list;

	for (; rct < rts->rts_list + rts->rts_n; rct++)
		if (rct->rct_isoption && !rct->rct_isfound)
			errx(1, "--str %s: these probes have no such text",
			    rct->rct_name);
}
