/* SPDX-License-Identifier: ISC */
/* setsockopt(2) and getsockopt(2): levels, and the options of each. */
#include <sys/socket.h>

#include <linux/icmp.h>
#include <linux/if_alg.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/netlink.h>
#include <linux/tcp.h>
#include <linux/tls.h>
#include <linux/udp.h>
#include <linux/vm_sockets.h>

#include "cli/decode/flag_names.h"
#include "sockopt_names.h"

static const struct sockopt_level {
	unsigned int sl_level;
	const struct arg_names *sl_names;
} sockopt_levels[] = {
	{ SOL_SOCKET, &socket_names },
	{ IPPROTO_IP, &ip_names },
	{ IPPROTO_IPV6, &ipv6_names },
	{ IPPROTO_TCP, &tcp_names },
	{ IPPROTO_UDP, &udp_names },
	{ IPPROTO_RAW, &raw_names },
	{ SOL_PACKET, &packet_names },
	{ SOL_NETLINK, &netlink_names },
	{ SOL_TLS, &tls_names },
	{ SOL_XDP, &xdp_names },
	{ SOL_ALG, &alg_names },
	{ AF_VSOCK, &vsock_names },
};

static void
sockopt_name_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	uint64_t level = arg_value(ac, 1);
	size_t i;

	(void)argn;
	(void)ak;
	for (i = 0; i < sizeof(sockopt_levels) / sizeof(sockopt_levels[0]);
	     i++) {
		if (sockopt_levels[i].sl_level == level) {
			arg_put_enum(b, sockopt_levels[i].sl_names, v);
			return;
		}
	}
	buf_u64(b, v);
}

static const struct arg_row sockopt_rows[] = {
	{ "setsockopt getsockopt", "level", NULL, ARG_ENUM(level_names) },
	{ "setsockopt getsockopt", "optname", NULL,
	    ARG_FUNC_NAMES(sockopt_name_text, socket_names) },
};

const struct arg_table arg_table_sockopt = ARG_TABLE(sockopt_rows);
