/* SPDX-License-Identifier: ISC */
/*
 * Reads files of "key = value" lines, in which # starts a comment.  All mistakes
 * of a file are reported, each with its line and column.
 */
#ifndef COMMON_KEYFILE_H
#define COMMON_KEYFILE_H

#include <stdio.h>

#define KEYFILE_LINE 512 /* bytes per line, with its newline */

/* A file that is being read, and its current line. */
struct keyfile {
	const char *kf_path;
	/* stores a value, or calls keyfile_mistake() */
	void (*kf_set)(struct keyfile *, const char *key, const char *value);
	void (*kf_warnx)(const char *fmt, ...); /* reports mistakes */
	void *kf_arg;				/* of kf_set() */
	unsigned int kf_lineno;
	unsigned int kf_nmistakes;
	char kf_text[KEYFILE_LINE];
};

/* Reads all lines.  Returns the number of mistakes. */
unsigned int keyfile_read(struct keyfile *, FILE *);
/* Reports a mistake at a position of the current line. */
void keyfile_mistake(struct keyfile *, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* COMMON_KEYFILE_H */
