/* SPDX-License-Identifier: ISC */
/*
 * reach [-n FRAMES] [-s SEED] [-v]
 *
 * Frames that are nearly right reach every command in every state of a
 * connection.  The commands are those of the daemon's own table, which is
 * linked to this program: one that is new there is tested, or this fails and
 * names it.  What must come of a frame follows from its bytes and from whether
 * there is an open; each reply is held against that.  A frame has reached its
 * command when the reply carries the command, the tag and an error that no
 * check before the command gives.
 *
 * Prints a table of commands and states: frames that reached the command,
 * frames that were refused before.  A cell that nothing reached is a failure,
 * but for those where nothing can: they have a reason instead.
 */
#include <sys/resource.h>

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "cdevsw.h"
#include "daemon.h"
#include "held.h"
#include "prog.h"
#include "raw.h"
#include "spoil.h"
#include "state.h"

#define RING_BYTES (64U << 20) /* of all opens, by configuration */
/* kB: rings count twice; what the connections keep; and what a daemon has
 * anyway. */
#define MAXRSS	   (2 * (RING_BYTES >> 10) + 64 * 128 + (48 << 10))
#define MAXOPENS   64
#define MAXCMDS	   64
#define MAXERRORS  136 /* errnos that are counted apart */
#define MAXPAYLOAD 2048
#define MAXSENT	   (2 * (MAXPAYLOAD + sizeof(struct wire_hdr)))
#define UNKNOWN	   0xc0105a7fU /* nobody's number */
#define FILLS	   4000	       /* hits that are made at once */

static const struct prog_dtd *pd;
static struct beside *beside;
static uint32_t pbn_profile;
static struct raw monitor = { .rw_sock = -1, .rw_data = -1 };

/* What the daemon links with main.c: nothing here is ever called. */
void
dev_opened(void)
{
}

void
dev_closed(void)
{
}

/*
 * Commands
 */

static const struct {
	uint32_t num;
	const char *name;
} names[] = {
#define NAME(n) \
	{ \
		(uint32_t)(n), #n \
	}
	NAME(WIRE_OPEN),
	NAME(DTIOCGPLIST),
	NAME(DTIOCGSTATS),
	NAME(DTIOCRECORD),
	NAME(DTIOCPRBENABLE),
	NAME(DTIOCPRBDISABLE),
	NAME(DTIOCGARGS),
	NAME(DTIOCGETAUXBASE),
	NAME(DTIOCSELF),
	NAME(DTIOCLOOKUP),
	NAME(DTIOCSFILTER),
	NAME(DTIOCSBUDGET),
	NAME(DTIOCGFULLSTAT),
	NAME(DTIOCGPROVS),
	NAME(DTIOCSYM),
	NAME(DTIOCGARGNAMES),
	NAME(DTIOCGSTATS_V1),
	NAME(DTIOCPRBENABLE_V1),
	NAME(DTIOCPRBDISABLE_V1),
	NAME(DTIOCNOLIMIT),
	NAME(DTIOCSPATH),
	NAME(UNKNOWN),
#undef NAME
};

struct command {
	uint32_t cm_num;
	size_t cm_min, cm_max; /* bytes of the payload */
	char cm_name[24];
	unsigned long cm_errors[MAXERRORS]; /* replies by their error */
};

static struct command commands[MAXCMDS];
static size_t ncommands;

static void
command_add(uint32_t num, size_t min, size_t max)
{
	struct command *cm = &commands[ncommands++];
	size_t i;

	if (ncommands > MAXCMDS)
		errx(1, "more than %d commands", MAXCMDS);
	cm->cm_num = num;
	cm->cm_min = min;
	cm->cm_max = max;
	/* one without a name here is tested all the same */
	snprintf(cm->cm_name, sizeof(cm->cm_name), "'%c' %u, %u bytes",
	    num >> 8 & 0xff, num & 0xff, num >> 16 & 0x1fff);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].num == num)
			snprintf(cm->cm_name, sizeof(cm->cm_name), "%s",
			    names[i].name);
}

/* Those of the daemon's own table. */
static void
commands_init(void)
{
	const struct cdevsw *dev = devices[0];
	size_t i;

	command_add(WIRE_OPEN, sizeof(struct wire_open),
	    sizeof(struct wire_open));
	for (i = 0; i < dev->d_nioctls; i++)
		command_add(dev->d_ioctls[i].id_cmd, dev->d_ioctls[i].id_inmin,
		    dev->d_ioctls[i].id_inmax);
	command_add(UNKNOWN, 0, MAXPAYLOAD);
}

