/* SPDX-License-Identifier: ISC */
/*
 * dt(1)'s text for the memory that arguments point to; and bytes of any kind
 * and length, which must do no harm.
 */
#include "tests/unit/test_cli.h"
#include "cli/procs/procs.h"
#include "tests/unit/test_cli_mem.h"

#define IN	   DT_STR_MEMORY
#define OUT	   (DT_STR_MEMORY | DT_STR_RETURN)

#define OUT_BUFFER (DT_STR_DATA | DT_STR_VECTOR | DT_STR_RETURN)

/* Numbers as they are in memory. */
#define U16(v) (uint8_t)(v), (uint8_t)((v) >> 8)
#define U32(v) U16(v), U16((uint32_t)(v) >> 16)
#define U64(v) U32(v), U32((uint64_t)(v) >> 32)
#define BYTES(...) \
	(const uint8_t[]){ __VA_ARGS__ }, \
	    sizeof((const uint8_t[]){ __VA_ARGS__ })

struct mem_case {
	const char *call;
	unsigned int argn;
	unsigned int flags;
	const uint8_t *bytes;
	size_t len;
	const char *text;
	int64_t retval;
	uint64_t args[3]; /* arguments other than 0 */
};

static const struct mem_case cases[] = {
	/* times */
	{ "nanosleep", 0, IN, BYTES(U64(3), U64(500)),
	    "{tv_sec=3, tv_nsec=500}", 0, { 0 } },
	{ "nanosleep", 0, IN, BYTES(U64(-1), U64(5)), "{tv_sec=-1, tv_nsec=5}",
	    0, { 0 } },
	{ "setitimer", 1, IN, BYTES(U64(1), U64(2), U64(3), U64(4)),
	    "{it_interval={tv_sec=1, tv_usec=2}, "
	    "it_value={tv_sec=3, tv_usec=4}}",
	    0, { 0 } },
	{ "utimensat", 2, IN,
	    BYTES(U64(0), U64(0x3fffffff), U64(7), U64(0x3ffffffe)),
	    "[UTIME_NOW, UTIME_OMIT]", 0, { 0 } },
	{ "utimensat", 2, IN,
	    BYTES(U64(1000000000), U64(5), U64(7), U64(0x3ffffffe)),
	    "[{tv_sec=1000000000, tv_nsec=5} "
	    "/* 2001-09-09T01:46:40.000000005+0000 */, UTIME_OMIT]",
	    0, { 0 } },
	{ "futex", 3, IN, BYTES(U64(0), U64(9)), "{tv_sec=0, tv_nsec=9}", 0,
	    { 0, 128 /* wait, private */ } },
	/* files */
	{ "pipe2", 0, OUT, BYTES(U32(3), U32(4)), "[3, 4]", 0, { 0 } },
	{ "readlinkat", 2, OUT, BYTES('a', '"', '\n'), "\"a\\\"\\n\"", 3,
	    { 0 } },
	{ "sendfile", 2, IN, BYTES(U64(5)), "[5]", 0, { 0 } },
	{ "writev", 1, IN, BYTES(U64(0x1000), U64(5), U64(0), U64(0)),
	    "[{iov_base=0x1000, iov_len=5}, {iov_base=NULL, iov_len=0}]", 0,
	    { 0 } },
	{ "openat2", 2, IN, BYTES(U64(0100), U64(0644), U64(8)),
	    "{flags=O_RDONLY|O_CREAT, mode=0644, resolve=RESOLVE_BENEATH}", 0,
	    { 0 } },
	{ "fcntl", 2, IN,
	    BYTES(U16(1), U16(0), U32(0), U64(2), U64(10), U32(0), U32(0)),
	    "{l_type=F_WRLCK, l_whence=SEEK_SET, l_start=2, l_len=10}", 0,
	    { 3, 6 /* F_SETLK */ } },
	{ "getdents64", 1, OUT,
	    BYTES(U64(1), U64(1), U16(24), '\4', '.', U32(0), U64(1), U64(1),
		U16(24), '\4', '.', '.', '\0', U16(0)),
	    "0x7f0000001001 /* 2 entries */", 48, { 0 } },
	/* waiting */
	{ "poll", 0, IN, BYTES(U32(3), U16(3), U16(0), U32(-1), U16(1), U16(0)),
	    "[{fd=3, events=POLLIN|POLLPRI}, {fd=-1}]", 0, { 0 } },
	{ "select", 1, IN, BYTES(0x05, 0x80, 0, 0, 0, 0, 0, 0), "[0 2]", 0,
	    { 15 } },
	{ "epoll_wait", 1, OUT, BYTES(U32(1), U64(0x100000002)),
	    "[{events=EPOLLIN, data={u32=2, u64=4294967298}}]", 1, { 0 } },
	{ "epoll_wait", 1, OUT, BYTES(U32(1), U32(0), U64(7)),
	    "[{events=EPOLLIN, data={u32=7, u64=7}}]", 1, { 0 } },
	{ "epoll_ctl", 3, IN, BYTES(U32(0x80000001), U64(7)),
	    "{events=EPOLLIN|EPOLLET, data={u32=7, u64=7}}", 0, { 0, 1 } },
	/* sockets */
	{ "connect", 1, IN, BYTES(U16(2), 0, 80, 127, 0, 0, 1, U64(0)),
	    "{sa_family=AF_INET, sin_port=htons(80), "
	    "sin_addr=inet_addr(\"127.0.0.1\")}",
	    0, { 0 } },
	{ "connect", 1, IN,
	    BYTES(U16(10), 0, 80, U32(0), U64(0), U32(0), 0, 0, 0, 1, U32(2)),
	    "{sa_family=AF_INET6, sin6_port=htons(80), "
	    "sin6_flowinfo=htonl(0), "
	    "inet_pton(AF_INET6, \"::1\", &sin6_addr), sin6_scope_id=2}",
	    0, { 0 } },
	{ "connect", 1, IN, BYTES(U16(1), '/', 'a', 0, 'x'),
	    "{sa_family=AF_UNIX, sun_path=\"/a\"}", 0, { 0 } },
	{ "connect", 1, IN, BYTES(U16(1), 0, 'a', 'b'),
	    "{sa_family=AF_UNIX, sun_path=@\"ab\"}", 0, { 0 } },
	{ "connect", 1, IN, BYTES(U16(1)), "{sa_family=AF_UNIX}", 0, { 0 } },
	{ "connect", 1, IN, BYTES(1), "0x7f0000001001", 0, { 0 } },
	{ "connect", 1, IN, BYTES(U16(2), 0, 80, '\33', '1'),
	    "{sa_family=AF_INET, sa_data=\"\\0P\\0331\"}", 0, { 0 } },
	{ "getsockopt", 3, OUT, BYTES(U32(1), U32(5)),
	    "{l_onoff=1, l_linger=5}", 0, { 0, 1, 13 } },
	{ "setsockopt", 3, IN, BYTES(U32(-1)), "[-1]", 0, { 0, 6, 1 } },
	{ "setsockopt", 3, IN, BYTES(7, 0), "\"\\7\\0\"", 0, { 0, 6, 1 } },
	/* signals */
	{ "rt_sigprocmask", 1, IN, BYTES(U64(0x2200)), "[USR1 ALRM]", 0,
	    { 0 } },
	{ "rt_sigprocmask", 1, IN, BYTES(U64(0)), "[]", 0, { 0 } },
	{ "rt_sigprocmask", 1, IN, BYTES(U64(-1)), "~[]", 0, { 0 } },
	{ "rt_sigprocmask", 1, IN, BYTES(U64(0xfffffffe7fffffff)),
	    "~[RTMIN RT_1]", 0, { 0 } },
	{ "rt_sigaction", 1, IN,
	    BYTES(U64(0x401000), U64(0x14000004), U64(0x402000), U64(0)),
	    "{sa_handler=0x401000, sa_mask=[], "
	    "sa_flags=SA_RESTORER|SA_RESTART|SA_SIGINFO, "
	    "sa_restorer=0x402000}",
	    0, { 0 } },
	{ "waitid", 2, OUT,
	    BYTES(U32(17), U32(0), U32(2), U32(0), U32(5), U32(0), U32(9),
		U32(0), U64(1), U64(2)),
	    "{si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=5, si_uid=0, "
	    "si_status=SIGKILL, si_utime=1, si_stime=2}",
	    0, { 0 } },
	{ "waitid", 2, OUT, BYTES(U64(0), U64(0)), "{}", 0, { 0 } },
	{ "rt_sigtimedwait", 1, OUT,
	    BYTES(U32(11), U32(0), U32(1), U32(0), U64(0x10)),
	    "{si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0x10}", 11,
	    { 0 } },
	/* processes */
	{ "wait4", 1, OUT, BYTES(U32(3 << 8)),
	    "[{WIFEXITED(s) && WEXITSTATUS(s) == 3}]", 7, { 0 } },
	{ "wait4", 1, OUT, BYTES(U32(15)),
	    "[{WIFSIGNALED(s) && WTERMSIG(s) == SIGTERM}]", 7, { 0 } },
	{ "wait4", 1, OUT, BYTES(U32(0x86)),
	    "[{WIFSIGNALED(s) && WTERMSIG(s) == SIGABRT && WCOREDUMP(s)}]", 7,
	    { 0 } },
	{ "wait4", 1, OUT, BYTES(U32(0x137f)),
	    "[{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}]", 7, { 0 } },
	{ "wait4", 1, OUT, BYTES(U32(0xffff)), "[{WIFCONTINUED(s)}]", 7,
	    { 0 } },
	{ "wait4", 1, OUT, BYTES(U32(0)), "0x7f0000001001", 0, { 0 } },
	{ "prlimit64", 2, IN, BYTES(U64(8192 * 1024), U64(-1)),
	    "{rlim_cur=8192*1024, rlim_max=RLIM64_INFINITY}", 0, { 0 } },
	{ "prlimit64", 2, IN, BYTES(U64(1024), U64(1000)),
	    "{rlim_cur=1024, rlim_max=1000}", 0, { 0 } },
	{ "sched_getaffinity", 2, OUT, BYTES(5, 1), "[0 2 8]", 2, { 0 } },
	{ "getresuid", 0, OUT, BYTES(U32(-1)), "[-1]", 0, { 0 } },
	{ "capset", 1, IN,
	    BYTES(U32(1), U32(0), U32(0), U32(0), U32(1), U32(0)),
	    "{effective=1<<CAP_CHOWN, permitted=1<<CAP_MAC_OVERRIDE, "
	    "inheritable=0}",
	    0, { 0 } },
	/* by command */
	{ "prctl", 1, IN, BYTES('a', '\33', 'b', 0, U32(0), U64(0)),
	    "\"a\\x1bb\"", 0, { 15 } },
	{ "ioctl", 2, OUT, BYTES(U16(24), U16(80), U16(0), U16(0), U64(0)),
	    "{ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=0}", 0,
	    { 0, 0x5413 } },
	{ "ioctl", 2, OUT, BYTES(U32(7), U32(1), U32(1)), "[7]", 0,
	    { 0, 0x541b } },
};

