/* SPDX-License-Identifier: ISC */
/*
 * Features that a case may need: a small probe each, run once.  Each probe
 * tries the feature; none compares versions.
 */
#ifndef RUN_FEATURE_H
#define RUN_FEATURE_H

#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <glob.h>
#include <sched.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A probe returns NULL, or the reason why the feature is missing. */
typedef const char *feature_fn(const char *arg);

static const char *
feature_root(const char *arg)
{
	(void)arg;
	return geteuid() == 0 ? NULL : "not root";
}

/* Runs fn in a child; its exit status is 0 if it worked. */
static int
feature_fork(int (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	if ((pid = fork()) == 0)
		_exit(fn());
	if (pid == -1 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
feature_try_nobody(void)
{
	return setresgid(65534, 65534, 65534) != 0 ||
	    setresuid(65534, 65534, 65534) != 0;
}

static const char *
feature_nonroot(const char *arg)
{
	(void)arg;
	return feature_fork(feature_try_nobody) == 0
	    ? NULL
	    : "no way to become uid 65534";
}

static int
feature_try_userns(void)
{
	return unshare(CLONE_NEWUSER) != 0;
}

static const char *
feature_userns(const char *arg)
{
	(void)arg;
	return feature_fork(feature_try_userns) == 0
	    ? NULL
	    : "no user namespace to be had";
}

static const char *
feature_file(const char *path)
{
	static char why[4200];

	if (access(path, R_OK) == 0)
		return NULL;
	snprintf(why, sizeof(why), "no %s", path);
	return why;
}

/* Finds programs and manual pages, below PATH and the source tree. */
static const char *
feature_program(const char *name)
{
	static char why[64];
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "command -v %s >/dev/null 2>&1", name);
	if (system(cmd) == 0)
		return NULL;
	snprintf(why, sizeof(why), "no program %.40s", name);
	return why;
}

static const char *
feature_man(const char *arg)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/man/%s", getenv("S"), arg);
	return feature_file(path);
}

static const char *
feature_perf_event(const char *arg)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 };
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	(void)arg;
	if (fd == -1)
		return "perf_event_open: refused";
	close(fd);
	return NULL;
}

/* As a process that may load programs and has no other capability. */
static int
feature_try_perfmon(void)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct caps[2] = { { 0 } };

	caps[1].effective = caps[1].permitted = CAP_TO_MASK(CAP_PERFMON);
	if (syscall(SYS_capset, &h, caps) != 0)
		return 2;
	return feature_perf_event(NULL) != NULL;
}

static const char *
feature_paranoid(const char *arg)
{
	(void)arg;
	return feature_fork(feature_try_perfmon) == 1
	    ? NULL
	    : "this kernel gives clocks to whoever has CAP_PERFMON";
}

/* A hardware counter, which requires the PMU of a real machine. */
static const char *
feature_pmu(const char *arg)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES };
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	(void)arg;
	if (fd == -1)
		return "no hardware counters";
	close(fd);
	return NULL;
}

/* Loads "return 0" as a program type.  Returns a descriptor, or -1. */
static int
feature_load(unsigned int type, unsigned int attach)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.expected_attach_type = attach;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = 2;
	attr.license = (uintptr_t) "GPL";
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static const char *
feature_kprobe_multi(const char *arg)
{
	const char *sym = "schedule";
	uint64_t syms = (uintptr_t)sym;
	union bpf_attr attr;
	int link, prog;

	(void)arg;
	prog = feature_load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI);
	if (prog == -1)
		return "this kernel has no kprobe.multi programs";
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = prog;
	attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.cnt = 1;
	attr.link_create.kprobe_multi.syms = (uintptr_t)&syms;
	link = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	if (link != -1)
		close(link);
	close(prog);
	return link != -1 ? NULL : "this kernel has no kprobe.multi links";
}

static const char *
feature_postgres(const char *arg)
{
	glob_t gl;
	int is = glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &gl) == 0;

	(void)arg;
	globfree(&gl);
	return is ? NULL : "there is no PostgreSQL";
}

/* The name of the file is an invalid address. */
static const char *
feature_uprobe_multi(const char *arg)
{
	const struct {
		uint32_t prog, target, type, flags;
		uint64_t path, offsets, semaphores, cookies;
		uint32_t count, multi, pid, pad;
	} link = { .prog = feature_load(BPF_PROG_TYPE_KPROBE, 48),
		.type = 48, /* BPF_TRACE_UPROBE_MULTI */
		.path = 1,
		.offsets = 1,
		.count = 1 };
	int is;

	(void)arg;
	is = syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link)) == -1 &&
	    errno == EFAULT;
	close(link.prog);
	return is ? NULL : "this kernel has no uprobe.multi";
}

