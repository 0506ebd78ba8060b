/* SPDX-License-Identifier: ISC */
/*
 * Recordings: everything written can be read again, and every kind of damage to
 * a file ends with an error message, never with a wrong item.
 */
#include <errno.h>
#include <zlib.h>

#include "tests/unit/test_cli.h"

#include <dev/dt/dtvar.h>

#include "cli/dtfile/block.h"

/* A file in memory. */
struct mem {
	unsigned char *data;
	size_t len, size;
	size_t pos;
	size_t step; /* maximum length of a read */
	int broken;  /* reads and writes fail there */
};

static int
mem_write(void *arg, const void *data, size_t nbytes)
{
	struct mem *m = arg;

	if (m->broken)
		return -1;
	if (nbytes == 0)
		return 0;
	if (m->size - m->len < nbytes) {
		m->size = (m->len + nbytes) * 2;
		m->data = realloc(m->data, m->size);
		assert_non_null(m->data);
	}
	memcpy(m->data + m->len, data, nbytes);
	m->len += nbytes;
	return 0;
}

/* Called by the writer, with whole blocks only. */
static int
mem_writev(void *arg, const struct iovec *iov, int niov)
{
	int i;

	for (i = 0; i < niov; i++) {
		if (mem_write(arg, iov[i].iov_base, iov[i].iov_len) == -1)
			return -1;
	}
	return 0;
}

static ssize_t
mem_read(void *arg, void *buf, size_t nbytes)
{
	struct mem *m = arg;

	if (m->broken && m->pos >= (size_t)m->broken) {
		errno = EIO;
		return -1;
	}
	if (nbytes > m->len - m->pos)
		nbytes = m->len - m->pos;
	if (m->step != 0 && nbytes > m->step)
		nbytes = m->step;
	if (nbytes > 0)
		memcpy(buf, m->data + m->pos, nbytes);
	m->pos += nbytes;
	return nbytes;
}

#define NRECS 5

static void
write_all(struct mem *m)
{
	const struct block_head head = {
		.bf_start = 42,
		.bf_ncpu = 2,
		.bf_host = "host",
		.bf_boot = "boot",
	};
	const struct block_probe pb = {
		.pb_pbn = 7,
		.pb_nargs = 2,
		.pb_flags = DTPI_CALL,
		.pb_prov = "syscall",
		.pb_func = "openat",
		.pb_name = "entry",
		.pb_args = { { "int", "dfd", 0 },
		    { "const char *", "filename", 1 } },
	};
	struct {
		struct dt_rec rec;
		uint64_t args[2];
	} ev = { .rec = {
		     .dr_length = sizeof(ev),
		     .dr_kind = DT_REC_EVENT,
		     .dr_flags = DT_REC_ARGS,
		     .dr_pbn = 7,
		 } };
	const struct dt_ledger ledger = { .dl_fired = NRECS };
	const struct block_stop stop = { .bs_why = BLOCK_STOP_SIZE,
		.bs_written = NRECS };
	struct block_writer *w;
	unsigned int i;
	size_t len;

	w = block_writer_alloc(mem_writev, m);
	assert_non_null(w);
	block_head(w, &head);
	block_probe(w, &pb);
	block_clock(w, -1000);
	assert_int_equal(block_pending(w), 0);
	block_ksym(w, 0xffffffff81000010, "vfs_open", 0x10);
	block_ksym(w, 0xffffffff81000020, "", 0);
	for (i = 0; i < NRECS; i++) {
		ev.rec.dr_time = i;
		ev.args[0] = i * 10;
		block_record(w, i % 2, &ev.rec);
	}
	block_file(w, 12, 3, "/etc/passwd");
	block_file(w, 12, -100, "/");
	block_cgroup(w, 99, "/system.slice");
	block_pass(w, NRECS - 1);
	len = m->len + block_pending(w);
	assert_int_equal(block_flush(w), 0);
	assert_int_equal(m->len, len);
	assert_int_equal(block_pending(w), 0);
	assert_int_equal(block_end(w, &stop, &ledger), 0);
	block_writer_free(w);
}

/*
 * Reads all items and compares them with those written: damage may end the
 * items early, but never change one.
 */
