/* SPDX-License-Identifier: ISC */
/*
 * Conditions without a kernel: an expression, its compiled form, the daemon's
 * form of that, and whether a hit passes; refusals with their position; and
 * conditions that no expression compiles to.
 */
#include <pwd.h>

#include "tests/unit/test_cli.h"

#include "tests/unit/cond_eval.h"
#include "tests/unit/probe_syscall.h"

#include "cli/cond/cond.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static struct name_cache names;

static int
setup(void **state)
{
	(void)state;
	name_cache_init(&names, NULL);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	name_cache_free(&names);
	return 0;
}

static const struct probe *
probe(const char *call, const char *name)
{
	const struct probe *pr = probe_syscall(&names, SYSCALL_ABI_64, call,
	    name);

	if (pr == NULL)
		fail_msg("%s: no such call", call);
	return pr;
}

static int
compile(const char *call, const char *name, const char *text,
    struct dt_cond *co, struct cond_error *er)
{
	static struct cond_expr ce;

	if (cond_parse(&ce, text, er) == -1)
		return -1;
	return cond_compile(&ce, probe(call, name), probe(call, "entry"), co,
	    er);
}

/* A hit; fields that a row does not set are 0. */
struct row {
	const char *call;
	const char *text;
	int passes;
	uint64_t args[6];
	int64_t retval;
	uint32_t error;
};

#define P(s) ((uint64_t)(uintptr_t)(s))
#define A64  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A63  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define UP   0xdeadbeef00000000 /* bits that registers may have above an int */

