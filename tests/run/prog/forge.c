/* SPDX-License-Identifier: ISC */
/*
 * forge KIND [N]: writes a forged recording to stdout.
 *
 * all		one of everything that the format has
 * stop		the same, as a file that continues in another
 * probes	N probes and no end
 * maps		N times code of a process, each older than the last, and an
 *		event at another address in it
 * x86, arm64	a call with the flag N, recorded on such a machine
 * names	names, paths and comms with control sequences
 * liar		a block that claims 1 MB in a file of 100 bytes
 * toolong	a block that claims more than the maximum
 * nopbn	a record of a probe that is not described
 * nonsense	a record whose sections end at a wrong offset
 * sum		a wrong checksum
 * later	another version
 * magic	not a recording
 * strings	a record with unterminated strings
 * result	a result that is a field of a record, by the flags of its probe
 * noresult	a return and a pair without a result
 * folders	a process with N paths of descriptors, 3 of which is its folder
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/dtfile/block.h"

#include "tests/run/prog/prog.h"

#define FORGE_TERMINAL "\033[31m\033]0;x\007\t\n\r\b\177\302\233m\377"

/* Bits to flip in the output, at an offset in the file. */
struct forge {
	size_t fo_pos;
	size_t fo_at;
	unsigned char fo_bits;
};

static int
forge_write(void *arg, const struct iovec *iov, int niov)
{
	struct forge *fo = arg;
	unsigned char *p;
	size_t n;
	int i;

	for (i = 0; i < niov; i++) {
		p = iov[i].iov_base;
		n = iov[i].iov_len;
		if (fo->fo_bits != 0 && fo->fo_at >= fo->fo_pos &&
		    fo->fo_at < fo->fo_pos + n) {
			if ((p = malloc(n)) == NULL)
				err(1, NULL);
			memcpy(p, iov[i].iov_base, n);
			p[fo->fo_at - fo->fo_pos] ^= fo->fo_bits;
		}
		if (write(STDOUT_FILENO, p, n) != (ssize_t)n)
			err(1, "stdout");
		if (p != iov[i].iov_base)
			free(p);
		fo->fo_pos += n;
	}
	return 0;
}

/* A record under construction. */
struct made {
	_Alignas(8) unsigned char data[4096];
	size_t len;
};

static struct dt_rec *
made_rec(struct made *m)
{
	return (struct dt_rec *)m->data;
}

static void
made_add(struct made *m, unsigned int flag, const void *data, size_t n)
{
	memset(m->data + m->len, 0, (n + 7) & ~(size_t)7);
	memcpy(m->data + m->len, data, n);
	m->len += (n + 7) & ~(size_t)7;
	made_rec(m)->dr_flags |= flag;
	made_rec(m)->dr_length = m->len;
}

static void
made_begin(struct made *m, uint32_t pbn, uint64_t time, const char *comm)
{
	const struct dt_rec rec = { .dr_kind = DT_REC_EVENT,
		.dr_pbn = pbn,
		.dr_time = time,
		.dr_pid = 100,
		.dr_tid = 101 };
	const uint64_t args[] = { (uint64_t)-100, 0x7f0000001000, 7 };
	const struct dt_rec_ret ret = { .drr_retval = -1, .drr_error = 2 };
	char name[DT_REC_COMMLEN] = "";

	m->len = 0;
	made_add(m, 0, &rec, sizeof(rec));
	if (pbn == 1)
		made_add(m, DT_REC_ARGS, args, sizeof(args));
	else
		made_add(m, DT_REC_RETVAL, &ret, sizeof(ret));
	memcpy(name, comm, strnlen(comm, sizeof(name) - 1));
	made_add(m, DT_REC_COMM, name, sizeof(name));
}

