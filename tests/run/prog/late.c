/* SPDX-License-Identifier: ISC */
/*
 * A misbehaving private dtd ("late --private FD"): it has one probe, and after
 * RECORD 1 it sends a record that is older than the low-water time it has sent
 * before.  For the cases about late events.
 */
#include <sys/socket.h>

#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dev/dt/dtvar.h>

#include "wire/wire.h"

#define LATE_LEN(cmd) ((cmd) >> 16 & 0x1fff)

static int ctl, data[2];
static struct wire_hdr hdr; /* of the request, then of its reply */
static uint64_t nruns;

static void
late_send(int fd, const void *p, size_t nbytes)
{
	if (send(fd, p, nbytes, MSG_NOSIGNAL) != (ssize_t)nbytes)
		exit(0); /* the client has exited */
}

static void
late_reply(const void *p, size_t nbytes)
{
	hdr.wh_length = nbytes;
	late_send(ctl, &hdr, sizeof(hdr));
	if (nbytes > 0)
		late_send(ctl, p, nbytes);
}

/* Replies to OPEN, with the client's end of the data socket. */
static void
late_open(void)
{
	struct {
		struct wire_hdr h;
		struct wire_opened wp;
	} frame = { hdr, { .wp_ncpu = 2, .wp_rights = RIGHT_ALL } };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &frame, sizeof(frame) };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, data) == -1)
		err(1, "socketpair");
	frame.h.wh_length = sizeof(frame.wp);
	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cm), &data[1], sizeof(int));
	if (sendmsg(ctl, &msg, MSG_NOSIGNAL) != sizeof(frame))
		err(1, "sendmsg");
	close(data[1]);
}

/* Replies with the list of probes, which has one; other lists are empty. */
static void
late_list(void)
{
	struct {
		struct wire_list wl;
		struct dtioc_probe_info pi;
	} page = { { 1, 1 },
		{ .dtpi_pbn = 1,
		    .dtpi_prov = "test",
		    .dtpi_func = "late",
		    .dtpi_name = "hit" } };

	if (hdr.wh_command == DTIOCGPLIST || hdr.wh_command == DTIOCLOOKUP)
		late_reply(&page, sizeof(page));
	else
		late_reply(&(struct wire_list){ 0, 0 }, sizeof(page.wl));
}

static void
late_block(uint32_t kind, uint32_t cpu, uint32_t nbytes, uint64_t lowwater)
{
	const struct wire_block wb = { .wb_kind = kind,
		.wb_cpu = cpu,
		.wb_nbytes = nbytes,
		.wb_lowwater = lowwater };

	late_send(data[0], &wb, sizeof(wb));
}

static void
late_record(uint32_t cpu, uint64_t time)
{
	const struct {
		struct dt_ringhdr rh;
		struct dt_rec rec;
	} hit = { { .rh_len = sizeof(hit.rec) },
		{ .dr_length = sizeof(hit.rec),
		    .dr_kind = DT_REC_EVENT,
		    .dr_pbn = 1,
		    .dr_time = time,
		    .dr_pid = 1,
		    .dr_tid = 1 } };

	late_block(WIRE_BLOCK_DATA, cpu, sizeof(hit), 0);
	late_send(data[0], &hit, sizeof(hit));
}

static void
late_start(void)
{
	nruns++;
	late_reply(NULL, 0);
	late_record(0, 1000);
	late_record(0, 3000);
	late_block(WIRE_BLOCK_PASS, 0, 0, 3001);
	late_record(1, 2000);
}

static void
late_stop(void)
{
	const struct dt_ledger dl = { .dl_fired = 3 * nruns,
		.dl_read = 3 * nruns,
		.dl_runs = nruns,
		.dl_flags = DT_LEDGER_FINAL };

	late_reply(NULL, 0);
	late_block(WIRE_BLOCK_END, 0, sizeof(dl), 0);
	late_send(data[0], &dl, sizeof(dl));
}

static void
late_request(const uint8_t *payload)
{
	static const uint8_t zeros[0x2000];

	switch (hdr.wh_command) {
	case WIRE_OPEN:
		late_open();
		break;
	case DTIOCGPLIST:
	case DTIOCLOOKUP:
	case DTIOCGARGS:
	case DTIOCGARGNAMES:
		late_list();
		break;
	case DTIOCRECORD:
		if (payload[0] != 0)
			late_start();
		else
			late_stop();
		break;
	default: /* settings and statistics */
		late_reply(zeros,
		    hdr.wh_command & DT_IOC_OUT ? LATE_LEN(hdr.wh_command) : 0);
	}
}

int
main(int argc, char **argv)
{
	static uint8_t payload[WIRE_MAXPAYLOAD];

	if (argc < 3)
		errx(1, "it is a private dtd: DT_DTD names it");
	ctl = atoi(argv[2]);
	while (recv(ctl, &hdr, sizeof(hdr), MSG_WAITALL) == sizeof(hdr)) {
		if (hdr.wh_length > sizeof(payload) ||
		    (hdr.wh_length > 0 &&
			recv(ctl, payload, hdr.wh_length, MSG_WAITALL) !=
			    (ssize_t)hdr.wh_length))
			break;
		late_request(payload);
	}
	return 0;
}
