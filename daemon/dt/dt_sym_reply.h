/* SPDX-License-Identifier: ISC */
/*
 * The reply to DTIOCSYM and its like: a head, entries, strings.  It is filled
 * address by address; when the next one does not fit the reply ends.
 */
#ifndef DAEMON_DT_DT_SYM_REPLY_H
#define DAEMON_DT_DT_SYM_REPLY_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct ioctl_call;
struct resolved;

#define DT_SYM_REPLY_SLOTS 2048 /* strings that are told once */

struct dt_sym_reply {
	uint8_t *syr_entries; /* of syr_entsize */
	size_t syr_entsize;
	size_t syr_n;
	char *syr_strings;
	size_t syr_nbytes;
	uint32_t syr_slots[DT_SYM_REPLY_SLOTS]; /* offset plus 1, by hash */
};

/* ENOMEM */
int dt_sym_reply_init(struct dt_sym_reply *, size_t entsize);
void dt_sym_reply_free(struct dt_sym_reply *);
/* The string's offset plus 1; 0: there is none, or no room. */
uint32_t dt_sym_reply_string(struct dt_sym_reply *, const char *);
/* Room for one more entry, zeroed; NULL: there is none. */
void *dt_sym_reply_entry(struct dt_sym_reply *);
/* Enters all frames of an address: 0 when they do not fit. */
int
dt_sym_reply_name(struct dt_sym_reply *, uint32_t pc, const struct resolved *);
/* Hands it over: total entries there would be. */
void dt_sym_reply_send(const struct dt_sym_reply *, uint32_t total,
    const struct wire_syms *, struct ioctl_call *);

#endif /* DAEMON_DT_DT_SYM_REPLY_H */
