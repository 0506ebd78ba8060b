/* SPDX-License-Identifier: ISC */
/*
 * symbols WHAT
 *
 * Symbols returned by libdt, compared with known truth:
 *
 *	stack	the functions of a recorded stack of this program, also after
 *		the process has exited
 *	kernel	functions of the kernel, as in /proc/kallsyms
 *	maps	mappings, as in /proc/self/maps
 *	reasons	addresses without a symbol have a reason
 *	lines	source lines of this program
 *	file	symbols by offsets in its file
 *	flood	clients that resolve addresses all the time delay no other RECORD
 *	stat	the statistics have its counts
 *	brief	stacks of processes of a millisecond, resolved after all exited
 *	bpf	programs loaded later keep their symbols after the unload
 *	module LOAD UNLOAD
 *		the same of a module, with commands that load and unload it; its
 *		function is dummy_xmit
 *	hidden TEXT
 *		the kernel's symbols are refused for this reason
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "tests/run/prog/prog.h"

#define NFLOOD	   6
#define NBRIEF	   300
#define NSTARTS	   20
#define START_MAX  2000000000LL /* ns; a start takes 20 ms */
#define CALLS	   10
#define NOBODY_PID 0x3ffffff /* above Linux's maximum */

static struct prog_dtd dtd;

/*
 * getegid(2), which sanitizers never call.  Made without the C library, whose
 * functions keep no frame pointer.
 */
static inline long
call_getegid(void)
{
#if defined(__x86_64__)
	register long nr __asm__("rax") = SYS_getegid;

	__asm__ volatile("syscall" : "+r"(nr) : : "rcx", "r11", "memory");
#else
	register long number __asm__("x8") = SYS_getegid;
	register long nr __asm__("x0");

	__asm__ volatile("svc 0" : "=r"(nr) : "r"(number) : "memory");
#endif
	return nr;
}

#define NOINLINE __attribute__((noinline))

NOINLINE int
symbols_inner(int n)
{
	/*
	 * a function that uses its frame address has a frame, also without
	 * calls
	 */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	call_getegid();
	return n + 1;
}

NOINLINE int
symbols_middle(int n)
{
	n = symbols_inner(n);
	__asm__ volatile("" : : : "memory");
	return n + 1;
}

NOINLINE void
symbols_outer(int sock, void *arg)
{
	int i, n = 0;

	(void)arg;
	while (prog_hear(sock) != -1) {
		for (i = 0; i < CALLS; i++)
			n += symbols_middle(i);
		prog_tell(sock, (char)n);
	}
}

static void
must(int ok, const char *what)
{
	if (!ok)
		errx(1, "%s", what);
}

/* Resolves one frame of this process, now. */
static struct dt_frame
name_of(struct dt *dt, pid_t pid, uint64_t pc, unsigned int flags,
    struct dt_frames *fr)
{
	if (dt_symbolize(dt, pid, 0, &pc, 1, flags, fr) == -1)
		errx(1, "dt_symbolize: %s", dt_error(dt));
	must(fr->df_n >= 1, "no frame");
	return fr->df_frames[0];
}

static void
is_named(struct dt *dt, pid_t pid, uint64_t pc, const char *name)
{
	struct dt_frames fr;
	struct dt_frame df = name_of(dt, pid, pc, 0, &fr);

	if (df.df_func == NULL || strcmp(df.df_func, name) != 0)
		errx(1, "%#" PRIx64 " is %s (why %u, %s), not %s", pc,
		    df.df_func != NULL ? df.df_func : "nameless", df.df_why,
		    strerror(df.df_error), name);
	dt_frames_free(&fr);
}

/*
 * Returns whether a recorded stack has the functions symbols_outer() and below.
 */
