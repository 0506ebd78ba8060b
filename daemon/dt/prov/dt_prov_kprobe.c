/* SPDX-License-Identifier: ISC */
/*
 * The kprobe provider: entry and return of kernel functions. There are tens of
 * thousands, so there is no list of probes: a number is derived from the index
 * in the table of daemon/kernel/func.c, and a struct dt_probe is created at
 * ENABLE.
 *
 * Links belong to one session. All its probes are attached together when it
 * records. Links deliver hits only while the run is valid in the
 * programs' table: RECORD 0 and close invalidate it, and need not wait for the
 * kernel to detach.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/prov/dt_prov_kprobe_load.h"
#include "daemon/dt/prov/dt_prov_kprobe_run.h"
#include "daemon/kernel/func.h"
#include "daemon/kernel/func_proto.h"
#include "daemon/kernel/load_error.h"
#include "daemon/perf/perf_event.h"

#define KPROBE_CHUNK 256 /* probes */

/* A probe that a client has looked up, with its name. */
struct made {
	struct dt_probe mde_probe; /* first: a probe is made */
	char mde_func[DTNAMESIZE];
};

static const char *const dir_names[] = { "entry", "return" };

static struct made **chunks[(1U << 23) / KPROBE_CHUNK]; /* control thread */

static int unavailable; /* by init, then constant */

/*
 * Probes
 */

static int
dt_prov_kprobe_init(const struct dt_provider *prov __attribute__((unused)),
    char *reason, size_t size)
{
	if (access("/sys/bus/event_source/devices/kprobe/type", F_OK) != 0)
		snprintf(reason, size,
		    "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)");
	else if (dt_is_locked_down())
		snprintf(reason, size,
		    "the kernel is locked down (confidentiality)");
	unavailable = reason[0] != '\0';
	return unavailable ? 0 : func_proto_init();
}

/* Only one method attaches by perf events, one for each function. */
static const char *
dt_prov_kprobe_lacks(void)
{
	const char *lacks = perf_event_broken(), *why;
	const struct attach_method *am;

	if (lacks == NULL ||
	    (am = attach_method(ATTACH_ENTRY, 1, &why)) == NULL)
		return NULL;
	return am->am_piece == 1 && am->am_few == 0 ? lacks : NULL;
}

/* States how functions are attached, and why. */
static unsigned int
dt_prov_kprobe_remark(char *remark, size_t size)
{
	const struct attach_method *entry, *ret, *am;
	const char *why;
	char few[96] = "", returns[96] = "";

	entry = attach_method(ATTACH_ENTRY, 1, &why);
	ret = attach_method(ATTACH_RETURN, 1, &why);
	am = attach_method(ATTACH_ENTRY, ATTACH_MULTI, &why);
	if (am == NULL) {
		snprintf(remark, size, "cannot be attached: %s", why);
		return 2 * func_count();
	}
	if (entry != am)
		snprintf(few, sizeof(few),
		    "%s, for up to %zu probes; others by ", entry->am_what,
		    entry->am_few);
	else if (ret != am)
		snprintf(returns, sizeof(returns),
		    "; returns by %s, for up to %zu probes", ret->am_what,
		    ret->am_few);
	snprintf(remark, size, "by %s%s%s%s%s", few, am->am_what, returns,
	    why != NULL ? ": " : "", why != NULL ? why : "");
	return 2 * func_count();
}

static struct made *
probe_make(uint32_t n)
{
	struct made *ma;
	struct func fu;

	if (func_get(KPROBE_INDEX(n), &fu) != 0)
		return NULL;
	if ((ma = calloc(1, sizeof(*ma))) == NULL)
		return NULL;
	memcpy(ma->mde_func, fu.fu_name, DTNAMESIZE);
	ma->mde_probe.dtp_prov = &dt_prov_kprobe;
	ma->mde_probe.dtp_pbn = DT_PBN_KPROBE + n;
	ma->mde_probe.dtp_func = ma->mde_func;
	ma->mde_probe.dtp_name = dir_names[KPROBE_DIR(n)];
	ma->mde_probe.dtp_sysnum = n;
	return ma;
}

