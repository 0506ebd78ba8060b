/* SPDX-License-Identifier: ISC */
/* Builds replies with symbols, in which frames share strings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/device/cdevsw.h"
#include "daemon/dt/dt_sym_reply.h"
#include "daemon/sym/resolve.h"

#define DT_SYM_REPLY_ROOM (OP_MAXOUT - sizeof(struct wire_syms))

int
dt_sym_reply_init(struct dt_sym_reply *sr, size_t entsize)
{
	memset(sr, 0, sizeof(*sr));
	sr->syr_entsize = entsize;
	sr->syr_entries = malloc(DT_SYM_REPLY_ROOM);
	sr->syr_strings = malloc(DT_SYM_REPLY_ROOM);
	if (sr->syr_entries == NULL || sr->syr_strings == NULL) {
		dt_sym_reply_free(sr);
		return ENOMEM;
	}
	return 0;
}

void
dt_sym_reply_free(struct dt_sym_reply *sr)
{
	free(sr->syr_entries);
	free(sr->syr_strings);
}

static int
reply_fits(const struct dt_sym_reply *sr, size_t nbytes)
{
	return sr->syr_n * sr->syr_entsize + sr->syr_nbytes + nbytes <=
	    DT_SYM_REPLY_ROOM;
}

/* Returns the slot of a string already stored, or of the next one. */
static uint32_t *
reply_slot(struct dt_sym_reply *sr, const char *s)
{
	uint32_t h = 2166136261U;
	const char *p;
	unsigned int i;

	for (p = s; *p != '\0'; p++)
		h = (h ^ (unsigned char)*p) * 16777619U;
	h ^= h >> 16;
	for (i = 0; i < 8; i++, h++) {
		h %= DT_SYM_REPLY_SLOTS;
		if (sr->syr_slots[h] == 0 ||
		    strcmp(sr->syr_strings + sr->syr_slots[h] - 1, s) == 0)
			break;
	}
	return &sr->syr_slots[h % DT_SYM_REPLY_SLOTS];
}

uint32_t
dt_sym_reply_string(struct dt_sym_reply *sr, const char *s)
{
	uint32_t *slot;
	size_t n;

	if (s == NULL || *s == '\0')
		return 0;
	slot = reply_slot(sr, s);
	if (*slot != 0 && strcmp(sr->syr_strings + *slot - 1, s) == 0)
		return *slot;
	n = strlen(s) + 1;
	if (!reply_fits(sr, n))
		return 0;
	memcpy(sr->syr_strings + sr->syr_nbytes, s, n);
	*slot = sr->syr_nbytes + 1;
	sr->syr_nbytes += n;
	return *slot;
}

void *
dt_sym_reply_entry(struct dt_sym_reply *sr)
{
	void *p;

	if (!reply_fits(sr, sr->syr_entsize))
		return NULL;
	p = sr->syr_entries + sr->syr_n++ * sr->syr_entsize;
	memset(p, 0, sr->syr_entsize);
	return p;
}

/* Removes what was added after a position. */
static void
reply_undo(struct dt_sym_reply *sr, size_t n, size_t nbytes)
{
	unsigned int i;

	sr->syr_n = n;
	sr->syr_nbytes = nbytes;
	for (i = 0; i < DT_SYM_REPLY_SLOTS; i++)
		if (sr->syr_slots[i] > nbytes)
			sr->syr_slots[i] = 0;
}

/*
 * Adds one frame, which is completed; from NULL: the address has none. Returns
 * whether it fits.
 */
static int
reply_frame(struct dt_sym_reply *sr, uint32_t pc, const struct resolved *re,
    const struct wire_frame *from)
{
	static const struct wire_frame none;
	const struct mapped_file *sf = re->re_file;
	struct wire_frame *wf;

	if ((wf = dt_sym_reply_entry(sr)) == NULL)
		return 0;
	if (from == NULL)
		from = &none;
	*wf = *from;
	wf->wf_pc = pc;
	wf->wf_flags |= re->re_passing ? WIRE_FRAME_PASSING : 0;
	wf->wf_func = dt_sym_reply_string(sr,
	    wire_string(re->re_strings, from->wf_func));
	wf->wf_file = dt_sym_reply_string(sr,
	    wire_string(re->re_strings, from->wf_file));
	if (sf != NULL) {
		wf->wf_fileoff = re->re_off;
		wf->wf_module = dt_sym_reply_string(sr, sf->mf_path);
		(void)mapped_file_getid(sf, wf->wf_buildid, &wf->wf_buildidlen);
	}
	if (from->wf_func == 0) {
		wf->wf_why = re->re_why != DTFR_NAMED ? re->re_why : DTFR_NOSYM;
		wf->wf_error = re->re_error;
	}
	return (sf == NULL || sf->mf_path[0] == '\0' || wf->wf_module != 0) &&
	    (from->wf_func == 0) == (wf->wf_func == 0) &&
	    (from->wf_file == 0) == (wf->wf_file == 0);
}

/* The first address of a reply must fit, if necessary incompletely. */
int
dt_sym_reply_name(struct dt_sym_reply *sr, uint32_t pc,
    const struct resolved *re)
{
	size_t n = sr->syr_n, nbytes = sr->syr_nbytes;
	int fits = 1;
	uint32_t i;

	if (re->re_n == 0)
		fits = reply_frame(sr, pc, re, NULL);
	for (i = 0; i < re->re_n && fits; i++)
		fits = reply_frame(sr, pc, re, &re->re_frames[i]);
	if (!fits && n > 0) {
		reply_undo(sr, n, nbytes);
		return 0;
	}
	return 1;
}

void
dt_sym_reply_send(const struct dt_sym_reply *sr, uint32_t total,
    const struct wire_syms *ws, struct op *op)
{
	size_t n = sr->syr_n * sr->syr_entsize;
	uint8_t *out = op->op_out;
	struct wire_syms head = *ws;

	head.ws_total = total;
	head.ws_count = sr->syr_n;
	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), sr->syr_entries, n);
	memcpy(out + sizeof(head) + n, sr->syr_strings, sr->syr_nbytes);
	op->op_outlen = sizeof(head) + n + sr->syr_nbytes;
}
