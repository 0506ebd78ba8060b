/* SPDX-License-Identifier: ISC */
/*
 * Recordings, as block.h tells their format: a writer that collects names
 * and records into blocks, and a reader that hands out one item after the
 * other.  Files and names of files are the caller's.
 *
 * The checksum is zlib's, because it runs at memory speed, and the file can
 * be checked with what every language has in its library.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "block.h"

#define BLOCK_PAD(n) (((n) + 7) & ~(size_t)7)

/* Names and records are collected up to so much: what damage takes with it is
 * little.  The longest record or name that comes then has room behind. */
#define BLOCK_FILL    0x20000

#define BLOCK_MAXPATH 4095

struct block_pend { /* content of a block that is not full */
	unsigned char *pe_data;
	size_t pe_len;
};

struct block_writer {
	int (*bw_write)(void *, const struct iovec *, int);
	void *bw_arg;
	int bw_failed;
	uint64_t bw_lowwater; /* the last that was told */
	uint64_t bw_passed;   /* the last that was written */
	struct block_pend bw_ksyms;
	struct block_pend bw_files;
	struct block_pend bw_cgroups;
	struct block_pend bw_data;
};

struct block_reader {
	ssize_t (*rd_read)(void *, void *, size_t);
	void *rd_arg;
	uint64_t rd_offset; /* of the block in rd_hdr */
	uint64_t rd_next;   /* of the block behind it */
	struct block_hdr rd_hdr;
	unsigned char *rd_data; /* its content, 8-aligned */
	size_t rd_len;
	size_t rd_pos; /* in rd_data: next item */
	int rd_end;    /* 0, or 1: end, -1: damage */
	int rd_nheads;
	int rd_isclosed; /* the ledger was read, or where it goes on */
	int rd_isstopped;
	char rd_damage[160];
};

/* The zeros behind the content, at most 7 */
static const unsigned char block_zeros[8];

/*
 * Writing
 */

struct block_writer *
block_writer_alloc(int (*writefn)(void *, const struct iovec *, int), void *arg)
{
	struct block_writer *w;

	if ((w = calloc(1, sizeof(*w))) == NULL)
		return NULL;
	w->bw_write = writefn;
	w->bw_arg = arg;
	w->bw_ksyms.pe_data = malloc(BLOCK_MAXLEN);
	w->bw_files.pe_data = malloc(BLOCK_MAXLEN);
	w->bw_cgroups.pe_data = malloc(BLOCK_MAXLEN);
	w->bw_data.pe_data = malloc(BLOCK_MAXLEN);
	if (w->bw_ksyms.pe_data == NULL || w->bw_files.pe_data == NULL ||
	    w->bw_cgroups.pe_data == NULL || w->bw_data.pe_data == NULL) {
		block_writer_free(w);
		errno = ENOMEM;
		return NULL;
	}
	return w;
}

void
block_writer_free(struct block_writer *w)
{
	if (w == NULL)
		return;
	free(w->bw_ksyms.pe_data);
	free(w->bw_files.pe_data);
	free(w->bw_cgroups.pe_data);
	free(w->bw_data.pe_data);
	free(w);
}

static uint32_t
block_sum(const struct block_hdr *h, const void *data, size_t nbytes)
{
	uLong sum;

	sum = crc32_z(0, (const void *)h, offsetof(struct block_hdr, bh_sum));
	sum = crc32_z(sum, data, nbytes);
	return crc32_z(sum, block_zeros, BLOCK_PAD(nbytes) - nbytes);
}

/* Appends a block to iov; the caller keeps h.  Returns how many entries it
 * took: 2, if nbytes is a multiple of 8, else 3. */
static int
block_iov(struct iovec *iov, struct block_hdr *h, uint32_t type,
    const void *data, size_t nbytes)
{
	size_t npad = BLOCK_PAD(nbytes) - nbytes;

	h->bh_type = type;
	h->bh_version = BLOCK_VERSION;
	h->bh_length = nbytes;
	h->bh_sum = block_sum(h, data, nbytes);
	iov[0] = (struct iovec){ h, sizeof(*h) };
	iov[1] = (struct iovec){ (void *)data, nbytes };
	if (npad == 0)
		return 2;
	iov[2] = (struct iovec){ (void *)block_zeros, npad };
	return 3;
}

static void
block_write(struct block_writer *w, const struct iovec *iov, int niov)
{
	if (!w->bw_failed && w->bw_write(w->bw_arg, iov, niov) == -1)
		w->bw_failed = 1;
}