static void
made_stacks(struct made *m)
{
	const struct dt_rec_stack k = { .drs_count = 3,
		.drs_end = DT_STACK_LIMIT };
	const struct dt_rec_stack u = { .drs_count = 5,
		.drs_end = DT_STACK_ERRNO,
		.drs_error = 14 };
	const uint64_t kpcs[] = { 0xffffffff81000010, 0xffffffff81000021,
		0xffffffff81000030 };
	const uint64_t upcs[] = { 0x401000, 0x401021, 0x401031, 0x7f0000000011,
		0x9999 };

	made_add(m, DT_REC_KSTACK, &k, sizeof(k));
	made_add(m, 0, kpcs, sizeof(kpcs));
	made_add(m, DT_REC_USTACK, &u, sizeof(u));
	made_add(m, 0, upcs, sizeof(upcs));
}

static void
made_string(struct made *m, unsigned int argn, unsigned int flags,
    const char *text)
{
	const struct dt_rec_strings sz = { .drz_count = 1,
		.drz_nbytes = sizeof(struct dt_rec_string) +
		    ((strlen(text) + 7) & ~(size_t)7) };
	const struct dt_rec_string s = { .drt_argn = argn,
		.drt_flags = flags,
		.drt_length = strlen(text),
		.drt_truelen = strlen(text) };

	made_add(m, DT_REC_STRINGS, &sz, sizeof(sz));
	made_add(m, 0, &s, sizeof(s));
	made_add(m, 0, text, strlen(text));
}

static void
forge_head(struct block_writer *w, const char *machine)
{
	struct block_head head = { .bf_start = 1700000000000000000,
		.bf_ncpu = 2,
		.bf_host = "nowhere",
		.bf_release = "6.1",
		.bf_writer = "forge",
		.bf_boot = "01234567-89ab-cdef-0123-456789abcdef" };

	snprintf(head.bf_machine, sizeof(head.bf_machine), "%s", machine);
	block_head(w, &head);
}

static void
forge_begin(struct block_writer *w, const char *word)
{
	struct block_probe pb = { .pb_pbn = 1,
		.pb_nargs = 3,
		.pb_prov = "syscall",
		.pb_func = word,
		.pb_name = "entry",
		.pb_args = { { "int", "dfd", 0 },
		    { "const char *", "filename", 0 }, { word, word, 0 } } };

	forge_head(w, "x86_64");
	block_probe(w, &pb);
	pb.pb_pbn = 2;
	pb.pb_nargs = 0;
	pb.pb_name = "return";
	block_probe(w, &pb);
	block_clock(w, 1700000000000000000);
}

static void
forge_map(struct block_writer *w, uint64_t from, uint64_t start, uint64_t file,
    unsigned int kind, const char *path)
{
	const struct block_map_hdr h = { .bmh_from = from,
		.bmh_start = start,
		.bmh_end = start + 0x1000,
		.bmh_offset = 0x1000,
		.bmh_file = file,
		.bmh_pid = 100,
		.bmh_kind = kind,
		.bmh_buildidlen = 20,
		.bmh_buildid = "12345678901234567890" };

	block_maps(w, &h, path);
}

static void
forge_usym(struct block_writer *w, uint64_t file, uint64_t place, uint32_t pid,
    const char *func, int isinlined)
{
	const struct block_usym_hdr h = { .buh_file = file,
		.buh_place = place,
		.buh_pid = pid,
		.buh_offset = 8,
		.buh_line = 12,
		.buh_isinlined = isinlined };

	block_usym(w, &h, func, isinlined ? func : "");
}

/*
 * A process that has other code at the same addresses from time 1005 on, a
 * function with an inlined one, and code without a file.
 */
static void
forge_code(struct block_writer *w, const char *word)
{
	char path[256];

	snprintf(path, sizeof(path), "/nosuch/%s", word);
	forge_map(w, 500, 0x401000, 1, BLOCK_MAP_FILE, path);
	forge_map(w, 500, 0x7f0000000000, 2, BLOCK_MAP_ANON, "//anon");
	forge_map(w, 1005, 0x401000, 3, BLOCK_MAP_FILE, "/nosuch/other");
	forge_usym(w, 1, 0x1000, 0, word, 1);
	forge_usym(w, 1, 0x1000, 0, "outer", 0);
	forge_usym(w, 1, 0x1000, 0, "again", 0);
	forge_usym(w, 1, 0x1020, 0, word, 0);
	forge_usym(w, 3, 0x1000, 0, "_start", 0);
	forge_usym(w, 2, 0x7f0000000010, 100, word, 0);
}