static struct command *
command_find(uint32_t num)
{
	size_t i;

	for (i = 0; i < ncommands; i++)
		if (commands[i].cm_num == num)
			return &commands[i];
	return &commands[ncommands - 1]; /* unknown */
}

/*
 * States
 */

enum {
	NO_OPEN = 0x01,	  /* no open, or none yet */
	STARVED = 0x02,	  /* the daemon gets no descriptor */
	SHUT_OUT = 0x04,  /* the client ends its side behind the frame */
	CLOSE_OUT = 0x08, /* it closes there, and hears nothing */
};

struct rstate {
	const char *rs_name;
	void (*rs_reach)(struct raw *);
	/* A frame that goes ahead in the same write, or NULL. */
	size_t (*rs_ahead)(struct raw *, uint8_t *);
	unsigned int rs_flags;
};

/* An open of a mode that there is not: the connection stays. */
static void
reach_refused(struct raw *rw)
{
	const struct wire_open wo = { .wo_mode = 77 };
	uint8_t buf[64];
	size_t len = raw_frame(rw, buf, WIRE_OPEN, &wo, sizeof(wo));

	if (raw_send_fds(rw, buf, len, raw_namespaces(), 2) != (ssize_t)len ||
	    raw_reply(rw) != EOPNOTSUPP)
		errx(1, "an open of mode 77 is not refused");
}

/* Without an open, and surely accepted. */
static void
reach_accepted(struct raw *rw)
{
	if (raw_call(rw, DTIOCGSTATS, NULL, 0) != EBADF)
		errx(1, "a command without an open is not EBADF");
}

static struct dtioc_fullstat
fullstat(struct raw *rw)
{
	struct dtioc_fullstat fs;

	if (raw_call(rw, DTIOCGFULLSTAT, NULL, 0) != 0)
		errx(1, "no statistics");
	memcpy(&fs, rw->rw_reply, sizeof(fs));
	return fs;
}

/* Nobody reads, so socket and rings fill up, until hits are dropped. */
static void
reach_full(struct raw *rw)
{
	const uint64_t budget = 1;
	struct dtioc_req rq = { .dtrq_pbn = pbn_entry,
		.dtrq_evtflags = 0xf | DTEVT_WHO };
	int64_t end = prog_now() + PROG_DEADLINE * INT64_C(1000000000);

	state_open(rw);
	if (raw_call(rw, DTIOCSBUDGET, &budget, sizeof(budget)) != 0 ||
	    raw_call(rw, DTIOCPRBENABLE, &rq, sizeof(rq)) != 0)
		errx(1, "no small rings");
	send_record(rw, 1);
	expect_ok(rw, "record");
	while (fullstat(rw).dtfs_dropped == 0) {
		make_hits(FILLS);
		if (prog_now() > end)
			errx(1, "the data socket does not get full");
	}
}

static void
reach_full_stopped(struct raw *rw)
{
	reach_full(rw);
	send_record(rw, 0);
	expect_ok(rw, "stop");
}

static void
read_data(struct raw *rw, void *buf, size_t n)
{
	struct pollfd pfd = { .fd = rw->rw_data, .events = POLLIN };
	size_t have;
	ssize_t r;

	for (have = 0; have < n; have += r) {
		if (poll(&pfd, 1, PROG_DEADLINE * 1000) != 1)
			errx(1, "no more data");
		r = recv(rw->rw_data, (char *)buf + have, n - have, 0);
		if (r <= 0)
			errx(1, "the data ends");
	}
}

/* All has been read, END too. */
static void
reach_ended(struct raw *rw)
{
	static uint8_t junk[WIRE_MAXBLOCK];
	struct wire_block wb;

	state_stopped(rw);
	do {
		read_data(rw, &wb, sizeof(wb));
		if (wb.wb_nbytes > sizeof(junk))
			errx(1, "a block of %u bytes", wb.wb_nbytes);
		read_data(rw, junk, wb.wb_nbytes);
	} while (wb.wb_kind != WIRE_BLOCK_END);
}

