/* SPDX-License-Identifier: ISC */
/* Cases of unwind_tables: the mappings of processes. */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "daemon/unwind/unwind.h"
#include "daemon/unwind/unwind_impl.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/unwind_tables/unwind_tables.h"

/* New mappings, another program, and the end. */
void
case_change(void)
{
	struct unwind_miss ms;
	struct child ch;
	struct wanted wn = { .wn_child = &ch };
	double msecs[2];

	child_start(&ch);
	(void)learn(&ch, 1, ch.ch_told.td_self, "the program");
	/* found by the kernel's event */
	child_do(&ch, 'm');
	wn.wn_addr = ch.ch_told.td_new;
	msecs[0] = until(is_mapped, &wn, NULL, "a new mapping");
	/* reported by a program */
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
void
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
void
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
