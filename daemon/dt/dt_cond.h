/* SPDX-License-Identifier: ISC */
/* Checks conditions of probes. */
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

#endif /* DAEMON_DT_DT_COND_H */
