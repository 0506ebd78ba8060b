/* SPDX-License-Identifier: ISC */
/*
 * Sends requests to symbolizers and checks their replies.  A symbolizer is a
 * program without rights, and its replies are checked like input from a
 * stranger.  No lock is held while a thread waits for a reply.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "daemon/access/charge.h"
#include "daemon/sym/debug_file.h"
#include "daemon/sym/symbolizer_pool.h"
#include "daemon/sym/symbolizer_process.h"

int symbolizer_process_msecs = SYMBOLIZER_PROCESS_MSECS;

/* State of the calling thread. */
static _Thread_local struct {
	int64_t as_limit; /* end of all its requests, ms; 0: none */
	/* limit of each of them, ms; 0: symbolizer_process_msecs */
	int as_each;
	int64_t as_took; /* time of all requests, without waits for a CPU, ms */
	uid_t as_person, as_owner;
	struct symbolizer_process *as_worker; /* NULL: none taken */
} of_thread = { .as_owner = -1 };

static pthread_mutex_t stat_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct symbolizer_process_stat stats; /* by stat_mtx */

static void
count(uint64_t *counter)
{
	pthread_mutex_lock(&stat_mtx);
	(*counter)++;
	pthread_mutex_unlock(&stat_mtx);
}

/* Sends a message, with a descriptor unless it is -1.  EIO: the worker has
 * ended. */
