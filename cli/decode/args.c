/* SPDX-License-Identifier: ISC */
/* Formats arguments: by the kind that the probe has, else by type alone. */
#include <string.h>

#include "cli/decode/args.h"
#include "cli/decode/mem.h"

/* Bits of a register that belong to a value of this type. */
static const uint64_t arg_masks[] = {
	[VAL_HEX] = UINT64_MAX,
	[VAL_S32] = UINT32_MAX,
	[VAL_U32] = UINT32_MAX,
	[VAL_S64] = UINT64_MAX,
	[VAL_U64] = UINT64_MAX,
	[VAL_X32] = UINT32_MAX,
	[VAL_X64] = UINT64_MAX,
	[VAL_O32] = UINT32_MAX,
	[VAL_S16] = UINT16_MAX,
	[VAL_U16] = UINT16_MAX,
	[VAL_S8] = UINT8_MAX,
	[VAL_U8] = UINT8_MAX,
	[VAL_NONE] = 0,
};

uint64_t
arg_value(const struct arg_call *ac, unsigned int argn)
{
	if (ac->ac_entry == NULL || argn >= ac->ac_entry->ev_nargs)
		return 0;
	return ac->ac_entry->ev_args[argn] &
	    arg_masks[ac->ac_probe->pr_args[argn]];
}

int
arg_shown(const struct arg_call *ac, unsigned int argn)
{
	return ac->ac_probe->pr_shown == NULL ||
	    ac->ac_probe->pr_shown(ac, argn);
}

/*
 * Returns the text that was recorded because str() requested it: the type of the
 * argument is a number or another pointer.
 */
static const struct dt_rec_string *
arg_requested(const struct probe *pr, const struct arg_kind *ak,
    const struct arg_call *ac, unsigned int argn)
{
	if ((pr->pr_desc.pd_info.dtpi_flags & DTPI_FUNC) == 0 ||
	    (ak != NULL && ak->ak_text != arg_ptr_text))
		return NULL;
	return arg_string(ac, argn);
}

void
arg_text(struct buf *b, const struct arg_call *ac, unsigned int argn)
{
	const struct probe *pr = ac->ac_probe;
	const struct arg_kind *ak = pr->pr_kinds[argn];
	const struct dt_rec_string *s = arg_requested(pr, ak, ac, argn);

	if (s != NULL)
		arg_put_string(b, s);
	else if (ak != NULL)
		ak->ak_text(b, ac, argn, arg_value(ac, argn), ak);
	else
		val_text(b, pr->pr_args[argn], ac->ac_entry->ev_args[argn]);
}

/*
 * Returns whether the call reads or writes it as data, directly or by a vector.
 */
static int
arg_isdata(const struct arg_kind *ak, const char *type)
{
	return ak->ak_text == mem_data_text || strstr(type, "iovec") != NULL ||
	    strstr(type, "msghdr") != NULL;
}

const char *
arg_unreadable(const struct probe *pr, unsigned int argn)
{
	const char *type = pr->pr_desc.pd_types[argn].dtai_argtype;

	if ((pr->pr_desc.pd_names[argn].dtan_flags & DTAN_NOVALUE) == 0)
		return NULL;
	return strcmp(type, "float") == 0 || strstr(type, "double") != NULL
	    ? "it is a floating point number"
	    : "its place is unknown, or it is a floating point number";
}

uint64_t
arg_evtflags(const struct probe *pr, unsigned int argn)
{
	const char *type = pr->pr_desc.pd_types[argn].dtai_argtype;
	const struct arg_kind *ak = pr->pr_kinds[argn];

	if (pr->pr_desc.pd_names[argn].dtan_flags & DTAN_NOVALUE)
		return 0;
	if (pr->pr_args[argn] == VAL_NONE)
		return DTEVT_STRINGS; /* part of the record */
	if (ak == NULL || ak->ak_text == arg_ptr_text ||
	    (strchr(type, '*') == NULL && ak->ak_text != mem_cmd_text))
		return 0;
	if ((pr->pr_desc.pd_info.dtpi_flags & DTPI_CALL) == 0 ||
	    ak->ak_text == arg_str_text || ak->ak_text == arg_argv_text)
		return DTEVT_STRINGS;
	return DTEVT_MEMORY | (arg_isdata(ak, type) ? DTEVT_DATA : 0);
}

uint64_t
arg_str_evtflags(const struct probe *pr, unsigned int argn)
{
	if ((pr->pr_desc.pd_info.dtpi_flags & DTPI_FUNC) == 0)
		return arg_evtflags(pr, argn);
	return argn < DTEVT_NTEXTS ? DTEVT_STRINGS | DTEVT_TEXT(argn) : 0;
}

void
arg_ret_text(struct buf *b, const struct arg_call *ac)
{
	const struct probe *pr = ac->ac_rprobe ? ac->ac_rprobe : ac->ac_probe;
	const struct arg_kind *ak = pr->pr_retkind;
	uint64_t v = ac->ac_ret->ev_ret->drr_retval;
	const struct dt_rec_string *s = arg_string(ac, DT_STR_RETVAL);

	if (s != NULL)
		arg_put_string(b, s);
	else if (ak != NULL)
		ak->ak_text(b, ac, ARG_RET, v, ak);
	else
		val_text(b, pr->pr_ret, v);
}