/* Returns the text of an argument. */
static void
put_arg(struct buf *b, const struct mem_case *mc, size_t len, size_t truelen)
{
	struct mem_call ca;
	size_t i;

	call_init(&ca, "syscall", mc->call, mc->retval);
	for (i = 0; i < 3; i++)
		if (mc->args[i] != 0)
			ca.ca_args[i] = mc->args[i];
	call_add(&ca, mc->argn, mc->flags, mc->bytes, len, truelen);
	arg_text(b, &ca.ca_call, mc->argn);
	call_free(&ca);
}

static void
test_text(void **state)
{
	struct buf b;
	size_t i;

	(void)state;
	setenv("TZ", "UTC0", 1);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_init(&b, -1);
		put_arg(&b, &cases[i], cases[i].len, cases[i].len);
		assert_buf(&b, cases[i].text);
		buf_free(&b);
	}
}

/* A struct cut short: complete fields, then "...". */
static const struct {
	struct mem_case mc;
	size_t len; /* bytes that were read */
} shorts[] = {
	{ { "nanosleep", 0, IN, BYTES(U64(3), U64(500)), "{tv_sec=3, ...}", 0,
	      { 0 } },
	    15 },
	{ { "nanosleep", 0, IN, BYTES(U64(3), U64(500)), "{...}", 0, { 0 } },
	    7 },
	{ { "poll", 0, IN, BYTES(U32(1), U16(1), U16(0), U64(0)),
	      "[{fd=1, events=POLLIN}, ...]", 0, { 0 } },
	    12 },
	{ { "rt_sigprocmask", 1, IN, BYTES(U64(1)), "...", 0, { 0 } }, 4 },
	{ { "writev", 1, IN, BYTES(U64(1), U64(2), U64(3), U64(4)),
	      "[{iov_base=0x1, iov_len=2}, ...]", 0, { 0 } },
	    31 },
};

