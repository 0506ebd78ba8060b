/* SPDX-License-Identifier: ISC */
/*
 * dtd's side of unwind tables (daemon/unwind/unwind.h), linked into this program:
 * the maps that programs search are read like a program, and compared with the
 * mappings of children and with tables that are built here.
 *
 * unwind_tables CASE ...
 *
 * A failure ends the program with a line and status 1; a success prints a line.
 * "unwind_tables child" runs a child.
 */
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/base/conf.h"
#include "daemon/device/cdevsw.h"
#include "daemon/inspect/inspect.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/sym/symbolizer_process.h"
#include "daemon/sym/table_buf.h"
#include "daemon/unwind/unwind.h"
#include "daemon/unwind/unwind_impl.h"
#include "daemon/unwind/unwind_maps.h"
#include "daemon/unwind/unwind_pages.h"
#include "symbolizer/unwind_rows.h"
#include "tests/run/prog/prog.h"
#include "wire/symbolizer.h"

#define MAXFILES 4

/* Called for the devices' sessions; there are none. */
void
dev_opened(void)
{
}

void
dev_closed(void)
{
}

/*
 * The child: tells addresses of its code, and obeys commands
 */

struct told {
	uint64_t td_libc, td_vdso, td_self, td_new;
};

static int
child_main(void)
{
	struct told td = { (uintptr_t)dlsym(RTLD_NEXT, "getpid"),
		getauxval(AT_SYSINFO_EHDR) + 0x800, (uintptr_t)child_main, 0 };
	char *argv[] = { "unwind_tables", "child", NULL };
	char what;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (write(0, &td, sizeof(td)) != sizeof(td) ||
		    read(0, &what, 1) != 1)
			return 0;
		if (what == 'e')
			execv("/proc/self/exe", argv);
		fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		td.td_new = (uintptr_t)mmap(NULL, getpagesize(),
		    PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		close(fd);
	}
}

struct child {
	pid_t ch_pid;
	int ch_sock;
	struct told ch_told;
};

static void
child_hear(struct child *ch)
{
	if (read(ch->ch_sock, &ch->ch_told, sizeof(ch->ch_told)) !=
	    sizeof(ch->ch_told))
		errx(1, "the child has ended");
}

static void
child_start_as(struct child *ch, uid_t uid)
{
	char *argv[] = { "unwind_tables", "child", NULL };
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == -1)
		err(1, "socketpair");
	if ((ch->ch_pid = prog_fork()) == 0) {
		dup2(sv[1], 0);
		if (setresuid(uid, uid, uid) == 0)
			execv("/proc/self/exe", argv);
		_exit(127);
	}
	close(sv[1]);
	ch->ch_sock = sv[0];
	child_hear(ch);
}

static void
child_start(struct child *ch)
{
	child_start_as(ch, getuid());
}

static void
child_do(struct child *ch, char what)
{
	if (write(ch->ch_sock, &what, 1) != 1)
		err(1, "write");
	child_hear(ch);
}

static void
child_end(struct child *ch)
{
	int status;

	close(ch->ch_sock);
	if (waitpid(ch->ch_pid, &status, 0) != ch->ch_pid || status != 0)
		errx(1, "child: status %x", status);
}

/*
 * The maps, as a program reads them
 */

