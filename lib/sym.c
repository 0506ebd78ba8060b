/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSYM on the wire.  Addresses are asked for in portions, for a reply
 * has to fit into a frame; when it does not even so (long paths, deep
 * inlining) the daemon gives the frames that fit, or ENOSPC, and the rest is
 * asked for again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "sym.h"

#define SYM_PORTION   256 /* addresses in a request, <= WIRE_MAXSYM */
#define SYM_MAXFRAMES (1U << 20)
#define SYM_MAXBYTES  (64U << 20)

struct sym_request {
	struct wire_sym sr_sym;
	uint64_t sr_pcs[SYM_PORTION];
};

/* A reply, taken apart: pointers into the buffer. */
struct sym_reply {
	uint32_t sp_total;   /* frames of all addresses */
	uint32_t sp_nframes; /* frames that are here */
	const uint8_t *sp_frames;
	const char *sp_strings;
	size_t sp_nbytes;
};

_Static_assert(SYM_PORTION <= WIRE_MAXSYM, "portion of DTIOCSYM");

static struct wire_frame
sym_frame(const struct sym_reply *sp, size_t i)
{
	struct wire_frame wf;

	memcpy(&wf, sp->sp_frames + i * sizeof(wf), sizeof(wf));
	return wf;
}

/* Whether an offset plus one lies within the strings of a reply. */
static bool
sym_inside(const struct sym_reply *sp, uint32_t offset)
{
	return offset <= sp->sp_nbytes;
}

/* Lengths first, then every frame: nothing later needs to look again. */
static int
sym_check(struct dt *dt, const uint8_t *buf, size_t len, uint32_t npcs,
    struct sym_reply *sp)
{
	struct wire_frame wf;
	struct wire_list wl;
	uint32_t i;

	if (len < sizeof(wl))
		return dt_ctl_nonsense(dt, "symbols without a header");
	memcpy(&wl, buf, sizeof(wl));
	if (wl.wl_count > (len - sizeof(wl)) / sizeof(wf) ||
	    wl.wl_count > wl.wl_total)
		return dt_ctl_nonsense(dt, "symbols of another length");
	sp->sp_total = wl.wl_total;
	sp->sp_nframes = wl.wl_count;
	sp->sp_frames = buf + sizeof(wl);
	sp->sp_strings = (const char *)sp->sp_frames + wl.wl_count * sizeof(wf);
	sp->sp_nbytes = len - sizeof(wl) - wl.wl_count * sizeof(wf);
	if (sp->sp_nbytes > 0 && sp->sp_strings[sp->sp_nbytes - 1] != '\0')
		return dt_ctl_nonsense(dt, "a name without an end");
	for (i = 0; i < wl.wl_count; i++) {
		wf = sym_frame(sp, i);
		if (wf.wf_pc >= npcs || wf.wf_inlined > 1 ||
		    wf.wf_buildidlen > sizeof(wf.wf_buildid) ||
		    !sym_inside(sp, wf.wf_func) ||
		    !sym_inside(sp, wf.wf_module) ||
		    !sym_inside(sp, wf.wf_file))
			return dt_ctl_nonsense(dt, "a frame out of bounds");
	}
	return 0;
}

/*
 * How many of the addresses are answered.  When frames are missing, the last
 * address that is there may lack some; the first one is taken as it is, for
 * asking again would give no more.
 */
static uint32_t
sym_answered(const struct sym_reply *sp, uint32_t npcs)
{
	uint32_t last;

	if (sp->sp_nframes == sp->sp_total)
		return npcs;
	if (sp->sp_nframes == 0)
		return 1;
	last = sym_frame(sp, sp->sp_nframes - 1).wf_pc;
	return last == 0 ? 1 : last;
}

/* Adds what a reply says about its first n addresses; they begin at first. */
static int
sym_add(struct dt *dt, struct dt_syms *sy, const struct sym_reply *sp,
    size_t first, uint32_t n)
{
	struct wire_frame *frames, *wf;
	uint32_t base = (uint32_t)sy->sy_nbytes, i;
	char *strings;

	if (sy->sy_nframes + sp->sp_nframes > SYM_MAXFRAMES ||
	    sy->sy_nbytes + sp->sp_nbytes > SYM_MAXBYTES)
		return dt_fail(dt, ENOMEM, "too many symbols at once");
	frames = reallocarray(sy->sy_frames,
	    sy->sy_nframes + sp->sp_nframes + 1, sizeof(*frames));
	if (frames == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	sy->sy_frames = frames;
	strings = realloc(sy->sy_strings, sy->sy_nbytes + sp->sp_nbytes + 1);
	if (strings == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	sy->sy_strings = strings;
	memcpy(strings + sy->sy_nbytes, sp->sp_strings, sp->sp_nbytes);
	sy->sy_nbytes += sp->sp_nbytes;

	for (i = 0; i < sp->sp_nframes; i++) {
		wf = &frames[sy->sy_nframes];
		*wf = sym_frame(sp, i);
		if (wf->wf_pc >= n)
			continue; /* will be asked for again */
		wf->wf_pc += (uint32_t)first;
		wf->wf_func += wf->wf_func != 0 ? base : 0;
		wf->wf_module += wf->wf_module != 0 ? base : 0;
		wf->wf_file += wf->wf_file != 0 ? base : 0;
		sy->sy_nframes++;
	}
	return 0;
}

/* A request and its reply.  Returns how many addresses are done, or -1. */
static int
sym_portion(struct dt *dt, struct sym_request *sr, uint8_t *buf,
    struct dt_syms *sy, size_t first)
{
	uint32_t n = sr->sr_sym.wy_npcs;
	struct sym_reply sp = { 0 };
	size_t len;

	if (dt_ctl_call(dt, DTIOCSYM, sr,
		sizeof(sr->sr_sym) + n * sizeof(sr->sr_pcs[0]), buf,
		WIRE_MAXPAYLOAD, &len) == -1)
		return -1;
	if (sym_check(dt, buf, len, n, &sp) == -1)
		return -1;
	n = sym_answered(&sp, n);
	return sym_add(dt, sy, &sp, first, n) == -1 ? -1 : (int)n;
}

int
dt_syms_get(struct dt *dt, uint32_t pid, uint64_t nsecs, const uint64_t *pcs,
    size_t npcs, struct dt_syms *sy)
{
	struct sym_request sr = { .sr_sym = { .wy_pid = pid,
				      .wy_time = nsecs } };
	size_t done = 0, portion = SYM_PORTION;
	uint8_t *buf;
	int n = 0;

	memset(sy, 0, sizeof(*sy));
	buf = malloc(WIRE_MAXPAYLOAD);
	if (buf == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	while (done < npcs) {
		if (portion > npcs - done)
			portion = npcs - done;
		sr.sr_sym.wy_npcs = (uint32_t)portion;
		memcpy(sr.sr_pcs, pcs + done, portion * sizeof(*pcs));
		n = sym_portion(dt, &sr, buf, sy, done);
		if (n == -1 && errno == ENOSPC && portion > 1) {
			portion /= 2;
			continue;
		}
		if (n == -1)
			break;
		done += (size_t)n;
	}
	free(buf);
	if (n == -1) {
		n = errno;
		dt_syms_free(sy);
		errno = n;
		return -1;
	}
	return 0;
}

void
dt_syms_free(struct dt_syms *sy)
{
	free(sy->sy_frames);
	free(sy->sy_strings);
	memset(sy, 0, sizeof(*sy));
}

const char *
dt_syms_string(const struct dt_syms *sy, uint32_t offset)
{
	return offset == 0 ? NULL : sy->sy_strings + offset - 1;
}
