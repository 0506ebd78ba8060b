/* SPDX-License-Identifier: ISC */
/*
 * Sockets: families, types, protocols, and flags of messages.  Levels and
 * options are in sockopt.c.
 */
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/netlink.h>

#include <endian.h>

#include "cli/decode/flag_names.h"
#include "net_names.h"

/* A family without a table has numbers only. */
static const struct net_family {
	int nf_family;
	const struct arg_names *nf_protos;
} net_families[] = {
	{ AF_INET, &ip_names },
	{ AF_INET6, &ip_names },
	{ AF_NETLINK, &netlink_names },
	{ AF_CAN, &can_names },
	{ AF_BLUETOOTH, &bt_names },
};

static void
net_type_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct arg_name *an;

	(void)ac;
	(void)argn;
	(void)ak;
	an = arg_name_of(&arg_names_socktype, v & 0xf);
	if (an == NULL) { /* no value is 0, so flags may be alone */
		arg_put_flags(b, &typeflag_names, v);
		return;
	}
	buf_mem(b, an->an_name, an->an_len);
	if ((v &= ~(uint64_t)0xf) == 0)
		return;
	buf_c(b, '|');
	arg_put_flags(b, &typeflag_names, v);
}

/* htons(ETH_P_ALL) */
static void
net_ether_text(struct buf *b, uint64_t v)
{
	const struct arg_name *an;

	an = arg_name_of(&eth_names, be16toh((uint16_t)v));
	if (v > UINT16_MAX || an == NULL) {
		buf_hex(b, v);
		return;
	}
	buf_str(b, "htons(");
	buf_mem(b, an->an_name, an->an_len);
	buf_c(b, ')');
}

static void
net_proto_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	uint64_t family = arg_value(ac, 0);
	size_t i;

	(void)argn;
	(void)ak;
	for (i = 0; i < sizeof(net_families) / sizeof(net_families[0]); i++) {
		if ((uint64_t)net_families[i].nf_family == family) {
			arg_put_enum(b, net_families[i].nf_protos, v);
			return;
		}
	}
	if (family == AF_PACKET)
		net_ether_text(b, v);
	else
		buf_u64(b, v);
}

static const struct arg_row net_rows[] = {
	{ "socket socketpair", "family", NULL, ARG_ENUM(arg_names_family) },
	{ "socket socketpair", "type", NULL, ARG_FUNC(net_type_text) },
	{ "socket socketpair", "protocol", NULL,
	    ARG_FUNC_NAMES(net_proto_text, ip_names) },
	{ "sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg send recv",
	    "flags", NULL, ARG_FLAGS(arg_names_msg) },
	{ "accept4", "flags", NULL, ARG_FLAGS(typeflag_names) },
	{ "socketcall", "call", NULL, ARG_ENUM(socketcall_names) },
	{ "shutdown", "how", NULL, ARG_ENUM(how_names) },
	{ "socket accept accept4", "=", NULL, ARG_FUNC(arg_fd_text) },
};

const struct arg_table arg_table_net = ARG_TABLE(net_rows);