static int
read_all(struct mem *m, int *nitems)
{
	struct block_reader *r = block_reader_alloc(mem_read, m);
	struct block_item it;
	int n, nrec = 0, nksym = 0, nfile = 0;

	assert_non_null(r);
	m->pos = 0;
	*nitems = 0;
	while ((n = block_next(r, &it)) == 1) {
		(*nitems)++;
		switch (it.bi_type) {
		case BLOCK_HEAD:
			assert_int_equal(it.bi_head->bf_start, 42);
			assert_string_equal(it.bi_head->bf_host, "host");
			assert_string_equal(it.bi_head->bf_boot, "boot");
			break;
		case BLOCK_PROBE:
			assert_int_equal(it.bi_probe.pb_pbn, 7);
			assert_int_equal(it.bi_probe.pb_nargs, 2);
			assert_int_equal(it.bi_probe.pb_flags, DTPI_CALL);
			assert_string_equal(it.bi_probe.pb_prov, "syscall");
			assert_string_equal(it.bi_probe.pb_func, "openat");
			assert_string_equal(it.bi_probe.pb_name, "entry");
			assert_string_equal(it.bi_probe.pb_args[1].type,
			    "const char *");
			assert_string_equal(it.bi_probe.pb_args[1].name,
			    "filename");
			assert_int_equal(it.bi_probe.pb_args[1].flags, 1);
			break;
		case BLOCK_CLOCK:
			assert_int_equal(it.bi_clock, -1000);
			break;
		case BLOCK_KSYM:
			assert_string_equal(it.bi_ksym.name,
			    nksym++ == 0 ? "vfs_open" : "");
			break;
		case BLOCK_DATA:
			assert_int_equal(it.bi_rec->dr_time, nrec);
			assert_int_equal(it.bi_cpu, nrec++ % 2);
			break;
		case BLOCK_FILE:
			assert_int_equal(it.bi_file.pid, 12);
			assert_int_equal(it.bi_file.fd, nfile ? -100 : 3);
			assert_string_equal(it.bi_file.path,
			    nfile++ == 0 ? "/etc/passwd" : "/");
			break;
		case BLOCK_CGROUP:
			assert_int_equal(it.bi_cgroup.id, 99);
			assert_string_equal(it.bi_cgroup.path, "/system.slice");
			break;
		case BLOCK_PASS:
			assert_int_equal(nrec, NRECS);
			assert_int_equal(it.bi_lowwater, NRECS - 1);
			break;
		case BLOCK_STOP:
			assert_int_equal(it.bi_stop.bs_why, BLOCK_STOP_SIZE);
			assert_int_equal(it.bi_stop.bs_written, NRECS);
			break;
		case BLOCK_LEDGER:
			assert_int_equal(it.bi_ledger.dl_fired, NRECS);
			break;
		default:
			fail();
		}
	}
	/* the end stays the end */
	assert_int_equal(block_next(r, &it), n);
	if (n == -1)
		assert_non_null(block_damage(r));
	n = block_damage(r) != NULL ? -1 : 0;
	block_reader_free(r);
	return n;
}

/* head, probe, clock, names, paths, cgroup, records, low water, stop, ledger */
#define NITEMS (1 + 1 + 1 + 2 + 2 + 1 + NRECS + 1 + 1 + 1)

static void
what_is_written_is_read(void **state)
{
	struct mem m = { 0 };
	int n;

	(void)state;
	write_all(&m);
	assert_int_equal(read_all(&m, &n), 0);
	assert_int_equal(n, NITEMS);
	m.step = 1; /* a pipe may return it in pieces */
	assert_int_equal(read_all(&m, &n), 0);
	assert_int_equal(n, NITEMS);
	free(m.data);
}

static void
every_truncation_is_noticed(void **state)
{
	struct mem m = { 0 };
	size_t len;
	int n;

	(void)state;
	write_all(&m);
	for (len = m.len - 1;; len--) {
		m.len = len;
		assert_int_equal(read_all(&m, &n), -1);
		assert_true(n < NITEMS);
		if (len == 0)
			break;
	}
	free(m.data);
}

