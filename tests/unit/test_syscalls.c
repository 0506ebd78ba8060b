/* SPDX-License-Identifier: ISC */
/*
 * The tables of system calls: their consistency, a comparison with libseccomp,
 * and of the 64-bit one of this architecture with the running kernel's
 * metadata, where tracefs is mounted and readable (root).  It mounts nothing.
 *
 * A kernel of the table's release must agree in everything.  Another release
 * must agree in the number and the names of arguments (6.1, 6.12 and 6.18 do);
 * other types, and calls missing in the table, are printed.
 */
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <seccomp.h>

#include "daemon/kernel/syscalls.h"

static const struct syscall_desc x86_64[] = {
#include "syscalls_x86_64.h"
};
static const struct syscall_desc aarch64[] = {
#include "syscalls_aarch64.h"
};
static const struct syscall_desc i386[] = {
#include "syscalls_i386.h"
};
static const struct syscall_desc arm[] = {
#include "syscalls_arm.h"
};

#define NITEMS(a) (sizeof(a) / sizeof((a)[0]))

/* All tables are tested on every machine. */
static const struct table {
	const char *name;
	uint32_t token; /* libseccomp's */
	int bits;	/* of a register */
	const struct syscall_desc *rows;
	unsigned int nrows;
} tables[] = {
	{ "x86_64", SCMP_ARCH_X86_64, 64, x86_64, NITEMS(x86_64) },
	{ "aarch64", SCMP_ARCH_AARCH64, 64, aarch64, NITEMS(aarch64) },
	{ "i386", SCMP_ARCH_X86, 32, i386, NITEMS(i386) },
	{ "arm", SCMP_ARCH_ARM, 32, arm, NITEMS(arm) },
};

/* Types of 64 bits, which do not fit into a register of a 32-bit program. */
static const char *const wide[] = { "loff_t", "u64", "__u64", "s64", "__s64",
	"long", "off_t", "long long", "unsigned long long", "time_t" };

static const char *const tracefs[] = {
	"/sys/kernel/tracing/events/syscalls",
	"/sys/kernel/debug/tracing/events/syscalls",
};

/* Kernel functions whose call has another name. */
static const struct {
	const char *meta;
	const char *name;
} aliases[] = {
	{ "arm64_personality", "personality" },
	{ "fadvise64_64", "fadvise64" },
	{ "newfstat", "fstat" },
	{ "newlstat", "lstat" },
	{ "newstat", "stat" },
	{ "newuname", "uname" },
	{ "sendfile64", "sendfile" },
	{ "umount", "umount2" },
};

/* Each returns the number of faults in a row, and prints them. */
static int
check_arg(const char *call, const struct syscall_arg *sa, int used)
{
	if (!used) {
		if (sa->type == NULL && sa->name == NULL && !sa->is_path)
			return 0;
		print_error("%s: more arguments than it says\n", call);
		return 1;
	}
	if (sa->type == NULL || sa->type[0] == '\0' || sa->name == NULL ||
	    sa->name[0] == '\0') {
		print_error("%s: argument without type or name\n", call);
		return 1;
	}
	if (sa->is_path && strcmp(sa->type, "char *") != 0 &&
	    strcmp(sa->type, "const char *") != 0) {
		print_error("%s: %s is no path\n", call, sa->name);
		return 1;
	}
	return 0;
}

static int
check_row(const struct syscall_desc *sd)
{
	unsigned int i;
	int bad = 0;

	if (sd->name[0] == '\0' || sd->nargs > SYSCALL_MAXARGS) {
		print_error("\"%s\": %u arguments\n", sd->name, sd->nargs);
		return 1;
	}
	for (i = 0; i < SYSCALL_MAXARGS; i++)
		bad += check_arg(sd->name, &sd->args[i], i < sd->nargs);
	return bad;
}

static void
test_rows(void **state)
{
	const struct table *t;
	unsigned int nr, calls;
	int bad = 0;

	(void)state;
	for (t = tables; t < tables + NITEMS(tables); t++) {
		calls = 0;
		for (nr = 0; nr < t->nrows; nr++) {
			if (t->rows[nr].name == NULL)
				continue;
			bad += check_row(&t->rows[nr]);
			calls++;
		}
		print_message("%s: %u calls\n", t->name, calls);
		assert_true(calls > 300);
		assert_non_null(t->rows[t->nrows - 1].name);
	}
	assert_int_equal(bad, 0);
}

