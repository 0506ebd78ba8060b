/* SPDX-License-Identifier: ISC */
/*
 * Merges profiles of the machines.  In the tree, a machine takes the place of a
 * process, and the process is the outermost function of its stacks.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/hash.h"
#include "cli/hosts/merge.h"
#include "cli/hosts/wire.h"
#include "cli/out/out_wire.h"
#include "cli/out/weight.h"
#include "cli/profile/profile.h"
#include "cli/profile/profile_funcs.h"

#define STACKS_MAX	(1 << 20) /* stacks, and frames, of a machine */
#define STACKS_MAXDEPTH 4096	  /* frames of a stack */

/* A profile that is being received. */
struct merge_profile {
	const struct frame **mpr_frames; /* by number */
	size_t mpr_nframes, mpr_maxframes;
	size_t mpr_nstacks;
};

struct merge_stacks {
	struct frames msk_frames;
	struct out_profile msk_out;
	struct out_stack *msk_stacks;
	size_t msk_max;
	struct hash msk_whys;
};

/* Reading */

static struct merge_stacks *
stacks_get(struct merge *mg)
{
	struct merge_stacks *ms = mg->mrg_stacks;

	if (ms != NULL)
		return ms;
	if ((ms = calloc(1, sizeof(*ms))) == NULL)
		err(1, "stacks");
	ms->msk_frames.fs_isexact = mg->mrg_out.out_format->f_isexact;
	return mg->mrg_stacks = ms;
}