static size_t
ahead_enable(struct raw *rw, uint8_t *buf)
{
	const struct dtioc_req rq = { .dtrq_pbn = pbn_entry };

	return raw_frame(rw, buf, DTIOCPRBENABLE, &rq, sizeof(rq));
}

static size_t
ahead_record(struct raw *rw, uint8_t *buf)
{
	const int on = 1;

	return raw_frame(rw, buf, DTIOCRECORD, &on, sizeof(on));
}

static size_t
ahead_stop(struct raw *rw, uint8_t *buf)
{
	const int on = 0;

	return raw_frame(rw, buf, DTIOCRECORD, &on, sizeof(on));
}

static const struct rstate rstates[] = {
	{ "fresh", state_connected, NULL, NO_OPEN },
	{ "refused", reach_refused, NULL, NO_OPEN },
	{ "open", state_open, NULL, 0 },
	{ "enabled", state_enabled, NULL, 0 },
	{ "recording", state_recording, NULL, 0 },
	{ "full", reach_full, NULL, 0 },
	{ "unread", reach_full_stopped, NULL, 0 },
	{ "ended", reach_ended, NULL, 0 },
	{ "enabling", state_open, ahead_enable, 0 },
	{ "starting", state_enabled, ahead_record, 0 },
	{ "stopping", state_recording, ahead_stop, 0 },
	{ "shut", state_enabled, NULL, SHUT_OUT },
	{ "closed", state_recording, NULL, CLOSE_OUT },
	{ "nofile", reach_accepted, NULL, NO_OPEN | STARVED },
	{ "nofile2", state_enabled, NULL, STARVED },
};

#define NRSTATES (sizeof(rstates) / sizeof(rstates[0]))

/* Why nothing can reach a command in a state; NULL: it must. */
static const char *
impossible(const struct command *cm, const struct rstate *rs)
{
	if (rs->rs_flags & CLOSE_OUT)
		return "nobody is there for the reply; counted are frames "
		       "that the daemon survived";
	if ((rs->rs_flags & NO_OPEN) && cm->cm_num != WIRE_OPEN)
		return "without an open every command is EBADF before the "
		       "table is asked";
	return NULL;
}

/*
 * The table
 */

static struct cell {
	unsigned long ce_reached, ce_before; /* refused before */
	unsigned long ce_cut;		     /* never complete, or unheard */
} cells[MAXCMDS][NRSTATES];

static struct cell *
cell(const struct command *cm, const struct rstate *rs)
{
	return &cells[cm - commands][rs - rstates];
}

static void
print_table(void)
{
	const struct command *cm;
	const struct cell *ce;
	char text[32];
	size_t s;

	printf("frames that reached the command/were refused before, by "
	       "state\n%-18s",
	    "");
	for (s = 0; s < NRSTATES; s++)
		printf(" %9s", rstates[s].rs_name);
	printf("\n");
	for (cm = commands; cm < commands + ncommands; cm++) {
		printf("%-18s", cm->cm_name);
		for (s = 0; s < NRSTATES; s++) {
			ce = cell(cm, &rstates[s]);
			snprintf(text, sizeof(text), "%lu/%lu", ce->ce_reached,
			    ce->ce_before);
			if (rstates[s].rs_flags & CLOSE_OUT)
				snprintf(text, sizeof(text), "(%lu)",
				    ce->ce_cut);
			else if (impossible(cm, &rstates[s]) != NULL)
				snprintf(text, sizeof(text), "-/%lu",
				    ce->ce_before);
			printf(" %9s", text);
		}
		printf("\n");
	}
}

static void
print_errors(void)
{
	const struct command *cm;
	int e;

	for (cm = commands; cm < commands + ncommands; cm++) {
		printf("%s:", cm->cm_name);
		for (e = 0; e < MAXERRORS; e++)
			if (cm->cm_errors[e] != 0)
				printf(" %s %lu",
				    e == 0 ? "ok" : strerrorname_np(e),
				    cm->cm_errors[e]);
		printf("\n");
	}
}

static void
print_reasons(void)
{
	const char *why, *last = NULL;
	const struct command *cm;
	size_t s;

	for (s = 0; s < NRSTATES; s++)
		for (cm = commands; cm < commands + ncommands; cm++) {
			why = impossible(cm, &rstates[s]);
			if (why != NULL && why != last)
				printf("%s: %s\n", rstates[s].rs_name, why);
			last = why != NULL ? why : last;
		}
}

