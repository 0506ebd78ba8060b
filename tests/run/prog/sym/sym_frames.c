/* SPDX-License-Identifier: ISC */
/*
 * sym_frames [MSECS]
 *
 * Runs scenes, each for MSECS of CPU time.  The functions of a scene have the
 * scene's name as prefix; the last one, NAME_spin, has a known stack, which is
 * printed to stderr for frames_check.  It is built with frame pointers, and in
 * several ways without.
 */
#include <alloca.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/run/prog/sym/spin.h"

#define DEPTH 100 /* of the recursion */

static long scene_end; /* of CPU time, ms */

static int
is_over(void)
{
	return msecs_now() >= scene_end;
}

SPIN(warm)
SPIN(plain)
SPIN(deep)
SPIN(sort)
SPIN(signal)
SPIN(altstack)
SPIN(alloca)
SPIN(aligned)
SPIN(thread)
SPIN(fork)
SPIN(vfork)
SPIN(clone)
SPIN(context)
SPIN(noreturn)
SPIN(inline)
SPIN(tail)

/* The first samples come before there is a table. */
static APART void
warm_scene(void)
{
	while (!is_over())
		warm_spin();
}

static APART void
plain_scene(void)
{
	while (!is_over())
		plain_spin();
}

/* A recursion through two functions. */
static APART unsigned int deep_even(unsigned int n);

static APART unsigned int
deep_odd(unsigned int n)
{
	return deep_even(n - 1) + sink;
}

static APART unsigned int
deep_even(unsigned int n)
{
	if (n == 0) {
		deep_spin();
		return sink;
	}
	return deep_odd(n - 1) * 3 + n;
}

static APART void
deep_scene(void)
{
	while (!is_over())
		sink += deep_even(DEPTH);
}

/* libc calls the program. */
static APART int
sort_compare(const void *a, const void *b)
{
	sort_spin();
	return *(const int *)a - *(const int *)b;
}

static APART void
sort_scene(void)
{
	int v[] = { 3, 1, 2 };

	while (!is_over())
		qsort(v, 3, sizeof(v[0]), sort_compare);
}

static APART void
signal_handler(int sig)
{
	(void)sig;
	signal_spin();
}

static APART void
signal_scene(void)
{
	struct sigaction sa = { .sa_handler = signal_handler };

	sigaction(SIGUSR1, &sa, NULL);
	while (!is_over())
		raise(SIGUSR1);
}

static APART void
altstack_handler(int sig)
{
	(void)sig;
	altstack_spin();
}

static APART void
altstack_scene(void)
{
	static char stack[65536];
	struct sigaction sa = { .sa_handler = altstack_handler,
		.sa_flags = SA_ONSTACK };
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	while (!is_over())
		raise(SIGUSR2);
}

/* The size of the frame is known only when it runs. */
static APART void
alloca_frame(unsigned int n)
{
	volatile char *p = alloca(n);

	p[0] = n;
	alloca_spin();
	sink += p[0];
}

static APART void
alloca_scene(void)
{
	while (!is_over())
		alloca_frame(100 + sink % 1000);
}

/* The stack pointer is aligned, so the frame is found by another register. */
static APART void
aligned_frame(unsigned int n)
{
	volatile char p[256] __attribute__((aligned(128)));
	volatile char *q = alloca(n);

	p[n % 256] = 1;
	q[0] = 1;
	aligned_spin();
	sink += p[0] + q[0];
}

static APART void
aligned_scene(void)
{
	while (!is_over())
		aligned_frame(100 + sink % 100);
}

static APART void *
thread_start(void *arg)
{
	while (!is_over())
		thread_spin();
	return arg;
}

static APART void
thread_scene(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread_start, NULL) == 0)
		pthread_join(t, NULL);
}

/* A child is usable at once, and has the stack of its parent. */
static APART void
fork_child(long msecs)
{
	scene_end = msecs_now() + msecs;
	while (!is_over())
		fork_spin();
	_exit(0);
}

static APART void
fork_scene(void)
{
	/* the child's clock begins at 0 */
	long msecs = scene_end - msecs_now();
	pid_t pid = fork();

	if (pid == 0)
		fork_child(msecs);
	waitpid(pid, NULL, 0);
}

/* A child in the memory of its parent, which waits; until _exit(2). */
static APART void
vfork_child(long msecs)
{
	scene_end = msecs_now() + msecs;
	while (!is_over())
		vfork_spin();
	_exit(0);
}

static APART void
vfork_scene(void)
{
	long msecs = scene_end - msecs_now();
	pid_t pid = vfork();

	if (pid == 0)
		vfork_child(msecs);
	waitpid(pid, NULL, 0);
}

/* Likewise on a separate stack, as posix_spawn(3) starts a child. */
static APART int
clone_child(void *msecs)
{
	scene_end = msecs_now() + *(long *)msecs;
	while (!is_over())
		clone_spin();
	return 0;
}

static APART void
clone_scene(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	long msecs = scene_end - msecs_now();
	pid_t pid = clone(clone_child, stack + sizeof(stack),
	    CLONE_VM | CLONE_VFORK | SIGCHLD, &msecs);

	waitpid(pid, NULL, 0);
}