static void
check_stack(struct dt *dt, const struct dt_event *ev)
{
	static const char *const names[] = { "symbols_inner", "symbols_middle",
		"symbols_outer" };
	uint64_t pcs[DT_REC_MAXFRAMES];
	const uint64_t *at = DT_STACK_PCS(ev->ev_ustack);
	unsigned int i, n = ev->ev_ustack->drs_count;
	struct dt_frames fr;

	must(n >= 3 && n <= DT_REC_MAXFRAMES, "a stack of another depth");
	for (i = 0; i < n; i++)
		pcs[i] = at[i] - (i > 0);
	if (dt_symbolize(dt, (pid_t)ev->ev_rec->dr_pid, ev->ev_rec->dr_time,
		pcs, n, 0, &fr) == -1)
		errx(1, "dt_symbolize: %s", dt_error(dt));
	must(fr.df_n == n, "another number of frames");
	for (i = 0; i < 3; i++)
		if (fr.df_frames[i].df_func == NULL ||
		    strcmp(fr.df_frames[i].df_func, names[i]) != 0)
			errx(1, "frame %u is %s (why %u, %s)", i,
			    fr.df_frames[i].df_func != NULL
				? fr.df_frames[i].df_func
				: "nameless",
			    fr.df_frames[i].df_why,
			    strerror(fr.df_frames[i].df_error));
	dt_frames_free(&fr);
}

static void
do_stack(void)
{
	struct dt *dt = prog_open(&dtd, 0);
	struct prog_child pc;
	struct dt_event ev;
	unsigned int n = 0;
	int r;

	prog_child_start(&pc, symbols_outer, NULL);
	prog_enable(dt, "syscall:getegid:entry", DTEVT_USTACK, 0);
	prog_filter(dt, pc.pc_pid);
	prog_record(dt, 1);
	/* waits until dtd knows the child, which exits soon */
	is_named(dt, pc.pc_pid, (uintptr_t)symbols_inner + 1, "symbols_inner");
	prog_tell(pc.pc_sock, 'x');
	must(prog_hear(pc.pc_sock) != -1, "the child has ended");
	prog_record(dt, 0);
	prog_child_end(&pc); /* its mappings stay known */
	while ((r = dt_next(dt, &ev, -1)) == 1) {
		must(ev.ev_ustack != NULL, "no stack");
		check_stack(dt, &ev);
		n++;
	}
	must(r == -1 && errno == ENODATA && n == CALLS, "events are missing");
	dt_close(dt);
	printf("%u stacks\n", n);
}

/* A brief process. */
static void
do_child(void)
{
	symbols_middle(1);
}

/* Executes this program in one process after another. */
static void
brief_load(int sock, void *arg)
{
	char *argv[] = { "symbols", "child", NULL };
	int i, status;
	pid_t pid;

	(void)arg;
	must(prog_hear(sock) != -1, "nobody wants a load");
	for (i = 0; i < NBRIEF; i++) {
		if ((pid = fork()) == 0) {
			execv("/proc/self/exe", argv);
			_exit(127);
		}
		must(pid != -1 && waitpid(pid, &status, 0) == pid &&
			status == 0,
		    "a brief process");
	}
	prog_tell(sock, 'x');
}

/* A stack, as recorded. */
struct brief {
	pid_t br_pid;
	uint64_t br_time;
	uint64_t br_pcs[2];
};

/* Returns whether a stack begins with symbols_inner() and symbols_middle(). */
static int
brief_isnamed(struct dt *dt, const struct brief *br)
{
	const struct dt_frame *df;
	struct dt_frames fr;
	int is;

	if (dt_symbolize(dt, br->br_pid, br->br_time, br->br_pcs, 2, 0, &fr) ==
	    -1)
		errx(1, "dt_symbolize: %s", dt_error(dt));
	df = fr.df_frames;
	is = df[0].df_func != NULL && df[1].df_func != NULL &&
	    strcmp(df[0].df_func, "symbols_inner") == 0 &&
	    strcmp(df[1].df_func, "symbols_middle") == 0;
	if (!is)
		fprintf(stderr, "process %d: %s (why %u, %s)\n",
		    (int)br->br_pid, df[0].df_func, df[0].df_why,
		    strerror(df[0].df_error));
	dt_frames_free(&fr);
	return is;
}