static void
test_short(void **state)
{
	struct buf b;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++) {
		buf_init(&b, -1);
		put_arg(&b, &shorts[i].mc, shorts[i].len, shorts[i].mc.len);
		assert_buf(&b, shorts[i].mc.text);
		buf_free(&b);
	}
}

/* A struct that the kernel did not read, or an unknown one, is an address. */
static void
test_absent(void **state)
{
	static const uint8_t bytes[64];
	struct mem_call ca;
	struct buf b;

	(void)state;
	call_init(&ca, "syscall", "nanosleep", 0);
	call_add(&ca, 1, IN, bytes, 16, 16);
	call_add(&ca, 0, DT_STR_DATA | DT_STR_RETURN, bytes, 16, 16);
	call_add(&ca, 0, IN, bytes, 0, 16);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 0);
	assert_buf(&b, "0x7f0000001000");
	buf_free(&b);
	ca.ca_args[0] = 0;
	ca.ca_call.ac_ret = NULL;
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 0);
	assert_buf(&b, "NULL");
	buf_free(&b);
	call_free(&ca);
}

/* Both entry and return have data. */
static void
test_both(void **state)
{
	struct mem_call ca;
	struct buf b;

	(void)state;
	call_init(&ca, "syscall", "accept", 5);
	call_add(&ca, 2, IN, BYTES(U32(128)), 4);
	call_add(&ca, 2, OUT, BYTES(U32(2)), 4);
	call_add(&ca, 1, OUT, BYTES(U16(1)), 2);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 1);
	arg_text(&b, &ca.ca_call, 2);
	assert_buf(&b, "{sa_family=AF_UNIX}[128 => 2]");
	buf_free(&b);
	call_free(&ca);

	call_init(&ca, "syscall", "poll", 1);
	call_add(&ca, 0, IN, BYTES(U32(3), U16(1), U16(0)), 8);
	call_add(&ca, 0, OUT,
	    BYTES(U32(3), U16(1), U16(1), U32(4), U16(1), U16(0)), 16);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 0);
	arg_ret_text(&b, &ca.ca_call);
	assert_buf(&b, "[{fd=3, events=POLLIN}]1 ([{fd=3, revents=POLLIN}])");
	buf_free(&b);
	call_free(&ca);

	call_init(&ca, "syscall", "select", 2);
	ca.ca_args[0] = 8;
	call_add(&ca, 1, OUT, BYTES(U64(4)), 8);
	call_add(&ca, 2, OUT, BYTES(U64(0)), 8);
	call_add(&ca, 3, OUT, BYTES(U64(3)), 8);
	call_add(&ca, 4, OUT, BYTES(U64(1), U64(2)), 16);
	buf_init(&b, -1);
	arg_ret_text(&b, &ca.ca_call);
	assert_buf(&b, "2 (in [2], except [0 1], left {tv_sec=1, tv_usec=2})");
	buf_free(&b);
	call_free(&ca);
}