static void
block_put(struct block_writer *w, uint32_t type, const void *data,
    size_t nbytes)
{
	struct block_hdr h;
	struct iovec iov[3];
	int n;

	if (w->bw_failed)
		return;
	n = block_iov(iov, &h, type, data, nbytes);
	block_write(w, iov, n);
}

/* Appends and pads; the caller has seen that there is room. */
static void
block_pend_add(struct block_pend *p, const void *data, size_t nbytes)
{
	size_t npad = BLOCK_PAD(nbytes) - nbytes;

	memcpy(p->pe_data + p->pe_len, data, nbytes);
	p->pe_len += nbytes;
	if (npad > 0)
		memset(p->pe_data + p->pe_len, 0, npad);
	p->pe_len += npad;
}

/* What only says how far the records before it go, needs no block before. */
static int
block_haspass(const struct block_writer *w)
{
	return w->bw_data.pe_len > 0 && w->bw_lowwater > w->bw_passed;
}

static void
block_pend_put(struct block_writer *w, uint32_t type, struct block_pend *p)
{
	if (p->pe_len > 0)
		block_put(w, type, p->pe_data, p->pe_len);
	p->pe_len = 0;
}

int
block_flush(struct block_writer *w)
{
	struct {
		uint32_t type;
		struct block_pend *pend;
	} all[] = {
		{ BLOCK_KSYM, &w->bw_ksyms },
		{ BLOCK_FILE, &w->bw_files },
		{ BLOCK_CGROUP, &w->bw_cgroups },
		{ BLOCK_DATA, &w->bw_data },
	};
	const size_t nall = sizeof(all) / sizeof(all[0]);
	struct block_hdr h[sizeof(all) / sizeof(all[0]) + 1];
	struct iovec iov[2 * (sizeof(all) / sizeof(all[0]) + 1)];
	int n = 0, ispass = block_haspass(w);
	size_t i;

	for (i = 0; i < nall && !w->bw_failed; i++) {
		if (all[i].pend->pe_len > 0)
			n += block_iov(iov + n, &h[i], all[i].type,
			    all[i].pend->pe_data, all[i].pend->pe_len);
	}
	if (ispass && !w->bw_failed)
		n += block_iov(iov + n, &h[nall], BLOCK_PASS, &w->bw_lowwater,
		    sizeof(w->bw_lowwater));
	if (n > 0)
		block_write(w, iov, n);
	for (i = 0; i < nall; i++)
		all[i].pend->pe_len = 0;
	if (ispass)
		w->bw_passed = w->bw_lowwater;
	return w->bw_failed ? -1 : 0;
}

void
block_discard(struct block_writer *w)
{
	w->bw_ksyms.pe_len = w->bw_files.pe_len = w->bw_cgroups.pe_len =
	    w->bw_data.pe_len = 0;
	w->bw_failed = 0;
}

void
block_head(struct block_writer *w, const struct block_head *head)
{
	block_put(w, BLOCK_HEAD, head, sizeof(*head));
}

void
block_probe(struct block_writer *w, const struct block_probe *pb)
{
	_Alignas(8) unsigned char buf[sizeof(struct block_probe_hdr) +
	    DT_REC_NARGS + (3 + 2 * DT_REC_NARGS) * 256];
	struct block_probe_hdr *h = (struct block_probe_hdr *)buf;
	const char *strs[3 + 2 * DT_REC_NARGS] = { pb->pb_prov, pb->pb_func,
		pb->pb_name };
	size_t len = sizeof(*h), n;
	unsigned int i, nstrs = 3;

	memset(buf, 0, sizeof(*h));
	h->bp_pbn = pb->pb_pbn;
	h->bp_nargs = pb->pb_nargs > DT_REC_NARGS ? DT_REC_NARGS : pb->pb_nargs;
	for (i = 0; i < h->bp_nargs; i++) {
		buf[len++] = pb->pb_args[i].flags;
		strs[nstrs++] = pb->pb_args[i].type;
		strs[nstrs++] = pb->pb_args[i].name;
	}
	for (i = 0; i < nstrs; i++) {
		n = strnlen(strs[i], 255);
		memcpy(buf + len, strs[i], n);
		buf[len + n] = '\0';
		len += n + 1;
	}
	block_put(w, BLOCK_PROBE, buf, len);
}

void
block_clock(struct block_writer *w, int64_t offset)
{
	block_put(w, BLOCK_CLOCK, &offset, sizeof(offset));
}

