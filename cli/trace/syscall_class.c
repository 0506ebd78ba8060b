/* SPDX-License-Identifier: ISC */
/*
 * Classes of system calls and the language of -e.  The classes have the calls
 * that strace 6.1 has in them, and the later calls of the same kind.
 */
#include <err.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/suggest.h"
#include "cli/trace/syscall_class.h"

#define CLASS_NONAME '#' /* begins a number without a call */

static const char *const class_names[] = {
#if defined(__x86_64__)
#include "bsd_syscalls_x86_64.h"
#elif defined(__aarch64__)
#include "bsd_syscalls_aarch64.h"
#endif
};

#define CLASS_NNAMES (sizeof(class_names) / sizeof(class_names[0]))

static const struct {
	const char *name, *calls; /* calls: separated by blanks */
} classes[] = {
	{ "file",
	    "access acct chdir chmod chown chroot creat execve execveat "
	    "faccessat faccessat2 fanotify_mark fchmodat fchownat "
	    "fsconfig fspick futimesat getcwd getxattr "
	    "inotify_add_watch lchown lgetxattr link linkat listxattr "
	    "llistxattr lremovexattr lsetxattr lstat mkdir mkdirat "
	    "mknod mknodat mount mount_setattr move_mount "
	    "name_to_handle_at newfstatat open open_tree openat openat2 "
	    "pivot_root quotactl readlink readlinkat removexattr rename "
	    "renameat renameat2 rmdir setxattr stat statfs statx "
	    "swapoff swapon symlink symlinkat truncate umount2 unlink "
	    "unlinkat uselib utime utimensat utimes "
	    "fchmodat2 getxattrat listxattrat open_tree_attr removexattrat "
	    "setxattrat" },
	{ "desc",
	    "bpf close copy_file_range creat dup dup2 dup3 epoll_create "
	    "epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 "
	    "epoll_wait eventfd eventfd2 execveat faccessat faccessat2 "
	    "fadvise64 fallocate fanotify_init fanotify_mark fchdir "
	    "fchmod fchmodat fchown fchownat fcntl fdatasync fgetxattr "
	    "finit_module flistxattr flock fremovexattr fsconfig "
	    "fsetxattr fsmount fsopen fspick fstat fstatfs fsync "
	    "ftruncate futimesat getdents getdents64 inotify_add_watch "
	    "inotify_init inotify_init1 inotify_rm_watch io_uring_enter "
	    "io_uring_register io_uring_setup ioctl kexec_file_load "
	    "landlock_add_rule landlock_create_ruleset "
	    "landlock_restrict_self linkat lseek memfd_create "
	    "memfd_secret mkdirat mknodat mmap mount_setattr move_mount "
	    "mq_getsetattr mq_notify mq_open mq_timedreceive "
	    "mq_timedsend name_to_handle_at newfstatat open "
	    "open_by_handle_at open_tree openat openat2 perf_event_open "
	    "pidfd_getfd pidfd_open pidfd_send_signal pipe pipe2 poll "
	    "ppoll pread64 preadv preadv2 process_madvise "
	    "process_mrelease pselect6 pwrite64 pwritev pwritev2 "
	    "quotactl_fd read readahead readlinkat readv renameat "
	    "renameat2 select sendfile setns signalfd signalfd4 splice "
	    "statx symlinkat sync_file_range syncfs tee timerfd_create "
	    "timerfd_gettime timerfd_settime unlinkat userfaultfd "
	    "utimensat vmsplice write writev" },
	{ "process",
	    "clone clone3 execve execveat exit exit_group fork kill "
	    "pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo tgkill "
	    "tkill vfork wait4 waitid" },
	{ "network",
	    "accept accept4 bind connect getpeername getpmsg "
	    "getsockname getsockopt listen putpmsg recvfrom recvmmsg "
	    "recvmsg sendfile sendmmsg sendmsg sendto setsockopt "
	    "shutdown socket socketpair" },
	{ "signal",
	    "io_uring_enter kill pause pidfd_send_signal rt_sigaction "
	    "rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn "
	    "rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo "
	    "sigaltstack signalfd signalfd4 tgkill tkill" },
	{ "ipc",
	    "msgctl msgget msgrcv msgsnd semctl semget semop semtimedop "
	    "shmat shmctl shmdt shmget" },
	{ "memory",
	    "brk get_mempolicy io_destroy io_setup io_uring_register "
	    "madvise mbind migrate_pages mincore mlock mlock2 mlockall "
	    "mmap move_pages mprotect mremap msync munlock munlockall "
	    "munmap pkey_mprotect remap_file_pages set_mempolicy "
	    "set_mempolicy_home_node shmat shmdt" },
	{ "creds",
	    "capget capset getegid geteuid getgid getgroups getresgid "
	    "getresuid getuid prctl setfsgid setfsuid setgid setgroups "
	    "setregid setresgid setresuid setreuid setuid" },
	{ "stat", "stat" },
	{ "lstat", "lstat" },
	{ "fstat", "fstat newfstatat statx" },
	{ "statfs", "statfs" },
	{ "fstatfs", "fstatfs" },
	{ "clock",
	    "adjtimex clock_adjtime clock_getres clock_gettime "
	    "clock_settime gettimeofday settimeofday time" },
	{ "pure",
	    "getegid geteuid getgid getpgrp getpid getppid gettid "
	    "getuid" },
};

