/* SPDX-License-Identifier: ISC */
/*
 * hundred DIRECTORY
 *
 * Makes 100 different system calls, the same in each run, in the empty
 * DIRECTORY: tests/run/strace_compare has strace and dt print them.  The first
 * is gettid(2), the last exit_group(2), and no call is made twice between the
 * two; everything they need is prepared before.  Some fail.  No signal is
 * delivered.  A child waits for the end of stdin, and the program waits for the
 * child, so that /proc has the program's sockets until then.  x86-64 only,
 * which has the most calls.
 */
#include <sys/types.h>

#include <err.h>

#ifdef __x86_64__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <arpa/inet.h>
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Results matter only where a later call needs them.  A call that fails here
 * and not elsewhere prints a different line.
 */
#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

#define PAGE		4096
#define SIGSET		8 /* bytes of the kernel's sigset_t */

static struct {
	int dir, data, sub; /* ".", "data", "sub" */
	int fifo[2];	    /* with a few bytes in it */
	int quiet[2];	    /* an empty pipe */
	int stream, dgram;  /* of AF_UNIX, of AF_INET */
	int listener;	    /* of stream's type, at "listener" */
	int tcp[2], spare;  /* connected; to be closed */
	int pair[2];	    /* messages; one waits in pair[1] */
	int epoll, event;
	pid_t self, dead;      /* a child that has exited, or will at once */
	struct sockaddr_in at; /* of dgram */
	char *page;	       /* first of PAGES pages */
} made;

static char buf[1024];
static const struct timespec brief = { 0, 1000000 };

static void
need(int ok, const char *what)
{
	if (!ok)
		err(1, "%s", what);
}

static void
prepare_files(const char *dir)
{
	need(chdir(dir) == 0, dir);
	umask(022);
	made.dir = open(".", O_RDONLY | O_DIRECTORY);
	made.data = open("data", O_RDWR | O_CREAT, 0644);
	need(made.dir != -1 && made.data != -1, "open");
	need(write(made.data, "to be, or not to be, that is\nthe question",
		 41) == 41,
	    "write");
	lseek(made.data, 0, SEEK_SET);
	need(mkdir("sub", 0755) == 0 && mkdir("sub/in", 0700) == 0, "mkdir");
	need(mkdir("empty", 0755) == 0, "mkdir");
	need(symlink("data", "symlink") == 0, "symlink");
	need(link("data", "other") == 0, "link");
	made.sub = open("sub", O_RDONLY | O_DIRECTORY);
	need(pipe(made.fifo) == 0 && pipe(made.quiet) == 0, "pipe");
	need(write(made.fifo[1], "fifo", 4) == 4, "write");
	made.event = eventfd(7, 0);
	made.epoll = epoll_create1(0);
	made.spare = open("/dev/null", O_WRONLY);
	made.page = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(made.page != MAP_FAILED, "mmap");
}

static void
prepare_sockets(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX,
		.sun_path = "listener" };
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct epoll_event ee = { .events = EPOLLIN, .data.u64 = 0x1234 };
	socklen_t len = sizeof(made.at);
	int s;

	made.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	need(bind(made.listener, (struct sockaddr *)&un, sizeof(un)) == 0 &&
		listen(made.listener, 1) == 0,
	    "listener");
	made.stream = socket(AF_UNIX, SOCK_STREAM, 0);
	made.dgram = socket(AF_INET, SOCK_DGRAM, 0);
	need(bind(made.dgram, (struct sockaddr *)&in, sizeof(in)) == 0 &&
		getsockname(made.dgram, (struct sockaddr *)&made.at, &len) == 0,
	    "dgram");
	/* to itself: something to receive */
	need(sendto(made.dgram, "datagram", 8, 0, (struct sockaddr *)&made.at,
		 len) == 8,
	    "sendto");
	need((s = socket(AF_INET, SOCK_STREAM, 0)) != -1 &&
		bind(s, (struct sockaddr *)&in, sizeof(in)) == 0 &&
		listen(s, 1) == 0 &&
		getsockname(s, (struct sockaddr *)&in, &len) == 0,
	    "tcp");
	made.tcp[0] = socket(AF_INET, SOCK_STREAM, 0);
	need(connect(made.tcp[0], (struct sockaddr *)&in, len) == 0, "tcp");
	made.tcp[1] = accept(s, NULL, NULL);
	need(socketpair(AF_UNIX, SOCK_DGRAM, 0, made.pair) == 0 &&
		write(made.pair[0], "a message", 9) == 9,
	    "socketpair");
	need(epoll_ctl(made.epoll, EPOLL_CTL_ADD, made.event, &ee) == 0,
	    "epoll_ctl");
}

static void
prepare_processes(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if ((made.dead = fork()) == 0)
		_exit(7);
	need(made.dead != -1, "fork");
	made.self = getpid();
	kill(made.self, SIGUSR1); /* stays pending */
}

