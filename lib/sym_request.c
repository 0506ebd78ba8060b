/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSYM and DTIOCSYMFILE on the wire.  Addresses are requested in portions,
 * because a reply must fit into a message.  If a reply does not fit (long
 * paths, deep inlining), the daemon returns the frames that fit, or ENOSPC, and
 * the rest is requested again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"
#include "lib/sym_request.h"

#define SYM_PORTION   256 /* addresses in a request, at most WIRE_MAXSYM */
#define SYM_MAXFRAMES (1U << 20)
#define SYM_MAXBYTES  (64U << 20)
#define SYM_MAXERRNO  4095 /* the kernel's MAX_ERRNO */

/* A request: header, addresses, and the path of a file. */
struct sym_request {
	unsigned long sr_cmd;
	size_t sr_headlen;
	size_t sr_pathlen;
	union {
		struct wire_sym sym;
		struct wire_symfile file;
	} sr_head;
	const char *sr_path;
};

/* A parsed reply: pointers into the buffer. */
struct sym_reply {
	struct wire_syms sp_head;
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

/* Returns whether an offset plus one is within the strings of a reply. */
static bool
sym_inside(const struct sym_reply *sp, uint32_t offset)
{
	return offset <= sp->sp_nbytes;
}

/*
 * Validates a reply: first lengths, then every frame.  Later code relies on
 * it.
 */
static int
sym_check(struct dt *dt, const uint8_t *buf, size_t len, uint32_t npcs,
    struct sym_reply *sp)
{
	struct wire_syms *ws = &sp->sp_head;
	struct wire_frame wf;
	uint32_t i;

