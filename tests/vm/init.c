/* SPDX-License-Identifier: ISC */

/*
 * init of the guest: mounts what a running system has, runs the one job that
 * vm left in the folder $vmdir, reports its status and ends the machine.  It is
 * C and static because an exec takes 0.1 s in such a guest, and a shell needs
 * many.  It starts no services and loads no modules.
 *
 * In a Debian with systemd (vm -s) it is run twice: as the first process, where
 * it makes the root writable and becomes $vmnext, and with an argument as the
 * service that runs the job.
 *
 * ttyS0 is the kernel's log, ttyS1 the job's terminal, ttyS2 takes the status.
 */
#define _GNU_SOURCE
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define EXIT_PORT 0xf4 /* isa-debug-exit: qemu's status is 2 n + 1 */
#define EXIT_DONE 16   /* 33: the status was reported */
#define EXIT_FAILED \
	17 /* 35: no job was run, the reason is in the kernel's log */

#define HOST "/host" /* where the host's root is, if the guest has another */

/*
 * The file $vmdir/job: fields that end with a NUL byte.  After the
 * environment come an empty field and the command with its arguments.
 */
enum {
	JOB_NONCE, /* proves that the status is of this run */
	JOB_CWD,
	JOB_WINSIZE, /* "rows columns", empty if not interactive */
	JOB_OUT,     /* where to mount the second share, or empty */
	JOB_ENV
};
#define JOB_MAXBYTES  (4 << 20) /* execve(2) takes no more than 2 MB */
#define JOB_MAXFIELDS (64 << 10)

static const struct mnt {
	const char *m_type, *m_dir, *m_opts;
} mnts[] = {
	{ "proc", "/proc", NULL },
	{ "sysfs", "/sys", NULL },
	{ "devtmpfs", "/dev", NULL },
	{ "devpts", "/dev/pts", "ptmxmode=666" },
	{ "tmpfs", "/dev/shm", "mode=1777" },
	{ "tmpfs", "/run", "mode=755" },
	{ "tmpfs", "/tmp", "mode=1777" },
	{ "tmpfs", "/var/tmp", "mode=1777" },
	{ "tracefs", "/sys/kernel/tracing", NULL },
	{ "debugfs", "/sys/kernel/debug", NULL },
	{ "bpf", "/sys/fs/bpf", "mode=700" },
	{ "cgroup2", "/sys/fs/cgroup", NULL },
};
#define NMNTS (sizeof(mnts) / sizeof(mnts[0]))

static int
    has_ports; /* requested at the start: a job may lock the kernel down */

static void
leave(int value)
{
	/* there is no /dev/port, so the port is written from here */
	if (has_ports)
		outb(value, EXIT_PORT);
	for (;;)
		pause(); /* vm's time limit ends this */
}

static void
fail(const char *what)
{
	int error = errno;
	FILE *f = fopen("/dev/kmsg", "w"); /* dprintf would seek: EINVAL */

	if (f != NULL) {
		fprintf(f, "<3>init: %s: %s\n", what, strerror(error));
		fclose(f);
	}
	leave(EXIT_FAILED);
}

/* The fields end with a NULL, that after the environment is NULL too. */
static char **
job_read(void)
{
	static char buf[JOB_MAXBYTES], *field[JOB_MAXFIELDS];
	char path[PATH_MAX], *p;
	ssize_t nbytes = -1;
	int fd, n = 0;

	snprintf(path, sizeof(path), "%s/job", getenv("vmdir"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd != -1)
		nbytes = read(fd, buf, sizeof(buf) - 1);
	if (nbytes == -1)
		fail(path);
	close(fd);
	for (p = buf; p < buf + nbytes && n < JOB_MAXFIELDS - 1;
	     p += strlen(p) + 1)
		field[n++] = p;
	errno = E2BIG;
	if (n <= JOB_ENV + 1 || p < buf + nbytes || nbytes == sizeof(buf) - 1)
		fail(path);
	return field;
}

/* Cases change settings of the machine only where /run/vm.guest exists. */
static void
mount_out(const char *out)
{
	if (mkdir("/run/vm.guest", 0755) == -1)
		fail("/run/vm.guest");
	if (*out == '\0')
		return;
	mkdir(out, 0755);
	if (mount("out", out, "virtiofs", 0, NULL) == -1)
		fail(out);
}

static void
mount_all(const char *out)
{
	for (size_t i = 0; i < NMNTS; i++) {
		const struct mnt *m = &mnts[i];

		mkdir(m->m_dir, 0755); /* only those in /dev are missing */
		if (mount(m->m_type, m->m_dir, m->m_type, 0, m->m_opts) == -1)
			fail(m->m_dir);
	}
	mount_out(out);
	/* shows the files below the tmpfs; not recursive, so without these */
	mkdir("/run/host", 0755);
	if (mount("/", "/run/host", NULL, MS_BIND, NULL) == -1)
		fail("/run/host");
}

/* The rest is mounted by systemd, and the host's root is not this one. */
static void
mount_host(const char *out)
{
	mkdir(HOST, 0755);
	if (mount("host", HOST, "virtiofs", MS_RDONLY, NULL) == -1)
		fail(HOST);
	mount_out(out);
}

static void
become(const char *next)
{
	char *argv[] = { (char *)next, NULL };

	if (mount(NULL, "/", NULL, MS_REMOUNT, NULL) == -1)
		fail("/");
	execv(next, argv);
	fail(next);
}

/* devtmpfs has devices only; a shell's <(...) needs /dev/fd */
static void
dev_links(void)
{
	if (symlink("/proc/self/fd", "/dev/fd") == -1 ||
	    symlink("fd/0", "/dev/stdin") == -1 ||
	    symlink("fd/1", "/dev/stdout") == -1 ||
	    symlink("fd/2", "/dev/stderr") == -1)
		fail("/dev/fd");
}

static void
loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (s == -1 || ioctl(s, SIOCSIFFLAGS, &ifr) == -1)
		fail("lo");
	close(s);
}