void
block_ksym(struct block_writer *w, uint64_t pc, const char *name,
    uint64_t offset)
{
	struct block_ksym_hdr h = {
		.bk_pc = pc,
		.bk_offset = offset,
		.bk_namelen = strnlen(name, 255),
	};

	if (w->bw_ksyms.pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_KSYM, &w->bw_ksyms);
	block_pend_add(&w->bw_ksyms, &h, sizeof(h));
	block_pend_add(&w->bw_ksyms, name, h.bk_namelen);
}

void
block_file(struct block_writer *w, uint32_t pid, int fd, const char *path)
{
	struct block_file_hdr h = {
		.bx_pid = pid,
		.bx_fd = fd,
		.bx_pathlen = strnlen(path, BLOCK_MAXPATH),
	};

	if (w->bw_files.pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_FILE, &w->bw_files);
	block_pend_add(&w->bw_files, &h, sizeof(h));
	block_pend_add(&w->bw_files, path, h.bx_pathlen);
}

void
block_cgroup(struct block_writer *w, uint64_t id, const char *path)
{
	struct block_cgroup_hdr h = {
		.bg_id = id,
		.bg_pathlen = strnlen(path, BLOCK_MAXPATH),
	};

	if (w->bw_cgroups.pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_CGROUP, &w->bw_cgroups);
	block_pend_add(&w->bw_cgroups, &h, sizeof(h));
	block_pend_add(&w->bw_cgroups, path, h.bg_pathlen);
}

int
block_full(const struct block_writer *w, size_t nbytes)
{
	return w->bw_data.pe_len + sizeof(struct block_rec_hdr) + nbytes >
	    BLOCK_FILL;
}

static size_t
block_pend_size(const struct block_pend *p)
{
	return p->pe_len > 0 ? sizeof(struct block_hdr) + p->pe_len : 0;
}

size_t
block_pending(const struct block_writer *w)
{
	size_t pass = sizeof(struct block_hdr) + sizeof(w->bw_lowwater);

	return block_pend_size(&w->bw_ksyms) + block_pend_size(&w->bw_files) +
	    block_pend_size(&w->bw_cgroups) + block_pend_size(&w->bw_data) +
	    (block_haspass(w) ? pass : 0);
}

void
block_each(const struct block_writer *w,
    void (*fn)(void *, const struct dt_rec *), void *arg)
{
	const struct block_rec_hdr *h;
	size_t pos;

	for (pos = 0; pos < w->bw_data.pe_len;
	     pos += sizeof(*h) + BLOCK_PAD(h->br_length)) {
		h = (const void *)(w->bw_data.pe_data + pos);
		fn(arg, (const struct dt_rec *)(h + 1));
	}
}

void
block_record(struct block_writer *w, uint32_t cpu, const struct dt_rec *rec)
{
	struct block_rec_hdr h = {
		.br_length = rec->dr_length,
		.br_cpu = cpu,
	};

	if (block_full(w, rec->dr_length))
		block_flush(w);
	block_pend_add(&w->bw_data, &h, sizeof(h));
	block_pend_add(&w->bw_data, rec, rec->dr_length);
}

void
block_pass(struct block_writer *w, uint64_t lowwater)
{
	w->bw_lowwater = lowwater;
}

int
block_end(struct block_writer *w, const struct block_stop *stop,
    const struct dt_ledger *ledger)
{
	struct block_hdr h[2];
	struct iovec iov[4];
	int n = 0;

	if (stop != NULL)
		n += block_iov(iov + n, &h[0], BLOCK_STOP, stop, sizeof(*stop));
	if (ledger != NULL)
		n += block_iov(iov + n, &h[1], BLOCK_LEDGER, ledger,
		    sizeof(*ledger));
	if (n > 0)
		block_write(w, iov, n);
	return w->bw_failed ? -1 : 0;
}

/*
 * Reading
 */

struct block_reader *
block_reader_alloc(ssize_t (*readfn)(void *, void *, size_t), void *arg)
{
	struct block_reader *r;

	if ((r = calloc(1, sizeof(*r))) == NULL)
		return NULL;
	r->rd_read = readfn;
	r->rd_arg = arg;
	if ((r->rd_data = malloc(BLOCK_MAXLEN)) == NULL) {
		free(r);
		errno = ENOMEM;
		return NULL;
	}
	return r;
}

void
block_reader_free(struct block_reader *r)
{
	if (r == NULL)
		return;
	free(r->rd_data);
	free(r);
}

