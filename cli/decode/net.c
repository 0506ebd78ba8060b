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

#ifndef MSG_SOCK_DEVMEM
#define MSG_SOCK_DEVMEM 0x2000000 /* Linux 6.12 */
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256 /* Linux 6.11 */
#endif
#define MSG_PROBE	    0x10 /* internal to the kernel */
#define MSG_NO_SHARED_FRAGS 0x80000

static const struct arg_name family_list[] = { ARG_IS(AF_UNSPEC),
	ARG_IS(AF_UNIX), ARG_IS(AF_INET), ARG_IS(AF_AX25), ARG_IS(AF_IPX),
	ARG_IS(AF_APPLETALK), ARG_IS(AF_NETROM), ARG_IS(AF_BRIDGE),
	ARG_IS(AF_ATMPVC), ARG_IS(AF_X25), ARG_IS(AF_INET6), ARG_IS(AF_ROSE),
	ARG_IS(AF_DECnet), ARG_IS(AF_NETBEUI), ARG_IS(AF_SECURITY),
	ARG_IS(AF_KEY), ARG_IS(AF_NETLINK), ARG_IS(AF_PACKET), ARG_IS(AF_ASH),
	ARG_IS(AF_ECONET), ARG_IS(AF_ATMSVC), ARG_IS(AF_RDS), ARG_IS(AF_SNA),
	ARG_IS(AF_IRDA), ARG_IS(AF_PPPOX), ARG_IS(AF_WANPIPE), ARG_IS(AF_LLC),
	ARG_IS(AF_IB), ARG_IS(AF_MPLS), ARG_IS(AF_CAN), ARG_IS(AF_TIPC),
	ARG_IS(AF_BLUETOOTH), ARG_IS(AF_IUCV), ARG_IS(AF_RXRPC),
	ARG_IS(AF_ISDN), ARG_IS(AF_PHONET), ARG_IS(AF_IEEE802154),
	ARG_IS(AF_CAIF), ARG_IS(AF_ALG), ARG_IS(AF_NFC), ARG_IS(AF_VSOCK),
	ARG_IS(AF_KCM), ARG_IS(AF_QIPCRTR), ARG_IS(AF_SMC), ARG_IS(AF_XDP),
	ARG_IS(AF_MCTP) };
const struct arg_names arg_names_family = ARG_NAMES(family_list);

static const struct arg_name type_list[] = { ARG_IS(SOCK_STREAM),
	ARG_IS(SOCK_DGRAM), ARG_IS(SOCK_RAW), ARG_IS(SOCK_RDM),
	ARG_IS(SOCK_SEQPACKET), ARG_IS(SOCK_DCCP), ARG_IS(SOCK_PACKET) };
const struct arg_names arg_names_socktype = ARG_NAMES(type_list);

static const struct arg_name typeflag_list[] = { ARG_BIT(SOCK_CLOEXEC),
	ARG_BIT(SOCK_NONBLOCK) };
static const struct arg_names typeflag_names = ARG_NAMES(typeflag_list);

static const struct arg_name ip_list[] = { ARG_IS(IPPROTO_IP),
	ARG_IS(IPPROTO_ICMP), ARG_IS(IPPROTO_IGMP), ARG_IS(IPPROTO_IPIP),
	ARG_IS(IPPROTO_TCP), ARG_IS(IPPROTO_EGP), ARG_IS(IPPROTO_PUP),
	ARG_IS(IPPROTO_UDP), ARG_IS(IPPROTO_IDP), ARG_IS(IPPROTO_TP),
	ARG_IS(IPPROTO_DCCP), ARG_IS(IPPROTO_IPV6), ARG_IS(IPPROTO_RSVP),
	ARG_IS(IPPROTO_GRE), ARG_IS(IPPROTO_ESP), ARG_IS(IPPROTO_AH),
	ARG_IS(IPPROTO_MTP), ARG_IS(IPPROTO_BEETPH), ARG_IS(IPPROTO_ENCAP),
	ARG_IS(IPPROTO_PIM), ARG_IS(IPPROTO_COMP), ARG_IS(IPPROTO_L2TP),
	ARG_IS(IPPROTO_SCTP), ARG_IS(IPPROTO_UDPLITE), ARG_IS(IPPROTO_MPLS),
	ARG_IS(IPPROTO_ETHERNET), ARG_IS(IPPROTO_RAW), ARG_IS(IPPROTO_SMC),
	ARG_IS(IPPROTO_MPTCP), ARG_IS(IPPROTO_HOPOPTS), ARG_IS(IPPROTO_ROUTING),
	ARG_IS(IPPROTO_FRAGMENT), ARG_IS(IPPROTO_ICMPV6), ARG_IS(IPPROTO_NONE),
	ARG_IS(IPPROTO_DSTOPTS), ARG_IS(IPPROTO_MH) };
static const struct arg_names ip_names = ARG_NAMES(ip_list);

