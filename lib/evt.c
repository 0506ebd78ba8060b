/* SPDX-License-Identifier: ISC */
/*
 * Decodes records (dt_decode()) and converts them to the BSDs' struct
 * (dt_widen()).  A record may come from an untrusted file, so every length is
 * checked before the bytes that it covers, and the sections must fill the
 * record exactly.
 */
#include <errno.h>
#include <string.h>

#include "lib/decode.h"

/* Undecoded rest of a record. */
struct rest {
	const uint8_t *r_p;
	size_t r_nbytes;
};

/* Takes the next n bytes; NULL if there are fewer. */
static const void *
rest_take(struct rest *r, size_t n)
{
	const void *p = r->r_p;

	if (r->r_nbytes < n)
		return NULL;
	r->r_p += n;
	r->r_nbytes -= n;
	return p;
}

static const struct dt_rec_stack *
decode_stack(struct rest *r)
{
	const struct dt_rec_stack *st;

	st = rest_take(r, sizeof(*st));
	if (st == NULL || st->drs_count > DT_REC_MAXFRAMES ||
	    rest_take(r, st->drs_count * sizeof(uint64_t)) == NULL)
		return NULL;
	return st;
}

/* Also validates the strings, which clients then iterate unchecked. */
static const struct dt_rec_strings *
decode_strings(struct rest *r)
{
	const struct dt_rec_strings *sz;
	const struct dt_rec_string *s;
	struct rest in;
	uint32_t i;

	sz = rest_take(r, sizeof(*sz));
	if (sz == NULL)
		return NULL;
	in.r_nbytes = sz->drz_nbytes;
	in.r_p = rest_take(r, sz->drz_nbytes);
	if (in.r_p == NULL)
		return NULL;
	for (i = 0; i < sz->drz_count; i++) {
		s = rest_take(&in, sizeof(*s));
		if (s == NULL ||
		    rest_take(&in, (s->drt_length + 7U) & ~7U) == NULL)
			return NULL;
	}
	return in.r_nbytes == 0 ? sz : NULL;
}

/*
 * Decodes the sections of a pair; dt_decode_duration() has read the last one.
 */
static int
decode_pair(struct rest *r, const struct dt_event *ev)
{
	const struct dt_rec_first *rf = dt_first(ev);

	if (rf != NULL &&
	    (rest_take(r, sizeof(*rf)) != rf ||
		rf->drf_comm[DT_REC_COMMLEN - 1] != '\0'))
		return -1;
	return rest_take(r, sizeof(struct dt_rec_duration)) != NULL ? 0 : -1;
}

int
dt_decode_long(const uint8_t *p, size_t nbytes, unsigned int flags,
    struct dt_event *ev)
{
	struct rest r = { .r_p = p, .r_nbytes = nbytes };

	if (flags & DT_REC_KSTACK) {
		ev->ev_kstack = decode_stack(&r);
		if (ev->ev_kstack == NULL)
			return -1;
	}
	if (flags & DT_REC_USTACK) {
		ev->ev_ustack = decode_stack(&r);
		if (ev->ev_ustack == NULL)
			return -1;
	}
	if (flags & DT_REC_STRINGS) {
		ev->ev_strings = decode_strings(&r);
		if (ev->ev_strings == NULL)
			return -1;
	}
	if (flags & DT_REC_DURATION && decode_pair(&r, ev) == -1)
		return -1;
	return r.r_nbytes == 0 ? 0 : -1;
}

const struct dt_rec_first *
dt_first(const struct dt_event *ev)
{
	const struct dt_rec_duration *rd;

	rd = (const struct dt_rec_duration *)ev->ev_duration;
	return rd != NULL && rd->drd_nargs & DT_PAIR_FIRST
	    ? (const struct dt_rec_first *)rd - 1
	    : NULL;
}

const struct dt_rec_string *
dt_string(const struct dt_event *ev, const struct dt_rec_string *before)
{
	const struct dt_rec_strings *sz = ev->ev_strings;
	const uint8_t *p, *end;

	if (sz == NULL)
		return NULL;
	p = (const uint8_t *)(sz + 1);
	end = p + sz->drz_nbytes;
	if (before != NULL)
		p = (const uint8_t *)(before + 1) +
		    ((before->drt_length + 7U) & ~7U);
	return p < end ? (const struct dt_rec_string *)p : NULL;
}

int
dt_decode(const void *recp, size_t nbytes, unsigned int nargs,
    struct dt_event *evp)
{
	const struct dt_rec *rec = recp;
	struct dt_event ev;

	if ((uintptr_t)recp % _Alignof(struct dt_rec) != 0) {
		errno = EINVAL;
		return -1;
	}
	memset(&ev, 0, sizeof(ev));
	if (nbytes < sizeof(*rec) || rec->dr_length > nbytes ||
	    rec->dr_length < sizeof(*rec) || !dt_rec_isevent(rec) ||
	    dt_decode_rec(rec, nargs, &ev) == -1) {
		errno = EBADMSG;
		return -1;
	}
	*evp = ev;
	return 0;
}

static void
widen_stack(const struct dt_rec_stack *st, struct stacktrace *to)
{
	unsigned int n;

	if (st == NULL)
		return;
	n = st->drs_count < STACKTRACE_MAX ? st->drs_count : STACKTRACE_MAX;
	memcpy(to->st_pc, DT_STACK_PCS(st), n * sizeof(to->st_pc[0]));
	to->st_count = n;
}

void
dt_widen(const struct dt_event *ev, struct dt_evt *evt)
{
	unsigned int n;

	memset(evt, 0, sizeof(*evt)); /* fields that are not recorded are 0 */
	evt->dtev_pbn = ev->ev_rec->dr_pbn;
	evt->dtev_cpu = ev->ev_cpu;
	evt->dtev_pid = (pid_t)ev->ev_rec->dr_pid;
	evt->dtev_tid = (pid_t)ev->ev_rec->dr_tid;
	evt->dtev_tsp = ev->ev_realtime;
	widen_stack(ev->ev_kstack, &evt->dtev_kstack);
	widen_stack(ev->ev_ustack, &evt->dtev_ustack);
	if (ev->ev_comm != NULL)
		memcpy(evt->dtev_comm, ev->ev_comm, DT_REC_COMMLEN);
	if (ev->ev_ret != NULL) {
		/* shares its space with arguments; a return has none */
		evt->dtev_retval[0] = ev->ev_ret->drr_retval;
		evt->dtev_error = (int)ev->ev_ret->drr_error;
	} else if (ev->ev_args != NULL) {
		n = ev->ev_nargs < DTMAXFUNCARGS ? ev->ev_nargs : DTMAXFUNCARGS;
		memcpy(evt->dtev_args, ev->ev_args,
		    n * sizeof(evt->dtev_args[0]));
	}
}