/* Every cell has what it must have. */
static void
check_table(void)
{
	const struct command *cm;
	const struct cell *ce;
	int bad = 0;
	size_t s;

	for (cm = commands; cm < commands + ncommands; cm++)
		for (s = 0; s < NRSTATES; s++) {
			ce = cell(cm, &rstates[s]);
			if (impossible(cm, &rstates[s]) == NULL
				? ce->ce_reached != 0
				: ce->ce_before + ce->ce_cut != 0)
				continue;
			warnx("%s in state %s: nothing has reached it",
			    cm->cm_name, rstates[s].rs_name);
			bad = 1;
		}
	if (bad)
		errx(1, "not everything was reached");
}

/*
 * Frames
 */

/* What must come of it. */
enum fate {
	FATE_CUT,     /* it is not complete: no reply */
	FATE_VERSION, /* EPROTONOSUPPORT, and the end */
	FATE_LONG,    /* EMSGSIZE, and the end */
	FATE_NOOPEN,  /* EBADF */
	FATE_NOTTY,   /* ENOTTY */
	FATE_LENGTH,  /* EINVAL with a text about it */
	FATE_REACHED
};

struct trial {
	uint8_t tr_buf[MAXSENT];
	size_t tr_ahead; /* bytes of a frame that goes before */
	size_t tr_len;
	unsigned int tr_nfds;
	struct wire_hdr tr_hdr; /* as it is sent */
	enum fate tr_fate;
	struct command *tr_cmd; /* by its number, as it is sent */
};

static enum fate
fate(const struct trial *tr, const struct rstate *rs)
{
	const struct wire_hdr *h = &tr->tr_hdr;
	size_t n = tr->tr_len - tr->tr_ahead;

	if (n < sizeof(*h))
		return FATE_CUT;
	if (h->wh_version != WIRE_VERSION)
		return FATE_VERSION;
	if (h->wh_length > WIRE_MAXPAYLOAD)
		return FATE_LONG;
	if (n < sizeof(*h) + h->wh_length)
		return FATE_CUT;
	if (h->wh_command == WIRE_OPEN)
		return FATE_REACHED; /* it tests its length itself */
	if (rs->rs_flags & NO_OPEN)
		return FATE_NOOPEN;
	if (tr->tr_cmd->cm_num != h->wh_command)
		return FATE_NOTTY;
	if (tr->tr_cmd->cm_num == UNKNOWN)
		return FATE_NOTTY;
	if (h->wh_length < tr->tr_cmd->cm_min ||
	    h->wh_length > tr->tr_cmd->cm_max)
		return FATE_LENGTH;
	return FATE_REACHED;
}

static void
spoil_payload(uint8_t *p, size_t n)
{
	unsigned int i;

	if (n == 0)
		return;
	if (below(3) == 0) /* a probe that there is */
		memcpy(p, below(2) ? &pbn_entry : &pbn_profile,
		    n < sizeof(uint32_t) ? n : sizeof(uint32_t));
	for (i = below(4); i > 0; i--)
		p[below(n)] ^= 1 << below(8);
	if (below(8) == 0)
		memset(p, below(2) ? 0xff : 0, n);
}

/* Something of the header, or of how long it all is. */
static void
spoil_frame(struct trial *tr)
{
	struct wire_hdr *h = &tr->tr_hdr;

	switch (below(16)) {
	case 0:
		((uint8_t *)h)[below(sizeof(*h))] ^= 1 << below(8);
		break;
	case 1: /* shorter or longer, and says so */
		h->wh_length += below(2) ? -below(h->wh_length + 1) : below(9);
		if (h->wh_length > MAXPAYLOAD)
			h->wh_length = MAXPAYLOAD;
		tr->tr_len = tr->tr_ahead + sizeof(*h) + h->wh_length;
		break;
	case 2:
		h->wh_length = draw();
		break;
	case 3:
		h->wh_version = draw();
		break;
	case 4:
		tr->tr_len -= below(tr->tr_len - tr->tr_ahead);
		break;
	case 5:
		h->wh_command = draw();
		break;
	case 6:
		tr->tr_nfds = below(4) + 1;
		break;
	default: /* what nobody looks at */
		h->wh_error = below(200);
		h->wh_reserved = draw();
		h->wh_tag = draw();
	}
}

