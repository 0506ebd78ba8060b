/* SPDX-License-Identifier: ISC */
/*
 * dtd's side of the monitor: decides whether it is used, starts it, sends
 * requests and detects its end.
 */
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/caps.h"
#include "daemon/base/conf.h"
#include "daemon/base/conf_key.h"
#include "daemon/base/event_loop.h"
#include "daemon/base/fdmsg.h"
#include "daemon/base/log.h"
#include "daemon/base/proctitle.h"
#include "daemon/perf/monitor.h"

#define MONITOR_WAIT	 10 /* s to wait for a reply; a kprobe takes 0.1 */
#define MONITOR_PARANOID 2  /* above it, CAP_PERFMON is not enough */
#define MONITOR_SYSCTL	 "/proc/sys/kernel/perf_event_paranoid"
#define MONITOR_NAME	 "dtd-monitor"

static int monitor_sock = -1; /* [I] -1: no monitor */
static pid_t monitor_pid;     /* [I] */
static struct event_source monitor_ev;
static atomic_int monitor_ended;
static pthread_mutex_t monitor_mtx = PTHREAD_MUTEX_INITIALIZER;
static uint32_t monitor_seq; /* by monitor_mtx */

/*
 * Configuration.
 */

static int monitor_mode; /* enum monitor_mode */

static int
monitor_set_mode(void *p, const char *value)
{
	static const char *const names[] = { [MONITOR_AUTO] = "auto",
		[MONITOR_YES] = "yes",
		[MONITOR_NO] = "no" };
	int i;

	for (i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (strcmp(value, names[i]) == 0) {
			*(int *)p = i;
			return 0;
		}
	return -1;
}

const struct conf_key monitor_keys[] = {
	CONF("monitor", monitor_set_mode, monitor_mode, "auto, yes or no", 0),
	{ .ck_name = NULL },
};

static int
is_paranoid(void)
{
	FILE *f = fopen(MONITOR_SYSCTL, "re");
	int level = 0;

	if (f == NULL)
		return 0;
	if (fscanf(f, "%d", &level) != 1)
		level = 0;
	fclose(f);
	return level > MONITOR_PARANOID;
}

static int
is_wanted(void)
{
	if (conf.cf_private || monitor_mode == MONITOR_NO ||
	    (monitor_mode == MONITOR_AUTO && !is_paranoid()))
		return 0;
	if (!caps_have(CAPS_BIT(CAP_SYS_ADMIN))) {
		if (monitor_mode == MONITOR_YES)
			log_notice("no monitor process: dtd itself has no "
				   "CAP_SYS_ADMIN");
		return 0;
	}
	if (caps_have(CAPS_BIT(CAP_BPF) | CAPS_BIT(CAP_PERFMON)))
		return 1;
	log_notice("no monitor process: without CAP_BPF and CAP_PERFMON dtd "
		   "has to keep CAP_SYS_ADMIN");
	return 0;
}

/*
 * Start.
 */

static void __attribute__((noreturn))
monitor_main(int sock, pid_t parent, char **argv)
{
	struct monitor_result mr;

	proctitle(argv, "dtd: monitor", MONITOR_NAME);
	memset(&mr, 0, sizeof(mr));
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1)
		mr.mr_error = errno;
	else if (getppid() == parent)
		mr.mr_error = monitor_confine(sock);
	else
		_exit(0);
	if (mr.mr_error == 0)
		monitor_serve(sock);
	else
		(void)send(sock, &mr, sizeof(mr), MSG_NOSIGNAL);
	_exit(0);
}

/* Waits for the monitor's first message: ready, or an errno. */
static void
monitor_ready(void)
{
	struct monitor_result mr;
	ssize_t n = recv(monitor_sock, &mr, sizeof(mr), 0);

	if (n == -1)
		fatal("monitor process");
	if (n != sizeof(mr))
		fatalx("monitor process: it exited at once");
	if (mr.mr_error != EAGAIN)
		fatalx("monitor process: %s", strerror(mr.mr_error));
}

void
monitor_start(char **argv, void (*early)(void))
{
	const struct timeval tv = { .tv_sec = MONITOR_WAIT };
	pid_t parent = getpid();
	int sv[2], error;

	if (!is_wanted())
		return;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1 ||
	    setsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) == -1 ||
	    setsockopt(sv[0], SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)) == -1)
		fatal("monitor process");
	if ((monitor_pid = fork()) == -1)
		fatal("monitor process");
	if (monitor_pid == 0)
		monitor_main(sv[1], parent, argv);
	close(sv[1]);
	monitor_sock = sv[0];
	monitor_ready();
	early();
	error = caps_keep(~CAPS_BIT(CAP_SYS_ADMIN));
	if (error != 0)
		fatalx("cannot give up CAP_SYS_ADMIN: %s", strerror(error));
	log_debug("process %d is the monitor", (int)monitor_pid);
}