#define NCLASSES (sizeof(classes) / sizeof(classes[0]))

struct class_set {
	unsigned char css_has[CLASS_NNAMES]; /* by index of class_names */
	char *css_why;
	size_t css_nwhy;
};

static int
class_isname(size_t i)
{
	return class_names[i] != NULL && class_names[i][0] != CLASS_NONAME;
}

/* Adds a call.  Returns 0 if there is none of this name. */
static int
class_add_name(struct class_set *css, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < CLASS_NNAMES; i++)
		if (class_isname(i) && strlen(class_names[i]) == len &&
		    memcmp(class_names[i], name, len) == 0) {
			css->css_has[i] = 1;
			return 1;
		}
	return 0;
}

static int
class_add_class(struct class_set *css, const char *name, size_t len)
{
	const char *p;
	size_t i, n;

	for (i = 0; i < NCLASSES; i++)
		if (strlen(classes[i].name) == len &&
		    memcmp(classes[i].name, name, len) == 0)
			break;
	if (i == NCLASSES)
		return 0;
	for (p = classes[i].calls; *p != '\0'; p += n + (p[n] == ' ')) {
		n = strcspn(p, " ");
		class_add_name(css, p, n); /* not each machine has each call */
	}
	return 1;
}

static int
class_add_regex(struct class_set *css, const char *text, size_t len)
{
	char pattern[200]; /* with a message, it fits into css_why */
	regex_t re;
	size_t i;
	int n = 0;

	if (len >= sizeof(pattern)) {
		snprintf(css->css_why, css->css_nwhy,
		    "a regular expression has at most %zu letters",
		    sizeof(pattern) - 1);
		return -1;
	}
	memcpy(pattern, text, len);
	pattern[len] = '\0';
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
		snprintf(css->css_why, css->css_nwhy,
		    "/%s/ is not a regular expression", pattern);
		return -1;
	}
	for (i = 0; i < CLASS_NNAMES; i++)
		if (class_isname(i) &&
		    regexec(&re, class_names[i], 0, NULL, 0) == 0)
			css->css_has[i] = n = 1;
	regfree(&re);
	if (n == 0)
		snprintf(css->css_why, css->css_nwhy, "no call matches /%s/",
		    pattern);
	return n == 0 ? -1 : 0;
}

static void
class_add_all(struct class_set *css)
{
	size_t i;

	for (i = 0; i < CLASS_NNAMES; i++)
		css->css_has[i] = class_isname(i);
}

/* Reports an unknown item, with the most similar word. */
static int
class_unknown(struct class_set *css, const char *item, size_t len)
{
	const char *words[CLASS_NNAMES + NCLASSES], *near;
	int isclass = *item == '%';
	char word[64];
	size_t i, n = 0;

	snprintf(word, sizeof(word), "%.*s", (int)len - isclass,
	    item + isclass);
	for (i = 0; i < NCLASSES; i++)
		words[n++] = classes[i].name;
	for (i = 0; i < CLASS_NNAMES && !isclass; i++)
		if (class_isname(i))
			words[n++] = class_names[i];
	near = suggest_word(word, words, n);
	snprintf(css->css_why, css->css_nwhy, "there is no %s '%s'%s%s%s",
	    isclass ? "class" : "system call", word,
	    near != NULL ? "; did you mean " : "", near != NULL ? near : "",
	    near != NULL ? "?" : "");
	return -1;
}