static void
stacks_plus(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

/* Stores a text that formats print without escapes. */
static const char *
stacks_escaped(struct merge_stacks *ms, const char *text)
{
	const char *s;
	struct buf b;

	buf_init(&b, -1);
	esc_str(&b, text);
	buf_c(&b, '\0');
	s = frames_str(&ms->msk_frames, b.b_data);
	buf_free(&b);
	return s;
}

/* Adds the sums of a profile; all machines use one unit. */
static int
stacks_head(struct merge_stacks *ms, char **f)
{
	struct out_profile *op = &ms->msk_out;
	uint64_t *const sums[] = { &op->opr_hits, &op->opr_idle,
		&op->opr_novalue, &op->opr_judged, &op->opr_complete,
		&op->opr_bytable };
	const unsigned int nsums = sizeof(sums) / sizeof(sums[0]);
	uint64_t v[WIRE_NPROFILE] = { 0 };
	unsigned int i;

	for (i = 0; i < WIRE_NPROFILE; i++)
		if (i != 1 && wire_u64(f[i], INT64_MAX, &v[i]) == -1)
			return -1;
	if (v[0] >= PROFILE_NUNITS || v[10] > 999999999 ||
	    (weight_hasname(v[0]) && *f[1] == '\0') ||
	    (op->opr_nsecs != 0 && v[0] != op->opr_unit))
		return -1;
	op->opr_unit = v[0];
	op->opr_name = *f[1] != '\0' ? stacks_escaped(ms, f[1]) : NULL;
	for (i = 0; i < nsums; i++)
		stacks_plus(sums[i], v[2 + i]);
	op->opr_period = v[8];
	if (op->opr_start.tv_sec == 0 || (time_t)v[9] < op->opr_start.tv_sec) {
		op->opr_start.tv_sec = v[9];
		op->opr_start.tv_nsec = v[10];
	}
	if (v[11] > op->opr_nsecs)
		op->opr_nsecs = v[11];
	for (i = 0; i < PROFILE_NWAITS; i++) {
		stacks_plus(&op->opr_waits[i].hits, v[12 + 2 * i]);
		stacks_plus(&op->opr_waits[i].nsecs, v[13 + 2 * i]);
	}
	return 0;
}

static int
stacks_begin(struct merge *mg, struct merge_host *mh, char **f, int n)
{
	if (n != WIRE_NPROFILE || mh->mho_profile != NULL ||
	    stacks_head(stacks_get(mg), f) == -1)
		return -1;
	mh->mho_profile = calloc(1, sizeof(*mh->mho_profile));
	if (mh->mho_profile == NULL)
		err(1, "stacks");
	mh->mho_hasanswer = 1;
	return 0;
}

static int
stacks_why(struct merge_stacks *ms, char **f, int n)
{
	struct hash_entry *e;
	const char *why;
	uint64_t count;

	if (n != WIRE_NWHY || wire_u64(f[0], INT64_MAX, &count) == -1)
		return -1;
	why = stacks_escaped(ms, f[1]);
	e = hash_get(&ms->msk_whys, why, strlen(why) + 1);
	stacks_plus(&e->he_count, count);
	return 0;
}

/* Reads a build id in hex.  Returns its length, or -1. */
static int
stacks_buildid(const char *s, uint8_t id[24])
{
	size_t n = strlen(s), i;
	unsigned int byte;

	if (n % 2 != 0 || n > 48 || strspn(s, "0123456789abcdef") != n)
		return -1;
	for (i = 0; i < n / 2; i++) {
		sscanf(s + 2 * i, "%2x", &byte);
		id[i] = byte;
	}
	return n / 2;
}

static void
stacks_frame_add(struct merge_profile *mp, const struct frame *fr)
{
	if (mp->mpr_nframes == mp->mpr_maxframes) {
		mp->mpr_maxframes = mp->mpr_maxframes ? mp->mpr_maxframes * 2
						      : 256;
		mp->mpr_frames = realloc(mp->mpr_frames,
		    mp->mpr_maxframes * sizeof(*mp->mpr_frames));
		if (mp->mpr_frames == NULL)
			err(1, "frames");
	}
	mp->mpr_frames[mp->mpr_nframes++] = fr;
}

static int
stacks_frame(struct merge_stacks *ms, struct merge_profile *mp, char **f, int n)
{
	struct module mo = { 0 };
	struct frame fr = { 0 };
	uint64_t v[WIRE_NFRAME] = { 0 };
	int len;
	unsigned int i;

	if (n != WIRE_NFRAME || mp->mpr_nframes == STACKS_MAX)
		return -1;
	for (i = 0; i < WIRE_NFRAME; i++)
		if ((i < 3 || i > 6) &&
		    wire_u64(f[i],
			i < 3	     ? 1
			    : i == 7 ? UINT32_MAX
				     : UINT64_MAX,
			&v[i]) == -1)
			return -1;
	if ((len = stacks_buildid(f[5], mo.mo_buildid)) == -1 || *f[3] == '\0')
		return -1;
	mo.mo_buildidlen = len;
	mo.mo_path = f[4];
	fr.fr_iskernel = v[0];
	fr.fr_isinlined = v[1];
	fr.fr_name = f[3];
	fr.fr_func = v[2] ? f[3] : NULL;
	fr.fr_module = *f[4] != '\0' ? &mo : NULL;
	fr.fr_file = *f[6] != '\0' ? f[6] : NULL;
	fr.fr_line = v[7];
	fr.fr_pc = v[8];
	fr.fr_fileoff = v[9];
	fr.fr_offset = v[10];
	stacks_frame_add(mp, frames_copy(&ms->msk_frames, &fr));
	return 0;
}

/* Reads the numbers of frames, and appends the process.  Returns 0, or -1. */
static int
stacks_frames(struct merge_stacks *ms, const struct merge_profile *mp,
    struct out_stack *os, char *numbers, const char *comm)
{
	const struct frame process = { .fr_name = comm, .fr_func = comm };
	const struct frame **frames;
	unsigned int n = 1;
	uint64_t number;
	char *p;

	for (p = numbers; *p != '\0'; p++)
		n += *p == ',';
	if (n > STACKS_MAXDEPTH)
		return -1;
	if ((frames = calloc(n + 1, sizeof(*frames))) == NULL)
		err(1, "frames");
	os->os_frames = frames;
	os->os_nframes = 0;
	while (*numbers != '\0') {
		p = strchrnul(numbers, ',');
		if (*p != '\0')
			*p++ = '\0';
		if (mp->mpr_nframes == 0 ||
		    wire_u64(numbers, mp->mpr_nframes - 1, &number) == -1)
			return -1;
		frames[os->os_nframes++] = mp->mpr_frames[number];
		numbers = p;
	}
	frames[os->os_nframes++] = frames_copy(&ms->msk_frames, &process);
	return 0;
}

/* Returns the place of the next stack. */
static struct out_stack *
stacks_room(struct merge_stacks *ms)
{
	if (ms->msk_out.opr_nstacks == ms->msk_max) {
		ms->msk_max = ms->msk_max ? ms->msk_max * 2 : 256;
		ms->msk_stacks = realloc(ms->msk_stacks,
		    ms->msk_max * sizeof(*ms->msk_stacks));
		if (ms->msk_stacks == NULL)
			err(1, "stacks");
	}
	return &ms->msk_stacks[ms->msk_out.opr_nstacks];
}

static int
stacks_stack(struct merge_stacks *ms, const struct host *ho,
    struct merge_profile *mp, char **f, int n)
{
	static const uint64_t max[] = { INT64_MAX, INT64_MAX,
		PROFILE_NWAITS - 1, UINT32_MAX, 1, 0, STACKS_MAXDEPTH, 1,
		UINT8_MAX, UINT8_MAX };
	struct out_profile *op = &ms->msk_out;
	struct out_stack *os;
	uint64_t v[sizeof(max) / sizeof(max[0])] = { 0 };
	unsigned int i;

	if (n != WIRE_NSTACK || mp->mpr_nstacks++ == STACKS_MAX)
		return -1;
	for (i = 0; i < sizeof(max) / sizeof(max[0]); i++)
		if (i != 5 && wire_u64(f[i], max[i], &v[i]) == -1)
			return -1;
	os = stacks_room(ms);
	*os = (struct out_stack){
		.os_weight = v[0],
		.os_hits = v[1],
		.os_wait = v[2],
		.os_pid = v[3],
		.os_isseveral = v[4],
		.os_comm = frames_str(&ms->msk_frames, ho->hst_name),
		.os_nkernel = v[6],
		.os_hasuser = v[7],
		.os_kend = v[8],
		.os_uend = v[9],
		.os_why = *f[10] != '\0' ? stacks_escaped(ms, f[10]) : NULL,
	};
	if (stacks_frames(ms, mp, os, f[11], f[5]) == -1 ||
	    os->os_nkernel >= os->os_nframes) {
		free((void *)os->os_frames);
		return -1;
	}
	op->opr_nstacks++;
	stacks_plus(&op->opr_total, os->os_weight);
	return 0;
}

static void
stacks_end(struct merge_host *mh)
{
	if (mh->mho_profile == NULL)
		return;
	free(mh->mho_profile->mpr_frames);
	free(mh->mho_profile);
	mh->mho_profile = NULL;
}

int
merge_stacks_line(struct merge *mg, struct host *ho, char *line, size_t len)
{
	struct merge_host *mh = &mg->mrg_each[ho->hst_i];
	char *f[WIRE_NPROFILE], letter = line[0];
	int n = wire_split(line, len, f, WIRE_NPROFILE);

	switch (letter) {
	case WIRE_PROFILE:
		return stacks_begin(mg, mh, f, n);
	case WIRE_WHY:
		return stacks_why(mg->mrg_stacks, f, n);
	case WIRE_FRAME:
		return stacks_frame(mg->mrg_stacks, mh->mho_profile, f, n);
	case WIRE_STACK:
		return stacks_stack(mg->mrg_stacks, ho, mh->mho_profile, f, n);
	case WIRE_END:
		stacks_end(mh);
		return 0;
	default:
		return -1;
	}
}

/* Printing */

static int
stacks_compare(const void *va, const void *vb)
{
	const struct out_stack *a = va, *b = vb;
	int n;

	if (a->os_weight != b->os_weight)
		return a->os_weight < b->os_weight ? 1 : -1;
	if ((n = strcmp(a->os_comm, b->os_comm)) != 0)
		return n;
	if (a->os_nframes != b->os_nframes)
		return a->os_nframes < b->os_nframes ? -1 : 1;
	return 0;
}

/* Counts the functions of all machines, without the frame of the process. */
static void
stacks_funcs(struct merge_stacks *ms)
{
	struct out_profile *op = &ms->msk_out;
	size_t i;

	for (i = 0; i < op->opr_nstacks; i++)
		ms->msk_stacks[i].os_nframes--;
	op->opr_funcs = profile_funcs(ms->msk_stacks, op->opr_nstacks,
	    &op->opr_nfuncs);
	for (i = 0; i < op->opr_nstacks; i++)
		ms->msk_stacks[i].os_nframes++;
}

static void
stacks_whys(struct merge_stacks *ms)
{
	struct hash_entry **list = hash_sorted(&ms->msk_whys);
	struct out_why *ow;
	size_t i;

	if ((ow = calloc(ms->msk_whys.ha_n + 1, sizeof(*ow))) == NULL)
		err(1, "stacks");
	for (i = 0; i < ms->msk_whys.ha_n; i++)
		ow[i] = (struct out_why){
			.oy_why = (const char *)list[i]->he_key,
			.oy_count = list[i]->he_count,
		};
	free(list);
	ms->msk_out.opr_whys = ow;
	ms->msk_out.opr_nwhys = ms->msk_whys.ha_n;
}

void
merge_stacks_print(struct merge *mg)
{
	struct merge_stacks *ms = mg->mrg_stacks;
	struct out_profile *op;
	unsigned int h;
	size_t i;

	if (ms == NULL)
		return;
	op = &ms->msk_out;
	if (op->opr_nstacks > 0)
		qsort(ms->msk_stacks, op->opr_nstacks, sizeof(*ms->msk_stacks),
		    stacks_compare);
	op->opr_stacks = ms->msk_stacks;
	op->opr_top = mg->mrg_opts->o_print.opi_top != 0
	    ? mg->mrg_opts->o_print.opi_top
	    : PROFILE_TOP;
	stacks_funcs(ms);
	stacks_whys(ms);
	out_profile(&mg->mrg_out, op);
	for (i = 0; i < op->opr_nstacks; i++)
		free((void *)ms->msk_stacks[i].os_frames);
	for (h = 0; h < mg->mrg_n; h++)
		stacks_end(&mg->mrg_each[h]);
	free((void *)op->opr_funcs);
	free((void *)op->opr_whys);
	free(ms->msk_stacks);
	hash_clear(&ms->msk_whys);
	frames_free(&ms->msk_frames);
	free(ms);
	mg->mrg_stacks = NULL;
}
