/* SPDX-License-Identifier: ISC */
/* Checks conditions of probes, and shares their entries in the BPF table. */
#ifndef DAEMON_DT_DT_COND_H
#define DAEMON_DT_DT_COND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <dt/cond.h>

#include "bpf/dt_hit.h"
#include "bpf/dt_shared.h"

struct dt_probe;
struct reason;

/* dt_cond_check.c */
/* Checks a condition and compiles it for the programs. */
int dt_cond_check(const struct dt_probe *, const struct dt_cond *,
    struct dt_cond_entry *, struct reason *);
/* Checks an operand: EINVAL with a text. */
int dt_cond_look(const struct dt_probe *, const struct dt_opd *,
    struct dt_look *, struct reason *);
/* The same for a part of a key by which hits are counted. */
int dt_cond_key(const struct dt_probe *, const struct dt_opd *,
    struct dt_look *, struct reason *);
/*
 * For pva_operand of functions and calls: nargs arguments, how their text is
 * read, and whether there is a result.
 */
int dt_look_call(const struct dt_opd *, unsigned int nargs, int hasresult,
    enum dt_look_how text, struct dt_look *);

/* For pva_operand: a member of struct dt_hit. */
#define DT_LOOK_AT(lo, how, member) \
	((lo)->lo_how = (how), (lo)->lo_off = offsetof(struct dt_hit, member))

/* dt_cond_table.c: c: entries that programs evaluate; the maps exist */
/*
 * Returns an entry with this content, shared by all users of the same: ENOSPC.
 */
int dt_cond_table_get(uid_t, const struct dt_cond_entry *, uint16_t *line,
    struct reason *);
void dt_cond_table_put(uint16_t line); /* no program reads it; 0 is fine */

#endif /* DAEMON_DT_DT_COND_H */
