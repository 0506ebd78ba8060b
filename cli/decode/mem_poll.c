/* SPDX-License-Identifier: ISC */
/*
 * poll(2), select(2) and epoll(7): the descriptors and events awaited, and
 * after the result, those that occurred.
 */
#include <sys/epoll.h>

#include <poll.h>

#include "cli/decode/mem.h"
#include "mem_poll_names.h"

/*
 * poll
 */
#define POLL_FD_BYTES 8

static void
poll_fd_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	int fd = mem_int(m, 0, 4);

	(void)mt;
	buf_str(b, "{fd=");
	arg_put_fd(b, m->m_ac, fd);
	if (fd >= 0) {
		buf_str(b, ", events=");
		arg_put_flags(b, &poll_names, mem_uint(m, 4, 2));
	}
	buf_c(b, '}');
}

static const struct mem_type mem_pollfd = { poll_fd_put, POLL_FD_BYTES, NULL };
static const struct mem_type mem_pollfds = MEM_ARRAY(mem_pollfd);

/* Prints ", left {...}": the rest of the timeout in argument argn. */
static void
poll_put_left(struct buf *b, const struct arg_call *ac, unsigned int argn,
    const struct mem_type *mt)
{
	struct mem m;

	if (!mem_return(ac, argn, &m))
		return;
	buf_str(b, ", left ");
	mem_put(b, &m, mt);
}

/* Prints the descriptors with events, in "[]". */
static void
poll_put_revents(struct buf *b, struct mem m)
{
	uint64_t revents;
	int n = 0;

	buf_c(b, '[');
	for (; m.m_len >= POLL_FD_BYTES; m = mem_at(&m, POLL_FD_BYTES)) {
		if ((revents = mem_uint(&m, 6, 2)) == 0)
			continue;
		buf_str(b, n++ > 0 ? ", {fd=" : "{fd=");
		buf_s64(b, mem_int(&m, 0, 4));
		buf_str(b, ", revents=");
		arg_put_flags(b, &poll_names, revents);
		buf_c(b, '}');
	}
	if (m.m_len < m.m_true)
		buf_str(b, n > 0 ? ", ..." : "...");
	buf_c(b, ']');
}

static void
poll_ret_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	(void)argn;
	buf_s64(b, (int64_t)v);
	if (v == 0) {
		buf_str(b, " (Timeout)");
		return;
	}
	if (!mem_return(ac, 0, &m))
		return;
	buf_str(b, " (");
	poll_put_revents(b, m);
	if (ak->ak_table != NULL)
		poll_put_left(b, ac, 2, ak->ak_table);
	buf_c(b, ')');
}

/* select: three sets of bits, whose size is the first argument */
static void
poll_put_set(struct buf *b, const struct mem *m, int nfds, int withpath)
{
	int fd, n = 0;

	buf_c(b, '[');
	for (fd = 0; fd < nfds && (size_t)fd / 8 < m->m_len; fd++) {
		if ((m->m_bytes[fd / 8] & 1 << fd % 8) == 0)
			continue;
		if (n++ > 0)
			buf_c(b, ' ');
		if (withpath)
			arg_put_fd(b, m->m_ac, fd);
		else
			buf_s64(b, fd);
	}
	if (fd < nfds)
		buf_str(b, n > 0 ? " ..." : "...");
	buf_c(b, ']');
}

static void
poll_set_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	(void)ak;
	if (mem_entry(ac, argn, &m))
		poll_put_set(b, &m, (int32_t)arg_value(ac, 0), 1);
	else
		arg_put_ptr(b, v);
}

static int
poll_any(const struct mem *m)
{
	size_t i;

	for (i = 0; i < m->m_len; i++)
		if (m->m_bytes[i] != 0)
			return 1;
	return 0;
}

static void
poll_select_ret_text(struct buf *b, const struct arg_call *ac,
    unsigned int argn, uint64_t v, const struct arg_kind *ak)
{
	static const char *const names[] = { "in ", "out ", "except " };
	size_t begin;
	struct mem m;
	int i;

	(void)argn;
	buf_s64(b, (int64_t)v);
	if (v == 0) {
		buf_str(b, " (Timeout)");
		return;
	}
	buf_str(b, " (");
	begin = b->b_len;
	for (i = 0; i < 3; i++) {
		if (!mem_return(ac, 1 + i, &m) || !poll_any(&m))
			continue;
		if (b->b_len > begin)
			buf_mem(b, ", ", 2);
		buf_str(b, names[i]);
		poll_put_set(b, &m, (int32_t)arg_value(ac, 0), 0);
	}
	if (b->b_len == begin)
		b->b_len -= 2; /* unknown */
	else {
		poll_put_left(b, ac, 4, ak->ak_table);
		buf_c(b, ')');
	}
}