/* A probe in a thread that runs again, for dt offcpu. */
static const char *
feature_offcpu(const char *arg)
{
	char line[256];
	int found = 0;
	FILE *fp;

	(void)arg;
	if (access("/sys/bus/event_source/devices/kprobe/type", R_OK) == 0)
		return NULL;
	if ((fp = fopen("/proc/kallsyms", "re")) == NULL)
		return "no /proc/kallsyms";
	while (!found && fgets(line, sizeof(line), fp) != NULL)
		found = strstr(line, " __traceiter_sched_exit_tp\n") != NULL;
	fclose(fp);
	return found ? NULL : "neither kprobes nor the hook sched_exit_tp";
}

#ifdef __x86_64__
/* getpid(2) has the number 20 there. */
static int
feature_try_int80(void)
{
	long nr = 20;

	__asm__ volatile("int $0x80"
			 : "+a"(nr)
			 :
			 : "r8", "r9", "r10", "r11", "memory");
	return nr != getpid();
}
#else
static int
feature_try_int80(void)
{
	return 1;
}
#endif

static const char *
feature_int80(const char *arg)
{
	(void)arg;
	return feature_fork(feature_try_int80) == 0
	    ? NULL
	    : "this kernel does not run 32-bit calls";
}

static const char *
feature_x86_64(const char *arg)
{
	(void)arg;
#ifdef __x86_64__
	return NULL;
#else
	return "its calls are those of x86-64";
#endif
}

/* The tools for 32-bit programs that need no library. */
static const char *
feature_as32(const char *arg)
{
	(void)arg;
	return system("{ as --32 --version && ld -m elf_i386 --version; } "
		      ">/dev/null 2>&1") == 0
	    ? NULL
	    : "no assembler and linker for i386";
}

/* CPU 1 may be taken offline: in guests of tests/vm only. */
static const char *
feature_hotplug(const char *arg)
{
	char line[4096] = "";
	FILE *fp = fopen("/proc/cmdline", "re");

	(void)arg;
	if (fp != NULL) {
		if (fgets(line, sizeof(line), fp) == NULL)
			line[0] = '\0';
		fclose(fp);
	}
	if (strstr(line, " vmdir=") == NULL)
		return "no virtual machine of ours: its CPUs stay";
	return access("/sys/devices/system/cpu/cpu1/online", W_OK) == 0
	    ? NULL
	    : "no CPU 1 that can go offline";
}

/* A cgroup can be created where cgroup2 is mounted. */
static const char *
feature_cgroup2(const char *arg)
{
	(void)arg;
	return system("d=$(awk '$3 == \"cgroup2\" { print $2; exit }' "
		      "/proc/mounts); [ -n \"$d\" ] && mkdir $d/dt.try.$$ && "
		      "rmdir $d/dt.try.$$") == 0
	    ? NULL
	    : "no cgroup of version 2 can be made";
}

static const char *
feature_memcg(const char *arg)
{
	(void)arg;
	return system(
		   "d=$(awk '$3 == \"cgroup2\" { print $2; exit }' "
		   "/proc/mounts); grep -qw memory $d/cgroup.controllers") == 0
	    ? NULL
	    : "cgroups of version 2 do not limit memory";
}

/* Service cases cover the machine's /run/dt, in their own mount namespace. */
static int feature_has_mounts;

static const char *
feature_mounts(const char *arg)
{
	(void)arg;
	return feature_has_mounts ? NULL : "no mount namespace to be had";
}

static const char *
feature_built(const char *name)
{
	static char why[64];
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("B"), name);
	if (access(path, X_OK) == 0)
		return NULL;
	snprintf(why, sizeof(why), "%.40s was not built", name);
	return why;
}

/* It is not installed, because the installation would start it. */
static const char *
feature_prometheus(const char *arg)
{
	(void)arg;
	return system("\"$S\"/tests/prometheus/fetch -n >/dev/null 2>&1") == 0
	    ? NULL
	    : "tests/prometheus/fetch has not fetched it";
}

/* ClickHouse and DuckDB are not installed either. */
static const char *
feature_fleet(const char *name)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd),
	    "\"$S\"/tests/fleet/fetch -n %s >/dev/null 2>&1", name);
	return system(cmd) == 0 ? NULL : "tests/fleet/fetch has not fetched it";
}

/*
 * The symbolizer and a program of prog/sym, which are not built on every
 * machine.
 */
static const char *
feature_sym(const char *name)
{
	const char *why = feature_built("dt-symbolizer");

	return why != NULL ? why : feature_built(name);
}

