/* SPDX-License-Identifier: ISC */
/* Sends blocks to a client's data socket in pieces. */
#include "daemon/device/block_sender.h"
#include "daemon/device/stream.h"

void
block_sender_set(struct block_sender *ob, uint32_t kind, uint32_t cpu,
    const void *data, size_t nbytes, uint64_t lowwater)
{
	ob->bs_hdr = (struct wire_block){ .wb_kind = kind,
		.wb_cpu = cpu,
		.wb_nbytes = nbytes,
		.wb_lowwater = lowwater };
	ob->bs_data = data;
	ob->bs_sent = 0;
	ob->bs_busy = 1;
}

int
block_sender_send(struct block_sender *ob, struct stream *st)
{
	size_t total = sizeof(ob->bs_hdr) + ob->bs_hdr.wb_nbytes;
	struct iovec iov[2];
	size_t off;
	ssize_t n;

	while (ob->bs_sent < total) {
		off = ob->bs_sent;
		if (off < sizeof(ob->bs_hdr)) {
			iov[0].iov_base = (char *)&ob->bs_hdr + off;
			iov[0].iov_len = sizeof(ob->bs_hdr) - off;
			iov[1].iov_base = (void *)ob->bs_data;
			iov[1].iov_len = ob->bs_hdr.wb_nbytes;
			n = stream_send(st, iov, 2);
		} else {
			off -= sizeof(ob->bs_hdr);
			iov[0].iov_base = (char *)ob->bs_data + off;
			iov[0].iov_len = ob->bs_hdr.wb_nbytes - off;
			n = stream_send(st, iov, 1);
		}
		if (n <= 0)
			return n;
		ob->bs_sent += n;
	}
	ob->bs_busy = 0;
	return 1;
}
