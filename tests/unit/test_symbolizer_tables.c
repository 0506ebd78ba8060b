/* SPDX-License-Identifier: ISC */
/*
 * Unwind tables through the worker process: the same as built here; and replies
 * of a worker that a file has taken over, which dtd refuses.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "daemon/sym/table_buf.h"
#include "symbolizer/unwind_rows.h"

#include "tests/unit/test_symbolizer.h"

#define LIBC	  "/lib/x86_64-linux-gnu/libc.so.6"

#define MAXTABLES 64

/* Tables as they arrived. */
struct tables {
	uint32_t n;
	uint32_t nrows[MAXTABLES], nrules[MAXTABLES];
	char *bytes[MAXTABLES];
};

static void
take(void *arg, uint32_t page, const void *table, uint32_t nrows,
    uint32_t nrules)
{
	size_t n = TABLE_BUF_BYTES(nrows, nrules);
	struct tables *ts = arg;

	assert_int_equal(page, ts->n);
	assert_in_range(page, 0, MAXTABLES - 1);
	ts->nrows[page] = nrows;
	ts->nrules[page] = nrules;
	ts->bytes[page] = malloc(n + 1);
	if (n > 0)
		memcpy(ts->bytes[page], table, n);
	ts->n++;
}

static void
tables_free(struct tables *ts)
{
	while (ts->n > 0)
		free(ts->bytes[--ts->n]);
}

static int
ask_tables(struct mapped_file *mf, const uint64_t *pages, size_t n,
    struct tables *ts)
{
	struct table_buf tb = { .tbf_fn = take, .tbf_arg = ts };
	int error;

	memset(ts, 0, sizeof(*ts));
	symbolizer_begin(60000, getuid());
	error = symbolizer_tables(mf, pages, n, &tb);
	table_buf_free(&tb);
	return error;
}

static void
compare_page(const struct unwind_index *ui, uint64_t page,
    const struct tables *ts, size_t i)
{
	struct unwind_page_rows upr;
	size_t nbytes;

	assert_int_equal(unwind_page_build(ui, page, &upr), 0);
	assert_int_equal(ts->nrows[i], upr.upr_nrows);
	assert_int_equal(ts->nrules[i], upr.upr_nrules);
	nbytes = upr.upr_nrows * sizeof(struct unwind_row);
	if (nbytes > 0) {
		assert_memory_equal(ts->bytes[i], upr.upr_rows, nbytes);
		assert_memory_equal(ts->bytes[i] + nbytes, upr.upr_rules,
		    upr.upr_nrules * sizeof(struct unwind_rule));
	}
	unwind_page_free(&upr);
}

static void
test_libc(void **state)
{
	const char *path = access(LIBC, R_OK) == 0 ? LIBC : "/proc/self/exe";
	struct mapped_file mf = file_open(path);
	uint64_t pages[MAXTABLES], rows = 0;
	struct unwind_index ui;
	struct elffile ef;
	struct file_bytes im;
	struct tables ts;
	size_t i, n;

	(void)state;
	memset(&im, 0, sizeof(im));
	assert_int_equal(file_bytes_map(mf.mf_fd, &im), 0);
	n = im.fby_size >> UNWIND_PAGE_SHIFT;
	n = n > MAXTABLES - 1 ? MAXTABLES - 1 : n;
	for (i = 0; i < n; i++)
		pages[i] = i;
	pages[n++] = UINT64_MAX;
	assert_int_equal(elffile_open(&ef, &im), 0);
	assert_int_equal(unwind_index_open(&ui, &ef), 0);
	assert_int_equal(ask_tables(&mf, pages, n, &ts), 0);
	assert_int_equal(ts.n, n);
	for (i = 0; i < n; i++) {
		compare_page(&ui, pages[i], &ts, i);
		rows += ts.nrows[i];
	}
	assert_in_range(rows, 100, UINT32_MAX);
	tables_free(&ts);
	unwind_index_close(&ui);
	elffile_close(&ef);
	file_close(&mf);
}

/* Not an ELF file: an error, once. */
static void
test_no_elf(void **state)
{
	struct mapped_file mf = { .mf_id = next_id++,
		.mf_fd = memfile("hello", 5),
		.mf_rootfd = -1 };
	uint64_t page = 0;
	struct tables ts;

	(void)state;
	assert_int_equal(ask_tables(&mf, &page, 1, &ts), ENOEXEC);
	assert_int_equal(ts.n, 0);
	file_close(&mf);
}

/*
 * Hostile replies
 */

/* A reply of two rows and two rules, for one page. */
struct reply {
	struct symrep_table table;
	struct unwind_row rows[2];
	struct unwind_rule rules[2];
};

static const struct reply good = {
	{ SYMREP_TABLE, 0, 2, 2, 0, 2 * 4 + 2 * 12 },
	{ { 0, 0 }, { 16, 1 } },
	{ { .un_cfa = UNWIND_CFA_REG }, { .un_cfa = UNWIND_CFA_MEM } },
};

