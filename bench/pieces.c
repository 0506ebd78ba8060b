/* SPDX-License-Identifier: ISC */
/*
 * The kernel's part of dtd's work for each CPU, by operation: creating,
 * mapping, watching, inserting and removing a ring; a clock; polling an empty
 * ring; adding up counters.  For 1 to 1,024 CPUs, on any machine, with the
 * system calls that the daemon uses.
 *
 *	pieces [-q]
 *
 * Does not need dtd.  Prints a table of docs/scale.md: the time of all n
 * operations, in microseconds.
 */
#include <err.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bench/bench.h"

#define PIECES_MAX     1024
#define PIECES_RING    (64UL << 10) /* = DT_RING_MIN */
#define PIECES_COUNT   64	    /* bytes, like struct dt_count */
#define PIECES_NTHREAD 16
#define PIECES_ROUNDS  3
#define PIECES_LOOKS   16
#define PIECES_PERIOD  1000000000ULL /* period of a clock, ns */
/*
 * Limit for operations that take a grace period each, and for clocks: several
 * clocks on one CPU cost the kernel a search of all of them.
 */
#define PIECES_MAXSOME 64

static const int sizes[] = { 1, 4, 16, 64, 256, PIECES_MAX };
#define PIECES_NSIZE (sizeof(sizes) / sizeof(sizes[0]))

enum piece {
	PI_CREATE,
	PI_MAP,
	PI_WATCH,
	PI_INSERT,
	PI_SINGLE,
	PI_THREADS,
	PI_REPLACE,
	PI_LOOK,
	PI_SUM,
	PI_UNMAP,
	PI_CLOSE,
	PI_PERF,
	PI_LINK,
	PI_UNLINK,
	PI_NPIECE
};

static const char *const names[PI_NPIECE] = {
	[PI_CREATE] = "create a ring of 64 kB",
	[PI_MAP] = "map it (2 mappings)",
	[PI_WATCH] = "epoll_ctl",
	[PI_INSERT] = "insert, one batch",
	[PI_SINGLE] = "insert, one by one",
	[PI_THREADS] = "insert, 16 threads",
	[PI_REPLACE] = "replace, one batch",
	[PI_LOOK] = "look at an empty ring",
	[PI_SUM] = "add up counters",
	[PI_UNMAP] = "unmap",
	[PI_CLOSE] = "close",
	[PI_PERF] = "perf_event_open",
	[PI_LINK] = "link to it",
	[PI_UNLINK] = "close the link",
};

struct ring {
	int fd;
	void *cons, *prod;
	unsigned long pos;
};

static struct ring rings[PIECES_MAX];
static int links[PIECES_MAX];
static int outer, inner, epfd, progfd;
static double rounds[PI_NPIECE][PIECES_NSIZE][PIECES_ROUNDS];
static volatile uint64_t sink;

static void
make(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		rings[i].fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0,
		    PIECES_RING, NULL);
		if (rings[i].fd < 0)
			err(1, "ring %d", i);
	}
}

static void
map(int n)
{
	size_t page = getpagesize();
	int i;

	for (i = 0; i < n; i++) {
		rings[i].cons = mmap(NULL, page, PROT_READ | PROT_WRITE,
		    MAP_SHARED, rings[i].fd, 0);
		rings[i].prod = mmap(NULL, page + 2 * PIECES_RING, PROT_READ,
		    MAP_SHARED, rings[i].fd, page);
		if (rings[i].cons == MAP_FAILED || rings[i].prod == MAP_FAILED)
			err(1, "mapping of ring %d", i);
	}
}

static void
watch(int n)
{
	struct epoll_event ee = { .events = EPOLLIN | EPOLLET };
	int i;

	for (i = 0; i < n; i++)
		if (epoll_ctl(epfd, EPOLL_CTL_ADD, rings[i].fd, &ee) == -1)
			err(1, "epoll_ctl");
}

/* Inserts the rings first to first + n - 1, or the placeholder. */
static void
insert_range(int first, int n, int gone)
{
	uint32_t keys[n], count = n;
	int fds[n], i;

	for (i = 0; i < n; i++) {
		keys[i] = first + i;
		fds[i] = gone ? inner : rings[first + i].fd;
	}
	if (bpf_map_update_batch(outer, keys, fds, &count, NULL) != 0)
		err(1, "batch of %d", n);
}

static void
insert(int n)
{
	insert_range(0, n, 0);
}

static void
replace(int n)
{
	insert_range(0, n, 1);
}

static void
insert_single(int n)
{
	uint32_t i;

	for (i = 0; i < (uint32_t)n; i++)
		if (bpf_map_update_elem(outer, &i, &rings[i].fd, BPF_ANY) != 0)
			err(1, "insert");
}

struct share {
	pthread_t thread;
	int first, n;
};

static void *
insert_share(void *arg)
{
	struct share *sh = arg;

	insert_range(sh->first, sh->n, 0);
	return NULL;
}

