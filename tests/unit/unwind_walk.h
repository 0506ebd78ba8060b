/* SPDX-License-Identifier: ISC */
/*
 * Unwind tables of this process, for test_unwind_walk.c: puts the tables of all
 * its files, and its mappings, into the maps of a BPF program.  Then takes stacks
 * in three ways: by that program, from a copy that it makes, and by libgcc.
 */
#ifndef TESTS_UNIT_UNWIND_WALK_H
#define TESTS_UNIT_UNWIND_WALK_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>

#include <dt/evt.h>

#include "bpf/dt_shared.h"
#include "daemon/unwind/slab.h"
#include "daemon/unwind/unwind_copy_walk.h"
#include "daemon/unwind/unwind_pages.h"
#include "symbolizer/unwind_rows.h"
#include "unwind_walk.skel.h"

#define NMAPS  64
#define NFILES 32
#define NSLABS 8
#define NPAGES 1024
#define HERE   SYS_getpgrp /* the system call at which the stack is walked */

static struct unwind_walk_bpf *skel;

static struct test_slab {
	uint8_t *sl_base;
	uint32_t sl_used;
} slabs[NSLABS];
static unsigned int nslabs;

static struct unwind_map maps[NMAPS];
static unsigned int nmaps;
static char *files[NFILES]; /* by number, from 1 */
static unsigned int nfiles = 1;

/*
 * Tables
 */

static void
slab_make(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct test_slab *sl = &slabs[nslabs];
	int fd;

	assert_in_range(nslabs, 0, NSLABS - 1);
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "slab", 4, UNWIND_SLAB, 1,
	    &opts);
	assert_return_code(fd, 0);
	sl->sl_base = mmap(NULL, UNWIND_SLAB, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	assert_ptr_not_equal(sl->sl_base, MAP_FAILED);
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(
						 skel->maps.unwind_slabs),
			     &nslabs, &fd, 0),
	    0);
	close(fd);
	nslabs++;
}

/* Returns the place of a new block. */
static uint32_t
block_make(size_t nbytes, void **p)
{
	struct test_slab *sl;
	uint32_t off;

	if (nslabs == 0 || slabs[nslabs - 1].sl_used + nbytes > UNWIND_SLAB)
		slab_make();
	sl = &slabs[nslabs - 1];
	off = sl->sl_used;
	sl->sl_used += (nbytes + 63) & ~63;
	*p = sl->sl_base + off;
	return UNWIND_PLACE(nslabs - 1, off);
}

/* Ends the second in which walks remember the rules of tables, which change. */
static void
rules_forget(void)
{
	skel->bss->walk_time += 1000000000;
}

static void
page_set(uint32_t file, uint32_t page, uint32_t state, uint32_t place)
{
	struct unwind_pagekey uk = { file, page };
	struct unwind_page up = { place, state };

	assert_int_equal(bpf_map_update_elem(bpf_map__fd(
						 skel->maps.unwind_pages),
			     &uk, &up, 0),
	    0);
}

static void
page_make(const struct unwind_index *ui, uint32_t file, uint32_t page)
{
	struct unwind_page_rows upr = { .upr_nrows = 0 };
	struct unwind_block *ub;
	uint32_t place;
	void *p;

	assert_int_equal(unwind_page_build(ui, page, &upr), 0);
	if (upr.upr_nrows == 0) {
		page_set(file, page, UNWIND_NONE, 0);
		return;
	}
	place = block_make(sizeof(*ub) + upr.upr_nrows * 4 +
		upr.upr_nrules * sizeof(struct unwind_rule),
	    &p);
	ub = p;
	ub->ub_nrows = upr.upr_nrows;
	ub->ub_nrules = upr.upr_nrules;
	p = memcpy(ub + 1, upr.upr_rows, upr.upr_nrows * 4);
	memcpy((uint8_t *)p + upr.upr_nrows * 4, upr.upr_rules,
	    upr.upr_nrules * sizeof(struct unwind_rule));
	page_set(file, page, UNWIND_READY, place);
	unwind_page_free(&upr);
}

/* Makes the tables of a file's code. */
static void
file_make(uint32_t file)
{
	int fd = open(files[file], O_RDONLY | O_CLOEXEC);
	struct unwind_index ui;
	struct elffile ef;
	struct file_bytes im;
	const struct elfload *el;
	uint64_t page;
	unsigned int i;

	memset(&ef, 0, sizeof(ef));
	memset(&im, 0, sizeof(im));
	memset(&ui, 0, sizeof(ui));
	assert_return_code(fd, errno);
	assert_int_equal(file_bytes_map(fd, &im), 0);
	close(fd);
	assert_int_equal(elffile_open(&ef, &im), 0);
	assert_int_equal(unwind_index_open(&ui, &ef), 0);
	for (i = 0; i < ef.ef_nloads; i++) {
		el = &ef.ef_loads[i];
		for (page = el->el_off >> UNWIND_PAGE_SHIFT;
		     page << UNWIND_PAGE_SHIFT < el->el_off + el->el_size;
		     page++)
			page_make(&ui, file, page);
	}
	unwind_index_close(&ui);
	elffile_close(&ef);
}

