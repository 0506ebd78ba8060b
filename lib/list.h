/* SPDX-License-Identifier: ISC */
/*
 * Lists of the daemon, which come in pages.
 */
#ifndef LIB_LIST_H
#define LIB_LIST_H

#include <stddef.h>
#include <stdint.h>

struct dt;

/* Called for each page: n entries at ents, the first is number first. */
typedef int dt_list_fn(struct dt *, void *arg, const void *ents, uint32_t first,
    uint32_t n);

struct dt_list {
	unsigned long li_cmd;	/* one of the ioctls that list */
	size_t li_entsize;	/* bytes of an entry */
	const char *li_pattern; /* DTIOCLOOKUP */
	uint32_t li_pbn;	/* DTIOCGARGS, DTIOCGARGNAMES */
	uint32_t li_max;	/* at most so many, 0: only count */
	dt_list_fn *li_fn;	/* may fail with -1 and errno */
	void *li_arg;
};

#define DT_LIST_ALL (1U << 20) /* li_max: no daemon has so many */

/* Returns how many entries the whole list has, or -1. */
int64_t dt_list_get(struct dt *, const struct dt_list *);

#endif /* LIB_LIST_H */