static void
do_brief(void)
{
	static struct brief all[NBRIEF];
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID | DTFI_CHILDREN };
	struct dt *dt = prog_open(&dtd, 0);
	unsigned int i, n = 0, nnamed = 0;
	struct prog_child pc;
	struct dt_event ev;
	int r;

	prog_child_start(&pc, brief_load, NULL);
	fi.dtfi_pid = (uint32_t)pc.pc_pid;
	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1)
		errx(1, "DTIOCSFILTER: %s", dt_error(dt));
	prog_enable(dt, "syscall:getegid:entry", DTEVT_USTACK, 0);
	prog_record(dt, 1);
	prog_tell(pc.pc_sock, 'x');
	must(prog_hear(pc.pc_sock) == 'x', "the load has ended");
	prog_record(dt, 0);
	prog_child_end(&pc);
	while ((r = dt_next(dt, &ev, -1)) == 1) {
		must(n < NBRIEF && ev.ev_ustack != NULL &&
			ev.ev_ustack->drs_count >= 2,
		    "another stack");
		all[n].br_pid = (pid_t)ev.ev_rec->dr_pid;
		all[n].br_time = ev.ev_rec->dr_time;
		memcpy(all[n].br_pcs, DT_STACK_PCS(ev.ev_ustack),
		    sizeof(all[n].br_pcs));
		all[n++].br_pcs[1]--;
	}
	must(r == -1 && errno == ENODATA && n == NBRIEF, "events are missing");
	for (i = 0; i < n; i++)
		nnamed += brief_isnamed(dt, &all[i]);
	dt_close(dt);
	printf("%u of %u processes\n", nnamed, n);
}

/* Finds functions of /proc/kallsyms whose address is unique. */
static void
do_kernel(void)
{
	static const char *const names[] = { "vfs_read", "schedule",
		"do_nanosleep", "kernel_clone" };
	struct dt *dt = prog_open(&dtd, 0);
	char line[512], name[256], type;
	struct dt_frames fr;
	struct dt_frame df;
	uint64_t addr;
	size_t i, n = 0;
	FILE *f;

	if ((f = fopen("/proc/kallsyms", "r")) == NULL)
		err(1, "/proc/kallsyms");
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%" SCNx64 " %c %255s", &addr, &type, name) !=
		    3)
			continue;
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (strcmp(name, names[i]) != 0)
				continue;
			df = name_of(dt, 0, addr + 1, 0, &fr);
			must(df.df_func != NULL &&
				strcmp(df.df_func, name) == 0 &&
				df.df_offset == 1,
			    name);
			must(strcmp(df.df_module, "[kernel]") == 0, "module");
			dt_frames_free(&fr);
			n++;
		}
	}
	fclose(f);
	df = name_of(dt, 0, 16, 0, &fr);
	must(df.df_func == NULL && df.df_why == DTFR_NOSYM, "address 16");
	dt_frames_free(&fr);
	dt_close(dt);
	printf("%zu functions\n", n);
}

/* Reads the code mappings of /proc/self/maps. */
static void
do_maps(void)
{
	struct dt *dt = prog_open(&dtd, 0);
	unsigned long start, end;
	struct dt_mappings maps;
	char line[4400], prot[8];
	size_t n = 0;
	FILE *f;

	if (dt_mappings(dt, getpid(), 0, &maps) == -1)
		errx(1, "dt_mappings: %s", dt_error(dt));
	must(dt_mappings(dt, NOBODY_PID, 0, &maps) == -1 && errno == ESRCH,
	    "a process that does not exist");
	if ((f = fopen("/proc/self/maps", "r")) == NULL)
		err(1, "/proc/self/maps");
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%lx-%lx %7s", &start, &end, prot) != 3 ||
		    prot[2] != 'x' || strstr(line, "[vsyscall]") != NULL)
			continue;
		must(n < maps.dm_n && maps.dm_maps[n].dm_start == start &&
			maps.dm_maps[n].dm_end == end,
		    line);
		must(strstr(line, maps.dm_maps[n].dm_path) != NULL, line);
		n++;
	}
	fclose(f);
	dt_mappings_free(&maps);
	dt_close(dt);
	printf("%s mappings\n", n >= 3 ? "all" : "few");
}

static void
why_is(struct dt *dt, pid_t pid, uint64_t pc, unsigned int why, int error)
{
	struct dt_frames fr;
	struct dt_frame df = name_of(dt, pid, pc, 0, &fr);

	if (df.df_func != NULL || df.df_why != why || df.df_error != error)
		errx(1, "%d, %#" PRIx64 ": why %u, not %u; %s", (int)pid, pc,
		    df.df_why, why, strerror(df.df_error));
	dt_frames_free(&fr);
}