static int
send_message(const struct symbolizer_process *wk, const struct symreq *rq,
    const uint64_t *pcs, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec iov[] = { { (void *)rq, sizeof(*rq) },
		{ (void *)pcs, rq->srq_npcs * sizeof(*pcs) } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cmsghdr *c;
	ssize_t n;

	if (fd != -1) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	/*
	 * The worker reads a message before it replies, so the buffer is empty.
	 */
	do
		n = sendmsg(wk->sp_fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n == -1 && errno == EINTR);
	return n == -1 ? EIO : 0;
}

/* Receives a message within the time; EIO, ETIMEDOUT. */
static int
receive_message(struct symbolizer_process *wk, int64_t deadline, size_t *nbytes)
{
	struct pollfd p = { .fd = wk->sp_fd, .events = POLLIN };
	int64_t left;
	ssize_t n;
	int r;

	do {
		left = deadline - clock_msecs();
		r = poll(&p, 1, left < 0 ? 0 : left);
	} while (r == -1 && errno == EINTR);
	if (r == 0)
		return ETIMEDOUT;
	/* No space for descriptors: it has none to send. */
	n = recv(wk->sp_fd, wk->sp_buf, sizeof(wk->sp_buf),
	    MSG_DONTWAIT | MSG_TRUNC);
	if (n <= 0 || (size_t)n > sizeof(wk->sp_buf))
		return EIO;
	*nbytes = n;
	return 0;
}

/* Finds the file that the worker requests, and replies. */
static int
serve_find(struct symbolizer_process *wk, size_t nbytes,
    const struct mapped_file *mf)
{
	const struct symrep_find *sa = (const void *)wk->sp_buf;
	struct symreq reply = { .srq_type = SYMREQ_FILE };
	int error, fd = -1;

	if (nbytes != sizeof(*sa))
		return EIO;
	reply.srq_error = debug_file_open(sa, mf, &fd, &reply.srq_serial);
	error = send_message(wk, &reply, NULL, fd);
	if (reply.srq_error == 0)
		count(&stats.sw_debugfiles);
	if (fd != -1)
		close(fd);
	return error;
}

/* Returns whether a string is terminated and within its limit. */
static int
good_string(const char *strings, uint32_t nbytes, uint32_t at)
{
	if (at-- == 0)
		return 1;
	return at < nbytes &&
	    memchr(strings + at, '\0',
		nbytes - at < SYMREQ_NAME ? nbytes - at : SYMREQ_NAME) != NULL;
}

static int
good_span(const struct symrep_span *ssp, uint64_t pc)
{
	return ssp->ssp_from <= pc && (ssp->ssp_to > pc || pc == UINT64_MAX);
}

/* Adds the frames of a message to the buffer. EIO: they are invalid. */
static int
take_frames(const struct symrep *sp, const uint64_t *pcs, uint32_t npcs,
    uint32_t base, struct frame_buf *sb, uint32_t *last)
{
	const struct wire_frame *wf = (const void *)(sp + 1);
	const struct symrep_span *ssp = (const void *)(wf + sp->srp_nframes);
	const char *strings = (const void *)(ssp + sp->srp_nframes);
	uint32_t i, at = sb->fb_nbytes;
	int error;

	if ((error = frame_buf_room(sb, sp->srp_nframes, sp->srp_nbytes)) != 0)
		return error;
	if (sp->srp_nbytes > 0)
		memcpy(sb->fb_strings + at, strings, sp->srp_nbytes);
	sb->fb_nbytes += sp->srp_nbytes;
	for (i = 0; i < sp->srp_nframes; i++, wf++, ssp++) {
		/* The next address, or another frame of the last one. */
		if (wf->wf_pc >= npcs ||
		    (wf->wf_pc != *last && wf->wf_pc != *last + 1) ||
		    !good_span(ssp, pcs[wf->wf_pc]) ||
		    !good_string(strings, sp->srp_nbytes, wf->wf_func) ||
		    !good_string(strings, sp->srp_nbytes, wf->wf_file))
			return EIO;
		*last = wf->wf_pc;
		sb->fb_spans[sb->fb_n] = *ssp;
		sb->fb_frames[sb->fb_n++] = (struct wire_frame){
			.wf_pc = base + wf->wf_pc,
			.wf_func = wf->wf_func != 0 ? at + wf->wf_func : 0,
			.wf_file = wf->wf_file != 0 ? at + wf->wf_file : 0,
			.wf_line = wf->wf_line,
			.wf_flags = wf->wf_flags & WIRE_FRAME_INLINED,
			.wf_offset = wf->wf_func != 0 ? wf->wf_offset : 0,
		};
	}
	return 0;
}

/* Returns the deadline of a request that is sent now. */
static int64_t
reply_deadline(void)
{
	int each = of_thread.as_each != 0 ? of_thread.as_each
					  : symbolizer_process_msecs;
	int64_t whole = clock_msecs() + each;

	return of_thread.as_limit != 0 && of_thread.as_limit < whole
	    ? of_thread.as_limit
	    : whole;
}

/* A request, and the destination of its reply: one of the last three. */
struct exchange {
	const struct symreq *skd_req;
	const uint64_t *skd_pcs;
	const struct mapped_file *skd_file; /* NULL: none */
	uint32_t skd_base;
	uint32_t skd_last;	      /* address of the last frame */
	struct frame_buf *skd_frames; /* or NULL */
	struct table_buf *skd_tables; /* or NULL */
	struct probe_buf *skd_probes; /* or NULL */
};

/* Takes a message with frames, which may have none. */
static int
take_message(const struct exchange *ex, const struct symrep *sp, size_t n,
    uint32_t *last)
{
	const size_t each = sizeof(struct wire_frame) +
	    sizeof(struct symrep_span);

	if (n < sizeof(*sp) || sp->srp_type != SYMREP_FRAMES ||
	    sp->srp_nframes > n / each || sp->srp_nbytes > n ||
	    n != sizeof(*sp) + sp->srp_nframes * each + sp->srp_nbytes)
		return EIO;
	if (ex->skd_frames == NULL)
		return sp->srp_nframes > 0 || !sp->srp_last ? EIO : 0;
	return take_frames(sp, ex->skd_pcs, ex->skd_req->srq_npcs, ex->skd_base,
	    ex->skd_frames, last);
}

/* Takes the last message: is the reply complete? */
static int
take_end(const struct exchange *ex, const struct symrep *sp)
{
	uint32_t n = ex->skd_tables != NULL ? ex->skd_tables->tbf_page
					    : ex->skd_last + 1;

	if ((sp->srp_error == 0 && ex->skd_probes == NULL &&
		n != ex->skd_req->srq_npcs) ||
	    sp->srp_buildidlen > sizeof(sp->srp_buildid))
		return EIO;
	if (ex->skd_frames != NULL) {
		memcpy(ex->skd_frames->fb_buildid, sp->srp_buildid,
		    sp->srp_buildidlen);
		ex->skd_frames->fb_buildidlen = sp->srp_buildidlen;
	}
	return 0;
}

/* Receives all of the reply to a request. */
static int
receive_reply(struct symbolizer_process *wk, struct exchange *ex,
    int64_t deadline, int *isreplied)
{
	const struct symrep *sp = (const void *)wk->sp_buf;
	uint32_t type;
	size_t n;
	int error;

	do {
		if ((error = receive_message(wk, deadline, &n)) != 0)
			return error;
		type = n >= sizeof(sp->srp_type) ? sp->srp_type : 0;
		if (type == SYMREP_FIND)
			error = serve_find(wk, n, ex->skd_file);
		else if (type == SYMREP_TABLE && ex->skd_tables != NULL)
			error = ex->skd_tables->tbf_page < ex->skd_req->srq_npcs
			    ? table_buf_take(ex->skd_tables, wk->sp_buf, n)
			    : EIO;
		else if (type == SYMREP_PROBES && ex->skd_probes != NULL)
			error = probe_buf_take(ex->skd_probes, wk->sp_buf, n);
		else
			error = take_message(ex, sp, n, &ex->skd_last);
		if (error != 0)
			return error;
	} while (type != SYMREP_FRAMES || !sp->srp_last);
	if ((error = take_end(ex, sp)) != 0)
		return error;
	*isreplied = 1;
	return sp->srp_error > 4095 ? EIO : (int)sp->srp_error;
}

/* CPU time of a process so far, in ns; 0: it has been reaped. */
static uint64_t
cpu_nsecs(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &ts) == -1)
		return 0;
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/*
 * Returns how long a process has waited for a CPU so far, in ms; the machine
 * causes this time, not a file.  0 if the kernel does not count it.
 */
