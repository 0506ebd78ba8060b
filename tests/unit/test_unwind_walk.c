/* SPDX-License-Identifier: ISC */
/*
 * The walk of user stacks in BPF (bpf/unwind.bpf.h).  This program builds
 * the tables of its own files, and has its own stack walked at a system call.  The
 * frames must be those that libgcc finds.
 */
#include <alloca.h>
#include <errno.h>
#include <pthread.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include <dt/evt.h>

#if defined(__x86_64__)

#include "tests/unit/unwind_walk.h"

/*
 * Tests
 */

static void
test_recursion(void **state)
{
	static const int depths[] = { 0, 1, 30, 100, 200 };
	struct stacks st;
	size_t i;

	(void)state;
	need_bpf();
	for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		recurse(&st, depths[i]);
		stacks_same(&st,
		    depths[i] > 120 ? DT_STACK_LIMIT : DT_STACK_ENDED);
		assert_int_equal(st.st_copy.cwk_walk.uw_end,
		    st.st_head.drs_end);
	}
}

/* alloca() makes compilers use a frame pointer. */
__attribute__((noinline)) static int
recurse_fp(struct stacks *st, int n)
{
	volatile char *room = alloca(n + 1);

	room[n] = 0;
	if (n == 0)
		stacks_take(st);
	else if (recurse_fp(st, n - 1) != n - 1)
		return -1;
	return n;
}

/* Functions whose frames need other rules. */

static struct stacks *now_st;

static int
callback(const void *a, const void *b)
{
	if (now_st->st_ngcc == 0)
		stacks_take(now_st);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int
by_qsort(struct stacks *st)
{
	int v[] = { 3, 1, 2 };

	now_st = st;
	st->st_ngcc = 0;
	qsort(v, 3, sizeof(v[0]), callback);
	return v[0];
}

__attribute__((noinline)) static int
by_alloca(struct stacks *st, int n)
{
	volatile char *p = alloca(n);

	p[0] = n;
	recurse(st, 3);
	return p[0];
}

/* The stack is aligned: its CFA is the word at an address. */
__attribute__((noinline)) static int
by_aligned(struct stacks *st, int n)
{
	_Alignas(128) volatile char big[256];
	volatile char *p = alloca(n);

	big[n] = p[0] = n;
	by_alloca(st, n);
	return big[n] + p[0];
}

#if defined(__x86_64__)
/*
 * The stack pointer as of the entry is in a register, then in memory at an
 * aligned address, as in libcrypto: CFA = *(rsp + 40) + 8.
 */
void by_saved(struct stacks *, void (*)(struct stacks *));
__asm__(".text\n"
	"by_saved:\n"
	".cfi_startproc\n"
	"mov %rsp, %rax\n"
	".cfi_def_cfa rax, 8\n"
	"push %rbp\n"
	".cfi_offset rbp, -16\n"
	"sub $300, %rsp\n"
	"and $-64, %rsp\n"
	"mov %rax, 40(%rsp)\n"
	".cfi_escape 0xf, 5, 0x77, 40, 0x6, 0x23, 8\n"
	"mov $1, %ebp\n"
	"call *%rsi\n"
	"mov 40(%rsp), %rsi\n"
	".cfi_def_cfa rsi, 8\n"
	"mov -8(%rsi), %rbp\n"
	".cfi_restore rbp\n"
	"lea (%rsi), %rsp\n"
	".cfi_def_cfa rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size by_saved, . - by_saved\n");
#else
static void
by_saved(struct stacks *st, void (*fn)(struct stacks *))
{
	fn(st);
}
#endif

__attribute__((noinline)) static void
take_saved(struct stacks *st)
{
	by_alloca(st, 100);
	stacks_take(st);
}

static jmp_buf back;

__attribute__((noinline, noreturn)) static void
take_and_leave(struct stacks *st)
{
	stacks_take(st);
	longjmp(back, 1);
}

/* Ends with a call: its return address is in no function, or another one. */
__attribute__((noinline)) static void
by_noreturn(struct stacks *st)
{
	volatile char p[100];

	p[0] = st->st_ngcc;
	(void)p[0];
	take_and_leave(st);
}

static void
on_signal(int sig)
{
	(void)sig;
	by_alloca(now_st, 50);
}

__attribute__((noinline)) static int
by_signal(struct stacks *st, int flags)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };

	now_st = st;
	assert_return_code(sigaltstack(&ss, NULL), errno);
	assert_return_code(sigaction(SIGUSR1, &sa, NULL), errno);
	return raise(SIGUSR1) + 1;
}

