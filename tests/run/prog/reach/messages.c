/* SPDX-License-Identifier: ISC */
/*
 * Nearly valid messages, and their expected replies: a reply follows from the
 * message's bytes and from whether a session is open.
 */
#include <errno.h>
#include <string.h>

#include "tests/run/prog/reach/reach.h"
#include "tests/run/prog/spoil.h"

void
messages_seed(uint64_t seed)
{
	spoil_seed(seed);
}

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
		return FATE_REACHED; /* checks its length itself */
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
	if (below(3) == 0) /* a probe that exists */
		memcpy(p, below(2) ? &pbn_call : &pbn_clock,
		    n < sizeof(uint32_t) ? n : sizeof(uint32_t));
	for (i = below(4); i > 0; i--)
		p[below(n)] ^= 1 << below(8);
	if (below(8) == 0)
		memset(p, below(2) ? 0xff : 0, n);
}

/* Changes a field of the header, or the length of the whole message. */
static void
spoil_message(struct trial *tr)
{
	struct wire_hdr *h = &tr->tr_hdr;

	switch (below(16)) {
	case 0:
		((uint8_t *)h)[below(sizeof(*h))] ^= 1 << below(8);
		break;
	case 1: /* shorter or longer, with a matching length */
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
	default: /* fields that are ignored */
		h->wh_error = below(200);
		h->wh_reserved = draw();
		h->wh_tag = draw();
	}
}

/*
 * Fills a payload with zeros, or with the values that it needs to be accepted.
 */
static void
set_right(const struct command *cm, uint8_t *p, size_t n)
{
	struct wire_sym wy = { .wy_npcs = (n - sizeof(wy)) / sizeof(uint64_t) };
	const struct wire_maps wm = { .wms_pid = getpid(), .wms_max = 10 };
	const struct wire_symfile wx = { .wx_pathlen = n - sizeof(wx) };
	const uint32_t pid = getpid();

	memset(p, 0, n);
	if (cm->cm_num == WIRE_OPEN || cm->cm_num == (uint32_t)DTIOCSFILTER ||
	    cm->cm_num == (uint32_t)DTIOCSPATH)
		return;
	if (cm->cm_num == (uint32_t)DTIOCSYM)
		memcpy(p, &wy, sizeof(wy));
	else if (cm->cm_num == (uint32_t)DTIOCGMAPS)
		memcpy(p, &wm, sizeof(wm));
	else if (cm->cm_num == (uint32_t)DTIOCSYMFILE) {
		memset(p, '/', n);
		memcpy(p, &wx, sizeof(wx));
	} else if (cm->cm_num == (uint32_t)DTIOCGETAUXBASE)
		memcpy(p, &pid, sizeof(pid));
	else if (n >= sizeof(pbn_call)) /* or a number other than 0 */
		memcpy(p, &pbn_call, sizeof(pbn_call));
}

void
trial_make(struct trial *tr, struct raw *rw, const struct command *cm,
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
	/* an open usually has its namespaces */
	if (cm->cm_num == WIRE_OPEN && (first || below(3) > 0))
		tr->tr_nfds = 2;
	if (!first)
		spoil_message(tr);
	memcpy(tr->tr_buf + tr->tr_ahead, &tr->tr_hdr, sizeof(tr->tr_hdr));
	tr->tr_cmd = command_find(tr->tr_hdr.wh_command);
	tr->tr_fate = fate(tr, rs);
}

void
trial_send(struct raw *rw, const struct trial *tr)
{
	const int *ns = raw_namespaces();
	const int fds[] = { ns[0], ns[1], ns[1], ns[0], ns[0] };
	/* descriptors arrive with the first byte of their message */
	size_t part = tr->tr_nfds > 0 ? tr->tr_ahead
	    : below(4) == 0	      ? below(tr->tr_len)
				      : 0;

	/* a peer that is refused early loses the connection while it sends */
	if (part > 0)
		(void)raw_send(rw, tr->tr_buf, part);
	(void)raw_send_fds(rw, tr->tr_buf + part, tr->tr_len - part, fds,
	    tr->tr_nfds);
}

int
trial_is_due(const struct trial *tr, struct raw *rw, int error)
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
