/* SPDX-License-Identifier: ISC */
/* Results of operations. */
#include <string.h>

#include "daemon/device/op.h"

int
op_fail(struct op *op, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reason_vset(&op->op_reason, fmt, ap);
	va_end(ap);
	return error;
}

int
op_reply(struct op *op, const void *reply, size_t nbytes)
{
	memcpy(op->op_out, reply, nbytes);
	op->op_outlen = nbytes;
	return 0;
}