static void
do_reasons(void)
{
	struct dt *dt = prog_open(&dtd, 0);

	is_named(dt, getpid(), (uintptr_t)symbols_inner + 1, "symbols_inner");
	why_is(dt, getpid(), 4096, DTFR_NOMAP, ENOENT);
	why_is(dt, NOBODY_PID, 4096, DTFR_NOPROC, ESRCH);
	why_is(dt, 0, 4096, DTFR_NOSYM, 0);
	dt_close(dt);
	printf("reasons\n");
}

static void
do_lines(void)
{
	struct dt *dt = prog_open(&dtd, 0);
	struct dt_frames fr;
	struct dt_frame df;

	df = name_of(dt, getpid(), (uintptr_t)symbols_middle + 1, DT_SYM_LINES,
	    &fr);
	must(df.df_func != NULL && strcmp(df.df_func, "symbols_middle") == 0,
	    "symbols_middle has another name");
	must(df.df_file != NULL && strstr(df.df_file, "symbols.c") != NULL,
	    "symbols_middle has no source");
	must(df.df_line > 50 && df.df_line < 100, "another line");
	dt_frames_free(&fr);
	dt_close(dt);
	printf("lines\n");
}

static void
do_file(void)
{
	struct dt *dt = prog_open(&dtd, 0);
	uint64_t off, pc = (uintptr_t)symbols_outer + 1;
	uint8_t id[20] = { 1, 2, 3 };
	struct dt_frames fr, by;
	char path[4096];
	ssize_t n;

	if ((n = readlink("/proc/self/exe", path, sizeof(path) - 1)) == -1)
		err(1, "/proc/self/exe");
	path[n] = '\0';
	off = name_of(dt, getpid(), pc, 0, &fr).df_fileoff;
	must(strcmp(fr.df_frames[0].df_module, path) == 0, "another module");
	if (dt_symbolize_file(dt, path, fr.df_frames[0].df_buildid,
		fr.df_frames[0].df_buildidlen, &off, 1, 0, &by) == -1)
		errx(1, "dt_symbolize_file: %s", dt_error(dt));
	must(by.df_n == 1 && by.df_frames[0].df_func != NULL &&
		strcmp(by.df_frames[0].df_func, "symbols_outer") == 0,
	    "the file names it otherwise");
	dt_frames_free(&fr);
	dt_frames_free(&by);
	must(dt_symbolize_file(dt, path, id, 20, &off, 1, 0, &by) == 0 &&
		by.df_frames[0].df_func == NULL &&
		by.df_frames[0].df_why == DTFR_OTHER,
	    "another build id");
	dt_frames_free(&by);
	must(dt_symbolize_file(dt, "/nowhere", NULL, 0, &off, 1, 0, &by) == 0 &&
		by.df_frames[0].df_why == DTFR_NOFILE &&
		by.df_frames[0].df_error == ENOENT,
	    "a file that does not exist");
	dt_frames_free(&by);
	dt_close(dt);
	printf("by file\n");
}

/* Resolves addresses that the handle has not cached, until killed. */
static void
flood(int sock, void *arg)
{
	struct dt *dt = prog_open(&dtd, 0);
	uint64_t pcs[512], i, at = (uintptr_t)printf;
	struct dt_frames fr;

	(void)arg;
	prog_tell(sock, 'x');
	for (;;) {
		for (i = 0; i < 512; i++)
			pcs[i] = at++;
		if (dt_symbolize(dt, getpid(), 0, pcs, 512, 0, &fr) == -1)
			errx(1, "dt_symbolize: %s", dt_error(dt));
		dt_frames_free(&fr);
		if (at > (uintptr_t)printf + (1U << 20))
			at = (uintptr_t)printf;
	}
}

