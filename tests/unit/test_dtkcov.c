/* SPDX-License-Identifier: ISC */
/*
 * libdtkcov.a: threads that start and stop recording, forks, stale handles.
 * The compilers' callbacks are called directly here; instrumented programs are
 * in tests/run/kcov_user.t.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "dtkcov/thread_slot.h"

#define NENTRIES 1024
#define PC	 KCOV_MODE_TRACE_PC
#define CMP	 KCOV_MODE_TRACE_CMP

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_cmp8(uint64_t, uint64_t);
void __sanitizer_cov_trace_switch(uint64_t, void *);

static uint64_t *buf;
static int fd;

static int
setup(void **state)
{
	(void)state;
	fd = memfd_create("kcov", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(fd != -1);
	assert_int_equal(ftruncate(fd, NENTRIES * KCOV_ENTRY_SIZE), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	buf = mmap(NULL, NENTRIES * KCOV_ENTRY_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	assert_ptr_not_equal(buf, MAP_FAILED);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	munmap(buf, NENTRIES * KCOV_ENTRY_SIZE);
	close(fd);
	return 0;
}

/* Returns the number of records that a callback adds. */
static uint64_t
added(void)
{
	uint64_t before = buf[0];

	__sanitizer_cov_trace_pc();
	return buf[0] - before;
}

static void
begins_and_ends(void **state)
{
	int h;

	(void)state;
	assert_int_equal(added(), 0);
	assert_true((h = dtkcov_begin(fd, NENTRIES, PC)) >= 0);
	assert_int_equal(added(), 1);
	__sanitizer_cov_trace_cmp8(1, 2); /* of the other mode */
	assert_int_equal(buf[0], 1);
	assert_int_equal(dtkcov_begin(fd, NENTRIES, PC), -1);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(added(), 1);
	dtkcov_end(h);
	assert_int_equal(added(), 0);
	dtkcov_end(h);
	assert_true((h = dtkcov_begin(fd, NENTRIES, CMP)) >= 0);
	assert_int_equal(added(), 0);
	__sanitizer_cov_trace_cmp8(3, 4);
	assert_int_equal(buf[0], 3);
	assert_int_equal(buf[9], KCOV_CMP_SIZE(3));
	assert_int_equal(buf[10], 3);
	assert_int_equal(buf[11], 4);
	assert_int_not_equal(buf[12], 0);
	dtkcov_end(h);
}

static void
refuses(void **state)
{
	static const struct {
		size_t nentries;
		int mode;
	} bad[] = { { 0, PC }, { KCOV_BUF_MAX + 1, PC }, { SIZE_MAX, PC },
		{ SIZE_MAX / 8 + 2, PC }, { NENTRIES, 0 }, { NENTRIES, 3 },
		{ NENTRIES, PC | KCOV_MODE_USER }, { NENTRIES, -1 },
		{ NENTRIES + 1, PC } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(dtkcov_begin(fd, bad[i].nentries, bad[i].mode),
		    -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(dtkcov_begin(-1, NENTRIES, PC), -1);
	assert_int_equal(added(), 0);
	dtkcov_end(-1);
	dtkcov_end(0);
	dtkcov_end(INT32_MAX);
}

static void
switches_of_odd_widths_are_none(void **state)
{
	static const uint64_t widths[] = { 0, 1, 7, 24, 65, 128, UINT64_MAX };
	uint64_t cases[] = { 2, 0, 5, 6 };
	size_t i;
	int h;

	(void)state;
	assert_true((h = dtkcov_begin(fd, NENTRIES, CMP)) >= 0);
	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		cases[1] = widths[i];
		__sanitizer_cov_trace_switch(7, cases);
	}
	assert_int_equal(buf[0], 0);
	cases[1] = 16;
	__sanitizer_cov_trace_switch(7, cases);
	assert_int_equal(buf[0], 2);
	assert_int_equal(buf[1], KCOV_CMP_SIZE(1) | KCOV_CMP_CONST);
	assert_int_equal(buf[6], 6);
	assert_int_equal(buf[7], 7);
	dtkcov_end(h);
}

/* A thread that carries out commands, and reports the records of a callback. */
struct thread {
	pthread_t th_thread;
	sem_t th_go, th_done;
	int th_handle;
	uint64_t th_added;
};

static void *
thread_main(void *arg)
{
	struct thread *th = arg;

	th->th_handle = dtkcov_begin(fd, NENTRIES, PC);
	th->th_added = added();
	sem_post(&th->th_done);
	while (sem_wait(&th->th_go) != 0)
		continue;
	th->th_added = added();
	return NULL;
}

static void
thread_start(struct thread *th)
{
	sem_init(&th->th_go, 0, 0);
	sem_init(&th->th_done, 0, 0);
	assert_int_equal(pthread_create(&th->th_thread, NULL, thread_main, th),
	    0);
	while (sem_wait(&th->th_done) != 0)
		continue;
}

static void
thread_end(struct thread *th)
{
	sem_post(&th->th_go);
	pthread_join(th->th_thread, NULL);
}

static void
another_thread_ends_it(void **state)
{
	struct thread th;
	int h;

	(void)state;
	thread_start(&th);
	assert_int_equal(th.th_added, 1);
	assert_int_equal(added(), 0); /* of this thread */
	dtkcov_end(th.th_handle);
	thread_end(&th);
	assert_int_equal(th.th_added, 0);

	/* its number is stale, and its slot another thread's */
	assert_true((h = dtkcov_begin(fd, NENTRIES, PC)) >= 0);
	assert_int_not_equal(h, th.th_handle);
	dtkcov_end(th.th_handle);
	assert_int_equal(added(), 1);
	dtkcov_end(h);
}

/* More threads, one after the other, than can record at a time. */
static void
a_threads_end_gives_its_place_back(void **state)
{
	struct thread th;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		buf[0] = 0;
		thread_start(&th);
		assert_true(th.th_handle >= 0);
		thread_end(&th);
		assert_int_equal(th.th_added, 1);
	}
}