/* Slow cases that rarely find a fault run in make check-full. */
static const char *
feature_full(const char *arg)
{
	(void)arg;
	return getenv("DT_FULL") != NULL ? NULL : "long: in make check-full";
}

/*
 * Cases that also run on this kernel, and take ten times as long in a guest, run
 * there in make check-full.
 */
static const char *
feature_quick(const char *arg)
{
	(void)arg;
	return access("/run/vm.guest", F_OK) == 0 && getenv("DT_FULL") == NULL
	    ? "long in a guest: there in make check-full"
	    : NULL;
}

/* Skips what programs with a sanitizer cannot do, with the reason. */
static const char *
feature_plain(const char *why)
{
#ifdef __SANITIZE_ADDRESS__
	return why;
#else
	(void)why;
	return NULL;
#endif
}

static struct feature {
	const char *fe_name;
	feature_fn *fe_fn;
	const char *fe_arg;
	int fe_asked;
	char *fe_why;
} features[] = { { "root", feature_root, NULL, 0, NULL },
	{ "nonroot", feature_nonroot, NULL, 0, NULL },
	{ "userns", feature_userns, NULL, 0, NULL },
	{ "mounts", feature_mounts, NULL, 0, NULL },
	{ "fuse", feature_file, "/dev/fuse", 0, NULL },
	{ "overlay", feature_file, "/sys/module/overlay", 0, NULL },
	{ "tp_btf", feature_file, "/sys/kernel/btf/vmlinux", 0, NULL },
	{ "perf_event", feature_perf_event, NULL, 0, NULL },
	{ "paranoid", feature_paranoid, NULL, 0, NULL },
	{ "pmu", feature_pmu, NULL, 0, NULL },
	{ "msr", feature_file, "/sys/bus/event_source/devices/msr/events/tsc",
	    0, NULL },
	{ "cgroup2", feature_cgroup2, NULL, 0, NULL },
	{ "memcg", feature_memcg, NULL, 0, NULL },
	{ "hotplug", feature_hotplug, NULL, 0, NULL },
	{ "kprobe", feature_file, "/sys/bus/event_source/devices/kprobe/type",
	    0, NULL },
	{ "uprobe", feature_file, "/sys/bus/event_source/devices/uprobe/type",
	    0, NULL },
	{ "bpftool", feature_program, "bpftool", 0, NULL },
	{ "kprobe_multi", feature_kprobe_multi, NULL, 0, NULL },
	{ "uprobe_multi", feature_uprobe_multi, NULL, 0, NULL },
	{ "offcpu", feature_offcpu, NULL, 0, NULL },
	{ "int80", feature_int80, NULL, 0, NULL },
	{ "as32", feature_as32, NULL, 0, NULL },
	{ "x86_64", feature_x86_64, NULL, 0, NULL },
	{ "tracefs", feature_file, "/sys/kernel/tracing/events", 0, NULL },
	{ "cap_capable", feature_file,
	    "/sys/kernel/tracing/events/capability/cap_capable", 0, NULL },
	{ "sym_burn", feature_sym, "sym/sym_burn", 0, NULL },
	{ "sym_cxx", feature_sym, "sym/sym_cxx", 0, NULL },
	{ "sym_jit", feature_sym, "sym/sym_jit", 0, NULL },
	{ "sym_stray", feature_sym, "sym/sym_stray", 0, NULL },
	{ "sym_rust", feature_sym, "sym/sym_rust", 0, NULL },
	{ "loop", feature_file, "/dev/loop-control", 0, NULL },
	{ "schedstat", feature_file, "/proc/schedstat", 0, NULL },
	{ "preload", feature_plain, "the sanitizer's own calls come first", 0,
	    NULL },
	{ "addresses", feature_plain,
	    "the sanitizer takes terabytes of addresses", 0, NULL },
	{ "memory", feature_plain, "the sanitizer keeps what was freed", 0,
	    NULL },
	{ "plain", feature_plain, "built with a sanitizer", 0, NULL },
	{ "full", feature_full, NULL, 0, NULL },
	{ "quick", feature_quick, NULL, 0, NULL },
	{ "guest", feature_file, "/run/vm.guest", 0, NULL },
	{ "dt.1", feature_man, "dt.1", 0, NULL },
	{ "dt-tools.7", feature_man, "dt-tools.7", 0, NULL },
	{ "dt.4", feature_man, "dt.4", 0, NULL },
	{ "libdt.3", feature_man, "libdt.3", 0, NULL },
	{ "dtkcov.3", feature_man, "dtkcov.3", 0, NULL },
	{ "debuginfod-find", feature_program, "debuginfod-find", 0, NULL },
	{ "node", feature_program, "node", 0, NULL },
	{ "python3", feature_program, "python3", 0, NULL },
	{ "chromium", feature_program, "chromium", 0, NULL },
	{ "chromedriver", feature_program, "chromedriver", 0, NULL },
	{ "jq", feature_program, "jq", 0, NULL },
	{ "tmux", feature_program, "tmux", 0, NULL },
	{ "less", feature_program, "less", 0, NULL },
	{ "sshd", feature_program, "sshd", 0, NULL },
	{ "jsonschema", feature_program, "jsonschema", 0, NULL },
	{ "curl", feature_program, "curl", 0, NULL },
	{ "prometheus", feature_prometheus, NULL, 0, NULL },
	{ "clickhouse", feature_fleet, "clickhouse", 0, NULL },
	{ "duckdb", feature_fleet, "duckdb", 0, NULL },
	{ "axe", feature_fleet, "axe", 0, NULL },
	{ "go", feature_program, "go", 0, NULL },
	{ "objcopy", feature_program, "objcopy", 0, NULL },
	{ "xmllint", feature_program, "xmllint", 0, NULL },
	{ "ip", feature_program, "ip", 0, NULL },
	{ "bash", feature_program, "bash", 0, NULL },
	{ "fish", feature_program, "fish", 0, NULL },
	{ "zsh", feature_program, "zsh", 0, NULL },
	{ "mandoc", feature_program, "mandoc", 0, NULL },
	{ "bpftrace", feature_program, "bpftrace", 0, NULL },
	{ "perf", feature_program, "perf", 0, NULL },
	{ "strace", feature_program, "strace", 0, NULL },
	{ "perl", feature_program, "perl", 0, NULL },
	{ "script", feature_program, "script", 0, NULL },
	{ "rustc", feature_program, "rustc", 0, NULL },
	{ "openssl", feature_program, "openssl", 0, NULL },
	{ "postgres", feature_postgres, NULL, 0, NULL },
	{ "debian_python", feature_file, "/usr/bin/python3", 0, NULL },
	{ "systemd-analyze", feature_program, "systemd-analyze", 0, NULL },
	{ "setpriv", feature_program, "setpriv", 0, NULL },
	{ "unshare", feature_program, "unshare", 0, NULL },
	{ "cc", feature_program, "cc", 0, NULL },
	{ "clang", feature_program, "clang", 0, NULL },
	{ "c++", feature_program, "c++", 0, NULL },
	{ "make", feature_program, "make", 0, NULL },
	{ "pkg-config", feature_program, "pkg-config", 0, NULL },
	{ NULL, NULL, NULL, 0, NULL } };

