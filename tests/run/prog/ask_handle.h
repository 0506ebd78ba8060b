/* SPDX-License-Identifier: ISC */
/*
 * Handles and replies, shared by all steps of ask.c.  A step reads its words
 * and writes one word.
 */
#ifndef ASK_HANDLE_H
#define ASK_HANDLE_H

#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_hit.h"
#include "tests/run/prog/ask_name.h"

#define ASK_PATIENCE   60000 /* ms; the case has its own limit */
#define ASK_MAXHANDLES 160   /* above the daemon's limit of sessions */
#define ASK_POISON     0xa5

struct handle {
	char h_name[8];
	struct dt *h_dt;
	struct hits h_hits;
	uint64_t h_total;	     /* events since open */
	uint64_t h_run;		     /* since RECORD 1 */
	struct dtioc_agg h_agg;	     /* the last request to count */
	struct dtioc_aggrow *h_rows; /* of all snapshots */
	size_t h_nrows;
};

static struct handle handles[ASK_MAXHANDLES];
static int nhandles;

/* Maximum length of a step's reply, in characters. */
#define ASK_ANSWER 512
struct answer {
	char an_text[ASK_ANSWER];
};

typedef void ask_fn(struct handle *, const struct words *, struct answer *);

static void __attribute__((format(printf, 2, 3)))
ask_say(struct answer *an, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(an->an_text, sizeof(an->an_text), fmt, ap);
	va_end(ap);
}

/* Writes 0, or the name of errno. */
static void
ask_say_result(struct answer *an, long r)
{
	ask_say(an, "%s", r == -1 ? name_errno(errno) : "0");
}

/* Replaces blanks, so that the text is one word. */
static void
ask_append(struct answer *an, const char *s)
{
	size_t n = strlen(an->an_text);

	for (; *s != '\0' && n < sizeof(an->an_text) - 1; s++)
		an->an_text[n++] = *s == ' ' ? '_' : *s;
	an->an_text[n] = '\0';
}

static struct handle *
ask_handle(const char *name)
{
	struct handle *h;
	int i;

	for (i = 0; i < nhandles; i++)
		if (strcmp(handles[i].h_name, name) == 0)
			return &handles[i];
	if (nhandles == ASK_MAXHANDLES)
		errx(2, "too many handles");
	h = &handles[nhandles++];
	snprintf(h->h_name, sizeof(h->h_name), "%s", name);
	return h;
}

#endif /* ASK_HANDLE_H */
