/* SPDX-License-Identifier: ISC */
/* Finds the probe or word that a misspelled one probably meant. */
#ifndef CLI_BASE_SUGGEST_H
#define CLI_BASE_SUGGEST_H

#include <stddef.h>

#include <dev/dt/dtvar.h>

/*
 * Writes the probe's name as a user would type it.  Returns 0, or -1 if no name
 * is similar.
 */
int suggest_probe(const struct dtioc_probe_info *, size_t n,
    const char *pattern, char *buf, size_t size);

/*
 * Returns the most similar of n words, or one that begins with this word, or
 * NULL.
 */
const char *suggest_word(const char *, const char *const *words, size_t n);

#endif /* CLI_BASE_SUGGEST_H */