static atomic_uint spoiled;

#define SPOIL_ROUNDS 200000

/* Writes invalid values into the count. */
static void *
spoil(void *arg)
{
	static const uint64_t bad[] = { UINT64_MAX, UINT64_MAX / 4, 1ULL << 62,
		1ULL << 61, NENTRIES, NENTRIES - 1, (NENTRIES - 1) / 4, 0,
		UINT32_MAX, 1ULL << 63 };
	_Atomic uint64_t *count = (_Atomic uint64_t *)buf;
	unsigned int i;

	(void)arg;
	for (i = 0; i < SPOIL_ROUNDS; i++) {
		atomic_store(count, bad[i % (sizeof(bad) / sizeof(bad[0]))]);
		atomic_store(&spoiled, i + 1);
	}
	return NULL;
}

/* Memory outside of the buffer is not accessed: most of it is unmapped. */
static void
the_count_is_anybodys(void **state)
{
	pthread_t thread;
	int h;

	(void)state;
	atomic_store(&spoiled, 0);
	assert_true((h = dtkcov_begin(fd, NENTRIES, CMP)) >= 0);
	assert_int_equal(pthread_create(&thread, NULL, spoil, NULL), 0);
	while (atomic_load(&spoiled) < SPOIL_ROUNDS)
		__sanitizer_cov_trace_cmp8(1, 2);
	pthread_join(thread, NULL);
	dtkcov_end(h);
}

/* Not under the emulator of the arm64 tests, which has no MADV_WIPEONFORK. */
static void
a_child_has_nothing(void **state)
{
	struct thread th;
	int h, status = -1;
	pid_t pid;

	(void)state;
	if (getenv("UNIT_RUN") != NULL)
		skip();
	assert_true((h = dtkcov_begin(fd, NENTRIES, PC)) >= 0);
	if ((pid = fork()) == 0) {
		if (added() != 0)
			_exit(1);
		thread_start(&th); /* has the parent's slot */
		if (th.th_added != 1 || added() != 0)
			_exit(2);
		dtkcov_end(h);
		thread_end(&th);
		if (th.th_added != 1)
			_exit(3);
		if (dtkcov_begin(fd, NENTRIES, PC) < 0 || added() != 1)
			_exit(4);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(added(), 1);
	dtkcov_end(h);
}

int
main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(begins_and_ends),
		TEST(refuses),
		TEST(switches_of_odd_widths_are_none),
		TEST(another_thread_ends_it),
		TEST(a_threads_end_gives_its_place_back),
		TEST(the_count_is_anybodys),
		TEST(a_child_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