	if (len < sizeof(*ws))
		return dt_ctl_nonsense(dt, "symbols have no header");
	memcpy(ws, buf, sizeof(*ws));
	if (ws->ws_count > (len - sizeof(*ws)) / sizeof(wf) ||
	    ws->ws_count > ws->ws_total)
		return dt_ctl_nonsense(dt, "symbols have a wrong length");
	sp->sp_frames = buf + sizeof(*ws);
	sp->sp_strings = (const char *)sp->sp_frames +
	    ws->ws_count * sizeof(wf);
	sp->sp_nbytes = len - sizeof(*ws) - ws->ws_count * sizeof(wf);
	if (sp->sp_nbytes > 0 && sp->sp_strings[sp->sp_nbytes - 1] != '\0')
		return dt_ctl_nonsense(dt, "an unterminated name");
	for (i = 0; i < ws->ws_count; i++) {
		wf = sym_frame(sp, i);
		if (wf.wf_pc >= npcs ||
		    (wf.wf_flags & ~(uint32_t)WIRE_FRAME_ALL) != 0 ||
		    wf.wf_why >= DTFR_NREASON || wf.wf_error > SYM_MAXERRNO ||
		    wf.wf_buildidlen > sizeof(wf.wf_buildid) ||
		    !sym_inside(sp, wf.wf_func) ||
		    !sym_inside(sp, wf.wf_module) ||
		    !sym_inside(sp, wf.wf_file))
			return dt_ctl_nonsense(dt, "a frame out of bounds");
	}
	return 0;
}

/*
 * Returns the number of addresses answered.  If frames are missing, the last
 * address may be incomplete and is not counted.  A single address counts
 * anyway, since another request would return no more.
 */
static uint32_t
sym_ncomplete(const struct sym_reply *sp, uint32_t npcs)
{
	uint32_t last;

	if (sp->sp_head.ws_count == sp->sp_head.ws_total)
		return npcs;
	if (sp->sp_head.ws_count == 0)
		return 1;
	last = sym_frame(sp, sp->sp_head.ws_count - 1).wf_pc;
	return last == 0 ? 1 : last;
}

/* Appends a reply for n addresses, the first with index first. */
static int
sym_add(struct dt *dt, struct dt_syms *sy, const struct sym_reply *sp,
    size_t first, uint32_t n)
{
	struct wire_frame *frames, *wf;
	uint32_t base = (uint32_t)sy->sy_nbytes, count = sp->sp_head.ws_count;
	uint32_t i;
	char *strings;

	if (sy->sy_nframes + count > SYM_MAXFRAMES ||
	    sy->sy_nbytes + sp->sp_nbytes > SYM_MAXBYTES)
		return dt_fail(dt, ENOMEM, "too many symbols in a request");
	frames = reallocarray(sy->sy_frames, sy->sy_nframes + count + 1,
	    sizeof(*frames));
	if (frames == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	sy->sy_frames = frames;
	strings = realloc(sy->sy_strings, sy->sy_nbytes + sp->sp_nbytes + 1);
	if (strings == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	sy->sy_strings = strings;
	memcpy(strings + sy->sy_nbytes, sp->sp_strings, sp->sp_nbytes);
	sy->sy_nbytes += sp->sp_nbytes;

	for (i = 0; i < count; i++) {
		wf = &frames[sy->sy_nframes];
		*wf = sym_frame(sp, i);
		if (wf->wf_pc >= n)
			continue; /* will be requested again */
		wf->wf_pc += (uint32_t)first;
		wf->wf_func += wf->wf_func != 0 ? base : 0;
		wf->wf_module += wf->wf_module != 0 ? base : 0;
		wf->wf_file += wf->wf_file != 0 ? base : 0;
		sy->sy_nframes++;
	}
	return 0;
}

/* Narrows the period of validity to the portion's. */
static void
sym_span(struct dt_syms *sy, const struct wire_syms *ws)
{
	if (ws->ws_from > sy->sy_from)
		sy->sy_from = ws->ws_from;
	if (ws->ws_until < sy->sy_until)
		sy->sy_until = ws->ws_until;
	sy->sy_gen = ws->ws_gen;
}

/* Fills in the header of all requests, except the number of addresses. */
static void
sym_head(const struct dt_symask *sa, struct sym_request *sr)
{
	memset(sr, 0, sizeof(*sr));
	if (sa->syk_path == NULL) {
		sr->sr_cmd = DTIOCSYM;
		sr->sr_headlen = sizeof(sr->sr_head.sym);
		sr->sr_head.sym.wy_pid = sa->syk_pid;
		sr->sr_head.sym.wy_time = sa->syk_nsecs;
		sr->sr_head.sym.wy_flags = sa->syk_flags;
		return;
	}
	sr->sr_cmd = DTIOCSYMFILE;
	sr->sr_headlen = sizeof(sr->sr_head.file);
	sr->sr_path = sa->syk_path;
	sr->sr_pathlen = strlen(sa->syk_path);
	sr->sr_head.file.wx_flags = sa->syk_flags;
	sr->sr_head.file.wx_pathlen = (uint32_t)sr->sr_pathlen;
	sr->sr_head.file.wx_buildidlen = sa->syk_buildidlen;
	if (sa->syk_buildidlen > 0)
		memcpy(sr->sr_head.file.wx_buildid, sa->syk_buildid,
		    sa->syk_buildidlen);
}

/* Builds a request for n addresses.  Returns its length. */
static size_t
sym_write(struct sym_request *sr, const uint64_t *pcs, uint32_t n, uint8_t *buf)
{
	size_t len = sr->sr_headlen;

	if (sr->sr_cmd == DTIOCSYM)
		sr->sr_head.sym.wy_npcs = n;
	else
		sr->sr_head.file.wx_noffs = n;
	memcpy(buf, &sr->sr_head, len);
	memcpy(buf + len, pcs, n * sizeof(*pcs));
	len += n * sizeof(*pcs);
	if (sr->sr_pathlen > 0)
		memcpy(buf + len, sr->sr_path, sr->sr_pathlen);
	return len + sr->sr_pathlen;
}

/*
 * Sends a request and adds its reply.  Returns the number of addresses done,
 * or -1.
 */
static int
sym_portion(struct dt *dt, struct sym_request *sr, const uint64_t *pcs,
    uint32_t n, uint8_t *buf, struct dt_syms *sy, size_t first)
{
	struct sym_reply sp = { 0 };
	size_t len;

	len = sym_write(sr, pcs, n, buf);
	if (dt_ctl_call(dt, sr->sr_cmd, buf, len, buf, WIRE_MAXPAYLOAD, &len) ==
	    -1)
		return -1;
	if (sym_check(dt, buf, len, n, &sp) == -1)
		return -1;
	sym_span(sy, &sp.sp_head);
	n = sym_ncomplete(&sp, n);
	return sym_add(dt, sy, &sp, first, n) == -1 ? -1 : (int)n;
}

int
dt_symask_check(struct dt *dt, const struct dt_symask *sa)
{
	if (sa->syk_path == NULL ||
	    (sa->syk_buildid == NULL && sa->syk_buildidlen > 0))
		return dt_fail(dt, EFAULT, "path or build id is NULL");
	if (sa->syk_path[0] != '/' || strlen(sa->syk_path) >= WIRE_MAXPATH)
		return dt_fail(dt, EINVAL,
		    "a path must begin with / and have less "
		    "than %d bytes",
		    WIRE_MAXPATH);
	if (sa->syk_buildidlen > sizeof(((struct wire_symfile *)0)->wx_buildid))
		return dt_fail(dt, EINVAL, "a build id has at most 20 bytes");
	return 0;
}

int
dt_syms_get(struct dt *dt, const struct dt_symask *sa, const uint64_t *pcs,
    size_t npcs, struct dt_syms *sy)
{
	size_t done = 0, portion = SYM_PORTION;
	struct sym_request sr;
	uint8_t *buf;
	int n = 0;

	memset(sy, 0, sizeof(*sy));
	sy->sy_until = UINT64_MAX;
	sym_head(sa, &sr);
	buf = malloc(WIRE_MAXPAYLOAD);
	if (buf == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	while (done < npcs) {
		if (portion > npcs - done)
			portion = npcs - done;
		n = sym_portion(dt, &sr, pcs + done, (uint32_t)portion, buf, sy,
		    done);
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
