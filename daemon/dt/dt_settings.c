/* SPDX-License-Identifier: ISC */
/* Changes the settings of a session before it records. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"

#define DT_BUDGET_MAX (1ULL << 30)

int
dt_settings_isnamed(const struct dt_settings *ds, const struct dt_client *dcl)
{
	const struct dtioc_filter *fi = &ds->dst_filter;

	if (dt_client_islimited(dcl) &&
	    (dcl->dcl_peer.peer_rights & RIGHT_PROFILE) == 0)
		return 1;
	return (fi->dtfi_set & DTFI_TID) != 0 ||
	    ((fi->dtfi_set & DTFI_PID) != 0 && fi->dtfi_pid != 1);
}

int
dt_ioctl_self(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int on;

	if (sc->ds_recording)
		return EBUSY;
	memcpy(&on, op->op_arg, sizeof(on));
	sc->ds_settings.dst_self = on != 0;
	return 0;
}

int
dt_ioctl_nolimit(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int on;

	if (sc->ds_recording)
		return EBUSY;
	memcpy(&on, op->op_arg, sizeof(on));
	sc->ds_cost.dco_nolimit = on != 0;
	return 0;
}

int
dt_ioctl_set_filter(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dtioc_filter fi;
	size_t n;

	memcpy(&fi, op->op_arg, sizeof(fi));
	if (fi.dtfi_set &
	    ~(DTFI_PID | DTFI_TID | DTFI_UID | DTFI_COMM | DTFI_CHILDREN |
		DTFI_CGROUP | DTFI_ONEXEC))
		return op_fail(op, EINVAL, "unknown bits in dtfi_set");
	if ((fi.dtfi_set & DTFI_CHILDREN) && !(fi.dtfi_set & DTFI_PID))
		return op_fail(op, EINVAL,
		    "DTFI_CHILDREN wants a process in dtfi_pid");
	if ((fi.dtfi_set & DTFI_ONEXEC) && !(fi.dtfi_set & DTFI_PID))
		return op_fail(op, EINVAL,
		    "DTFI_ONEXEC requires a process in dtfi_pid");
	if ((fi.dtfi_set & DTFI_CGROUP) && fi.dtfi_cgroup == 0)
		return op_fail(op, EINVAL, "no cgroup has the id 0");
	if (sc->ds_recording)
		return EBUSY;
	/* Names are compared as the kernel has them: ended by NULs. */
	fi.dtfi_comm[sizeof(fi.dtfi_comm) - 1] = '\0';
	n = strlen(fi.dtfi_comm);
	memset(fi.dtfi_comm + n, 0, sizeof(fi.dtfi_comm) - n);
	sc->ds_settings.dst_filter = fi;
	return 0;
}

int
dt_ioctl_set_path(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dtioc_path ph;
	size_t n;

	memcpy(&ph, op->op_arg, sizeof(ph));
	n = strnlen(ph.dtph_prefix, sizeof(ph.dtph_prefix));
	if (n == sizeof(ph.dtph_prefix))
		return op_fail(op, EINVAL, "dtph_prefix has no NUL at its end");
	if (n > 0 && ph.dtph_prefix[0] != '/')
		return op_fail(op, EINVAL,
		    "dtph_prefix does not begin with '/'");
	if (sc->ds_recording)
		return EBUSY;
	memset(ph.dtph_prefix + n, 0, sizeof(ph.dtph_prefix) - n);
	sc->ds_settings.dst_path = ph;
	return 0;
}

/* Sets one of the budgets.  EINVAL: out of range; EBUSY: the rings exist. */
static int
dt_budget_set(const struct dt_softc *sc, uint64_t *budget, struct op *op)
{
	uint64_t nbytes;

	memcpy(&nbytes, op->op_arg, sizeof(nbytes));
	if (nbytes == 0 || nbytes > DT_BUDGET_MAX)
		return op_fail(op, EINVAL, "a budget is 1 byte to %llu",
		    DT_BUDGET_MAX);
	if (sc->ds_rings.drg_rings.ri_rings != NULL)
		return EBUSY;
	*budget = nbytes;
	return 0;
}

int
dt_ioctl_set_budget(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	return dt_budget_set(sc, &sc->ds_rings.drg_budget, op);
}

int
dt_ioctl_set_maxbudget(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	return dt_budget_set(sc, &sc->ds_rings.drg_maxbudget, op);
}
