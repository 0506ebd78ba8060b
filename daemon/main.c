/* SPDX-License-Identifier: ISC */
/*
 * dtd, the daemon of the BSD tracing devices.
 *
 * It runs as a service, with a listening socket per device, or as a private
 * daemon (--private FD), which serves the one client that started it and exits
 * with that client.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/errmsg.h"
#include "daemon/access/fd_reserve.h"
#include "daemon/access/right.h"
#include "daemon/base/caps.h"
#include "daemon/base/conf.h"
#include "daemon/base/event_loop.h"
#include "daemon/base/log.h"
#include "daemon/base/log_journal.h"
#include "daemon/base/sdlib.h"
#include "daemon/base/timer.h"
#include "daemon/base/workers.h"
#include "daemon/device/cdevsw.h"
#include "daemon/device/stream.h"
#include "daemon/device/uevent.h"
#include "daemon/inspect/inspect.h"
#include "daemon/kernel/attach.h"
#include "daemon/perf/monitor.h"
#include "daemon/server/conn.h"
#include "daemon/server/server.h"
#include "daemon/server/service.h"
#include "daemon/sym/debuginfod.h"
#include "daemon/sym/symbolizer_spawn.h"

/*
 * How dtd exits.  Its threads may still use stdio streams, which exit() would
 * close, hence _exit().  Builds that measure coverage or detect leaks need
 * exit() and accept that risk.
 */
#ifndef DTD_END
#define DTD_END _exit
#endif

#define STOP_WAIT 700 /* ms: recording clients drain and resolve symbols */
#define STOP_LAST 850 /* ms until dtd exits, even if a close still waits */

static int privatefd = -1;
static const struct cdevsw *privatedev; /* the device that its client opens */
static int stopping;
static int status; /* exit status of dtd */
static int nopen;  /* sessions and the private connection */
static struct event_source signal_ev;
static int isabandoned;		/* not all sessions are closed */
static struct timer stop_timer; /* expires after STOP_WAIT */
static struct timer last_timer; /* expires after STOP_LAST */
static struct timer retry_timer;

static void
usage(FILE *f)
{
	fprintf(f,
	    "usage: dtd [-fnv] [-c file]\n"
	    "  -f, --foreground  stay in the foreground (dtd always does)\n"
	    "  -n, --configtest  check the settings and exit\n"
	    "  -c, --config FILE read settings from FILE, not " DT_CONF "\n"
	    "  -v, --verbose     log connects and disconnects; twice: log everything\n"
	    "  -h, --help        print this help\n"
	    "      --version     print the version\n");
}

/* Returns the device of this name.  Exits if there is none. */
static const struct cdevsw *
find_device(const char *name)
{
	int i;

	for (i = 0; devices[i] != NULL; i++)
		if (strcmp(devices[i]->d_name, name) == 0)
			return devices[i];
	errx(2, "there is no device '%s'", name);
}

static void
parse_args(int argc, char **argv)
{
	static const struct option longopts[] = { { "config", required_argument,
						      NULL, 'c' },
		{ "configtest", no_argument, NULL, 'n' },
		{ "device", required_argument, NULL, 'D' },
		{ "foreground", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "private", required_argument, NULL, 'P' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "version", no_argument, NULL, 'V' }, { NULL, 0, NULL, 0 } };
	int ch, verbose = 0, configtest = 0, configs = 0;
	unsigned int nmistakes = 0;
	char *end;

	privatedev = devices[0];
	while ((ch = getopt_long(argc, argv, "c:fhnv", longopts, NULL)) != -1) {
		switch (ch) {
		case 'c':
			nmistakes += conf_read(optarg);
			configs++;
			break;
		case 'f':
			break;
		case 'h':
			usage(stdout);
			exit(0);
		case 'n':
			configtest = 1;
			break;
		case 'D':
			privatedev = find_device(optarg);
			break;
		case 'P':
			privatefd = strtol(optarg, &end, 10);
			if (*end != '\0' || privatefd < 0)
				errx(2, "--private requires a descriptor");
			conf.cf_private = 1;
			break;
		case 'v':
			verbose++;
			break;
		case 'V':
			printf("dtd %s\n", DT_RELEASE);
			exit(0);
		default:
			errmsg_option(argv);
			usage(stderr);
			exit(2);
		}
	}
	if (optind != argc) {
		usage(stderr);
		exit(2);
	}
	if (configs == 0 && privatefd == -1)
		nmistakes += conf_read_default();
	if (configtest || nmistakes > 0)
		exit(nmistakes > 0);
	log_init(verbose);
	if (!conf.cf_private)
		right_commit();
}

/* Stops the event loop if no session is open and none can be opened. */
static void
check_end(void)
{
	if (nopen == 0 && (stopping || privatefd != -1))
		event_loop_stop();
}

void
dev_closed(void)
{
	service_opens(--nopen);
	timer_start(&retry_timer, 0); /* once per pass, however many close */
	check_end();
}

void
dev_opened(void)
{
	service_opens(++nopen);
}

/* Closes the sessions that are still open after STOP_WAIT. */
static void
stop_all(void)
{
	int i;

	inspect_end();
	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_stop != NULL)
			devices[i]->d_stop();
	conn_closeall();
	check_end();
}

/* Leaves sessions whose close still waits to the kernel. */
static void
abandon(void)
{
	log_warnx("%d sessions are not closed yet: leaving them to the kernel",
	    nopen);
	isabandoned = 1;
	event_loop_stop();
}

