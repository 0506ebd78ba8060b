/* SPDX-License-Identifier: ISC */
/*
 * Keeps the places of one or two runs in a table: addresses with the same name
 * share a row, and so does the same place in two runs.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kcov/kcov.h"

/* Identity of a place; pointers come from frames_str(). */
struct kcov_key {
	const char *kk_func, *kk_module, *kk_file;
	uint64_t kk_offset, kk_type, kk_arg1, kk_arg2;
	uint64_t kk_line;
};

void
kcov_places_free(struct kcov_places *kp)
{
	frames_free(&kp->kpl_strs);
	hash_clear(&kp->kpl_map);
	free(kp->kpl_list);
	memset(kp, 0, sizeof(*kp));
}

static struct out_place *
place_new(struct kcov_places *kp)
{
	if (kp->kpl_n == kp->kpl_max) {
		kp->kpl_max = kp->kpl_max ? kp->kpl_max * 2 : 1024;
		kp->kpl_list = reallocarray(kp->kpl_list, kp->kpl_max,
		    sizeof(*kp->kpl_list));
		if (kp->kpl_list == NULL)
			err(1, "places");
	}
	return &kp->kpl_list[kp->kpl_n++];
}

struct out_place *
kcov_place(struct kcov_places *kp, const struct out_place *name)
{
	struct kcov_key key = {
		.kk_func = frames_str(&kp->kpl_strs, name->oa_func),
		.kk_module = frames_str(&kp->kpl_strs, name->oa_module),
		.kk_file = frames_str(&kp->kpl_strs, name->oa_file),
		.kk_offset = name->oa_offset,
		.kk_type = name->oa_type,
		.kk_arg1 = name->oa_arg1,
		.kk_arg2 = name->oa_arg2,
		.kk_line = name->oa_line,
	};
	struct hash_entry *e = hash_get(&kp->kpl_map, &key, sizeof(key));
	struct out_place *oa;

	if (e->he_count != 0)
		return &kp->kpl_list[e->he_count - 1];
	oa = place_new(kp);
	*oa = *name;
	oa->oa_func = key.kk_func;
	oa->oa_module = key.kk_module;
	oa->oa_file = key.kk_file;
	oa->oa_count = oa->oa_before = oa->oa_first = 0;
	e->he_count = kp->kpl_n;
	return oa;
}
