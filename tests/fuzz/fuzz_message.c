/* SPDX-License-Identifier: ISC */
/*
 * Requests to dtd: the daemon itself, all but main.c and server.c, at the other
 * end of a socketpair in this process.  There is no BPF: the process drops that
 * capability first, so ENABLE fails at its last step.
 *
 * The first byte of the input selects how the rest is sent.  The word THREAD in
 * the input is replaced by the number of a thread of this process, which ends
 * with the input.  Every reply must be complete, in order, and belong to a
 * message that was sent; at the end the daemon must have closed.
 *
 * Links with $(filter-out %/main.o %/server.o,$(call obj,$(daemon_src))).
 */
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/device/cdevsw.h"
#include "daemon/base/conf.h"
#include "daemon/server/conn.h"
#include "daemon/inspect/inspect.h"
#include "daemon/base/event_loop.h"
#include "daemon/device/stream.h"
#include "wire/wire.h"
#include "daemon/base/workers.h"

/* The first byte */
#define HOW_TESTDEV  0x01 /* the tests' device, else dt */
#define HOW_PRIVATE  0x02 /* all rights, else root's or LIST */
#define HOW_FDS	     0x04 /* namespaces come with the first piece */
#define HOW_MORE     0x08 /* and with the others, too */
#define HOW_PIECE(b) (((b) >> 4 & 7) == 0 ? SIZE_MAX : 1UL << ((b) >> 4 & 7))
#define HOW_OTHER    0x80 /* tprof, or, for the tests' device, kcov */

struct client {
	struct event_source cl_ev; /* first: ev is client */
	uint8_t cl_how;
	const uint8_t *cl_data; /* the requests to send */
	size_t cl_len, cl_sent;
	size_t cl_asked;	/* start of the message whose reply is due */
	struct wire_hdr cl_hdr; /* of the reply being read */
	size_t cl_have;		/* bytes of it, payload included */
	int cl_eof;
};

static int nopen;
static int namespaces[2];
static struct client client;

static void
wrong(const char *what)
{
	fprintf(stderr, "fuzz_message: %s\n", what);
	abort();
}

/* Symbols of the daemon's main.c. */
void
dev_opened(void)
{
	nopen++;
}

static void
check_end(void)
{
	if (nopen == 0 && client.cl_eof)
		event_loop_stop();
}

void
dev_closed(void)
{
	nopen--;
	check_end();
}

/* Checks a reply's header against the message that is due. */
static void
client_reply(struct client *cl)
{
	struct wire_hdr asked;

	if (cl->cl_len - cl->cl_asked < sizeof(asked))
		wrong("a reply to no message");
	memcpy(&asked, cl->cl_data + cl->cl_asked, sizeof(asked));
	if (cl->cl_hdr.wh_version != WIRE_VERSION ||
	    cl->cl_hdr.wh_length > WIRE_MAXPAYLOAD ||
	    cl->cl_hdr.wh_error > 4095)
		wrong("a reply that makes no sense");
	if (cl->cl_hdr.wh_command != asked.wh_command ||
	    cl->cl_hdr.wh_tag != asked.wh_tag)
		wrong("a reply to another message");
	if (asked.wh_version != WIRE_VERSION &&
	    cl->cl_hdr.wh_error != EPROTONOSUPPORT)
		wrong("another version was served");
	if (asked.wh_length > WIRE_MAXPAYLOAD)
		cl->cl_asked = cl->cl_len; /* no more replies are due */
	else
		cl->cl_asked += sizeof(asked) + asked.wh_length;
	if (cl->cl_asked > cl->cl_len)
		cl->cl_asked = cl->cl_len;
}

static void
client_eof(struct client *cl)
{
	if (cl->cl_have != 0)
		wrong("half a reply");
	event_loop_del(&cl->cl_ev);
	close(cl->cl_ev.es_fd);
	cl->cl_eof = 1;
	check_end();
}

/* Reads some of the replies. */
static void
client_read(struct client *cl)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	char payload[4096];
	struct iovec iov = { payload, sizeof(payload) };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *cm;
	size_t left;
	ssize_t n;
	int fd;

	if (cl->cl_have < sizeof(cl->cl_hdr)) {
		iov.iov_base = (char *)&cl->cl_hdr + cl->cl_have;
		iov.iov_len = sizeof(cl->cl_hdr) - cl->cl_have;
	} else {
		left = sizeof(cl->cl_hdr) + cl->cl_hdr.wh_length - cl->cl_have;
		iov.iov_len = left < sizeof(payload) ? left : sizeof(payload);
	}
	n = recvmsg(cl->cl_ev.es_fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n == -1 && errno == EAGAIN)
		return;
	if (n <= 0) { /* data it has not read may reset the connection */
		client_eof(cl);
		return;
	}
	cm = CMSG_FIRSTHDR(&msg);
	if (cm != NULL && cm->cmsg_type == SCM_RIGHTS) {
		memcpy(&fd, CMSG_DATA(cm), sizeof(fd));
		close(fd); /* the data socket */
	}
	cl->cl_have += n;
	if (cl->cl_have == sizeof(cl->cl_hdr))
		client_reply(cl);
	if (cl->cl_have == sizeof(cl->cl_hdr) + cl->cl_hdr.wh_length)
		cl->cl_have = 0;
}

