/* SPDX-License-Identifier: ISC */
/*
 * Fields of tracepoints: text in the record or elsewhere, arrays,
 * network addresses, devices.  Type and name determine the kind; numbers are
 * printed by class, except for a few with names.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <string.h>

#include <linux/capability.h>

#include "cli/base/val.h"
#include "cli/decode/flag_names.h"
#include "cli/decode/mem.h"
#include "tracepoint_field_names.h"

#define FIELD_MAXELEMS 32 /* elements of an array that are printed */

/* Returns the type without qualifiers. */
static const char *
field_type(const char *type)
{
	static const char *const words[] = { "__data_loc ", "__rel_loc ",
		"const ", "volatile " };
	size_t i = 0;

	while (i < sizeof(words) / sizeof(words[0])) {
		if (strncmp(type, words[i], strlen(words[i])) == 0) {
			type += strlen(words[i]);
			i = 0;
		} else
			i++;
	}
	return type;
}

/* Prints the text of the field, as much as the record has. */
static void
field_chars_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct dt_rec_string *s = arg_string(ac, argn);

	(void)v;
	(void)ak;
	if (s == NULL) {
		buf_mem(b, "...", 3);
		return;
	}
	arg_put_str(b, DT_STRING_BYTES(s), s->drt_length,
	    s->drt_length < s->drt_truelen);
}

/* Returns the bytes of an element, by the name of its type. */
static size_t
field_elem(const char *type)
{
	static const struct {
		enum val_class class;
		size_t size;
	} sizes[] = {
		{ VAL_S32, 4 },
		{ VAL_U32, 4 },
		{ VAL_X32, 4 },
		{ VAL_S64, 8 },
		{ VAL_U64, 8 },
		{ VAL_S16, 2 },
		{ VAL_U16, 2 },
	};
	size_t n = strcspn(type, "["), i;
	enum val_class class;
	char elem[DTNAMESIZE];

	if (n >= sizeof(elem))
		return 1;
	memcpy(elem, type, n);
	elem[n] = '\0';
	class = val_classify(elem, "");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i].class == class)
			return sizes[i].size;
	return 1;
}

static void
field_hex_put(struct buf *b, const struct mem *m)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	buf_mem(b, "0x", 2);
	for (i = 0; i < m->m_len; i++) {
		buf_c(b, digits[m->m_bytes[i] >> 4]);
		buf_c(b, digits[m->m_bytes[i] & 15]);
	}
	if (m->m_len < m->m_true)
		buf_mem(b, "...", 3);
}

static void
field_elems_put(struct buf *b, const struct mem *m, size_t size)
{
	size_t i, n = m->m_len / size;

	buf_c(b, '[');
	for (i = 0; i < n && i < FIELD_MAXELEMS; i++) {
		if (i > 0)
			buf_mem(b, ", ", 2);
		arg_put_hex(b, mem_uint(m, i * size, size));
	}
	if (m->m_true > i * size)
		buf_str(b, i > 0 ? ", ..." : "...");
	buf_c(b, ']');
}

/* Prints an array: bytes in hex, in memory order; others as numbers. */
static void
field_bytes_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct dt_probe_desc *pd = &ac->ac_probe->pr_desc;
	size_t size = field_elem(field_type(pd->pd_types[argn].dtai_argtype));
	struct mem m;

	(void)v;
	(void)ak;
	if (!mem_entry(ac, argn, &m))
		buf_mem(b, "...", 3);
	else if (size == 1)
		field_hex_put(b, &m);
	else
		field_elems_put(b, &m, size);
}

/*
 * Prints a network address by its length: IPv4, IPv6, or a sockaddr with its
 * family.
 */
static void
field_addr_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	char s[INET6_ADDRSTRLEN];
	struct mem m;

	if (!mem_entry(ac, argn, &m) ||
	    (m.m_len != 4 && m.m_len != 16 && m.m_len != 28)) {
		field_bytes_text(b, ac, argn, v, ak);
		return;
	}
	if (m.m_len == 28) {
		mem_put(b, &m, &mem_sockaddr);
		return;
	}
	inet_ntop(m.m_len == 4 ? AF_INET : AF_INET6, m.m_bytes, s, sizeof(s));
	buf_str(b, s);
}

/* The kernel's internal device number: 12 bits, and 20 bits. */
static void
field_dev_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_u64(b, (uint32_t)v >> 20);
	buf_c(b, ',');
	buf_u64(b, v & 0xfffff);
}

static const struct arg_kind field_chars = { .ak_text = field_chars_text },
			     field_bytes = { .ak_text = field_bytes_text },
			     field_addr = { .ak_text = field_addr_text },
			     field_dev = { .ak_text = field_dev_text },
			     field_str = { .ak_text = arg_str_text };

/* Numbers that the tracepoint's own format prints by name */

static const struct {
	const char *subsys, *name;
	const struct arg_kind *kind;
} field_numbers[] = {
	{ "sock", "oldstate", ARG_ENUM(tcp_names) },
	{ "sock", "newstate", ARG_ENUM(tcp_names) },
	{ "sock", "family", ARG_ENUM(arg_names_family) },
	{ "signal", "sig", ARG_FUNC(arg_sig_text) },
	{ "capability", "cap", ARG_ENUM(cap_names) },
};

static const struct arg_kind *
field_number(const char *subsys, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(field_numbers) / sizeof(field_numbers[0]); i++)
		if (strcmp(subsys, field_numbers[i].subsys) == 0 &&
		    strcmp(name, field_numbers[i].name) == 0)
			return field_numbers[i].kind;
	return NULL;
}

static int
field_isaddr(const char *name)
{
	return strstr(name, "saddr") != NULL || strstr(name, "daddr") != NULL;
}

const struct arg_kind *
arg_field(const char *subsys, const char *name, const char *type,
    unsigned int flags)
{
	type = field_type(type);
	if (strncmp(type, "char[", 5) == 0)
		return &field_chars;
	if (strcmp(type, "char *") == 0 || strcmp(type, "char * const") == 0)
		return &field_str;
	if (strchr(type, '[') != NULL)
		return field_isaddr(name) ? &field_addr : &field_bytes;
	if (strchr(type, '*') == NULL &&
	    (flags & (DTAN_SIGNED | DTAN_UNSIGNED)) == 0)
		return &field_bytes; /* a struct in the record */
	if (strcmp(type, "dev_t") == 0)
		return &field_dev;
	return field_number(subsys, name);
}
