/* SPDX-License-Identifier: ISC */
/* Sorts the places for output, and prints the counts of records. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/kcov/kcov.h"

/*
 * Whether a place is in this run, the earlier one, or both; SHOW_NOT: neither.
 */
enum {
	SHOW_NEW,
	SHOW_BOTH,
	SHOW_GONE,
	SHOW_NOT
};

static int
show_part(const struct out_place *oa, const struct kcov_opts *o)
{
	if (oa->oa_before == 0)
		return SHOW_NEW;
	if (oa->oa_count == 0)
		return SHOW_GONE;
	return o->kco_common.o_print.opi_verbose ? SHOW_BOTH : SHOW_NOT;
}

static int
show_first(const void *va, const void *vb)
{
	const struct out_place *a = va, *b = vb;

	if (a->oa_first != b->oa_first)
		return a->oa_first < b->oa_first ? -1 : 1;
	return strcmp(a->oa_func, b->oa_func);
}

static int
show_count(const void *va, const void *vb)
{
	const struct out_place *a = va, *b = vb;

	if (a->oa_count != b->oa_count)
		return a->oa_count < b->oa_count ? 1 : -1;
	return show_first(va, vb);
}

static int
show_diff(const void *va, const void *vb, void *arg)
{
	const struct out_place *a = va, *b = vb;
	const struct kcov_opts *o = arg;
	int na = show_part(a, o), nb = show_part(b, o);

	if (na != nb)
		return na - nb;
	if (na == SHOW_GONE && a->oa_before != b->oa_before)
		return a->oa_before < b->oa_before ? 1 : -1;
	return o->kco_order ? show_first(a, b) : show_count(a, b);
}

size_t
kcov_sort(struct kcov_places *kp, const struct kcov_opts *o)
{
	size_t i, n = 0;

	if (kp->kpl_n == 0)
		return 0;
	if (o->kco_diff == NULL) {
		qsort(kp->kpl_list, kp->kpl_n, sizeof(*kp->kpl_list),
		    o->kco_order ? show_first : show_count);
		return kp->kpl_n;
	}
	qsort_r(kp->kpl_list, kp->kpl_n, sizeof(*kp->kpl_list), show_diff,
	    (void *)o);
	for (i = 0; i < kp->kpl_n; i++)
		n += show_part(&kp->kpl_list[i], o) != SHOW_NOT;
	return n;
}

uint64_t
kcov_unread(const struct out_kcov *ok)
{
	return ok->ok_stat.ks_recorded > ok->ok_read
	    ? ok->ok_stat.ks_recorded - ok->ok_read
	    : 0;
}

uint64_t
kcov_lost(const struct out_kcov *ok)
{
	return ok->ok_stat.ks_dropped + ok->ok_stat.ks_missed +
	    kcov_unread(ok) + ok->ok_stat.ks_stopped +
	    (ok->ok_isuser && ok->ok_islate ? ok->ok_nfull : 0);
}

static void
account_one(struct buf *b, uint64_t n, const char *what)
{
	if (n == 0)
		return;
	buf_str(b, "; ");
	buf_grouped(b, n);
	buf_str(b, what);
}

void
kcov_account(const struct out_kcov *ok)
{
	const struct kio_stat *ks = &ok->ok_stat;
	struct buf b;

	buf_init(&b, STDERR_FILENO);
	buf_str(&b, "dt: ");
	buf_grouped(&b, ok->ok_read);
	buf_str(&b, ok->ok_read == 1 ? " record" : " records");
	if (ok->ok_hasexited)
		buf_str(&b,
		    " were read; dtd exited, so the number of other records "
		    "is unknown");
	else if (kcov_lost(ok) == 0)
		buf_str(&b, ", none lost");
	account_one(&b, ks->ks_dropped, " dropped: the memory was full");
	account_one(&b, kcov_unread(ok), " could not be read");
	account_one(&b, ks->ks_missed, " missed by the kernel");
	if (ks->ks_stopped > 0)
		buf_str(&b, "; stopped before the end");
	if (ok->ok_isuser && ok->ok_islate && ok->ok_nfull > 0)
		buf_str(&b,
		    "; the memory was full for too long, so some may be lost");
	account_one(&b, ks->ks_interrupt, " excluded: in interrupts");
	account_one(&b, ok->ok_nothers,
	    " of functions beyond the limit of the table");
	buf_c(&b, '\n');
	buf_flush(&b);
	buf_free(&b);
}
