/* SPDX-License-Identifier: ISC */
/*
 * The tree of a profile for a page, with a weight for each of its values; and
 * the hits of each thread in the order of time.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out/flame.h"
#include "cli/out/out_json.h"
#include "cli/out/page_tree.h"
#include "cli/out/weight.h"

/* The values of a page, and its threads. */
struct page_values {
	struct page_tree pgv_tree;
	struct page_unit pgv_units[PAGE_NWEIGHTS];
	struct buf pgv_summaries[PAGE_NWEIGHTS];
	struct buf pgv_sums[PAGE_NWEIGHTS]; /* of each thread, as JSON */
	/* by value and stack of its profile: the node where it ends */
	uint32_t *pgv_leaves[PAGE_NWEIGHTS];
	unsigned int pgv_n;
	struct hash pgv_tids;	/* pid and tid -> index + 1 */
	struct buf pgv_threads; /* struct out_thread */
};

/* Stacks */

static enum page_kind
profile_kind(const struct frame *fr)
{
	if (fr->fr_iskernel)
		return PAGE_KERNEL;
	if (fr->fr_func == NULL)
		return PAGE_NONAME;
	return fr->fr_module == NULL ? PAGE_GENERATED : PAGE_FUNCTION;
}

static uint32_t
profile_label(struct page_tree *pt, uint32_t at, const char *name,
    enum page_kind kind)
{
	const struct page_frame pf = { .pgf_name = name,
		.pgf_len = strlen(name),
		.pgf_kind = kind };

	return page_tree_child(pt, at, &pf);
}

static uint32_t
profile_frame(struct page_tree *pt, uint32_t at, const struct frame *fr,
    uint64_t weight)
{
	struct page_frame pf = {
		.pgf_name = fr->fr_name,
		.pgf_len = strlen(fr->fr_name),
		.pgf_module = fr->fr_module != NULL ? fr->fr_module->mo_path
						    : NULL,
		.pgf_kind = profile_kind(fr),
	};

	if (fr->fr_isinlined)
		pf.pgf_kind |= PAGE_INLINED;
	at = page_tree_child(pt, at, &pf);
	if (fr->fr_file != NULL)
		page_tree_place(pt, at, fr->fr_file, fr->fr_line, weight);
	return at;
}

/* Returns the node where a stack ends. */
static uint32_t
profile_stack(struct page_tree *pt, const struct out_stack *os)
{
	uint32_t at = profile_label(pt, 0, os->os_comm, PAGE_PROCESS);
	unsigned int i;

	if (os->os_wait != PROFILE_NOWAIT)
		at = profile_label(pt, at, weight_wait(os->os_wait), PAGE_WAIT);
	if (os->os_why != NULL)
		at = profile_label(pt, at, os->os_why, PAGE_NOTE);
	for (i = os->os_nframes; i-- > 0;)
		at = profile_frame(pt, at, os->os_frames[i], os->os_weight);
	return at;
}

/* Adds a value. */
static void
profile_value(struct page_values *pv, const struct out_profile *op)
{
	struct buf *summary = &pv->pgv_summaries[pv->pgv_n];
	uint32_t *leaves = calloc(op->opr_nstacks + 1, sizeof(*leaves));
	size_t i;

	if (leaves == NULL)
		err(1, "page");
	buf_init(summary, -1);
	flame_summary(summary, op);
	buf_c(summary, '\0');
	pv->pgv_units[pv->pgv_n] = (struct page_unit){
		.pgu_name = weight_title(op),
		.pgu_head = weight_isvalue(op) ? weight_type(op)
					       : weight_hits_type(op),
		.pgu_what = weight_hits_type(op),
		.pgu_isvalue = weight_isvalue(op),
		.pgu_istime = weight_istime(op),
		.pgu_isbytes = op->opr_unit == PROFILE_NBYTES,
		.pgu_summary = summary->b_data,
		.pgu_nunkept = op->opr_nunkept,
	};
	for (i = 0; i < op->opr_nstacks; i++) {
		leaves[i] = profile_stack(&pv->pgv_tree, &op->opr_stacks[i]);
		page_tree_weigh(&pv->pgv_tree, leaves[i], pv->pgv_n,
		    op->opr_stacks[i].os_weight);
	}
	pv->pgv_leaves[pv->pgv_n++] = leaves;
}

/* Hits */

static uint32_t
profile_thread(struct page_values *pv, const struct out_thread *oth)
{
	const uint32_t key[] = { oth->oth_pid, oth->oth_tid };
	struct hash_entry *e = hash_get(&pv->pgv_tids, key, sizeof(key));
	struct out_thread *known;

	if (e->he_sum == 0) {
		e->he_sum = pv->pgv_tids.ha_n;
		buf_mem(&pv->pgv_threads, oth, sizeof(*oth));
	}
	known = (struct out_thread *)pv->pgv_threads.b_data + e->he_sum - 1;
	if (oth->oth_time > known->oth_time)
		*known = *oth;
	return e->he_sum - 1;
}

