/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSREADS: memory that is read at hits of an enabled probe.  Everything that
 * a client puts into a read is checked here, once.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_reads.h"
#include "daemon/dt/dt_row_table.h"

_Static_assert(sizeof(((struct dt_readrow *)0)->rdr_read) ==
	sizeof(((struct dtioc_reads *)0)->dtrd_reads),
    "a row has the reads of a request");

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
reads_check_register(const struct dt_pcb *dp, unsigned int reg, unsigned int n,
    struct reason *rs)
{
	const struct dt_provider *prov = dp->dp_dtp->dtp_prov;
	uint64_t regs = dt_read_registers(prov->prov_regs,
	    strcmp(dp->dp_dtp->dtp_name, "return") == 0);

	if (regs == 0)
		return reads_bad(rs, n, "hits of %s have no registers",
		    prov->prov_name);
	if (reg >= DT_READ_NREGS || (regs >> reg & 1) == 0)
		return reads_bad(rs, n,
		    "hits of this probe have no register %u", reg);
	return 0;
}

static int
reads_check_base(const struct dt_pcb *dp, const struct dt_read *mr,
    unsigned int n, struct reason *rs)
{
	if (mr->mrd_base >= DT_NREADBASE)
		return reads_bad(rs, n, "there is no base %u", mr->mrd_base);
	if (mr->mrd_base == DT_READ_REG)
		return reads_check_register(dp, mr->mrd_argn, n, rs);
	if (mr->mrd_argn >= DT_REC_NARGS ||
	    (mr->mrd_argn != 0 && mr->mrd_base != DT_READ_ARG))
		return reads_bad(rs, n, "there is no argument %u",
		    mr->mrd_argn);
	if (mr->mrd_base == DT_READ_ARG &&
	    (dp->dp_req.rq_evtflags & DT_EVT_FUNCARGS) == 0)
		return reads_bad(rs, n, "the probe does not record arguments");
	return 0;
}

static int
reads_check_one(const struct dt_pcb *dp, const struct dt_read *mr,
    unsigned int n, struct reason *rs)
{
	int error;

	if ((error = reads_check_base(dp, mr, n, rs)) != 0)
		return error;
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
		    "the probe was enabled without DTEVT_READS");
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
 * Whether the traced program decides where a read begins: arguments, results
 * and registers of the providers that do not need TRACE_ALL.
 */
static int
reads_isuser(const struct dt_pcb *dp, const struct dt_read *mr)
{
	return (dp->dp_dtp->dtp_prov->prov_rights & RIGHT_TRACE_OWN) != 0 &&
	    mr->mrd_base != DT_READ_TASK && mr->mrd_base != DT_READ_CONST;
}

static struct dt_readrow
reads_row(const struct dt_pcb *dp, const struct dtioc_reads *ir)
{
	struct dt_readrow row = { .rdr_n = ir->dtrd_nreads };
	unsigned int i;

	memcpy(row.rdr_read, ir->dtrd_reads, sizeof(row.rdr_read));
	for (i = 0; i < row.rdr_n; i++)
		if (reads_isuser(dp, &row.rdr_read[i]))
			row.rdr_read[i].mrd_reserved = DT_READ_USER;
	return row;
}

void
dt_reads_drop(struct dt_pcb *dp)
{
	uint16_t line = dp->dp_req.rq_reads;

	if (!dp->dp_hasreads || (dp->dp_req.rq_bits & DT_REQ_PAIR) || line == 0)
		return;
	dp->dp_req.rq_reads = 0;
	dp->dp_req.rq_bits &= ~DT_REQ_LONG;
	dt_row_put(DT_ROW_READ, line);
}

int
dt_reads_set(struct dt_pcb *dp, const struct dtioc_reads *ir, struct reason *rs)
{
	struct dt_readrow row;
	uint16_t line = 0;
	unsigned int i;
	int error;

	if ((error = reads_check(dp, ir, rs)) != 0)
		return error;
	row = reads_row(dp, ir);
	if (row.rdr_n != 0 &&
	    (error = dt_row_get(DT_ROW_READ, dp->dp_person, &row, &line, rs)) !=
		0)
		return error;
	dt_reads_drop(dp);
	dp->dp_hasregs = 0;
	for (i = 0; i < row.rdr_n; i++)
		dp->dp_hasregs |= row.rdr_read[i].mrd_base == DT_READ_REG;
	if (line != 0) {
		dp->dp_req.rq_reads = line;
		dp->dp_req.rq_bits |= DT_REQ_LONG;
	}
	return 0;
}
