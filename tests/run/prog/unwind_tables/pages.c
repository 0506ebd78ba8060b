/* SPDX-License-Identifier: ISC */
/* Cases of unwind_tables: the tables of pages. */
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/base/conf.h"
#include "daemon/sym/symbolizer.h"
#include "daemon/sym/symbolizer_process.h"
#include "daemon/unwind/unwind.h"
#include "daemon/unwind/unwind_impl.h"
#include "daemon/unwind/unwind_maps.h"
#include "daemon/unwind/unwind_pages.h"
#include "symbolizer/unwind_rows.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/unwind_tables/unwind_tables.h"
#include "wire/symbolizer.h"

static int
is_started(void *arg)
{
	struct symbolizer_stat *ss = arg;

	symbolizer_stat(ss);
	return ss->ss_npids > 0 && ss->ss_nbusy == 0;
}

/* The hold has a symbolizer started. */
void
case_start(void)
{
	struct symbolizer_stat ss;

	prog_wait(is_started, &ss, "a symbolizer without a miss");
	printf("start: %llu\n", (unsigned long long)ss.ss_starts);
}

struct local {
	struct elffile lc_elf;
	struct unwind_index lc_index;
	size_t lc_npages;
};

static void
local_open(struct local *lc, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file_bytes im = { 0 };

	(void)elf_version(EV_CURRENT);
	if (fd == -1 || file_bytes_map(fd, &im) != 0 ||
	    elffile_open(&lc->lc_elf, &im) != 0 ||
	    unwind_index_open(&lc->lc_index, &lc->lc_elf) != 0)
		errx(1, "%s: no unwind information", path);
	lc->lc_npages = (lc->lc_elf.ef_bytes.fby_size + UNWIND_PAGE - 1) >>
	    UNWIND_PAGE_SHIFT;
	close(fd);
}

static void
local_close(struct local *lc)
{
	unwind_index_close(&lc->lc_index);
	elffile_close(&lc->lc_elf);
}

/* Compares a page with the table that is built here; returns its bytes. */
static size_t
compare(const struct local *lc, struct unwind_pagekey uk,
    const struct unwind_page *up)
{
	struct unwind_page_rows upr;
	const struct unwind_block *ub;
	size_t nrows, nrules;

	if (unwind_page_build(&lc->lc_index, uk.uk_page, &upr) != 0)
		errx(1, "page %u is not built here", uk.uk_page);
	if (up->up_state != (upr.upr_nrows == 0 ? UNWIND_NONE : UNWIND_READY))
		errx(1, "page %u of %zu rows: state %u", uk.uk_page,
		    upr.upr_nrows, up->up_state);
	if (upr.upr_nrows == 0)
		return 0;
	ub = (const void *)block_at(up->up_place);
	nrows = upr.upr_nrows * sizeof(struct unwind_row);
	nrules = upr.upr_nrules * sizeof(struct unwind_rule);
	if (ub->ub_nrows != upr.upr_nrows || ub->ub_nrules != upr.upr_nrules ||
	    memcmp(ub + 1, upr.upr_rows, nrows) != 0 ||
	    memcmp((const char *)(ub + 1) + nrows, upr.upr_rules, nrules) != 0)
		errx(1, "page %u has another table", uk.uk_page);
	unwind_page_free(&upr);
	return sizeof(*ub) + nrows + nrules;
}

static const char *
libc_path(void)
{
	Dl_info di;

	if (dladdr(dlsym(RTLD_NEXT, "getpid"), &di) == 0)
		errx(1, "where is libc?");
	return di.dli_fname;
}

