/* SPDX-License-Identifier: ISC */
/*
 * Recordings in order of time: unordered records are sorted, each keeps its
 * clock and follows the paths that preceded it in the file, and the contents of
 * a file are limited.
 */
#include "tests/unit/test_cli.h"

#include "cli/recording/replay.h"

#define NRECS 4000

/* A file in memory. */
struct mem {
	unsigned char *data;
	size_t len, size, pos;
	const char *refused; /* check's message for records of pid 13 */
};

static int
mem_write(void *arg, const struct iovec *iov, int niov)
{
	struct mem *m = arg;
	int i;

	for (i = 0; i < niov; i++) {
		if (m->size - m->len < iov[i].iov_len) {
			m->size = (m->len + iov[i].iov_len) * 2;
			m->data = realloc(m->data, m->size);
			assert_non_null(m->data);
		}
		memcpy(m->data + m->len, iov[i].iov_base, iov[i].iov_len);
		m->len += iov[i].iov_len;
	}
	return 0;
}

static ssize_t
mem_read(void *arg, void *buf, size_t nbytes)
{
	struct mem *m = arg;

	if (nbytes > m->len - m->pos)
		nbytes = m->len - m->pos;
	memcpy(buf, m->data + m->pos, nbytes);
	m->pos += nbytes;
	return nbytes;
}

static const char *
mem_check(void *arg, const struct dt_rec *rec)
{
	struct mem *m = arg;

	return rec->dr_pid == 13 ? m->refused : NULL;
}

static struct block_writer *
begin(struct mem *m)
{
	static const struct block_head head;
	struct block_writer *w;

	memset(m, 0, sizeof(*m));
	w = block_writer_alloc(mem_write, m);
	assert_non_null(w);
	block_head(w, &head);
	return w;
}

/* A record of a time; its tid is the number of records added before. */
static void
add(struct block_writer *w, uint64_t time, uint32_t cpu, uint32_t pid)
{
	static uint32_t n;
	struct dt_rec rec = {
		.dr_length = sizeof(rec),
		.dr_kind = DT_REC_EVENT,
		.dr_time = time,
		.dr_pid = pid,
		.dr_tid = n++,
	};

	block_record(w, cpu, &rec);
}

static struct replay *
rewind_to(struct mem *m, struct block_writer *w)
{
	assert_int_equal(block_flush(w), 0);
	block_writer_free(w);
	m->pos = 0;
	return replay_alloc(mem_read, mem_check, m, m);
}

/* Checks the type of the next item. */
static void
expect(struct replay *rp, struct block_item *it, uint32_t type)
{
	assert_int_equal(replay_next(rp, it), 1);
	assert_int_equal(it->bi_type, type);
}

static void
end(struct mem *m, struct replay *rp)
{
	replay_free(rp);
	free(m->data);
}

/* Two CPUs, each in its own order, several hundred records at a time. */
static void
records_come_by_time(void **state)
{
	static const struct dt_ledger ledger = { .dl_read = NRECS };
	struct block_writer *w;
	struct block_item it;
	struct replay *rp;
	struct mem m;
	uint64_t i, j;

	(void)state;
	w = begin(&m);
	block_clock(w, 7);
	for (i = 0; i < NRECS; i += 500) {
		for (j = 0; j < 500; j += 2)
			add(w, i + j, 0, 1);
		for (j = 1; j < 500; j += 2)
			add(w, i + j, 1, 1);
		block_pass(w, i > 100 ? i - 100 : 0);
		block_flush(w);
	}
	block_end(w, NULL, &ledger);
	rp = rewind_to(&m, w);
	expect(rp, &it, BLOCK_HEAD);
	for (i = 0; i < NRECS; i++) {
		expect(rp, &it, BLOCK_DATA);
		assert_int_equal(it.bi_rec->dr_time, i);
		assert_int_equal(it.bi_cpu, i % 2);
		assert_int_equal(it.bi_clock, 7);
		/* only as much as needed is read */
		if (i == 0)
			assert_true(m.pos < m.len / 2);
	}
	expect(rp, &it, BLOCK_LEDGER);
	assert_int_equal(it.bi_ledger.dl_read, NRECS);
	assert_int_equal(replay_next(rp, &it), 0);
	assert_int_equal(replay_next(rp, &it), 0);
	assert_null(replay_damage(rp));
	end(&m, rp);
}