static const struct row rows[] = {
	/* numbers, and their sizes and signs */
	{ "close", "fd == 3", 1, { 3 }, 0, 0 },
	{ "close", "fd == 3", 1, { UP | 3 }, 0, 0 },
	{ "close", "fd == 3", 0, { 4 }, 0, 0 },
	{ "close", "3 == fd", 1, { 3 }, 0, 0 },
	{ "close", "fd != 3", 0, { 3 }, 0, 0 },
	{ "close", "fd == -1", 1, { 0xffffffff }, 0, 0 },
	{ "close", "fd == -1", 1, { UP | 0xffffffff }, 0, 0 },
	{ "close", "fd == 0xffffffff", 1, { -1 }, 0, 0 },
	{ "close", "fd < 0", 1, { -1 }, 0, 0 },
	{ "close", "fd < 0", 0, { 0 }, 0, 0 },
	{ "close", "0 > fd", 1, { -1 }, 0, 0 },
	{ "close", "0 <= fd", 1, { 0 }, 0, 0 },
	{ "close", "fd >= -2", 1, { -2 }, 0, 0 },
	{ "close", "fd > -2", 0, { -2 }, 0, 0 },
	{ "close", "fd <= 010", 1, { 8 }, 0, 0 },
	{ "close", "fd <= 010", 0, { 9 }, 0, 0 },
	{ "close", "fd == 0x1F", 1, { 31 }, 0, 0 },
	{ "close", "fd", 1, { 7 }, 0, 0 },
	{ "close", "fd", 0, { UP }, 0, 0 },
	{ "close", "!fd", 1, { 0 }, 0, 0 },
	{ "close", "arg0 == 5", 1, { 5 }, 0, 0 },
	{ "close", "args.fd == 5", 1, { 5 }, 0, 0 },
	{ "read", "count >= 4k", 1, { 0, 0, 4096 }, 0, 0 },
	{ "read", "count >= 4k", 0, { 0, 0, 4095 }, 0, 0 },
	{ "read", "count == 2G", 1, { 0, 0, 1UL << 31 }, 0, 0 },
	{ "read", "count > 18446744073709551614", 1, { 0, 0, -1 }, 0, 0 },
	{ "read", "buf == NULL", 1, { 0 }, 0, 0 },
	{ "read", "buf != NULL", 1, { 0, 1UL << 63 }, 0, 0 },
	{ "lseek", "offset == -1", 1, { 0, -1 }, 0, 0 },
	{ "lseek", "offset == -1", 0, { 0, 0xffffffff }, 0, 0 },
	/* bits */
	{ "openat", "flags & O_CREAT", 1, { 0, 0, 0102 }, 0, 0 },
	{ "openat", "flags & O_CREAT", 0, { 0, 0, 02 }, 0, 0 },
	{ "openat", "!(flags & O_CREAT)", 1, { 0, 0, 02 }, 0, 0 },
	{ "openat", "!flags & O_CREAT", 1, { 0, 0, 02 }, 0, 0 },
	{ "openat", "O_CREAT & flags", 1, { 0, 0, 0100 }, 0, 0 },
	{ "openat", "flags & (O_CREAT|O_TRUNC)", 1, { 0, 0, 01000 }, 0, 0 },
	{ "openat", "flags & (O_CREAT|O_TRUNC)", 0, { 0, 0, 2 }, 0, 0 },
	{ "openat", "(flags & 3) == 1", 1, { 0, 0, 0101 }, 0, 0 },
	{ "openat", "(flags & 3) == 1", 0, { 0, 0, 0102 }, 0, 0 },
	{ "openat", "flags & 3 == O_WRONLY", 1, { 0, 0, 0101 }, 0, 0 },
	{ "openat", "flags & O_ACCMODE != O_RDWR", 1, { 0, 0, 1 }, 0, 0 },
	{ "openat", "flags & ~3", 0, { 0, 0, UP | 3 }, 0, 0 },
	{ "openat", "flags & ~3", 1, { 0, 0, 4 }, 0, 0 },
	{ "openat", "dfd == AT_FDCWD", 1, { -100 }, 0, 0 },
	{ "openat", "dfd == AT_FDCWD", 1, { 0xffffff9c }, 0, 0 },
	{ "openat", "mode & 0111", 1, { 0, 0, 0, 0755 }, 0, 0 },
	/* names of values */
	{ "mmap", "prot & PROT_EXEC", 1, { 0, 0, 5 }, 0, 0 },
	{ "mmap", "flags & MAP_ANONYMOUS", 1, { 0, 0, 0, 0x22 }, 0, 0 },
	{ "kill", "sig == SIGKILL", 1, { 1, 9 }, 0, 0 },
	{ "kill", "sig == SIGTERM || sig == SIGKILL", 0, { 1, 1 }, 0, 0 },
	{ "socket", "family == AF_INET6", 1, { 10, 1 }, 0, 0 },
	{ "fcntl", "cmd == F_SETFL", 1, { 0, 4 }, 0, 0 },
	{ "ioctl", "cmd == TCGETS", 1, { 0, 0x5401 }, 0, 0 },
	{ "prctl", "option == PR_SET_NAME", 1, { 15 }, 0, 0 },
	{ "lseek", "whence == SEEK_END", 1, { 0, 0, 2 }, 0, 0 },
	/* results */
	{ "read", "retval > 100", 1, { 0 }, 101, 0 },
	{ "read", "retval > 100", 0, { 0 }, 100, 0 },
	{ "read", "retval < 0", 1, { 0 }, -1, EBADF },
	{ "read", "retval == -1", 1, { 0 }, -1, EBADF },
	{ "read", "errno", 1, { 0 }, -1, EBADF },
	{ "read", "errno", 0, { 0 }, 5, 0 },
	{ "read", "errno == EBADF", 1, { 0 }, -1, EBADF },
	{ "read", "errno != EAGAIN && errno", 1, { 0 }, -1, EBADF },
	{ "read", "errno == ERESTARTSYS", 1, { 0 }, -1, 512 },
	{ "read", "retval < 0 && fd == 3", 1, { 3 }, -1, EBADF },
	/* texts */
	{ "openat", "filename == \"/etc\"", 1, { 0, P("/etc") }, 0, 0 },
	{ "openat", "filename == '/etc'", 1, { 0, P("/etc") }, 0, 0 },
	{ "openat", "path == \"/etc\"", 1, { 0, P("/etc") }, 0, 0 },
	{ "openat", "\"/etc\" == filename", 1, { 0, P("/etc") }, 0, 0 },
	{ "openat", "filename == \"/etc\"", 0, { 0, P("/etc/") }, 0, 0 },
	{ "openat", "filename == \"/etc\"", 0, { 0, P("/et") }, 0, 0 },
	{ "openat", "filename == \"/etc\"", 0, { 0, P("") }, 0, 0 },
	{ "openat", "filename == \"/etc\"", 0, { 0, 0 }, 0, 0 },
	{ "openat", "filename != \"/etc\"", 1, { 0, 0 }, 0, 0 },
	{ "openat", "filename == \"/etc\"", 1, { 0, 77 }, 0, 0 },
	{ "openat", "filename != \"/etc\"", 1, { 0, 77 }, 0, 0 },
	{ "openat", "filename == \"\"", 1, { 0, P("") }, 0, 0 },
	{ "openat", "filename == \"\"", 0, { 0, P("a") }, 0, 0 },
	{ "openat", "filename == \"/etc/*\"", 1, { 0, P("/etc/x") }, 0, 0 },
	{ "openat", "filename == \"/etc/*\"", 1, { 0, P("/etc/") }, 0, 0 },
	{ "openat", "filename == \"/etc/*\"", 0, { 0, P("/etc") }, 0, 0 },
	{ "openat", "filename != \"/etc/*\"", 0, { 0, P("/etc/x") }, 0, 0 },
	{ "openat", "filename != \"/etc/*\"", 1, { 0, P("/usr") }, 0, 0 },
	{ "openat", "!(path != \"/e*\")", 1, { 0, P("/etc") }, 0, 0 },
	{ "openat", "filename == \"a\\*\"", 1, { 0, P("a*") }, 0, 0 },
	{ "openat", "filename == \"a\\*\"", 0, { 0, P("ab") }, 0, 0 },
	{ "openat", "filename == \"\\x41\\n\\\"\"", 1, { 0, P("A\n\"") }, 0,
	    0 },
	{ "openat", "filename == \"1234567\"", 1, { 0, P("1234567") }, 0, 0 },
	{ "openat", "filename == \"1234567\"", 0, { 0, P("12345678") }, 0, 0 },
	{ "openat", "filename == \"12345678\"", 1, { 0, P("12345678") }, 0, 0 },
	{ "openat", "filename == \"12345678\"", 0, { 0, P("123456789") }, 0,
	    0 },
	{ "openat", "filename == \"12345678*\"", 1, { 0, P("123456789") }, 0,
	    0 },
	{ "openat", "filename == \"12345678*\"", 0, { 0, P("12345679") }, 0,
	    0 },
	{ "openat", "filename == \"" A64 "\"", 1, { 0, P(A64) }, 0, 0 },
	{ "openat", "filename == \"" A64 "\"", 0, { 0, P(A64 "a") }, 0, 0 },
	{ "openat", "filename == \"" A64 "\"", 0, { 0, P(A63) }, 0, 0 },
	{ "openat", "filename == \"" A64 "\"", 0, { 0, P(A63 "b") }, 0, 0 },
	{ "openat", "filename == \"" A64 "*\"", 1, { 0, P(A64 A64) }, 0, 0 },
	{ "openat", "filename == \"" A64 "*\"", 0, { 0, P(A63 "b") }, 0, 0 },
	{ "openat", "filename == \"x\" || dfd == 1", 1, { 1, P("y") }, 0, 0 },
	{ "openat", "path == \"a\" || path == \"b\" || path == \"c*\"", 1,
	    { 0, P("cde") }, 0, 0 },
	/* the thread: of the hit below */
	{ "close", "pid == 12 && tid == 13", 1, { 0 }, 0, 0 },
	{ "close", "pid == 13", 0, { 0 }, 0, 0 },
	{ "close", "uid == 1000 && cpu == 3", 1, { 0 }, 0, 0 },
	{ "close", "uid == root", 0, { 0 }, 0, 0 },
	{ "close", "uid != \"root\"", 1, { 0 }, 0, 0 },
	{ "close", "comm == \"make\"", 1, { 0 }, 0, 0 },
	{ "close", "comm == \"mak\"", 0, { 0 }, 0, 0 },
	{ "close", "comm == \"mak*\"", 1, { 0 }, 0, 0 },
	{ "close", "comm != \"make\"", 0, { 0 }, 0, 0 },
	{ "close", "duration > 1ms", 1, { 0 }, 0, 0 },
	{ "close", "duration > 1.5ms", 0, { 0 }, 0, 0 },
	{ "close", "duration == 1500us", 1, { 0 }, 0, 0 },
	{ "close", "duration < 1s && duration >= 0.0015s", 1, { 0 }, 0, 0 },
	{ "close", "duration != 0", 1, { 0 }, 0, 0 },
	{ "close", "duration > 1m || duration > 1h", 0, { 0 }, 0, 0 },
	/* the process, and not the argument of that name */
	{ "kill", "pid == 12 && args.pid == 99", 1, { 99, 9 }, 0, 0 },
	/* joined: && binds more strongly */
	{ "close", "fd == 1 || fd == 2 && uid == 0", 1, { 1 }, 0, 0 },
	{ "close", "(fd == 1 || fd == 2) && uid == 0", 0, { 1 }, 0, 0 },
	{ "close", "fd == 2 && uid == 0 || fd == 1", 1, { 1 }, 0, 0 },
	{ "close", "!(fd == 1 && uid == 1000)", 0, { 1 }, 0, 0 },
	{ "close", "!(fd == 1 && uid == 0)", 1, { 1 }, 0, 0 },
	{ "close", "!(fd == 1 || fd == 2)", 0, { 2 }, 0, 0 },
	{ "close", "!(fd == 1 || fd == 2)", 1, { 3 }, 0, 0 },
	{ "close", "!!fd", 1, { 3 }, 0, 0 },
	{ "close", "!(!fd || fd == 1)", 0, { 1 }, 0, 0 },
	{ "close", "((fd))&&(((fd==9)))", 1, { 9 }, 0, 0 },
	{ "close",
	    "fd==1||fd==2||fd==3||fd==4||fd==5||fd==6||fd==7||fd==8||"
	    "fd==9||fd==10||fd==11||fd==12||fd==13||fd==14||fd==15||"
	    "fd==16",
	    1, { 16 }, 0, 0 },
	{ "close",
	    "fd==1||fd==2||fd==3||fd==4||fd==5||fd==6||fd==7||fd==8||"
	    "fd==9||fd==10||fd==11||fd==12||fd==13||fd==14||fd==15||"
	    "fd==16",
	    0, { 17 }, 0, 0 },
};