/*
 * End.
 */

static void
monitor_on_end(struct event_source *ev, uint32_t events __attribute__((unused)))
{
	char how[32] = "";
	int status;

	atomic_store(&monitor_ended, 1);
	if (waitpid(monitor_pid, &status, WNOHANG) == monitor_pid)
		snprintf(how, sizeof(how), " (%s %d)",
		    WIFSIGNALED(status) ? "signal" : "status",
		    WIFSIGNALED(status) ? WTERMSIG(status)
					: WEXITSTATUS(status));
	log_warnx("the monitor process has exited%s: no clocks, tracepoints "
		  "and perf events for functions until dtd is restarted",
	    how);
	event_loop_del(ev);
	close(ev->es_fd);
	ev->es_fd = -1;
}

void
monitor_watch(void)
{
	int error;

	if (!monitor_is_used())
		return;
	monitor_ev.es_cb = monitor_on_end;
	monitor_ev.es_fd = pidfd_open(monitor_pid, 0);
	if (monitor_ev.es_fd == -1)
		fatal("monitor process");
	if ((error = event_loop_add(&monitor_ev, EPOLLIN)) != 0)
		fatalx("monitor process: %s", strerror(error));
}

int
monitor_is_used(void)
{
	return monitor_sock != -1;
}

const char *
monitor_broken(void)
{
	return atomic_load(&monitor_ended)
	    ? "dtd's monitor process has exited; restart dtd"
	    : NULL;
}

/*
 * Requests.
 */

/* Returns the descriptor of a message, or -1. */
static int
reply_fd(struct msghdr *msg)
{
	struct cmsghdr *cm = CMSG_FIRSTHDR(msg);
	int fd;

	if (cm == NULL || cm->cmsg_level != SOL_SOCKET ||
	    cm->cmsg_type != SCM_RIGHTS || cm->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(cm), sizeof(fd));
	return fd;
}

/*
 * Reads the next reply; *fdp is a descriptor or a negative errno.  Returns 0 or
 * errno: ETIMEDOUT, EPIPE.
 */
static int
reply_read(uint32_t *seq, int *fdp)
{
	struct monitor_result mr;
	struct iovec iov = { .iov_base = &mr, .iov_len = sizeof(mr) };
	union {
		struct cmsghdr hdr;
		char room[CMSG_SPACE(sizeof(int))];
	} cm;
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &cm,
		.msg_controllen = sizeof(cm.room) };
	ssize_t n;
	int fd;

	do
		n = recvmsg(monitor_sock, &msg, MSG_CMSG_CLOEXEC);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return errno == EAGAIN ? ETIMEDOUT : EPIPE;
	if (n != sizeof(mr))
		return EPIPE;
	*seq = mr.mr_seq;
	fd = reply_fd(&msg);
	if (mr.mr_error > 0 && fd != -1) {
		close(fd);
		fd = -1;
	}
	if (fd == -1) /* no errno and none attached: dtd has no free
		       * descriptor */
		fd = mr.mr_error > 0 ? -mr.mr_error : -EMFILE;
	*fdp = fd;
	return 0;
}

/*
 * Sends a request, under the lock.  A late reply to an earlier request may
 * arrive first.
 */
static int
monitor_request(const struct monitor_request *ma, int *fdp)
{
	struct iovec iov = { .iov_base = (void *)ma, .iov_len = sizeof(*ma) };
	int hasfile = ma->ma_want.pw_kind == PERF_UPROBE ||
	    ma->ma_want.pw_kind == PERF_URETPROBE;
	uint32_t seq;
	int error;

	error = fdmsg_send(monitor_sock, &iov, 1, &ma->ma_want.pw_fd, hasfile);
	if (error != 0)
		return error == EAGAIN ? ETIMEDOUT : EPIPE;
	while ((error = reply_read(&seq, fdp)) == 0 && seq != ma->ma_seq)
		if (*fdp >= 0)
			close(*fdp);
	return error;
}

int
monitor_open(const struct perf_want *pw)
{
	struct monitor_request ma;
	int fd, error;

	memset(&ma, 0, sizeof(ma));
	ma.ma_want = *pw;
	pthread_mutex_lock(&monitor_mtx);
	ma.ma_seq = ++monitor_seq;
	error = monitor_request(&ma, &fd);
	pthread_mutex_unlock(&monitor_mtx);
	if (error == 0)
		return fd;
	if (error == ETIMEDOUT)
		return -error;
	atomic_store(&monitor_ended, 1);
	return -EIO;
}