/* Returns a block's memory, mapped from the map that programs see. */
static char *
block_at(uint32_t place)
{
	static char *slabs[UNWIND_MAXSLABS];
	static uint32_t ids[UNWIND_MAXSLABS];
	uint32_t i = UNWIND_PLACE_SLAB(place), id;
	int fd;

	if (bpf_map_lookup_elem(unwind_maps[UNWIND_SLABS].umr_fd, &i, &id) != 0)
		errx(1, "there is no slab %u", i);
	if (ids[i] != id) {
		if ((fd = bpf_map_get_fd_by_id(id)) < 0)
			errx(1, "map %u: %s", id, strerror(-fd));
		if (slabs[i] != NULL)
			munmap(slabs[i], UNWIND_SLAB);
		slabs[i] = mmap(NULL, UNWIND_SLAB, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
		if (slabs[i] == MAP_FAILED)
			err(1, "mmap of a slab");
		close(fd);
		ids[i] = id;
	}
	return slabs[i] + UNWIND_PLACE_OFF(place);
}

static int
proc_get(const struct child *ch, struct unwind_proc *pr)
{
	uint32_t pid = ch->ch_pid;

	return bpf_map_lookup_elem(unwind_maps[UNWIND_PROCS].umr_fd, &pid,
		   pr) == 0;
}

/* Returns the mapping of an address in the process's entry; NULL. */
static const struct unwind_map *
map_at(const struct child *ch, uint64_t addr)
{
	const struct unwind_map *um;
	struct unwind_proc pr;
	uint32_t i;

	if (!proc_get(ch, &pr) || pr.pr_state != UNWIND_READY)
		return NULL;
	um = (const void *)block_at(pr.pr_place);
	for (i = 0; i < pr.pr_nmaps; i++, um++) {
		if (i > 0 && um->um_start <= um[-1].um_start)
			errx(1, "mappings are not sorted");
		if (addr - um->um_start < (uint64_t)um->um_npages << 12)
			return um;
	}
	return NULL;
}

static struct unwind_miss
miss_of(const struct child *ch, uint32_t exec, enum unwind_what what)
{
	return (struct unwind_miss){ .ms_what = what,
		.ms_pid = ch->ch_pid,
		.ms_time = prog_now(),
		.ms_start = 1234,
		.ms_exec = exec };
}

struct wanted {
	const struct child *wn_child;
	uint64_t wn_addr;
	uint32_t wn_exec;
	struct unwind_pagekey wn_key;
	struct unwind_page wn_page;
};

static int
is_mapped(void *arg)
{
	const struct wanted *wn = arg;

	return map_at(wn->wn_child, wn->wn_addr) != NULL;
}

static int
is_exec(void *arg)
{
	const struct wanted *wn = arg;
	struct unwind_proc pr;

	return proc_get(wn->wn_child, &pr) && pr.pr_exec == wn->wn_exec &&
	    pr.pr_state == UNWIND_READY;
}

static int
is_gone(void *arg)
{
	const struct wanted *wn = arg;
	struct unwind_proc pr;

	return !proc_get(wn->wn_child, &pr);
}

static int
is_settled(void *arg)
{
	struct wanted *wn = arg;

	return bpf_map_lookup_elem(unwind_maps[UNWIND_PAGES].umr_fd,
		   &wn->wn_key, &wn->wn_page) == 0 &&
	    wn->wn_page.up_state != UNWIND_PENDING;
}

/*
 * Spins until fn is true, for a miss first if there is one; returns after how
 * many ms.
 */
static double
until(int (*fn)(void *), struct wanted *wn, const struct unwind_miss *ms,
    const char *what)
{
	int64_t start = prog_now();

	if (ms != NULL)
		unwind_missed(ms);
	while (!fn(wn))
		if (prog_now() - start > 20 * 1000000000LL)
			errx(1, "%s: not within 20 s", what);
	return (prog_now() - start) / 1e6;
}

/* Has the process's entry made, and checks that it has an address. */
static double
learn(const struct child *ch, uint32_t exec, uint64_t addr, const char *what)
{
	struct wanted wn = { .wn_child = ch, .wn_addr = addr };
	struct unwind_miss ms = miss_of(ch, exec, UNWIND_MISS_PROC);

	return until(is_mapped, &wn, &ms, what);
}

static struct unwind_pagekey
key_of(const struct child *ch, uint64_t addr)
{
	const struct unwind_map *um = map_at(ch, addr);

	if (um == NULL)
		errx(1, "nothing is mapped at %llx", (unsigned long long)addr);
	return (struct unwind_pagekey){ um->um_file,
		(um->um_off + (addr - um->um_start)) >> UNWIND_PAGE_SHIFT };
}

/* Has a page made; returns after how many ms. */
static double
build(const struct child *ch, struct unwind_pagekey uk, struct unwind_page *up)
{
	struct unwind_miss ms = { .ms_what = UNWIND_MISS_PAGE,
		.ms_pid = ch->ch_pid,
		.ms_key = uk };
	struct wanted wn = { .wn_key = uk };
	double msecs;

	msecs = until(is_settled, &wn, &ms, "a page");
	*up = wn.wn_page;
	return msecs;
}

/*
 * Cases
 */

struct local {
	struct elffile lc_elf;
	struct unwind_index lc_index;
	size_t lc_npages;
};

static void
local_open(struct local *lc, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct image im = { 0 };

	(void)elf_version(EV_CURRENT);
	if (fd == -1 || image_map(fd, &im) != 0 ||
	    elffile_open(&lc->lc_elf, &im) != 0 ||
	    unwind_index_open(&lc->lc_index, &lc->lc_elf) != 0)
		errx(1, "%s: no unwind information", path);
	lc->lc_npages = (lc->lc_elf.ef_image.im_size + UNWIND_PAGE - 1) >>
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

/* All pages of libc, of a child; and those of the vdso. */
static void
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

/* New mappings, another program, and the end. */
static void
case_change(void)
{
	struct unwind_miss ms;
	struct child ch;
	struct wanted wn = { .wn_child = &ch };
	double msecs[2];

	child_start(&ch);
	(void)learn(&ch, 1, ch.ch_told.td_self, "the program");
	/* told by the kernel's event */
	child_do(&ch, 'm');
	wn.wn_addr = ch.ch_told.td_new;
	msecs[0] = until(is_mapped, &wn, NULL, "a new mapping");
	/* told by a program */
	child_do(&ch, 'm');
	wn.wn_addr = ch.ch_told.td_new;
	ms = miss_of(&ch, 1, UNWIND_MISS_MAP);
	ms.ms_addr = wn.wn_addr;
	msecs[1] = until(is_mapped, &wn, &ms, "a new mapping that is missed");
	child_do(&ch, 'e');
	wn.wn_exec = 2;
	ms = miss_of(&ch, 2, UNWIND_MISS_PROC);
	until(is_exec, &wn, &ms, "another program");
	if (map_at(&ch, wn.wn_addr) != NULL &&
	    map_at(&ch, ch.ch_told.td_self) == NULL)
		errx(1, "mappings of the program before");
	child_end(&ch);
	until(is_gone, &wn, NULL, "the process's end");
	printf("change: mapping by event %.2f ms, by miss %.2f ms\n", msecs[0],
	    msecs[1]);
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
static void
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
static void
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

/* CPU time of this process, but for the calling thread; ns. */
static uint64_t
others_cpu(void)
{
	struct timespec all, mine;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mine);
	return (all.tv_sec - mine.tv_sec) * 1000000000LL + all.tv_nsec -
	    mine.tv_nsec;
}

/* A process with many mappings, which changes one of them all the time. */
static void
case_busy(void)
{
	enum {
		NMAPS = 30000,
		SECONDS = 4
	};
	struct child ch = { .ch_pid = getpid() };
	struct unwind_stat before, us;
	size_t page = getpagesize(), n = 0;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int64_t start, now;
	uint64_t cpu;
	double msecs;
	char *p;
	size_t i;

	/* each page is a mapping, since the offsets do not follow */
	p = mmap(NULL, NMAPS * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);
	for (i = 0; i < NMAPS; i++)
		if (mmap(p + i * page, page, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_FIXED, fd,
			i % 2 * page) == MAP_FAILED)
			err(1, "mmap %zu", i);
	msecs = learn(&ch, 1, (uintptr_t)p, "many mappings");
	unwind_stat(&before);
	cpu = others_cpu();
	start = prog_now();
	do {
		if (mmap(p, page, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_FIXED, fd,
			n++ % 2 * page) == MAP_FAILED)
			err(1, "mmap");
		now = prog_now();
	} while (now < start + SECONDS * 1000000000LL);
	cpu = others_cpu() - cpu;
	unwind_stat(&us);
	munmap(p, NMAPS * page);
	close(fd);
	printf("busy: %d mappings in %.0f ms; %zu changes a second: read %llu "
	       "times a second, %.1f %% of a CPU\n",
	    NMAPS, msecs, n / SECONDS,
	    (unsigned long long)(us.us_read - before.us_read) / SECONDS,
	    cpu / 1e7 / SECONDS);
	if ((us.us_read - before.us_read) / SECONDS > 100)
		errx(1, "too often");
}

static int
msecs_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Many processes, one after another: how soon each is known. */
static void
case_brief(void)
{
	enum {
		NPROCS = 200
	};
	double v[NPROCS];
	struct unwind_stat us;
	struct child ch;
	size_t i;

	for (i = 0; i < NPROCS; i++) {
		child_start(&ch);
		v[i] = learn(&ch, 1, ch.ch_told.td_libc, "a process");
		child_end(&ch);
	}
	qsort(v, NPROCS, sizeof(v[0]), msecs_compare);
	unwind_stat(&us);
	printf("brief: known after %.2f ms (median), %.2f (90 %%), %.2f (at "
	       "most); %llu files\n",
	    v[NPROCS / 2], v[NPROCS * 9 / 10], v[NPROCS - 1],
	    (unsigned long long)us.us_files);
	if (us.us_files > 50)
		errx(1, "a file has several numbers");
}

/*
 * A symbolizer that hangs over one page, and has no table of the others.
 */
#define HANGS 7

static int
fake_symbolizer(void)
{
	static uint64_t pages[SYMREQ_MAXPCS];
	struct symrep end = { .srp_type = SYMREP_FRAMES, .srp_last = 1 };
	struct symrep_table st = { .st_type = SYMREP_TABLE };
	struct symreq rq;
	struct iovec iov[] = { { &rq, sizeof(rq) }, { pages, sizeof(pages) } };

	while (readv(SYMREQ_FD, iov, 2) > 0) {
		for (st.st_page = 0; st.st_page < rq.srq_npcs; st.st_page++) {
			while (pages[st.st_page] == HANGS)
				pause();
			(void)!send(SYMREQ_FD, &st, sizeof(st), 0);
		}
		(void)!send(SYMREQ_FD, &end, sizeof(end), 0);
	}
	return 0;
}

static int
is_symbolizer(void)
{
	struct stat st[2];

	return fstat(SYMREQ_FD, &st[0]) == 0 && S_ISSOCK(st[0].st_mode) &&
	    fstat(SYMREQ_CHANNEL_FD, &st[1]) == 0 && S_ISSOCK(st[1].st_mode);
}

/* A file of one user over which a symbolizer hangs delays no other user. */
static void
case_hang(void)
{
	struct child slow, ch;
	struct unwind_pagekey uk;
	struct unwind_page up;
	struct wanted wn = { 0 };
	struct unwind_miss ms;
	char path[4096] = { 0 };
	double msecs[2];

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) == -1)
		err(1, "/proc/self/exe");
	setenv("DT_SYMBOLIZER", path, 1);
	symbolizer_process_msecs = 4000;
	child_start_as(&slow, 7777);
	(void)learn(&slow, 1, slow.ch_told.td_self, "the program");
	child_start(&ch);
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

static const struct {
	const char *name;
	void (*fn)(void);
} cases[] = {
	{ "hang", case_hang },
	{ "brief", case_brief },
	{ "busy", case_busy },
	{ "libc", case_libc },
	{ "change", case_change },
	{ "evict", case_evict },
	{ "none", case_none },
};

static int
all_gone(void *arg)
{
	struct unwind_stat *us = arg;
	struct proc_watch_stat ps;

	unwind_stat(us);
	proc_watch_stat(&ps);
	return us->us_slabbytes == 0 && ps.pws_held == 0;
}

static void
case_run(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, name) == 0)
			break;
	if (i == sizeof(cases) / sizeof(cases[0]))
		errx(2, "no case %s", name);
	cases[i].fn();
	fflush(stdout);
}

