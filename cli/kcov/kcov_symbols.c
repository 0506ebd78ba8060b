/* SPDX-License-Identifier: ISC */
/*
 * Resolves recorded addresses to places: the kernel's are entries of functions;
 * a program's are return addresses of its calls into the runtime, just after
 * the code reached.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kcov/kcov.h"

#define NAME_TYPE (KCOV_CMP_CONST | KCOV_CMP_SIZE(3)) /* valid bits */

/* Recorded addresses, each once. */
struct kcov_addrs {
	uint64_t *ka_pcs;
	size_t ka_n;
	unsigned int ka_back; /* subtracted from an address before its lookup */
	struct dt_frames ka_frames;
	size_t *ka_first; /* by address: its first frame, or SIZE_MAX */
	size_t ka_nnone;  /* a program's records outside of any file */
	const char *ka_why;
};

static int
name_compare(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Orders by time of arrival: of places with the same name, the first counts. */
static int
name_order(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;

	(void)arg;
	return (a->he_sum > b->he_sum) - (a->he_sum < b->he_sum);
}

static const struct kcov_record *
name_record(const struct hash_entry *e)
{
	return (const struct kcov_record *)e->he_key;
}

static void *
name_mem(void *p)
{
	if (p == NULL)
		err(1, "names");
	return p;
}

/* Collects the addresses to look up, ascending. */
static void
name_collect(struct kcov_addrs *ka, struct hash_entry *const *list, size_t n)
{
	size_t i, j = 0;

	ka->ka_pcs = name_mem(calloc(n + 1, sizeof(*ka->ka_pcs)));
	for (i = 0; i < n; i++)
		ka->ka_pcs[i] = name_record(list[i])->krc_pc - ka->ka_back;
	qsort(ka->ka_pcs, n, sizeof(*ka->ka_pcs), name_compare);
	for (i = 0; i < n; i++)
		if (j == 0 || ka->ka_pcs[j - 1] != ka->ka_pcs[i])
			ka->ka_pcs[j++] = ka->ka_pcs[i];
	ka->ka_n = j;
}

static void
name_request(struct kcov_addrs *ka, struct dt *dt, pid_t pid, uint64_t nsecs)
{
	size_t i;

	ka->ka_first = name_mem(calloc(ka->ka_n + 1, sizeof(*ka->ka_first)));
	memset(ka->ka_first, 0xff, ka->ka_n * sizeof(*ka->ka_first));
	if (ka->ka_n == 0 || dt == NULL)
		return;
	if (dt_symbolize(dt, pid, nsecs, ka->ka_pcs, ka->ka_n,
		pid != 0 ? DT_SYM_LINES : 0, &ka->ka_frames) == -1) {
		warnx("names: %s", dt_error(dt));
		memset(&ka->ka_frames, 0, sizeof(ka->ka_frames));
	}
	/* innermost first: inlined code is at its own line */
	for (i = ka->ka_frames.df_n; i > 0; i--)
		ka->ka_first[ka->ka_frames.df_frames[i - 1].df_pc] = i - 1;
}

static const struct dt_frame *
name_frame(const struct kcov_addrs *ka, uint64_t pc)
{
	static const struct dt_frame none = { .df_why = DTFR_NOPROC };
	const uint64_t *found;

	pc -= ka->ka_back;
	found = bsearch(&pc, ka->ka_pcs, ka->ka_n, sizeof(*ka->ka_pcs),
	    name_compare);
	if (found == NULL || ka->ka_first[found - ka->ka_pcs] == SIZE_MAX)
		return &none;
	return &ka->ka_frames.df_frames[ka->ka_first[found - ka->ka_pcs]];
}

static void
name_address(struct out_place *oa, uint64_t pc, char *hex, size_t size)
{
	snprintf(hex, size, "%#llx", (unsigned long long)pc);
	oa->oa_func = hex;
}

/* The kernel itself is not printed as a module. */
static void
name_kernel(struct out_place *oa, const struct dt_frame *df)
{
	oa->oa_func = df->df_func;
	if (df->df_module != NULL && strcmp(df->df_module, MODULE_KERNEL) != 0)
		oa->oa_module = df->df_module;
}

static void
name_user(struct out_place *oa, const struct frame *fr)
{
	oa->oa_func = fr->fr_name;
	if (fr->fr_func != NULL && fr->fr_module != NULL)
		oa->oa_module = fr->fr_module->mo_name;
	if (fr->fr_file != NULL) {
		oa->oa_file = fr->fr_file;
		oa->oa_line = fr->fr_line;
	} else if (fr->fr_func != NULL)
		oa->oa_offset = fr->fr_offset;
}

static void
name_place(struct kcov_places *kp, struct kcov_addrs *ka, pid_t pid,
    const struct hash_entry *e, int iscmp)
{
	const struct kcov_record *kr = name_record(e);
	const struct dt_frame *df = name_frame(ka, kr->krc_pc);
	struct out_place name = {
		.oa_iscmp = iscmp,
		.oa_type = kr->krc_type & NAME_TYPE,
		.oa_arg1 = kr->krc_arg1,
		.oa_arg2 = kr->krc_arg2,
	}, *oa;
	struct frame_alone fa;
	char hex[32];

	if (pid != 0 && df->df_module == NULL) {
		ka->ka_nnone++;
		ka->ka_why = frames_why(df->df_why, df->df_error);
	}
	if (df->df_func == NULL && (pid == 0 || df->df_module == NULL))
		name_address(&name, kr->krc_pc, hex, sizeof(hex));
	else if (pid == 0)
		name_kernel(&name, df);
	else
		name_user(&name,
		    frames_alone(&fa, pid, kr->krc_pc, ka->ka_back, df));
	oa = kcov_place(kp, &name);
	if (oa->oa_count == 0)
		oa->oa_first = e->he_sum;
	oa->oa_count += e->he_count;
}

void
kcov_name(struct kcov_places *kp, struct kcov_drain *kd, struct dt *dt,
    pid_t pid, uint64_t nsecs)
{
	struct hash_entry **list = hash_sorted_by(&kd->kd_records, name_order,
	    NULL);
	struct kcov_addrs ka = { .ka_back = pid != 0 };
	size_t i, n = kd->kd_records.ha_n;

	name_collect(&ka, list, n);
	name_request(&ka, dt, pid, nsecs);
	for (i = 0; i < n; i++)
		name_place(kp, &ka, pid, list[i], kd->kd_len == 4);
	if (ka.ka_nnone > 0)
		warnx("%zu addresses have no name: %s", ka.ka_nnone, ka.ka_why);
	dt_frames_free(&ka.ka_frames);
	free(ka.ka_first);
	free(ka.ka_pcs);
	free(list);
}