static void
test_frames(void **state)
{
	struct stacks st;

	(void)state;
	need_bpf();
	by_qsort(&st);
	stacks_same(&st, DT_STACK_ENDED);
	by_alloca(&st, 100);
	stacks_same(&st, DT_STACK_ENDED);
	by_aligned(&st, 100);
	stacks_same(&st, DT_STACK_ENDED);
	recurse_fp(&st, 10);
	stacks_same(&st, DT_STACK_ENDED);
	by_saved(&st, take_saved);
	stacks_same(&st, DT_STACK_ENDED);
	if (setjmp(back) == 0)
		by_noreturn(&st);
	stacks_same(&st, DT_STACK_ENDED);
	by_signal(&st, 0);
	stacks_same(&st, DT_STACK_ENDED);
	by_signal(&st, SA_ONSTACK);
	stacks_same(&st, DT_STACK_ENDED);
}

/*
 * A stack of makecontext(3).  Its first frame returns to a function's beginning,
 * so that no call precedes the return address.
 */
static ucontext_t context_main, context_other;

static void
in_context(void)
{
	by_alloca(now_st, 50);
}

static void
test_context(void **state)
{
	static char stack[65536];
	struct stacks st;

	(void)state;
	need_bpf();
	now_st = &st;
	assert_return_code(getcontext(&context_other), errno);
	context_other.uc_stack.ss_sp = stack;
	context_other.uc_stack.ss_size = sizeof(stack);
	context_other.uc_link = &context_main;
	makecontext(&context_other, in_context, 0);
	assert_return_code(swapcontext(&context_main, &context_other), errno);
	stacks_same(&st, DT_STACK_ENDED);
}

static void *
in_thread(void *st)
{
	by_aligned(st, 100);
	return NULL;
}