/* Returns NULL, or why a feature is missing. */
static const char *
feature_lacks(const char *name, size_t len)
{
	struct feature *fe;
	const char *why;

	for (fe = features; fe->fe_name != NULL; fe++)
		if (strlen(fe->fe_name) == len &&
		    memcmp(fe->fe_name, name, len) == 0)
			break;
	if (fe->fe_name == NULL)
		errx(1, "NEEDS %.*s: no such feature", (int)len, name);
	if (!fe->fe_asked) {
		fe->fe_asked = 1;
		why = fe->fe_fn(fe->fe_arg);
		fe->fe_why = why != NULL ? strdup(why) : NULL;
	}
	return fe->fe_why;
}

/* Returns whether a list of features has this one. */
static int
feature_listed(const char *needs, const char *name)
{
	size_t len;

	for (; needs != NULL && *needs != '\0'; needs += len) {
		needs += strspn(needs, " \t\n");
		len = strcspn(needs, " \t\n");
		if (len == strlen(name) && memcmp(needs, name, len) == 0)
			return 1;
	}
	return 0;
}

/*
 * Returns NULL, or why the first missing feature of a list is missing.  "full"
 * is tested before the others: packages for its cases are installed by
 * check-full only, and matrix accepts no other reason for a case that ran on no
 * kernel.
 */
static const char *
feature_missing(const char *needs)
{
	const char *why;
	size_t len;

	if (feature_listed(needs, "full") &&
	    (why = feature_lacks("full", strlen("full"))) != NULL)
		return why;
	for (; needs != NULL && *needs != '\0'; needs += len) {
		needs += strspn(needs, " \t\n");
		len = strcspn(needs, " \t\n");
		if (len > 0 && (why = feature_lacks(needs, len)) != NULL)
			return why;
	}
	return NULL;
}

#endif /* RUN_FEATURE_H */
