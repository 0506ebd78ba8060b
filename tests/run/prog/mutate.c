/* SPDX-License-Identifier: ISC */
/*
 * mutate [-n MESSAGES] [-s SEED]
 *
 * Sends nearly valid messages: flipped bits, missing or extra bytes, wrong
 * lengths, pieces of other messages, half messages, on several connections of
 * both devices at once.  The same seed gives the same bytes.
 *
 * Every reply must be well-formed, the client next to the test must be served
 * without a fault, the daemon's memory must stay below a bound, and at the end
 * the daemon must hold no more descriptors than before.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/calls.h"
#include "tests/run/prog/daemon.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/raw.h"
#include "tests/run/prog/spoil.h"
#include "daemon/testdev/testdev.h"

#define NCONNS	   8
#define RING_BYTES (32U << 20) /* of all sessions, by configuration */
/*
 * kB: rings count twice, 16 connections have a request and a reply each, plus
 * the daemon's own memory.
 */
#define MAXRSS	   (2 * (RING_BYTES >> 10) + 16 * 128 + (48 << 10))
#define MAXMESSAGE 2048 /* of a message */
#define MAXOPENS   64

static unsigned long nreplies, nok; /* received; and those without an error */

/* Commands and the length of their payload; 0xffff: any. */
static const struct {
	uint32_t command;
	uint16_t length;
} commands[] = {
	{ WIRE_OPEN, sizeof(struct wire_open) },
	{ DTIOCGPLIST, sizeof(struct wire_page) },
	{ DTIOCGSTATS, 0 },
	{ DTIOCRECORD, sizeof(int) },
	{ DTIOCPRBENABLE, sizeof(struct dtioc_req) },
	{ DTIOCPRBDISABLE, sizeof(struct dtioc_req) },
	{ DTIOCGARGS, sizeof(struct wire_args) },
	{ DTIOCGETAUXBASE, sizeof(struct dtioc_getaux) },
	{ DTIOCRDVNODE, sizeof(struct wire_rdvnode) },
	{ DTIOCGKSYMS, sizeof(struct wire_ksyms) },
	{ DTIOCGADDR, sizeof(struct dtioc_addr) },
	{ DTIOCSELF, sizeof(int) },
	{ DTIOCLOOKUP, sizeof(struct wire_lookup) },
	{ DTIOCSFILTER, sizeof(struct dtioc_filter) },
	{ DTIOCSBUDGET, sizeof(uint64_t) },
	{ DTIOCSMAXBUDGET, sizeof(uint64_t) },
	{ DTIOCSPATH, sizeof(struct dtioc_path) },
	{ DTIOCSCONDITION, sizeof(struct dtioc_condition) },
	{ DTIOCSPAIR, sizeof(struct dtioc_pair) },
	{ DTIOCSAGG, sizeof(struct dtioc_agg) },
	{ DTIOCSREADS, sizeof(struct dtioc_reads) },
	{ DTIOCAGGSNAP, 0 },
	{ DTIOCGAGG, 0 },
	{ DTIOCGFULLSTAT, 0 },
	{ DTIOCGSTACK, sizeof(struct dtioc_stack) },
	{ DTIOCGPENDING, 0 },
	{ DTIOCPASS, 0 },
	{ DTIOCTHREADS, sizeof(struct dtioc_threads) },
	{ DTIOCGTHREADS, 0 },
	{ DTIOCGSTALL, 0 },
	{ DTIOCGPROVS, sizeof(struct wire_page) },
	{ DTIOCSYM, sizeof(struct wire_sym) + 8 * sizeof(uint64_t) },
	{ DTIOCGMAPS, sizeof(struct wire_maps) },
	{ DTIOCSYMFILE, sizeof(struct wire_symfile) + 2 * sizeof(uint64_t) },
	{ DTIOCFILE, sizeof(struct wire_file) },
	{ DTIOCGARGNAMES, sizeof(struct wire_args) },
	{ DTIOCGSTATS_V1, 0 },
	{ DTIOCPRBENABLE_V1, sizeof(struct dtioc_req_v1) },
	{ DTIOCPRBDISABLE_V1, sizeof(struct dtioc_req_v1) },
	{ TESTIOCECHO, 0xffff },
	{ TESTIOCLATER, 0xffff },
	{ TESTIOCSEND, sizeof(uint32_t) },
	{ TESTIOCADMIN, 0xffff },
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Makes a valid message. */
static size_t
good(struct raw *rw, uint8_t *buf)
{
	size_t i = below(NCOMMANDS), n = commands[i].length;
	uint8_t payload[MAXMESSAGE];

	if (n == 0xffff)
		n = below(1024);
	fill(payload, n);
	return raw_message(rw, buf, commands[i].command, payload, n);
}

/* Damages a message.  Returns the number of bytes to send. */
static size_t
spoil(uint8_t *buf, size_t n)
{
	struct wire_hdr h;
	unsigned int i;

	memcpy(&h, buf, sizeof(h));
	switch (below(12)) {
	case 0: /* some bits, anywhere */
		for (i = below(8) + 1; i > 0; i--)
			buf[below(n)] ^= 1 << below(8);
		return n;
	case 1: /* some bits of the header */
		buf[below(sizeof(h))] ^= 1 << below(8);
		return n;
	case 2: /* a part */
		return below(n) + 1;
	case 3: /* a length that is slightly wrong */
		h.wh_length += below(17) - 8;
		break;
	case 4: /* a length that is far off */
		h.wh_length = draw();
		break;
	case 5: /* another command */
		h.wh_command = below(2) ? draw()
					: commands[below(NCOMMANDS)].command;
		break;
	case 6: /* at the limit */
		h.wh_length = WIRE_MAXPAYLOAD + below(3) - 1;
		break;
	case 7: /* an unknown version */
		h.wh_version = below(4);
		break;
	case 8: /* reserved, and an error in a request */
		h.wh_reserved = draw();
		h.wh_error = below(200);
		break;
	default: /* no damage */
		return n;
	}
	memcpy(buf, &h, sizeof(h));
	return n;
}

/* Reads the replies that have arrived; closes if the daemon has closed. */
static void
listen_to(struct raw *rw)
{
	struct pollfd pfd = { .fd = rw->rw_sock, .events = POLLIN };
	char junk[4096];
	int error;

	if (rw->rw_data != -1)
		while (recv(rw->rw_data, junk, sizeof(junk), MSG_DONTWAIT) > 0)
			continue;
	while (rw->rw_sock != -1 && poll(&pfd, 1, 0) == 1) {
		if ((error = raw_reply(rw)) == -1) {
			raw_close(rw);
			return;
		}
		nreplies++;
		nok += error == 0;
	}
}

/* Sends a message, maybe with descriptors, maybe in two parts. */
static void
say(struct raw *rw, const uint8_t *buf, size_t n)
{
	unsigned int nfds = below(8) == 0 ? below(5) : 0;
	size_t half = below(4) == 0 ? below(n) : 0;
	const int *ns = raw_namespaces();
	int fds[4], i;

	for (i = 0; i < 4; i++)
		fds[i] = ns[below(2)];
	if (half > 0)
		(void)raw_send_fds(rw, buf, half, fds, nfds);
	(void)raw_send(rw, buf + half, n - half);
}

/*
 * A session that records takes a while to end.  The limit of sessions is not
 * tested here, so sessions that are ending are waited for.
 */
static int
has_room(void *arg)
{
	struct raw *monitor = arg;
	struct dtioc_fullstat fs;

	if (raw_call(monitor, DTIOCGFULLSTAT, NULL, 0) != 0)
		errx(1, "the monitor is not served");
	memcpy(&fs, monitor->rw_reply, sizeof(fs));
	return fs.dtfs_nopen < MAXOPENS;
}

static void
wait_for_room(const struct prog_dtd *pd)
{
	static struct raw monitor = { .rw_sock = -1, .rw_data = -1 };
	int error;

	if (monitor.rw_sock == -1 &&
	    (error = raw_open(&monitor, pd->pd_sock)) != 0)
		errx(1, "monitor: %s", strerror(error));
	prog_wait(has_room, &monitor, "the end of opens");
}

static void
reconnect(struct raw *rw, const struct prog_dtd *pd)
{
	int error;

	wait_for_room(pd);
	if (below(8) == 0) { /* not opened yet */
		if ((error = raw_connect(rw,
			 below(3) == 0 ? pd->pd_test : pd->pd_sock)) != 0)
			errx(1, "connect: %s", strerror(error));
		return;
	}
	if ((error = raw_open(rw, below(3) == 0 ? pd->pd_test : pd->pd_sock)) !=
	    0)
		errx(1, "open: %s", strerror(error));
}

static void
check_rss(const struct prog_dtd *pd)
{
	unsigned int kb = prog_dtd_rss(pd);

	if (kb > MAXRSS && !DAEMON_SANITIZED)
		errx(1, "the daemon has %u kB, more than %u", kb, MAXRSS);
}

static void
mutate(const struct prog_dtd *pd, long nmessages)
{
	static struct raw conns[NCONNS];
	uint8_t buf[MAXMESSAGE + sizeof(struct wire_hdr)];
	unsigned int maxrss = 0, kb;
	struct raw *rw;
	size_t n;
	long i;

	for (i = 0; i < NCONNS; i++)
		conns[i].rw_sock = conns[i].rw_data = -1;
	for (i = 0; i < nmessages; i++) {
		rw = &conns[below(NCONNS)];
		if (rw->rw_sock == -1)
			reconnect(rw, pd);
		n = spoil(buf, good(rw, buf));
		say(rw, buf, n);
		listen_to(rw);
		if (below(16) == 0)
			raw_close(rw);
		if (i % 512 == 0) {
			check_rss(pd);
			if ((kb = prog_dtd_rss(pd)) > maxrss)
				maxrss = kb;
		}
	}
	for (i = 0; i < NCONNS; i++)
		raw_close(&conns[i]);
	printf("mutate: %ld messages, %lu replies, %lu of them without error, "
	       "daemon at most %u kB\n",
	    nmessages, nreplies, nok, maxrss);
	if (nreplies < (unsigned long)nmessages / 20 || nok == 0)
		errx(1, "nothing was tested");
}

int
main(int argc, char **argv)
{
	long nmessages = 20000, seed = 1;
	struct daemon_fds before;
	struct beside *bs;
	struct prog_dtd pd;
	char conf[64];
	int ch;

	while ((ch = getopt(argc, argv, "n:s:")) != -1) {
		if (ch == 'n')
			nmessages = prog_number(optarg, 1000000000);
		else if (ch == 's')
			seed = prog_number(optarg, 1000000000);
		else
			errx(2, "usage: mutate [-n messages] [-s seed]");
	}
	spoil_seed(seed);
	prog_init("mutate", 1200);
	snprintf(conf, sizeof(conf), "ring-bytes = %u\n", RING_BYTES);
	prog_dtd_start(&pd, conf);
	daemon_warm(&pd, &before);
	bs = beside_start(&pd);
	mutate(&pd, nmessages);
	beside_stop(bs);
	/* and the monitor's control and data socket */
	before.df_n += 2;
	daemon_same(&before);
	prog_dtd_stop(&pd);
	printf("mutate: the daemon is as before\n");
	return 0;
}