/* Data is quoted like strace's, and terminal escapes are never printed. */
static void
test_data(void **state)
{
	static const uint8_t bytes[] = "0\0001\0018\377\33[m\t\"\\";
	struct mem_call ca;
	struct buf b;

	(void)state;
	call_init(&ca, "syscall", "write", 40);
	call_add(&ca, 1, DT_STR_DATA, bytes, sizeof(bytes) - 1, 40);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 1);
	assert_buf(&b, "\"0\\0001\\18\\377\\33[m\\t\\\"\\\\\"...");
	buf_free(&b);
	call_free(&ca);
}

/* A second pointer leads to buffers, of the call or of its return. */
static void
test_buffers(void **state)
{
	struct mem_call ca;
	struct buf b;

	(void)state;
	call_init(&ca, "syscall", "readv", 6);
	call_add(&ca, 1, IN,
	    BYTES(U64(1), U64(4), U64(2), U64(100), U64(0), U64(0), U64(4),
		U64(1)),
	    64);
	call_add(&ca, 1, OUT_BUFFER, BYTES('a', 'b', 'c', 'd'), 4);
	call_add(&ca, 1, OUT_BUFFER, BYTES('e', '\n'), 40);
	call_add(&ca, 1, OUT_BUFFER, NULL, 0, 0);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 1);
	assert_buf(&b,
	    "[{iov_base=\"abcd\", iov_len=4}, {iov_base=\"e\\n\"..., "
	    "iov_len=100}, {iov_base=NULL, iov_len=0}, "
	    "{iov_base=0x4, iov_len=1}]");
	buf_free(&b);
	call_free(&ca);

	call_init(&ca, "syscall", "sendmsg", 1);
	call_add(&ca, 1, IN,
	    BYTES(U64(0), U64(0), U64(7), U64(1), U64(0x10), U64(24),
		U64(0x40)),
	    56);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 1);
	assert_buf(&b,
	    "{msg_name=NULL, msg_namelen=0, msg_iov=0x7, msg_iovlen=1, "
	    "msg_control=0x10, msg_controllen=24, msg_flags=MSG_DONTWAIT}");
	call_add(&ca, 1, IN | DT_STR_VECTOR, BYTES(U64(1), U64(1)), 16);
	call_add(&ca, 1, DT_STR_DATA | DT_STR_VECTOR, BYTES('x'), 1);
	arg_text(&b, &ca.ca_call, 1);
	assert_buf(&b,
	    "{msg_name=NULL, msg_namelen=0, "
	    "msg_iov=[{iov_base=\"x\", iov_len=1}], msg_iovlen=1, "
	    "msg_control=0x10, msg_controllen=24, msg_flags=MSG_DONTWAIT}");
	buf_free(&b);
	call_free(&ca);

	call_init(&ca, "syscall", "execve", 0);
	call_add(&ca, 2, DT_STR_VECTOR | DT_STR_MORE, NULL, 0, 25);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 2);
	assert_buf(&b, "0x7f0000001002 /* 25 vars */");
	buf_free(&b);
	call_free(&ca);
}