static struct dt_hit
hit_of(const struct row *r)
{
	struct dt_hit h = {
		.h_pid = 12,
		.h_tid = 13,
		.h_uid = 1000,
		.h_cpu = 3,
		.h_duration = 1500000,
		.h_ret = { .drr_retval = r->retval, .drr_error = r->error },
		.h_isreturn = 1,
	};

	memcpy(h.h_args, r->args, sizeof(h.h_args));
	memcpy(h.h_comm, "make", 5);
	return h;
}

static void
each_expression_passes_the_hits_that_it_means(void **state)
{
	const struct row *r;
	struct dt_cond co;
	struct cond_error er;
	struct dt_hit h;
	struct reason rs;
	int got;

	(void)state;
	for (r = rows; r < rows + N(rows); r++) {
		if (compile(r->call, "return", r->text, &co, &er) != 0)
			fail_msg("%s: %s: %s", r->call, r->text, er.er_why);
		h = hit_of(r);
		if ((got = eval_bpf(&co, &h, &rs)) == -1)
			fail_msg("%s: %s: %s", r->call, r->text, rs.rsn_text);
		if (got != r->passes)
			fail_msg("%s: %s: the programs say %d", r->call,
			    r->text, got);
		if ((got = eval_client(&co, &h)) != r->passes)
			fail_msg("%s: %s: as a client reads it: %d", r->call,
			    r->text, got);
	}
}

