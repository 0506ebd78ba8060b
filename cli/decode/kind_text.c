/* SPDX-License-Identifier: ISC */
/*
 * Building blocks of most kinds: names of bits and of values, descriptors,
 * numbers, pointers.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/event_text.h"
#include "cli/decode/kind.h"
#include "cli/procs/procs.h"

const struct arg_names *
arg_names_on(const struct arg_names *ns, enum machine machine)
{
	return machine == MACHINE_ARM64 && ns->ns_arm64 != NULL ? ns->ns_arm64
								: ns;
}

const struct arg_names *
arg_names_of(const struct arg_names *ns, const struct arg_call *ac)
{
	return arg_names_on(ns, ac->ac_probe->pr_machine);
}

uint64_t
arg_put_bits(struct buf *b, const struct arg_names *ns, uint64_t v, int *any)
{
	const struct arg_name *an = ns->ns_list, *end = an + ns->ns_n;
	uint64_t done = 0;

	for (; an < end; an++) {
		if ((v & an->an_mask) != an->an_value || done & an->an_mask)
			continue;
		if (*any)
			buf_c(b, '|');
		*any = 1;
		buf_mem(b, an->an_name, an->an_len);
		done |= an->an_mask;
		if ((v & ~done) == 0 && an->an_value != 0)
			break;
	}
	return v & ~done;
}

void
arg_put_rest(struct buf *b, uint64_t rest, int any)
{
	if (rest == 0)
		return;
	if (any)
		buf_c(b, '|');
	buf_hex(b, rest);
}

void
arg_put_flags(struct buf *b, const struct arg_names *ns, uint64_t v)
{
	uint64_t rest;
	int any = 0;

	if (v == 0 && ns->ns_zero != NULL) {
		buf_str(b, ns->ns_zero);
		return;
	}
	rest = arg_put_bits(b, ns, v, &any);
	if (rest == 0 && !any)
		buf_c(b, '0');
	else
		arg_put_rest(b, rest, any);
}

const struct arg_name *
arg_name_of(const struct arg_names *ns, uint64_t v)
{
	const struct arg_name *an = ns->ns_list, *end = an + ns->ns_n;

	for (; an < end; an++) {
		if (an->an_value == v)
			return an;
	}
	return NULL;
}

void
arg_put_enum(struct buf *b, const struct arg_names *ns, uint64_t v)
{
	const struct arg_name *an = arg_name_of(ns, v);

	if (an != NULL)
		buf_mem(b, an->an_name, an->an_len);
	else
		arg_put_hex(b, v);
}

/* Returns the process that made the call. */
static uint32_t
arg_pid(const struct arg_call *ac)
{
	const struct dt_event *ev;

	ev = ac->ac_entry != NULL ? ac->ac_entry : ac->ac_ret;
	return ev->ev_rec->dr_pid;
}

/* Returns the path of a descriptor that the entry itself has, or NULL. */
static const char *
arg_event_file(const struct arg_call *ac, int fd, size_t *len)
{
	const struct dt_event *ev = ac->ac_entry;
	const struct dt_rec_string *s = NULL;

	if (ev == NULL || ev->ev_args == NULL)
		return NULL;
	while ((s = dt_string(ev, s)) != NULL) {
		if ((s->drt_flags & DT_STR_FILE) == 0 || s->drt_error != 0 ||
		    s->drt_argn >= ev->ev_nargs ||
		    s->drt_length < s->drt_truelen ||
		    (ac->ac_probe->pr_desc.pd_names[s->drt_argn].dtan_flags &
			DTAN_PATH) != 0)
			continue;
		if ((int)ev->ev_args[s->drt_argn] == fd) {
			*len = s->drt_length;
			return DT_STRING_BYTES(s);
		}
	}
	return NULL;
}

/* As of the entry; or, for a result, with the effects of the call. */
static void
arg_put_file(struct buf *b, const struct arg_call *ac, int fd, int isresult)
{
	static const char deleted[] = " (deleted)"; /* as in /proc */
	const size_t ndeleted = sizeof(deleted) - 1;
	int isdeleted = 0;
	const char *path = NULL;
	size_t len;

	if (ac->ac_procs == NULL)
		return;
	if (!isresult)
		path = arg_event_file(ac, fd, &len);
	if (path == NULL) {
		if ((path = procs_fd(ac->ac_procs, arg_pid(ac), fd)) == NULL)
			return;
		len = strlen(path);
	}
	if (len > ndeleted &&
	    memcmp(path + len - ndeleted, deleted, ndeleted) == 0) {
		len -= ndeleted;
		isdeleted = 1;
	}
	buf_c(b, '<');
	esc_angled(b, path, len);
	buf_c(b, '>');
	if (isdeleted)
		buf_str(b, "(deleted)");
}