static void
every_flipped_bit_is_noticed(void **state)
{
	struct mem m = { 0 };
	size_t i;
	int bit, n;

	(void)state;
	write_all(&m);
	for (i = 0; i < m.len; i++) {
		for (bit = 0; bit < 8; bit++) {
			m.data[i] ^= 1 << bit;
			assert_int_equal(read_all(&m, &n), -1);
			m.data[i] ^= 1 << bit;
		}
	}
	free(m.data);
}

/* Appends a block with a valid checksum. */
static void
put(struct mem *m, uint32_t type, uint32_t version, const void *data,
    uint32_t len)
{
	struct block_hdr h = {
		.bh_type = type,
		.bh_version = version,
		.bh_length = len,
	};
	static const unsigned char zeros[8];
	size_t npad = (8 - len % 8) % 8;

	h.bh_sum = crc32(0, (void *)&h, 12);
	if (len > 0)
		h.bh_sum = crc32(h.bh_sum, data, len);
	if (npad > 0)
		h.bh_sum = crc32(h.bh_sum, zeros, npad);
	mem_write(m, &h, sizeof(h));
	mem_write(m, data, len);
	mem_write(m, zeros, npad);
}

/* Returns the error for a valid file followed by this block. */
static const char *
say(uint32_t type, uint32_t version, const void *data, uint32_t len)
{
	static const struct block_head head;
	static char words[256];
	struct mem m = { 0 };
	struct block_reader *r;
	struct block_item it;
	int n;

	put(&m, BLOCK_HEAD, BLOCK_VERSION, &head, sizeof(head));
	put(&m, type, version, data, len);
	r = block_reader_alloc(mem_read, &m);
	assert_int_equal(block_next(r, &it), 1);
	while ((n = block_next(r, &it)) == 1)
		;
	snprintf(words, sizeof(words), "%d %s", n,
	    block_damage(r) ? block_damage(r) : "well");
	block_reader_free(r);
	free(m.data);
	return words;
}

#define CUT "0 the recording has no end: it was cut off, or continues"

static void
unknown_blocks_are_skipped(void **state)
{
	static const uint64_t data[32] = { UINT64_MAX };

	(void)state;
	assert_string_equal(say(99, 1, data, 256), CUT);
	assert_string_equal(say(99, 1, data, 0), CUT);
	assert_string_equal(say(BLOCK_PROBE, 2, data, 256), CUT);
	/* a ledger is longer in a later version, shorter in an earlier one */
	assert_string_equal(say(BLOCK_LEDGER, 1, data, 256), "0 well");
	assert_string_equal(say(BLOCK_LEDGER, 1, data, 8), "0 well");
}

/* Returns the boot id of a file with a head of nbytes, or NULL if refused. */
static const char *
boot_of(const void *head, size_t nbytes)
{
	static char boot[sizeof(((struct block_head *)0)->bf_boot)];
	struct block_reader *r;
	struct block_item it;
	struct mem m = { 0 };
	int got;

	put(&m, BLOCK_HEAD, BLOCK_VERSION, head, nbytes);
	r = block_reader_alloc(mem_read, &m);
	if ((got = block_next(r, &it)) == 1)
		memcpy(boot, it.bi_head->bf_boot, sizeof(boot));
	block_reader_free(r);
	free(m.data);
	return got == 1 ? boot : NULL;
}

static void
heads_of_older_and_later_versions_are_read(void **state)
{
	struct {
		struct block_head head;
		char more[64];
	} later = { .head.bf_boot = "boot" };

	(void)state;
	memset(later.more, 'x', sizeof(later.more));
	assert_string_equal(boot_of(&later, sizeof(later)), "boot");
	assert_string_equal(boot_of(&later, BLOCK_HEADMIN + 2), "bo");
	assert_string_equal(boot_of(&later, BLOCK_HEADMIN), "");
	assert_null(boot_of(&later, BLOCK_HEADMIN - 1));
	memset(later.head.bf_boot, 'x', sizeof(later.head.bf_boot));
	assert_int_equal(strlen(boot_of(&later, sizeof(later))),
	    sizeof(later.head.bf_boot) - 1);
}