/* A part of an expression of a call: its comparisons. */
static int
compile_part(const char *call, const char *text, unsigned int part,
    struct dt_cond *co)
{
	const struct probe *entry = probe(call, "entry");
	struct cond_error er;
	struct cond_expr ce;

	assert_int_equal(cond_parse(&ce, text, &er), 0);
	if (cond_compile_part(&ce, part,
		part & COND_EARLY ? entry : probe(call, "return"), entry, co,
		&er) != 0)
		fail_msg("%s: %s: %s", call, text, er.er_why);
	return co->co_ninsn;
}

/* The comparisons made at the entry, and those at the return. */
static void
two_parts_mean_together_what_the_whole_does(void **state)
{
	static const struct {
		const char *text;
		int nearly, nlate, nearlytexts;
	} parts[] = {
		{ "errno == ENOENT", 0, 1, 0 },
		{ "errno == ENOENT && flags & O_CREAT", 1, 1, 1 },
		{ "flags & O_CREAT && errno && dfd < 0 && retval", 2, 2, 2 },
		{ "filename == \"/etc/*\" && errno", 0, 2, 1 },
		{ "filename != NULL && errno", 1, 1, 1 },
		{ "comm == \"x\" && dfd == 3 && errno", 1, 2, 1 },
		{ "(dfd == 3 || errno) && (dfd == 4 || mode)", 2, 2, 2 },
		{ "dfd == 3 && mode || errno", 0, 3, 0 },
		{ "!(dfd == 3 && errno)", 0, 2, 0 },
	};
	struct dt_cond early, late;
	const struct row *r;
	struct dt_hit h;
	size_t i;
	struct reason rs;

	(void)state;
	for (i = 0; i < N(parts); i++) {
		if (compile_part("openat", parts[i].text, COND_EARLY, &early) !=
			parts[i].nearly ||
		    compile_part("openat", parts[i].text, COND_LATE, &late) !=
			parts[i].nlate ||
		    compile_part("openat", parts[i].text,
			COND_EARLY | COND_TEXTS,
			&early) != parts[i].nearlytexts)
			fail_msg("%s: %d and %d", parts[i].text, early.co_ninsn,
			    late.co_ninsn);
	}
	for (r = rows; r < rows + N(rows); r++) {
		h = hit_of(r);
		compile_part(r->call, r->text, COND_EARLY, &early);
		compile_part(r->call, r->text, COND_LATE, &late);
		if ((eval_bpf(&early, &h, &rs) == 1 &&
			eval_bpf(&late, &h, &rs) == 1) != r->passes)
			fail_msg("%s: %s", r->call, r->text);
	}
}