static void
a_file_in_order_needs_no_low_water(void **state)
{
	struct block_writer *w;
	struct block_item it;
	struct replay *rp;
	struct mem m;
	uint64_t i, n = (64 << 20) / sizeof(struct dt_rec);

	(void)state;
	w = begin(&m);
	for (i = 0; i < n; i++)
		add(w, i, 0, 1);
	rp = rewind_to(&m, w);
	expect(rp, &it, BLOCK_HEAD);
	for (i = 0; i < n; i++) {
		expect(rp, &it, BLOCK_DATA);
		assert_int_equal(it.bi_rec->dr_time, i);
	}
	assert_int_equal(replay_next(rp, &it), 0);
	assert_non_null(replay_damage(rp)); /* there is no ledger */
	end(&m, rp);
}

static void
what_comes_late_is_not_lost(void **state)
{
	static const uint64_t order[] = { 10, 20, 5, 30 };
	struct block_writer *w;
	struct block_item it;
	struct replay *rp;
	struct mem m;
	size_t i;

	(void)state;
	w = begin(&m);
	add(w, 10, 0, 1);
	add(w, 20, 0, 1);
	block_pass(w, 25);
	block_flush(w);
	add(w, 30, 0, 1);
	add(w, 5, 1, 1);
	rp = rewind_to(&m, w);
	expect(rp, &it, BLOCK_HEAD);
	for (i = 0; i < 4; i++) {
		expect(rp, &it, BLOCK_DATA);
		assert_int_equal(it.bi_rec->dr_time, order[i]);
	}
	end(&m, rp);
}

/*
 * The clock is set, and the CPUs' records from before and after are mixed; too
 * often for all of them to fit into a table of clocks.
 */
static void
each_record_has_its_clock(void **state)
{
	struct block_writer *w;
	struct block_item it;
	struct replay *rp;
	struct mem m;
	uint64_t i;

	(void)state;
	w = begin(&m);
	for (i = 0; i < NRECS; i += 2) {
		block_clock(w, i * 10);
		add(w, i, 0, 1);
		block_flush(w);
		block_clock(w, (i + 1) * 10);
		add(w, i + 1, 1, 1);
		block_flush(w);
	}
	rp = rewind_to(&m, w);
	expect(rp, &it, BLOCK_HEAD);
	for (i = 0; i < NRECS; i++) {
		expect(rp, &it, BLOCK_DATA);
		assert_int_equal(it.bi_rec->dr_time, i);
		assert_int_equal(it.bi_clock, i * 10);
	}
	end(&m, rp);

	w = begin(&m);
	block_clock(w, 100);
	add(w, 1, 0, 1);
	add(w, 3, 0, 1);
	block_flush(w);
	block_clock(w, -100);
	add(w, 2, 1, 1);
	rp = rewind_to(&m, w);
	expect(rp, &it, BLOCK_HEAD);
	for (i = 1; i < 4; i++) {
		expect(rp, &it, BLOCK_DATA);
		assert_int_equal(it.bi_rec->dr_time, i);
		assert_int_equal(it.bi_clock, i == 2 ? -100 : 100);
	}
	end(&m, rp);
}

static void
paths_come_before_the_record_that_they_stand_before(void **state)
{
	struct block_writer *w;
	struct block_item it;
	struct replay *rp;
	struct mem m;

	(void)state;
	w = begin(&m);
	block_file(w, 1, 3, "/first");
	block_flush(w);
	add(w, 10, 0, 1);
	add(w, 40, 0, 1);
	block_flush(w);
	block_file(w, 1, 3, "/second");
	block_file(w, 1, -100, "");
	block_cgroup(w, 9, "/slice");
	add(w, 30, 1, 1);
	add(w, 50, 1, 1);
	rp = rewind_to(&m, w);
	expect(rp, &it, BLOCK_HEAD);
	expect(rp, &it, BLOCK_FILE);
	assert_string_equal(it.bi_file.path, "/first");
	expect(rp, &it, BLOCK_CGROUP); /* never has another meaning */
	assert_string_equal(it.bi_cgroup.path, "/slice");
	expect(rp, &it, BLOCK_DATA);
	assert_int_equal(it.bi_rec->dr_time, 10);
	expect(rp, &it, BLOCK_FILE);
	assert_int_equal(it.bi_file.pid, 1);
	assert_int_equal(it.bi_file.fd, 3);
	assert_string_equal(it.bi_file.path, "/second");
	expect(rp, &it, BLOCK_FILE);
	assert_int_equal(it.bi_file.fd, -100);
	assert_string_equal(it.bi_file.path, "");
	expect(rp, &it, BLOCK_DATA);
	assert_int_equal(it.bi_rec->dr_time, 30);
	expect(rp, &it, BLOCK_DATA);
	expect(rp, &it, BLOCK_DATA);
	assert_int_equal(it.bi_rec->dr_time, 50);
	assert_int_equal(replay_next(rp, &it), 0);
	end(&m, rp);
}