/* The number of a file; 0: the mapping has none. */
static uint32_t
file_number(const char *path)
{
	unsigned int i;

	if (path[0] != '/')
		return 0;
	for (i = 1; i < nfiles; i++)
		if (strcmp(files[i], path) == 0)
			return i;
	assert_in_range(nfiles, 0, NFILES - 1);
	assert_non_null(files[nfiles] = strdup(path));
	file_make(nfiles);
	return nfiles++;
}

/* Reads this process's executable mappings. */
static void
maps_read(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, off;
	char line[4096], path[4096], perms[5];
	struct unwind_map *um;

	assert_non_null(f);
	for (nmaps = 0; fgets(line, sizeof(line), f) != NULL;) {
		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4095s", &start, &end,
			perms, &off, path) < 4 ||
		    perms[2] != 'x')
			continue;
		assert_in_range(nmaps, 0, NMAPS - 1);
		um = &maps[nmaps++];
		um->um_start = start;
		um->um_off = off;
		um->um_npages = (end - start) / 4096;
		um->um_file = file_number(path);
	}
	fclose(f);
}

/*
 * This process
 */

static struct unwind_miss miss; /* the last one */

static int
miss_take(void *arg, void *p, size_t nbytes)
{
	(void)arg;
	assert_int_equal(nbytes, sizeof(miss));
	memcpy(&miss, p, nbytes);
	return 0;
}

/* Returns the number of misses since the last call. */
static int
misses(void)
{
	static struct ring_buffer *rb;

	if (rb == NULL)
		rb = ring_buffer__new(bpf_map__fd(skel->maps.unwind_misses),
		    miss_take, NULL, NULL);
	assert_non_null(rb);
	return ring_buffer__consume(rb);
}

/*
 * The copy that a program has made, where a page follows that cannot be read.
 * The page before is filled, too.
 */
#define COPY_BYTES (32 * 4096)

static struct unwind_copy *copy; /* the last one */
static uint8_t *copy_mem;

static int
copy_arrived(void *arg, void *p, size_t nbytes)
{
	size_t n = copy_nbytes(p);

	(void)arg;
	assert_in_range(n, sizeof(*copy) + UNWIND_COPY_WINDOW, nbytes);
	if (copy_mem == NULL) {
		copy_mem = mmap(NULL, COPY_BYTES + 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(copy_mem, MAP_FAILED);
		assert_return_code(mprotect(copy_mem + COPY_BYTES, 4096,
				       PROT_NONE),
		    errno);
	}
	copy = (void *)(copy_mem + COPY_BYTES - n);
	memcpy(copy, p, n);
	return 0;
}

/* Stores the last copy; returns how many there were. */
static int
copies(void)
{
	static struct ring_buffer *rb;

	if (rb == NULL)
		rb = ring_buffer__new(bpf_map__fd(skel->maps.unwind_copies),
		    copy_arrived, NULL, NULL);
	assert_non_null(rb);
	return ring_buffer__consume(rb);
}

/* Where copy_walk.c finds tables. */

void *
slab_base(uint32_t i)
{
	return i < nslabs ? slabs[i].sl_base : NULL;
}

int
unwind_pages_find(const struct unwind_pagekey *uk, struct unwind_page *up)
{
	return bpf_map_lookup_elem(bpf_map__fd(skel->maps.unwind_pages), uk,
		   up) == 0;
}

static long
here(void)
{
	return syscall(HERE);
}

/* Enters this process with its mappings. */
static void
proc_set(uint32_t state)
{
	static struct unwind_proc pr;
	static void *p;

	if (pr.pr_start == 0) {
		here();
		assert_int_equal(misses(), 1);
		assert_int_equal(miss.ms_what, UNWIND_MISS_PROC);
		assert_int_equal(miss.ms_pid, getpid());
		assert_int_equal(skel->bss->walk_result, -1);
		pr.pr_start = miss.ms_start;
		pr.pr_exec = miss.ms_exec;
		pr.pr_place = block_make(sizeof(maps), &p);
	}
	pr.pr_nmaps = nmaps;
	pr.pr_state = state;
	memcpy(p, maps, sizeof(maps));
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(
						 skel->maps.unwind_procs),
			     &skel->bss->walk_pid, &pr, 0),
	    0);
}