static void
bad_page(struct reply *r)
{
	r->table.srt_page = 1;
}
static void
bad_at(struct reply *r)
{
	r->table.srt_at = 4;
}
static void
bad_length(struct reply *r)
{
	r->table.srt_nbytes = 28;
}
static void
bad_nrows(struct reply *r)
{
	r->table.srt_nrows = UNWIND_MAXROWS + 1;
}
static void
bad_overflow(struct reply *r)
{
	r->table.srt_nrows = 1U << 30;
}
static void
bad_nrules(struct reply *r)
{
	r->table.srt_nrules = UINT32_MAX;
}
static void
bad_norules(struct reply *r)
{
	r->table.srt_nrows = 8;
	r->table.srt_nrules = 0;
}
static void
bad_more(struct reply *r)
{
	r->table.srt_nrows = 1;
}
static void
bad_order(struct reply *r)
{
	r->rows[1].ur_low = 0;
}
static void
bad_first(struct reply *r)
{
	r->rows[0].ur_low = 1;
}
static void
bad_rule(struct reply *r)
{
	r->rows[1].ur_rule = 2;
}
static void
bad_cfa(struct reply *r)
{
	r->rules[1].un_cfa = UNWIND_CFA_LEAF + 1;
}
static void
bad_ra(struct reply *r)
{
	r->rules[0].un_ra = UNWIND_RA_UNSUPPORTED + 1;
}
static void
bad_fp(struct reply *r)
{
	r->rules[1].un_fp = UNWIND_FP_UNKNOWN + 1;
}
static void
good_reply(struct reply *r __attribute__((unused)))
{
}

static const struct {
	const char *name;
	void (*spoil)(struct reply *);
	int error;
} replies[] = {
	{ "good", good_reply, 0 },
	{ "another page", bad_page, EIO },
	{ "a part in the middle", bad_at, EIO },
	{ "a wrong length", bad_length, EIO },
	{ "too many rows", bad_nrows, EIO },
	{ "a number of rows that overflows", bad_overflow, EIO },
	{ "too many rules", bad_nrules, EIO },
	{ "no rules", bad_norules, EIO },
	{ "more bytes than the table has", bad_more, EIO },
	{ "rows that do not ascend", bad_order, EIO },
	{ "a first row that is not at 0", bad_first, EIO },
	{ "a rule that does not exist", bad_rule, EIO },
	{ "an unknown CFA", bad_cfa, EIO },
	{ "an unknown return address", bad_ra, EIO },
	{ "an unknown frame pointer", bad_fp, EIO },
};

#define NREPLIES (sizeof(replies) / sizeof(replies[0]))

/* The worker's part: replies to a request for page N with the N-th row. */
static int
fake_worker(void)
{
	static uint64_t pages[SYMREQ_MAXPCS];
	struct symrep end = { .srp_type = SYMREP_FRAMES, .srp_last = 1 };
	struct symreq rq;
	struct iovec iov[] = { { &rq, sizeof(rq) }, { pages, sizeof(pages) } };
	struct reply r;

	while (readv(SYMREQ_FD, iov, 2) > 0) {
		r = good;
		replies[pages[0] % NREPLIES].spoil(&r);
		(void)!send(SYMREQ_FD, &r, sizeof(r), 0);
		(void)!send(SYMREQ_FD, &end, sizeof(end), 0);
	}
	return 0;
}

static int
is_worker(void)
{
	struct stat st;

	return fstat(SYMREQ_FD, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    fstat(SYMREQ_CHANNEL_FD, &st) == 0 && S_ISSOCK(st.st_mode);
}

static void
test_hostile_worker(void **state)
{
	char self[4096] = { 0 };
	struct mapped_file mf;
	struct tables ts;
	uint64_t i;

	(void)state;
	assert_int_not_equal(readlink("/proc/self/exe", self, sizeof(self) - 1),
	    -1);
	forget();
	setenv("DT_SYMBOLIZER", self, 1);
	for (i = 0; i < NREPLIES; i++) {
		mf = (struct mapped_file){ .mf_id = next_id++,
			.mf_fd = memfile("x", 1),
			.mf_rootfd = -1 };
		if (ask_tables(&mf, &i, 1, &ts) != replies[i].error)
			fail_msg("%s", replies[i].name);
		assert_int_equal(ts.n, replies[i].error == 0);
		tables_free(&ts);
		file_close(&mf);
	}
	forget();
	find_build();
}

/* A reply that ends early, or has a table too many. */
static void
test_parts(void **state)
{
	char msg[sizeof(struct symrep_table) + sizeof(good)];
	struct symrep_table *st = (void *)msg;
	struct tables ts = { 0 };
	struct table_buf tb = { .tbf_fn = take, .tbf_arg = &ts };
	const char *body = (const char *)&good.rows;
	uint32_t at, all = good.table.srt_nbytes;

	(void)state;
	for (at = 0; at < all; at++) {
		*st = good.table;
		st->srt_at = at;
		st->srt_nbytes = 1;
		msg[sizeof(*st)] = body[at];
		assert_int_equal(ts.n, 0);
		assert_int_equal(table_buf_take(&tb, msg, sizeof(*st) + 1), 0);
	}
	assert_int_equal(ts.n, 1);
	assert_memory_equal(ts.bytes[0], body, all);
	/* the same again is another page's */
	assert_int_equal(table_buf_take(&tb, &good, sizeof(good)), EIO);
	assert_int_equal(table_buf_take(&tb, &good, 3), EIO);
	tables_free(&ts);
	table_buf_free(&tb);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_no_elf),
		cmocka_unit_test(test_hostile_worker),
		cmocka_unit_test(test_parts),
	};

	if (is_worker())
		return fake_worker();
	(void)elf_version(EV_CURRENT);
	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