static struct dt_probe *
dt_prov_kprobe_find(uint32_t pbn)
{
	uint32_t n = pbn - DT_PBN_KPROBE;
	struct made ***chunk;

	if (pbn < DT_PBN_KPROBE || KPROBE_INDEX(n) >= func_count())
		return NULL;
	chunk = &chunks[n / KPROBE_CHUNK];
	if (*chunk == NULL &&
	    (*chunk = calloc(KPROBE_CHUNK, sizeof(**chunk))) == NULL)
		return NULL;
	if ((*chunk)[n % KPROBE_CHUNK] == NULL)
		(*chunk)[n % KPROBE_CHUNK] = probe_make(n);
	return (struct dt_probe *)(*chunk)[n % KPROBE_CHUNK];
}

/* Keeps the types until the session is closed, since it requests them often. */
static void
kprobe_hold(struct dt_enabled *en)
{
	if (!en->den_hastypes)
		func_proto_hold();
	en->den_hastypes = 1;
}

static void
dt_prov_kprobe_close(struct dt_enabled *en)
{
	if (en->den_hastypes)
		func_proto_drop();
	en->den_hastypes = 0;
}

static int
dt_prov_kprobe_match(struct dt_enabled *en, const char *pattern,
    uint32_t **listp, size_t *np, struct reason *rs)
{
	size_t i;
	int error;

	*listp = NULL;
	*np = 0;
	if (unavailable)
		return 0;
	kprobe_hold(en);
	pattern += strcspn(pattern, ":");
	pattern += *pattern == ':';
	if ((error = func_read(pattern, rs)) == 0)
		error = func_match(pattern, listp, np, rs);
	for (i = 0; error == 0 && i < *np; i++)
		(*listp)[i] += DT_PBN_KPROBE;
	return error;
}

static void
dt_prov_kprobe_info(uint32_t pbn, struct dtioc_probe_info *dtpi)
{
	uint32_t n = pbn - DT_PBN_KPROBE;
	struct func_proto kp;
	struct func fu;

	(void)func_get(KPROBE_INDEX(n), &fu);
	dtpi->dtpi_pbn = pbn;
	dtpi->dtpi_flags = DTPI_FUNC;
	dtpi->dtpi_regs = DT_REGS_FUNC;
	strcpy(dtpi->dtpi_prov, "kprobe");
	memcpy(dtpi->dtpi_func, fu.fu_name, DTNAMESIZE);
	strcpy(dtpi->dtpi_name, dir_names[KPROBE_DIR(n)]);
	func_proto_get(fu.fu_symbol, fu.fu_module, &kp, NULL);
	dtpi->dtpi_nargs = KPROBE_DIR(n) == ATTACH_ENTRY
	    ? kp.fpr_nargs
	    : kp.fpr_ret != DT_KRET_NONE; /* type of the result */
}

static unsigned int
dt_prov_kprobe_describe(const struct dt_probe *dtp, struct dt_described *ded)
{
	struct func_proto_text kt;
	struct func_proto kp;
	struct func fu;

	(void)func_get(KPROBE_INDEX(dtp->dtp_sysnum), &fu);
	func_proto_get(fu.fu_symbol, fu.fu_module, &kp, &kt);
	if (KPROBE_DIR(dtp->dtp_sysnum) == ATTACH_ENTRY) {
		memcpy(ded->ded_types, kt.fpt_type, kp.fpr_nargs * DTNAMESIZE);
		memcpy(ded->ded_names, kt.fpt_name, kp.fpr_nargs * DTNAMESIZE);
		return kp.fpr_nargs;
	}
	memcpy(ded->ded_types[0], kt.fpt_ret, DTNAMESIZE);
	strcpy(ded->ded_names[0], "retval");
	return kp.fpr_ret != DT_KRET_NONE;
}

static const char *
kprobe_denied(const struct dt_probe *dtp)
{
	struct func fu;

	return func_get(KPROBE_INDEX(dtp->dtp_sysnum), &fu) == 0 ? fu.fu_denied
								 : NULL;
}

static int
dt_prov_kprobe_refuse(const struct dt_probe *dtp, struct reason *rs)
{
	const char *why = kprobe_denied(dtp);

	if (why == NULL)
		return 0;
	return reason_fail(rs, EINVAL, "%s is never probed: it %s",
	    dtp->dtp_func, why);
}