static int
setup(void **state)
{
	(void)state;
	if ((skel = unwind_walk_bpf__open()) == NULL)
		return -1;
	bpf_map__set_max_entries(skel->maps.unwind_pages, NPAGES);
	bpf_map__set_max_entries(skel->maps.unwind_copies, 1 << 20);
	if (unwind_walk_bpf__load(skel) != 0) {
		unwind_walk_bpf__destroy(skel);
		skel = NULL;
		return errno == EPERM ? 0 : -1;
	}
	skel->bss->walk_nr = HERE;
	skel->bss->walk_times = 1;
	skel->bss->walk_pid = getpid();
	rules_forget();
	if (unwind_walk_bpf__attach(skel) != 0)
		return -1;
	maps_read();
	proc_set(UNWIND_READY);
	return 0;
}

static void
need_bpf(void)
{
	if (skel == NULL)
		skip();
}

/*
 * Stacks
 */

#define MAXFRAMES 400

struct stacks {
	struct dt_rec_stack st_head; /* of the walk */
	uint64_t st_walk[DT_REC_MAXFRAMES];
	uint64_t st_gcc[MAXFRAMES];
	unsigned int st_ngcc;
	struct copy_walk st_copy; /* of the copy */
};

static _Unwind_Reason_Code
stacks_add(struct _Unwind_Context *context, void *arg)
{
	struct stacks *st = arg;

	if (_Unwind_GetIP(context) != 0 && st->st_ngcc < MAXFRAMES)
		st->st_gcc[st->st_ngcc++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* Walks the stack twice; the first frame of both is this function's. */
__attribute__((noinline)) static void
stacks_take(struct stacks *st)
{
	long nr = HERE;

	__asm__ volatile("syscall" : "+a"(nr) : : "rcx", "r11", "memory");
	memcpy(&st->st_head, skel->bss->walk_stack, 8);
	memcpy(st->st_walk, &skel->bss->walk_stack[1], sizeof(st->st_walk));
	if (copies() > 0)
		copy_walk(&st->st_copy, copy, maps, nmaps);
	st->st_ngcc = 0;
	_Unwind_Backtrace(stacks_add, st);
	__asm__ volatile("");
}

/* Returns whether a copy has the same frames; a part of the stack has fewer. */
static int
copy_issame(const struct stacks *st)
{
	const struct unwind_walk *uw = &st->st_copy.cwk_walk;
	size_t n = st->st_head.drs_count;

	if ((uw->uw_end == DT_STACK_FAULT || uw->uw_end == DT_STACK_LIMIT) &&
	    uw->uw_count <= n)
		n = uw->uw_count;
	else if (uw->uw_count != n || uw->uw_end != st->st_head.drs_end)
		return 0;
	return memcmp(st->st_copy.cwk_pcs, st->st_walk,
		   n * sizeof(st->st_walk[0])) == 0;
}

/* Returns the number of frames, or -1 if the stacks differ. */
static int
stacks_compare(const struct stacks *st)
{
	unsigned int i, n = st->st_head.drs_count;

	if (!copy_issame(st))
		return -1;
	for (i = 1; i < n && i < st->st_ngcc; i++)
		if (st->st_walk[i] != st->st_gcc[i])
			return -1;
	if (st->st_head.drs_end == DT_STACK_LIMIT)
		return n == DT_REC_MAXFRAMES ? (int)n : -1;
	if (st->st_head.drs_end == DT_STACK_ENDED && n != st->st_ngcc)
		return -1;
	return n;
}

static void
stacks_print(const struct stacks *st)
{
	unsigned int i;

	printf("count %u end %u how %u, libgcc %u, copy: count %u end %u\n",
	    st->st_head.drs_count, st->st_head.drs_end, st->st_head.drs_how,
	    st->st_ngcc, st->st_copy.cwk_walk.uw_count,
	    st->st_copy.cwk_walk.uw_end);
	for (i = 0; i < st->st_head.drs_count || i < st->st_ngcc; i++)
		printf("%3u %16lx %16lx\n", i,
		    i < st->st_head.drs_count ? st->st_walk[i] : 0,
		    i < st->st_ngcc ? st->st_gcc[i] : 0);
}

static inline void
stacks_same(const struct stacks *st, int end)
{
	if (stacks_compare(st) == -1 || st->st_head.drs_end != end) {
		stacks_print(st);
		fail_msg("the stacks differ, or the walk ended by %u, not %d",
		    st->st_head.drs_end, end);
	}
	assert_int_equal(st->st_copy.cwk_walk.uw_end, end);
	assert_int_equal(st->st_head.drs_how, DT_STACK_TABLE);
}

/* Takes the stacks below n calls of itself. */
__attribute__((noinline)) static int
recurse(struct stacks *st, int n)
{
	if (n == 0)
		stacks_take(st);
	else if (recurse(st, n - 1) != n - 1)
		return -1;
	return n;
}

#endif /* TESTS_UNIT_UNWIND_WALK_H */