void
arg_put_fd(struct buf *b, const struct arg_call *ac, int fd)
{
	buf_s64(b, fd);
	if (fd >= 0)
		arg_put_file(b, ac, fd, 0);
}

void
arg_put_dirfd(struct buf *b, const struct arg_call *ac, int fd)
{
	if (fd != AT_FDCWD) {
		arg_put_fd(b, ac, fd);
		return;
	}
	buf_mem(b, "AT_FDCWD", 8);
	arg_put_file(b, ac, fd, 0);
}

void
arg_put_oct(struct buf *b, uint64_t v, int width)
{
	char tmp[24], *p = tmp + sizeof(tmp);

	do {
		*--p = '0' + (v & 7);
		v >>= 3;
	} while (v != 0);
	if (*p != '0')
		*--p = '0';
	while (tmp + sizeof(tmp) - p < width)
		*--p = '0';
	buf_mem(b, p, tmp + sizeof(tmp) - p);
}

void
arg_put_hex(struct buf *b, uint64_t v)
{
	if (v == 0)
		buf_c(b, '0');
	else
		buf_hex(b, v);
}

void
arg_put_ptr(struct buf *b, uint64_t v)
{
	if (v == 0)
		buf_mem(b, "NULL", 4);
	else
		buf_hex(b, v);
}

/*
 * Functions of kinds
 */

void
arg_flags_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)argn;
	arg_put_flags(b, arg_names_of(ak->ak_table, ac), v);
}

void
arg_enum_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	arg_put_enum(b, ak->ak_table, v);
}

void
arg_note_flags_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	arg_put_hex(b, v);
	if (v == 0)
		return;
	buf_mem(b, " (", 2);
	arg_put_flags(b, ak->ak_table, v);
	buf_c(b, ')');
}

void
arg_note_enum_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct arg_name *an = arg_name_of(ak->ak_table, v);

	(void)ac;
	(void)argn;
	buf_s64(b, (int64_t)v);
	if (an == NULL)
		return;
	buf_mem(b, " (", 2);
	buf_mem(b, an->an_name, an->an_len);
	buf_c(b, ')');
}

/* Returns whether the entry found an argument's descriptor closed. */
static int
arg_isclosed(const struct arg_call *ac, unsigned int argn)
{
	const struct dt_rec_string *s = event_file(ac->ac_entry, argn);

	return s != NULL && s->drt_error == EBADF;
}

void
arg_fd_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	int isresult = argn == ARG_RET, fd = (int32_t)v;

	(void)ak;
	buf_s64(b, fd);
	if (fd >= 0 && (isresult || !arg_isclosed(ac, argn)))
		arg_put_file(b, ac, fd, isresult);
}

/* Returns whether the argument after a directory is an absolute path. */
static int
arg_isabsolute(const struct arg_call *ac, unsigned int argn)
{
	const struct dt_rec_string *s;

	if (argn == ARG_RET || argn + 1 >= DT_REC_NARGS)
		return 0;
	s = arg_string(ac, argn + 1);
	return s != NULL && s->drt_length > 0 && *DT_STRING_BYTES(s) == '/';
}

/* The working directory does not matter for an absolute path. */
void
arg_dirfd_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ak;
	if ((int32_t)v == AT_FDCWD && arg_isabsolute(ac, argn))
		buf_mem(b, "AT_FDCWD", 8);
	else
		arg_put_dirfd(b, ac, (int32_t)v);
}

void
arg_ptr_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	arg_put_ptr(b, v);
}

/* Prints at least three digits, as usual for file modes. */
void
arg_mode_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	arg_put_oct(b, v & 0xffff, 3);
}

void
arg_oct_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	arg_put_oct(b, v, 3);
}

void
arg_hex_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	arg_put_hex(b, v);
}

void
arg_int_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_s64(b, (int32_t)v);
}

void
arg_uint_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_u64(b, v);
}

void
arg_long_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_s64(b, (int64_t)v);
}