static void
test_no_name_twice(void **state)
{
	const struct table *t;
	unsigned int i, j;
	int bad = 0;

	(void)state;
	for (t = tables; t < tables + NITEMS(tables); t++)
		for (i = 0; i < t->nrows; i++)
			for (j = i + 1; j < t->nrows; j++) {
				if (t->rows[i].name == NULL ||
				    t->rows[j].name == NULL ||
				    strcmp(t->rows[i].name, t->rows[j].name) !=
					0)
					continue;
				print_error("%s: %u and %u are %s\n", t->name,
				    i, j, t->rows[i].name);
				bad++;
			}
	assert_int_equal(bad, 0);
}

/* A 32-bit program passes 64 bits as two arguments. */
static void
test_widths(void **state)
{
	const struct syscall_desc *sd;
	const struct table *t;
	unsigned int nr, i, j;
	int bad = 0;

	(void)state;
	for (t = tables; t < tables + NITEMS(tables); t++)
		for (nr = 0; t->bits == 32 && nr < t->nrows; nr++) {
			sd = &t->rows[nr];
			for (i = 0; i < sd->nargs; i++)
				for (j = 0; j < NITEMS(wide); j++) {
					if (strcmp(sd->args[i].type, wide[j]))
						continue;
					print_error("%s %s: %s\n", t->name,
					    sd->name, wide[j]);
					bad++;
				}
		}
	assert_int_equal(bad, 0);
}

/* Every number of libseccomp has that name, and no other number has it. */
static void
test_libseccomp(void **state)
{
	const struct table *t;
	unsigned int nr;
	const char *ours;
	char *name;
	int bad = 0;

	(void)state;
	for (t = tables; t < tables + NITEMS(tables); t++)
		for (nr = 0; nr < t->nrows; nr++) {
			ours = t->rows[nr].name;
			name = seccomp_syscall_resolve_num_arch(t->token,
			    (int)nr);
			if (name != NULL &&
			    (ours == NULL || strcmp(name, ours) != 0)) {
				print_error("%s %u: %s, libseccomp: %s\n",
				    t->name, nr, ours != NULL ? ours : "none",
				    name);
				bad++;
			}
			free(name);
		}
	assert_int_equal(bad, 0);
}

/* The numbers of this machine's headers. */
static void
test_known_numbers(void **state)
{
	static const struct {
		const char *name;
		int nr;
		unsigned int nargs;
	} known[] = {
		{ "read", SYS_read, 3 },
		{ "openat", SYS_openat, 4 },
		{ "execve", SYS_execve, 3 },
		{ "mmap", SYS_mmap, 6 },
		{ "futex", SYS_futex, 6 },
		{ "clone", SYS_clone, 5 },
		{ "clone3", SYS_clone3, 2 },
		{ "rt_sigreturn", SYS_rt_sigreturn, 0 },
		{ "exit_group", SYS_exit_group, 1 },
		{ "getpid", SYS_getpid, 0 },
		{ "kexec_load", SYS_kexec_load, 4 },
		{ "file_setattr", 469, 5 },
	};
	const struct syscall_desc *sd;
	unsigned int i;

	(void)state;
	for (i = 0; i < NITEMS(known); i++) {
		assert_int_equal(syscall_lookup(SYSCALL_ABI_64, known[i].name),
		    known[i].nr);
		sd = syscall_desc(SYSCALL_ABI_64, (unsigned int)known[i].nr);
		assert_non_null(sd);
		assert_string_equal(sd->name, known[i].name);
		assert_int_equal(sd->nargs, known[i].nargs);
		assert_ptr_equal(syscall_name(SYSCALL_ABI_64,
				     (unsigned int)known[i].nr),
		    sd->name);
	}
}

static void
test_unknown_numbers(void **state)
{
	unsigned int last = syscall_max(SYSCALL_ABI_64) - 1;

	(void)state;
	assert_non_null(syscall_desc(SYSCALL_ABI_64, last));
	assert_null(syscall_desc(SYSCALL_ABI_64, last + 1));
	assert_null(syscall_name(SYSCALL_ABI_64, last + 1));
	assert_null(syscall_desc(SYSCALL_ABI_64, 400)); /* in the gap */
	assert_null(syscall_name(SYSCALL_ABI_64, 400));
	assert_null(syscall_desc(SYSCALL_ABI_64, 0x40000000)); /* x32 read */
	assert_null(syscall_desc(SYSCALL_ABI_64, UINT32_MAX));
	assert_int_equal(syscall_lookup(SYSCALL_ABI_64, "open_the_door"), -1);
	assert_int_equal(syscall_lookup(SYSCALL_ABI_64, ""), -1);
}