static int
serial_open(const char *dev, const char *winsize)
{
	struct winsize ws = { 0 };
	struct termios t;
	int fd = open(dev, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd == -1 || tcgetattr(fd, &t) == -1)
		fail(dev);
	cfsetspeed(&t, B115200);
	if (sscanf(winsize, "%hu %hu", &ws.ws_row, &ws.ws_col) == 2)
		ioctl(fd, TIOCSWINSZ, &ws);
	else
		cfmakeraw(&t); /* the job's bytes as they are */
	if (tcsetattr(fd, TCSANOW, &t) == -1)
		fail(dev);
	return fd;
}

static void
serial_drain(int fd)
{
	int lsr;

	/* tcdrain gives up early on the last 16 bytes when vm's reader is slow */
	tcdrain(fd);
	while (ioctl(fd, TIOCSERGETLSR, &lsr) == 0 && !(lsr & TIOCSER_TEMT))
		usleep(1000);
}

/* Below what hides it; with systemd the field has the path in the guest. */
static void
job_chdir(const char *cwd)
{
	char path[PATH_MAX];
	const char *prefix = "";

	for (size_t i = 0; i < NMNTS; i++) {
		size_t n = strlen(mnts[i].m_dir);

		if (strcmp(mnts[i].m_type, "tmpfs") == 0 &&
		    strncmp(cwd, mnts[i].m_dir, n) == 0 &&
		    (cwd[n] == '/' || cwd[n] == '\0'))
			prefix = "/run/host";
	}
	snprintf(path, sizeof(path), "%s%s", prefix, cwd);
	if (chdir(path) == -1)
		fail(path);
}

static pid_t
job_start(char **field, int tty)
{
	char **argv = &field[JOB_ENV];
	int interactive = field[JOB_WINSIZE][0] != '\0', in = tty;
	pid_t pid = fork();

	if (pid == -1)
		fail("fork");
	if (pid > 0)
		return pid;
	(void)iopl(0); /* ours alone */
	while (**argv != '\0')
		argv++;
	*argv++ = NULL;
	environ = &field[JOB_ENV];
	setsid();
	if (interactive)
		ioctl(tty, TIOCSCTTY, 0);
	else
		in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(in, STDIN_FILENO);
	dup2(tty, STDOUT_FILENO);
	dup2(tty, STDERR_FILENO);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "vm: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* As a shell has it; orphans are reaped on the way. */
static int
job_wait(pid_t job)
{
	pid_t pid;
	int status;

	do
		pid = wait(&status);
	while (pid != job && (pid != -1 || errno == EINTR));
	if (pid == -1)
		fail("wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
main(int argc, char **argv __attribute__((unused)))
{
	const char *next = getenv("vmnext");
	int tty, report, status;
	char **field;

	has_ports = iopl(3) == 0;
	if (getpid() == 1 && next != NULL)
		become(next);
	if (argc > 1)
		setenv("vmdir", "/vm", 1);
	field = job_read();
	if (argc > 1)
		mount_host(field[JOB_OUT]);
	else {
		mount_all(field[JOB_OUT]);
		dev_links();
		loopback_up();
	}
	job_chdir(field[JOB_CWD]);
	tty = serial_open("/dev/ttyS1", field[JOB_WINSIZE]);
	status = job_wait(job_start(field, tty));
	kill(-1, SIGKILL); /* or its children might write forever */
	sync();		   /* pages of /tmp/out mapped by the job */
	serial_drain(tty);
	report = serial_open("/dev/ttyS2", "");
	dprintf(report, "VM-END %s %d\n", field[JOB_NONCE], status);
	serial_drain(report);
	leave(EXIT_DONE);
}
