/* SPDX-License-Identifier: ISC */
/* Errnos and numbers by name, and the words of a step, for ask.c. */
#ifndef ASK_NAME_H
#define ASK_NAME_H

#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAXWORDS 32

/* A step: its words, the first of which is the operation. */
struct words {
	char *wd_v[NAME_MAXWORDS + 1]; /* ends with NULL */
	int wd_n;
};

/* The kernel's internal errnos for calls that a signal interrupts. */
static const struct {
	int error;
	const char *name;
} name_restarts[] = {
	{ 512, "ERESTARTSYS" },
	{ 513, "ERESTARTNOINTR" },
	{ 514, "ERESTARTNOHAND" },
	{ 516, "ERESTART_RESTARTBLOCK" },
};

#define NAME_NRESTARTS (sizeof(name_restarts) / sizeof(name_restarts[0]))

static const char *
name_errno(int error)
{
	static char number[24];
	const char *name;
	size_t i;

	for (i = 0; i < NAME_NRESTARTS; i++)
		if (name_restarts[i].error == error)
			return name_restarts[i].name;
	if ((name = strerrorname_np(error)) != NULL)
		return name;
	snprintf(number, sizeof(number), "errno-%d", error);
	return number;
}

/* Returns the errno of a name or number; -1 if unknown. */
static int
name_to_errno(const char *name)
{
	char *end;
	int i;

	i = strtol(name, &end, 0);
	if (*end == '\0')
		return i;
	for (i = 1; i < 600; i++)
		if (strcmp(name_errno(i), name) == 0)
			return i;
	return -1;
}

static void
name_split(struct words *w, char *step)
{
	char *word, *save = NULL;

	w->wd_n = 0;
	for (word = strtok_r(step, " \t", &save); word != NULL;
	     word = strtok_r(NULL, " \t", &save)) {
		if (w->wd_n == NAME_MAXWORDS)
			errx(2, "a step of too many words");
		w->wd_v[w->wd_n++] = word;
	}
	w->wd_v[w->wd_n] = NULL;
}

/* Returns the value of a word "key=value", or NULL. */
static const char *
name_opt(const struct words *w, const char *key)
{
	size_t n = strlen(key);
	int i;

	for (i = 1; i < w->wd_n; i++)
		if (strncmp(w->wd_v[i], key, n) == 0 && w->wd_v[i][n] == '=')
			return w->wd_v[i] + n + 1;
	return NULL;
}

static uint64_t
name_num(const char *s)
{
	uint64_t v;
	char *end;

	errno = 0;
	v = strtoull(s, &end, 0);
	if (errno != 0 || end == s || *end != '\0')
		errx(2, "'%s' is no number", s);
	return v;
}

static uint64_t
name_optnum(const struct words *w, const char *key, uint64_t without)
{
	const char *s = name_opt(w, key);

	return s != NULL ? name_num(s) : without;
}

static int
name_has(const struct words *w, const char *word)
{
	int i;

	for (i = 1; i < w->wd_n; i++)
		if (strcmp(w->wd_v[i], word) == 0)
			return 1;
	return 0;
}

/* Returns the n-th word; exits if it is missing. */
static const char *
name_word(const struct words *w, int n)
{
	if (n >= w->wd_n)
		errx(2, "%s: too few words", w->wd_v[0]);
	return w->wd_v[n];
}

/* Converts hex digits to bytes; returns the number of bytes. */
static size_t
name_hex(const char *hex, uint8_t *buf, size_t size)
{
	unsigned int byte;
	size_t n = 0;

	for (; hex[0] != '\0' && hex[1] != '\0' && n < size; hex += 2) {
		if (sscanf(hex, "%2x", &byte) != 1)
			errx(2, "'%s' is no hex", hex);
		buf[n++] = byte;
	}
	return n;
}

#endif /* ASK_NAME_H */