/* Invalid expressions: the reason, and its first and last column. */
static const struct {
	const char *probe; /* call of an entry, or return */
	const char *text;
	unsigned int begin, end;
	const char *why; /* its beginning */
} errors[] = {
	{ "openat", "", 0, 0, "a condition is missing" },
	{ "openat", "  ", 0, 0, "a condition is missing" },
	{ "openat", "flags &", 7, 7, "something is missing at the end" },
	{ "openat", "flags && ", 9, 9, "something is missing at the end" },
	{ "openat", "== 3", 0, 2, "a name, a number or a string is missing" },
	{ "openat", "flags = 3", 6, 7, "a comparison is ==" },
	{ "openat", "flags == 3 dfd", 11, 14, "&& or || is missing" },
	{ "openat", "flags $ 3", 6, 7, "unknown character" },
	{ "openat", "(flags", 0, 1, "this parenthesis is not closed" },
	{ "openat", "flags)", 5, 6, "this parenthesis was not opened" },
	{ "openat", "1 < dfd < 3", 8, 9, "a comparison has two operands" },
	{ "openat", "filename == \"x", 12, 14, "the closing quote" },
	{ "openat", "filename == \"x\\\"", 12, 16, "the closing quote" },
	{ "openat", "filename == \"\\q\"", 13, 15, "unknown escape" },
	{ "openat", "filename == \"\\x0\"", 13, 15, "unknown escape" },
	{ "openat", "filename == \"\\x00\"", 13, 15, "unknown escape" },
	{ "openat", "filename == \"a*b\"", 14, 15,
	    "a * is allowed at the end" },
	{ "openat", "filename == \"*\"", 12, 15, "this matches every string" },
	{ "openat", "filename == \"" A64 "a\"", 12, 79,
	    "a string can have at most 64 bytes" },
	{ "openat", "filename < \"x\"", 0, 14, "compare strings by" },
	{ "openat", "filename & 3 == \"x\"", 11, 12, "strings have no bits" },
	{ "openat", "dfd == 0x", 7, 9, "digits are missing" },
	{ "openat", "dfd == 08", 7, 9, "a number that begins with 0" },
	{ "openat", "dfd == 99999999999999999999", 7, 27,
	    "a number has at most" },
	{ "openat", "dfd == 5000000000", 7, 17,
	    "this does not fit into the 32" },
	{ "openat", "dfd < 0x80000000", 6, 16, "this does not fit" },
	{ "openat", "dfd == -2147483649", 7, 18, "this does not fit" },
	{ "openat", "dfd == 3q", 7, 9, "unknown unit q of numbers" },
	{ "openat", "dfd == 3abcd", 7, 12, "this is not a number" },
	{ "openat", "dfd == 1.5", 7, 10, "dfd has no fractions" },
	{ "openat", "flags < -1", 8, 10, "flags is never negative" },
	{ "openat", "flags & O_RDONLY", 8, 16, "these are not bits" },
	{ "openat", "flags & 3 == 4", 13, 14, "some of these bits" },
	{ "openat", "flags & O_CREAT|O_TRUNC", 0, 23,
	    "write bits that are tested" },
	{ "openat", "flgs & 3", 0, 4,
	    "syscall:openat:entry has no flgs; did you mean flags?" },
	{ "openat", "flags & O_CRAT", 8, 14,
	    "syscall:openat:entry has no O_CRAT; did you mean O_CREAT?" },
	{ "openat", "xyzzyplugh == 3", 0, 10,
	    "syscall:openat:entry has no xyzzyplugh" },
	{ "openat", "arg4 == 3", 0, 4, "syscall:openat:entry has no arg4" },
	{ "openat", "flags == dfd", 9, 12,
	    "flags is compared with a constant" },
	{ "openat", "flags == (dfd == 3)", 10, 18, "this is a truth value" },
	{ "openat", "3 == 3", 0, 6, "this comparison has no operand" },
	{ "openat", "O_CREAT", 0, 7, "syscall:openat:entry has no O_CREAT" },
	{ "openat", "\"x\"", 0, 3, "this comparison has no operand" },
	{ "openat", "flags == \"x\"", 9, 12, "flags is a number" },
	{ "openat", "comm == 3", 0, 9, "comm is a string" },
	{ "openat", "comm", 0, 4, "comm is a string" },
	{ "openat", "comm == \"1234567890123456\"", 8, 26,
	    "comm has at most 15" },
	{ "openat", "uid == \"nosuchuser-x\"", 7, 21, "unknown user" },
	{ "return", "retval == -ENOENT", 10, 17,
	    "a failed call returns -1; compare errno: "
	    "errno == ENOENT" },
	{ "return", "duration > 100", 11, 14, "a time needs a unit" },
	{ "return", "duration > 1k", 11, 13, "unknown unit k of time" },
	{ "renameat2", "path == \"x\"", 0, 4,
	    "syscall:renameat2:entry has no" },
};

static void
each_error_has_its_place_and_reason(void **state)
{
	struct cond_error er;
	struct dt_cond co;
	size_t i;
	int r;

	(void)state;
	for (i = 0; i < N(errors); i++) {
		if (strcmp(errors[i].probe, "return") == 0)
			r = compile("openat", "return", errors[i].text, &co,
			    &er);
		else
			r = compile(errors[i].probe, "entry", errors[i].text,
			    &co, &er);
		if (r != -1)
			fail_msg("%s: was accepted", errors[i].text);
		if (strncmp(er.er_why, errors[i].why, strlen(errors[i].why)))
			fail_msg("%s: %s", errors[i].text, er.er_why);
		if (er.er_begin != errors[i].begin ||
		    er.er_end != errors[i].end)
			fail_msg("%s: %u to %u", errors[i].text, er.er_begin,
			    er.er_end);
	}
}