/* A descriptor has its path, and whether the file still exists. */
static void
test_paths(void **state)
{
	struct procs *pr = procs_alloc();
	struct mem_call ca;
	struct buf b;

	(void)state;
	procs_set(pr, 1, 3, "/tmp/f (deleted)");
	procs_set(pr, 1, 4, "/tmp/(deleted) f");
	call_init(&ca, "syscall", "poll", 0);
	ca.ca_call.ac_procs = pr;
	call_add(&ca, 0, IN,
	    BYTES(U32(3), U16(1), U16(0), U32(4), U16(0), U16(0)), 16);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 0);
	assert_buf(&b,
	    "[{fd=3</tmp/f>(deleted), events=POLLIN}, "
	    "{fd=4</tmp/(deleted) f>, events=0}]");
	buf_free(&b);
	call_free(&ca);
	procs_free(pr);
}

/* Structs of 32-bit programs have another layout: they are not decoded. */
static void
test_layout32(void **state)
{
	struct mem_call ca;
	struct buf b;

	(void)state;
	call_init(&ca, "syscall32", "nanosleep", 0);
	buf_init(&b, -1);
	arg_text(&b, &ca.ca_call, 0);
	assert_buf(&b, "0x7f0000001000");
	buf_free(&b);
	call_free(&ca);
}

