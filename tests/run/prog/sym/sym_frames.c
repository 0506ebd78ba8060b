/* SPDX-License-Identifier: ISC */
/*
 * sym_frames [MSECS]
 *
 * Runs scenes, each for MSECS of CPU time.  The functions of a scene have the
 * scene's name as prefix; the last one, NAME_spin, has a known stack.  It is
 * built with frame pointers, and in several ways without.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

#define DEPTH 60 /* of the recursion */

static volatile unsigned int sink;
static long scene_end; /* of CPU time, ms */

static long
msecs_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int
is_over(void)
{
	return msecs_now() >= scene_end;
}

/*
 * A function without calls, so its frame may have nothing but its return.  The
 * name in its code keeps the compiler from merging it with another one.
 */
#define SPIN(scene) \
	static APART void scene##_spin(void) \
	{ \
		unsigned int i, x = 1; \
\
		for (i = 0; i < 200000; i++) { \
			x *= 7; \
			__asm__ volatile("# " #scene : "+r"(x)); \
		} \
		sink = x; \
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
	pid_t pid = fork();

	if (pid == 0)
		fork_child(scene_end - msecs_now());
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	static void (*const scenes[])(void) = { plain_scene, deep_scene,
		sort_scene, signal_scene, altstack_scene, alloca_scene,
		aligned_scene, thread_scene, fork_scene };
	long msecs = argc > 1 ? atoi(argv[1]) : 100;
	size_t i;

	scene_end = msecs_now() + msecs;
	warm_scene();
	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		scene_end = msecs_now() + msecs;
		scenes[i]();
		sink++; /* no tail call */
	}
	return 0;
}
