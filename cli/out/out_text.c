/* SPDX-License-Identifier: ISC */
/*
 * Output for people: the format, and the list of probes.  The columns may
 * change; programs should read JSON.
 */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/out/out.h"
#include "cli/out/out_text.h"

static void
text_begin(struct out *out)
{
	if (out->out_opts->o_print.opi_columns != NULL)
		columns_text(out, NULL);
}

/* Prints an argument as a C declaration. */
static void
text_decl(struct buf *b, const struct dt_probe_desc *pd, unsigned int i)
{
	const char *type = pd->pd_types[i].dtai_argtype;
	size_t n = strlen(type), base = strcspn(type, "[");

	if (strncmp(type, "__", 2) == 0 && strchr(type, ' ') != NULL)
		base = n; /* __data_loc char[] */
	esc_text(b, type, base);
	if (base > 0 && type[base - 1] != '*')
		buf_c(b, ' ');
	esc_str(b, pd->pd_names[i].dtan_name);
	esc_text(b, type + base, n - base);
}

static void
text_probe(struct out *out, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	struct buf *b = &out->out_buf;
	unsigned int i;

	esc_str(b, pr->pr_full);
	if (out->out_opts->o_print.opi_verbose && pr->pr_hasargs) {
		buf_str(b, " (");
		for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS;
		     i++) {
			buf_str(b, i > 0 ? ", " : "");
			text_decl(b, pd, i);
			if (pd->pd_names[i].dtan_flags & DTAN_MORE)
				buf_str(b, ", ...");
		}
		buf_c(b, ')');
	} else if (out->out_opts->o_print.opi_verbose &&
	    pd->pd_info.dtpi_nargs > 0) {
		buf_str(b, " = "); /* result of a function */
		esc_str(b, pd->pd_types[0].dtai_argtype);
	}
	buf_c(b, '\n');
}

static void
text_prov(struct out *out, const struct dtioc_prov_info *pv)
{
	struct buf *b = &out->out_buf;
	size_t from;

	buf_str(b, "# ");
	from = b->b_len;
	esc_str(b, pv->dtpv_name);
	buf_pad(b, from, 12);
	buf_printf(b, " %6u probes, %s", pv->dtpv_nprobes,
	    pv->dtpv_available ? "available" : "not available");
	if (pv->dtpv_reason[0] != '\0') {
		buf_str(b, ": ");
		esc_text(b, pv->dtpv_reason,
		    strnlen(pv->dtpv_reason, sizeof(pv->dtpv_reason)));
	}
	buf_c(b, '\n');
}

/* A comment, like providers: other lines are probes. */
static void
text_tool(struct out *out, const char *name, const char *what)
{
	struct buf *b = &out->out_buf;
	size_t from;

	buf_str(b, "# dt run ");
	from = b->b_len;
	esc_str(b, name);
	buf_pad(b, from, 14);
	buf_c(b, ' ');
	esc_str(b, what);
	buf_c(b, '\n');
}

const struct out_format out_text = {
	.f_name = "text",
	.f_begin = text_begin,
	.f_flags = CONSUMER_JOINS,
	.f_probe = text_probe,
	.f_prov = text_prov,
	.f_tool = text_tool,
	.f_call = text_event,
	.f_counts = text_counts,
	.f_syscalls = text_syscalls,
	.f_profile = text_profile,
	.f_where = text_where,
	.f_kcov = text_kcov,
	.f_doctor = text_doctor,
};
