/* SPDX-License-Identifier: ISC */
/*
 * Steps of ask.c.  One sets what memory is read at hits of a probe:
 *
 *	reads PROBE [r=BASE/KIND/SIZE[/OFF]...] ... [nreads=N] [poke=OFF:BYTE]
 *
 * PROBE is a name or a number.  BASE is argN, regN, ret, task or const, KIND bytes
 * or text; each OFF is a step.  nreads and poke change the request, to make it
 * invalid.  And the step that looks up a symbol, and prints whether it has an
 * address; PROBE is 0 for the kernel, NAME - for an empty one:
 *
 *	addr PROBE NAME
 */
#ifndef ASK_READS_H
#define ASK_READS_H

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_pair.h"

static void
reads_of(const char *word, struct dt_read *mr)
{
	char *copy = strdup(word), *rest = copy, *part;

	if ((part = strsep(&rest, "/")) == NULL || rest == NULL)
		errx(2, "this is no read: %s", word);
	mr->mrd_base = strcmp(part, "task") == 0 ? DT_READ_TASK
	    : strcmp(part, "ret") == 0		 ? DT_READ_RETVAL
	    : strcmp(part, "const") == 0	 ? DT_READ_CONST
	    : strncmp(part, "reg", 3) == 0	 ? DT_READ_REG
						 : DT_READ_ARG;
	if (mr->mrd_base == DT_READ_ARG || mr->mrd_base == DT_READ_REG)
		mr->mrd_argn = strtoul(part + 3, NULL, 0);
	part = strsep(&rest, "/");
	mr->mrd_kind = strcmp(part, "text") == 0 ? DT_READ_TEXT : DT_READ_BYTES;
	if ((part = strsep(&rest, "/")) != NULL)
		mr->mrd_size = strtoul(part, NULL, 0);
	while ((part = strsep(&rest, "/")) != NULL &&
	    mr->mrd_nsteps < DT_READ_NSTEPS)
		mr->mrd_off[mr->mrd_nsteps++] = strtoul(part, NULL, 0);
	free(copy);
}

static void
ask_reads(struct handle *h, const struct words *w, struct answer *an)
{
	const char *poke = name_opt(w, "poke"), *colon;
	struct dtioc_reads ir = { .dtrd_pbn = pair_pbn(h, name_word(w, 1)) };
	int i;

	for (i = 2; i < w->wd_n; i++) {
		if (strncmp(w->wd_v[i], "r=", 2) != 0)
			continue;
		if (ir.dtrd_nreads == DT_READ_MAX)
			errx(2, "too many reads");
		reads_of(w->wd_v[i] + 2, &ir.dtrd_reads[ir.dtrd_nreads++]);
	}
	ir.dtrd_nreads = name_optnum(w, "nreads", ir.dtrd_nreads);
	if (poke != NULL && (colon = strchr(poke, ':')) != NULL)
		((uint8_t *)&ir)[strtoul(poke, NULL, 0) % sizeof(ir)] =
		    strtoul(colon + 1, NULL, 0);
	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSREADS, &ir));
}

static void
ask_addr(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_addr ad = { .dtad_pbn = pair_pbn(h, name_word(w, 1)) };
	const char *name = name_word(w, 2);
	int r;

	snprintf(ad.dtad_name, sizeof(ad.dtad_name), "%s",
	    strcmp(name, "-") == 0 ? "" : name);
	r = dt_ioctl(h->h_dt, DTIOCGADDR, &ad);
	ask_say_result(an, r);
	if (r == 0)
		ask_say(an, "%d", ad.dtad_addr != 0);
}

#endif /* ASK_READS_H */
