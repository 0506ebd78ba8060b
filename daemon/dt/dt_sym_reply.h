/* SPDX-License-Identifier: ISC */
/*
 * Builds the reply to DTIOCSYM and related requests: a head, entries, strings.
 * It is filled address by address and ends when the next address does not fit.
 */
#ifndef DAEMON_DT_DT_SYM_REPLY_H
#define DAEMON_DT_DT_SYM_REPLY_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct op;
struct resolved;

#define DT_SYM_REPLY_SLOTS 2048 /* size of the hash of shared strings */

struct dt_sym_reply {
	uint8_t *syr_entries; /* each of syr_entsize bytes */
	size_t syr_entsize;
	size_t syr_n;
	char *syr_strings;
	size_t syr_nbytes;
	uint32_t syr_slots[DT_SYM_REPLY_SLOTS]; /* offset plus 1, by hash */
};

/* Returns 0 or ENOMEM. */
int dt_sym_reply_init(struct dt_sym_reply *, size_t entsize);
void dt_sym_reply_free(struct dt_sym_reply *);
/* Returns the string's offset plus 1; 0 if there is no string or no space. */
uint32_t dt_sym_reply_string(struct dt_sym_reply *, const char *);
/* Returns one more entry, zeroed; NULL if it does not fit. */
void *dt_sym_reply_entry(struct dt_sym_reply *);
/* Adds all frames of an address. Returns 0 if they do not fit. */
int
dt_sym_reply_name(struct dt_sym_reply *, uint32_t pc, const struct resolved *);
/* Sends the reply: total is the number of entries without the size limit. */
void dt_sym_reply_send(const struct dt_sym_reply *, uint32_t total,
    const struct wire_syms *, struct op *);

#endif /* DAEMON_DT_DT_SYM_REPLY_H */
