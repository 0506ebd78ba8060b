/* SPDX-License-Identifier: ISC */
/*
 * The HTML page of two profiles of half a million samples each, in 100,000
 * stacks: the time until a browser has opened it, and until it has zoomed, and
 * the size of a page that has nearly no data.
 */
#include <err.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"

#define PAGE_NSTACKS   100000
#define PAGE_DEPTH     20   /* frames of a stack */
#define PAGE_NFUNCS    5000 /* functions */
#define PAGE_BRANCHES  7    /* callees of each of the outer functions */
#define PAGE_NSAMPLES  5    /* of each stack */
#define PAGE_MAXROUNDS 16

/*
 * Writes the profile.  The digits of a stack's number are its outer frames, so
 * no two stacks are equal; the inner frames follow from the number.
 */
static void
write_profile(const char *path, int nstacks)
{
	FILE *f = fopen(path, "we");
	uint32_t func, digits;
	int i, d;

	if (f == NULL)
		err(1, "%s", path);
	for (i = 0; i < nstacks; i++) {
		fprintf(f, "program");
		func = 1;
		digits = i;
		for (d = 0; d < PAGE_DEPTH; d++) {
			func = func * 2654435761U + digits % PAGE_BRANCHES + d;
			digits /= PAGE_BRANCHES;
			fprintf(f, ";function_%u", (func >> 8) % PAGE_NFUNCS);
		}
		fprintf(f, " %d\n", PAGE_NSAMPLES);
	}
	if (fclose(f) == EOF)
		err(1, "%s", path);
}

/* Makes a page in the file html; returns its size in kB. */
static double
make_page(char *html, char *folded, int nstacks)
{
	char dt[4096];
	char *argv[] = { dt, "diff", "-o", html, folded, folded, NULL };
	struct stat st;

	unlink(html); /* dt would keep it */
	write_profile(folded, nstacks);
	snprintf(dt, sizeof(dt), "%s/dt", bench_dir);
	bench_wait(bench_spawn(argv), 0);
	if (stat(html, &st) == -1)
		err(1, "%s", html);
	return st.st_size / 1e3;
}

/* Measures a page; the results are milliseconds per round. */
static void
browse(char *html, double *open, double *zoom, int rounds)
{
	const char *loads = getenv("LOADS");
	char dir[4000], script[4096], n[16];
	char *argv[] = { "python3", script, html, n, NULL };
	int fd, i;
	FILE *f;
	pid_t pid;

	snprintf(dir, sizeof(dir), "%s", loads != NULL ? loads : "bench/loads");
	snprintf(script, sizeof(script), "%s/page_speed.py", dirname(dir));
	snprintf(n, sizeof(n), "%d", rounds);
	pid = bench_spawn_pipe(argv, &fd);
	if ((f = fdopen(fd, "r")) == NULL)
		err(1, "fdopen");
	for (i = 0; i < rounds; i++)
		if (fscanf(f, "%lf %lf", &open[i], &zoom[i]) != 2)
			errx(1, "%s does not print figures", script);
	fclose(f);
	bench_wait(pid, 0);
}

int
main(int argc, char **argv)
{
	double open[PAGE_MAXROUNDS], zoom[PAGE_MAXROUNDS], kbytes;
	char folded[64], html[64];
	int rounds;

	bench_init(argc, argv);
	rounds = bench_rounds(5, 1);
	/* the suffix decides what dt writes */
	snprintf(folded, sizeof(folded), "%s.folded", bench_file());
	snprintf(html, sizeof(html), "%s.html", bench_file());
	kbytes = make_page(html, folded, 1);
	bench_row("page-size", &kbytes, 1);
	make_page(html, folded, bench_quick ? 100 : PAGE_NSTACKS);
	browse(html, open, zoom, rounds);
	bench_row("page-open", open, rounds);
	bench_row("page-zoom", zoom, rounds);
	unlink(folded);
	unlink(html);
	return 0;
}