static void
contents_that_lie_are_refused(void **state)
{
	static const struct block_head head;
	struct {
		struct block_rec_hdr h;
		struct dt_rec rec;
		uint64_t more;
	} data = { .h.br_length = 24, .rec.dr_length = 24 };
	struct {
		struct block_ksym_hdr h;
		char name[8];
	} sym = { .h.bk_namelen = 8 };
	struct {
		struct block_file_hdr h;
		char path[8];
	} file = { .h.bx_pathlen = 8 };
	struct {
		struct block_cgroup_hdr h;
		char path[8];
	} cgroup = { .h.bg_pathlen = 8 };
	unsigned char probe[8 + DT_REC_NARGS + 6] = { 0 };
	const char *badrec = "-1 a record has a wrong length";

	(void)state;
	assert_string_equal(say(BLOCK_HEAD, 1, &head, sizeof(head)),
	    "-1 a second recording begins here");
	assert_string_equal(say(BLOCK_DATA, 1, &data, 32), CUT);
	assert_string_equal(say(BLOCK_DATA, 1, &data, 40), badrec);
	assert_string_equal(say(BLOCK_DATA, 1, &data, 31), badrec);
	assert_string_equal(say(BLOCK_DATA, 1, &data, 7), badrec);
	data.rec.dr_length = 32;
	assert_string_equal(say(BLOCK_DATA, 1, &data, 40), badrec);
	data.h.br_length = 32;
	assert_string_equal(say(BLOCK_DATA, 1, &data, 40), CUT);
	data.h.br_length = data.rec.dr_length = 25;
	assert_string_equal(say(BLOCK_DATA, 1, &data, 40), badrec);
	data.h.br_length = UINT32_MAX;
	assert_string_equal(say(BLOCK_DATA, 1, &data, 40), badrec);
	assert_string_equal(say(BLOCK_KSYM, 1, &sym, 32), CUT);
	assert_string_equal(say(BLOCK_KSYM, 1, &sym, 31),
	    "-1 the name of an address has no end");
	sym.h.bk_namelen = UINT32_MAX;
	assert_string_equal(say(BLOCK_KSYM, 1, &sym, 32),
	    "-1 the name of an address has no end");
	assert_string_equal(say(BLOCK_CLOCK, 1, probe, 4),
	    "-1 the clock is too short");
	assert_string_equal(say(BLOCK_PASS, 1, probe, 7),
	    "-1 the low water is too short");
	assert_string_equal(say(BLOCK_STOP, 1, probe, 23),
	    "-1 the reason of the stop is too short");
	assert_string_equal(say(BLOCK_FILE, 1, &file, 24), CUT);
	assert_string_equal(say(BLOCK_FILE, 1, &file, 23),
	    "-1 the path of a descriptor has no end");
	file.h.bx_pathlen = UINT32_MAX;
	assert_string_equal(say(BLOCK_FILE, 1, &file, 24),
	    "-1 the path of a descriptor has no end");
	assert_string_equal(say(BLOCK_CGROUP, 1, &cgroup, 24), CUT);
	assert_string_equal(say(BLOCK_CGROUP, 1, &cgroup, 15),
	    "-1 the path of a cgroup has no end");
	cgroup.h.bg_pathlen = 9;
	assert_string_equal(say(BLOCK_CGROUP, 1, &cgroup, 24),
	    "-1 the path of a cgroup has no end");
	assert_string_equal(say(BLOCK_PROBE, 1, probe, 11), CUT);
	assert_string_equal(say(BLOCK_PROBE, 1, probe, 10),
	    "-1 the name of a probe has no end");
	assert_string_equal(say(BLOCK_PROBE, 1, probe, 4),
	    "-1 the description of a probe is wrong");
	probe[4] = DT_REC_NARGS + 1;
	assert_string_equal(say(BLOCK_PROBE, 1, probe, sizeof(probe)),
	    "-1 the description of a probe is wrong");
	probe[4] = DT_REC_NARGS;
	assert_string_equal(say(BLOCK_PROBE, 1, probe, sizeof(probe)),
	    "-1 the name of an argument has no end");
}