static void
what_is_too_long_is_told(void **state)
{
	char text[8192] = "fd == 1";
	struct cond_error er;
	struct dt_cond co;
	unsigned int i;

	(void)state;
	for (i = 0; i < 16; i++)
		strcat(text, " || fd == 1");
	assert_int_equal(compile("close", "entry", text, &co, &er), -1);
	assert_string_equal(er.er_why,
	    "too many: a condition has at most 16 comparisons");
	assert_int_equal(er.er_begin, 16 * 11);
	for (; i < 300; i++)
		strcat(text, " || fd == 1");
	assert_int_equal(compile("close", "entry", text, &co, &er), -1);
	assert_string_equal(er.er_why, "this is too long");
	memset(text, '(', 100);
	strcpy(text + 100, "fd");
	assert_int_equal(compile("close", "entry", text, &co, &er), -1);
	assert_int_equal(er.er_begin, COND_MAXDEPTH);
	memset(text, '-', 100);
	assert_int_equal(compile("close", "entry", text, &co, &er), -1);
	assert_int_equal(er.er_begin, COND_MAXDEPTH);
	/* five texts of 64 bytes do not fit */
	strcpy(text, "path == \"" A64 "\"");
	for (i = 0; i < 4; i++)
		strcat(text, " || path == \"" A64 "\"");
	assert_int_equal(compile("openat", "entry", text, &co, &er), -1);
	assert_string_equal(er.er_why,
	    "all strings together can have at most 256 bytes");
}

static void
an_entry_does_not_know_results(void **state)
{
	static const char *const later[] = { "retval < 0", "!errno",
		"fd == 3 && duration > 1ms", "fd == 3 || retval" };
	struct cond_error er;
	struct dt_cond co;
	size_t i;

	(void)state;
	for (i = 0; i < N(later); i++) {
		assert_int_equal(compile("close", "entry", later[i], &co, &er),
		    COND_LATER);
		assert_int_equal(compile("close", "return", later[i], &co, &er),
		    0);
	}
}

static void
names_that_mean_two_things_are_noticed(void **state)
{
	static struct cond_expr ce;
	struct cond_error er;

	(void)state;
	assert_int_equal(cond_parse(&ce, "sig == 9 && pid == 3", &er), 0);
	assert_string_equal(cond_shadowed(&ce, probe("kill", "entry")), "pid");
	assert_null(cond_shadowed(&ce, probe("close", "entry")));
	assert_int_equal(cond_parse(&ce, "args.pid == 3", &er), 0);
	assert_null(cond_shadowed(&ce, probe("kill", "entry")));
}

static void
the_caret_stands_below_the_place(void **state)
{
	struct cond_error er;
	struct buf b;

	(void)state;
	buf_init(&b, -1);
	cond_fail(&er, 5, 8, "no");
	cond_error_text(&b, &er, "fd & xyz");
	assert_buf(&b, "no\n    fd & xyz\n         ^^^\n");
	/* a letter of two bytes is one column, an escaped one is four */
	cond_fail(&er, 3, 6, "no");
	cond_error_text(&b, &er, "\303\244 abc");
	assert_buf(&b, "no\n    \303\244 abc\n      ^^^\n");
	cond_fail(&er, 1, 2, "no");
	cond_error_text(&b, &er, "\033x");
	assert_buf(&b, "no\n    \\x1bx\n        ^\n");
	cond_fail(&er, 2, 2, "end");
	cond_error_text(&b, &er, "ab");
	assert_buf(&b, "end\n    ab\n      ^\n");
	buf_free(&b);
}

/*
 * The daemon's checks of a client's condition
 */

/* A valid comparison. */
static struct dt_cond
fine(void)
{
	struct dt_cond co = { .co_ninsn = 2 };

	co.co_insn[0] = (struct dt_insn){
		.in_left = { .op_kind = DT_OPD_ARG, .op_size = 4 },
		.in_op = DT_CMP_EQ,
		.in_true = 1,
		.in_false = DT_COND_FAIL,
		.in_mask = UINT64_MAX,
	};
	co.co_insn[1] = (struct dt_insn){
		.in_left = { .op_kind = DT_OPD_STRING, .op_argn = 1 },
		.in_op = DT_CMP_EQ,
		.in_true = DT_COND_PASS,
		.in_false = DT_COND_FAIL,
		.in_len = 3,
		.in_text = 1,
	};
	memcpy(co.co_text + 1, "abc", 3);
	return co;
}

