/* SPDX-License-Identifier: ISC */
/*
 * Writes a profile for speedscope: its JSON "file format", a sampled profile
 * with one sample for each different stack.  The outermost frame is the process,
 * then the kind of a wait and the reason for an incomplete stack.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/out/flame.h"
#include "cli/out/out_json.h"
#include "cli/out/weight.h"

struct speedscope {
	struct hash spe_words;	/* names that are no function -> index + 1 */
	uint64_t *spe_frames;	/* by fr_id: index + 1 */
	size_t spe_nframes;	/* of spe_frames */
	struct buf spe_list;	/* the frames */
	struct buf spe_samples; /* lists of indices */
	uint64_t spe_n;		/* frames so far */
};

static void
speedscope_name(struct speedscope *sp, const char *name)
{
	buf_str(&sp->spe_list, sp->spe_n == 0 ? "{\"name\":" : ",\n{\"name\":");
	json_text(&sp->spe_list, name);
	sp->spe_n++;
}

/* Adds the index of a name to the sample. */
static void
speedscope_word(struct speedscope *sp, const char *name)
{
	struct hash_entry *e = hash_get(&sp->spe_words, name, strlen(name));

	if (e->he_sum == 0) {
		speedscope_name(sp, name);
		buf_c(&sp->spe_list, '}');
		e->he_sum = sp->spe_n;
	}
	buf_u64(&sp->spe_samples, e->he_sum - 1);
}

static void
speedscope_frame(struct speedscope *sp, const struct frame *fr)
{
	uint64_t *index = &sp->spe_frames[fr->fr_id];

	if (*index == 0) {
		speedscope_name(sp, fr->fr_name);
		if (fr->fr_file != NULL || fr->fr_module != NULL) {
			buf_str(&sp->spe_list, ",\"file\":");
			json_text(&sp->spe_list,
			    fr->fr_file != NULL ? fr->fr_file
						: fr->fr_module->mo_path);
		}
		if (fr->fr_file != NULL)
			buf_printf(&sp->spe_list, ",\"line\":%u", fr->fr_line);
		buf_c(&sp->spe_list, '}');
		*index = sp->spe_n;
	}
	buf_c(&sp->spe_samples, ',');
	buf_u64(&sp->spe_samples, *index - 1);
}

static void
speedscope_stack(struct speedscope *sp, const struct out_stack *os)
{
	struct buf *b = &sp->spe_samples;
	unsigned int i;

	buf_str(b, b->b_len == 0 ? "[" : ",\n[");
	speedscope_word(sp, os->os_comm);
	if (os->os_wait != PROFILE_NOWAIT) {
		buf_c(b, ',');
		speedscope_word(sp, weight_wait(os->os_wait));
	}
	if (os->os_why != NULL) {
		buf_c(b, ',');
		speedscope_word(sp, os->os_why);
	}
	for (i = os->os_nframes; i-- > 0;)
		speedscope_frame(sp, os->os_frames[i]);
	buf_c(b, ']');
}

/* The ns of a sample; 1: the weight is not a time, or its unit is ns. */
static uint64_t
speedscope_unit(const struct out_profile *op)
{
	return op->opr_unit == PROFILE_SAMPLES && op->opr_period != 0
	    ? op->opr_period
	    : 1;
}

static const char *
speedscope_unitname(const struct out_profile *op)
{
	if (weight_istime(op) || speedscope_unit(op) != 1)
		return "nanoseconds";
	return op->opr_unit == PROFILE_NBYTES ? "bytes" : "none";
}

static void
speedscope_begin(struct speedscope *sp, const struct out_profile *op)
{
	size_t i;
	unsigned int n;

	*sp = (struct speedscope){ 0 };
	buf_init(&sp->spe_list, -1);
	buf_init(&sp->spe_samples, -1);
	for (i = 0; i < op->opr_nstacks; i++)
		for (n = 0; n < op->opr_stacks[i].os_nframes; n++)
			if (op->opr_stacks[i].os_frames[n]->fr_id >=
			    sp->spe_nframes)
				sp->spe_nframes =
				    op->opr_stacks[i].os_frames[n]->fr_id + 1;
	sp->spe_frames = calloc(sp->spe_nframes + 1, sizeof(*sp->spe_frames));
	if (sp->spe_frames == NULL)
		err(1, "speedscope");
	for (i = 0; i < op->opr_nstacks; i++)
		speedscope_stack(sp, &op->opr_stacks[i]);
}

static void
speedscope_end(struct speedscope *sp)
{
	hash_clear(&sp->spe_words);
	free(sp->spe_frames);
	buf_free(&sp->spe_list);
	buf_free(&sp->spe_samples);
}

/* The type, unit and values of the one profile, up to its samples. */
static void
speedscope_head(struct buf *b, const struct out *out,
    const struct out_profile *op)
{
	struct buf title;

	buf_init(&title, -1);
	flame_title(&title, out, op);
	buf_c(&title, '\0');
	buf_str(b,
	    "{\"$schema\":\"https://www.speedscope.app/"
	    "file-format-schema.json\",\n\"exporter\":\"dt " DT_RELEASE
	    "\",\n\"name\":");
	json_text(b, title.b_data);
	buf_str(b, ",\n\"profiles\":[{\"type\":\"sampled\",\"name\":");
	json_text(b, title.b_data);
	buf_printf(b, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n",
	    speedscope_unitname(op),
	    (unsigned long long)(op->opr_total * speedscope_unit(op)));
	buf_free(&title);
}

static void
speedscope_profile(struct out *out, const struct out_profile *op)
{
	struct buf *b = &out->out_buf;
	struct speedscope sp;
	size_t i;

	speedscope_begin(&sp, op);
	speedscope_head(b, out, op);
	buf_str(b, "\"samples\":[");
	buf_mem(b, sp.spe_samples.b_data, sp.spe_samples.b_len);
	buf_str(b, "],\n\"weights\":[");
	for (i = 0; i < op->opr_nstacks; i++) {
		if (i > 0)
			buf_c(b, ',');
		buf_u64(b, op->opr_stacks[i].os_weight * speedscope_unit(op));
	}
	buf_str(b, "]}],\n\"shared\":{\"frames\":[");
	buf_mem(b, sp.spe_list.b_data, sp.spe_list.b_len);
	buf_str(b, "]}}\n");
	speedscope_end(&sp);
}

const struct out_format out_speedscope = {
	.f_name = "speedscope",
	.f_opens = "https://www.speedscope.app",
	.f_profile = speedscope_profile,
};
