/* SPDX-License-Identifier: ISC */
/*
 * Strings, memory and data of an event, kept for ask_hit.h.  A condition
 *
 *	str=ARG:KEY=VALUE,KEY=VALUE...
 *
 * is met if one string of argument ARG meets all of: text, hex (its bytes),
 * len, true (the length in memory), err (errno by name), flags (DT_STR_*), nth
 * (0: the first of this argument).
 */
#ifndef ASK_TEXT_H
#define ASK_TEXT_H

#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_name.h"

struct text {
	struct dt_rec_string tx_head;
	unsigned int tx_nth;
	char *tx_bytes;
};

struct texts {
	struct text *tx_v;
	unsigned int tx_n;
	unsigned int tx_nbytes; /* of the section */
};

static void
text_add_all(struct texts *tx, const struct dt_event *ev)
{
	const struct dt_rec_string *s = NULL;
	unsigned int i;
	struct text *t;

	if (ev->ev_strings == NULL)
		return;
	tx->tx_nbytes = sizeof(*ev->ev_strings) + ev->ev_strings->drz_nbytes;
	tx->tx_v = calloc(ev->ev_strings->drz_count + 1, sizeof(*tx->tx_v));
	if (tx->tx_v == NULL)
		err(2, NULL);
	while ((s = dt_string(ev, s)) != NULL) {
		t = &tx->tx_v[tx->tx_n];
		t->tx_head = *s;
		for (i = 0; i < tx->tx_n; i++)
			t->tx_nth += tx->tx_v[i].tx_head.drt_argn ==
			    s->drt_argn;
		t->tx_bytes = calloc(1, s->drt_length + 1);
		if (t->tx_bytes == NULL)
			err(2, NULL);
		memcpy(t->tx_bytes, DT_STRING_BYTES(s), s->drt_length);
		/* padding to a multiple of 8 has any value */
		for (i = s->drt_length; i % 8 != 0; i++)
			if (DT_STRING_BYTES(s)[i] != '\0')
				errx(2, "bytes behind a string");
		tx->tx_n++;
	}
	if (tx->tx_n != ev->ev_strings->drz_count)
		errx(2, "%u strings of %u", tx->tx_n,
		    ev->ev_strings->drz_count);
}

static void
text_free_all(struct texts *tx)
{
	unsigned int i;

	for (i = 0; i < tx->tx_n; i++)
		free(tx->tx_v[i].tx_bytes);
	free(tx->tx_v);
}

/* Returns a numeric field of a string. */
static int64_t
text_value(const struct text *t, const char *key, size_t len)
{
	const struct {
		const char *key;
		int64_t value;
	} rows[] = {
		{ "len", t->tx_head.drt_length },
		{ "true", t->tx_head.drt_truelen },
		{ "err", t->tx_head.drt_error },
		{ "flags", t->tx_head.drt_flags },
		{ "nth", t->tx_nth },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strlen(rows[i].key) == len &&
		    memcmp(rows[i].key, key, len) == 0)
			return rows[i].value;
	errx(2, "a string has no %.*s", (int)len, key);
}

/* Tests KEY=VALUE, of n characters. */
static int
text_meets(const struct text *t, const char *cond, size_t n)
{
	size_t len = strcspn(cond, "="), nbytes = t->tx_head.drt_length;
	const char *value = cond + len + 1;
	size_t nvalue = n - len - 1;
	uint8_t buf[256];
	char word[512];

	if (len == 4 && memcmp(cond, "text", 4) == 0)
		return nvalue == nbytes &&
		    memcmp(t->tx_bytes, value, nbytes) == 0;
	snprintf(word, sizeof(word), "%.*s", (int)nvalue, value);
	if (len == 3 && memcmp(cond, "hex", 3) == 0)
		return name_hex(word, buf, sizeof(buf)) == nbytes &&
		    memcmp(t->tx_bytes, buf, nbytes) == 0;
	if (len == 3 && memcmp(cond, "err", 3) == 0)
		return t->tx_head.drt_error == name_to_errno(word);
	return text_value(t, cond, len) == strtoll(word, NULL, 0);
}

static int
text_meets_all(const struct text *t, const char *cond)
{
	size_t n;

	for (; *cond != '\0'; cond += n + (cond[n] == ',')) {
		n = strcspn(cond, ",");
		if (!text_meets(t, cond, n))
			return 0;
	}
	return 1;
}

/* Returns whether a string meets spec, which is ARG:CONDITIONS. */
static int
text_find(const struct texts *tx, const char *spec)
{
	unsigned int i, argn = strtoul(spec, NULL, 0);
	const char *cond = strchr(spec, ':');

	for (i = 0; i < tx->tx_n; i++)
		if (tx->tx_v[i].tx_head.drt_argn == argn &&
		    text_meets_all(&tx->tx_v[i], cond != NULL ? cond + 1 : ""))
			return 1;
	return 0;
}

#endif /* ASK_TEXT_H */