/* One changed byte, and the reason of the refusal. */
static const struct {
	size_t off;
	uint8_t value;
	const char *why;
} hostile[] = {
#define INSN(n, member) offsetof(struct dt_cond, co_insn[n].member)
	{ offsetof(struct dt_cond, co_ninsn), 17, "a condition has 16" },
	{ offsetof(struct dt_cond, co_ninsn) + 3, 1, "a condition has 16" },
	{ offsetof(struct dt_cond, co_ninsn), 1,
	    "instruction 0: continues at 1, after the last instruction" },
	{ offsetof(struct dt_cond, co_reserved), 1, "bytes of the condition" },
	{ INSN(0, in_left.op_kind), 0, "instruction 0: there is no operand 0" },
	{ INSN(0, in_left.op_kind), DT_NOPD, "instruction 0: there is no ope" },
	{ INSN(0, in_left.op_kind), DT_OPD_PROBE,
	    "instruction 0: probe is only a key of counts" },
	{ INSN(0, in_left.op_kind), 255, "instruction 0: there is no operand" },
	{ INSN(0, in_left.op_kind), DT_OPD_COMM, "instruction 0: op_size 4" },
	{ INSN(0, in_left.op_argn), 6,
	    "instruction 0: this probe has no argument 6" },
	{ INSN(0, in_left.op_argn), 255,
	    "instruction 0: this probe has no argument 255" },
	{ INSN(0, in_left.op_size), 0, "instruction 0: op_size 0 is not a" },
	{ INSN(0, in_left.op_size), 3, "instruction 0: op_size 3 is not a" },
	{ INSN(0, in_left.op_size), 16, "instruction 0: op_size 16 is not" },
	{ INSN(0, in_left.op_issigned), 2, "instruction 0: op_argn, op_iss" },
	{ INSN(0, in_left.op_reserved), 1, "instruction 0: op_argn, op_iss" },
	{ INSN(0, in_op), DT_CMP_PREFIX, "instruction 0: a number has no pre" },
	{ INSN(0, in_op), DT_NCMP, "instruction 0: there is no comparison 7" },
	{ INSN(0, in_true), 0,
	    "instruction 0: continues at 0, which does not" },
	{ INSN(0, in_true), 2,
	    "instruction 0: continues at 2, after the last" },
	{ INSN(0, in_true), 0xfd,
	    "instruction 0: continues at 253, after the" },
	{ INSN(0, in_false), 0,
	    "instruction 0: continues at 0, which does not" },
	{ INSN(0, in_len), 1, "instruction 0: in_len or in_text" },
	{ INSN(0, in_text), 1, "instruction 0: in_len or in_text" },
	{ INSN(1, in_left.op_size), 1, "instruction 1: op_size 1 is not a" },
	{ INSN(1, in_left.op_issigned), 1, "instruction 1: op_argn, op_iss" },
	{ INSN(1, in_left.op_argn), 6,
	    "instruction 1: this probe has no text of an argument 6" },
	{ INSN(1, in_op), DT_CMP_LT, "instruction 1: texts are equal or not" },
	{ INSN(1, in_true), 1,
	    "instruction 1: continues at 1, which does not" },
	{ INSN(1, in_true), 0,
	    "instruction 1: continues at 0, which does not" },
	{ INSN(1, in_len), 65, "instruction 1: a text has 64 bytes" },
	{ INSN(1, in_len), 4, "instruction 1: its text has a NUL" },
	{ INSN(1, in_len), 2, "bytes of the condition that are not used" },
	{ INSN(1, in_text), 254, "instruction 1: its text is outside" },
	{ INSN(1, in_text) + 3, 0x80, "instruction 1: its text is outside" },
	{ INSN(1, in_mask), 1, "instruction 1: in_mask or in_value" },
	{ INSN(1, in_value), 1, "instruction 1: in_mask or in_value" },
	{ INSN(2, in_left.op_kind), 1, "bytes of the condition" },
	{ INSN(15, in_value) + 7, 1, "bytes of the condition" },
	{ offsetof(struct dt_cond, co_text), 'x', "bytes of the condition" },
	{ offsetof(struct dt_cond, co_text) + 255, 1, "bytes of the cond" },
};

static void
each_byte_that_is_wrong_is_refused_with_a_reason(void **state)
{
	struct dt_cond_entry cl;
	struct dt_cond co = fine();
	struct reason rs;
	size_t i;

	(void)state;
	assert_int_equal(dt_cond_check(&eval_probe, &co, &cl, &rs), 0);
	for (i = 0; i < N(hostile); i++) {
		co = fine();
		((uint8_t *)&co)[hostile[i].off] = hostile[i].value;
		if (dt_cond_check(&eval_probe, &co, &cl, &rs) != EINVAL)
			fail_msg("%s: was accepted", hostile[i].why);
		if (strncmp(rs.rsn_text, hostile[i].why,
			strlen(hostile[i].why)) != 0)
			fail_msg("%s: %s", hostile[i].why, rs.rsn_text);
	}
	/* the same bytes many times do not fit */
	memset(&co, 0, sizeof(co));
	co.co_ninsn = 5;
	memset(co.co_text, 'x', 64);
	for (i = 0; i < 5; i++) {
		co.co_insn[i] = fine().co_insn[1];
		co.co_insn[i].in_len = 64;
		co.co_insn[i].in_text = 0;
	}
	assert_int_equal(dt_cond_check(&eval_probe, &co, &cl, &rs), EINVAL);
	assert_string_equal(rs.rsn_text,
	    "instruction 4: all texts together have 256 bytes at most");
	co.co_ninsn = 4;
	memset(&co.co_insn[4], 0, sizeof(co.co_insn[4]));
	assert_int_equal(dt_cond_check(&eval_probe, &co, &cl, &rs), 0);
}

