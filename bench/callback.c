/* SPDX-License-Identifier: ISC */
/*
 * Cost of a compiler callback in an instrumented program with libdtkcov.a: in a
 * thread that is not traced, one that records, and one whose buffer is full.
 * For comparison, a call of a function that does nothing.
 *
 * Uses memory of this program; no daemon is involved.
 */
#include <sys/mman.h>

#include <err.h>
#include <fcntl.h>
#include <unistd.h>

#include "bench/bench.h"
#include "dtkcov/thread_slot.h"

#define CALLBACK_ROUNDS	 7
#define CALLBACK_CALLS	 (4 << 20)
#define CALLBACK_RECORDS 4096 /* records before the buffer is reset */

void __sanitizer_cov_trace_gep(uintptr_t); /* does nothing */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_const_cmp4(uint32_t, uint32_t);

static uint64_t *buf;
static int fd;

static void
memory(size_t nbytes)
{
	fd = memfd_create("kcov", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd == -1 || ftruncate(fd, (off_t)nbytes) != 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
		err(1, "memory");
	buf = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (buf == MAP_FAILED)
		err(1, "mmap");
}

static void
call_nothing(int n)
{
	while (n-- > 0)
		__sanitizer_cov_trace_gep((uintptr_t)n);
}

static void
call_pc(int n)
{
	while (n-- > 0)
		__sanitizer_cov_trace_pc();
}

static void
call_cmp(int n)
{
	while (n-- > 0)
		__sanitizer_cov_trace_const_cmp4(77, (uint32_t)n);
}

/* mode 0: not traced; room is 0: the buffer is full. */
static void
measure(const char *row, void (*call)(int), int mode, int room)
{
	double ns[CALLBACK_ROUNDS];
	int rounds = bench_rounds(CALLBACK_ROUNDS, 2), handle = -1, i, j;

	if (mode != 0 && (handle = dtkcov_begin(fd, KCOV_BUF_MAX, mode)) == -1)
		err(1, "dtkcov_begin");
	for (i = 0; i < rounds; i++) {
		int64_t start = bench_cputime(0);

		for (j = 0; j < CALLBACK_CALLS; j += CALLBACK_RECORDS) {
			buf[0] = room ? 0 : KCOV_BUF_MAX;
			call(CALLBACK_RECORDS);
		}
		ns[i] = (double)(bench_cputime(0) - start) / CALLBACK_CALLS;
	}
	if (mode != 0)
		dtkcov_end(handle);
	bench_row(row, ns, rounds);
}

int
main(int argc, char *argv[])
{
	bench_init(argc, argv);
	bench_pin(bench_ncpu() - 1);
	memory(KCOV_BUF_MAX * KCOV_ENTRY_SIZE);
	measure("callback", call_nothing, 0, 1);
	measure("callback-pc-off", call_pc, 0, 1);
	measure("callback-cmp-off", call_cmp, 0, 1);
	measure("callback-pc", call_pc, KCOV_MODE_TRACE_PC, 1);
	measure("callback-cmp", call_cmp, KCOV_MODE_TRACE_CMP, 1);
	measure("callback-pc-full", call_pc, KCOV_MODE_TRACE_PC, 0);
	measure("callback-pc-other", call_cmp, KCOV_MODE_TRACE_PC, 1);
	return 0;
}
