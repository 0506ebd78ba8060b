/* SPDX-License-Identifier: ISC */
/*
 * A session of the daemon for fuzzers: its enabled probes, and replacements of
 * the daemon's parts.  No map is made, and no worker waits.
 */
#ifndef FUZZ_SESSION_H
#define FUZZ_SESSION_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/access/peer.h"
#include "daemon/base/conf.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_softc.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct conf conf;
struct dt_maps dt_maps;

int
op_later(struct op *op, int (*run)(struct op *), int (*done)(struct op *, int),
    int islong)
{
	(void)op;
	(void)run;
	(void)done;
	(void)islong;
	return OP_LATER;
}

void
dt_maps_remove(int outer, uint32_t slot)
{
	(void)outer;
	(void)slot;
}

/*
 * Probes: one with six arguments, and one of a provider without operands.
 */
#define FUZZ_NARGS 6

static int
fuzz_operand(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo)
{
	(void)dtp;
	return dt_look_call(op, FUZZ_NARGS, 1, DT_LOOK_USERTEXT, lo);
}

static const struct dt_provargs fuzz_args = { .pva_operand = fuzz_operand };

static const struct dt_provider fuzz_providers[] = {
	{ .prov_name = "calls", .prov_args = &fuzz_args },
	{ .prov_name = "none" },
};
static struct dt_probe fuzz_probes[] = {
	{ .dtp_prov = &fuzz_providers[0] },
	{ .dtp_prov = &fuzz_providers[1] },
};

#define NPCBS 4

/* Three times the probe with arguments, and the one without operands. */
static struct dt_pcb pcbs[NPCBS];

struct dt_pcb *
dt_pcb_find(const struct dt_enabled *en, uint32_t pbn)
{
	(void)en;
	return pbn < NPCBS ? &pcbs[pbn] : NULL;
}

static void
fuzz_enable(void)
{
	memset(pcbs, 0, sizeof(pcbs));
	pcbs[0].dp_dtp = pcbs[1].dp_dtp = pcbs[2].dp_dtp = &fuzz_probes[0];
	pcbs[3].dp_dtp = &fuzz_probes[1];
}

#endif /* FUZZ_SESSION_H */