/* The first block alone. */
static const char *
say_first(const void *data, size_t len)
{
	static char words[256];
	struct mem m = { 0 };
	struct block_reader *r;
	struct block_item it;

	mem_write(&m, data, len);
	r = block_reader_alloc(mem_read, &m);
	assert_int_equal(block_next(r, &it), -1);
	assert_int_equal(block_offset(r), 0);
	snprintf(words, sizeof(words), "%s", block_damage(r));
	block_reader_free(r);
	free(m.data);
	return words;
}

static void
what_is_no_recording_is_told(void **state)
{
	struct block_hdr h = { .bh_type = 1, .bh_version = 1 };

	(void)state;
	assert_string_equal(say_first("", 0), "is not a recording of dt");
	assert_string_equal(say_first("DTR\n", 4), "is not a recording of dt");
	assert_string_equal(say_first(&h, sizeof(h)),
	    "is not a recording of dt");
	h.bh_type = __builtin_bswap32(BLOCK_HEAD);
	assert_string_equal(say_first(&h, sizeof(h)),
	    "was recorded on a machine with another byte order");
	h.bh_type = BLOCK_HEAD;
	h.bh_version = 2;
	assert_string_equal(say_first(&h, sizeof(h)),
	    "was recorded by another version of dt");
	h.bh_version = 1;
	h.bh_length = UINT32_MAX;
	assert_string_equal(say_first(&h, sizeof(h)),
	    "the block is longer than the maximum");
	h.bh_length = 192;
	assert_string_equal(say_first(&h, sizeof(h)),
	    "the file is cut off 192 bytes before the end of a block");
}

static void
a_failing_disk_is_told(void **state)
{
	struct mem m = { 0 };
	struct block_reader *r;
	struct block_writer *w;
	struct block_item it;
	struct dt_rec rec = { .dr_length = sizeof(rec) };

	(void)state;
	write_all(&m);
	m.broken = 300;
	r = block_reader_alloc(mem_read, &m);
	while (block_next(r, &it) == 1)
		;
	assert_string_equal(block_damage(r),
	    "cannot be read: Input/output error");
	block_reader_free(r);
	w = block_writer_alloc(mem_writev, &m);
	block_record(w, 0, &rec);
	assert_int_equal(block_flush(w), -1);
	m.broken = 0;
	block_record(w, 0, &rec);
	assert_int_equal(block_flush(w), -1); /* it stays failed */
	block_discard(w);
	block_record(w, 0, &rec);
	assert_int_equal(block_flush(w), 0); /* until the error is cleared */
	block_writer_free(w);
	free(m.data);
}

/* Records and names of the maximum length, until many blocks are full. */
static void
long_recordings_have_many_blocks(void **state)
{
	static union {
		struct dt_rec rec;
		unsigned char bytes[65528];
	} ev;
	struct mem m = { 0 };
	struct block_writer *w;
	struct block_reader *r;
	struct block_item it;
	static const struct block_head head;
	char name[400];
	unsigned int i, nrec = 0, nksym = 0;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	w = block_writer_alloc(mem_writev, &m);
	block_head(w, &head);
	ev.rec.dr_length = sizeof(ev);
	for (i = 0; i < 300; i++)
		block_record(w, 0, &ev.rec);
	for (i = 0; i < 10000; i++)
		block_ksym(w, i, name, 0);
	assert_int_equal(block_flush(w), 0);
	block_writer_free(w);
	r = block_reader_alloc(mem_read, &m);
	while (block_next(r, &it) == 1) {
		nrec += it.bi_type == BLOCK_DATA;
		nksym += it.bi_type == BLOCK_KSYM;
		if (it.bi_type == BLOCK_KSYM)
			assert_int_equal(strlen(it.bi_ksym.name), 255);
	}
	assert_int_equal(nrec, 300);
	assert_int_equal(nksym, 10000);
	block_reader_free(r);
	free(m.data);
}