/* A stack that main() is not on. */
static ucontext_t context_main, context_other;

static APART void
context_yield(void)
{
	context_spin();
	swapcontext(&context_other, &context_main);
}

static APART void
context_start(void)
{
	while (!is_over())
		context_yield();
}

static APART void
context_scene(void)
{
	static char stack[65536];

	getcontext(&context_other);
	context_other.uc_stack.ss_sp = stack;
	context_other.uc_stack.ss_size = sizeof(stack);
	context_other.uc_link = &context_main;
	makecontext(&context_other, context_start, 0);
	while (!is_over())
		swapcontext(&context_main, &context_other);
}

/* The call is a function's last instruction, so another's follows it. */
static jmp_buf noreturn_env;

static APART __attribute__((noreturn)) void
noreturn_end(void)
{
	noreturn_spin();
	longjmp(noreturn_env, 1);
}

static APART void
noreturn_last(unsigned int n)
{
	volatile char p[64];

	p[n % 64] = 1;
	sink += p[0];
	noreturn_end();
}

static APART void
noreturn_scene(void)
{
	while (!is_over())
		if (setjmp(noreturn_env) == 0)
			noreturn_last(sink);
}

/* An inlined function has no frame. */
static inline __attribute__((always_inline)) void
inline_middle(unsigned int n)
{
	volatile char p[64];

	p[n % 64] = 1;
	inline_spin();
	sink += p[n % 64];
}

static APART void
inline_scene(void)
{
	while (!is_over())
		inline_middle(sink);
}

#ifdef __x86_64__
/* As compilers end a function with a tail call. */
__asm__(".text\n"
	".type tail_middle, @function\n"
	"tail_middle:\n"
	".cfi_startproc\n"
	"push %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_offset %rbx, -16\n"
	"pop %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbx\n"
	"jmp tail_spin\n"
	".cfi_endproc\n"
	".size tail_middle, . - tail_middle\n");
void tail_middle(void);

static APART void
tail_scene(void)
{
	while (!is_over())
		tail_middle();
}

/* Works before its frame, in the middle of making it, and after it. */
#define EARLY_LOOP \
	"mov $60000, %ecx\n1: imul $7, %eax, %eax\ndec %ecx\njnz 1b\n"

__asm__(".text\n"
	".type early_spin, @function\n"
	"early_spin:\n"
	".cfi_startproc\n" EARLY_LOOP "push %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_offset %rbp, -16\n" EARLY_LOOP "mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"sub $400, %rsp\n"
	"leave\n"
	".cfi_def_cfa %rsp, 8\n"
	".cfi_restore %rbp\n" EARLY_LOOP "ret\n"
	".cfi_endproc\n"
	".size early_spin, . - early_spin\n");
void early_spin(void);

static APART void
early_scene(void)
{
	while (!is_over())
		early_spin();
}
#endif

/* Stacks are patterns of awk: all frames, the outermost first. */
static const struct scene {
	const char *sc_name;
	void (*sc_fn)(void);
	const char *sc_stack; /* without NAME_spin */
} scenes[] = {
	{ "plain", plain_scene, ".*;main;plain_scene" },
	{ "deep", deep_scene,
	    ".*;main;deep_scene;(deep_even;deep_odd;)*deep_even" },
	{ "sort", sort_scene, ".*;main;sort_scene;.*;sort_compare" },
	{ "signal", signal_scene, ".*;main;signal_scene;.*;signal_handler" },
	{ "altstack", altstack_scene,
	    ".*;main;altstack_scene;.*;altstack_handler" },
	{ "alloca", alloca_scene, ".*;main;alloca_scene;alloca_frame" },
	{ "aligned", aligned_scene, ".*;main;aligned_scene;aligned_frame" },
	{ "thread", thread_scene, ".*;thread_start" },
	{ "fork", fork_scene, ".*;main;fork_scene;fork_child" },
	{ "vfork", vfork_scene, ".*;main;vfork_scene;vfork_child" },
	{ "clone", clone_scene, "[^;]*clone[^;]*;clone_child" },
	/* makecontext(3) makes one frame, of a function that continues */
	{ "context", context_scene, "([^;]*;)?context_start;context_yield" },
	{ "noreturn", noreturn_scene,
	    ".*;main;noreturn_scene;noreturn_last;noreturn_end" },
	{ "inline", inline_scene, ".*;main;inline_scene" },
#ifdef __x86_64__
	{ "tail", tail_scene, ".*;main;tail_scene" },
	{ "early", early_scene, ".*;main;early_scene" },
#endif
};

int
main(int argc, char **argv)
{
	long msecs = argc > 1 ? atoi(argv[1]) : 100;
	size_t i;

	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		fprintf(stderr, "stack %s_spin %s\n", scenes[i].sc_name,
		    scenes[i].sc_stack);
	fprintf(stderr, "depth deep_odd %d\n", DEPTH / 2);
	scene_end = msecs_now() + msecs;
	warm_scene();
	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		scene_end = msecs_now() + msecs;
		scenes[i].sc_fn();
		sink++; /* no tail call */
	}
	return 0;
}