static void
forge_events(struct block_writer *w, const char *word)
{
	struct made m;
	uint64_t i;

	block_ksym(w, 0xffffffff81000010, word, 0x10);
	block_ksym(w, 0xffffffff81000020, "caller", 0x20);
	block_file(w, 100, 3, word);
	block_file(w, 100, -100, "/tmp");
	block_cgroup(w, 4711, word);
	forge_code(w, word);
	for (i = 0; i < 8; i++) {
		made_begin(&m, 1 + i % 2, 1000 + (i ^ 1), word);
		if (i >= 4) {
			const struct dt_rec_who who = { 4711, 1000, 1 };

			made_add(&m, DT_REC_WHO, &who, sizeof(who));
		}
		if (i == 2 || i == 6)
			made_stacks(&m);
		if (i % 2 == 0)
			made_string(&m, 1, 0, word);
		else if (i == 3)
			made_string(&m, 1, DT_STR_RETURN, word);
		if (i == 5) { /* the clock was set */
			block_flush(w);
			block_clock(w, 1600000000000000000);
		}
		if (i == 6) {
			block_flush(w);
			block_file(w, 100, 4, "/etc/passwd");
		}
		block_record(w, i % 2, made_rec(&m));
	}
	block_pass(w, 1004);
	block_flush(w);
}

static void
forge_end(struct block_writer *w)
{
	const struct dt_ledger ledger = { .dl_fired = 8,
		.dl_read = 8,
		.dl_runs = 1,
		.dl_flags = DT_LEDGER_FINAL };

	block_end(w, NULL, &ledger);
}

/*
 * The kinds
 */

static void
forge_all(struct block_writer *w, long n)
{
	(void)n;
	forge_begin(w, "openat");
	forge_events(w, "openat");
	forge_end(w);
}

static void
forge_stop(struct block_writer *w, long n)
{
	const struct block_stop stop = { .bs_why = BLOCK_STOP_NEXT,
		.bs_written = 8 };

	(void)n;
	forge_begin(w, "openat");
	forge_events(w, "openat");
	block_end(w, &stop, NULL);
}

static void
forge_names(struct block_writer *w, long n)
{
	(void)n;
	forge_begin(w, FORGE_TERMINAL);
	forge_events(w, FORGE_TERMINAL);
	forge_end(w);
}

static void
forge_probes(struct block_writer *w, long n)
{
	struct block_probe pb = { .pb_prov = "p",
		.pb_func = "f",
		.pb_name = "n" };

	forge_begin(w, "openat");
	for (pb.pb_pbn = 3; n-- > 0; pb.pb_pbn++)
		block_probe(w, &pb);
}

static void
forge_maps(struct block_writer *w, long n)
{
	const struct dt_rec_stack st = { .drs_count = 1 };
	uint64_t pc = 0x401000;
	struct made m;
	long i;

	forge_begin(w, "openat");
	for (i = 0; i < n; i++, pc++) {
		forge_map(w, n - i, 0x401000, 1, BLOCK_MAP_FILE, "/nosuch/a");
		made_begin(&m, 2, n + i, "comm");
		made_add(&m, DT_REC_USTACK, &st, sizeof(st));
		made_add(&m, 0, &pc, sizeof(pc));
		block_record(w, 0, made_rec(&m));
		block_pass(w, n + i);
		block_flush(w);
	}
	forge_end(w);
}

/* A header alone, and some bytes. */
static void
forge_header(uint32_t length, size_t nbytes)
{
	static const char zeros[4096];
	struct block_hdr h = { .bh_type = BLOCK_DATA,
		.bh_version = 1,
		.bh_length = length };

	if (write(STDOUT_FILENO, &h, sizeof(h)) != sizeof(h) ||
	    write(STDOUT_FILENO, zeros, nbytes) != (ssize_t)nbytes)
		err(1, "stdout");
}

