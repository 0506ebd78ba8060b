/* SPDX-License-Identifier: ISC */
/* DTIOCGSTACK: the frames of stacks that programs copied. */
#include <errno.h>

#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/unwind/unwind.h"

int
dt_ioctl_get_stack(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;
	const struct dtioc_stack *arg = op->op_arg;
	struct dtioc_stack *dtsk = op->op_out;
	int error;

	error = unwind_copy_take(UNWIND_SESSION(sc->ds_client.dcl_slot,
				     sc->ds_client.dcl_gen),
	    arg->dtsk_copy, dtsk);
	if (error == ENOENT)
		return op_fail(op, ENOENT, "the session has no such copy");
	if (error == 0)
		op->op_outlen = sizeof(*dtsk);
	return error;
}
