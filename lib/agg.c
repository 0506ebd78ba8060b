/* SPDX-License-Identifier: ISC */
/*
 * Rows of hits that the kernel counts (DTIOCSAGG), one by one; and the numbers
 * of a bucket.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/agg.h"
#include "lib/handle.h"

/* dtrw_bucket, as bpf/dt_agg_table.h defines it */
#define AGG_FIRST    1
#define AGG_NEGATIVE (UINT64_C(1) << 32)

ssize_t
dt_aggrows_page(struct dt *dt, struct dtioc_aggrow *rows)
{
	struct wire_list *wl;
	ssize_t n = -1;
	size_t len;
	uint8_t *buf;

	if ((buf = malloc(WIRE_MAXPAYLOAD)) == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	wl = (struct wire_list *)buf;
	if (dt_ctl_call(dt, DTIOCGAGG, NULL, 0, buf, WIRE_MAXPAYLOAD, &len) ==
	    -1)
		goto out;
	if (len < sizeof(*wl) || wl->wl_count > DTAG_PAGE ||
	    len != sizeof(*wl) + wl->wl_count * sizeof(*rows)) {
		dt_ctl_nonsense(dt, "a list of rows has a wrong length");
		goto out;
	}
	n = (ssize_t)wl->wl_count;
	if (n > 0)
		memcpy(rows, wl + 1, (size_t)n * sizeof(*rows));
out:
	free(buf);
	return n;
}

void
dt_aggrows_free(struct dt_aggrows *ag)
{
	free(ag->ag_rows);
	ag->ag_rows = NULL;
}

int
dt_agg_next(struct dt *dt, struct dtioc_aggrow *row)
{
	struct dt_aggrows *ag = &dt->h_agg;
	ssize_t n;

	if (ag->ag_rows == NULL &&
	    (ag->ag_rows = calloc(DTAG_PAGE, sizeof(*ag->ag_rows))) == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	if (ag->ag_next == ag->ag_n) {
		if ((n = dt_aggrows_page(dt, ag->ag_rows)) <= 0)
			return (int)n;
		ag->ag_n = (size_t)n;
		ag->ag_next = 0;
	}
	*row = ag->ag_rows[ag->ag_next++];
	return 1;
}

/* Stores the range of the n-th bucket of absolute values. */
static void
agg_log_range(uint64_t n, unsigned int sub, uint64_t *first, uint64_t *last)
{
	uint64_t size = UINT64_C(1) << sub, shift;

	if (n < size) {
		*first = *last = n;
		return;
	}
	shift = (n >> sub) - 1;
	if (shift > 63 - sub) {
		*first = *last = UINT64_MAX;
		return;
	}
	*first = (size + (n & (size - 1))) << shift;
	*last = *first + ((UINT64_C(1) << shift) - 1);
}

/* Converts an absolute value; those beyond the type are the last ones. */
static int64_t
agg_signed(uint64_t v, int isnegative)
{
	if (isnegative)
		return v > INT64_MAX ? INT64_MIN : -(int64_t)v;
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static int
agg_log_bucket(const struct dtioc_agg *ia, uint64_t bucket, int64_t *first,
    int64_t *last)
{
	int isnegative = (bucket & AGG_NEGATIVE) != 0;
	uint64_t lo, hi;

	agg_log_range((bucket & ~AGG_NEGATIVE) - AGG_FIRST, ia->dtag_sub & 63,
	    &lo, &hi);
	*first = agg_signed(isnegative ? hi : lo, isnegative);
	*last = agg_signed(isnegative ? lo : hi, isnegative);
	return 1;
}

/*
 * Stores the value at which a bucket of equal size begins.  Returns 0 if it is
 * beyond the type.
 */
static int
agg_linear_begin(const struct dtioc_agg *ia, uint64_t n, int64_t *begin)
{
	uint64_t most = (uint64_t)INT64_MAX - (uint64_t)ia->dtag_min;

	if (ia->dtag_step == 0 || n > most / ia->dtag_step)
		return 0;
	*begin = (int64_t)((uint64_t)ia->dtag_min + n * ia->dtag_step);
	return 1;
}

static int
agg_linear_bucket(const struct dtioc_agg *ia, uint64_t bucket, int64_t *first,
    int64_t *last)
{
	uint64_t n = bucket - AGG_FIRST;
	int64_t next;

	*first = INT64_MIN;
	if (n > 0 && !agg_linear_begin(ia, n - 1, first))
		*first = INT64_MAX;
	*last = INT64_MAX;
	if (n <= ia->dtag_nsteps && agg_linear_begin(ia, n, &next) &&
	    next != INT64_MIN)
		*last = next - 1;
	return 1;
}

int
dt_agg_bucket(const struct dtioc_agg *ia, uint64_t bucket, int64_t *first,
    int64_t *last)
{
	if (bucket == 0)
		return 0;
	if (ia->dtag_hist == DTAG_LOG)
		return agg_log_bucket(ia, bucket, first, last);
	if (ia->dtag_hist == DTAG_LINEAR)
		return agg_linear_bucket(ia, bucket, first, last);
	*first = INT64_MIN;
	*last = INT64_MAX;
	return 1;
}
