/* SPDX-License-Identifier: ISC */
/*
 * sym_jit [MSECS [KIND]]
 *
 * Writes machine code for three functions that call each other, and lists them
 * in /tmp/perf-PID.map, which it prints and does not remove, like other
 * programs.  KIND "link": the path is a symbolic link to the map, which must
 * not be followed; "other": the map belongs to another user (as root only);
 * "python": the symbols are in the format of Python 3.12 (-X perf).
 * Prints the stack for frames_check.
 */
#include <err.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/run/prog/sym/burn.h"

/*
 * push %rbp; mov %rsp,%rbp; mov $n,%ecx; 1: dec %ecx; jne 1b;
 * mov $CLOCK_THREAD_CPUTIME_ID,%edi; movabs $ts,%rsi;
 * mov $SYS_clock_gettime,%eax; syscall; movabs $fn,%rax; test %rax,%rax; je 2f; call *%rax; 2: nop; pop %rbp; ret
 */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb9, 0, 0, 0, 0,
	0xff, 0xc9, 0x75, 0xfc, 0xbf, CLOCK_THREAD_CPUTIME_ID, 0, 0, 0, 0x48,
	0xbe, 0, 0, 0, 0, 0, 0, 0, 0, 0xb8, SYS_clock_gettime, 0, 0, 0, 0x0f,
	0x05, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x85, 0xc0, 0x74, 0x02,
	0xff, 0xd0, 0x90, 0x5d, 0xc3 };

#define CODE_ROUNDS 5
#define CODE_CLOCK  20
#define CODE_CALLEE 37
#define CODE_ROOM   64

static struct burn_times jit_times;

/* CPU time of the thread at the end of each function's loop. */
static struct timespec jit_leaf_end, jit_middle_end, jit_top_end;
static void (*jit_top)(void);

static void
emit(unsigned char *at, uint32_t units, const struct timespec *end,
    const unsigned char *fn)
{
	uint64_t clock = (uintptr_t)end, callee = (uintptr_t)fn;
	uint32_t rounds = units * 4000;

	memcpy(at, code, sizeof(code));
	memcpy(at + CODE_ROUNDS, &rounds, sizeof(rounds));
	memcpy(at + CODE_CLOCK, &clock, sizeof(clock));
	memcpy(at + CODE_CALLEE, &callee, sizeof(callee));
}

static void
tell_map(const unsigned char *jit, const char *kind)
{
	static const char *const names[] = { "jit_leaf", "jit_middle",
		"jit_top" };
	char map_path[64], real_path[64];
	int ispython = strcmp(kind, "python") == 0;
	const char *path = map_path;
	FILE *f;
	int i;

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	snprintf(real_path, sizeof(real_path), "/tmp/sym_jit.%d",
	    (int)getpid());
	if (strcmp(kind, "link") == 0) {
		path = real_path;
		if (symlink(real_path, map_path) == -1)
			err(1, "%s", map_path);
	}
	if ((f = fopen(path, "we")) == NULL)
		err(1, "%s", path);
	for (i = 0; i < 3; i++)
		fprintf(f, "%lx %x %s%s%s\n",
		    (unsigned long)(uintptr_t)(jit + i * CODE_ROOM), CODE_ROOM,
		    ispython ? "py::" : "", names[i],
		    ispython ? ":/srv/my app.py" : "");
	if (strcmp(kind, "other") == 0 && fchown(fileno(f), 65534, 65534) == -1)
		err(1, "%s", path);
	fclose(f);
	fprintf(stderr, "map %s\n", map_path);
	if (path == real_path)
		fprintf(stderr, "map %s\n", real_path);
}

/* Adds the CPU time from the last mark to *ts. */
static void
jit_mark(uint64_t *nsecs, const volatile struct timespec *ts)
{
	uint64_t now = ts->tv_sec * UINT64_C(1000000000) + ts->tv_nsec;

	*nsecs += now - burn_clock;
	burn_clock = now;
}

/*
 * The code does the same each time.  A different number of rounds before it
 * makes the ticks of a steady clock fall at random positions.
 */
static void
run_code(void)
{
	burn_spin(20);
	burn_mark(&burn_outside);
	jit_top();
	jit_mark(&jit_times.bt_top, &jit_top_end);
	jit_mark(&jit_times.bt_middle, &jit_middle_end);
	jit_mark(&jit_times.bt_leaf, &jit_leaf_end);
}

int
main(int argc, char **argv)
{
	unsigned char *jit = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (jit == MAP_FAILED)
		err(1, "mmap");
	emit(jit, 70, &jit_leaf_end, NULL);
	emit(jit + CODE_ROOM, 20, &jit_middle_end, jit);
	emit(jit + 2 * CODE_ROOM, 10, &jit_top_end, jit + CODE_ROOM);
	if (mprotect(jit, 4096, PROT_READ | PROT_EXEC) == -1)
		err(1, "mprotect");
	fprintf(stderr, "stack jit_leaf .*;main;.*jit_top;jit_middle\n");
	tell_map(jit, argc > 2 ? argv[2] : "");
	*(void **)&jit_top = jit + 2 * CODE_ROOM;
	burn_for(run_code, burn_arg(argc, argv));
	BURN_TELL(jit);
	return 0;
}