/*
 * Any bytes of any length, for any argument of any call: text without control
 * characters, and (with a sanitizer) no read out of bounds.
 */
static void
hostile_bytes(uint8_t *bytes, size_t len, unsigned int seed)
{
	uint32_t x = seed * 2654435761U + 1;
	size_t i;

	for (i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		bytes[i] = seed == 0 ? 0 : seed == 1 ? 0xff : x >> 24;
	}
}

static void
hostile_call(const char *prov, const char *name, unsigned int nargs,
    unsigned int seed, size_t len)
{
	static const unsigned int flags[] = { IN, OUT, DT_STR_DATA,
		DT_STR_DATA | DT_STR_RETURN };
	uint8_t bytes[DT_REC_MAXMEMORY];
	unsigned int argn, i;
	struct mem_call ca;
	struct buf b;
	size_t at;

	hostile_bytes(bytes, len, seed);
	call_init(&ca, prov, name, seed == 1 ? -1 : (int64_t)seed);
	buf_init(&b, -1);
	for (argn = 0; argn < nargs; argn++) {
		ca.ca_args[argn] = seed * (argn + 1) * 3;
		for (i = 0; i < 4; i++)
			call_add(&ca, argn, flags[i], bytes, len,
			    len + (seed % 3) * 1000);
	}
	for (argn = 0; argn < nargs; argn++)
		arg_text(&b, &ca.ca_call, argn);
	arg_ret_text(&b, &ca.ca_call);
	for (at = 0; at < b.b_len; at++)
		assert_true(
		    (uint8_t)b.b_data[at] >= ' ' && b.b_data[at] != 0x7f);
	buf_free(&b);
	call_free(&ca);
}

static void
hostile_case(const struct mem_case *mc)
{
	struct buf b;
	size_t len;

	buf_init(&b, -1);
	for (len = 0; len <= mc->len; len++) {
		put_arg(&b, mc, len, mc->len);
		put_arg(&b, mc, len, 65535);
	}
	buf_free(&b);
}

static void
test_hostile(void **state)
{
	static const size_t lens[] = { 0, 1, 2, 3, 4, 7, 8, 11, 12, 16, 23, 28,
		31, 40, 47, 52, 64, 88, 112, 130, 144, 208, 384, 512 };
	const struct syscall_desc *sd;
	unsigned int abi, nr, seed;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		hostile_case(&cases[i]);
	for (abi = 0; abi < SYSCALL_NABI; abi++) {
		for (nr = 0; nr < syscall_max(abi); nr++) {
			if ((sd = syscall_desc(abi, nr)) == NULL)
				continue;
			for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
				for (seed = 0; seed < 5; seed++)
					hostile_call(abi == SYSCALL_ABI_64
						? "syscall"
						: "syscall32",
					    sd->name, sd->nargs, seed, lens[i]);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_layout32),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
