/* SPDX-License-Identifier: ISC */
/* DTIOCGSTACK: the frames of stacks that programs copied. */
#include <errno.h>

#include "daemon/dt/dt_ioctl.h"

int
dt_ioctl_get_stack(struct op *op)
{

	return op_fail(op, ENOENT, "no such copy");
}
