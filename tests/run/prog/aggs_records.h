/* SPDX-License-Identifier: ISC */
/* aggs records: keys that need the record.  A part of aggs.c. */
#ifndef TESTS_RUN_PROG_AGGS_RECORDS_H
#define TESTS_RUN_PROG_AGGS_RECORDS_H

#define MAXROWS 65536

/* Rows of all snapshots, before their keys are known. */
struct keyed {
	struct dtioc_aggrow ke_rows[MAXROWS];
	size_t ke_nrows;
	uint64_t ke_key[MAXROWS]; /* of events */
	uint32_t ke_tid[MAXROWS];
	size_t ke_nevents, ke_nkeys;
};

static void
keyed_snapshot(struct dt *dt, struct keyed *ke)
{
	struct dtioc_aggsnap as;
	int n = 1;

	if (dt_ioctl(dt, DTIOCAGGSNAP, &as) == -1)
		err(1, "DTIOCAGGSNAP: %s", dt_error(dt));
	while (ke->ke_nrows < MAXROWS &&
	    (n = dt_agg_next(dt, &ke->ke_rows[ke->ke_nrows])) == 1)
		ke->ke_nrows++;
	if (n != 0)
		errx(1, "rows: %s", n == 1 ? "too many" : dt_error(dt));
}

/* Reads the events that have arrived, or all up to the end. */
static void
keyed_events(struct dt *dt, struct keyed *ke, int timeout)
{
	struct dt_event ev;

	while (dt_next(dt, &ev, timeout) == 1) {
		ke->ke_nevents++;
		if (ev.ev_key == NULL || ke->ke_nkeys == MAXROWS)
			errx(1, "an event without a key, or too many");
		ke->ke_key[ke->ke_nkeys] = *ev.ev_key;
		ke->ke_tid[ke->ke_nkeys++] = ev.ev_rec->dr_tid;
	}
	if (errno != (timeout == 0 ? EAGAIN : ENODATA))
		err(1, "dt_next: %s", dt_error(dt));
}

static uint32_t
keyed_tid(const struct keyed *ke, uint64_t key)
{
	size_t i;

	for (i = 0; i < ke->ke_nkeys; i++)
		if (ke->ke_key[i] == key)
			return ke->ke_tid[i];
	errx(1, "no event has the key of a row");
}

/* Returns the calls of a thread, in events and in rows. */
static uint64_t
keyed_calls(const struct keyed *ke, uint32_t tid)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < ke->ke_nkeys; i++)
		n += ke->ke_tid[i] == tid;
	for (i = 0; i < ke->ke_nrows; i++)
		if (ke->ke_rows[i].dtrw_count > 0 &&
		    keyed_tid(ke, ke->ke_rows[i].dtrw_words[0]) == tid)
			n += ke->ke_rows[i].dtrw_count;
	return n;
}

static void
keyed_check(struct dt *dt, const struct keyed *ke)
{
	struct dt_ledger dl;
	long i;

	if (dt_ledger(dt, &dl) == -1)
		errx(1, "no ledger");
	if (dl.dl_read != ke->ke_nevents || dl.dl_dropped != 0 ||
	    dl.dl_fired != dl.dl_read + dl.dl_counted ||
	    dl.dl_counted < 2 * dl.dl_read)
		errx(1, "fired %llu, read %llu, counted %llu, of %zu events",
		    (unsigned long long)dl.dl_fired,
		    (unsigned long long)dl.dl_read,
		    (unsigned long long)dl.dl_counted, ke->ke_nevents);
	for (i = 0; i < nthreads; i++)
		if (keyed_calls(ke, load->ld_tid[i]) != (uint64_t)ncalls)
			errx(1, "thread %ld: %llu calls of %ld", i,
			    (unsigned long long)keyed_calls(ke,
				load->ld_tid[i]),
			    ncalls);
}

static void
mode_records(const struct prog_dtd *pd)
{
	struct dtioc_agg ia = {
		.dtag_nkeys = 1,
		.dtag_keys = { { .op_kind = DT_OPD_TID, .op_size = 4 } },
		.dtag_flags = DTAG_RECORD,
	};
	struct keyed *ke = calloc(1, sizeof(*ke));
	struct dt *dt = prog_open(pd, 0);
	struct prog_child pc;
	long i;

	if (ke == NULL)
		err(1, NULL);
	load_start(&pc);
	prog_filter(dt, pc.pc_pid);
	count_by(dt, CALL, DTEVT_WHO | DTEVT_KSTACK, &ia);
	prog_record(dt, 1);
	__atomic_store_n(&load->ld_go, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < nsnapshots; i++) {
		keyed_snapshot(dt, ke);
		keyed_events(dt, ke, 0);
		usleep(1000);
	}
	if (prog_hear(pc.pc_sock) != 'e')
		errx(1, "the load has ended");
	prog_record(dt, 0);
	keyed_events(dt, ke, PROG_DEADLINE * 1000);
	keyed_snapshot(dt, ke);
	keyed_check(dt, ke);
	prog_tell(pc.pc_sock, 'q');
	prog_child_end(&pc);
	dt_close(dt);
	free(ke);
}

#endif /* TESTS_RUN_PROG_AGGS_RECORDS_H */
