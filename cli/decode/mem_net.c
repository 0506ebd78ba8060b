/* SPDX-License-Identifier: ISC */
/* Socket addresses and options. */
#include <sys/socket.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "cli/decode/mem.h"

/*
 * Addresses.  Each family has its own format; an address that is too short for
 * it, or of another family, is printed as bytes.
 */
#define NET_UNIX_PATH 2 /* offset of the path */
#define NET_INET      16
#define NET_INET6     28
#define NET_NETLINK   12

static void
net_put_port(struct buf *b, const struct mem *m)
{
	buf_str(b, "_port=htons(");
	buf_u64(b, ntohs((uint16_t)mem_uint(m, 2, 2)));
	buf_c(b, ')');
}

static void
net_put_unix(struct buf *b, const struct mem *m)
{
	struct mem path = mem_at(m, NET_UNIX_PATH);
	const char *s = (const char *)path.m_bytes;

	if (path.m_len == 0)
		return;
	buf_str(b, ", sun_path=");
	if (*s != '\0')
		mem_put_bytes(b, path.m_bytes, strnlen(s, path.m_len), 0);
	else {
		buf_c(b, '@'); /* not a file: all bytes count */
		mem_put_bytes(b, path.m_bytes + 1, path.m_len - 1, 0);
	}
}

static void
net_put_inet(struct buf *b, const struct mem *m)
{
	char s[INET_ADDRSTRLEN];

	buf_str(b, ", sin");
	net_put_port(b, m);
	inet_ntop(AF_INET, m->m_bytes + 4, s, sizeof(s));
	buf_printf(b, ", sin_addr=inet_addr(\"%s\")", s);
}

static void
net_put_inet6(struct buf *b, const struct mem *m)
{
	char s[INET6_ADDRSTRLEN];

	buf_str(b, ", sin6");
	net_put_port(b, m);
	buf_printf(b, ", sin6_flowinfo=htonl(%u)",
	    ntohl((uint32_t)mem_uint(m, 4, 4)));
	inet_ntop(AF_INET6, m->m_bytes + 8, s, sizeof(s));
	buf_printf(b, ", inet_pton(AF_INET6, \"%s\", &sin6_addr)", s);
	buf_str(b, ", sin6_scope_id=");
	buf_u64(b, mem_uint(m, 24, 4));
}

static void
net_put_netlink(struct buf *b, const struct mem *m)
{
	unsigned int groups = mem_uint(m, 8, 4);

	buf_str(b, ", nl_pid=");
	buf_s64(b, mem_int(m, 4, 4));
	buf_str(b, ", nl_groups=");
	if (groups == 0)
		buf_str(b, "00000000");
	else
		buf_printf(b, "%#08x", groups);
}

static const struct {
	unsigned int family;
	size_t nbytes; /* minimum */
	void (*put)(struct buf *, const struct mem *);
} net_families[] = {
	{ AF_UNIX, NET_UNIX_PATH, net_put_unix },
	{ AF_INET, NET_INET, net_put_inet },
	{ AF_INET6, NET_INET6, net_put_inet6 },
	{ AF_NETLINK, NET_NETLINK, net_put_netlink },
};

static void
net_addr_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	unsigned int family = mem_uint(m, 0, 2);
	size_t i;

	buf_str(b, "{sa_family=");
	arg_put_enum(b, &arg_names_family, family);
	for (i = 0; i < sizeof(net_families) / sizeof(net_families[0]); i++) {
		if (net_families[i].family == family &&
		    m->m_len >= net_families[i].nbytes) {
			net_families[i].put(b, m);
			buf_c(b, '}');
			return;
		}
	}
	if (m->m_len > mt->mt_size) {
		buf_str(b, ", sa_data=");
		mem_put_bytes(b, m->m_bytes + mt->mt_size,
		    m->m_len - mt->mt_size, m->m_len < m->m_true);
	}
	buf_c(b, '}');
}

const struct mem_type mem_sockaddr = { net_addr_put, 2, NULL };