/* Zeros, and what only some payloads can be to get far. */
static void
set_right(const struct command *cm, uint8_t *p, size_t n)
{
	struct wire_sym wy = { .wy_npcs = (n - sizeof(wy)) / sizeof(uint64_t) };
	const uint32_t pid = getpid();

	memset(p, 0, n);
	if (cm->cm_num == WIRE_OPEN || cm->cm_num == (uint32_t)DTIOCSFILTER ||
	    cm->cm_num == (uint32_t)DTIOCSPATH)
		return;
	if (cm->cm_num == (uint32_t)DTIOCSYM)
		memcpy(p, &wy, sizeof(wy));
	else if (cm->cm_num == (uint32_t)DTIOCGETAUXBASE)
		memcpy(p, &pid, sizeof(pid));
	else if (n >= sizeof(pbn_entry)) /* or a number that is not 0 */
		memcpy(p, &pbn_entry, sizeof(pbn_entry));
}

/* The first of a cell is right. */
static void
make_trial(struct trial *tr, struct raw *rw, const struct command *cm,
    const struct rstate *rs, int first)
{
	size_t n = cm->cm_min;
	uint8_t *p;

	memset(tr, 0, sizeof(*tr));
	if (cm->cm_max > n && below(2))
		n += below(MAXPAYLOAD - n);
	if (rs->rs_ahead != NULL)
		tr->tr_ahead = rs->rs_ahead(rw, tr->tr_buf);
	p = tr->tr_buf + tr->tr_ahead + sizeof(tr->tr_hdr);
	fill(p, n);
	if (first)
		set_right(cm, p, n);
	else
		spoil_payload(p, n);
	tr->tr_hdr = (struct wire_hdr){ .wh_version = WIRE_VERSION,
		.wh_command = cm->cm_num,
		.wh_tag = ++rw->rw_tag,
		.wh_length = n };
	tr->tr_len = tr->tr_ahead + sizeof(tr->tr_hdr) + n;
	/* an open has its namespaces more often than not */
	if (cm->cm_num == WIRE_OPEN && (first || below(3) > 0))
		tr->tr_nfds = 2;
	if (!first)
		spoil_frame(tr);
	memcpy(tr->tr_buf + tr->tr_ahead, &tr->tr_hdr, sizeof(tr->tr_hdr));
	tr->tr_cmd = command_find(tr->tr_hdr.wh_command);
	tr->tr_fate = fate(tr, rs);
}

static void
send_trial(struct raw *rw, const struct trial *tr)
{
	const int *ns = raw_namespaces();
	const int fds[] = { ns[0], ns[1], ns[1], ns[0], ns[0] };
	/* descriptors come with the first byte of what is sent with them */
	size_t part = tr->tr_nfds > 0 ? tr->tr_ahead
	    : below(4) == 0	      ? below(tr->tr_len)
				      : 0;

	/* who is refused early is hung up on in the middle */
	if (part > 0)
		(void)raw_send(rw, tr->tr_buf, part);
	(void)raw_send_fds(rw, tr->tr_buf + part, tr->tr_len - part, fds,
	    tr->tr_nfds);
}

/* The error is one that this fate may have. */
static int
is_due(const struct trial *tr, struct raw *rw, int error)
{
	static const char length[] = "a payload of ";
	int about_length = error == EINVAL &&
	    rw->rw_hdr.wh_length > sizeof(length) &&
	    memcmp(rw->rw_reply, length, sizeof(length) - 1) == 0;

	switch (tr->tr_fate) {
	case FATE_VERSION:
		return error == EPROTONOSUPPORT;
	case FATE_LONG:
		return error == EMSGSIZE;
	case FATE_NOOPEN:
		return error == EBADF;
	case FATE_NOTTY:
		return error == ENOTTY;
	case FATE_LENGTH:
		return about_length;
	default:
		return error >= 0 && error != EBADF && error != ENOTTY &&
		    error != EPROTONOSUPPORT && !about_length;
	}
}

static void
count_trial(const struct trial *tr, const struct rstate *rs, int error)
{
	struct cell *ce = cell(tr->tr_cmd, rs);

	if (tr->tr_fate == FATE_CUT)
		ce->ce_cut++;
	/* nobody's number has no function: to be told so is all */
	else if (tr->tr_fate == FATE_REACHED || tr->tr_fate == FATE_NOTTY)
		ce->ce_reached++;
	else
		ce->ce_before++;
	if (error >= 0 && error < MAXERRORS)
		tr->tr_cmd->cm_errors[error]++;
}

