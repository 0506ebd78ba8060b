/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes pairs: keys of two probes (--key), and structs that clients send with
 * DTIOCSPAIR.
 *
 * An input: a byte that selects two of the calls below, or with its upper bit
 * announces a struct dtioc_pair instead of a text.  The daemon must accept
 * every key that the client compiled.  It must give a reason for each refusal,
 * and whatever it accepts must be numbers of a hit.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cond/cond.h"
#include "cli/opts/pair_key.h"
#include "daemon/access/limit.h"
#include "daemon/access/peer.h"
#include "daemon/base/conf.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_pair.h"
#include "daemon/dt/dt_softc.h"
#include "tests/unit/probe_syscall.h"

#define INPUT_ISPAIR 0x80

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *const calls[] = { "openat", "close", "kill", "renameat2",
	"mmap", "socket", "ioctl", "getpid" };

#define NCALLS (sizeof(calls) / sizeof(calls[0]))

/*
 * Replace the daemon: no map is made, and no worker waits.
 */
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
op_request(struct op_queue *oq, int (*job)(struct op *))
{
	(void)oq;
	(void)job;
}

int
peer_pidns_initial(void)
{
	return 1;
}

/*
 * Enabled probes: two with six arguments, a clock, and one of a provider that
 * has no operands.
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
	pcbs[2].dp_nsecs = 1000;
	pcbs[3].dp_dtp = &fuzz_probes[1];
}

/* Checks the part that a BPF program reads. */
static void
fuzz_look(const struct dt_look *lo)
{
	if (lo->lo_off + lo->lo_size > sizeof(struct dt_hit) ||
	    (lo->lo_size != 1 && lo->lo_size != 2 && lo->lo_size != 4 &&
		lo->lo_size != 8))
		abort();
}

/*
 * Sends it twice: a session's first pair goes to a worker after the checks; for
 * the second its table entry is made, too.
 */
static int
fuzz_send(const struct dtioc_pair *pa)
{
	static struct dt_pairdesc descs[2 * DT_PAIR_NDESCS];
	struct dt_softc sc = { .ds_client.dcl_slot = 1 };
	struct op op = { .op_sc = &sc, .op_arg = pa, .op_arglen = sizeof(*pa) };
	unsigned int i;
	int error, again;

	fuzz_enable();
	memset(descs, 0, sizeof(descs));
	dt_maps.dtm_pairdescs = descs;
	error = dt_ioctl_set_pair(&op);
	if (error == OP_LATER) {
		if ((again = dt_ioctl_set_pair(&op)) != 0 ||
		    pcbs[pa->dtpa_from].dp_other != &pcbs[pa->dtpa_to] ||
		    dt_ioctl_set_pair(&op) != EEXIST)
			abort();
		for (i = 0; i < pa->dtpa_nkeys; i++) {
			fuzz_look(
			    &descs[DT_PAIRDESC(1,
				       pcbs[pa->dtpa_from].dp_req.rq_pair)]
				 .pds_key[0][i]);
			fuzz_look(&descs[DT_PAIRDESC(1,
					     pcbs[pa->dtpa_to].dp_req.rq_pair)]
				       .pds_key[1][i]);
		}
		dt_pair_part(&sc, &pcbs[pa->dtpa_from]);
		error = again;
	} else if (error == 0 || op.op_reason.rsn_text[0] == '\0')
		abort(); /* no reason */
	dt_pair_free(&sc);
	return error;
}

static struct name_cache names;

static void
fuzz_text(const char *text, const char *from, const char *to)
{
	const struct probe *first = probe_syscall(&names, SYSCALL_ABI_64, from,
	    "entry");
	const struct probe *second = probe_syscall(&names, SYSCALL_ABI_64, to,
	    "return");
	const struct probe *of = probe_syscall(&names, SYSCALL_ABI_64, to,
	    "entry");
	struct dtioc_pair pa = { .dtpa_to = 1 };
	struct pair_key_name kn[DTPA_NKEYS];
	struct cond_operand a, b;
	unsigned int i;

	pa.dtpa_nkeys = pair_key_parse(text, kn);
	if (pa.dtpa_nkeys == 0)
		return;
	for (i = 0; i < pa.dtpa_nkeys; i++) {
		if (cond_operand(first, first, kn[i].kn_from, &a) == -1 ||
		    cond_operand(second, of, kn[i].kn_to, &b) == -1) {
			cond_nearest(first, first, NULL, kn[i].kn_from);
			return;
		}
		if (!a.cop_isnumber || !b.cop_isnumber ||
		    a.cop_opd.op_kind == DT_OPD_DURATION ||
		    b.cop_opd.op_kind == DT_OPD_DURATION)
			return; /* dt has refused it */
		pa.dtpa_fromkey[i] = a.cop_opd;
		pa.dtpa_tokey[i] = b.cop_opd;
	}
	if (fuzz_send(&pa) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dtioc_pair pa = { 0 };
	char *text;

	if (size < 1 || size > 4096)
		return 0;
	if (names.nm_probes.ha_slots == NULL) {
		name_cache_init(&names, NULL);
		limit_max[LIMIT_MAPBYTES] = (struct limit_max){ 1 << 20, 0 };
	}
	if (data[0] & INPUT_ISPAIR) {
		memcpy(&pa, data + 1,
		    size - 1 < sizeof(pa) ? size - 1 : sizeof(pa));
		fuzz_send(&pa);
		return 0;
	}
	/* of its exact size, for the sanitizer */
	if ((text = strndup((const char *)data + 1, size - 1)) == NULL)
		abort();
	fuzz_text(text, calls[data[0] % NCALLS], calls[data[0] / 8 % NCALLS]);
	free(text);
	return 0;
}
