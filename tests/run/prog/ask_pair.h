/* SPDX-License-Identifier: ISC */
/*
 * The step of ask.c that makes a pair of two probes:
 *
 *	pair FROM TO [k=KIND,KIND] ... [min=NSECS] [nkeys=N] [poke=OFF:BYTE]
 *
 * FROM and TO are names or numbers.  Each k is a key: an operand of the first
 * and one of the second hit, in the notation of ask_cond.h.  nkeys and poke
 * change the request, to make it invalid.
 */
#ifndef ASK_PAIR_H
#define ASK_PAIR_H

#include <ctype.h>
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_cond.h"
#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_name.h"

static uint32_t
pair_pbn(struct handle *h, const char *name)
{
	struct dtioc_probe_info *pi;
	uint32_t pbn;

	if (isdigit((unsigned char)*name))
		return name_num(name);
	if (dt_lookup(h->h_dt, name, &pi) == -1)
		errx(2, "there is no probe %s", name);
	pbn = pi->dtpi_pbn;
	free(pi);
	return pbn;
}

static void
pair_key_of(const char *word, struct dtioc_pair *pa)
{
	char *copy = strdup(word), *comma = strchr(copy, ',');

	if (comma == NULL || pa->dtpa_nkeys == DTPA_NKEYS)
		errx(2, "this is no key: %s", word);
	*comma = '\0';
	cond_operand_of(copy, &pa->dtpa_fromkey[pa->dtpa_nkeys]);
	cond_operand_of(comma + 1, &pa->dtpa_tokey[pa->dtpa_nkeys]);
	pa->dtpa_nkeys++;
	free(copy);
}

static void
ask_pair(struct handle *h, const struct words *w, struct answer *an)
{
	const char *poke = name_opt(w, "poke"), *colon;
	struct dtioc_pair pa = {
		.dtpa_from = pair_pbn(h, name_word(w, 1)),
		.dtpa_to = pair_pbn(h, name_word(w, 2)),
		.dtpa_min = name_optnum(w, "min", 0),
	};
	int i;

	for (i = 3; i < w->wd_n; i++)
		if (strncmp(w->wd_v[i], "k=", 2) == 0)
			pair_key_of(w->wd_v[i] + 2, &pa);
	pa.dtpa_nkeys = name_optnum(w, "nkeys", pa.dtpa_nkeys);
	if (poke != NULL && (colon = strchr(poke, ':')) != NULL)
		((uint8_t *)&pa)[strtoul(poke, NULL, 0) % sizeof(pa)] =
		    strtoul(colon + 1, NULL, 0);
	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSPAIR, &pa));
}

#endif /* ASK_PAIR_H */