static void
hear_ahead(struct raw *rw, const struct trial *tr, const struct rstate *rs)
{
	int error;

	if (tr->tr_ahead == 0)
		return;
	if ((error = raw_reply(rw)) != 0)
		errx(1, "%s: the command ahead: %s", rs->rs_name,
		    error == -1 ? "hung up" : strerror(error));
}

/* Reads the reply and holds it against what is due. */
static void
hear_trial(struct raw *rw, const struct trial *tr, const struct rstate *rs)
{
	int error;

	hear_ahead(rw, tr, rs);
	if (tr->tr_fate == FATE_CUT) {
		shutdown(rw->rw_sock, SHUT_WR);
		if (raw_reply(rw) != -1)
			errx(1, "%s: a reply to a part of a frame",
			    rs->rs_name);
		count_trial(tr, rs, -1);
		return;
	}
	if (rs->rs_flags & SHUT_OUT)
		shutdown(rw->rw_sock, SHUT_WR);
	error = raw_reply(rw);
	if (error == -1 || !is_due(tr, rw, error))
		errx(1, "%s, %s: %s (fate %d)", tr->tr_cmd->cm_name,
		    rs->rs_name, error == -1 ? "hung up" : strerror(error),
		    tr->tr_fate);
	if (rw->rw_hdr.wh_command != tr->tr_hdr.wh_command ||
	    rw->rw_hdr.wh_tag != tr->tr_hdr.wh_tag)
		errx(1, "%s, %s: the reply to another", tr->tr_cmd->cm_name,
		    rs->rs_name);
	count_trial(tr, rs, error);
}

/*
 * A cell
 */

/* While the daemon is starved, it has the descriptors that it has. */
static void
starve(int on)
{
	static struct rlimit before;
	struct rlimit rl = { .rlim_cur = 3 };

	if (on) {
		if (prlimit(pd->pd_pid, RLIMIT_NOFILE, NULL, &before) == -1)
			err(1, "prlimit");
		rl.rlim_max = before.rlim_max;
	} else
		rl = before;
	if (prlimit(pd->pd_pid, RLIMIT_NOFILE, &rl, NULL) == -1)
		err(1, "prlimit");
}

/* Opens that end take a while; this is not about their limit. */
static int
has_room(void *arg)
{
	return fullstat(arg).dtfs_nopen < MAXOPENS;
}

struct at {
	struct raw at_raw;
	int at_there;		      /* the state is reached */
	struct dtioc_fullstat at_sig; /* what it was then */
};

static void
go_there(struct at *at, const struct rstate *rs)
{
	int error;

	if (monitor.rw_sock == -1 && raw_open(&monitor, pd->pd_sock) != 0)
		errx(1, "no monitor");
	prog_wait(has_room, &monitor, "the end of opens");
	if ((error = raw_connect(&at->at_raw, pd->pd_sock)) != 0)
		errx(1, "connect: %s", strerror(error));
	rs->rs_reach(&at->at_raw);
	if ((rs->rs_flags & NO_OPEN) == 0)
		at->at_sig = fullstat(&at->at_raw);
	if (rs->rs_flags & STARVED)
		starve(1);
	at->at_there = 1;
}

static void
leave(struct at *at, const struct rstate *rs)
{
	if (at->at_there && (rs->rs_flags & STARVED))
		starve(0);
	raw_close(&at->at_raw);
	at->at_there = 0;
}

/* Whether the frame has changed nothing of what makes the state. */
static int
is_still_there(struct at *at, const struct trial *tr, const struct rstate *rs)
{
	struct dtioc_fullstat fs;

	if (tr->tr_fate <= FATE_LONG || tr->tr_nfds > 0 ||
	    tr->tr_len != sizeof(tr->tr_hdr) + tr->tr_hdr.wh_length ||
	    (rs->rs_flags & (SHUT_OUT | CLOSE_OUT)) || rs->rs_ahead != NULL ||
	    tr->tr_hdr.wh_command == WIRE_OPEN)
		return 0;
	if (rs->rs_flags & NO_OPEN)
		return 1;
	fs = fullstat(&at->at_raw);
	return fs.dtfs_nenabled == at->at_sig.dtfs_nenabled &&
	    fs.dtfs_recording == at->at_sig.dtfs_recording &&
	    fs.dtfs_nrings == at->at_sig.dtfs_nrings &&
	    fs.dtfs_runs == at->at_sig.dtfs_runs;
}