static void
test_thread(void **state)
{
	struct stacks st;
	pthread_t thread;

	(void)state;
	need_bpf();
	assert_int_equal(pthread_create(&thread, NULL, in_thread, &st), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	stacks_same(&st, DT_STACK_ENDED);
}

/*
 * Single steps: the processor interrupts the program after each instruction,
 * and each time the stack is walked through the handler's frame.
 */

static struct steps {
	unsigned int sp_all; /* stacks */
	int sp_bad;	     /* sp_st differs */
	int sp_stop;
	struct stacks sp_st; /* the last one */
} steps;

static void
on_step(int sig, siginfo_t *si, void *arg)
{
	ucontext_t *uc = arg;

	(void)sig;
	(void)si;
	if (steps.sp_stop) {
		uc->uc_mcontext.gregs[REG_EFL] &= ~0x100;
		return;
	}
	stacks_take(&steps.sp_st);
	steps.sp_all++;
	if (stacks_compare(&steps.sp_st) == -1 ||
	    steps.sp_st.st_head.drs_end != DT_STACK_ENDED) {
		steps.sp_bad = 1;
		steps.sp_stop = 1;
	}
}

/* The trap flag is set in the registers that the handler restores. */
static void
on_steps_start(int sig, siginfo_t *si, void *arg)
{
	ucontext_t *uc = arg;

	(void)sig;
	(void)si;
	uc->uc_mcontext.gregs[REG_EFL] |= 0x100;
}

static int
compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int
descend(int n)
{
	_Alignas(64) volatile char v[64];
	volatile char *p = alloca(n + 1);

	v[n] = p[0] = n;
	return n == 0 ? 0 : v[n] + p[0] + descend(n - 1);
}

static void
step_through(void)
{
	int v[] = { 5, 3, 9, 1, 7 };
	char text[64];

	raise(SIGUSR2);
	descend(3);
	qsort(v, 5, sizeof(v[0]), compare_ints);
	snprintf(text, sizeof(text), "%s %d %g", "text", v[0], 1.5);
	free(strdup(text));
	(void)getenv("HOME");
	(void)strtoul("12", NULL, 10); /* by lazy binding, like some others */
	steps.sp_stop = 1;
}

/* AddressSanitizer adds code with frame pointers, and calls of its own. */
static void
need_plain(void)
{
	need_bpf();
#if defined(__SANITIZE_ADDRESS__)
	print_message("built with AddressSanitizer\n");
	skip();
#endif
}

static void
test_steps(void **state)
{
	struct sigaction step = { .sa_sigaction = on_step,
		.sa_flags = SA_SIGINFO };
	struct sigaction start = { .sa_sigaction = on_steps_start,
		.sa_flags = SA_SIGINFO };

	(void)state;
	need_plain();
	assert_return_code(sigaction(SIGTRAP, &step, NULL), errno);
	assert_return_code(sigaction(SIGUSR2, &start, NULL), errno);
	step_through();
	signal(SIGTRAP, SIG_IGN);
	if (steps.sp_bad) {
		stacks_print(&steps.sp_st);
		fail_msg("the stacks differ");
	}
	assert_in_range(steps.sp_all, 1000, 1000000);
}

/*
 * Ends
 */

/* The mapping of an address, and its page. */
static unsigned int
map_of(uint64_t pc)
{
	unsigned int i;

	for (i = 0; i < nmaps; i++)
		if (pc - maps[i].um_start < maps[i].um_npages * 4096ULL)
			return i;
	fail_msg("no mapping has %lx", pc);
	return 0;
}

static void
page_of(uint64_t pc, struct unwind_pagekey *uk)
{
	const struct unwind_map *um = &maps[map_of(pc)];

	uk->uk_file = um->um_file;
	uk->uk_page = (pc - um->um_start + um->um_off) >> UNWIND_PAGE_SHIFT;
}

/* Walks with a state of the first frame's page. */
static void
page_state(struct stacks *st, uint32_t state, unsigned int end, int missed)
{
	int fd = bpf_map__fd(skel->maps.unwind_pages);
	struct unwind_pagekey uk;
	struct unwind_page up;

	page_of((uintptr_t)stacks_take, &uk);
	assert_int_equal(bpf_map_lookup_elem(fd, &uk, &up), 0);
	misses();
	if (state == UINT32_MAX)
		assert_int_equal(bpf_map_delete_elem(fd, &uk), 0);
	else
		page_set(uk.uk_file, uk.uk_page, state, up.up_place);
	rules_forget();
	stacks_take(st);
	assert_int_equal(bpf_map_update_elem(fd, &uk, &up, 0), 0);
	assert_int_equal(st->st_head.drs_end, end);
	assert_int_equal(misses(), missed);
	if (missed) {
		assert_int_equal(miss.ms_what, UNWIND_MISS_PAGE);
		assert_memory_equal(&miss.ms_key, &uk, sizeof(uk));
		assert_int_equal(miss.ms_addr, st->st_walk[0]);
	}
}

static void
test_pages(void **state)
{
	struct stacks st;

	(void)state;
	need_plain();
	page_state(&st, UNWIND_READY, DT_STACK_ENDED, 0);
	page_state(&st, UINT32_MAX, DT_STACK_PENDING, 1);
	assert_int_equal(st.st_head.drs_count, 1);
	page_state(&st, UNWIND_PENDING, DT_STACK_PENDING, 0);
	page_state(&st, UNWIND_EVICTED, DT_STACK_EVICTED, 1);
	page_state(&st, UNWIND_NONE, DT_STACK_NOTABLE, 0);
}

/*
 * A rule is remembered for a second: only then, an evicted table is missed.
 */
static void
test_remembered(void **state)
{
	int fd = bpf_map__fd(skel->maps.unwind_pages);
	struct unwind_pagekey uk;
	struct unwind_page up;
	struct stacks st[3];
	unsigned int i;

	(void)state;
	need_plain();
	page_of((uintptr_t)stacks_take, &uk);
	assert_int_equal(bpf_map_lookup_elem(fd, &uk, &up), 0);
	/* a loop, so that all stacks have the same return addresses */
	for (i = 0; i < 3; i++) {
		if (i != 1)
			rules_forget();
		stacks_take(&st[i]);
		if (i == 0)
			page_set(uk.uk_file, uk.uk_page, UNWIND_EVICTED,
			    up.up_place);
	}
	assert_int_equal(bpf_map_update_elem(fd, &uk, &up, 0), 0);
	assert_int_equal(st[0].st_head.drs_end, DT_STACK_ENDED);
	/* two of the other frames may have the same place in the memory */
	assert_in_range(st[1].st_head.drs_count, 2, st[0].st_head.drs_count);
	assert_int_equal(st[2].st_head.drs_count, 1);
	assert_int_equal(st[2].st_head.drs_end, DT_STACK_EVICTED);
}

/* A block with one rule for all addresses, as the table of this code. */
static void
by_one_rule(struct stacks *st, const struct unwind_rule *un, unsigned int end)
{
	struct unwind_pagekey uk;
	int fd = bpf_map__fd(skel->maps.unwind_pages);
	struct unwind_page up;
	uint32_t place;
	struct {
		struct unwind_block block;
		struct unwind_row row;
		struct unwind_rule rule;
	} table = { .block = { 1, 1, 0, 0 }, .rule = *un };
	void *p;

	page_of((uintptr_t)stacks_take, &uk);
	assert_int_equal(bpf_map_lookup_elem(fd, &uk, &up), 0);
	place = block_make(sizeof(table), &p);
	memcpy(p, &table, sizeof(table));
	page_set(uk.uk_file, uk.uk_page, UNWIND_READY, place);
	rules_forget();
	stacks_take(st);
	assert_int_equal(bpf_map_update_elem(fd, &uk, &up, 0), 0);
	rules_forget();
	assert_int_equal(st->st_head.drs_end, end);
}

static void
test_rules(void **state)
{
	static const struct unwind_rule ends = { .un_ra = UNWIND_RA_END,
		.un_cfa = UNWIND_CFA_REG,
		.un_reg = 7 };
	static const struct unwind_rule bad = {
		.un_cfa = UNWIND_CFA_UNSUPPORTED
	};
	static const struct unwind_rule badra = { .un_cfa = UNWIND_CFA_REG,
		.un_reg = 7,
		.un_ra = UNWIND_RA_UNSUPPORTED };
	static const struct unwind_rule fault = { .un_cfa = UNWIND_CFA_REG,
		.un_reg = 7,
		.un_cfaoff = INT32_MIN };
	static const struct unwind_rule none = { .un_cfa = UNWIND_CFA_NONE };
	static const struct unwind_rule leaf = { .un_cfa = UNWIND_CFA_LEAF,
		.un_reg = 7,
		.un_ra = UNWIND_RA_END };
	struct stacks st;

	(void)state;
	need_bpf();
	by_one_rule(&st, &ends, DT_STACK_ENDED);
	assert_int_equal(st.st_head.drs_count, 1);
	by_one_rule(&st, &bad, DT_STACK_RULE);
	by_one_rule(&st, &badra, DT_STACK_RULE);
	by_one_rule(&st, &fault, DT_STACK_FAULT);
	by_one_rule(&st, &none, DT_STACK_NOTABLE);
	by_one_rule(&st, &leaf, DT_STACK_ENDED);
}

/* Without a table, frame pointers lead to code that has one. */
static void
test_pointers(void **state)
{
	uint32_t file = maps[map_of((uintptr_t)recurse_fp)].um_file;
	struct stacks st;
	unsigned int i;

	(void)state;
	need_bpf();
	maps[map_of((uintptr_t)recurse_fp)].um_file = 0;
	proc_set(UNWIND_READY);
	recurse_fp(&st, 10);
	maps[map_of((uintptr_t)recurse_fp)].um_file = file;
	proc_set(UNWIND_READY);
	/*
	 * recurse_fp() has a frame pointer.  The first frame has none, which
	 * hides its caller, and neither have the callers of the recursion.
	 */
	assert_int_equal(st.st_head.drs_end, DT_STACK_NOTABLE);
	assert_in_range(st.st_head.drs_count, 10, 14);
	for (i = 1; i < 10; i++)
		assert_int_equal(st.st_walk[i], st.st_gcc[i + 1]);
}

/* A mapping that is unknown, and a process whose mappings are being read. */
static void
test_process(void **state)
{
	unsigned int n = nmaps;
	struct stacks st;

	(void)state;
	need_bpf();
	misses();
	nmaps = 0;
	proc_set(UNWIND_READY);
	stacks_take(&st);
	nmaps = n;
	assert_int_equal(st.st_head.drs_end, DT_STACK_NOMAP);
	assert_int_equal(st.st_head.drs_count, 1);
	assert_int_equal(misses(), 1);
	assert_int_equal(miss.ms_what, UNWIND_MISS_MAP);
	assert_int_equal(miss.ms_addr, st.st_walk[0]);
	proc_set(UNWIND_PENDING);
	here();
	assert_int_equal(skel->bss->walk_result, -1);
	assert_int_equal(misses(), 0);
	proc_set(UNWIND_READY);
}

/* A child has the mappings of its parent until it executes a program. */
static void
test_fork(void **state)
{
	static char *const argv[] = { "sh", "-c", "exit 3", NULL };
	int status;
	pid_t pid;

	(void)state;
	need_bpf();
	misses();
	if ((pid = fork()) == 0) {
		struct stacks st;

		skel->bss->walk_pid = getpid();
		by_qsort(&st);
		if (stacks_compare(&st) == -1 ||
		    st.st_head.drs_end != DT_STACK_ENDED)
			_exit(1);
		skel->bss->walk_nr = SYS_exit_group;
		skel->bss->walk_result = 0;
		execve("/bin/sh", argv, NULL);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	skel->bss->walk_pid = getpid();
	skel->bss->walk_nr = HERE;
	assert_int_equal(status, 3 << 8);
	assert_int_equal(skel->bss->walk_result, -1);
	assert_int_equal(misses(), 1);
	assert_int_equal(miss.ms_what, UNWIND_MISS_PROC);
	assert_int_equal(miss.ms_pid, pid);
}

/* The registers of an interrupted program are those that a tick receives. */
static void
test_tick(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 200000,
		.exclude_kernel = 1 };
	volatile __u64 *ticks = &skel->bss->walk_ticks;
	struct bpf_link *link;
	char text[64];
	int fd;

	(void)state;
	need_bpf();
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);
	assert_return_code(fd, errno);
	link = bpf_program__attach_perf_event(skel->progs.walk_tick, fd);
	assert_non_null(link);
	while (*ticks < 300)
		snprintf(text, sizeof(text), "%g", 1.5 * (double)*ticks);
	bpf_link__destroy(link);
	assert_int_equal(skel->bss->walk_wrong, 0);
	assert_true(skel->bss->walk_result > 0);
}

