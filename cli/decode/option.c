/* SPDX-License-Identifier: ISC */
/* Calls with an option argument: prctl(2), fcntl(2), futex(2) and the like. */
#include "cli/decode/kind.h"

const struct arg_op *
arg_op_find(const struct arg_ops *os, const struct arg_call *ac)
{
	const struct arg_ops *own = os->aos_own[ac->ac_probe->pr_machine];
	uint64_t op = arg_value(ac, os->aos_argn) & os->aos_mask;
	const struct arg_op *ao = os->aos_list, *end = ao + os->aos_n;

	for (; ao < end; ao++) {
		if (ao->ao_name.an_value == op)
			return ao;
	}
	return own != NULL ? arg_op_find(own, ac) : NULL;
}

int
arg_op_shown(const struct arg_ops *os, const struct arg_call *ac,
    unsigned int argn)
{
	const struct arg_op *ao;

	if (argn <= os->aos_argn || (ao = arg_op_find(os, ac)) == NULL)
		return 1;
	return (ao->ao_args >> (argn - os->aos_argn - 1) & 1) != 0;
}

static void
op_put_name(struct buf *b, const struct arg_op *ao, uint64_t v)
{
	if (ao != NULL)
		buf_mem(b, ao->ao_name.an_name, ao->ao_name.an_len);
	else
		arg_put_hex(b, v);
}

static void
op_put_ret(struct buf *b, const struct arg_call *ac, uint64_t v,
    const struct arg_op *ao)
{
	if (ac->ac_entry != NULL && ao != NULL && ao->ao_ret != NULL)
		ao->ao_ret->ak_text(b, ac, ARG_RET, v, ao->ao_ret);
	else
		buf_s64(b, (int64_t)v);
}

void
arg_op_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct arg_ops *os = ak->ak_table;
	const struct arg_op *ao = arg_op_find(os, ac);
	const struct arg_kind *kind = NULL;

	if (argn == ARG_RET) {
		op_put_ret(b, ac, v, ao);
		return;
	}
	if (argn == os->aos_argn) {
		op_put_name(b, ao, v);
		return;
	}
	if (ao != NULL && argn - os->aos_argn - 1 < 4)
		kind = ao->ao_kinds[argn - os->aos_argn - 1];
	if (kind != NULL)
		kind->ak_text(b, ac, argn, v, kind);
	else
		arg_put_hex(b, v);
}
