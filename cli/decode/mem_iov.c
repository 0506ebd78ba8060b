/* SPDX-License-Identifier: ISC */
/*
 * Vectors of buffers, and messages that have one: the vector contains the
 * lengths, and the contents of the buffers are separate memory.
 */
#include "cli/decode/mem.h"

#define IOV_BYTES 16
#define IOV_MAX	  32 /* elements that are printed, as in strace */

/* Prints buffer number n, or without data its address. */
static void
iov_put(struct buf *b, const struct mem *m, size_t n)
{
	uint64_t base = mem_uint(m, 0, 8);
	struct mem data;

	buf_str(b, "{iov_base=");
	if (base != 0 && mem_buffer(m->m_ac, m->m_argn, n, &data))
		mem_put_bytes(b, data.m_bytes, data.m_len,
		    data.m_len < data.m_true);
	else
		arg_put_ptr(b, base);
	buf_str(b, ", iov_len=");
	buf_u64(b, mem_uint(m, 8, 8));
	buf_c(b, '}');
}

static void
iov_vector_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	struct mem at = *m;
	size_t n;

	(void)mt;
	buf_c(b, '[');
	for (n = 0; at.m_true >= IOV_BYTES; n++) {
		if (n > 0)
			buf_mem(b, ", ", 2);
		if (n == IOV_MAX || at.m_len < IOV_BYTES) {
			buf_mem(b, "...", 3);
			break;
		}
		iov_put(b, &at, n);
		at = mem_at(&at, IOV_BYTES);
	}
	buf_c(b, ']');
}

const struct mem_type mem_iovecs = { iov_vector_put, 0, NULL };

/* Messages.  Addresses and control data are not read. */
#define IOV_MSG_BYTES 52

static void
iov_msg_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	uint64_t control = mem_uint(m, 32, 8);
	struct mem vector;

	(void)mt;
	buf_str(b, "{msg_name=");
	arg_put_ptr(b, mem_uint(m, 0, 8));
	buf_str(b, ", msg_namelen=");
	buf_s64(b, mem_int(m, 8, 4));
	buf_str(b, ", msg_iov=");
	if (mem_vector(m->m_ac, m->m_argn, &vector))
		mem_put(b, &vector, &mem_iovecs);
	else
		arg_put_ptr(b, mem_uint(m, 16, 8));
	buf_str(b, ", msg_iovlen=");
	buf_u64(b, mem_uint(m, 24, 8));
	if (control != 0) {
		buf_str(b, ", msg_control=");
		arg_put_ptr(b, control);
	}
	buf_str(b, ", msg_controllen=");
	buf_u64(b, mem_uint(m, 40, 8));
	buf_str(b, ", msg_flags=");
	arg_put_flags(b, &arg_names_msg, mem_uint(m, 48, 4));
	buf_c(b, '}');
}

static const struct mem_type mem_msghdr = { iov_msg_put, IOV_MSG_BYTES, NULL };

static const struct arg_row iov_rows[] = {
	{ "readv writev preadv pwritev preadv2 pwritev2", "vec", NULL,
	    ARG_IN(mem_iovecs) },
	{ "vmsplice", "uiov", NULL, ARG_IN(mem_iovecs) },
	{ "process_vm_readv process_vm_writev", "lvec", NULL,
	    ARG_IN(mem_iovecs) },
	{ "process_vm_readv process_vm_writev", "rvec", NULL,
	    ARG_IN(mem_iovecs) },
	{ "sendmsg", "msg", NULL, ARG_IN(mem_msghdr) },
	{ "recvmsg", "msg", NULL, ARG_OUT(mem_msghdr) },
};

const struct arg_table arg_table_mem_iov = ARG_TABLE(iov_rows);