const char *
block_damage(const struct block_reader *r)
{
	return r->rd_damage[0] != '\0' ? r->rd_damage : NULL;
}

uint64_t
block_offset(const struct block_reader *r)
{
	return r->rd_offset;
}

static int __attribute__((format(printf, 2, 3)))
block_bad(struct block_reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->rd_damage, sizeof(r->rd_damage), fmt, ap);
	va_end(ap);
	r->rd_end = -1;
	return -1;
}

/* Reads all of nbytes, or what the file has left; -1 after a failure. */
static ssize_t
block_readn(struct block_reader *r, void *buf, size_t nbytes)
{
	size_t len = 0;
	ssize_t n;

	while (len < nbytes) {
		n = r->rd_read(r->rd_arg, (char *)buf + len, nbytes - len);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return block_bad(r, "cannot be read: %s",
			    strerror(errno));
		if (n == 0)
			break;
		len += n;
	}
	return len;
}

/* What is wrong with a header, or NULL. */
static const char *
block_check_hdr(const struct block_reader *r)
{
	const struct block_hdr *h = &r->rd_hdr;
	int first = r->rd_nheads == 0;

	if (first && h->bh_type == __builtin_bswap32(BLOCK_HEAD))
		return "was recorded on a machine of the other byte order";
	if (first && h->bh_type != BLOCK_HEAD)
		return "is not a recording of dt";
	if (first && h->bh_version != BLOCK_VERSION)
		return "was recorded by another version of dt";
	if (!first && h->bh_type == BLOCK_HEAD)
		return "a second recording begins here";
	if (r->rd_isclosed)
		return "something follows the end";
	if (r->rd_isstopped && h->bh_type != BLOCK_LEDGER)
		return "something follows where the file was stopped";
	if (h->bh_length > BLOCK_MAXLEN)
		return "the block is longer than any can be";
	return NULL;
}

static int
block_cut(struct block_reader *r, size_t want, size_t got)
{
	return block_bad(r,
	    "the file was cut off, %zu bytes before the end "
	    "of a block",
	    want - got);
}

/* Reads the next block.  1, or 0 at the end of the file, or -1. */
static int
block_load(struct block_reader *r)
{
	struct block_hdr *h = &r->rd_hdr;
	unsigned char zeros[8];
	const char *why;
	size_t npad;
	ssize_t n;

	r->rd_offset = r->rd_next;
	r->rd_len = r->rd_pos = 0;
	if ((n = block_readn(r, h, sizeof(*h))) == -1)
		return -1;
	if (n == 0 && r->rd_nheads > 0)
		return 0;
	if ((size_t)n < sizeof(*h) && r->rd_nheads == 0)
		return block_bad(r, "is not a recording of dt");
	if ((size_t)n < sizeof(*h))
		return block_cut(r, sizeof(*h), n);
	if ((why = block_check_hdr(r)) != NULL)
		return block_bad(r, "%s", why);
	if ((n = block_readn(r, r->rd_data, h->bh_length)) == -1)
		return -1;
	npad = BLOCK_PAD(h->bh_length) - h->bh_length;
	if (n < (ssize_t)h->bh_length)
		return block_cut(r, h->bh_length + npad, n);
	if ((n = block_readn(r, zeros, npad)) == -1)
		return -1;
	if (n < (ssize_t)npad)
		return block_cut(r, npad, n);
	if (memcmp(zeros, block_zeros, npad) != 0 ||
	    block_sum(h, r->rd_data, h->bh_length) != h->bh_sum)
		return block_bad(r, "the checksum of the block is wrong");
	r->rd_len = h->bh_length;
	r->rd_next = r->rd_offset + sizeof(*h) + h->bh_length + npad;
	return 1;
}

/*
 * The types: each takes one item from the content at rd_pos, of which there
 * is at least one byte.
 */

static int
block_get_head(struct block_reader *r, struct block_item *it)
{
	struct block_head *head = (struct block_head *)r->rd_data;

	if (r->rd_len < sizeof(*head))
		return block_bad(r, "the head is too short");
	head->bf_host[sizeof(head->bf_host) - 1] = '\0';
	head->bf_release[sizeof(head->bf_release) - 1] = '\0';
	head->bf_machine[sizeof(head->bf_machine) - 1] = '\0';
	head->bf_writer[sizeof(head->bf_writer) - 1] = '\0';
	r->rd_nheads = 1;
	r->rd_pos = r->rd_len;
	it->bi_head = head;
	return 1;
}