static const struct arg_name netlink_list[] = { ARG_IS(NETLINK_ROUTE),
	ARG_IS(NETLINK_UNUSED), ARG_IS(NETLINK_USERSOCK),
	ARG_IS(NETLINK_FIREWALL), ARG_IS(NETLINK_SOCK_DIAG),
	ARG_IS(NETLINK_NFLOG), ARG_IS(NETLINK_XFRM), ARG_IS(NETLINK_SELINUX),
	ARG_IS(NETLINK_ISCSI), ARG_IS(NETLINK_AUDIT),
	ARG_IS(NETLINK_FIB_LOOKUP), ARG_IS(NETLINK_CONNECTOR),
	ARG_IS(NETLINK_NETFILTER), ARG_IS(NETLINK_IP6_FW),
	ARG_IS(NETLINK_DNRTMSG), ARG_IS(NETLINK_KOBJECT_UEVENT),
	ARG_IS(NETLINK_GENERIC), ARG_IS(NETLINK_SCSITRANSPORT),
	ARG_IS(NETLINK_ECRYPTFS), ARG_IS(NETLINK_RDMA), ARG_IS(NETLINK_CRYPTO),
	ARG_IS(NETLINK_SMC) };
static const struct arg_names netlink_names = ARG_NAMES(netlink_list);

static const struct arg_name can_list[] = { ARG_IS(CAN_RAW), ARG_IS(CAN_BCM),
	ARG_IS(CAN_TP16), ARG_IS(CAN_TP20), ARG_IS(CAN_MCNET),
	ARG_IS(CAN_ISOTP), ARG_IS(CAN_J1939) };
static const struct arg_names can_names = ARG_NAMES(can_list);

static const struct arg_name bt_list[] = { ARG_NAME(0, 0, "BTPROTO_L2CAP"),
	ARG_NAME(0, 1, "BTPROTO_HCI"), ARG_NAME(0, 2, "BTPROTO_SCO"),
	ARG_NAME(0, 3, "BTPROTO_RFCOMM"), ARG_NAME(0, 4, "BTPROTO_BNEP"),
	ARG_NAME(0, 5, "BTPROTO_CMTP"), ARG_NAME(0, 6, "BTPROTO_HIDP"),
	ARG_NAME(0, 7, "BTPROTO_AVDTP"), ARG_NAME(0, 8, "BTPROTO_ISO") };
static const struct arg_names bt_names = ARG_NAMES(bt_list);

static const struct arg_name eth_list[] = { ARG_IS(ETH_P_LOOP),
	ARG_IS(ETH_P_PUP), ARG_IS(ETH_P_PUPAT), ARG_IS(ETH_P_TSN),
	ARG_IS(ETH_P_ERSPAN2), ARG_IS(ETH_P_IP), ARG_IS(ETH_P_X25),
	ARG_IS(ETH_P_ARP), ARG_IS(ETH_P_IEEEPUP), ARG_IS(ETH_P_IEEEPUPAT),
	ARG_IS(ETH_P_BATMAN), ARG_IS(ETH_P_DEC), ARG_IS(ETH_P_DNA_DL),
	ARG_IS(ETH_P_DNA_RC), ARG_IS(ETH_P_DNA_RT), ARG_IS(ETH_P_LAT),
	ARG_IS(ETH_P_DIAG), ARG_IS(ETH_P_CUST), ARG_IS(ETH_P_SCA),
	ARG_IS(ETH_P_TEB), ARG_IS(ETH_P_RARP), ARG_IS(ETH_P_ATALK),
	ARG_IS(ETH_P_AARP), ARG_IS(ETH_P_8021Q), ARG_IS(ETH_P_ERSPAN),
	ARG_IS(ETH_P_IPX), ARG_IS(ETH_P_IPV6), ARG_IS(ETH_P_PAUSE),
	ARG_IS(ETH_P_SLOW), ARG_IS(ETH_P_WCCP), ARG_IS(ETH_P_MPLS_UC),
	ARG_IS(ETH_P_MPLS_MC), ARG_IS(ETH_P_ATMMPOA), ARG_IS(ETH_P_PPP_DISC),
	ARG_IS(ETH_P_PPP_SES), ARG_IS(ETH_P_LINK_CTL), ARG_IS(ETH_P_ATMFATE),
	ARG_IS(ETH_P_PAE), ARG_IS(ETH_P_PROFINET), ARG_IS(ETH_P_REALTEK),
	ARG_IS(ETH_P_AOE), ARG_IS(ETH_P_ETHERCAT), ARG_IS(ETH_P_8021AD),
	ARG_IS(ETH_P_802_EX1), ARG_IS(ETH_P_PREAUTH), ARG_IS(ETH_P_TIPC),
	ARG_IS(ETH_P_LLDP), ARG_IS(ETH_P_MRP), ARG_IS(ETH_P_MACSEC),
	ARG_IS(ETH_P_8021AH), ARG_IS(ETH_P_MVRP), ARG_IS(ETH_P_1588),
	ARG_IS(ETH_P_NCSI), ARG_IS(ETH_P_PRP), ARG_IS(ETH_P_CFM),
	ARG_IS(ETH_P_FCOE), ARG_IS(ETH_P_IBOE), ARG_IS(ETH_P_TDLS),
	ARG_IS(ETH_P_FIP), ARG_IS(ETH_P_80221), ARG_IS(ETH_P_HSR),
	ARG_IS(ETH_P_NSH), ARG_IS(ETH_P_LOOPBACK), ARG_IS(ETH_P_QINQ1),
	ARG_IS(ETH_P_QINQ2), ARG_IS(ETH_P_QINQ3), ARG_IS(ETH_P_EDSA),
	ARG_IS(ETH_P_DSA_8021Q), ARG_IS(ETH_P_DSA_A5PSW), ARG_IS(ETH_P_IFE),
	ARG_IS(ETH_P_AF_IUCV), ARG_IS(ETH_P_802_3), ARG_IS(ETH_P_AX25),
	ARG_IS(ETH_P_ALL), ARG_IS(ETH_P_802_2), ARG_IS(ETH_P_SNAP),
	ARG_IS(ETH_P_DDCMP), ARG_IS(ETH_P_WAN_PPP), ARG_IS(ETH_P_PPP_MP),
	ARG_IS(ETH_P_LOCALTALK), ARG_IS(ETH_P_CAN), ARG_IS(ETH_P_CANFD),
	ARG_IS(ETH_P_CANXL), ARG_IS(ETH_P_PPPTALK), ARG_IS(ETH_P_TR_802_2),
	ARG_IS(ETH_P_MOBITEX), ARG_IS(ETH_P_CONTROL), ARG_IS(ETH_P_IRDA),
	ARG_IS(ETH_P_ECONET), ARG_IS(ETH_P_HDLC), ARG_IS(ETH_P_ARCNET),
	ARG_IS(ETH_P_DSA), ARG_IS(ETH_P_TRAILER), ARG_IS(ETH_P_PHONET),
	ARG_IS(ETH_P_IEEE802154), ARG_IS(ETH_P_CAIF), ARG_IS(ETH_P_XDSA),
	ARG_IS(ETH_P_MAP), ARG_IS(ETH_P_MCTP) };