/*
 * A walk by tables takes little longer than one by frame pointers: up to twice
 * as long, and six times as long where the machine is emulated.
 */
static void
test_time(void **state)
{
	static const int depths[] = { 22, 110 };
	const struct unwind_walk_bpf__bss *walk;
	struct stacks st;
	size_t i;

	(void)state;
	need_bpf();
	walk = skel->bss;
	skel->bss->walk_times = 1000;
	for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		recurse_fp(&st, depths[i]);
		printf("%u frames by tables %llu ns, "
		       "%llu by pointers %llu ns, a copy %llu ns\n",
		    st.st_head.drs_count, walk->walk_nsecs[0],
		    walk->walk_fpbytes / 8, walk->walk_nsecs[1],
		    walk->walk_nsecs[2]);
		assert_in_range(walk->walk_fpbytes / 8, depths[i],
		    st.st_head.drs_count);
		assert_in_range(walk->walk_nsecs[0], 1,
		    20 * walk->walk_nsecs[1]);
	}
	skel->bss->walk_times = 1;
}

#else

/* Where stacks are walked, this file needs its instruction for system calls. */
static void
test_recursion(void **state)
{
	(void)state;
	skip();
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_remembered),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_tick),
		cmocka_unit_test(test_time),
	};

	(void)elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, setup, NULL);
#else
		cmocka_unit_test(test_recursion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
