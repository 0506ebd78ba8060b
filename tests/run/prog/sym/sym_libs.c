/* SPDX-License-Identifier: ISC */
/*
 * sym_libs [MSECS]
 *
 * Libraries that are opened, call the program and are closed, in turn.  Their
 * functions have frames of different sizes and may be at the same address.
 * Built with LIB, it is one of the libraries; SIZE is its frame's.
 */
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

#ifdef LIB

void lib_work(void (*)(void));

__attribute__((noinline)) static void
PASTE(LIB, _frame)(void (*fn)(void))
{
	volatile char p[SIZE];

	p[0] = p[SIZE - 1] = 1;
	fn();
	p[0] = p[SIZE - 1];
}

void
lib_work(void (*fn)(void))
{
	PASTE(LIB, _frame)(fn);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

#else

#include <dlfcn.h>
#include <err.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/sym/spin.h"

#define TURNS 8

SPIN(small)
SPIN(large)

static long turn_end;

static APART void
small_turn(void)
{
	while (msecs_now() < turn_end)
		small_spin();
}

static APART void
large_turn(void)
{
	while (msecs_now() < turn_end)
		large_spin();
}

/* Has a library call fn; returns where it was. */
static APART uintptr_t
turn(const char *lib, void (*fn)(void))
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	struct link_map *lm;
	void (*work)(void (*)(void));
	uintptr_t base;
	void *dl;

	path[n > 0 ? n : 0] = '\0';
	strcpy(strrchr(path, '/') + 1, lib);
	if ((dl = dlopen(path, RTLD_NOW)) == NULL)
		errx(1, "%s", dlerror());
	*(void **)&work = dlsym(dl, "lib_work");
	if (work == NULL || dlinfo(dl, RTLD_DI_LINKMAP, &lm) != 0)
		errx(1, "%s", dlerror());
	base = lm->l_addr;
	work(fn);
	dlclose(dl);
	return base;
}

int
main(int argc, char **argv)
{
	long msecs = argc > 1 ? atoi(argv[1]) : 100;
	uintptr_t at, base = 0;
	int i, nsame = 0;

	fprintf(stderr,
	    "stack small_spin .*;main;turn;lib_work;small_frame;small_turn\n"
	    "stack large_spin .*;main;turn;lib_work;large_frame;large_turn\n");
	for (i = 0; i < TURNS; i++) {
		turn_end = msecs_now() + msecs;
		at = i % 2 ? turn("libsym_large.so", large_turn)
			   : turn("libsym_small.so", small_turn);
		nsame += at == base;
		base = at;
	}
	fprintf(stderr, "same %d\n", nsame);
	return 0;
}

#endif