/* Bit i: argument i is a path. */
static unsigned int
paths(const char *name)
{
	const struct syscall_desc *sd;
	unsigned int i, mask = 0;
	int nr;

	nr = syscall_lookup(SYSCALL_ABI_64, name);
	assert_true(nr >= 0);
	sd = syscall_desc(SYSCALL_ABI_64, (unsigned int)nr);
	for (i = 0; i < sd->nargs; i++)
		if (sd->args[i].is_path)
			mask |= 1u << i;
	return mask;
}

static void
test_paths(void **state)
{
	(void)state;
	assert_int_equal(paths("openat"), 1u << 1);
	assert_int_equal(paths("execve"), 1u << 0);
	assert_int_equal(paths("renameat2"), 1u << 1 | 1u << 3);
	assert_int_equal(paths("symlinkat"), 1u << 0 | 1u << 2);
	assert_int_equal(paths("mount"), 1u << 1);
	assert_int_equal(paths("umount2"), 1u << 0);
	assert_int_equal(paths("move_mount"), 1u << 1 | 1u << 3);
	assert_int_equal(paths("pivot_root"), 1u << 0 | 1u << 1);
	assert_int_equal(paths("fanotify_mark"), 1u << 4);
	assert_int_equal(paths("name_to_handle_at"), 1u << 1);
	assert_int_equal(paths("acct"), 1u << 0);
	assert_int_equal(paths("setxattr"), 1u << 0);
	assert_int_equal(paths("setxattrat"), 1u << 1);
	assert_int_equal(paths("readlinkat"), 1u << 1);
	assert_int_equal(paths("fsetxattr"), 0);
	assert_int_equal(paths("sethostname"), 0);
	assert_int_equal(paths("memfd_create"), 0);
	assert_int_equal(paths("add_key"), 0);
	assert_int_equal(paths("getcwd"), 0);
	assert_int_equal(paths("write"), 0);
}

#if defined(__x86_64__)
/* Calls that only 32-bit programs have, and calls that differ there. */
static void
test_known_32(void **state)
{
	static const struct {
		const char *name;
		int nr;
		unsigned int nargs;
		unsigned int arg;
		const char *argname;
	} known[] = {
		{ "exit", 1, 1, 0, "error_code" },
		{ "getpid", 20, 0, 0, NULL },
		{ "umount", 22, 1, 0, "name" },
		{ "mmap", 90, 1, 0, "arg" },
		{ "socketcall", 102, 2, 1, "args" },
		{ "clone", 120, 5, 3, "tls" },
		{ "_llseek", 140, 5, 3, "result" },
		{ "pread64", 180, 5, 4, "poshi" },
		{ "mmap2", 192, 6, 5, "pgoff" },
		{ "fanotify_mark", 339, 6, 5, "pathname" },
		{ "process_vm_readv", 347, 6, 5, "flags" },
		{ "clock_gettime64", 403, 2, 1, "tp" },
		{ "file_setattr", 469, 5, 4, "at_flags" },
	};
	const struct syscall_desc *sd;
	unsigned int i;
	int nr;

	(void)state;
	for (i = 0; i < NITEMS(known); i++) {
		nr = syscall_lookup(SYSCALL_ABI_32, known[i].name);
		assert_int_equal(nr, known[i].nr);
		sd = syscall_desc(SYSCALL_ABI_32, (unsigned int)nr);
		assert_string_equal(sd->name, known[i].name);
		assert_int_equal(sd->nargs, known[i].nargs);
		if (known[i].argname != NULL)
			assert_string_equal(sd->args[known[i].arg].name,
			    known[i].argname);
	}
	assert_null(syscall_desc(SYSCALL_ABI_32, 222)); /* never used */
	assert_null(syscall_desc(SYSCALL_ABI_32, syscall_max(SYSCALL_ABI_32)));
	assert_int_equal(syscall_lookup(SYSCALL_ABI_64, "mmap2"), -1);
	assert_string_equal(i386[13].args[0].type, "old_time32_t *");
	assert_string_equal(i386[19].args[1].type, "compat_off_t");
	assert_string_equal(i386[240].args[3].type,
	    "const struct old_timespec32 *");
	assert_string_equal(i386[422].args[3].type,
	    "const struct __kernel_timespec *");
}
#endif

/* arm64 passes the last two arguments of clone in reverse order. */
static void
test_arches_differ(void **state)
{
	(void)state;
	assert_string_equal(x86_64[56].name, "clone");
	assert_string_equal(x86_64[56].args[4].name, "tls");
	assert_string_equal(aarch64[220].name, "clone");
	assert_string_equal(aarch64[220].args[3].name, "tls");
	assert_string_equal(x86_64[221].args[2].type, "size_t");
	assert_string_equal(aarch64[223].args[2].type, "loff_t");
	assert_string_equal(i386[180].args[3].name, "poslo");
	assert_string_equal(arm[180].args[3].name,
	    "__pad"); /* pairs are even */
}