static void
do_flood(void)
{
	struct prog_child pc[NFLOOD];
	struct dt *dt = prog_open(&dtd, 0);
	int64_t began, took, worst = 0;
	int i;

	prog_enable(dt, "syscall:getegid:entry", 0, 0);
	for (i = 0; i < NFLOOD; i++) {
		prog_child_start(&pc[i], flood, NULL);
		must(prog_hear(pc[i].pc_sock) == 'x', "a client has ended");
	}
	for (i = 0; i < NSTARTS; i++) {
		began = prog_now();
		prog_record(dt, 1);
		took = prog_now() - began;
		prog_record(dt, 0);
		worst = took > worst ? took : worst;
	}
	for (i = 0; i < NFLOOD; i++) {
		kill(pc[i].pc_pid, SIGKILL);
		close(pc[i].pc_sock);
	}
	dt_close(dt);
	fprintf(stderr, "worst start %.1f ms\n", worst / 1e6);
	must(worst < START_MAX, "a start took too long");
	printf("%d starts\n", NSTARTS);
}

static void
do_stat(void)
{
	struct dt *dt = prog_open(&dtd, 0);
	struct dtioc_fullstat before, fs;

	if (dt_ioctl(dt, DTIOCGFULLSTAT, &before) == -1)
		errx(1, "DTIOCGFULLSTAT: %s", dt_error(dt));
	is_named(dt, getpid(), (uintptr_t)symbols_inner + 1, "symbols_inner");
	is_named(dt, getpid(), (uintptr_t)symbols_inner + 2, "symbols_inner");
	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		errx(1, "DTIOCGFULLSTAT: %s", dt_error(dt));
	must(before.dtfs_sym.dtss_asked == 0, "who has asked?");
	must(fs.dtfs_sym.dtss_asked == 2, "addresses that were asked for");
	must(fs.dtfs_sym.dtss_hits == 1, "the second is of the same function");
	must(fs.dtfs_sym.dtss_starts == 1 && fs.dtfs_sym.dtss_deaths == 0,
	    "starts of the symbolizer");
	must(fs.dtfs_sym.dtss_cachefiles == 1, "files in the cache");
	must(fs.dtfs_sym.dtss_nprocs >= 1 && fs.dtfs_sym.dtss_nmaps >= 3,
	    "processes that are followed");
	dt_close(dt);
	printf("statistics\n");
}

/* Returns the first function of /proc/kallsyms whose line has both texts. */
static uint64_t
kallsyms(const char *a, const char *b)
{
	char line[512];
	uint64_t addr = 0;
	FILE *f;

	if ((f = fopen("/proc/kallsyms", "r")) == NULL)
		err(1, "/proc/kallsyms");
	while (addr == 0 && fgets(line, sizeof(line), f) != NULL)
		if (strstr(line, a) != NULL && strstr(line, b) != NULL)
			addr = strtoull(line, NULL, 16);
	fclose(f);
	return addr;
}

/* An address of the kernel, and its expected symbol. */
struct func_name {
	struct dt *kn_dt;
	uint64_t kn_pc;
	uint64_t kn_nsecs;
	const char *kn_name;
	const char *kn_module;
	int kn_isnot; /* it must not be, whatever else it is */
};

static int
is_kname(void *arg)
{
	const struct func_name *kn = arg;
	const struct dt_frame *df;
	struct dt_frames fr;
	int is;

	if (dt_symbolize(kn->kn_dt, 0, kn->kn_nsecs, &kn->kn_pc, 1, 0, &fr) ==
	    -1)
		errx(1, "dt_symbolize: %s", dt_error(kn->kn_dt));
	df = fr.df_frames;
	is = df->df_func != NULL && strstr(df->df_func, kn->kn_name) != NULL &&
	    strcmp(df->df_module, kn->kn_module) == 0;
	dt_frames_free(&fr);
	return is != kn->kn_isnot;
}

/*
 * The function at pc has a symbol, soon.  After undo() has removed the function
 * it has none, except for a time when it existed.
 */
static void
comes_and_goes(struct dt *dt, uint64_t pc, const char *name, const char *module,
    void (*undo)(void *), void *arg)
{
	struct func_name kn = { dt, pc, 0, name, module, 0 };
	uint64_t then;

	prog_wait(is_kname, &kn, "its name");
	then = (uint64_t)prog_now();
	undo(arg);
	kn.kn_isnot = 1;
	prog_wait(is_kname, &kn, "its end");
	kn.kn_nsecs = then;
	kn.kn_isnot = 0;
	must(is_kname(&kn), "its name has not kept its time");
}

