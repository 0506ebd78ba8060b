/* SPDX-License-Identifier: ISC */
/* Resolves sampled addresses for dt tprof: function, file and offset. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sym/user_symbols.h"
#include "cli/tprof/tprof.h"

static const char *
base_name(const char *path)
{
	const char *slash = path != NULL ? strrchr(path, '/') : NULL;

	return slash != NULL ? slash + 1 : path;
}

static char *
copy(const char *s)
{
	char *p = s != NULL ? strdup(s) : NULL;

	if (s != NULL && p == NULL)
		err(1, "names");
	return p;
}

struct tprof_sym *
tprof_symbol(struct name_cache *nm, uint32_t pid, int inkernel, uint64_t pc,
    uint64_t nsecs)
{
	struct tprof_sym *sy = calloc(1, sizeof(*sy));
	const struct dt_frame *df;
	struct user_symbols us;

	if (sy == NULL)
		err(1, "names");
	if (inkernel) {
		sy->sy_func = copy(name_cache_ksym(nm, pc, &sy->sy_offset));
		return sy;
	}
	user_symbols_get(&us, nm, pid, nsecs, &pc, 1);
	if (us.us_n > 0) {
		df = &us.us_frames[us.us_n - 1]; /* the function that is not
						  * inlined */
		sy->sy_func = copy(df->df_func);
		sy->sy_module = copy(base_name(df->df_module));
		sy->sy_offset = df->df_offset;
	}
	user_symbols_free(&us);
	return sy;
}

void
tprof_symbols_free(struct hash *mp)
{
	struct hash_entry **list = hash_sorted(mp);
	struct tprof_sym *sy;
	size_t i;

	for (i = 0; i < mp->ha_n; i++) {
		sy = list[i]->he_ptr;
		free(sy->sy_func);
		free(sy->sy_module);
	}
	free(list);
	hash_free(mp);
}
