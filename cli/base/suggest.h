/* SPDX-License-Identifier: ISC */
/*
 * The probe, or the word, that somebody may have meant.
 */
#ifndef CLI_BASE_SUGGEST_H
#define CLI_BASE_SUGGEST_H

#include <stddef.h>

#include <dev/dt/dtvar.h>

/* Writes its name as one would type it.  0, or -1 if none is near. */
int suggest_probe(const struct dtioc_probe_info *, size_t n,
    const char *pattern, char *buf, size_t size);

/* One of n words, or NULL if none is near. */
const char *suggest_word(const char *, const char *const *words, size_t n);

#endif /* CLI_BASE_SUGGEST_H */
