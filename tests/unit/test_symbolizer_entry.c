/* SPDX-License-Identifier: ISC */
/*
 * Locations of arguments, checked with a running program: symfiles/probes is stopped at
 * the entry of each function, and its registers and memory have the values that
 * main() passes.
 */
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "daemon/sym/file_probes.h"

#include "tests/unit/test_symbolizer.h"

#ifdef __x86_64__

#define MAXARGS 10

/* Values of the arguments; of a struct the first 8 bytes. */
static const struct {
	const char *fn_name;
	struct {
		int va_index;
		int64_t va_value;
	} fn_values[MAXARGS];
	int fn_n;
} functions[] = {
	{ "ints",
	    { { 0, -1 }, { 1, 2 }, { 3, 4 }, { 4, 5 }, { 5, -6 }, { 6, 7 },
		{ 7, -8 } },
	    7 },
	{ "structs",
	    { { 0, 11 | 12LL << 32 }, { 1, 13 }, { 2, 15 }, { 3, 18 } }, 4 },
	{ "hidden", { { 1, 21 }, { 4, -22 } }, 2 },
	{ "full",
	    { { 0, 31 }, { 1, 32 }, { 2, 33 }, { 3, 34 }, { 4, 35 }, { 5, 36 },
		{ 6, 38 }, { 7, 39 }, { 8, 40 } },
	    9 },
	{ "others", { { 1, 1 }, { 2, 0 }, { 6, 53 } }, 3 },
	{ "thing::get", { { 1, 62 }, { 2, 63 } }, 2 },
};

#define NFUNCTIONS (sizeof(functions) / sizeof(*functions))

/* A function with a breakpoint, and what is known of its arguments. */
static struct stop {
	uint64_t st_addr;
	long st_code; /* before the breakpoint */
	struct file_probes st_args;
	int st_ishit;
} stops[NFUNCTIONS];

static struct file_probes
ask(struct probe_query pq, const char *name)
{
	struct mapped_file mf = file_open("probes");
	struct file_probes fip;

	pq.pq_max = 1;
	symbolizer_begin(60000, getuid());
	assert_int_equal(file_probes_get(&mf, &pq, name, &fip), 0);
	assert_int_equal(fip.fip_nsites, 1);
	file_close(&mf);
	return fip;
}

static pid_t
start(void)
{
	const char *path = path_of("probes");
	pid_t pid = fork();
	int status;

	assert_int_not_equal(pid, -1);
	if (pid == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		(void)execl(path, path, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	(void)ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);
	return pid;
}

/* Returns where a process has mapped an offset of the program's code. */
static uint64_t
address_of(pid_t pid, uint64_t off)
{
	unsigned long from, to, at;
	char path[64], line[4200], perms[8];
	uint64_t addr = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%lx-%lx %7s %lx", &from, &to, perms, &at) ==
			4 &&
		    strchr(perms, 'x') != NULL &&
		    strstr(line, "symfiles/probes") != NULL && off >= at &&
		    off - at < to - from)
			addr = from + off - at;
	assert_int_equal(fclose(f), 0);
	assert_int_not_equal(addr, 0);
	return addr;
}

static void
set_stop(pid_t pid, struct stop *st, const char *name)
{
	struct probe_query pq = { .pq_kind = PROBE_QUERY_SIGNATURES };

	st->st_args = ask(pq, name);
	st->st_addr = address_of(pid, st->st_args.fip_sites[0].psi_off);
	errno = 0;
	st->st_code = ptrace(PTRACE_PEEKTEXT, pid, st->st_addr, NULL);
	assert_int_equal(errno, 0);
	assert_int_equal(ptrace(PTRACE_POKETEXT, pid, st->st_addr,
			     (st->st_code & ~0xffL) | 0xcc),
	    0);
}

static int64_t
peek(pid_t pid, uint64_t addr)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, pid, addr, NULL);
	assert_int_equal(errno, 0);
	return word;
}

/* Reads an argument as a provider's program would. */
static int64_t
value_of(pid_t pid, const struct probe_arg *pa, const uint64_t *regs)
{
	uint64_t value = pa->pra_value;
	unsigned int shift = pa->pra_size < 8 ? 64 - 8 * pa->pra_size : 0;

	if (pa->pra_place == PROBE_PLACE_REG)
		value = regs[pa->pra_base] >> pa->pra_shift;
	else {
		assert_int_equal(pa->pra_place, PROBE_PLACE_MEM);
		value = peek(pid, regs[pa->pra_base] + pa->pra_value);
	}
	if (pa->pra_flags & PROBE_ARG_BYREF) {
		value = peek(pid, value);
	}
	return pa->pra_flags & PROBE_ARG_SIGNED
	    ? (int64_t)(value << shift) >> shift
	    : (int64_t)(value << shift >> shift);
}

static void
check_values(pid_t pid, unsigned int i, const uint64_t *regs)
{
	const struct probe_arg *pa = stops[i].st_args.fip_args;
	int64_t value;
	int j, at;

	for (j = 0; j < functions[i].fn_n; j++) {
		at = functions[i].fn_values[j].va_index;
		assert_true(at < (int)stops[i].st_args.fip_nargs);
		value = value_of(pid, &pa[at], regs);
		if (value != functions[i].fn_values[j].va_value)
			fail_msg("%s, argument %d: %jd", functions[i].fn_name,
			    at, (intmax_t)value);
	}
}

/* The process is at a breakpoint: checks its arguments, and removes it. */
static void
at_stop(pid_t pid)
{
	struct user_regs_struct regs;
	uint64_t words[sizeof(regs) / sizeof(uint64_t)];
	unsigned int i;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	regs.rip--;
	memcpy(words, &regs, sizeof(regs));
	for (i = 0; i < NFUNCTIONS; i++)
		if (stops[i].st_addr == regs.rip)
			break;
	assert_true(i < NFUNCTIONS);
	check_values(pid, i, words);
	stops[i].st_ishit = 1;
	assert_int_equal(ptrace(PTRACE_POKETEXT, pid, regs.rip,
			     stops[i].st_code),
	    0);
	assert_int_equal(ptrace(PTRACE_SETREGS, pid, NULL, &regs), 0);
}

static void
test_entry(void **state)
{
	pid_t pid = start();
	unsigned int i;
	int status;

	(void)state;
	for (i = 0; i < NFUNCTIONS; i++)
		set_stop(pid, &stops[i], functions[i].fn_name);
	for (;;) {
		assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status))
			break;
		assert_true(WIFSTOPPED(status));
		assert_int_equal(WSTOPSIG(status), SIGTRAP);
		at_stop(pid);
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	for (i = 0; i < NFUNCTIONS; i++) {
		assert_int_equal(stops[i].st_ishit, 1);
		file_probes_free(&stops[i].st_args);
	}
}

#else

static void
test_entry(void **state)
{
	(void)state;
	skip();
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry),
	};

	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