/* Blocks that may follow a block that ends the file. */
static const char *
say_behind(uint32_t why, uint32_t type)
{
	static const struct block_head head;
	static const struct dt_ledger ledger;
	struct block_stop stop = { .bs_why = why };
	static char words[256];
	struct mem m = { 0 };
	struct block_reader *r;
	struct block_item it;
	int n;

	put(&m, BLOCK_HEAD, BLOCK_VERSION, &head, sizeof(head));
	put(&m, BLOCK_STOP, BLOCK_VERSION, &stop, sizeof(stop));
	if (type != 0)
		put(&m, type, BLOCK_VERSION, &ledger, sizeof(ledger));
	r = block_reader_alloc(mem_read, &m);
	while ((n = block_next(r, &it)) == 1)
		;
	snprintf(words, sizeof(words), "%d %s", n,
	    block_damage(r) ? block_damage(r) : "well");
	block_reader_free(r);
	free(m.data);
	return words;
}

static void
a_file_that_goes_on_elsewhere_has_an_end(void **state)
{
	const char *behind = "-1 there is data after the block of the stop";

	(void)state;
	assert_string_equal(say_behind(BLOCK_STOP_NEXT, 0), "0 well");
	assert_string_equal(say_behind(BLOCK_STOP_NEXT, BLOCK_LEDGER),
	    "-1 there is data after the end");
	assert_string_equal(say_behind(BLOCK_STOP_SIZE, 0), CUT);
	assert_string_equal(say_behind(BLOCK_STOP_SIZE, BLOCK_LEDGER),
	    "0 well");
	assert_string_equal(say_behind(BLOCK_STOP_ERROR, BLOCK_CLOCK), behind);
	assert_string_equal(say_behind(77, BLOCK_LEDGER), "0 well");
}

/* The file has only complete units: a block, or the blocks of a flush. */
static int
mem_count(void *arg, const struct iovec *iov, int niov)
{
	const struct block_hdr *h;
	size_t left = 0;
	int i;

	for (i = 0; i < niov; i++) {
		if (left == 0) {
			h = iov[i].iov_base;
			assert_int_equal(iov[i].iov_len, sizeof(*h));
			left = (h->bh_length + 7) & ~7U;
			continue;
		}
		assert_true(iov[i].iov_len <= left);
		left -= iov[i].iov_len;
	}
	assert_int_equal(left, 0);
	(*(int *)arg)++;
	return 0;
}

static void
each_record(void *arg, const struct dt_rec *rec)
{
	assert_int_equal(rec->dr_length, sizeof(*rec));
	(*(int *)arg)++;
}

static void
a_flush_is_one_write(void **state)
{
	struct dt_rec rec = { .dr_length = sizeof(rec) };
	int nwrites = 0, nrecs = 0;
	struct block_writer *w;

	(void)state;
	w = block_writer_alloc(mem_count, &nwrites);
	block_ksym(w, 1, "name", 0);
	block_file(w, 1, 1, "odd");
	block_cgroup(w, 1, "/");
	block_record(w, 0, &rec);
	block_record(w, 0, &rec);
	block_pass(w, 7);
	block_each(w, each_record, &nrecs);
	assert_int_equal(nrecs, 2);
	assert_int_equal(nwrites, 0);
	assert_int_equal(block_flush(w), 0);
	assert_int_equal(nwrites, 1);
	assert_int_equal(block_flush(w), 0);
	assert_int_equal(nwrites, 1);
	block_record(w, 0, &rec);
	block_discard(w);
	assert_int_equal(block_pending(w), 0);
	assert_int_equal(block_flush(w), 0);
	assert_int_equal(nwrites, 1);
	block_writer_free(w);
}

static void
halves_are_freed(void **state)
{
	(void)state;
	block_writer_free(NULL);
	block_reader_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(every_truncation_is_noticed),
		cmocka_unit_test(every_flipped_bit_is_noticed),
		cmocka_unit_test(unknown_blocks_are_skipped),
		cmocka_unit_test(heads_of_older_and_later_versions_are_read),
		cmocka_unit_test(contents_that_lie_are_refused),
		cmocka_unit_test(what_is_no_recording_is_told),
		cmocka_unit_test(a_failing_disk_is_told),
		cmocka_unit_test(long_recordings_have_many_blocks),
		cmocka_unit_test(a_file_that_goes_on_elsewhere_has_an_end),
		cmocka_unit_test(a_flush_is_one_write),
		cmocka_unit_test(halves_are_freed),
	};

	return cmocka_run_group_tests_name("test_block", tests, NULL, NULL);
}