static void
insert_threads(int n)
{
	struct share sh[PIECES_NTHREAD];
	int i, nthread = n < PIECES_NTHREAD ? n : PIECES_NTHREAD;

	for (i = 0; i < nthread; i++) {
		sh[i].first = i * n / nthread;
		sh[i].n = (i + 1) * n / nthread - sh[i].first;
		if (pthread_create(&sh[i].thread, NULL, insert_share, &sh[i]))
			errx(1, "no thread");
	}
	for (i = 0; i < nthread; i++)
		pthread_join(sh[i].thread, NULL);
}

/* Polls like the daemon, partly from the cache. */
static void
look(int n)
{
	int i, j;

	for (j = 0; j < PIECES_LOOKS; j++)
		for (i = 0; i < n; i++)
			sink += rings[i].pos <
			    __atomic_load_n((unsigned long *)rings[i].prod,
				__ATOMIC_ACQUIRE);
}

static void
sum(int n)
{
	static uint64_t counts[PIECES_MAX][PIECES_COUNT / 8];
	uint64_t total = 0;
	int i, j, k;

	for (k = 0; k < PIECES_LOOKS; k++)
		for (i = 0; i < n; i++)
			for (j = 0; j < 5; j++)
				total += __atomic_load_n(&counts[i][j],
				    __ATOMIC_RELAXED);
	sink += total;
}

static void
unmap(int n)
{
	size_t page = getpagesize();
	int i;

	for (i = 0; i < n; i++) {
		munmap(rings[i].cons, page);
		munmap(rings[i].prod, page + 2 * PIECES_RING);
	}
}

static void
close_all(int n)
{
	int i;

	for (i = 0; i < n; i++)
		close(rings[i].fd);
}

static void
perf_open(int n)
{
	struct perf_event_attr attr;
	int i;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = PIECES_PERIOD;
	for (i = 0; i < n; i++) {
		links[i] = syscall(SYS_perf_event_open, &attr, -1,
		    i % bench_ncpu(), -1, PERF_FLAG_FD_CLOEXEC);
		if (links[i] == -1)
			err(1, "perf_event_open");
	}
}

static void
link_all(int n)
{
	int i, link;

	for (i = 0; i < n; i++) {
		link = bpf_link_create(progfd, links[i], BPF_PERF_EVENT, NULL);
		if (link < 0)
			err(1, "link");
		close(links[i]);
		links[i] = link;
	}
}

static void
unlink_all(int n)
{
	int i;

	for (i = 0; i < n; i++)
		close(links[i]);
}

/* In the order of enum piece, and of a session's life. */
static void (*const pieces[PI_NPIECE])(int) = { make, map, watch, insert,
	insert_single, insert_threads, replace, look, sum, unmap, close_all,
	perf_open, link_all, unlink_all };

static void
setup(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	/* r0 = 0; exit */
	static const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV |
							 BPF_K },
		{ .code = BPF_JMP | BPF_EXIT } };

	inner = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "none", 0, 0,
	    getpagesize(), NULL);
	opts.inner_map_fd = inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "rings", 4, 4,
	    PIECES_MAX, &opts);
	epfd = epoll_create1(EPOLL_CLOEXEC);
	progfd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "clock", "GPL", insns,
	    sizeof(insns) / sizeof(insns[0]), NULL);
	if (inner < 0 || outer < 0 || epfd == -1 || progfd < 0)
		err(1, "BPF");
}

static void
run(int s, int r)
{
	int64_t start;
	int p, n = sizes[s];

	for (p = 0; p < PI_NPIECE; p++) {
		if ((p == PI_SINGLE || p >= PI_PERF) && n > PIECES_MAXSOME)
			continue;
		start = bench_now();
		pieces[p](n);
		rounds[p][s][r] = (bench_now() - start) / 1e3;
		if (p == PI_LOOK || p == PI_SUM)
			rounds[p][s][r] /= PIECES_LOOKS;
	}
}

static void
report(int n)
{
	size_t s;
	int p;

	printf("%-24s", "us, for n CPUs");
	for (s = 0; s < PIECES_NSIZE; s++)
		printf(" %9d", sizes[s]);
	printf("\n");
	for (p = 0; p < PI_NPIECE; p++) {
		printf("%-24s", names[p]);
		for (s = 0; s < PIECES_NSIZE; s++)
			if (rounds[p][s][0] != 0)
				printf(" %9.4g", bench_median(rounds[p][s], n));
		printf("\n");
	}
}

int
main(int argc, char **argv)
{
	size_t s;
	int r, n;

	bench_init(argc, argv);
	n = bench_rounds(PIECES_ROUNDS, 1);
	(void)bench_nofile();
	setup();
	for (r = 0; r < n; r++)
		for (s = 0; s < PIECES_NSIZE; s++)
			run(s, r);
	report(n);
	return 0;
}