/* All pages of a child's libc, and a page of the vdso. */
void
case_libc(void)
{
	struct unwind_pagekey uk;
	struct unwind_page up;
	struct unwind_stat us;
	struct local lc;
	struct child ch;
	size_t bytes = 0, i;
	double msecs[4];
	int64_t start;

	child_start(&ch);
	msecs[0] = learn(&ch, 1, ch.ch_told.td_libc, "libc");
	uk = key_of(&ch, ch.ch_told.td_libc);
	local_open(&lc, libc_path());
	msecs[1] = build(&ch, uk, &up);
	(void)compare(&lc, uk, &up);
	uk.uk_page++;
	msecs[2] = build(&ch, uk, &up);
	start = prog_now();
	for (i = 0; i < lc.lc_npages; i++) {
		uk.uk_page = i;
		(void)build(&ch, uk, &up);
		bytes += compare(&lc, uk, &up);
	}
	msecs[3] = (prog_now() - start) / 1e6;
	local_close(&lc);
	uk = key_of(&ch, ch.ch_told.td_vdso);
	(void)build(&ch, uk, &up);
	if (up.up_state != UNWIND_READY)
		errx(1, "the vdso's page: state %u", up.up_state);
	child_end(&ch);
	unwind_stat(&us);
	printf(
	    "libc: process %.2f ms, first page %.2f, second %.2f, all of %zu "
	    "KB %.2f ms; %llu KB in slabs\n",
	    msecs[0], msecs[1], msecs[2], bytes >> 10, msecs[3],
	    (unsigned long long)us.us_slabbytes >> 10);
}

/* Marks all tables as unused for long, as a program would not. */
static void
make_old(uint32_t file, size_t npages)
{
	struct unwind_pagekey uk = { file, 0 };
	struct unwind_page up;

	for (; uk.uk_page < npages; uk.uk_page++)
		if (bpf_map_lookup_elem(unwind_maps[UNWIND_PAGES].umr_fd, &uk,
			&up) == 0 &&
		    up.up_state == UNWIND_READY)
			((struct unwind_block *)block_at(up.up_place))
			    ->ub_used = 0;
}