static void
forge_liar(struct block_writer *w, long n)
{
	(void)n;
	forge_begin(w, "openat");
	forge_header(1 << 20, 84);
}

static void
forge_toolong(struct block_writer *w, long n)
{
	(void)n;
	forge_begin(w, "openat");
	forge_header(UINT32_MAX, 4096);
}

static void
forge_nopbn(struct block_writer *w, long n)
{
	struct made m;

	(void)n;
	forge_begin(w, "openat");
	made_begin(&m, 2, 5, "comm");
	block_record(w, 0, made_rec(&m));
	made_rec(&m)->dr_pbn = 99;
	block_record(w, 0, made_rec(&m));
	block_flush(w);
	forge_end(w);
}

static void
forge_nonsense(struct block_writer *w, long n)
{
	struct made m;

	(void)n;
	forge_begin(w, "openat");
	made_begin(&m, 2, 5, "comm");
	made_rec(&m)->dr_flags |= DT_REC_KSTACK;
	block_record(w, 0, made_rec(&m));
	block_flush(w);
	forge_end(w);
}

static void
forge_result(struct block_writer *w, long n)
{
	const struct block_probe pb = { .pb_pbn = 3,
		.pb_nargs = 1,
		.pb_flags = DTPI_FIELDS | DTPI_FUNC,
		.pb_prov = "kprobe",
		.pb_func = "f",
		.pb_name = "return",
		.pb_args = { { "", "retval", 0 } } };
	struct made m;

	(void)n;
	forge_begin(w, "openat");
	block_probe(w, &pb);
	made_begin(&m, 3, 5, "comm");
	((struct dt_rec_ret *)(m.data + sizeof(struct dt_rec)))->drr_error = 0;
	block_record(w, 0, made_rec(&m));
	block_flush(w);
	forge_end(w);
}

/* Makes a record of the return a record without sections. */
static void
made_bare(struct made *m, uint64_t time)
{
	const struct dt_rec rec = { .dr_kind = DT_REC_EVENT,
		.dr_pbn = 2,
		.dr_time = time,
		.dr_pid = 100,
		.dr_tid = 101 };

	m->len = 0;
	made_add(m, 0, &rec, sizeof(rec));
}

static void
forge_noresult(struct block_writer *w, long n)
{
	const struct block_probe pb = { .pb_pbn = 5,
		.pb_nargs = 1,
		.pb_flags = DTPI_CALL,
		.pb_prov = "syscall",
		.pb_func = "unlink",
		.pb_name = "entry",
		.pb_args = { { "const char *", "pathname", DTAN_PATH } } };
	const struct dt_rec_duration d = { .drd_nsecs = 10,
		.drd_first = 5,
		.drd_nargs = 1 };
	const uint64_t path = 0x7f0000001000;
	struct made m;

	(void)n;
	forge_begin(w, "openat");
	block_probe(w, &pb);
	made_begin(&m, 1, 5, "comm");
	block_record(w, 0, made_rec(&m));
	made_bare(&m, 6);
	block_record(w, 0, made_rec(&m));
	made_bare(&m, 7);
	made_add(&m, DT_REC_ARGS, &path, sizeof(path));
	made_add(&m, DT_REC_DURATION, &d, sizeof(d));
	block_record(w, 0, made_rec(&m));
	block_flush(w);
	forge_end(w);
}

static void
forge_folders(struct block_writer *w, long n)
{
	struct block_probe pb = { .pb_pbn = 3,
		.pb_nargs = 1,
		.pb_flags = DTPI_CALL,
		.pb_prov = "syscall",
		.pb_func = "fchdir",
		.pb_name = "entry",
		.pb_args = { { "int", "fd", 0 } } };
	const struct dt_rec_ret ret = { 0 };
	const uint64_t fd = 3;
	char path[4096] = "";
	struct made m;
	long i;

	forge_begin(w, "openat");
	block_probe(w, &pb);
	pb.pb_pbn = 4;
	pb.pb_nargs = 0;
	pb.pb_name = "return";
	block_probe(w, &pb);
	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	for (i = 0; i < n; i++) {
		block_file(w, 100, 3 + i, path);
		block_flush(w);
	}
	made_bare(&m, 5);
	made_rec(&m)->dr_pbn = 3;
	made_add(&m, DT_REC_ARGS, &fd, sizeof(fd));
	block_record(w, 0, made_rec(&m));
	made_bare(&m, 6);
	made_rec(&m)->dr_pbn = 4;
	made_add(&m, DT_REC_RETVAL, &ret, sizeof(ret));
	block_record(w, 0, made_rec(&m));
	block_flush(w);
	forge_end(w);
}

