/* SPDX-License-Identifier: ISC */
/*
 * Copies of stacks (bpf/unwind_copy.bpf.h): the parts of stacks that they have, and
 * the frames that are found in them.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <dt/evt.h>

#if defined(__x86_64__)

#include "tests/unit/unwind_walk.h"

/* Has an array, of which it uses nothing, or all. */
__attribute__((noinline)) static int
with_array(struct stacks *st, size_t n, int isfilled)
{
	volatile char *p = alloca(n);

	if (isfilled)
		memset((char *)p, 1, n);
	p[0] = 1;
	recurse(st, 3);
	return p[0];
}

/*
 * A copy ends where the stack does: at the thread's descriptor, the top of the
 * alternate stack, and the arguments of the program.
 */

#define AT_SP 19 /* in the kernel's struct pt_regs */

static uintptr_t copy_ends;

static void *
copy_thread(void *arg)
{
	(void)arg;
	copy_ends = (uintptr_t)pthread_self();
	here();
	return NULL;
}

static void
copy_alternate(int sig)
{
	stack_t ss;

	(void)sig;
	assert_return_code(sigaltstack(NULL, &ss), errno);
	copy_ends = (uintptr_t)ss.ss_sp + ss.ss_size;
	here();
}

/* Takes the last of n copies. */
static void
copy_fits(int n)
{
	assert_int_equal(copies(), n);
	assert_in_range(copy->ucp_parts[0].upt_until, copy->ucp_regs[AT_SP],
	    copy_ends + UNWIND_COPY_WINDOW - 1);
}

static void
copy_by_signal(void)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = copy_alternate,
		.sa_flags = SA_ONSTACK };

	assert_return_code(sigaltstack(&ss, NULL), errno);
	assert_return_code(sigaction(SIGUSR1, &sa, NULL), errno);
	raise(SIGUSR1);
}

/*
 * A stack has pages without memory.  One that is larger than a copy is cut, and
 * so are the frames.
 */
static void
test_large(void **state)
{
	struct stacks st;

	(void)state;
	need_bpf();
	with_array(&st, 30000, 0);
	stacks_same(&st, DT_STACK_ENDED);
	with_array(&st, 40000, 1);
	stacks_same(&st, DT_STACK_ENDED);
	with_array(&st, 100000, 1);
	assert_int_equal(st.st_head.drs_end, DT_STACK_ENDED);
	assert_true(copy_issame(&st));
	assert_int_equal(st.st_copy.cwk_walk.uw_end, DT_STACK_LIMIT);
	assert_in_range(st.st_copy.cwk_walk.uw_count, 5,
	    st.st_head.drs_count - 1);
}

static unsigned long long
copy_stack(void)
{
	return copy->ucp_parts[0].upt_until - copy->ucp_parts[0].upt_from;
}

static void
copy_complete(void)
{
	struct copy_walk cwk;

	copy_walk(&cwk, copy, maps, nmaps);
	assert_int_equal(cwk.cwk_walk.uw_end, DT_STACK_ENDED);
}

static void
test_copies(void **state)
{
	pthread_t thread;

	(void)state;
	need_bpf();
	copies();
	copy_by_signal();
	copy_fits(1);
	assert_int_equal(pthread_create(&thread, NULL, copy_thread, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	copy_fits(1);
	copy_complete();
	copy_ends = (uintptr_t)environ;
	here();
	copy_fits(1);
	copy_complete();
}

/* The ring has space for more copies if the stacks are small. */
static void
test_ring(void **state)
{
	unsigned int n;

	(void)state;
	need_bpf();
	copies();
	skel->bss->walk_times = 2000;
	here();
	skel->bss->walk_times = 1;
	n = copies();
	printf("%u copies of %llu bytes fill the ring, each takes %llu ns\n", n,
	    copy_stack(), skel->bss->walk_nsecs[2]);
	assert_in_range(n, 100, 2000);
}

#else

static void
test_copies(void **state)
{
	(void)state;
	skip(); /* as in test_unwind_walk.c */
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
#if defined(__x86_64__)
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_ring),
	};

	(void)elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, setup, NULL);
#else
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
