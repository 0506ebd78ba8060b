/* SPDX-License-Identifier: ISC */
/*
 * dtd, the daemon of the BSD tracing devices.
 *
 * Two ways to run: as the service, with listening sockets for everybody, or
 * private (--private FD), for the one client that started it, ending with it.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cdevsw.h"
#include "conf.h"
#include "conn.h"
#include "ev.h"
#include "log.h"
#include "monitor.h"
#include "server.h"
#include "stream.h"
#include "sym/symfetch.h"
#include "uevent.h"
#include "work.h"

/*
 * How dtd ends.  Its threads may still read files, whose streams exit() would
 * take away from under them.  A build that counts lines or looks for leaks
 * when it ends has to take that risk.
 */
#ifndef DTD_END
#define DTD_END _exit
#endif

static int privatefd = -1;
static const struct cdevsw *privatedev; /* what its client opens */
static int stopping;
static int nopen; /* opens and the private connection */
static struct ev signal_ev;

static void
usage(FILE *f)
{
	fprintf(f,
	    "usage: dtd [-fnv] [-c file]\n"
	    "  -f, --foreground  stay in the foreground (dtd always does)\n"
	    "  -n, --configtest  read the configuration and exit\n"
	    "  -c, --config FILE settings, see dtd(8)\n"
	    "  -v, --verbose     say what clients do; twice: all\n"
	    "      --version\n");
}

/* The device of this name; ends dtd if there is none. */
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
	int ch, verbose = 0, configtest = 0;
	char *end;

	privatedev = devices[0];
	while ((ch = getopt_long(argc, argv, "c:fhnv", longopts, NULL)) != -1) {
		switch (ch) {
		case 'c':
			conf_read(optarg);
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
				errx(2, "--private wants a descriptor");
			conf.cf_private = 1;
			break;
		case 'v':
			verbose++;
			break;
		case 'V':
			printf("dtd %s\n", DT_RELEASE);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind != argc) {
		usage(stderr);
		exit(2);
	}
	if (configtest)
		exit(0);
	log_init(verbose);
}

/* Nothing is left to do and nobody will come: the end. */
static void
check_end(void)
{
	if (nopen == 0 && (stopping || privatefd != -1))
		ev_stop();
}

void
dev_closed(void)
{
	nopen--;
	conn_retry();
	check_end();
}

void
dev_opened(void)
{
	nopen++;
}

static void
on_signal(struct ev *ev, uint32_t events __attribute__((unused)))
{
	struct signalfd_siginfo si;
	unsigned int i;

	if (read(ev->ev_fd, &si, sizeof(si)) != sizeof(si))
		return;
	if (stopping)
		fatalx("a second signal: leaving at once");
	log_notice("signal %u: ending", si.ssi_signo);
	stopping = 1;
	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_stop != NULL)
			devices[i]->d_stop();
	server_stop();
	conn_closeall();
	check_end();
}

static void
watch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	/* A private daemon ends with its client, which Ctrl-C is meant for. */
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1)
		fatal("sigprocmask");
	signal(SIGPIPE, SIG_IGN);
	if (privatefd != -1)
		sigdelset(&set, SIGINT);
	signal_ev.ev_cb = on_signal;
	signal_ev.ev_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_ev.ev_fd == -1 || ev_add(&signal_ev, EPOLLIN) != 0)
		fatal("signalfd");
}

/*
 * Where the kernel's BTF is left to libbpf (dt_btf.h), it takes a copy, some 5
 * MB, for each object that it loads, and frees it.  With limits that adapt
 * themselves the first free makes the C library keep the next such block for
 * good.
 */
static void
limit_heap(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, 128 << 10);
	(void)mallopt(M_TRIM_THRESHOLD, 128 << 10);
}

/* As many descriptors as we may have: every ring is one. */
static void
raise_limits(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &rl);
	}
}

/* What takes a right that is given up. */
static void
prepare_devices(void)
{
	int i;

	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_early != NULL)
			devices[i]->d_early();
}

int
main(int argc, char **argv)
{
	int i, error;

	/* Somebody else's rights must not become a client's own. */
	if (getauxval(AT_SECURE))
		errx(1,
		    "refusing to run set-user-ID or with file "
		    "capabilities");
	parse_args(argc, argv);
	symfetch_init(conf.cf_debuginfod, conf.cf_debugfolder,
	    conf.cf_debugbytes);
	limit_heap();
	raise_limits();
	monitor_start(argv, prepare_devices);
	if ((error = ev_init()) != 0)
		fatalx("event loop: %s", strerror(error));
	watch_signals(); /* before there are threads */
	monitor_watch();
	if ((error = work_init()) != 0 || (error = stream_init()) != 0)
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
		dev_opened(); /* the connection, before it opens */
		if ((error = conn_alloc(privatefd, privatedev, 1)) != 0)
			fatalx("--private %d: %s", privatefd, strerror(error));
	}
	log_debug("ready");
	ev_loop();
	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_fini != NULL)
			devices[i]->d_fini();
	log_debug("ended");
	DTD_END(0);
}