/*
 * Stops recordings first, so that their clients receive the rest and the
 * ledger.
 */
static void
stop(void)
{
	stopping = 1;
	workers_end();
	timer_start(&last_timer, STOP_LAST * TIMER_MSEC);
	service_stopping();
	server_stop();
	if (conn_drain() == 0) {
		stop_all();
		return;
	}
	timer_start(&stop_timer, STOP_WAIT * TIMER_MSEC);
	check_end();
}

static void
on_signal(struct event_source *ev, uint32_t events __attribute__((unused)))
{
	struct signalfd_siginfo si;

	if (read(ev->es_fd, &si, sizeof(si)) != sizeof(si))
		return;
	if (si.ssi_signo == SIGHUP && privatefd == -1) {
		if (!stopping)
			service_reload();
		return;
	}
	if (stopping)
		fatalx("second signal: exiting at once");
	log_notice("signal %u: exiting", si.ssi_signo);
	stop();
}

/* Exits with status 1, so that the service manager starts another dtd. */
static void
on_forker_lost(void)
{
	status = 1;
	if (!stopping)
		stop();
}

static void
watch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	/* Ctrl-C is meant for the client; a private daemon exits after it. */
	sigaddset(&set, SIGINT);
	/* perf_event_open.c unblocks it in one thread */
	sigaddset(&set, SIGALRM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1)
		fatal("sigprocmask");
	sigdelset(&set, SIGALRM);
	signal(SIGPIPE, SIG_IGN);
	if (privatefd != -1)
		sigdelset(&set, SIGINT);
	signal_ev.es_cb = on_signal;
	signal_ev.es_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_ev.es_fd == -1 || event_loop_add(&signal_ev, EPOLLIN) != 0)
		fatal("signalfd");
}

static void
make_timers(void)
{
	if ((errno = timer_init(&stop_timer, stop_all)) != 0 ||
	    (errno = timer_init(&last_timer, abandon)) != 0 ||
	    (errno = timer_init(&retry_timer, conn_retry)) != 0)
		fatal("timerfd");
}

/*
 * Where libbpf reads the kernel's BTF itself (btf.h), it allocates a copy of
 * some 5 MB for each object that it loads, and frees it.  With malloc's dynamic
 * thresholds, the first free would make the C library keep the next such block
 * forever.
 */
static void
limit_heap(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, 128 << 10);
	/* not after each frame: workers may hold mmap_lock */
	(void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

/* Makes the preparations that need a right which dtd gives up afterwards. */
static void
prepare_devices(void)
{
	int i;

	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_early != NULL)
			devices[i]->d_early();
}

/*
 * Detaching what the last session used may take seconds, for which the user of
 * a private daemon should not wait.  A child has the same descriptors, and the
 * kernel closes them when the last of the two processes ends: the child.
 */
static void
leave_closing(void)
{
	struct pollfd parent = { .events = POLLIN };

	attach_leave();
	parent.fd = pidfd_open(getpid(), 0);
	if (parent.fd == -1 || fork() != 0)
		return;
	(void)setsid();
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	(void)poll(&parent, 1, -1);
	_exit(0);
}

/* Waits for the background work of all devices. */
static void
finish_devices(void)
{
	int i;

	for (i = 0; devices[i] != NULL && !isabandoned; i++)
		if (devices[i]->d_fini != NULL)
			devices[i]->d_fini();
}

int
main(int argc, char **argv)
{
	int i, error;

	/* A client must not gain another user's rights through dtd. */
	if (getauxval(AT_SECURE))
		errx(1,
		    "refusing to run set-user-ID or with file "
		    "capabilities");
	parse_args(argc, argv);
	debuginfod_init(conf.cf_debuginfod, conf.cf_debugfolder,
	    conf.cf_debugbytes);
	if (privatefd == -1) { /* a private daemon has no service manager */
		sdlib_init();
		log_journal_init();
		if ((error = caps_heirs()) != 0)
			fatalx("capabilities: %s", strerror(error));
		symbolizer_spawn_find_user();
		service_read_persons();
	}
	limit_heap();
	fd_reserve_init(privatefd != -1);
	/* first: the child inherits no descriptor, mapping or thread */
	inspect_start(argv);
	monitor_start(argv, prepare_devices);
	if ((error = event_loop_init()) != 0)
		fatalx("event loop: %s", strerror(error));
	watch_signals(); /* before threads are started */
	make_timers();
	service_init();
	monitor_watch();
	inspect_watch(on_forker_lost);
	if ((error = workers_init()) != 0 || (error = stream_init()) != 0)
		fatalx("threads: %s", strerror(error));
	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_init != NULL &&
		    (error = devices[i]->d_init()) != 0)
			fatalx("device %s: %s", devices[i]->d_name,
			    strerror(error));
	uevent_init();
	if (privatefd == -1)
		server_start();
	else {
		dev_opened(); /* counts the connection until a session is
			       * open */
		if ((error = conn_alloc(privatefd, privatedev, 1)) != 0)
			fatalx("--private %d: %s", privatefd, strerror(error));
	}
	log_debug("ready");
	service_ready();
	event_loop_run();
	if (privatefd != -1)
		leave_closing();
	else
		finish_devices();
	log_debug("ended");
	DTD_END(status);
}
