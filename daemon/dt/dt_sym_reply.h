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

#define SYMREPLY_SLOTS 2048 /* strings that are told once */

struct symreply {
	uint8_t *sr_entries; /* of sr_entsize */
	size_t sr_entsize;
	size_t sr_n;
	char *sr_strings;
	size_t sr_nbytes;
	uint32_t sr_slots[SYMREPLY_SLOTS]; /* offset plus 1, by hash */
};

/* ENOMEM */
int symreply_init(struct symreply *, size_t entsize);
void symreply_free(struct symreply *);
/* The string's offset plus 1; 0: there is none, or no room. */
uint32_t symreply_string(struct symreply *, const char *);
/* Room for one more entry, zeroed; NULL: there is none. */
void *symreply_entry(struct symreply *);
/* Enters all frames of an address: 0 when they do not fit. */
int symreply_name(struct symreply *, uint32_t pc, const struct resolved *);
/* Hands it over: total entries there would be. */
void symreply_send(const struct symreply *, uint32_t total,
    const struct wire_syms *, struct ioctl_call *);

#endif /* DAEMON_DT_DT_SYM_REPLY_H */
