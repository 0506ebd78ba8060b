/* SPDX-License-Identifier: ISC */
/*
 * Formats memory of arguments: numbers, structs and arrays, and the kinds that
 * find the memory in the events.
 */
#include <string.h>

#include "cli/decode/mem.h"
#include "cli/procs/procs.h"

/* Elements of an array that are printed, as in strace. */
#define MEM_MAXELEMS 32

/* Lookup */

/*
 * Finds memory number n of a kind (DT_STR_KINDS) that an event has for an
 * argument.
 */
static int
mem_find(const struct arg_call *ac, const struct dt_event *ev,
    unsigned int argn, unsigned int kind, size_t n, struct mem *m)
{
	const struct dt_rec_string *s = NULL;

	if (ev == NULL)
		return 0;
	while ((s = dt_string(ev, s)) != NULL)
		if (s->drt_argn == argn &&
		    (s->drt_flags & DT_STR_KINDS) == kind && n-- == 0)
			break;
	if (s == NULL || s->drt_error != 0 ||
	    (s->drt_length == 0 && s->drt_truelen > 0))
		return 0;
	m->m_ac = ac;
	m->m_argn = argn;
	m->m_bytes = (const uint8_t *)DT_STRING_BYTES(s);
	m->m_len = s->drt_length;
	m->m_true = s->drt_truelen;
	if (m->m_true < m->m_len)
		m->m_true = m->m_len;
	return 1;
}

int
mem_entry(const struct arg_call *ac, unsigned int argn, struct mem *m)
{
	return mem_find(ac, ac->ac_entry, argn, DT_STR_MEMORY, 0, m) ||
	    mem_find(ac, ac->ac_entry, argn, DT_STR_DATA, 0, m);
}

int
mem_return(const struct arg_call *ac, unsigned int argn, struct mem *m)
{
	return mem_find(ac, ac->ac_ret, argn, DT_STR_MEMORY, 0, m) ||
	    mem_find(ac, ac->ac_ret, argn, DT_STR_DATA, 0, m);
}

int
mem_buffer(const struct arg_call *ac, unsigned int argn, size_t n,
    struct mem *m)
{
	const unsigned int kind = DT_STR_DATA | DT_STR_VECTOR;

	return mem_find(ac, ac->ac_ret, argn, kind, n, m) ||
	    mem_find(ac, ac->ac_entry, argn, kind, n, m);
}

int
mem_vector(const struct arg_call *ac, unsigned int argn, struct mem *m)
{
	const unsigned int kind = DT_STR_MEMORY | DT_STR_VECTOR;

	return mem_find(ac, ac->ac_ret, argn, kind, 0, m) ||
	    mem_find(ac, ac->ac_entry, argn, kind, 0, m);
}

struct mem
mem_at(const struct mem *m, size_t off)
{
	struct mem at = *m;

	if (off > m->m_len)
		off = m->m_len;
	at.m_bytes += off;
	at.m_len -= off;
	at.m_true -= off;
	return at;
}

uint64_t
mem_uint(const struct mem *m, size_t off, size_t nbytes)
{
	uint64_t v = 0;
	size_t i;

	if (off > m->m_len || nbytes > m->m_len - off)
		return 0;
	for (i = nbytes; i-- > 0;) /* all supported machines are
				    * little-endian */
		v = v << 8 | m->m_bytes[off + i];
	return v;
}

int64_t
mem_int(const struct mem *m, size_t off, size_t nbytes)
{
	unsigned int shift = 64 - 8 * nbytes;

	return (int64_t)(mem_uint(m, off, nbytes) << shift) >> shift;
}

/*
 * Types
 */

void
mem_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	if (m->m_len < mt->mt_size && mt->mt_put != mem_struct_put)
		buf_mem(b, "...", 3);
	else
		mt->mt_put(b, m, mt);
}

void
mem_struct_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	const struct mem_struct *ms = mt->mt_table;
	const struct mem_field *mf = ms->ms_fields, *end = mf + ms->ms_n;
	struct mem at;

	buf_c(b, '{');
	for (; mf < end; mf++) {
		at = mem_at(m, mf->mf_off);
		if (at.m_len < mf->mf_type->mt_size || at.m_len == 0)
			break;
		buf_str(b, mf->mf_name);
		buf_c(b, '=');
		mem_put(b, &at, mf->mf_type);
		if (mf + 1 < end || ms->ms_more)
			buf_mem(b, ", ", 2);
	}
	if (mf < end || ms->ms_more)
		buf_mem(b, "...", 3);
	buf_c(b, '}');
}

void
mem_array_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	const struct mem_type *elem = mt->mt_table;
	struct mem at = *m;
	size_t n;

	buf_c(b, '[');
	for (n = 0; at.m_true >= elem->mt_size; n++) {
		if (n > 0)
			buf_mem(b, ", ", 2);
		if (n == MEM_MAXELEMS || at.m_len < elem->mt_size) {
			buf_mem(b, "...", 3);
			break;
		}
		mem_put(b, &at, elem);
		at = mem_at(&at, elem->mt_size);
	}
	buf_c(b, ']');
}

void
mem_flags_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	arg_put_flags(b, mt->mt_table, mem_uint(m, 0, mt->mt_size));
}

void
mem_enum_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	arg_put_enum(b, mt->mt_table, mem_uint(m, 0, mt->mt_size));
}

void
mem_chars_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	const char *s = (const char *)m->m_bytes;

	arg_put_str(b, s, strnlen(s, mt->mt_size), 0);
}