static int64_t
queued_msecs(const struct symbolizer_process *wk)
{
	char text[64];
	ssize_t n = pread(wk->sp_stat, text, sizeof(text) - 1, 0);
	const char *queued;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	queued = strchr(text, ' ');
	return queued == NULL ? 0 : strtoull(queued, NULL, 10) / 1000000;
}

/* Charges a user for the work of a symbolizer; the only place that does. */
static void
charge(const struct symbolizer_process *wk, uint64_t before)
{
	uint64_t now = cpu_nsecs(wk->sp_pid);

	if (now <= before)
		return;
	symbolizer_pool_spent(of_thread.as_person, now - before);
	charge_cpu(of_thread.as_person, now - before);
}

static int
run_request(struct symbolizer_process *wk, struct exchange *ex, int fd)
{
	int64_t start = clock_msecs(), deadline = reply_deadline();
	struct symreq head = *ex->skd_req;
	int error, isreplied = 0;
	int64_t queued;
	uint64_t cpu;

	if (wk->sp_pid == 0)
		return ECHILD; /* over the request before */
	if (start >= deadline)
		return ETIMEDOUT;
	cpu = cpu_nsecs(wk->sp_pid);
	queued = queued_msecs(wk);
	head.srq_msecs = deadline - start;
	/* One that ended since it was taken did not end over this file. */
	if (send_message(wk, &head, ex->skd_pcs, fd) != 0) {
		symbolizer_pool_kill(wk);
		return ECHILD;
	}
	error = receive_reply(wk, ex, deadline, &isreplied);
	charge(wk, cpu);
	of_thread.as_took += clock_msecs() - start -
	    (queued_msecs(wk) - queued);
	if (isreplied)
		return error;
	symbolizer_pool_kill(wk);
	count(error == ETIMEDOUT ? &stats.sw_timeouts : &stats.sw_deaths);
	/* A file that did not get its full time is not blamed. */
	return error == ENOMEM || error == E2BIG ||
		(error == ETIMEDOUT &&
		    clock_msecs() < start + symbolizer_process_msecs)
	    ? error
	    : EIO;
}

int
symbolizer_process_request(const struct symreq *rq, const uint64_t *pcs, int fd,
    const struct mapped_file *mf, uint32_t base, struct frame_buf *sb)
{
	struct exchange ex = { .skd_req = rq,
		.skd_pcs = pcs,
		.skd_file = mf,
		.skd_base = base,
		.skd_last = UINT32_MAX,
		.skd_frames = sb };
	size_t n = sb->fb_n;
	int error;

	error = run_request(of_thread.as_worker, &ex, fd);
	if (error != 0)
		sb->fb_n = n;
	return error;
}

int
symbolizer_process_tables(const struct symreq *rq, const uint64_t *pages,
    const struct mapped_file *mf, struct table_buf *tb)
{
	struct exchange ex = { .skd_req = rq,
		.skd_pcs = pages,
		.skd_file = mf,
		.skd_tables = tb };

	return run_request(of_thread.as_worker, &ex, -1);
}

int
symbolizer_process_probes(const struct symreq *rq, const struct probe_query *pq,
    const struct mapped_file *mf, struct probe_buf *pb)
{
	struct exchange ex = { .skd_req = rq,
		.skd_pcs = (const void *)pq,
		.skd_file = mf,
		.skd_probes = pb };

	return run_request(of_thread.as_worker, &ex, -1);
}

int
symbolizer_process_take(void)
{
	if (of_thread.as_limit != 0 && clock_msecs() >= of_thread.as_limit)
		return ETIMEDOUT;
	return symbolizer_pool_take(of_thread.as_person, of_thread.as_owner,
	    of_thread.as_limit, &of_thread.as_worker);
}

void
symbolizer_process_give(void)
{
	if (of_thread.as_worker != NULL)
		symbolizer_pool_give(of_thread.as_worker);
	of_thread.as_worker = NULL;
}

int
symbolizer_process_channel(void)
{
	return of_thread.as_worker == NULL ? -1
					   : of_thread.as_worker->sp_channel;
}

uint64_t
symbolizer_process_serial(void)
{
	return ++of_thread.as_worker->sp_serial;
}

void
symbolizer_process_begin(int msecs, uid_t person)
{
	of_thread.as_limit = clock_msecs() + msecs;
	of_thread.as_person = person;
}

void
symbolizer_process_file(uid_t owner, int msecs)
{
	of_thread.as_owner = owner;
	of_thread.as_each = msecs;
}

int64_t
symbolizer_process_took(void)
{
	return of_thread.as_took;
}

void
symbolizer_process_stat(struct symbolizer_process_stat *sw)
{
	struct symbolizer_pool_stat sp;

	symbolizer_pool_stat(&sp);
	pthread_mutex_lock(&stat_mtx);
	*sw = stats;
	pthread_mutex_unlock(&stat_mtx);
	sw->sw_starts = sp.po_starts;
	sw->sw_hung = sp.po_hung;
	sw->sw_nbusy = sp.po_nbusy;
	sw->sw_npids = sp.po_npids;
	memcpy(sw->sw_pids, sp.po_pids, sizeof(sw->sw_pids));
}