/* The string at rd_pos, or NULL if it has no end. */
static const char *
block_get_str(struct block_reader *r)
{
	const char *s = (const char *)r->rd_data + r->rd_pos;
	size_t n = strnlen(s, r->rd_len - r->rd_pos);

	if (n == r->rd_len - r->rd_pos)
		return NULL;
	r->rd_pos += n + 1;
	return s;
}

static int
block_get_probe(struct block_reader *r, struct block_item *it)
{
	const struct block_probe_hdr *h = (const void *)r->rd_data;
	struct block_probe *pb = &it->bi_probe;
	unsigned int i;

	if (r->rd_len < sizeof(*h) || h->bp_nargs > DT_REC_NARGS ||
	    r->rd_len - sizeof(*h) < h->bp_nargs)
		return block_bad(r, "the description of a probe is wrong");
	memset(pb, 0, sizeof(*pb));
	pb->pb_pbn = h->bp_pbn;
	pb->pb_nargs = h->bp_nargs;
	for (i = 0; i < pb->pb_nargs; i++)
		pb->pb_args[i].flags = r->rd_data[sizeof(*h) + i];
	r->rd_pos = sizeof(*h) + h->bp_nargs;
	if ((pb->pb_prov = block_get_str(r)) == NULL ||
	    (pb->pb_func = block_get_str(r)) == NULL ||
	    (pb->pb_name = block_get_str(r)) == NULL)
		return block_bad(r, "the name of a probe has no end");
	for (i = 0; i < pb->pb_nargs; i++) {
		if ((pb->pb_args[i].type = block_get_str(r)) == NULL ||
		    (pb->pb_args[i].name = block_get_str(r)) == NULL)
			return block_bad(r,
			    "the name of an argument has no "
			    "end");
	}
	r->rd_pos = r->rd_len;
	return 1;
}

static int
block_get_clock(struct block_reader *r, struct block_item *it)
{
	if (r->rd_len < sizeof(it->bi_clock))
		return block_bad(r, "the clock is too short");
	memcpy(&it->bi_clock, r->rd_data, sizeof(it->bi_clock));
	r->rd_pos = r->rd_len;
	return 1;
}

static int
block_get_ksym(struct block_reader *r, struct block_item *it)
{
	const struct block_ksym_hdr *h;
	size_t left = r->rd_len - r->rd_pos, n;

	h = (const void *)(r->rd_data + r->rd_pos);
	if (left < sizeof(*h) || left - sizeof(*h) < h->bk_namelen)
		return block_bad(r, "the name of an address has no end");
	n = h->bk_namelen;
	if (n >= sizeof(it->bi_ksym.name))
		n = sizeof(it->bi_ksym.name) - 1;
	it->bi_ksym.pc = h->bk_pc;
	it->bi_ksym.offset = h->bk_offset;
	memcpy(it->bi_ksym.name, h + 1, n);
	it->bi_ksym.name[n] = '\0';
	n = sizeof(*h) + BLOCK_PAD((size_t)h->bk_namelen);
	r->rd_pos = n < left ? r->rd_pos + n : r->rd_len;
	return 1;
}

/*
 * A path of n bytes at s, behind a header of its item: copies it, cut, and
 * goes on to the next item.
 */
static void
block_get_path(struct block_reader *r, char *path, size_t size, const char *s,
    size_t n)
{
	const char *end = s + BLOCK_PAD(n);
	const char *all = (const char *)r->rd_data;

	r->rd_pos = (size_t)(end - all) < r->rd_len ? (size_t)(end - all)
						    : r->rd_len;
	if (n >= size)
		n = size - 1;
	memcpy(path, s, n);
	path[n] = '\0';
}

static int
block_get_file(struct block_reader *r, struct block_item *it)
{
	const struct block_file_hdr *h;
	size_t left = r->rd_len - r->rd_pos;

	h = (const void *)(r->rd_data + r->rd_pos);
	if (left < sizeof(*h) || left - sizeof(*h) < h->bx_pathlen)
		return block_bad(r, "the path of a descriptor has no end");
	it->bi_file.pid = h->bx_pid;
	it->bi_file.fd = h->bx_fd;
	block_get_path(r, it->bi_file.path, sizeof(it->bi_file.path),
	    (const char *)(h + 1), h->bx_pathlen);
	return 1;
}

