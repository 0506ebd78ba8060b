/* SPDX-License-Identifier: ISC */
/*
 * DTIOCGADDR: addresses of the kernel's symbols by name, and of those in the
 * files of probes.
 */
#include <errno.h>
#include <string.h>

#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/dt/dt_sym.h"
#include "daemon/kernel/kallsyms.h"

static int
addr_of_kernel(struct dtioc_addr *ad, struct reason *rs)
{
	struct kallsyms_func kf = { .kaf_name = ad->dtad_name };
	int error = kallsyms_find(&kf, 1);

	if (error != 0) {
		kallsyms_why(error, rs);
		return error;
	}
	if (kf.kaf_begin == 0)
		return reason_fail(rs, ENOENT, "the kernel has no symbol %s",
		    ad->dtad_name);
	ad->dtad_addr = kf.kaf_begin;
	return 0;
}

static int
addr_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct dt_provargs *pva;
	const struct dt_probe *dtp;
	struct dtioc_addr ad;
	int error;

	memcpy(&ad, op->op_arg, sizeof(ad));
	if (ad.dtad_pbn == 0)
		error = addr_of_kernel(&ad, &op->op_reason);
	else {
		dtp = sc->ds_list.dli_probe;
		pva = dtp->dtp_prov->prov_args;
		error = pva->pva_symbol(dtp, &ad, &op->op_reason);
	}
	return error != 0 ? error : op_reply(op, &ad, sizeof(ad));
}

int
dt_ioctl_get_addr(struct op *op)
{
	const struct dtioc_addr *ad = op->op_arg;
	struct dt_softc *sc = op->op_sc;
	const struct dt_provargs *pva;
	struct dt_probe *dtp;

	if (memchr(ad->dtad_name, '\0', sizeof(ad->dtad_name)) == NULL ||
	    ad->dtad_name[0] == '\0')
		return op_fail(op, EINVAL,
		    "the name of a symbol has 1 to %zu bytes",
		    sizeof(ad->dtad_name) - 1);
	if (ad->dtad_size != 0 || ad->dtad_addr != 0)
		return op_fail(op, EINVAL,
		    "the request has bytes that are not 0");
	if (ad->dtad_pbn != 0) {
		dtp = dt_probe_of(&sc->ds_enabled, ad->dtad_pbn);
		if (dtp == NULL)
			return op_fail(op, ENOENT, "there is no probe %u",
			    ad->dtad_pbn);
		pva = dtp->dtp_prov->prov_args;
		if (pva == NULL || pva->pva_symbol == NULL)
			return op_fail(op, EINVAL,
			    "probes of %s belong to no file",
			    dtp->dtp_prov->prov_name);
		sc->ds_list.dli_probe = dtp;
	}
	return dt_sym_later(op, addr_run);
}