/* It is where this program's folder is. */
static void
find_symbolizer(void)
{
	char path[4096] = { 0 }, *slash;
	int i;

	if (readlink("/proc/self/exe", path, sizeof(path) - 32) == -1)
		err(1, "/proc/self/exe");
	for (i = 0; i < 2 && (slash = strrchr(path, '/')) != NULL; i++)
		*slash = '\0';
	strcat(path, "/dt-symbolizer");
	setenv("DT_SYMBOLIZER", path, 0);
}

int
main(int argc, char **argv)
{
	struct unwind_stat us;
	int i, error;

	if (is_symbolizer())
		return fake_symbolizer();
	if (argc == 2 && strcmp(argv[1], "child") == 0)
		return child_main();
	find_symbolizer();
	inspect_start(argv);
	prog_init("unwind_tables", 300);
	if ((error = unwind_hold()) != 0)
		errx(1, "unwind_hold: %s", strerror(error));
	for (i = 1; i < argc; i++)
		case_run(argv[i]);
	unwind_release();
	prog_wait(all_gone, &us, "release of all tables");
	if (us.us_pages != 0 || us.us_procs != 0 || us.us_files != 0 ||
	    us.us_bytes != 0)
		errx(1, "left: %llu pages, %llu processes, %llu files",
		    (unsigned long long)us.us_pages,
		    (unsigned long long)us.us_procs,
		    (unsigned long long)us.us_files);
	return 0;
}