/* The client knows the number of arguments; further ones read as 0. */
static int
dt_prov_kprobe_operand(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo)
{
	int isreturn = KPROBE_DIR(dtp->dtp_sysnum) == ATTACH_RETURN;

	return dt_look_call(op, isreturn ? 0 : FUNC_PROTO_NARGS, isreturn,
	    DT_LOOK_ADDRTEXT, lo);
}

static int
dt_prov_kprobe_alloc(struct dt_enabled *en, struct dt_pcb *dp,
    const struct dtioc_req *rq)
{
	en->den_nslow++;
	dt_pcb_func(dp, rq);
	return 0;
}

/* The programs of a session are loaded when it records. */
static int
dt_prov_kprobe_load(unsigned int part __attribute__((unused)),
    struct reason *rs)
{
	const char *why;
	int error;

	if (attach_method(ATTACH_ENTRY, ATTACH_MULTI, &why) == NULL)
		return reason_fail(rs, EOPNOTSUPP, "%s", why);
	if ((error = kprobe_load_init()) != 0)
		reason_set(rs, "cannot make its table: %s", strerror(error));
	return error;
}

static int
dt_prov_kprobe_attach(struct dt_enabled *en, struct reason *rs)
{
	if (en->den_nslow == 0)
		return 0;
	kprobe_hold(en);
	return kprobe_attach(en, rs);
}

/* Nothing to do: kprobe_attach() attaches all functions together. */
static int
dt_prov_kprobe_start(struct dt_enabled *en __attribute__((unused)),
    struct dt_pcb *dp __attribute__((unused)))
{
	return 0;
}

static void
dt_prov_kprobe_stop(struct dt_enabled *en, struct dt_pcb *dp)
{
	dp->dp_started = 0;
	kprobe_run_disable(en, en->den_kprobes, dp);
}

static void
dt_prov_kprobe_halt(struct dt_enabled *en)
{
	kprobe_run_halt(en, en->den_kprobes);
}

static void
dt_prov_kprobe_detach(struct dt_enabled *en)
{
	kprobe_run_end(en, &en->den_kprobes);
}

static const struct dt_provlist kprobe_list = {
	.pvl_init = dt_prov_kprobe_init,
	.pvl_broken = dt_prov_kprobe_lacks,
	.pvl_remark = dt_prov_kprobe_remark,
};

static const struct dt_provargs kprobe_args = {
	.pva_operand = dt_prov_kprobe_operand,
};

static const struct dt_provrec kprobe_rec = {
	.pvr_tally = DT_TALLY_KPROBE,
	.pvr_alloc = dt_prov_kprobe_alloc,
	.pvr_load = dt_prov_kprobe_load,
	.pvr_tables = 1,
	.pvr_israre = 1,
	.pvr_start = dt_prov_kprobe_start,
	.pvr_stop = dt_prov_kprobe_stop,
};

static const struct dt_provset kprobe_set = {
	.pvs_attach = dt_prov_kprobe_attach,
	.pvs_halt = dt_prov_kprobe_halt,
	.pvs_detach = dt_prov_kprobe_detach,
	.pvs_fini = attach_fini,
};

static const struct dt_dynprobes kprobe_dyn = {
	.dyn_find = dt_prov_kprobe_find,
	.dyn_match = dt_prov_kprobe_match,
	.dyn_info = dt_prov_kprobe_info,
	.dyn_describe = dt_prov_kprobe_describe,
	.dyn_refuse = dt_prov_kprobe_refuse,
	.dyn_close = dt_prov_kprobe_close,
};

const struct dt_provider dt_prov_kprobe = {
	.prov_name = "kprobe",
	.prov_flags = DTPI_FUNC,
	.prov_regs = DT_REGS_FUNC,
	.prov_rights = RIGHT_TRACE_ALL,
	.prov_list = &kprobe_list,
	.prov_args = &kprobe_args,
	.prov_rec = &kprobe_rec,
	.prov_set = &kprobe_set,
	.prov_dyn = &kprobe_dyn,
};