static const struct arg_names eth_names = ARG_NAMES(eth_list);

static const struct arg_name msg_list[] = { ARG_BIT(MSG_OOB), ARG_BIT(MSG_PEEK),
	ARG_BIT(MSG_DONTROUTE), ARG_BIT(MSG_CTRUNC), ARG_BIT(MSG_PROBE),
	ARG_BIT(MSG_TRUNC), ARG_BIT(MSG_DONTWAIT), ARG_BIT(MSG_EOR),
	ARG_BIT(MSG_WAITALL), ARG_BIT(MSG_FIN), ARG_BIT(MSG_SYN),
	ARG_BIT(MSG_CONFIRM), ARG_BIT(MSG_RST), ARG_BIT(MSG_ERRQUEUE),
	ARG_BIT(MSG_NOSIGNAL), ARG_BIT(MSG_MORE), ARG_BIT(MSG_WAITFORONE),
	ARG_BIT(MSG_BATCH), ARG_BIT(MSG_NO_SHARED_FRAGS),
	ARG_BIT(MSG_SOCK_DEVMEM), ARG_BIT(MSG_ZEROCOPY), ARG_BIT(MSG_FASTOPEN),
	ARG_BIT(MSG_CMSG_CLOEXEC) };
const struct arg_names arg_names_msg = ARG_NAMES(msg_list);

static const struct arg_name how_list[] = { ARG_IS(SHUT_RD), ARG_IS(SHUT_WR),
	ARG_IS(SHUT_RDWR) };
static const struct arg_names how_names = ARG_NAMES(how_list);

/* The multiplexed call of 32-bit x86. */
static const struct arg_name socketcall_list[] = { ARG_IS(SYS_SOCKET),
	ARG_IS(SYS_BIND), ARG_IS(SYS_CONNECT), ARG_IS(SYS_LISTEN),
	ARG_IS(SYS_ACCEPT), ARG_IS(SYS_GETSOCKNAME), ARG_IS(SYS_GETPEERNAME),
	ARG_IS(SYS_SOCKETPAIR), ARG_IS(SYS_SEND), ARG_IS(SYS_RECV),
	ARG_IS(SYS_SENDTO), ARG_IS(SYS_RECVFROM), ARG_IS(SYS_SHUTDOWN),
	ARG_IS(SYS_SETSOCKOPT), ARG_IS(SYS_GETSOCKOPT), ARG_IS(SYS_SENDMSG),
	ARG_IS(SYS_RECVMSG), ARG_IS(SYS_ACCEPT4), ARG_IS(SYS_RECVMMSG),
	ARG_IS(SYS_SENDMMSG) };
static const struct arg_names socketcall_names = ARG_NAMES(socketcall_list);

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
