/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSREADS: memory that is read at hits of an enabled probe.  Everything that
 * a client puts into a read is checked here, once.
 *
 * The programs find the reads of a request in a row of dt_reads.  Requests with
 * the same reads share a row, in all sessions; a row without references is free.
 * Control thread only: a row is released when no program reads it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_reads.h"
#include "daemon/dt/dt_softc.h"

_Static_assert(sizeof(((struct dt_readrow *)0)->rdr_read) ==
	sizeof(((struct dtioc_reads *)0)->dtrd_reads),
    "a row has the reads of a request");

static struct {
	unsigned int nrefs; /* requests; 0: free */
	uid_t person;	    /* user of the first request, charged for the row */
} reads_rows[DT_NREADROWS];

/* Checks */

static int __attribute__((format(printf, 3, 4)))
reads_bad(struct reason *rs, unsigned int n, const char *fmt, ...)
{
	char why[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return reason_fail(rs, EINVAL, "read %u: %s", n, why);
}

static int
reads_check_steps(const struct dt_read *mr, unsigned int n, struct reason *rs)
{
	unsigned int i;

	if (mr->mrd_nsteps > DT_READ_NSTEPS)
		return reads_bad(rs, n, "%u steps, %d at most", mr->mrd_nsteps,
		    DT_READ_NSTEPS);
	for (i = 0; i < DT_READ_NSTEPS; i++) {
		if (mr->mrd_off[i] >= DT_READ_MAXOFF)
			return reads_bad(rs, n,
			    "the offset %u of step %u is not below %u",
			    mr->mrd_off[i], i, DT_READ_MAXOFF);
		if (i >= mr->mrd_nsteps && mr->mrd_off[i] != 0)
			return reads_bad(rs, n,
			    "an offset after the last step is not 0");
	}
	return 0;
}

static int
reads_check_size(const struct dt_read *mr, unsigned int n, struct reason *rs)
{
	static const unsigned int max[DT_NREADKIND] = {
		[DT_READ_BYTES] = DT_READ_MAXBYTES,
		[DT_READ_TEXT] = DT_READ_MAXTEXT,
	};

	if (mr->mrd_kind >= DT_NREADKIND)
		return reads_bad(rs, n, "there is no kind %u", mr->mrd_kind);
	if (mr->mrd_size == 0 || mr->mrd_size > max[mr->mrd_kind])
		return reads_bad(rs, n, "it has 1 to %u bytes, not %u",
		    max[mr->mrd_kind], mr->mrd_size);
	if (mr->mrd_nsteps == 0 &&
	    (mr->mrd_kind != DT_READ_BYTES || mr->mrd_size != sizeof(__u64)))
		return reads_bad(rs, n, "without a step it has 8 bytes");
	return 0;
}

static int
reads_check_one(const struct dt_pcb *dp, const struct dt_read *mr,
    unsigned int n, struct reason *rs)
{
	int error;

	if (mr->mrd_base >= DT_NREADBASE)
		return reads_bad(rs, n, "there is no base %u", mr->mrd_base);
	if (mr->mrd_argn >= DT_REC_NARGS ||
	    (mr->mrd_argn != 0 && mr->mrd_base != DT_READ_ARG))
		return reads_bad(rs, n, "there is no argument %u",
		    mr->mrd_argn);
	if (mr->mrd_base == DT_READ_ARG &&
	    (dp->dp_req.rq_evtflags & DT_EVT_FUNCARGS) == 0)
		return reads_bad(rs, n, "the probe does not record arguments");
	if (mr->mrd_reserved != 0)
		return reads_bad(rs, n, "mrd_reserved is not 0");
	if ((error = reads_check_steps(mr, n, rs)) != 0)
		return error;
	return reads_check_size(mr, n, rs);
}

static int
reads_check(const struct dt_pcb *dp, const struct dtioc_reads *ir,
    struct reason *rs)
{
	static const struct dt_read none;
	unsigned int i;
	int error;

	if (!dp->dp_hasreads)
		return reason_fail(rs, EINVAL,
		    "the probe was enabled without DTEVT_READS, or has no "
		    "reads");
	if (dp->dp_req.rq_bits & DT_REQ_PAIR)
		return reason_fail(rs, EINVAL, "the probe is in a pair");
	if (ir->dtrd_nreads > DT_READ_MAX)
		return reason_fail(rs, EINVAL, "a probe has %d reads at most",
		    DT_READ_MAX);
	for (i = 0; i < DT_READ_MAX; i++) {
		if (i < ir->dtrd_nreads)
			error = reads_check_one(dp, &ir->dtrd_reads[i], i, rs);
		else
			error = memcmp(&ir->dtrd_reads[i], &none,
				    sizeof(none)) != 0
			    ? reads_bad(rs, i, "it is unused and not 0")
			    : 0;
		if (error != 0)
			return error;
	}
	return 0;
}

/* Rows */

/*
 * Makes the row of a request.  Providers that do not need TRACE_ALL have
 * arguments of programs.
 */
static struct dt_readrow
reads_row(const struct dt_pcb *dp, const struct dtioc_reads *ir)
{
	const int isuser = (dp->dp_dtp->dtp_prov->prov_rights &
			       RIGHT_TRACE_OWN) != 0;
	struct dt_readrow row = { .rdr_n = ir->dtrd_nreads };
	unsigned int i;

	memcpy(row.rdr_read, ir->dtrd_reads, sizeof(row.rdr_read));
	for (i = 0; i < row.rdr_n; i++)
		if (isuser && row.rdr_read[i].mrd_base != DT_READ_TASK)
			row.rdr_read[i].mrd_reserved = DT_READ_USER;
	return row;
}

static int
reads_row_get(uid_t person, const struct dt_readrow *row, uint16_t *line,
    struct reason *rs)
{
	unsigned int i, empty = 0;
	int error;

	for (i = 1; i < DT_NREADROWS; i++) {
		if (reads_rows[i].nrefs == 0) {
			if (empty == 0)
				empty = i;
		} else if (memcmp(&dt_maps.dtm_reads[i], row, sizeof(*row)) ==
		    0)
			break;
	}
	if (i == DT_NREADROWS) {
		error = limit_take(person, LIMIT_CONDITIONS, 1, rs);
		if (error != 0)
			return error;
		if ((i = empty) == 0) {
			limit_give(person, LIMIT_CONDITIONS, 1);
			limit_refused(LIMIT_CONDITIONS);
			return reason_fail(rs, ENOSPC,
			    "%d probes have different reads already",
			    DT_NREADROWS - 1);
		}
		reads_rows[i].person = person;
		dt_maps.dtm_reads[i] = *row;
	}
	reads_rows[i].nrefs++;
	*line = i;
	return 0;
}

void
dt_reads_drop(struct dt_pcb *dp)
{
	uint16_t line = dp->dp_req.rq_reads;

	if (!dp->dp_hasreads || (dp->dp_req.rq_bits & DT_REQ_PAIR) || line == 0)
		return;
	dp->dp_req.rq_reads = 0;
	dp->dp_req.rq_bits &= ~DT_REQ_LONG;
	if (--reads_rows[line].nrefs == 0)
		limit_give(reads_rows[line].person, LIMIT_CONDITIONS, 1);
}

/* ENOENT, EBUSY, EINVAL, ENOSPC. */
int
dt_ioctl_set_reads(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_readrow row;
	struct dtioc_reads ir;
	uint16_t line = 0;
	struct dt_pcb *dp;
	int error;

	memcpy(&ir, op->op_arg, sizeof(ir));
	if ((dp = dt_pcb_find(&sc->ds_enabled, ir.dtrd_pbn)) == NULL)
		return op_fail(op, ENOENT, "probe %u is not enabled",
		    ir.dtrd_pbn);
	if (sc->ds_recording)
		return EBUSY;
	if ((error = reads_check(dp, &ir, &op->op_reason)) != 0)
		return error;
	row = reads_row(dp, &ir);
	if (row.rdr_n != 0 &&
	    (error = reads_row_get(dp->dp_person, &row, &line,
		 &op->op_reason)) != 0)
		return error;
	dt_reads_drop(dp);
	if (line != 0) {
		dp->dp_req.rq_reads = line;
		dp->dp_req.rq_bits |= DT_REQ_LONG;
	}
	return 0;
}