/* A second pointer refers to the signal mask. */
static const struct mem_field pselect_list[] = {
	{ "sigmask", 0, &mem_ptr },
	{ "sigsetsize", 8, &mem_u64 },
};
static const struct mem_struct pselect_fields = MEM_FIELDS(pselect_list, 0);
static const struct mem_type mem_pselect = MEM_STRUCT(16, pselect_fields);

/* epoll.  Unpadded on x86-64 only. */
#define EPOLL_PACKED 12
#define EPOLL_PADDED 16

static void
poll_epoll_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	size_t data = mt->mt_size - 8;

	buf_str(b, "{events=");
	arg_put_flags(b, &epoll_names, mem_uint(m, 0, 4));
	buf_str(b, ", data={u32=");
	buf_u64(b, mem_uint(m, data, 4));
	buf_str(b, ", u64=");
	buf_u64(b, mem_uint(m, data, 8));
	buf_str(b, "}}");
}

static const struct mem_type mem_epoll = { poll_epoll_put, EPOLL_PACKED, NULL };
static const struct mem_type mem_epolls = MEM_ARRAY(mem_epoll);
static const struct mem_type mem_epoll2 = { poll_epoll_put, EPOLL_PADDED,
	NULL };
static const struct mem_type mem_epolls2 = MEM_ARRAY(mem_epoll2);

static void
poll_ctl_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m;

	(void)ak;
	if (arg_value(ac, 1) != EPOLL_CTL_DEL && mem_entry(ac, argn, &m))
		mem_put(b, &m,
		    m.m_true == EPOLL_PADDED ? &mem_epoll2 : &mem_epoll);
	else
		arg_put_ptr(b, v);
}

/* The result is the number of events, which determines their size. */
static void
poll_wait_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	uint64_t n = 0;
	struct mem m;

	(void)ak;
	if (ac->ac_ret != NULL && ac->ac_ret->ev_ret != NULL)
		n = ac->ac_ret->ev_ret->drr_retval;
	if (mem_return(ac, argn, &m))
		mem_put(b, &m,
		    n > 0 && n < 4096 && m.m_true == n * EPOLL_PADDED
			? &mem_epolls2
			: &mem_epolls);
	else
		arg_put_ptr(b, v);
}

static const struct arg_row poll_rows[] = {
	{ "poll ppoll", "ufds", NULL, ARG_IN(mem_pollfds) },
	{ "poll", "=", NULL, ARG_FUNC(poll_ret_text) },
	{ "ppoll", "=", NULL, ARG_KIND(poll_ret_text, &mem_timespec) },
	{ "ppoll pselect6", "tsp", NULL, ARG_IN(mem_timespec) },
	{ "select pselect6", "inp", NULL, ARG_FUNC(poll_set_text) },
	{ "select pselect6", "outp", NULL, ARG_FUNC(poll_set_text) },
	{ "select pselect6", "exp", NULL, ARG_FUNC(poll_set_text) },
	{ "select", "tvp", NULL, ARG_IN(mem_timeval) },
	{ "select", "=", NULL, ARG_KIND(poll_select_ret_text, &mem_timeval) },
	{ "pselect6", "=", NULL,
	    ARG_KIND(poll_select_ret_text, &mem_timespec) },
	{ "pselect6", "sig", NULL, ARG_IN(mem_pselect) },
	{ "epoll_ctl", "event", NULL, ARG_FUNC(poll_ctl_text) },
	{ "epoll_wait epoll_pwait epoll_pwait2", "events", NULL,
	    ARG_FUNC(poll_wait_text) },
	{ "ppoll epoll_pwait epoll_pwait2", "sigmask", NULL,
	    ARG_IN(mem_sigset) },
};

const struct arg_table arg_table_mem_poll = ARG_TABLE(poll_rows);
