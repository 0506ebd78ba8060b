/* SPDX-License-Identifier: ISC */
/*
 * Reads recordings in the format of block.h, one item after another, checking
 * lengths before contents.  Does not open files; the caller does.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/dtfile/block_sum.h"

struct block_reader {
	ssize_t (*brd_read)(void *, void *, size_t);
	void *brd_arg;
	uint64_t brd_offset; /* offset of the block in brd_hdr */
	uint64_t brd_next;   /* offset of the next block */
	struct block_hdr brd_hdr;
	unsigned char *brd_data; /* content of the block, 8-aligned */
	size_t brd_len;
	size_t brd_pos; /* next item in brd_data */
	int brd_end;	/* 0; or 1: end, -1: damage */
	int brd_nheads;
	/* the ledger, or a reference to the next file, was read */
	int brd_isclosed;
	int brd_isstopped;
	char brd_damage[160];
};

struct block_reader *
block_reader_alloc(ssize_t (*readfn)(void *, void *, size_t), void *arg)
{
	struct block_reader *r;

	if ((r = calloc(1, sizeof(*r))) == NULL)
		return NULL;
	r->brd_read = readfn;
	r->brd_arg = arg;
	if ((r->brd_data = malloc(BLOCK_MAXLEN)) == NULL) {
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
	free(r->brd_data);
	free(r);
}

const char *
block_damage(const struct block_reader *r)
{
	return r->brd_damage[0] != '\0' ? r->brd_damage : NULL;
}

uint64_t
block_offset(const struct block_reader *r)
{
	return r->brd_offset;
}

static int __attribute__((format(printf, 2, 3)))
block_bad(struct block_reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->brd_damage, sizeof(r->brd_damage), fmt, ap);
	va_end(ap);
	r->brd_end = -1;
	return -1;
}

