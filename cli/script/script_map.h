/* SPDX-License-Identifier: ISC */
/* Maps of a running script, and what is aggregated in them. */
#ifndef CLI_SCRIPT_SCRIPT_MAP_H
#define CLI_SCRIPT_SCRIPT_MAP_H

#include <stdint.h>

#include "cli/base/hash.h"
#include "cli/script/script_value.h"

#define SMAP_NLOG     66   /* below 0, 0, 1, 2 to 3, ... 2^63 and more */
#define SMAP_MAXSTEPS 1000 /* of lhist(), as in bpftrace */

/* A value of a map: a struct sval, or numbers that were aggregated. */
struct smap_value {
	struct sval smv_value;
	uint64_t smv_count;
	int64_t smv_sum, smv_min, smv_max;
	uint64_t *smv_buckets; /* of histograms */
};

struct smap {
	const struct script_name *sm_name;
	struct hash sm_hash; /* packed keys -> struct smap_value */
	size_t sm_n, sm_max; /* live keys, and their limit */
	uint64_t sm_refused; /* updates of keys beyond the limit */
	struct buf sm_key;   /* key of the current access, packed */
	unsigned int sm_nbuckets;
	int sm_iscounted; /* hits of some probes are counted by the kernel */
};

void smap_init(struct smap *, const struct script_name *, size_t max);
void smap_free(struct smap *);
/* Returns the value of the key in sm_key, or NULL. */
struct smap_value *smap_find(const struct smap *);
/* The same; adds it.  NULL: the map is full, which is counted. */
struct smap_value *smap_get(struct smap *);
void smap_delete(struct smap *);
void smap_clear(struct smap *);
void smap_zero(struct smap *);

/* Adds n numbers, of which each is in the bucket of value. */
void smap_add(struct smap *, struct smap_value *, uint64_t n, int64_t sum,
    int64_t value, int64_t min, int64_t max);
/* Returns the value as a number or text that an expression can use. */
struct sval smap_read(const struct smap *, const struct smap_value *);

/* A key and its value, for output. */
struct smap_row {
	const struct sval *smr_keys; /* sn_nkeys */
	const struct smap_value *smr_value;
};

/*
 * Returns the rows in the order of bpftrace: by ascending value; *n: number.
 * One free(3) of the result.
 */
struct smap_row *smap_rows(const struct smap *, size_t *n);

/* script_map_print.c: top 0: all; div: divides numbers */
void smap_print(struct buf *, const struct smap *, struct name_cache *,
    uint64_t top, uint64_t div);
void smap_print_json(struct buf *, const struct smap *, struct name_cache *,
    uint64_t top, uint64_t div);
/* Stores the range of a bucket.  max is its last number. */
void
smap_bucket(const struct smap *, unsigned int i, int64_t *min, int64_t *max);

#endif /* CLI_SCRIPT_SCRIPT_MAP_H */