static int
same_release(void)
{
	const char *release = syscall_release();
	size_t n = strlen(release);
	struct utsname u;

	assert_int_equal(uname(&u), 0);
	return strncmp(u.release, release, n) == 0 &&
	    (u.release[n] < '0' || u.release[n] > '9');
}

/*
 * Parses the next argument in a format file: 1, or 0 at its end.  Then its type
 * and name point into buf.  "\tfield:const char * path;\toffset:24;..."
 */
static int
meta_arg(FILE *f, char *buf, int size, char **type, char **name)
{
	char *end;

	while (fgets(buf, size, f) != NULL) {
		if (strncmp(buf, "\tfield:", 7) != 0)
			continue;
		end = strchr(buf, ';');
		assert_non_null(end);
		*end = '\0';
		*type = buf + 7;
		*name = strrchr(buf, ' ');
		assert_non_null(*name);
		*(*name)++ = '\0';
		if (strncmp(*name, "common_", 7) == 0 ||
		    strcmp(*name, "__syscall_nr") == 0 ||
		    strncmp(*type, "__data_loc", 10) == 0) /* 6.19 */
			continue;
		return 1;
	}
	return 0;
}

/* Compares a row with a format file; returns the number of faults. */
static int
check_meta(const struct syscall_desc *sd, FILE *f, int strict)
{
	char buf[512], *type, *name;
	const struct syscall_arg *sa;
	unsigned int n = 0;
	int bad = 0;

	while (meta_arg(f, buf, sizeof(buf), &type, &name)) {
		sa = &sd->args[n++];
		if (n > sd->nargs)
			continue;
		if (strcmp(sa->name, name) != 0) {
			print_error("%s: %s is %s in this kernel\n", sd->name,
			    sa->name, name);
			bad++;
		} else if (strcmp(sa->type, type) != 0) {
			print_error("%s: %s %s is a %s in this kernel\n",
			    sd->name, sa->type, sa->name, type);
			bad += strict;
		}
	}
	if (n != sd->nargs) {
		print_error("%s: %u arguments, %u in this kernel\n", sd->name,
		    sd->nargs, n);
		bad++;
	}
	return bad;
}

static int
meta_lookup(const char *meta)
{
	unsigned int i;

	for (i = 0; i < NITEMS(aliases); i++)
		if (strcmp(meta, aliases[i].meta) == 0)
			return syscall_lookup(SYSCALL_ABI_64, aliases[i].name);
	return syscall_lookup(SYSCALL_ABI_64, meta);
}

static DIR *
tracefs_open(const char **path)
{
	unsigned int i;
	DIR *dir;

	if (getenv("UNIT_RUN") != NULL)
		return NULL; /* emulated: the kernel has another architecture */
	for (i = 0; i < NITEMS(tracefs); i++) {
		dir = opendir(tracefs[i]);
		if (dir != NULL) {
			*path = tracefs[i];
			return dir;
		}
	}
	return NULL;
}

static void
test_kernel(void **state)
{
	const char *path = NULL, *meta;
	char file[512];
	struct dirent *de;
	unsigned int n = 0;
	int bad = 0, nr, strict;
	FILE *f;
	DIR *dir;

	(void)state;
	dir = tracefs_open(&path);
	if (dir == NULL) {
		print_message("SKIP: no readable events/syscalls in tracefs\n");
		skip();
	}
	strict = same_release();
	while ((de = readdir(dir)) != NULL) {
		if (strncmp(de->d_name, "sys_enter_", 10) != 0)
			continue;
		meta = de->d_name + 10;
		nr = meta_lookup(meta);
		if (nr == -1) {
			print_message("%s: not in the table\n", meta);
			bad += strict;
			continue;
		}
		snprintf(file, sizeof(file), "%s/%s/format", path, de->d_name);
		f = fopen(file, "r");
		assert_non_null(f);
		bad += check_meta(syscall_desc(SYSCALL_ABI_64,
				      (unsigned int)nr),
		    f, strict);
		fclose(f);
		n++;
	}
	closedir(dir);
	print_message("%u calls compared with this kernel, table of %s\n", n,
	    syscall_release());
	assert_true(n > 0);
	assert_int_equal(bad, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_no_name_twice),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_libseccomp),
		cmocka_unit_test(test_known_numbers),
		cmocka_unit_test(test_unknown_numbers),
#if defined(__x86_64__)
		cmocka_unit_test(test_known_32),
#endif
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_arches_differ),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