/* With the least memory: old pages go, new ones are right. */
void
case_evict(void)
{
	static const char *const paths[] = {
		"/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	};
	struct unwind_stat before, us;
	struct unwind_pagekey uk;
	struct unwind_page up;
	struct local lc;
	struct child ch;
	size_t i, fulls = 0;
	int64_t start;
	const char *path = access(paths[0], R_OK) == 0 ? paths[0] : paths[1];
	void *p;
	int fd;

	conf.cf_unwindbytes = UNWIND_SLAB;
	do
		unwind_stat(&before);
	while (before.us_limit != UNWIND_SLAB);
	/* this program maps the file, and is the process */
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		err(1, "%s", path);
	p = mmap(NULL, 1 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	close(fd);
	ch.ch_pid = getpid();
	(void)learn(&ch, 1, (uintptr_t)p, path);
	uk = key_of(&ch, (uintptr_t)p);
	local_open(&lc, path);
	start = prog_now();
	for (i = 0; i < lc.lc_npages; i++) {
		uk.uk_page = i;
		(void)build(&ch, uk, &up);
		if (up.up_state != UNWIND_EVICTED) {
			(void)compare(&lc, uk, &up);
			continue;
		}
		fulls++; /* none is old yet */
		make_old(uk.uk_file, lc.lc_npages);
		sleep(UNWIND_PAGES_FULL + 2);
	}
	unwind_stat(&us);
	local_close(&lc);
	if (us.us_slabbytes > UNWIND_SLAB)
		errx(1, "%llu bytes", (unsigned long long)us.us_slabbytes);
	if (path == paths[0] &&
	    (us.us_evicted == before.us_evicted || fulls == 0))
		errx(1, "no page was evicted");
	printf("evict: %llu built, %llu evicted, full %zu times, %.0f ms\n",
	    (unsigned long long)(us.us_built - before.us_built),
	    (unsigned long long)(us.us_evicted - before.us_evicted), fulls,
	    (prog_now() - start) / 1e6);
	conf.cf_unwindbytes = 32 << 20;
}

/* Code that has no table, and misses about nothing. */
void
case_none(void)
{
	struct unwind_pagekey uk = { 1 << 30, 5 };
	struct unwind_page up;
	struct unwind_miss ms;
	struct child ch = { .ch_pid = 1 << 22 };
	struct unwind_proc pr;
	struct wanted wn = { .wn_child = &ch };
	void *p;

	(void)build(&ch, uk, &up); /* a file that dtd has not numbered */
	if (up.up_state != UNWIND_NONE)
		errx(1, "a page of no file: state %u", up.up_state);
	ms = miss_of(&ch, 1, UNWIND_MISS_PROC);
	unwind_missed(&ms);
	while (!proc_get(&ch, &pr) || pr.pr_state == UNWIND_PENDING)
		;
	if (pr.pr_state != UNWIND_NONE)
		errx(1, "no process: state %u", pr.pr_state);
	until(is_gone, &wn, NULL, "to be tried again");
	/* a child that misses a mapping keeps its parent's until its own is read */
	child_start(&ch);
	ms = miss_of(&ch, 3, UNWIND_MISS_MAP);
	unwind_missed(&ms);
	if (proc_get(&ch, &pr) && pr.pr_state != UNWIND_READY)
		errx(1, "a child is pending");
	wn.wn_exec = 3;
	until(is_exec, &wn, NULL, "a child's own mappings");
	child_end(&ch);
	/* code that is made at run time has no file */
	p = mmap(NULL, 1 << 20, PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ch.ch_pid = getpid();
	(void)learn(&ch, 7, (uintptr_t)p, "memory");
	if (map_at(&ch, (uintptr_t)p)->um_file != 0)
		errx(1, "memory has a file");
	printf("none: ok\n");
}

/*
 * A symbolizer that hangs over one page, and has no table of the others.
 */
#define HANGS 7

int
fake_symbolizer(void)
{
	static uint64_t pages[SYMREQ_MAXPCS];
	struct symrep end = { .srp_type = SYMREP_FRAMES, .srp_last = 1 };
	struct symrep_table st = { .srt_type = SYMREP_TABLE };
	struct symreq rq;
	struct iovec iov[] = { { &rq, sizeof(rq) }, { pages, sizeof(pages) } };

	while (readv(SYMREQ_FD, iov, 2) > 0) {
		for (st.srt_page = 0; st.srt_page < rq.srq_npcs;
		     st.srt_page++) {
			while (pages[st.srt_page] == HANGS)
				pause();
			(void)!send(SYMREQ_FD, &st, sizeof(st), 0);
		}
		(void)!send(SYMREQ_FD, &end, sizeof(end), 0);
	}
	return 0;
}

int
is_symbolizer(void)
{
	struct stat st[2];

	return fstat(SYMREQ_FD, &st[0]) == 0 && S_ISSOCK(st[0].st_mode) &&
	    fstat(SYMREQ_CHANNEL_FD, &st[1]) == 0 && S_ISSOCK(st[1].st_mode);
}

/* A file of one user over which a symbolizer hangs delays no other user. */
void
case_hang(void)
{
	struct child slow, ch;
	struct unwind_pagekey uk;
	struct unwind_page up;
	struct wanted wn = { 0 };
	struct symbolizer_stat ss;
	struct unwind_miss ms;
	char path[4096] = { 0 };
	double msecs[2];

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) == -1)
		err(1, "/proc/self/exe");
	/* the one of this user is not replaced */
	prog_wait(is_started, &ss, "a symbolizer without a miss");
	setenv("DT_SYMBOLIZER", path, 1);
	symbolizer_process_msecs = 4000;
	child_start_as(&slow, 7777);
	(void)learn(&slow, 1, slow.ch_told.td_self, "the program");
	child_start_as(&ch, 7778);
	(void)learn(&ch, 1, ch.ch_told.td_vdso, "the vdso");
	wn.wn_key = key_of(&slow, slow.ch_told.td_self);
	wn.wn_key.uk_page = HANGS;
	ms = miss_of(&slow, 1, UNWIND_MISS_PAGE);
	ms.ms_key = wn.wn_key;
	unwind_missed(&ms);
	uk = key_of(&ch, ch.ch_told.td_vdso);
	msecs[0] = build(&ch, uk, &up);
	if (is_settled(&wn))
		errx(1, "it did not hang: state %u after %.0f ms",
		    wn.wn_page.up_state, msecs[0]);
	msecs[1] = until(is_settled, &wn, NULL, "the end of hanging");
	if (up.up_state != UNWIND_NONE || wn.wn_page.up_state != UNWIND_NONE)
		errx(1, "states %u and %u", up.up_state, wn.wn_page.up_state);
	child_end(&ch);
	child_end(&slow);
	printf("hang: another user waits %.0f ms, this one %.0f ms\n", msecs[0],
	    msecs[1]);
}