static int
block_get_cgroup(struct block_reader *r, struct block_item *it)
{
	const struct block_cgroup_hdr *h;
	size_t left = r->rd_len - r->rd_pos;

	h = (const void *)(r->rd_data + r->rd_pos);
	if (left < sizeof(*h) || left - sizeof(*h) < h->bg_pathlen)
		return block_bad(r, "the path of a cgroup has no end");
	it->bi_cgroup.id = h->bg_id;
	block_get_path(r, it->bi_cgroup.path, sizeof(it->bi_cgroup.path),
	    (const char *)(h + 1), h->bg_pathlen);
	return 1;
}

static int
block_get_data(struct block_reader *r, struct block_item *it)
{
	const struct block_rec_hdr *h;
	const struct dt_rec *rec;
	size_t left = r->rd_len - r->rd_pos;

	h = (const void *)(r->rd_data + r->rd_pos);
	rec = (const void *)(h + 1);
	if (left < sizeof(*h) || left - sizeof(*h) < h->br_length ||
	    h->br_length < sizeof(*rec) || h->br_length % 8 != 0 ||
	    h->br_length != rec->dr_length)
		return block_bad(r, "a record has a wrong length");
	it->bi_rec = rec;
	it->bi_cpu = h->br_cpu;
	r->rd_pos += sizeof(*h) + h->br_length;
	return 1;
}

static int
block_get_pass(struct block_reader *r, struct block_item *it)
{
	if (r->rd_len < sizeof(it->bi_lowwater))
		return block_bad(r, "the low water is too short");
	memcpy(&it->bi_lowwater, r->rd_data, sizeof(it->bi_lowwater));
	r->rd_pos = r->rd_len;
	return 1;
}

static int
block_get_stop(struct block_reader *r, struct block_item *it)
{
	if (r->rd_len < sizeof(it->bi_stop))
		return block_bad(r, "the reason of the stop is too short");
	memcpy(&it->bi_stop, r->rd_data, sizeof(it->bi_stop));
	r->rd_isstopped = 1;
	r->rd_isclosed = it->bi_stop.bs_why == BLOCK_STOP_NEXT;
	r->rd_pos = r->rd_len;
	return 1;
}

static int
block_get_ledger(struct block_reader *r, struct block_item *it)
{
	/* an earlier version's may be shorter: what it has not is 0 */
	memset(&it->bi_ledger, 0, sizeof(it->bi_ledger));
	memcpy(&it->bi_ledger, r->rd_data,
	    r->rd_len < sizeof(it->bi_ledger) ? r->rd_len
					      : sizeof(it->bi_ledger));
	r->rd_isclosed = 1;
	r->rd_pos = r->rd_len;
	return 1;
}

static const struct {
	uint32_t type;
	int (*get)(struct block_reader *, struct block_item *);
} block_types[] = {
	{ BLOCK_DATA, block_get_data },
	{ BLOCK_PASS, block_get_pass },
	{ BLOCK_KSYM, block_get_ksym },
	{ BLOCK_FILE, block_get_file },
	{ BLOCK_CGROUP, block_get_cgroup },
	{ BLOCK_PROBE, block_get_probe },
	{ BLOCK_CLOCK, block_get_clock },
	{ BLOCK_HEAD, block_get_head },
	{ BLOCK_STOP, block_get_stop },
	{ BLOCK_LEDGER, block_get_ledger },
};

/* The next item of this block; 0 if it has none (left), or is unknown. */
static int
block_item(struct block_reader *r, struct block_item *it)
{
	size_t i;

	if (r->rd_pos == r->rd_len || r->rd_hdr.bh_version != BLOCK_VERSION)
		return 0;
	for (i = 0; i < sizeof(block_types) / sizeof(block_types[0]); i++) {
		if (block_types[i].type == r->rd_hdr.bh_type) {
			it->bi_type = r->rd_hdr.bh_type;
			return block_types[i].get(r, it);
		}
	}
	return 0;
}

int
block_next(struct block_reader *r, struct block_item *it)
{
	int n;

	if (r->rd_end != 0)
		return r->rd_end == -1 ? -1 : 0;
	while ((n = block_item(r, it)) == 0) {
		if ((n = block_load(r)) == -1)
			return -1;
		if (n == 0)
			break;
		if (r->rd_len == 0 && r->rd_nheads == 0)
			return block_bad(r, "the head is too short");
	}
	if (n != 0)
		return n;
	r->rd_end = 1;
	if (!r->rd_isclosed)
		block_bad(r,
		    "the recording has no end: it was cut off, or "
		    "still goes on");
	r->rd_end = 1;
	return 0;
}
