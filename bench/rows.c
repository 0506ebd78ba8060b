/* SPDX-License-Identifier: ISC */
/* Time to build the unwind tables of all of libc's code. */
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/bench.h"
#include "symbolizer/unwind_rows.h"

#define ROWS_MAXROUNDS 64

/* Size of the tables of a file. */
struct built {
	size_t bl_pages, bl_rows, bl_bytes;
};

static void
page_add(const struct unwind_index *ui, uint64_t page, struct built *bl)
{
	struct unwind_page_rows upr;

	if (unwind_page_build(ui, page, &upr) != 0)
		errx(1, "page %llu", (unsigned long long)page);
	if (upr.upr_nrows == 0)
		return;
	bl->bl_pages++;
	bl->bl_rows += upr.upr_nrows;
	bl->bl_bytes += upr.upr_nrows * sizeof(*upr.upr_rows) +
	    upr.upr_nrules * sizeof(*upr.upr_rules);
	unwind_page_free(&upr);
}

/* Returns ms.  The file is in the page cache. */
static double
build(const char *path, struct built *bl)
{
	int64_t start = bench_now();
	struct unwind_index ui;
	struct file_bytes im = { 0 };
	struct elffile ef;
	uint64_t page, npages;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	double msecs;

	*bl = (struct built){ 0 };
	if (fd == -1 || file_bytes_map(fd, &im) != 0 ||
	    elffile_open(&ef, &im) != 0 || unwind_index_open(&ui, &ef) != 0)
		errx(1, "%s has no unwind information", path);
	npages = (ef.ef_bytes.fby_size + UNWIND_PAGE - 1) >> UNWIND_PAGE_SHIFT;
	for (page = 0; page < npages; page++)
		page_add(&ui, page, bl);
	msecs = (bench_now() - start) / 1e6;
	unwind_index_close(&ui);
	elffile_close(&ef);
	close(fd);
	return msecs;
}

int
main(int argc, char **argv)
{
	double msecs[ROWS_MAXROUNDS];
	struct built bl;
	Dl_info libc;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(31, 3);
	if (dladdr(dlsym(RTLD_NEXT, "getpid"), &libc) == 0)
		errx(1, "libc was not found");
	(void)elf_version(EV_CURRENT);
	(void)build(libc.dli_fname, &bl);
	for (i = 0; i < n; i++)
		msecs[i] = build(libc.dli_fname, &bl);
	bench_row("rows-libc", msecs, n);
	bench_note("rows-libc: %zu rows in %zu pages, %zu kB", bl.bl_rows,
	    bl.bl_pages, bl.bl_bytes >> 10);
	return 0;
}