/* The kernel has written what fits, and returned the full length. */
static void
net_addr_out_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m, room;

	(void)ak;
	if (!mem_return(ac, argn, &m) || m.m_len < mem_sockaddr.mt_size) {
		arg_put_ptr(b, v);
		return;
	}
	if (mem_entry(ac, argn + 1, &room) && m.m_len > mem_uint(&room, 0, 4))
		m.m_len = mem_uint(&room, 0, 4);
	mem_put(b, &m, &mem_sockaddr);
}

static void
net_addr_in_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	(void)ak;
	if (mem_entry(ac, argn, &m) && m.m_len >= mem_sockaddr.mt_size)
		mem_put(b, &m, &mem_sockaddr);
	else
		arg_put_ptr(b, v);
}

/*
 * Options: most are an int, others are in the table, the rest is printed as
 * bytes.
 */
static const struct mem_field linger_list[] = {
	{ "l_onoff", 0, &mem_s32 },
	{ "l_linger", 4, &mem_s32 },
};
static const struct mem_struct linger_fields = MEM_FIELDS(linger_list, 0);
static const struct mem_type mem_linger = MEM_STRUCT(8, linger_fields);

static const struct mem_field ucred_list[] = {
	{ "pid", 0, &mem_s32 },
	{ "uid", 4, &mem_s32 },
	{ "gid", 8, &mem_s32 },
};
static const struct mem_struct ucred_fields = MEM_FIELDS(ucred_list, 0);
static const struct mem_type mem_ucred = MEM_STRUCT(12, ucred_fields);

static const struct {
	unsigned int optname; /* of SOL_SOCKET */
	const struct mem_type *type;
} net_options[] = {
	{ SO_LINGER, &mem_linger },
	{ SO_PEERCRED, &mem_ucred },
};

static void
net_put_option(struct buf *b, const struct arg_call *ac, struct mem m)
{
	size_t i, n = sizeof(net_options) / sizeof(net_options[0]);
	int isint = m.m_len == 4 && m.m_true == 4;

	for (i = 0; i < n; i++) {
		if (arg_value(ac, 1) == SOL_SOCKET &&
		    arg_value(ac, 2) == net_options[i].optname &&
		    m.m_len >= net_options[i].type->mt_size) {
			mem_put(b, &m, net_options[i].type);
			return;
		}
	}
	if (isint)
		mem_put(b, &m, &mem_ints);
	else
		mem_put_bytes(b, m.m_bytes, m.m_len, m.m_len < m.m_true);
}

static void
net_option_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	(void)ak;
	if (mem_return(ac, argn, &m) || mem_entry(ac, argn, &m))
		net_put_option(b, ac, m);
	else
		arg_put_ptr(b, v);
}

static const struct arg_row net_rows[] = {
	{ "bind", "umyaddr", NULL, ARG_FUNC(net_addr_in_text) },
	{ "connect", "uservaddr", NULL, ARG_FUNC(net_addr_in_text) },
	{ "sendto", "addr", NULL, ARG_FUNC(net_addr_in_text) },
	{ "recvfrom", "addr", NULL, ARG_FUNC(net_addr_out_text) },
	{ "recvfrom", "addr_len", NULL, ARG_CHANGE(mem_s32) },
	{ "accept accept4", "upeer_sockaddr", NULL,
	    ARG_FUNC(net_addr_out_text) },
	{ "accept accept4", "upeer_addrlen", NULL, ARG_CHANGE(mem_s32) },
	{ "getsockname getpeername", "usockaddr", NULL,
	    ARG_FUNC(net_addr_out_text) },
	{ "getsockname getpeername", "usockaddr_len", NULL,
	    ARG_CHANGE(mem_s32) },
	{ "getsockopt setsockopt", "optval", NULL, ARG_FUNC(net_option_text) },
	{ "getsockopt", "optlen", NULL, ARG_CHANGE(mem_s32) },
	{ "socketpair", "usockvec", NULL, ARG_MADE },
	{ "sendto", "buff", NULL, ARG_DATA },
	{ "recvfrom", "ubuf", NULL, ARG_DATA },
};

const struct arg_table arg_table_mem_net = ARG_TABLE(net_rows);
