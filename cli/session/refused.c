/* SPDX-License-Identifier: ISC */
/* Probes that cannot be enabled, grouped by the daemon's reason. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/session/refused.h"

/* Finds the group of a reason, or the last one. */
static struct refused_group *
group_find(struct refused *rf, const char *why, int isfunc)
{
	struct refused_group *rfg = rf->rfs_groups;

	for (; rfg < rf->rfs_groups + rf->rfs_n; rfg++)
		if (strcmp(rfg->rfg_why, why) == 0 && rfg->rfg_isfunc == isfunc)
			return rfg;
	if (rf->rfs_n == REFUSED_REASONS)
		return &rf->rfs_groups[REFUSED_REASONS - 1];
	if (rf->rfs_n == REFUSED_REASONS - 1)
		why = "for other reasons";
	rfg = &rf->rfs_groups[rf->rfs_n++];
	snprintf(rfg->rfg_why, sizeof(rfg->rfg_why), "%s", why);
	rfg->rfg_isfunc = isfunc;
	buf_init(&rfg->rfg_names, -1);
	return rfg;
}

static void
group_name(struct refused_group *rfg, const struct dtioc_probe_info *pi)
{
	struct buf *b = &rfg->rfg_names;

	if (rfg->rfg_n++ >= REFUSED_NAMES)
		return;
	if (b->b_len > 0)
		buf_str(b, ", ");
	if (rfg->rfg_isfunc) {
		esc_str(b, pi->dtpi_func);
		return;
	}
	esc_str(b, pi->dtpi_prov);
	buf_c(b, ':');
	esc_str(b, pi->dtpi_func);
	buf_c(b, ':');
	esc_str(b, pi->dtpi_name);
}

void
refused_add(struct refused *rf, const struct dtioc_probe_info *pi,
    const char *why)
{
	size_t len = strlen(pi->dtpi_func);
	int isfunc = (pi->dtpi_flags & DTPI_FUNC) != 0 &&
	    (strcmp(pi->dtpi_name, "entry") == 0 ||
		strcmp(pi->dtpi_name, "return") == 0);
	struct refused_group *rfg;
	char text[256];

	if (strncmp(why, pi->dtpi_func, len) == 0 && why[len] == ' ')
		snprintf(text, sizeof(text), "it%s", why + len);
	else
		snprintf(text, sizeof(text), "%s", why);
	rfg = group_find(rf, text, isfunc);
	if (isfunc && strcmp(rfg->rfg_last, pi->dtpi_func) == 0)
		return;
	strcpy(rfg->rfg_last, pi->dtpi_func);
	group_name(rfg, pi);
}

void
refused_print(struct refused *rf, const char *pattern)
{
	struct refused_group *rfg = rf->rfs_groups;
	struct buf b;

	for (; rfg < rf->rfs_groups + rf->rfs_n; rfg++) {
		buf_init(&b, -1);
		buf_grouped(&b, rfg->rfg_n);
		buf_str(&b, rfg->rfg_isfunc ? " function" : " probe");
		if (rfg->rfg_n != 1)
			buf_c(&b, 's');
		if (pattern != NULL) {
			buf_str(&b, " of '");
			esc_str(&b, pattern);
			buf_c(&b, '\'');
		}
		buf_str(&b,
		    rfg->rfg_isfunc ? " cannot be probed: "
				    : " cannot be enabled: ");
		esc_str(&b, rfg->rfg_why);
		buf_str(&b, ": ");
		buf_mem(&b, rfg->rfg_names.b_data, rfg->rfg_names.b_len);
		if (rfg->rfg_n > REFUSED_NAMES)
			buf_printf(&b, " and %zu more",
			    rfg->rfg_n - REFUSED_NAMES);
		warnx("%.*s", (int)b.b_len, b.b_data);
		buf_free(&b);
		buf_free(&rfg->rfg_names);
	}
	rf->rfs_n = 0;
}
