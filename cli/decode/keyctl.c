/* SPDX-License-Identifier: ISC */
/*
 * Keys: add_key(2), request_key(2), keyctl(2).
 */
#include <linux/keyctl.h>

#include "cli/base/val.h"
#include "cli/decode/flag_names.h"
#include "keyctl_names.h"

/* Formats the number of a key, or a special one by name. */
static void
key_serial_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct arg_name *an = arg_name_of(&spec_names, (uint32_t)v);

	(void)ac;
	(void)argn;
	(void)ak;
	if (an != NULL)
		buf_mem(b, an->an_name, an->an_len);
	else
		buf_s64(b, (int32_t)v);
}

/* Uses the lower 32 bits of the register. */
static void
key_reqkey_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	arg_put_enum(b, &reqkey_names, (uint32_t)v);
}

static void
key_uid_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	arg_uid_text(b, ac, argn, (uint32_t)v, ak);
}

static void
key_errno_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const char *name = val_errname(v < 4096 ? v : 0);

	(void)ac;
	(void)argn;
	(void)ak;
	if (name != NULL)
		buf_str(b, name);
	else
		buf_u64(b, v);
}

static const struct arg_op keyctl_list[] = {
	{ ARG_IS(KEYCTL_GET_KEYRING_ID), 0x3,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_int_text) }, NULL },
	{ ARG_IS(KEYCTL_JOIN_SESSION_KEYRING), 0x1, { ARG_FUNC(arg_str_text) },
	    NULL },
	{ ARG_IS(KEYCTL_UPDATE), 0x7,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_uint_text) },
	    NULL },
	{ ARG_IS(KEYCTL_REVOKE), 0x1, { ARG_FUNC(key_serial_text) }, NULL },
	{ ARG_IS(KEYCTL_CHOWN), 0x7,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(key_uid_text),
		ARG_FUNC(key_uid_text) },
	    NULL },
	{ ARG_IS(KEYCTL_SETPERM), 0x3,
	    { ARG_FUNC(key_serial_text), ARG_FLAGS(perm_names) }, NULL },
	{ ARG_IS(KEYCTL_DESCRIBE), 0x7,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_uint_text) },
	    NULL },
	{ ARG_IS(KEYCTL_CLEAR), 0x1, { ARG_FUNC(key_serial_text) }, NULL },
	{ ARG_IS(KEYCTL_LINK), 0x3,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(key_serial_text) }, NULL },
	{ ARG_IS(KEYCTL_UNLINK), 0x3,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(key_serial_text) }, NULL },
	{ ARG_IS(KEYCTL_SEARCH), 0xf,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_str_text),
		ARG_FUNC(arg_str_text), ARG_FUNC(key_serial_text) },
	    NULL },
	{ ARG_IS(KEYCTL_READ), 0x7,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_uint_text) },
	    NULL },
	{ ARG_IS(KEYCTL_INSTANTIATE), 0xf,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_uint_text), ARG_FUNC(key_serial_text) },
	    NULL },
	{ ARG_IS(KEYCTL_NEGATE), 0x7,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(key_serial_text) },
	    NULL },
	{ ARG_IS(KEYCTL_SET_REQKEY_KEYRING), 0x1, { ARG_FUNC(key_reqkey_text) },
	    NULL },
	{ ARG_IS(KEYCTL_SET_TIMEOUT), 0x3,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(KEYCTL_ASSUME_AUTHORITY), 0x1, { ARG_FUNC(key_serial_text) },
	    NULL },
	{ ARG_IS(KEYCTL_GET_SECURITY), 0x7,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_uint_text) },
	    NULL },
	{ ARG_IS(KEYCTL_SESSION_TO_PARENT), 0, { NULL }, NULL },
	{ ARG_IS(KEYCTL_REJECT), 0xf,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(key_errno_text), ARG_FUNC(key_serial_text) },
	    NULL },
	{ ARG_IS(KEYCTL_INSTANTIATE_IOV), 0xf,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_uint_text), ARG_FUNC(key_serial_text) },
	    NULL },
	{ ARG_IS(KEYCTL_INVALIDATE), 0x1, { ARG_FUNC(key_serial_text) }, NULL },
	{ ARG_IS(KEYCTL_GET_PERSISTENT), 0x3,
	    { ARG_FUNC(key_uid_text), ARG_FUNC(key_serial_text) }, NULL },
	{ ARG_IS(KEYCTL_DH_COMPUTE), 0xf,
	    { ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_uint_text), ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(KEYCTL_PKEY_QUERY), 0xf,
	    { ARG_FUNC(key_serial_text), NULL, ARG_FUNC(arg_str_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(KEYCTL_PKEY_ENCRYPT), 0xf,
	    { ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_str_text),
		ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(KEYCTL_PKEY_DECRYPT), 0xf,
	    { ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_str_text),
		ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(KEYCTL_PKEY_SIGN), 0xf,
	    { ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_str_text),
		ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(KEYCTL_PKEY_VERIFY), 0xf,
	    { ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_str_text),
		ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(KEYCTL_RESTRICT_KEYRING), 0x7,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_str_text),
		ARG_FUNC(arg_str_text) },
	    NULL },
	{ ARG_IS(KEYCTL_MOVE), 0xf,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(key_serial_text),
		ARG_FUNC(key_serial_text), ARG_FLAGS(move_names) },
	    NULL },
	{ ARG_IS(KEYCTL_CAPABILITIES), 0x3,
	    { ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(KEYCTL_WATCH_KEY), 0x7,
	    { ARG_FUNC(key_serial_text), ARG_FUNC(arg_fd_text),
		ARG_FUNC(arg_hex_text) },
	    NULL },
};
const struct arg_ops arg_ops_keyctl = ARG_OPS(keyctl_list, 0, UINT64_MAX);

static int
keyctl_shown(const struct arg_call *ac, unsigned int argn)
{
	return arg_op_shown(&arg_ops_keyctl, ac, argn);
}

static const struct arg_row key_rows[] = {
	{ "add_key", "ringid", NULL, ARG_FUNC(key_serial_text) },
	{ "request_key", "destringid", NULL, ARG_FUNC(key_serial_text) },
	{ "keyctl", "option", NULL, ARG_OP(arg_ops_keyctl) },
	{ "keyctl", "arg2", NULL, ARG_OP(arg_ops_keyctl) },
	{ "keyctl", "arg3", NULL, ARG_OP(arg_ops_keyctl) },
	{ "keyctl", "arg4", NULL, ARG_OP(arg_ops_keyctl) },
	{ "keyctl", "arg5", NULL, ARG_OP(arg_ops_keyctl) },
};

static const struct arg_show key_shows[] = { { "keyctl", keyctl_shown } };

const struct arg_table arg_table_keyctl = ARG_TABLE_SHOW(key_rows, key_shows);