/* Reads nbytes, or fewer at the end of the file; -1 after a failure. */
static ssize_t
block_readn(struct block_reader *r, void *buf, size_t nbytes)
{
	size_t len = 0;
	ssize_t n;

	while (len < nbytes) {
		n = r->brd_read(r->brd_arg, (char *)buf + len, nbytes - len);
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

/* Returns what is wrong with a header, or NULL. */
static const char *
block_check_hdr(const struct block_reader *r)
{
	const struct block_hdr *h = &r->brd_hdr;
	int first = r->brd_nheads == 0;

	if (first && h->bh_type == __builtin_bswap32(BLOCK_HEAD))
		return "was recorded on a machine with another byte order";
	if (first && h->bh_type != BLOCK_HEAD)
		return "is not a recording of dt";
	if (first && h->bh_version != BLOCK_VERSION)
		return "was recorded by another version of dt";
	if (!first && h->bh_type == BLOCK_HEAD)
		return "a second recording begins here";
	if (r->brd_isclosed)
		return "there is data after the end";
	if (r->brd_isstopped && h->bh_type != BLOCK_LEDGER)
		return "there is data after the block of the stop";
	if (h->bh_length > BLOCK_MAXLEN)
		return "the block is longer than the maximum";
	return NULL;
}

static int
block_cut(struct block_reader *r, size_t want, size_t got)
{
	return block_bad(r,
	    "the file is cut off %zu bytes before the end of a block",
	    want - got);
}

/* Reads the next block.  Returns 1, 0 at the end of the file, or -1. */
static int
block_load(struct block_reader *r)
{
	struct block_hdr *h = &r->brd_hdr;
	unsigned char zeros[8];
	const char *why;
	size_t npad;
	ssize_t n;

	r->brd_offset = r->brd_next;
	r->brd_len = r->brd_pos = 0;
	if ((n = block_readn(r, h, sizeof(*h))) == -1)
		return -1;
	if (n == 0 && r->brd_nheads > 0)
		return 0;
	if ((size_t)n < sizeof(*h) && r->brd_nheads == 0)
		return block_bad(r, "is not a recording of dt");
	if ((size_t)n < sizeof(*h))
		return block_cut(r, sizeof(*h), n);
	if ((why = block_check_hdr(r)) != NULL)
		return block_bad(r, "%s", why);
	if ((n = block_readn(r, r->brd_data, h->bh_length)) == -1)
		return -1;
	npad = BLOCK_PAD(h->bh_length) - h->bh_length;
	if (n < (ssize_t)h->bh_length)
		return block_cut(r, h->bh_length + npad, n);
	if ((n = block_readn(r, zeros, npad)) == -1)
		return -1;
	if (n < (ssize_t)npad)
		return block_cut(r, npad, n);
	if (memcmp(zeros, block_zeros, npad) != 0 ||
	    block_sum(h, r->brd_data, h->bh_length) != h->bh_sum)
		return block_bad(r, "the checksum of the block is wrong");
	r->brd_len = h->bh_length;
	r->brd_next = r->brd_offset + sizeof(*h) + h->bh_length + npad;
	return 1;
}

/*
 * Types of blocks: each function takes one item from the content at brd_pos,
 * where there is at least one byte.
 */

static int
block_get_head(struct block_reader *r, struct block_item *it)
{
	struct block_head *head = (struct block_head *)r->brd_data;

	if (r->brd_len < BLOCK_HEADMIN)
		return block_bad(r, "the head is too short");
	if (r->brd_len < sizeof(*head))
		memset(r->brd_data + r->brd_len, 0, sizeof(*head) - r->brd_len);
	head->bf_host[sizeof(head->bf_host) - 1] = '\0';
	head->bf_release[sizeof(head->bf_release) - 1] = '\0';
	head->bf_machine[sizeof(head->bf_machine) - 1] = '\0';
	head->bf_writer[sizeof(head->bf_writer) - 1] = '\0';
	head->bf_boot[sizeof(head->bf_boot) - 1] = '\0';
	r->brd_nheads = 1;
	r->brd_pos = r->brd_len;
	it->bi_head = head;
	return 1;
}

/* Returns the string at brd_pos, or NULL if it is not terminated. */
static const char *
block_get_str(struct block_reader *r)
{
	const char *s = (const char *)r->brd_data + r->brd_pos;
	size_t n = strnlen(s, r->brd_len - r->brd_pos);

	if (n == r->brd_len - r->brd_pos)
		return NULL;
	r->brd_pos += n + 1;
	return s;
}

static int
block_get_probe(struct block_reader *r, struct block_item *it)
{
	const struct block_probe_hdr *h = (const void *)r->brd_data;
	struct block_probe *pb = &it->bi_probe;
	unsigned int i;

	if (r->brd_len < sizeof(*h) || h->bp_nargs > DT_REC_NARGS ||
	    r->brd_len - sizeof(*h) < h->bp_nargs)
		return block_bad(r, "the description of a probe is wrong");
	memset(pb, 0, sizeof(*pb));
	pb->pb_pbn = h->bp_pbn;
	pb->pb_nargs = h->bp_nargs;
	pb->pb_flags = h->bp_flags;
	for (i = 0; i < pb->pb_nargs; i++)
		pb->pb_args[i].flags = r->brd_data[sizeof(*h) + i];
	r->brd_pos = sizeof(*h) + h->bp_nargs;
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
	r->brd_pos = r->brd_len;
	return 1;
}

static int
block_get_clock(struct block_reader *r, struct block_item *it)
{
	if (r->brd_len < sizeof(it->bi_clock))
		return block_bad(r, "the clock is too short");
	memcpy(&it->bi_clock, r->brd_data, sizeof(it->bi_clock));
	r->brd_pos = r->brd_len;
	return 1;
}

static int
block_get_ksym(struct block_reader *r, struct block_item *it)
{
	const struct block_ksym_hdr *h;
	size_t left = r->brd_len - r->brd_pos, n;

	h = (const void *)(r->brd_data + r->brd_pos);
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
	r->brd_pos = n < left ? r->brd_pos + n : r->brd_len;
	return 1;
}

/*
 * Copies a path of n bytes at s, which follows its item's header, cuts it to
 * size, and moves to the next item.
 */
static void
block_get_path(struct block_reader *r, char *path, size_t size, const char *s,
    size_t n)
{
	const char *all = (const char *)r->brd_data;
	const char *end = all + BLOCK_PAD(s + n - all);

	r->brd_pos = (size_t)(end - all) < r->brd_len ? (size_t)(end - all)
						      : r->brd_len;
	if (n >= size)
		n = size - 1;
	memcpy(path, s, n);
	path[n] = '\0';
}

static int
block_get_file(struct block_reader *r, struct block_item *it)
{
	const struct block_file_hdr *h;
	size_t left = r->brd_len - r->brd_pos;

	h = (const void *)(r->brd_data + r->brd_pos);
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
	size_t left = r->brd_len - r->brd_pos;

	h = (const void *)(r->brd_data + r->brd_pos);
	if (left < sizeof(*h) || left - sizeof(*h) < h->bg_pathlen)
		return block_bad(r, "the path of a cgroup has no end");
	it->bi_cgroup.id = h->bg_id;
	block_get_path(r, it->bi_cgroup.path, sizeof(it->bi_cgroup.path),
	    (const char *)(h + 1), h->bg_pathlen);
	return 1;
}

static int
block_get_maps(struct block_reader *r, struct block_item *it)
{
	const struct block_map_hdr *h;
	size_t left = r->brd_len - r->brd_pos;

	h = (const void *)(r->brd_data + r->brd_pos);
	if (left < sizeof(*h) || left - sizeof(*h) < h->bmh_pathlen ||
	    h->bmh_buildidlen > sizeof(h->bmh_buildid))
		return block_bad(r, "the code of a process has no end");
	it->bi_map.bm_hdr = *h;
	block_get_path(r, it->bi_map.bm_path, sizeof(it->bi_map.bm_path),
	    (const char *)(h + 1), h->bmh_pathlen);
	return 1;
}

static int
block_get_usym(struct block_reader *r, struct block_item *it)
{
	const struct block_usym_hdr *h;
	size_t left = r->brd_len - r->brd_pos, n;
	const char *s;

	h = (const void *)(r->brd_data + r->brd_pos);
	if (left < sizeof(*h) ||
	    left - sizeof(*h) < (size_t)h->buh_funclen + h->buh_filelen)
		return block_bad(r, "the name of a place has no end");
	it->bi_usym.bu_hdr = *h;
	s = (const char *)(h + 1);
	n = h->buh_funclen < sizeof(it->bi_usym.bu_func)
	    ? h->buh_funclen
	    : sizeof(it->bi_usym.bu_func) - 1;
	memcpy(it->bi_usym.bu_func, s, n);
	it->bi_usym.bu_func[n] = '\0';
	block_get_path(r, it->bi_usym.bu_srcfile,
	    sizeof(it->bi_usym.bu_srcfile), s + h->buh_funclen, h->buh_filelen);
	return 1;
}

static int
block_get_place(struct block_reader *r, struct block_item *it)
{
	const struct block_place_hdr *h;
	struct block_place *pl = &it->bi_place;
	size_t left = r->brd_len - r->brd_pos, end;

	h = (const void *)(r->brd_data + r->brd_pos);
	if (left < sizeof(*h) || left - sizeof(*h) < h->bpl_textlen)
		return block_bad(r, "a place of kcov has no end");
	pl->bl_hdr = *h;
	r->brd_pos += sizeof(*h);
	end = r->brd_pos + h->bpl_textlen;
	if ((pl->bl_func = block_get_str(r)) == NULL ||
	    (pl->bl_module = block_get_str(r)) == NULL ||
	    (pl->bl_srcfile = block_get_str(r)) == NULL || r->brd_pos > end)
		return block_bad(r, "the name of a place has no end");
	end = BLOCK_PAD(end);
	r->brd_pos = end < r->brd_len ? end : r->brd_len;
	return 1;
}

static int
block_get_kcov(struct block_reader *r, struct block_item *it)
{
	if (r->brd_len < sizeof(it->bi_kcov))
		return block_bad(r, "the counters of kcov are too short");
	memcpy(&it->bi_kcov, r->brd_data, sizeof(it->bi_kcov));
	r->brd_isclosed = 1;
	r->brd_pos = r->brd_len;
	return 1;
}

static int
block_get_data(struct block_reader *r, struct block_item *it)
{
	const struct block_rec_hdr *h;
	const struct dt_rec *rec;
	size_t left = r->brd_len - r->brd_pos;

	h = (const void *)(r->brd_data + r->brd_pos);
	rec = (const void *)(h + 1);
	if (left < sizeof(*h) || left - sizeof(*h) < h->br_length ||
	    h->br_length < sizeof(*rec) || h->br_length % 8 != 0 ||
	    h->br_length != rec->dr_length)
		return block_bad(r, "a record has a wrong length");
	it->bi_rec = rec;
	it->bi_cpu = h->br_cpu;
	r->brd_pos += sizeof(*h) + h->br_length;
	return 1;
}

static int
block_get_pass(struct block_reader *r, struct block_item *it)
{
	if (r->brd_len < sizeof(it->bi_lowwater))
		return block_bad(r, "the low water is too short");
	memcpy(&it->bi_lowwater, r->brd_data, sizeof(it->bi_lowwater));
	r->brd_pos = r->brd_len;
	return 1;
}

static int
block_get_stop(struct block_reader *r, struct block_item *it)
{
	if (r->brd_len < sizeof(it->bi_stop))
		return block_bad(r, "the reason of the stop is too short");
	memcpy(&it->bi_stop, r->brd_data, sizeof(it->bi_stop));
	r->brd_isstopped = 1;
	r->brd_isclosed = it->bi_stop.bs_why == BLOCK_STOP_NEXT;
	r->brd_pos = r->brd_len;
	return 1;
}

static int
block_get_ledger(struct block_reader *r, struct block_item *it)
{
	/* an earlier version's ledger may be shorter: the rest is 0 */
	memset(&it->bi_ledger, 0, sizeof(it->bi_ledger));
	memcpy(&it->bi_ledger, r->brd_data,
	    r->brd_len < sizeof(it->bi_ledger) ? r->brd_len
					       : sizeof(it->bi_ledger));
	r->brd_isclosed = 1;
	r->brd_pos = r->brd_len;
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
	{ BLOCK_MAPS, block_get_maps },
	{ BLOCK_USYM, block_get_usym },
	{ BLOCK_PLACE, block_get_place },
	{ BLOCK_KCOV, block_get_kcov },
	{ BLOCK_PROBE, block_get_probe },
	{ BLOCK_CLOCK, block_get_clock },
	{ BLOCK_HEAD, block_get_head },
	{ BLOCK_STOP, block_get_stop },
	{ BLOCK_LEDGER, block_get_ledger },
};

/*
 * Takes the next item of this block.  Returns 0 if there is none, or if its
 * type is unknown.
 */
static int
block_item(struct block_reader *r, struct block_item *it)
{
	size_t i;

	if (r->brd_pos == r->brd_len || r->brd_hdr.bh_version != BLOCK_VERSION)
		return 0;
	for (i = 0; i < sizeof(block_types) / sizeof(block_types[0]); i++) {
		if (block_types[i].type == r->brd_hdr.bh_type) {
			it->bi_type = r->brd_hdr.bh_type;
			return block_types[i].get(r, it);
		}
	}
	return 0;
}

int
block_next(struct block_reader *r, struct block_item *it)
{
	int n;

	if (r->brd_end != 0)
		return r->brd_end == -1 ? -1 : 0;
	while ((n = block_item(r, it)) == 0) {
		if ((n = block_load(r)) == -1)
			return -1;
		if (n == 0)
			break;
		if (r->brd_len == 0 && r->brd_nheads == 0)
			return block_bad(r, "the head is too short");
	}
	if (n != 0)
		return n;
	r->brd_end = 1;
	if (!r->brd_isclosed)
		block_bad(r,
		    "the recording has no end: it was cut off, or continues");
	r->brd_end = 1;
	return 0;
}
