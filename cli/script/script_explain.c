/* SPDX-License-Identifier: ISC */
/* --explain: prints the kernel's part of a script, and dt's part. */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/script/script_lower.h"

static const struct {
	uint64_t flag;
	const char *text;
} parts[] = {
	{ DTEVT_EXECNAME, "comm" },
	{ DTEVT_WHO, "uid and cgroup" },
	{ DTEVT_FUNCARGS, "arguments" },
	{ DTEVT_STRINGS, "texts" },
	{ DTEVT_MEMORY, "memory" },
	{ DTEVT_DATA, "data" },
	{ DTEVT_KSTACK, "kernel stack" },
	{ DTEVT_USTACK, "user stack" },
};

static void
explain_event(struct buf *b, const struct bound *bo)
{
	const char *sep = " with ";
	size_t i;

	buf_str(b,
	    bo->bo_other == NULL ? "  dt executes the clause for each event"
				 : "  dt executes both clauses for each event");
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (bo->bo_evtflags & parts[i].flag) {
			buf_str(b, sep);
			buf_str(b, parts[i].text);
			sep = ", ";
		}
	if (bo->bo_nreads > 0)
		buf_printf(b, "%s%u value%s read by structs", sep,
		    bo->bo_nreads, bo->bo_nreads == 1 ? "" : "s");
	buf_c(b, '\n');
}

static void
explain_bound(struct buf *b, const struct script *sc, const struct bound *bo)
{
	unsigned int i, line, column;

	esc_str(b, bo->bo_probe->pr_full);
	buf_str(b, ":\n");
	if (bo->bo_condition != NULL) {
		buf_str(b, "  the kernel drops hits unless ");
		esc_str(b, bo->bo_condition);
		buf_c(b, '\n');
	}
	for (i = 0; i < bo->bo_nclauses; i++) {
		script_place(sc->scr_text,
		    bo->bo_clauses[i].bc_clause->cla_body->nd_begin, &line,
		    &column);
		buf_printf(b, "  clause in line %u\n", line);
	}
	if (bo->bo_other != NULL && !bo->bo_isreturn) {
		buf_str(b,
		    "  the kernel keeps the hit for the return, without "
		    "an event\n");
		return;
	}
	if (bo->bo_other != NULL)
		buf_str(b,
		    "  the kernel joins the hit with the thread's entry, "
		    "and drops hits without one\n");
	if (bo->bo_iscounted)
		buf_str(b, "  the kernel counts the hits, without events\n");
	else
		explain_event(b, bo);
}

void
script_explain(const struct script_lower *slo, struct buf *b)
{
	const struct script_bind *sbi = slo->slo_bind;
	unsigned int i;

	for (i = 0; i < sbi->sbi_n; i++)
		explain_bound(b, sbi->sbi_script, sbi->sbi_bounds[i]);
}