static void
profile_threads(struct buf *b, struct page_values *pv)
{
	const struct out_thread *oth = (const void *)pv->pgv_threads.b_data;
	size_t i, n = pv->pgv_threads.b_len / sizeof(*oth);

	json_key(b, "threads");
	buf_c(b, '[');
	for (i = 0; i < n; i++)
		buf_printf(b, "%s[%u,%u,%d]", i > 0 ? "," : "", oth[i].oth_pid,
		    oth[i].oth_tid,
		    page_tree_text(&pv->pgv_tree, oth[i].oth_comm));
	buf_c(b, ']');
}

/* The hits of one thread: times in us since the one before. */
static void
profile_run(struct buf *b, struct page_values *pv, unsigned int value,
    const struct out_sample *sa, size_t n, uint64_t origin, uint32_t thread)
{
	uint64_t usecs, last = 0, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += sa[i].osa_weight;
	buf_printf(&pv->pgv_sums[value], "%s[%u,%llu]",
	    pv->pgv_sums[value].b_len > 0 ? "," : "", thread,
	    (unsigned long long)sum);
	buf_c(b, '{');
	json_u64(b, "thread", thread);
	json_key(b, "times");
	buf_c(b, '"');
	for (i = 0; i < n; i++, last = usecs) {
		usecs = (sa[i].osa_time - origin) / 1000;
		page_digits(b, usecs - last);
	}
	buf_c(b, '"');
	json_key(b, "nodes");
	buf_c(b, '"');
	for (i = 0; i < n; i++)
		page_digits(b,
		    page_tree_rank(&pv->pgv_tree,
			pv->pgv_leaves[value][sa[i].osa_stack]));
	buf_c(b, '"');
	if (pv->pgv_units[value].pgu_isvalue) {
		json_key(b, "weights");
		buf_c(b, '"');
		for (i = 0; i < n; i++)
			page_digits(b, sa[i].osa_weight);
		buf_c(b, '"');
	}
	buf_c(b, '}');
}

/* Prints the hits of a value, an object for each thread. */
static void
profile_runs(struct buf *b, struct page_values *pv, unsigned int value,
    const struct out_profile *op, uint64_t origin)
{
	const struct out_sample *sa = op->opr_samples;
	size_t i, n;

	buf_init(&pv->pgv_sums[value], -1);
	buf_str(b, value > 0 ? ",\n[" : "[[");
	for (i = 0; i < op->opr_nsamples && op->opr_nunkept == 0; i += n) {
		for (n = 1; i + n < op->opr_nsamples; n++)
			if (sa[i + n].osa_thread != sa[i].osa_thread)
				break;
		buf_str(b, i > 0 ? ",\n" : "");
		profile_run(b, pv, value, sa + i, n, origin,
		    profile_thread(pv, &op->opr_threads[sa[i].osa_thread]));
	}
	buf_c(b, ']');
	buf_c(&pv->pgv_sums[value], '\0');
	pv->pgv_units[value].pgu_threads = pv->pgv_sums[value].b_data;
}

/* Prints nothing if no value has hits. */
static void
profile_hits(struct buf *b, struct page_values *pv,
    const struct out_profile *first)
{
	const struct out_profile *op;
	uint64_t origin = UINT64_MAX;
	unsigned int value = 0;
	size_t i;

	for (op = first; op != NULL; op = op->opr_next)
		for (i = 0; i < op->opr_nsamples; i++)
			if (op->opr_samples[i].osa_time < origin)
				origin = op->opr_samples[i].osa_time;
	if (origin == UINT64_MAX)
		return;
	for (op = first; op != NULL; op = op->opr_next)
		profile_runs(b, pv, value++, op, origin);
	buf_c(b, ']');
}

void
page_profile(struct buf *tree, struct buf *hits,
    const struct out_profile *first)
{
	struct page_values pv = { 0 };
	const struct out_profile *op;
	unsigned int i;

	page_tree_init(&pv.pgv_tree);
	buf_init(&pv.pgv_threads, -1);
	for (op = first; op != NULL && pv.pgv_n < PAGE_NWEIGHTS;
	     op = op->opr_next)
		profile_value(&pv, op);
	page_tree_sort(&pv.pgv_tree);
	profile_hits(hits, &pv, first);
	buf_c(tree, '{');
	profile_threads(tree, &pv);
	page_tree_json(tree, &pv.pgv_tree, pv.pgv_units, pv.pgv_n, 0);
	buf_c(tree, '}');
	for (i = 0; i < pv.pgv_n; i++) {
		buf_free(&pv.pgv_summaries[i]);
		buf_free(&pv.pgv_sums[i]);
		free(pv.pgv_leaves[i]);
	}
	hash_clear(&pv.pgv_tids);
	buf_free(&pv.pgv_threads);
	page_tree_free(&pv.pgv_tree);
}