static void
mem_int_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	buf_s64(b, mem_int(m, 0, mt->mt_size));
}

static void
mem_uint_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	buf_u64(b, mem_uint(m, 0, mt->mt_size));
}

static void
mem_hex_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	uint64_t v = mem_uint(m, 0, mt->mt_size);

	if (v == 0)
		buf_c(b, '0');
	else
		buf_hex(b, v);
}

static void
mem_ptr_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	arg_put_ptr(b, mem_uint(m, 0, mt->mt_size));
}

static void
mem_fd_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	arg_put_fd(b, m->m_ac, mem_int(m, 0, mt->mt_size));
}

static void
mem_sig_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	arg_put_sig(b, mem_uint(m, 0, mt->mt_size));
}

const struct mem_type mem_s16 = { mem_int_put, 2, NULL };
const struct mem_type mem_u16 = { mem_uint_put, 2, NULL };
const struct mem_type mem_s32 = { mem_int_put, 4, NULL };
const struct mem_type mem_u32 = { mem_uint_put, 4, NULL };
const struct mem_type mem_s64 = { mem_int_put, 8, NULL };
const struct mem_type mem_u64 = { mem_uint_put, 8, NULL };
const struct mem_type mem_x32 = { mem_hex_put, 4, NULL };
const struct mem_type mem_x64 = { mem_hex_put, 8, NULL };
const struct mem_type mem_ptr = { mem_ptr_put, 8, NULL };
const struct mem_type mem_fd = { mem_fd_put, 4, NULL };
const struct mem_type mem_sig = { mem_sig_put, 4, NULL };
const struct mem_type mem_ints = MEM_ARRAY(mem_s32);
const struct mem_type mem_fds = MEM_ARRAY(mem_fd);
const struct mem_type mem_ids = MEM_ARRAY(mem_s32); /* -1: no user */
const struct mem_type mem_ptrs = MEM_ARRAY(mem_ptr);

/* Prints octal digits, as few as are unambiguous before the next byte. */
static void
mem_put_octal(struct buf *b, uint8_t byte, int next)
{
	int width = next >= '0' && next <= '7' ? 3 : 1;

	buf_c(b, '\\');
	if (width == 3 || byte >= 0100)
		buf_c(b, '0' + (byte >> 6));
	if (width == 3 || byte >= 010)
		buf_c(b, '0' + (byte >> 3 & 7));
	buf_c(b, '0' + (byte & 7));
}

void
mem_put_bytes(struct buf *b, const uint8_t *p, size_t len, int cut)
{
	static const char named[] = "\tt\nn\vv\ff\rr\"\"\\\\";
	const char *n;
	size_t i;

	buf_c(b, '"');
	for (i = 0; i < len; i++) {
		for (n = named; *n != '\0' && (uint8_t)*n != p[i]; n += 2)
			continue;
		if (*n != '\0') {
			buf_c(b, '\\');
			buf_c(b, n[1]);
		} else if (p[i] >= ' ' && p[i] < 0x7f)
			buf_c(b, p[i]);
		else
			mem_put_octal(b, p[i], i + 1 < len ? p[i + 1] : -1);
	}
	buf_c(b, '"');
	if (cut)
		buf_mem(b, "...", 3);
}

/*
 * Kinds
 */

void
mem_in_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	if (mem_entry(ac, argn, &m))
		mem_put(b, &m, ak->ak_table);
	else
		arg_put_ptr(b, v);
}

void
mem_out_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	if (mem_return(ac, argn, &m))
		mem_put(b, &m, ak->ak_table);
	else
		arg_put_ptr(b, v);
}

void
mem_change_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct mem_type *mt = ak->ak_table;
	struct mem m, after;
	int in = mem_entry(ac, argn, &m), out = mem_return(ac, argn, &after);

	if (!in && !out) {
		arg_put_ptr(b, v);
		return;
	}
	buf_c(b, '[');
	mem_put(b, in ? &m : &after, mt);
	if (in && out &&
	    mem_uint(&m, 0, mt->mt_size) != mem_uint(&after, 0, mt->mt_size)) {
		buf_mem(b, " => ", 4);
		mem_put(b, &after, mt);
	}
	buf_c(b, ']');
}

void
mem_text_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	(void)ak;
	if (mem_return(ac, argn, &m) || mem_entry(ac, argn, &m))
		arg_put_str(b, (const char *)m.m_bytes,
		    strnlen((const char *)m.m_bytes, m.m_len),
		    m.m_len < m.m_true);
	else
		arg_put_ptr(b, v);
}

void
mem_data_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	(void)ak;
	if (mem_return(ac, argn, &m) || mem_entry(ac, argn, &m))
		mem_put_bytes(b, m.m_bytes, m.m_len, m.m_len < m.m_true);
	else
		arg_put_ptr(b, v);
}

void
mem_cmd_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct mem_cmds *ms = ak->ak_table;
	const struct mem_cmd *mc = ms->mcs_list, *end = mc + ms->mcs_n;
	uint64_t cmd = arg_value(ac, ms->mcs_argn) & ms->mcs_mask;
	struct mem m;

	for (; mc < end && mc->mc_cmd != cmd; mc++)
		continue;
	if (mc < end &&
	    (mc->mc_dir == MEM_IN ? mem_entry(ac, argn, &m)
				  : mem_return(ac, argn, &m)))
		mem_put(b, &m, mc->mc_type);
	else
		ms->mcs_else->ak_text(b, ac, argn, v, ms->mcs_else);
}