static void
close_it(void *arg)
{
	close(*(int *)arg);
}

static uint64_t
table_reads(struct dt *dt)
{
	struct dtioc_fullstat fs;

	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		errx(1, "DTIOCGFULLSTAT: %s", dt_error(dt));
	return fs.dtfs_sym.dtss_kreads;
}

/*
 * The table is not read again for functions that no BPF program replaces: one
 * was loaded since, and the table may be read once a second.
 */
static void
same_table(struct dt *dt)
{
	struct func_name kn = { dt, kallsyms(" vfs_read\n", " T "), 0,
		"vfs_read", "", 0 };
	uint64_t n = table_reads(dt);
	int64_t end = prog_now() + 1200000000;

	while (prog_now() < end)
		(void)is_kname(&kn);
	must(table_reads(dt) == n, "the table was read again");
}

static void
do_bpf(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct dt *dt = prog_open(&dtd, 0);
	struct func_name kn = { dt, 16, 0, "", "", 1 };
	char name[16];
	uint64_t pc;
	int fd;

	must(is_kname(&kn), "address 16"); /* makes dtd read the table */
	snprintf(name, sizeof(name), "named_%d", (int)getpid());
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, name, "GPL", insns, 2,
	    NULL);
	if (fd < 0)
		err(1, "bpf_prog_load");
	if ((pc = kallsyms(name, "[bpf]")) == 0)
		errx(1, "%s is not in /proc/kallsyms", name);
	same_table(dt);
	comes_and_goes(dt, pc + 1, name, "[bpf]", close_it, &fd);
	dt_close(dt);
	printf("a program\n");
}

static char **words; /* arguments after the first */

static void
command(void *arg)
{
	if (system(arg) != 0)
		errx(1, "%s", (char *)arg);
}

static void
do_module(void)
{
	struct dt *dt = prog_open(&dtd, 0);
	struct func_name kn = { dt, 16, 0, "", "", 1 };
	uint64_t pc;

	must(is_kname(&kn), "address 16");
	command(words[0]);
	if ((pc = kallsyms("dummy_xmit", "[dummy]")) == 0)
		errx(1, "no dummy_xmit in /proc/kallsyms");
	comes_and_goes(dt, pc + 1, "dummy_xmit", "[dummy]", command, words[1]);
	dt_close(dt);
	printf("a module\n");
}

static void
do_hidden(void)
{
	struct dt *dt = prog_open(&dtd, 0);
	struct dt_frames fr;
	uint64_t pc = 16;

	must(dt_symbolize(dt, 0, 0, &pc, 1, 0, &fr) == -1 && errno == EPERM,
	    "not EPERM");
	if (strstr(dt_error(dt), words[0]) == NULL)
		errx(1, "says: %s", dt_error(dt));
	dt_close(dt);
	printf("hidden\n");
}

static const struct {
	const char *name;
	int nwords;
	void (*run)(void);
} whats[] = {
	{ "stack", 0, do_stack },
	{ "kernel", 0, do_kernel },
	{ "maps", 0, do_maps },
	{ "reasons", 0, do_reasons },
	{ "lines", 0, do_lines },
	{ "file", 0, do_file },
	{ "flood", 0, do_flood },
	{ "stat", 0, do_stat },
	{ "brief", 0, do_brief },
	{ "bpf", 0, do_bpf },
	{ "module", 2, do_module },
	{ "hidden", 1, do_hidden },
};

int
main(int argc, char **argv)
{
	size_t i;

	if (argc == 2 && strcmp(argv[1], "child") == 0) {
		do_child();
		return 0;
	}
	prog_init("symbols", 600);
	for (i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		if (argc < 2 || strcmp(argv[1], whats[i].name) != 0 ||
		    argc != 2 + whats[i].nwords)
			continue;
		words = argv + 2;
		prog_dtd_start(&dtd, "");
		whats[i].run();
		prog_dtd_stop(&dtd);
		return 0;
	}
	errx(2, "usage: symbols WHAT, see its source");
}
