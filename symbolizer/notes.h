/* SPDX-License-Identifier: ISC */
/* Finds static probes in the notes of a file (.note.stapsdt). */
#ifndef SYMBOLIZER_NOTES_H
#define SYMBOLIZER_NOTES_H

#include "symbolizer/object_file.h"
#include "symbolizer/probe_sink.h"

#define NOTE_NAME 256 /* size of "PROVIDER:NAME"; longer ones are left out */

/* Query PROBE_QUERY_NOTES. */
int notes_find(struct object_file *, const struct probe_query *,
    struct probe_sink *);

/* A static probe, whose strings are in the bytes of the file. */
struct note {
	uint64_t nt_addr; /* adjusted, as all addresses in it */
	uint64_t nt_semaphore;
	const char *nt_provider;
	const char *nt_name;
	const char *nt_args;
	char nt_full[NOTE_NAME];
};
/* Visits the well-formed notes; returns what a visit returns, if not 0. */
int notes_walk(const struct elffile *, int (*)(void *, const struct note *),
    void *);

#endif /* SYMBOLIZER_NOTES_H */