static int
class_item(struct class_set *css, const char *item, size_t len)
{
	if (len > 1 && item[0] == '/')
		return class_add_regex(css, item + 1,
		    len - 1 - (item[len - 1] == '/'));
	if (len == 4 && memcmp(item, "none", 4) == 0)
		return 0;
	if (len == 3 && memcmp(item, "all", 3) == 0) {
		class_add_all(css);
		return 0;
	}
	if (len > 1 && item[0] == '?') {
		class_add_name(css, item + 1, len - 1);
		return 0;
	}
	if (item[0] == '%' ? class_add_class(css, item + 1, len - 1)
			   : class_add_name(css, item, len) ||
		    class_add_class(css, item, len))
		return 0;
	return class_unknown(css, item, len);
}

/* Other expressions of strace, and what to use here. */
static const struct {
	const char *word, *use;
} class_others[] = {
	{ "abbrev", "structures are always abbreviated" },
	{ "fault", "dt changes no call" },
	{ "inject", "dt changes no call" },
	{ "kvm", "use dt record 'tracepoint:kvm:*'" },
	{ "quiet", "there are no such messages" },
	{ "raw", "use -j, which has the numbers" },
	{ "read", "use -s, and -j for the bytes" },
	{ "status", "use -z for successful calls, -Z for failed ones" },
	{ "verbose", "structures are always abbreviated" },
	{ "write", "use -s, and -j for the bytes" },
};

/* Returns the expression after trace=, or NULL if it is another one. */
static const char *
class_expression(const char *expr, char *why, size_t nwhy)
{
	size_t n = strcspn(expr, "="), i;

	if (expr[n] == '\0' || *expr == '/')
		return expr;
	if ((n == 5 && memcmp(expr, "trace", n) == 0) ||
	    (n == 1 && *expr == 't'))
		return expr + n + 1;
	for (i = 0; i < sizeof(class_others) / sizeof(class_others[0]); i++)
		if (strlen(class_others[i].word) == n &&
		    memcmp(class_others[i].word, expr, n) == 0) {
			snprintf(why, nwhy, "%.*s= is not supported: %s",
			    (int)n, expr, class_others[i].use);
			return NULL;
		}
	snprintf(why, nwhy, "should be trace=CALL,%%CLASS,/REGEX/");
	return NULL;
}

/* Length of an item: a regular expression may contain commas. */
static size_t
class_length(const char *item)
{
	const char *end = *item == '/' ? strchr(item + 1, '/') : NULL;

	return end != NULL ? (size_t)(end + 1 - item) : strcspn(item, ",");
}

/*
 * Stores the names of the selected calls; isall: set if these are all.  Returns
 * their number, or -1 with the reason.
 */
static int
class_select(const char *expr, const char *names[CLASS_NNAMES], int *isall,
    char *why, size_t nwhy)
{
	struct class_set css = { .css_why = why, .css_nwhy = nwhy };
	size_t i, len;
	int isnot, n = 0, all = 0;

	if ((expr = class_expression(expr, why, nwhy)) == NULL)
		return -1;
	isnot = *expr == '!';
	for (expr += isnot; *expr != '\0'; expr += len + (expr[len] == ',')) {
		len = class_length(expr);
		if (class_item(&css, expr, len) == -1)
			return -1;
	}
	for (i = 0; i < CLASS_NNAMES; i++) {
		all += class_isname(i);
		if (class_isname(i) && css.css_has[i] != isnot)
			names[n++] = class_names[i];
	}
	*isall = n == all;
	if (n == 0)
		snprintf(why, nwhy, "no call is left");
	return n == 0 ? -1 : n;
}

const char *
syscall_class_check(const char *expr)
{
	static char why[256];
	const char *names[CLASS_NNAMES];
	int isall;

	return class_select(expr, names, &isall, why, sizeof(why)) == -1 ? why
									 : NULL;
}

void
syscall_class_probes(struct opts *o, const char *expr)
{
	static char *all[] = { (char *)SYSCALL_CLASS_ALL, NULL };
	static char **probes;
	const char *names[CLASS_NNAMES];
	char why[256];
	int n = 0, isall = 1, i;

	if (expr != NULL)
		n = class_select(expr, names, &isall, why, sizeof(why));
	o->o_args = all;
	o->o_nargs = 1;
	if (isall)
		return;
	if ((probes = calloc(n, sizeof(*probes))) == NULL)
		err(1, NULL);
	for (i = 0; i < n; i++)
		if (asprintf(&probes[i], "syscall:%s", names[i]) == -1)
			err(1, NULL);
	o->o_args = probes;
	o->o_nargs = n;
}
