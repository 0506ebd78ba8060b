/* SPDX-License-Identifier: ISC */
/*
 * Arguments, as arg.h tells.
 */
#include "arg.h"

void
arg_text(struct buf *b, const struct arg_call *ac, unsigned int argn)
{
	val_text(b, ac->ac_probe->pr_args[argn], ac->ac_entry->ev_args[argn]);
}

void
arg_ret_text(struct buf *b, const struct arg_call *ac)
{
	val_text(b, ac->ac_probe->pr_ret, ac->ac_ret->ev_ret->drr_retval);
}