/* 1 to 18 */
static void
calls_files(void)
{
	const struct iovec in[2] = { { buf, 8 }, { buf + 8, 100 } };
	const struct iovec out[2] = { { "one, ", 5 }, { "two\n", 4 } };
	int fd;

	CALL(gettid);
	fd = CALL(openat, AT_FDCWD, "made",
	    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
	CALL(open, "sub/none", O_RDONLY | O_NONBLOCK);
	CALL(creat, "created", 0600);
	CALL(read, made.data, buf, 100);
	CALL(write, fd,
	    "\tthe \"text\" that is written\n\1\0019\377, and longer", 48);
	CALL(pread64, made.data, buf, 5, 6);
	CALL(lseek, made.data, 3, SEEK_SET);
	CALL(readv, made.data, in, 2);
	CALL(writev, fd, out, 2);
	CALL(ftruncate, fd, 100);
	CALL(fallocate, fd, FALLOC_FL_KEEP_SIZE, 0, 8192);
	CALL(fsync, fd);
	CALL(fadvise64, made.data, 0, 0, POSIX_FADV_SEQUENTIAL);
	CALL(flock, fd, LOCK_EX | LOCK_NB);
	CALL(fcntl, fd, F_GETFL);
	CALL(ioctl, made.fifo[0], FIONREAD, buf);
	CALL(sendfile, made.quiet[1], made.data, NULL, 10);
}

/* 19 to 40 */
static void
calls_names(void)
{
	const struct timespec times[2] = { { 1000000000, 5 },
		{ 0, UTIME_OMIT } };
	struct statfs sf;
	struct statx sx;
	struct stat st;

	CALL(stat, "data", &st);
	CALL(fstat, made.fifo[0], &st);
	CALL(lstat, "symlink", &st);
	CALL(newfstatat, made.dir, "sub", &st, AT_SYMLINK_NOFOLLOW);
	CALL(statx, AT_FDCWD, "data", AT_STATX_SYNC_AS_STAT,
	    STATX_TYPE | STATX_MODE | STATX_SIZE, &sx);
	CALL(statfs, "/proc", &sf);
	CALL(access, "data", R_OK | W_OK);
	CALL(faccessat, made.sub, "none", F_OK);
	CALL(mkdir, "dir", 0755);
	CALL(rmdir, "sub");
	CALL(rename, "created", "renamed");
	CALL(renameat2, AT_FDCWD, "data", made.dir, "other", RENAME_NOREPLACE);
	CALL(link, "data", "data");
	CALL(symlink, "a target", "dir/symlink");
	CALL(readlink, "symlink", buf, sizeof(buf));
	CALL(unlink, "other");
	CALL(unlinkat, made.dir, "empty", AT_REMOVEDIR);
	CALL(chmod, "data", 0600);
	CALL(fchownat, AT_FDCWD, "symlink", -1, 0, AT_SYMLINK_NOFOLLOW);
	CALL(umask, 077);
	CALL(utimensat, AT_FDCWD, "data", times, 0);
	CALL(getxattr, "data", "user.none", buf, 100);
}

/* 41 to 51 */
static void
calls_descriptors(void)
{
	struct epoll_event ee = { .events = EPOLLIN | EPOLLET,
		.data.u64 = 0x5678 };
	struct pollfd fds[2] = { { .fd = made.fifo[0],
				     .events = POLLIN | POLLPRI },
		{ .fd = made.event, .events = POLLOUT } };
	struct timeval tv = { 2, 500000 };
	fd_set in;
	int fd;

	CALL(getcwd, buf, sizeof(buf));
	CALL(fchdir, made.dir);
	CALL(getdents64, made.sub, buf, sizeof(buf));
	CALL(dup, made.data);
	CALL(dup3, made.data, 50, O_CLOEXEC);
	CALL(pipe2, buf, O_NONBLOCK | O_CLOEXEC);
	CALL(close, made.spare);
	CALL(poll, fds, 2, 1000);
	FD_ZERO(&in);
	FD_SET(made.fifo[0], &in);
	FD_SET(made.quiet[0], &in);
	CALL(select, 40, &in, NULL, NULL, &tv);
	fd = CALL(epoll_create1, EPOLL_CLOEXEC);
	CALL(epoll_ctl, fd, EPOLL_CTL_ADD, made.fifo[0], &ee);
}

/* 52 to 59 */
static void
calls_memory(void)
{
	char *p;

	p = (char *)CALL(mmap, NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CALL(mprotect, p, PAGE, PROT_READ);
	CALL(madvise, p, PAGE, MADV_DONTNEED);
	CALL(msync, p, PAGE, MS_SYNC);
	CALL(mremap, made.page, 2 * PAGE, PAGE, MREMAP_MAYMOVE);
	CALL(munmap, p, 4 * PAGE);
	CALL(brk, NULL);
	CALL(memfd_create, "memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* 60 to 73 */
static void
calls_sockets(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = 0 };
	struct sockaddr_un un = { .sun_family = AF_UNIX,
		.sun_path = "listener" };
	struct sockaddr_storage ss;
	struct iovec iov = { "message", 7 }, room = { buf, 100 };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	socklen_t len = sizeof(ss);
	int fd, on = 1;

	fd = CALL(socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP);
	CALL(setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	CALL(bind, fd, &in, sizeof(in));
	CALL(listen, fd, 5);
	CALL(connect, made.stream, &un, sizeof(un));
	CALL(accept4, made.listener, &ss, &len, SOCK_CLOEXEC);
	len = sizeof(ss);
	CALL(getpeername, made.tcp[0], &ss, &len);
	len = sizeof(on);
	CALL(getsockopt, made.tcp[0], SOL_TCP, TCP_NODELAY, &on, &len);
	len = sizeof(ss);
	CALL(recvfrom, made.dgram, buf, 100, MSG_DONTWAIT, &ss, &len);
	CALL(sendto, made.dgram, "hello", 5, MSG_NOSIGNAL, &made.at,
	    sizeof(made.at));
	CALL(sendmsg, made.pair[0], &mh, MSG_DONTWAIT);
	mh.msg_iov = &room;
	CALL(recvmsg, made.pair[1], &mh, 0);
	CALL(shutdown, made.tcp[1], SHUT_WR);
	CALL(socketpair, AF_UNIX, SOCK_SEQPACKET, 0, buf);
}

/* 74 to 84 */
static void
calls_signals(void)
{
	struct sigaction_kernel {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} sa = { .handler = SIG_IGN,
		.mask = 1UL << (SIGINT - 1) | 1UL << (SIGTERM - 1) };
	const uint64_t usr1 = 1UL << (SIGUSR1 - 1);
	const uint64_t two = usr1 | 1UL << (SIGALRM - 1);
	const struct itimerval it = { .it_value = { 1000, 0 } };
	const struct itimerspec its = { .it_value = { 5, 250 } };
	const stack_t stack = { .ss_sp = made.page, .ss_flags = SS_DISABLE };
	struct epoll_event ees[4];
	int fd;

	CALL(rt_sigaction, SIGUSR2, &sa, NULL, SIGSET);
	CALL(rt_sigprocmask, SIG_BLOCK, &two, buf, SIGSET);
	CALL(rt_sigpending, buf, SIGSET);
	CALL(rt_sigtimedwait, &usr1, buf, &brief, SIGSET);
	CALL(sigaltstack, &stack, NULL);
	CALL(tgkill, made.self, made.self + 1000000, SIGTERM);
	CALL(signalfd4, -1, &usr1, SIGSET, SFD_CLOEXEC);
	CALL(setitimer, ITIMER_REAL, &it, NULL);
	fd = CALL(timerfd_create, CLOCK_MONOTONIC, TFD_NONBLOCK);
	CALL(timerfd_settime, fd, 0, &its, NULL);
	CALL(epoll_wait, made.epoll, ees, 4, 1000);
}

/* 85 to 89 */
static void
calls_time(void)
{
	static uint32_t word = 3;
	struct timespec ts;
	struct timeval tv;

	CALL(clock_gettime, CLOCK_MONOTONIC, &ts);
	CALL(gettimeofday, &tv, NULL);
	CALL(nanosleep, &brief, NULL);
	CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &brief, &ts);
	CALL(futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 4, &brief, NULL, 0);
}

/* 90 to 100 */
static void
calls_processes(void)
{
	static char *const argv[] = { "none", "-a", "an argument", NULL };
	static char *const envp[] = { NULL };
	const struct rlimit rl = { 512, 1024 };
	struct rlimit old;
	unsigned long cpus[128];
	struct utsname uts;
	siginfo_t si = { 0 }; /* the call leaves some fields unset */
	int status;
	pid_t pid;

	pid = CALL(clone, SIGCHLD, NULL, NULL, NULL, 0);
	if (pid == 0) {
		CALL(read, 0, buf, 1);
		CALL(exit_group, 3);
	}
	CALL(wait4, pid, &status, 0, NULL);
	CALL(waitid, P_PID, made.dead, &si, WEXITED, NULL);
	CALL(execve, "./none", argv, envp);
	CALL(prctl, PR_SET_NAME, "hundred calls");
	CALL(sched_getaffinity, 0, sizeof(cpus), cpus);
	CALL(prlimit64, 0, RLIMIT_NOFILE, &rl, &old);
	CALL(uname, &uts);
	CALL(getresuid, buf, buf + 4, buf + 8);
	CALL(setpgid, 1, 0);
	CALL(exit_group, 0);
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: hundred DIRECTORY");
	prepare_files(argv[1]);
	prepare_sockets();
	prepare_processes();
	calls_files();
	calls_names();
	calls_descriptors();
	calls_memory();
	calls_sockets();
	calls_signals();
	calls_time();
	calls_processes();
	return 1;
}

#else
int
main(void)
{
	errx(1, "its calls are those of x86-64");
}
#endif
