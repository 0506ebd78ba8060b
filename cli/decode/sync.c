/* SPDX-License-Identifier: ISC */
/* Synchronization of threads: futexes, barriers, restartable sequences. */
#include <linux/futex.h>
#include <linux/membarrier.h>

#include "cli/decode/flag_names.h"
#include "sync_names.h"

#ifndef MEMBARRIER_CMD_GET_REGISTRATIONS
#define MEMBARRIER_CMD_GET_REGISTRATIONS 0x200 /* Linux 6.3 */
#endif

static void
futex_wakeop_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	if (v >> 28 & FUTEX_OP_OPARG_SHIFT)
		buf_str(b, "FUTEX_OP_OPARG_SHIFT<<28|");
	arg_put_enum(b, &wakeop_names, v >> 28 & 7);
	buf_str(b, "<<28|");
	arg_put_hex(b, v >> 12 & 0xfff);
	buf_str(b, "<<12|");
	arg_put_enum(b, &wakecmp_names, v >> 24 & 0xf);
	buf_str(b, "<<24|");
	arg_put_hex(b, v & 0xfff);
}

/* A number of threads, in place of a timeout. */
static void
futex_count_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_u64(b, (uint32_t)v);
}

#define FUTEX_FLAGS (FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)

static const struct arg_op futex_list[] = {
	{ ARG_IS(FUTEX_WAIT), 0x3,
	    { ARG_FUNC(arg_uint_text), ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(FUTEX_WAKE), 0x1, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(FUTEX_FD), 0x1, { ARG_FUNC(arg_uint_text) },
	    ARG_FUNC(arg_fd_text) },
	{ ARG_IS(FUTEX_REQUEUE), 0x7,
	    { ARG_FUNC(arg_uint_text), ARG_FUNC(futex_count_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(FUTEX_CMP_REQUEUE), 0xf,
	    { ARG_FUNC(arg_uint_text), ARG_FUNC(futex_count_text),
		ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_uint_text) },
	    NULL },
	{ ARG_IS(FUTEX_WAKE_OP), 0xf,
	    { ARG_FUNC(arg_uint_text), ARG_FUNC(futex_count_text),
		ARG_FUNC(arg_ptr_text), ARG_FUNC(futex_wakeop_text) },
	    NULL },
	{ ARG_IS(FUTEX_LOCK_PI), 0x2, { NULL, ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(FUTEX_UNLOCK_PI), 0, { NULL }, NULL },
	{ ARG_IS(FUTEX_TRYLOCK_PI), 0, { NULL }, NULL },
	{ ARG_IS(FUTEX_WAIT_BITSET), 0xb,
	    { ARG_FUNC(arg_uint_text), ARG_FUNC(arg_ptr_text), NULL,
		ARG_ENUM(bitset_names) },
	    NULL },
	{ ARG_IS(FUTEX_WAKE_BITSET), 0x9,
	    { ARG_FUNC(arg_uint_text), NULL, NULL, ARG_ENUM(bitset_names) },
	    NULL },
	{ ARG_IS(FUTEX_WAIT_REQUEUE_PI), 0x7,
	    { ARG_FUNC(arg_uint_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(FUTEX_CMP_REQUEUE_PI), 0xf,
	    { ARG_FUNC(arg_uint_text), ARG_FUNC(futex_count_text),
		ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_uint_text) },
	    NULL },
	{ ARG_IS(FUTEX_LOCK_PI2), 0x2, { NULL, ARG_FUNC(arg_ptr_text) }, NULL },
};
const struct arg_ops arg_ops_futex = ARG_OPS(futex_list, 1,
    ~(uint64_t)FUTEX_FLAGS);

/* FUTEX_WAIT_PRIVATE; FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME */
static void
futex_op_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct arg_op *ao = arg_op_find(&arg_ops_futex, ac);

	(void)argn;
	(void)ak;
	if (ao == NULL) {
		arg_put_hex(b, v);
		return;
	}
	buf_mem(b, ao->ao_name.an_name, ao->ao_name.an_len);
	if (v & FUTEX_PRIVATE_FLAG)
		buf_str(b,
		    ao->ao_name.an_value == FUTEX_FD ? "|FUTEX_PRIVATE_FLAG"
						     : "_PRIVATE");
	if (v & FUTEX_CLOCK_REALTIME)
		buf_str(b, "|FUTEX_CLOCK_REALTIME");
}

static int
futex_shown(const struct arg_call *ac, unsigned int argn)
{
	return arg_op_shown(&arg_ops_futex, ac, argn);
}

/* Two commands return a mask of commands. */
static void
membarrier_ret_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	uint64_t cmd = arg_value(ac, 0);

	if (ac->ac_entry != NULL &&
	    (cmd == MEMBARRIER_CMD_QUERY ||
		cmd == MEMBARRIER_CMD_GET_REGISTRATIONS))
		arg_note_flags_text(b, ac, argn, v, ak);
	else
		buf_s64(b, (int64_t)v);
}

static int
membarrier_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn != 2 || (arg_value(ac, 1) & MEMBARRIER_CMD_FLAG_CPU) != 0;
}

static const struct arg_row sync_rows[] = {
	{ "futex", "op", NULL, ARG_FUNC(futex_op_text) },
	{ "futex", "val", NULL, ARG_OP(arg_ops_futex) },
	{ "futex", "utime", NULL, ARG_OP(arg_ops_futex) },
	{ "futex", "uaddr2", NULL, ARG_OP(arg_ops_futex) },
	{ "futex", "val3", NULL, ARG_OP(arg_ops_futex) },
	{ "futex", "=", NULL, ARG_OP(arg_ops_futex) },
	{ "futex_wake futex_wait futex_requeue", "flags", NULL,
	    ARG_FLAGS(futex2_names) },
	{ "futex_wake futex_wait", "mask", NULL, ARG_FUNC(arg_hex_text) },
	{ "membarrier", "cmd", NULL, ARG_FLAGS(membarrier_names) },
	{ "membarrier", "=", NULL,
	    ARG_KIND(membarrier_ret_text, &membarrier_names) },
	{ "membarrier", "flags", NULL, ARG_FLAGS(mbflag_names) },
	{ "rseq", "sig", NULL, ARG_FUNC(arg_hex_text) }, /* a signature */
};

static const struct arg_show sync_shows[] = {
	{ "futex", futex_shown },
	{ "membarrier", membarrier_shown },
};

const struct arg_table arg_table_sync = ARG_TABLE_SHOW(sync_rows, sync_shows);
