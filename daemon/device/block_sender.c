/* SPDX-License-Identifier: ISC */
/* Blocks on their way to the client, see block_sender.h. */
#include "daemon/device/block_sender.h"
#include "daemon/device/stream.h"

void
outblock_set(struct outblock *ob, uint32_t kind, uint32_t cpu, const void *data,
    size_t nbytes, uint64_t lowwater)
{
	ob->ob_hdr = (struct wire_block){ .wb_kind = kind,
		.wb_cpu = cpu,
		.wb_nbytes = nbytes,
		.wb_lowwater = lowwater };
	ob->ob_data = data;
	ob->ob_sent = 0;
	ob->ob_busy = 1;
}

int
outblock_send(struct outblock *ob, struct stream *st)
{
	size_t total = sizeof(ob->ob_hdr) + ob->ob_hdr.wb_nbytes;
	struct iovec iov[2];
	size_t off;
	ssize_t n;

	while (ob->ob_sent < total) {
		off = ob->ob_sent;
		if (off < sizeof(ob->ob_hdr)) {
			iov[0].iov_base = (char *)&ob->ob_hdr + off;
			iov[0].iov_len = sizeof(ob->ob_hdr) - off;
			iov[1].iov_base = (void *)ob->ob_data;
			iov[1].iov_len = ob->ob_hdr.wb_nbytes;
			n = stream_send(st, iov, 2);
		} else {
			off -= sizeof(ob->ob_hdr);
			iov[0].iov_base = (char *)ob->ob_data + off;
			iov[0].iov_len = ob->ob_hdr.wb_nbytes - off;
			n = stream_send(st, iov, 1);
		}
		if (n <= 0)
			return n;
		ob->ob_sent += n;
	}
	ob->ob_busy = 0;
	return 1;
}
