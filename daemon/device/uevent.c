/* SPDX-License-Identifier: ISC */
/*
 * Receives the kernel's uevents on a netlink socket in the event loop. A
 * privileged process could also write to this socket, so messages from
 * other senders than the kernel are ignored; the kernel's are parsed with the
 * same care.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/event_loop.h"
#include "daemon/base/log.h"
#include "daemon/base/workers.h"
#include "daemon/device/cdevsw.h"
#include "daemon/device/uevent.h"
#include "daemon/kernel/kallsyms.h"

#define UEVENT_GROUP 1	  /* the kernel; 2 is udev */
#define UEVENT_MAX   8192 /* bytes of a message; the kernel makes 4096 */
#define UEVENT_BATCH 64	  /* messages per wakeup */

static struct event_source uevent_ev;
static atomic_int uevent_reading; /* a worker is reading */

static void
uevent_tell(unsigned int cpu)
{
	int i;

	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_cpu != NULL)
			devices[i]->d_cpu(cpu);
}

static void
uevent_module_run(struct work *w)
{
	atomic_store(&uevent_reading, 0);
	kallsyms_read();
	free(w);
}

/*
 * Lets a worker read the symbols of modules while they are loaded.  One worker
 * suffices, since it reads at most once a second.
 */
static void
uevent_module(void)
{
	struct work *w;

	kallsyms_changed();
	if (atomic_exchange(&uevent_reading, 1) != 0)
		return;
	if ((w = calloc(1, sizeof(*w))) == NULL) {
		atomic_store(&uevent_reading, 0);
		return;
	}
	w->w_run = uevent_module_run;
	workers_submit(w);
}

/* Reads a message.  Returns 0 if there is none. */
static int
uevent_read(int sock)
{
	struct sockaddr_nl from;
	char buf[UEVENT_MAX];
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = { .msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1 };
	unsigned int cpu;
	ssize_t n;

	n = recvmsg(sock, &msg, 0);
	if (n == -1 && errno == ENOBUFS) {
		log_notice("uevents were lost: all CPUs may have changed");
		uevent_tell(DEV_CPU_ALL);
		uevent_module();
		return 1;
	}
	if (n == -1)
		return errno == EINTR;
	if (msg.msg_namelen != sizeof(from) || from.nl_pid != 0 ||
	    (msg.msg_flags & MSG_TRUNC))
		return 1;
	if (uevent_ismodule(buf, n))
		uevent_module();
	if (!uevent_parse(buf, n, &cpu))
		return 1;
	log_info("CPU %u came online or went offline", cpu);
	uevent_tell(cpu);
	return 1;
}

static void
uevent_event(struct event_source *ev, uint32_t events __attribute__((unused)))
{
	int i;

	for (i = 0; i < UEVENT_BATCH && uevent_read(ev->es_fd); i++)
		;
}

void
uevent_init(void)
{
	struct sockaddr_nl sn = { .nl_family = AF_NETLINK,
		.nl_groups = UEVENT_GROUP };
	int sock, error;

	sock = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    NETLINK_KOBJECT_UEVENT);
	if (sock == -1 ||
	    bind(sock, (struct sockaddr *)&sn, sizeof(sn)) == -1) {
		log_notice("no uevents (%s): a CPU that comes online has clock "
			   "ticks only in later recordings",
		    strerror(errno));
		if (sock != -1)
			close(sock);
		return;
	}
	uevent_ev.es_fd = sock;
	uevent_ev.es_cb = uevent_event;
	if ((error = event_loop_add(&uevent_ev, EPOLLIN)) != 0)
		fatalx("uevents: %s", strerror(error));
}
