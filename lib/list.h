/* SPDX-License-Identifier: ISC */
/* Lists of the daemon, which are transferred in pages. */
#ifndef LIB_LIST_H
#define LIB_LIST_H

#include <stddef.h>
#include <stdint.h>

struct dt;

/* Called for each page: n entries at ents; first is the first one's index. */
typedef int dt_list_fn(struct dt *, void *arg, const void *ents, uint32_t first,
    uint32_t n);

struct dt_list {
	unsigned long li_cmd;	/* the ioctl */
	size_t li_entsize;	/* size of an entry */
	const char *li_pattern; /* for DTIOCLOOKUP */
	uint32_t li_pbn;	/* for DTIOCGARGS, DTIOCGARGNAMES */
	uint32_t li_max;	/* maximum number of entries, 0: only count */
	dt_list_fn *li_fn;	/* returns 0, or -1 and errno */
	void *li_arg;
};

#define DT_LIST_ALL (1U << 20) /* li_max: more than any daemon has */

/* Returns the number of entries of the whole list, or -1. */
int64_t dt_list_get(struct dt *, const struct dt_list *);

#endif /* LIB_LIST_H */