/* Values around the bounds of comparisons. */
static uint64_t
draw_value(unsigned int *seed)
{
	static const uint64_t edges[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff,
		0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX,
		(uint64_t)INT64_MIN, UINT64_MAX, UINT64_MAX - 1 };

	return edges[(unsigned int)rand_r(seed) % N(edges)];
}

static void
draw_insn(struct dt_cond *co, unsigned int i, unsigned int *seed)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	struct dt_insn *in = &co->co_insn[i];
	unsigned int left = co->co_ninsn - i; /* and both ends */

	memset(in, 0, sizeof(*in));
	/* the kinds after DT_OPD_COMM are only of keys */
	in->in_left.op_kind = 1 + rand_r(seed) % DT_OPD_COMM;
	if (in->in_left.op_kind == DT_OPD_STRING ||
	    in->in_left.op_kind == DT_OPD_COMM) {
		in->in_op = (const uint8_t[]){ DT_CMP_EQ, DT_CMP_NE,
			DT_CMP_PREFIX }[rand_r(seed) % 3];
		in->in_len = 1 + rand_r(seed) % 10;
		in->in_text = rand_r(seed) % 3;
	} else {
		in->in_left.op_size = sizes[rand_r(seed) % 4];
		if (in->in_left.op_kind >= DT_OPD_PID ||
		    in->in_left.op_kind == DT_OPD_ERRNO)
			in->in_left.op_size = 4;
		in->in_left.op_issigned = rand_r(seed) % 2;
		in->in_op = rand_r(seed) % DT_CMP_PREFIX;
		in->in_mask = rand_r(seed) % 2 ? UINT64_MAX : draw_value(seed);
		in->in_value = draw_value(seed);
	}
	if (in->in_left.op_kind == DT_OPD_ARG)
		in->in_left.op_argn = rand_r(seed) % 6;
	in->in_true = i + 1 + rand_r(seed) % (left + 1);
	in->in_false = i + 1 + rand_r(seed) % (left + 1);
	if (in->in_true >= co->co_ninsn)
		in->in_true = DT_COND_FAIL + in->in_true % 2;
	if (in->in_false >= co->co_ninsn)
		in->in_false = DT_COND_FAIL + in->in_false % 2;
}

static void
draw_condition(struct dt_cond *co, unsigned int *seed)
{
	unsigned int i, j;
	char used[16] = { 0 };

	memset(co, 0, sizeof(*co));
	co->co_ninsn = 1 + rand_r(seed) % DT_COND_NINSN;
	for (i = 0; i < co->co_ninsn; i++)
		draw_insn(co, i, seed);
	for (i = 0; i < co->co_ninsn; i++)
		for (j = 0; j < co->co_insn[i].in_len; j++)
			used[co->co_insn[i].in_text + j] = 1;
	for (i = 0; i < sizeof(used); i++)
		co->co_text[i] = used[i] ? 'a' : '\0';
}

static void
the_programs_and_a_client_read_conditions_alike(void **state)
{
	static const char *const texts[] = { "", "a", "aaa", "aaaaaaa",
		"aaaaaaaa", "aaaaaaaaa", "aaaaaaaaaaa", "aab", NULL };
	unsigned int seed = 1, i, j, npassed = 0;
	struct dt_cond co;
	struct dt_hit h;
	struct reason rs;
	int got;

	(void)state;
	for (i = 0; i < 200000; i++) {
		draw_condition(&co, &seed);
		memset(&h, 0, sizeof(h));
		for (j = 0; j < 6; j++)
			h.h_args[j] = draw_value(&seed);
		/* of texts, it is argument 0 */
		h.h_args[0] = P(texts[(unsigned int)rand_r(&seed) % N(texts)]);
		memcpy(h.h_comm, "aaaa", rand_r(&seed) % 5);
		h.h_pid = draw_value(&seed);
		h.h_uid = (uint32_t)draw_value(&seed);
		h.h_duration = draw_value(&seed);
		h.h_ret.drr_retval = draw_value(&seed);
		h.h_ret.drr_error = draw_value(&seed);
		if ((got = eval_bpf(&co, &h, &rs)) == -1)
			fail_msg("%u: %s", i, rs.rsn_text);
		if (got != eval_client(&co, &h))
			fail_msg("%u: the programs say %d", i, got);
		npassed += got;
	}
	assert_in_range(npassed, i / 4, i - i / 4); /* both occur */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_expression_passes_the_hits_that_it_means),
		cmocka_unit_test(two_parts_mean_together_what_the_whole_does),
		cmocka_unit_test(each_error_has_its_place_and_reason),
		cmocka_unit_test(what_is_too_long_is_told),
		cmocka_unit_test(an_entry_does_not_know_results),
		cmocka_unit_test(names_that_mean_two_things_are_noticed),
		cmocka_unit_test(the_caret_stands_below_the_place),
		cmocka_unit_test(
		    each_byte_that_is_wrong_is_refused_with_a_reason),
		cmocka_unit_test(
		    the_programs_and_a_client_read_conditions_alike),
	};

	return cmocka_run_group_tests_name("conditions", tests, setup,
	    teardown);
}
