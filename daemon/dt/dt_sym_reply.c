/* SPDX-License-Identifier: ISC */
/* Replies with names, see dt_sym_reply.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/device/cdevsw.h"
#include "daemon/dt/dt_sym_reply.h"
#include "daemon/sym/resolve.h"

#define SYMREPLY_ROOM (IOCTL_MAXOUT - sizeof(struct wire_syms))

int
symreply_init(struct symreply *sr, size_t entsize)
{
	memset(sr, 0, sizeof(*sr));
	sr->sr_entsize = entsize;
	sr->sr_entries = malloc(SYMREPLY_ROOM);
	sr->sr_strings = malloc(SYMREPLY_ROOM);
	if (sr->sr_entries == NULL || sr->sr_strings == NULL) {
		symreply_free(sr);
		return ENOMEM;
	}
	return 0;
}

void
symreply_free(struct symreply *sr)
{
	free(sr->sr_entries);
	free(sr->sr_strings);
}

static int
reply_fits(const struct symreply *sr, size_t nbytes)
{
	return sr->sr_n * sr->sr_entsize + sr->sr_nbytes + nbytes <=
	    SYMREPLY_ROOM;
}

/* A string that was told already, or the slot where the next one goes. */
static uint32_t *
reply_slot(struct symreply *sr, const char *s)
{
	uint32_t h = 2166136261U;
	const char *p;
	unsigned int i;

	for (p = s; *p != '\0'; p++)
		h = (h ^ (unsigned char)*p) * 16777619U;
	h ^= h >> 16;
	for (i = 0; i < 8; i++, h++) {
		h %= SYMREPLY_SLOTS;
		if (sr->sr_slots[h] == 0 ||
		    strcmp(sr->sr_strings + sr->sr_slots[h] - 1, s) == 0)
			break;
	}
	return &sr->sr_slots[h % SYMREPLY_SLOTS];
}

uint32_t
symreply_string(struct symreply *sr, const char *s)
{
	uint32_t *slot;
	size_t n;

	if (s == NULL || *s == '\0')
		return 0;
	slot = reply_slot(sr, s);
	if (*slot != 0 && strcmp(sr->sr_strings + *slot - 1, s) == 0)
		return *slot;
	n = strlen(s) + 1;
	if (!reply_fits(sr, n))
		return 0;
	memcpy(sr->sr_strings + sr->sr_nbytes, s, n);
	*slot = sr->sr_nbytes + 1;
	sr->sr_nbytes += n;
	return *slot;
}

void *
symreply_entry(struct symreply *sr)
{
	void *p;

	if (!reply_fits(sr, sr->sr_entsize))
		return NULL;
	p = sr->sr_entries + sr->sr_n++ * sr->sr_entsize;
	memset(p, 0, sr->sr_entsize);
	return p;
}

/* Forgets what was entered behind a place. */
static void
reply_undo(struct symreply *sr, size_t n, size_t nbytes)
{
	unsigned int i;

	sr->sr_n = n;
	sr->sr_nbytes = nbytes;
	for (i = 0; i < SYMREPLY_SLOTS; i++)
		if (sr->sr_slots[i] > nbytes)
			sr->sr_slots[i] = 0;
}

/* One frame; sy NULL: the address has none.  Whether it fits. */
static int
reply_frame(struct symreply *sr, uint32_t pc, const struct resolved *re,
    const struct symbol_frame *sy)
{
	const struct mapped_file *sf = re->re_file;
	struct wire_frame *wf;

	if ((wf = symreply_entry(sr)) == NULL)
		return 0;
	wf->wf_pc = pc;
	wf->wf_flags = re->re_passing ? WIRE_FRAME_PASSING : 0;
	if (sf != NULL) {
		wf->wf_fileoff = re->re_off;
		wf->wf_module = symreply_string(sr, sf->mf_path);
		(void)mapped_file_getid(sf, wf->wf_buildid, &wf->wf_buildidlen);
	}
	if (sy == NULL || sy->sy_func == NULL) {
		wf->wf_why = re->re_why != DTFR_NAMED ? re->re_why : DTFR_NOSYM;
		wf->wf_error = re->re_error;
	} else {
		wf->wf_func = symreply_string(sr, sy->sy_func);
		if (sy->sy_end != 0 && re->re_off + re->re_base >= sy->sy_start)
			wf->wf_offset = re->re_off + re->re_base - sy->sy_start;
	}
	if (sy != NULL) {
		wf->wf_file = symreply_string(sr, sy->sy_file);
		wf->wf_line = sy->sy_line;
		if (sy->sy_inlined)
			wf->wf_flags |= WIRE_FRAME_INLINED;
	}
	return (sf == NULL || sf->mf_path[0] == '\0' || wf->wf_module != 0) &&
	    (sy == NULL || sy->sy_func == NULL || wf->wf_func != 0) &&
	    (sy == NULL || sy->sy_file == NULL || wf->wf_file != 0);
}

/* The first address of a reply has to be in it, whatever it lacks then. */
int
symreply_name(struct symreply *sr, uint32_t pc, const struct resolved *re)
{
	size_t n = sr->sr_n, nbytes = sr->sr_nbytes;
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
symreply_send(const struct symreply *sr, uint32_t total,
    const struct wire_syms *ws, struct ioctl_call *ic)
{
	size_t n = sr->sr_n * sr->sr_entsize;
	uint8_t *out = ic->ic_out;
	struct wire_syms head = *ws;

	head.ws_total = total;
	head.ws_count = sr->sr_n;
	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), sr->sr_entries, n);
	memcpy(out + sizeof(head) + n, sr->sr_strings, sr->sr_nbytes);
	ic->ic_outlen = sizeof(head) + n + sr->sr_nbytes;
}