static void
one_trial(struct at *at, const struct command *cm, const struct rstate *rs,
    int first)
{
	static struct trial tr;

	if (!at->at_there)
		go_there(at, rs);
	make_trial(&tr, &at->at_raw, cm, rs, first);
	send_trial(&at->at_raw, &tr);
	if (rs->rs_flags & CLOSE_OUT) {
		tr.tr_fate = FATE_CUT;
		count_trial(&tr, rs, -1);
	} else
		hear_trial(&at->at_raw, &tr, rs);
	if (!is_still_there(at, &tr, rs))
		leave(at, rs);
}

static void
check_rss(unsigned int *max)
{
	unsigned int kb = prog_dtd_rss(pd);

	if (kb > MAXRSS && !DAEMON_SANITIZED)
		errx(1, "the daemon has %u kB, more than %u", kb, MAXRSS);
	if (kb > *max)
		*max = kb;
}

static void
run_state(const struct rstate *rs, long nframes)
{
	static struct at at;
	const struct command *cm;
	unsigned int max = 0;
	long i;

	at.at_raw.rw_sock = at.at_raw.rw_data = -1;
	beside_quiet(beside, (rs->rs_flags & STARVED) != 0);
	for (cm = commands; cm < commands + ncommands; cm++) {
		for (i = 0; i < nframes; i++)
			one_trial(&at, cm, rs, i == 0);
		check_rss(&max);
	}
	leave(&at, rs);
}

/* A first open makes what is made once; then it is looked at. */
static void
warm_up(struct held *base)
{
	struct dt *dt = prog_open(pd, 0);
	char line[128];

	prog_load_all(dt);
	prog_record(dt, 1);
	pbn_profile = prog_probe(dt, "profile:hz:97");
	pbn_entry = prog_probe(dt, "syscall:getppid:entry");
	pbn_return = prog_probe(dt, "syscall:getppid:return");
	dt_close(dt);
	prog_dtd_line(pd, NULL, "close 0", line, sizeof(line));
	held_get_resting(base, pd->pd_pid);
}

struct look {
	const struct held *lo_base;
	struct held lo_now;
	char lo_what[200];
};

static int
is_as_before(void *arg)
{
	struct look *lo = arg;

	held_get(&lo->lo_now, pd->pd_pid);
	return !held_differs(lo->lo_base, &lo->lo_now, lo->lo_what,
	    sizeof(lo->lo_what));
}

static void
expect_as_before(const struct held *base)
{
	static struct look lo;
	int64_t end = prog_now() + 20 * INT64_C(1000000000);
	const struct timespec pause = { 0, 5000000 };

	lo.lo_base = base;
	while (!is_as_before(&lo)) {
		if (prog_now() > end)
			errx(1, "the daemon is not as before: %s", lo.lo_what);
		nanosleep(&pause, NULL);
	}
}

int
main(int argc, char **argv)
{
	static struct held base;
	struct prog_dtd dtd;
	long nframes = 8, seed = 1;
	char conf[64];
	size_t s;
	int ch;

	while ((ch = getopt(argc, argv, "n:s:")) != -1) {
		if (ch == 'n')
			nframes = prog_number(optarg, 1000000);
		else if (ch == 's')
			seed = prog_number(optarg, 1000000000);
		else
			errx(2, "usage: reach [-n frames] [-s seed]");
	}
	spoil_seed(seed);
	prog_init("reach", 3600);
	commands_init();
	snprintf(conf, sizeof(conf), "ring-bytes = %u\n", RING_BYTES);
	prog_dtd_start(&dtd, conf);
	pd = &dtd;
	warm_up(&base);
	beside = beside_start(pd);
	for (s = 0; s < NRSTATES; s++)
		run_state(&rstates[s], nframes);
	beside_stop(beside);
	print_table();
	print_errors();
	print_reasons();
	check_table();
	raw_close(&monitor);
	expect_as_before(&base);
	prog_dtd_stop(&dtd);
	printf("reach: %zu commands in %zu states\n", ncommands, NRSTATES);
	return 0;
}
