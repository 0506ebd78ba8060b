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
#include "cli/cond/cond.h"
#include "cli/opts/pair_key.h"
#include "daemon/dt/dt_pair.h"
#include "tests/fuzz/fuzz_session.h"
#include "tests/unit/probe_syscall.h"

#define INPUT_ISPAIR 0x80

static const char *const calls[] = { "openat", "close", "kill", "renameat2",
	"mmap", "socket", "ioctl", "getpid" };

#define NCALLS (sizeof(calls) / sizeof(calls[0]))

/*
 * Replace parts of the daemon.
 */
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
	pcbs[2].dp_nsecs = 1000; /* a clock */
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