static void
forge_strings(struct block_writer *w, long n)
{
	struct dt_rec_strings *sz;
	struct made m;
	size_t at;

	(void)n;
	forge_begin(w, "openat");
	made_begin(&m, 2, 5, "comm");
	at = m.len;
	made_string(&m, 1, 0, "text");
	sz = (struct dt_rec_strings *)(m.data + at);
	sz->drz_count = UINT32_MAX;
	block_record(w, 0, made_rec(&m));
	block_flush(w);
	forge_end(w);
}

/* A call with a flag that has another meaning on each machine. */
static void
forge_machine(struct block_writer *w, const char *machine, uint64_t flag)
{
	const struct block_probe pb = { .pb_pbn = 1,
		.pb_nargs = 3,
		.pb_prov = "syscall",
		.pb_func = "openat",
		.pb_name = "entry",
		.pb_args = { { "int", "dfd", 0 },
		    { "const char *", "filename", 0 },
		    { "int", "flags", 0 } } };
	struct made m;

	forge_head(w, machine);
	block_probe(w, &pb);
	block_clock(w, 1700000000000000000);
	made_begin(&m, 1, 1, "comm");
	memcpy(m.data + sizeof(struct dt_rec) + 2 * sizeof(flag), &flag,
	    sizeof(flag));
	block_record(w, 0, made_rec(&m));
	block_flush(w);
	forge_end(w);
}

static void
forge_arm64(struct block_writer *w, long n)
{
	forge_machine(w, "aarch64", n);
}

static void
forge_x86(struct block_writer *w, long n)
{
	forge_machine(w, "x86_64", n);
}

static const struct {
	const char *kind;
	void (*fn)(struct block_writer *, long);
	size_t at; /* where bits are flipped */
	unsigned char bits;
} kinds[] = {
	{ "all", forge_all, 0, 0 },
	{ "stop", forge_stop, 0, 0 },
	{ "names", forge_names, 0, 0 },
	{ "probes", forge_probes, 0, 0 },
	{ "maps", forge_maps, 0, 0 },
	{ "liar", forge_liar, 0, 0 },
	{ "toolong", forge_toolong, 0, 0 },
	{ "nopbn", forge_nopbn, 0, 0 },
	{ "nonsense", forge_nonsense, 0, 0 },
	{ "strings", forge_strings, 0, 0 },
	{ "result", forge_result, 0, 0 },
	{ "noresult", forge_noresult, 0, 0 },
	{ "folders", forge_folders, 0, 0 },
	{ "x86", forge_x86, 0, 0 },
	{ "arm64", forge_arm64, 0, 0 },
	{ "sum", forge_all, 300, 1 },
	{ "later", forge_all, 4, 3 },
	/*
	 * one changed byte of "DTR
	 *" is enough for a wrong magic number
	 */
	{ "magic", forge_all, 0, 1 },
};

int
main(int argc, char **argv)
{
	struct forge fo = { 0 };
	struct block_writer *w;
	size_t i;

	prog_init("forge", 300);
	if (argc < 2)
		errx(2, "usage: forge kind [n]");
	if ((w = block_writer_alloc(forge_write, &fo)) == NULL)
		err(1, NULL);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].kind, argv[1]) != 0)
			continue;
		fo.fo_at = kinds[i].at;
		fo.fo_bits = kinds[i].bits;
		kinds[i].fn(w, argc > 2 ? prog_number(argv[2], 1L << 32) : 0);
		block_writer_free(w);
		return 0;
	}
	errx(2, "%s: no such kind", argv[1]);
}