/* Sends a piece; after the last one the client's side ends. */
static void
client_write(struct client *cl)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(namespaces))];
	struct iovec iov = { (void *)(cl->cl_data + cl->cl_sent),
		cl->cl_len - cl->cl_sent };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cm = (struct cmsghdr *)control;
	ssize_t n;

	if (iov.iov_len > HOW_PIECE(cl->cl_how))
		iov.iov_len = HOW_PIECE(cl->cl_how);
	if (cl->cl_how & (cl->cl_sent == 0 ? HOW_FDS : HOW_MORE)) {
		memset(control, 0, sizeof(control));
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(sizeof(namespaces));
		memcpy(CMSG_DATA(cm), namespaces, sizeof(namespaces));
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
	}
	n = iov.iov_len == 0
	    ? 0
	    : sendmsg(cl->cl_ev.es_fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n > 0)
		cl->cl_sent += n;
	if (cl->cl_sent == cl->cl_len || (n == -1 && errno != EAGAIN)) {
		shutdown(cl->cl_ev.es_fd, SHUT_WR);
		(void)event_loop_mod(&cl->cl_ev, EPOLLIN);
	}
}

static void
client_event(struct event_source *ev, uint32_t events)
{
	struct client *cl = (struct client *)ev;

	if (events & EPOLLOUT)
		client_write(cl);
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		client_read(cl);
}

/* Drops BPF, also as root: only the parser is tested. */
static void
drop_rights(void)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct d[2];

	memset(d, 0, sizeof(d));
	if (syscall(SYS_capset, &h, d) == -1)
		wrong("capset");
}

static void
start(void)
{
	static char name[64] = "inspectors", *argv[] = { name, NULL };
	struct rlimit rl;
	int i;

	drop_rights();
	signal(SIGPIPE, SIG_IGN);
	if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &rl);
	}
	conf.cf_private = 1; /* loads nothing at the start */
	inspect_start(argv);
	namespaces[0] = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	namespaces[1] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	if (namespaces[0] == -1 || namespaces[1] == -1 ||
	    event_loop_init() != 0 || workers_init() != 0 || stream_init() != 0)
		wrong("the daemon does not start");
	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_init != NULL && devices[i]->d_init() != 0)
			wrong("a device does not start");
}

/*
 * A thread whose number is sent
 */

#define THREAD "!tid"

static struct {
	pthread_t thread;
	sem_t begun, end;
	pid_t tid;
	uint8_t *data; /* the input, with its number */
} named;

static void *
named_run(void *arg)
{
	named.tid = gettid();
	sem_post(&named.begun);
	while (sem_wait(&named.end) == -1)
		continue;
	return arg;
}

/* NULL: the input has no THREAD. */
static const uint8_t *
named_start(const uint8_t *data, size_t len)
{
	uint8_t *p;

	if (memmem(data, len, THREAD, sizeof(named.tid)) == NULL)
		return NULL;
	if ((named.data = malloc(len)) == NULL ||
	    sem_init(&named.begun, 0, 0) == -1 ||
	    sem_init(&named.end, 0, 0) == -1 ||
	    pthread_create(&named.thread, NULL, named_run, NULL) != 0)
		wrong("a thread does not start");
	while (sem_wait(&named.begun) == -1)
		continue;
	memcpy(named.data, data, len);
	while ((p = memmem(named.data, len, THREAD, sizeof(named.tid))) != NULL)
		memcpy(p, &named.tid, sizeof(named.tid));
	return named.data;
}

static void
named_stop(void)
{
	if (named.data == NULL)
		return;
	sem_post(&named.end);
	pthread_join(named.thread, NULL);
	free(named.data);
	named.data = NULL;
}

/* Returns the device that the first byte selects; a missing one is dt. */
static const struct cdevsw *
device(uint8_t how)
{
	static const char *const names[] = { "dt", "test", "tprof", "kcov" };
	const char *name =
	    names[(how & HOW_OTHER ? 2 : 0) + (how & HOW_TESTDEV ? 1 : 0)];
	int i;

	for (i = 0; devices[i] != NULL; i++)
		if (strcmp(devices[i]->d_name, name) == 0)
			return devices[i];
	return devices[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int started;
	struct client *cl = &client;
	int sv[2], private;

	if (len == 0)
		return 0;
	if (!started++)
		start();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == -1)
		wrong("socketpair");
	memset(cl, 0, sizeof(*cl));
	cl->cl_how = data[0];
	cl->cl_data = named_start(data + 1, len - 1);
	if (cl->cl_data == NULL)
		cl->cl_data = data + 1;
	cl->cl_len = len - 1;
	cl->cl_ev.es_fd = sv[0];
	cl->cl_ev.es_cb = client_event;
	private = (cl->cl_how & HOW_PRIVATE) != 0;
	if (private)
		dev_opened(); /* like main() */
	if (conn_alloc(sv[1], device(cl->cl_how), private) != 0 ||
	    event_loop_add(&cl->cl_ev, EPOLLIN | EPOLLOUT) != 0)
		wrong("a connection does not start");
	event_loop_run();
	named_stop();
	return 0;
}
