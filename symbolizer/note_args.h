/* SPDX-License-Identifier: ISC */
/*
 * Parses the arguments of a static probe, as the assembler wrote them to its
 * note: "-4@%eax 8@16(%rsp) 4@$5" or "-4@w0 8@[sp, 16]".
 */
#ifndef SYMBOLIZER_NOTE_ARGS_H
#define SYMBOLIZER_NOTE_ARGS_H

#include "symbolizer/probe_sink.h"

/* Finds the address of a symbol; or returns why it is not known. */
typedef const char *
note_symbol(void *arg, const char *name, size_t len, uint64_t *addr);

struct note_args {
	unsigned int na_machine;
	uint64_t na_location; /* of the probe, an address */
	note_symbol *na_symbol;
	void *na_arg;
	unsigned int na_n;
	struct found_arg na_args[PROBE_ARGS_MAX];
	char na_names[PROBE_ARGS_MAX][8];
};

/*
 * Adds all arguments; one that cannot be read has the reason.  Arguments beyond
 * PROBE_ARGS_MAX are dropped.
 */
void note_args_parse(struct note_args *, const char *text);

#endif /* SYMBOLIZER_NOTE_ARGS_H */