/* More paths than are kept, followed by a late record. */
static void
no_path_is_lost(void **state)
{
	struct block_writer *w;
	struct block_item it;
	struct replay *rp;
	struct mem m;
	char path[4096];
	unsigned int i, n = 0;

	(void)state;
	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	w = begin(&m);
	add(w, 10, 0, 1);
	block_flush(w);
	for (i = 0; i < 600; i++)
		block_file(w, 1, i, path);
	add(w, 5, 1, 1);
	rp = rewind_to(&m, w);
	while (replay_next(rp, &it) == 1) {
		if (it.bi_type != BLOCK_FILE)
			continue;
		assert_int_equal(strlen(it.bi_file.path), sizeof(path) - 1);
		n++;
	}
	assert_int_equal(n, 600);
	end(&m, rp);

	w = begin(&m);
	add(w, 10, 0, 1);
	block_pass(w, 20);
	block_flush(w);
	add(w, 30, 0, 1);
	block_flush(w);
	block_file(w, 1, 3, "/late");
	add(w, 5, 1, 1);
	rp = rewind_to(&m, w);
	expect(rp, &it, BLOCK_HEAD);
	expect(rp, &it, BLOCK_DATA);
	expect(rp, &it, BLOCK_FILE);
	assert_string_equal(it.bi_file.path, "/late");
	expect(rp, &it, BLOCK_DATA);
	assert_int_equal(it.bi_rec->dr_time, 5);
	expect(rp, &it, BLOCK_DATA);
	assert_int_equal(it.bi_rec->dr_time, 30);
	end(&m, rp);
}

static void
a_bad_record_ends_it_and_all_before_it_come_out(void **state)
{
	struct block_writer *w;
	struct block_item it;
	struct replay *rp;
	struct mem m;

	(void)state;
	w = begin(&m);
	add(w, 20, 0, 1);
	add(w, 10, 1, 1);
	add(w, 15, 1, 13);
	add(w, 12, 1, 1);
	rp = rewind_to(&m, w);
	m.refused = "of bad luck";
	expect(rp, &it, BLOCK_HEAD);
	expect(rp, &it, BLOCK_DATA);
	assert_int_equal(it.bi_rec->dr_time, 10);
	expect(rp, &it, BLOCK_DATA);
	assert_int_equal(it.bi_rec->dr_time, 20);
	assert_int_equal(replay_next(rp, &it), -1);
	assert_int_equal(replay_next(rp, &it), -1);
	assert_string_equal(replay_damage(rp), "of bad luck");
	end(&m, rp);
}

static void
more_names_than_there_can_be_end_it(void **state)
{
	struct block_probe pb = { .pb_prov = "p",
		.pb_func = "f",
		.pb_name = "n" };
	struct block_writer *w;
	struct block_item it;
	struct replay *rp;
	struct mem m;
	unsigned int n = 0;
	int r;

	(void)state;
	w = begin(&m);
	for (pb.pb_pbn = 0; pb.pb_pbn < 70000; pb.pb_pbn++)
		block_probe(w, &pb);
	rp = rewind_to(&m, w);
	while ((r = replay_next(rp, &it)) == 1)
		n++;
	assert_int_equal(r, -1);
	assert_int_equal(n, 1 + 65536);
	assert_string_equal(replay_damage(rp), "the file has too many names");
	end(&m, rp);
}

static void
nothing_is_freed(void **state)
{
	(void)state;
	replay_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_by_time),
		cmocka_unit_test(a_file_in_order_needs_no_low_water),
		cmocka_unit_test(what_comes_late_is_not_lost),
		cmocka_unit_test(each_record_has_its_clock),
		cmocka_unit_test(
		    paths_come_before_the_record_that_they_stand_before),
		cmocka_unit_test(no_path_is_lost),
		cmocka_unit_test(
		    a_bad_record_ends_it_and_all_before_it_come_out),
		cmocka_unit_test(more_names_than_there_can_be_end_it),
		cmocka_unit_test(nothing_is_freed),
	};

	return cmocka_run_group_tests_name("test_cli_replay", tests, NULL,
	    NULL);
}
