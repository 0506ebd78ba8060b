/* SPDX-License-Identifier: ISC */
/*
 * The sums of the dt device (session_sums.h): counters of its sessions, by
 * provider, and their current use of memory. BPF counts by session and CPU, for
 * each provider in a separate map (enum dt_tally), which gives the provider's
 * row.  System calls of both ABIs share programs: sessions that record both
 * have a separate row.
 *
 * The requesting thread reads the counters itself. A lock, held for one session
 * at a time, keeps that session from ending meanwhile.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/access/limit.h"
#include "daemon/base/conf.h"
#include "daemon/base/reason.h"
#include "daemon/device/ring_grow.h"
#include "daemon/device/session_sums.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_session_sums.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/sym/symbolizer.h"
#include "daemon/unwind/unwind.h"
#include "wire/stack_end.h"

#define SUMS_NUSERS  16	      /* listed one by one; the others are added up */
#define SUMS_SYMWAIT 20000000 /* ns to wait for the symbol statistics */
#define SUMS_SYSCALL "syscall"
#define SUMS_BOTHABI "syscall+syscall32"

/* A session, while its counters exist. */
struct sums_session {
	struct dt_softc *so_sc;		     /* NULL: none */
	int so_sysrow;			     /* row of its system calls now */
	uint64_t so_summed[DT_NTALLY][NSUM]; /* counted in rows already */
};

/* Sessions of a user with a right. */
struct sums_user {
	uid_t su_uid;
	unsigned int su_right; /* index of sums_rights */
	unsigned int su_n;
};

static const struct {
	unsigned int bit;
	const char *name;
} sums_rights[] = {
	/* each has what is below it */
	{ RIGHT_ADMIN, "admin" },
	{ RIGHT_TRACE_ALL, "trace-all" },
	{ RIGHT_TRACE_OWN, "trace-own" },
	{ RIGHT_PROFILE, "profile" },
	{ RIGHT_STATS, "stats" },
	{ RIGHT_LIST, "list" },
};

#define SUMS_NRIGHTS (sizeof(sums_rights) / sizeof(sums_rights[0]))

/* Ends of stacks that were walked by unwind tables. */
static const enum dt_stack_end sums_ends[] = { DT_STACK_ENDED, DT_STACK_LIMIT,
	DT_STACK_NOTABLE, DT_STACK_FAULT, DT_STACK_RULE, DT_STACK_NOMAP,
	DT_STACK_PENDING, DT_STACK_EVICTED };

static pthread_mutex_t open_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct sums_session opens[DT_MAXSESS]; /* by open_mtx */
static int rows[DT_NTALLY]; /* constant; of system calls see so_sysrow */
static atomic_uint_fast64_t nlimited;

/* Statistics of symbols, as of the last reading. */
static pthread_mutex_t sym_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sym_wanted = PTHREAD_COND_INITIALIZER;
static pthread_cond_t sym_told = PTHREAD_COND_INITIALIZER;
static struct dtioc_symstat sym_stat;	     /* by sym_mtx */
static uint64_t sym_hung;		     /* by sym_mtx */
static uint64_t sym_nrequests, sym_nreplies; /* by sym_mtx */
static int sym_started;			     /* by sym_mtx */

/*
 * Counters of sessions
 */

void
dt_sums_init(void)
{
	const struct dt_provider *prov;
	unsigned int i, n, named = 0;
	const char *reason;
	int tally, row;

	/* of providers that share programs, the first one names the sums */
	for (i = 0; (prov = dt_provider_nth(i, &reason, &n)) != NULL; i++) {
		tally = prov->prov_rec->pvr_tally;
		row = sums_row(dt_cdevsw.d_name, prov->prov_name);
		if ((named >> tally & 1) == 0)
			rows[tally] = row;
		named |= 1U << tally;
	}
	(void)sums_row(dt_cdevsw.d_name, SUMS_BOTHABI);
}

/*
 * Adds the increase since the last call to the row.  While a session is closed,
 * its dropped records are undercounted at first, so a sum never decreases.
 * Under the lock.
 */
static void
sums_settle_tally(struct sums_session *so, enum dt_tally tally)
{
	int row = tally == DT_TALLY_SYSCALL ? so->so_sysrow : rows[tally];
	struct dt_ledger dl = { 0 };

	dt_ledger_add(so->so_sc, tally, &dl);
	const uint64_t now[NSUM] = { [SUM_FIRED] = dl.dl_fired,
		[SUM_READ] = dl.dl_read,
		[SUM_DROPPED] = dl.dl_dropped,
		[SUM_RECURSED] = dl.dl_recursed,
		[SUM_MISSED] = dl.dl_missed,
		[SUM_EXCLUDED] = dl.dl_excluded,
		[SUM_SKIPTICK] = dl.dl_skiptick,
		[SUM_COUNTED] = dl.dl_counted,
		[SUM_MAPFULL] = dl.dl_mapfull };

	sums_add(row, so->so_summed[tally], now);
}

static void
sums_settle(struct sums_session *so)
{
	int t;

	for (t = 0; t < DT_NTALLY; t++)
		if (atomic_load(&so->so_sc->ds_counted.dcn_tallies) >> t & 1)
			sums_settle_tally(so, t);
}

void
dt_sums_add(struct dt_softc *sc)
{
	pthread_mutex_lock(&open_mtx);
	opens[sc->ds_client.dcl_slot] = (struct sums_session){ .so_sc = sc,
		.so_sysrow = sums_row(dt_cdevsw.d_name, SUMS_SYSCALL) };
	pthread_mutex_unlock(&open_mtx);
}

void
dt_sums_start(struct dt_softc *sc)
{
	struct sums_session *so = &opens[sc->ds_client.dcl_slot];
	const char *name = NULL;
	const struct dt_pcb *dp;

	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext) {
		if (dp->dp_dtp->dtp_prov->prov_rec->pvr_tally !=
		    DT_TALLY_SYSCALL)
			continue;
		if (name != NULL && name != dp->dp_dtp->dtp_prov->prov_name) {
			name = SUMS_BOTHABI;
			break;
		}
		name = dp->dp_dtp->dtp_prov->prov_name;
	}
	pthread_mutex_lock(&open_mtx);
	sums_settle(so);
	if (name != NULL)
		so->so_sysrow = sums_row(dt_cdevsw.d_name, name);
	pthread_mutex_unlock(&open_mtx);
}

void
dt_sums_del(struct dt_softc *sc)
{
	struct sums_session *so = &opens[sc->ds_client.dcl_slot];

	pthread_mutex_lock(&open_mtx);
	if (so->so_sc == sc) {
		sums_settle(so);
		so->so_sc = NULL;
	}
	pthread_mutex_unlock(&open_mtx);
}

void
dt_sums_limited(void)
{
	atomic_fetch_add(&nlimited, 1);
}

/*
 * Current values
 */

/* Sums over all sessions. */
struct sums_now {
	uint64_t smn_bytes; /* of rings */
	uint64_t smn_used;
	uint64_t smn_fill; /* highest fill, millionths */
	uint64_t smn_recording;
	struct sums_user smn_users[DT_MAXSESS];
	unsigned int smn_nusers;
};

static void
sums_see_rings(struct sums_now *sn, const struct dt_softc *sc)
{
	struct ring_usage ru;

	if (!atomic_load(&sc->ds_rings.drg_isready))
		return;
	rings_usage(&sc->ds_rings.drg_rings, &ru);
	sn->smn_bytes += ru.ru_bytes;
	sn->smn_used += ru.ru_used;
	if (ru.ru_fill > sn->smn_fill)
		sn->smn_fill = ru.ru_fill;
}

static void
sums_see_user(struct sums_now *sn, const struct peer *pr)
{
	struct sums_user *su = sn->smn_users;
	unsigned int i, right;

	for (right = 0; right < SUMS_NRIGHTS - 1; right++)
		if (pr->peer_rights & sums_rights[right].bit)
			break;
	for (i = 0; i < sn->smn_nusers; i++, su++)
		if (su->su_uid == pr->peer_uid && su->su_right == right)
			break;
	if (i == sn->smn_nusers) {
		sn->smn_nusers++;
		su->su_uid = pr->peer_uid;
		su->su_right = right;
	}
	su->su_n++;
}

static void
sums_see(struct sums_now *sn)
{
	struct sums_session *so;
	int i;

	for (i = 0; i < DT_MAXSESS; i++) {
		so = &opens[i];
		pthread_mutex_lock(&open_mtx);
		if (so->so_sc != NULL) {
			sums_settle(so);
			sums_see_rings(sn, so->so_sc);
			sums_see_user(sn, &so->so_sc->ds_client.dcl_peer);
			sn->smn_recording +=
			    __atomic_load_n(&so->so_sc->ds_recording,
				__ATOMIC_RELAXED) != 0;
		}
		pthread_mutex_unlock(&open_mtx);
	}
}

static int
user_cmp(const void *a, const void *b)
{
	const struct sums_user *ua = a, *ub = b;

	if (ua->su_n != ub->su_n)
		return ua->su_n > ub->su_n ? -1 : 1;
	return ua->su_uid < ub->su_uid ? -1 : ua->su_uid > ub->su_uid;
}

/*
 * Lists the users with the most sessions by name; a server may have many users.
 */
static void
sums_put_users(struct sums *sm, struct sums_now *sn)
{
	unsigned int others[SUMS_NRIGHTS] = { 0 }, i;
	const struct sums_user *su = sn->smn_users;
	char name[40];

	qsort(sn->smn_users, sn->smn_nusers, sizeof(*su), user_cmp);
	for (i = 0; i < sn->smn_nusers; i++, su++) {
		if (i >= SUMS_NUSERS) {
			others[su->su_right] += su->su_n;
			continue;
		}
		snprintf(name, sizeof(name), "%u %s", (unsigned)su->su_uid,
		    sums_rights[su->su_right].name);
		sums_put(sm, DTSM_OPENS, dt_cdevsw.d_name, name, su->su_n);
	}
	for (i = 0; i < SUMS_NRIGHTS; i++) {
		if (others[i] == 0)
			continue;
		snprintf(name, sizeof(name), "other %s", sums_rights[i].name);
		sums_put(sm, DTSM_OPENS, dt_cdevsw.d_name, name, others[i]);
	}
}

/*
 * Reads the statistics of symbols. They are protected by locks that are held
 * while files are read, so a thread waits for them; others get the previous
 * values when their time is over.
 */

static void *
sym_thread(void *arg __attribute__((unused)))
{
	struct symbolizer_stat ss;
	struct dtioc_symstat st;
	uint64_t nrequests;

	pthread_mutex_lock(&sym_mtx);
	for (;;) {
		while (sym_nreplies == sym_nrequests)
			pthread_cond_wait(&sym_wanted, &sym_mtx);
		nrequests = sym_nrequests;
		pthread_mutex_unlock(&sym_mtx);
		dt_sym_stat(&st);
		symbolizer_stat(&ss);
		pthread_mutex_lock(&sym_mtx);
		sym_stat = st;
		sym_hung = ss.ss_hung;
		sym_nreplies = nrequests;
		pthread_cond_broadcast(&sym_told);
	}
	return NULL;
}

void
dt_sums_sym(struct dtioc_symstat *st, uint64_t *hung, long nsecs)
{
	struct timespec until;
	uint64_t want;
	pthread_t t;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += nsecs;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&sym_mtx);
	if (!sym_started && pthread_create(&t, NULL, sym_thread, NULL) == 0) {
		pthread_detach(t);
		sym_started = 1;
	}
	want = ++sym_nrequests;
	pthread_cond_signal(&sym_wanted);
	while (sym_started && sym_nreplies < want)
		if (pthread_cond_timedwait(&sym_told, &sym_mtx, &until) != 0)
			break;
	*st = sym_stat;
	*hung = sym_hung;
	pthread_mutex_unlock(&sym_mtx);
}

static void
sums_put_sym(struct sums *sm)
{
	struct dtioc_symstat st;
	uint64_t hung;

	dt_sums_sym(&st, &hung, SUMS_SYMWAIT);
	const struct {
		uint32_t what;
		uint64_t value;
	} table[] = {
		{ DTSM_SYMPROCS, st.dtss_nprocs },
		{ DTSM_SYMFOLLOW, st.dtss_followbytes },
		{ DTSM_SYMEVENTS, st.dtss_nevents },
		{ DTSM_SYMLOST, st.dtss_nlost },
		{ DTSM_SYMBYTES, st.dtss_cachebytes },
		{ DTSM_SYMFILES, st.dtss_cachefiles },
		{ DTSM_SYMASKED, st.dtss_asked },
		{ DTSM_SYMHITS, st.dtss_hits },
		{ DTSM_SYMEVICTS, st.dtss_evicts },
		{ DTSM_SYMSTARTS, st.dtss_starts },
		{ DTSM_SYMDEATHS, st.dtss_deaths },
		{ DTSM_SYMTIMEOUTS, st.dtss_timeouts },
		{ DTSM_SYMHUNG, hung },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		sums_put(sm, table[i].what, dt_cdevsw.d_name, NULL,
		    table[i].value);
}

static void
sums_put_unwind(struct sums *sm)
{
	struct unwind_stat us;

	unwind_stat(&us);
	const struct {
		uint32_t what;
		uint64_t value;
	} table[] = {
		{ DTSM_UNWPAGES, us.us_pages },
		{ DTSM_UNWPROCS, us.us_procs },
		{ DTSM_UNWBYTES, us.us_bytes },
		{ DTSM_UNWMEMORY, us.us_slabbytes },
		{ DTSM_UNWMISSES, us.us_misses },
		{ DTSM_UNWBUILT, us.us_built },
		{ DTSM_UNWFAILED, us.us_failed + us.us_unread },
		{ DTSM_UNWEVICTS, us.us_evicted },
		{ DTSM_UNWFULL, us.us_full },
		{ DTSM_UNWNSECS, us.us_buildnsecs },
		{ DTSM_UNWCOPIES, us.us_copies },
		{ DTSM_UNWLOST, us.us_copieslost },
		{ DTSM_UNWWALKED, us.us_walked },
		{ DTSM_UNWGIVENUP, us.us_givenup },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		sums_put(sm, table[i].what, dt_cdevsw.d_name, NULL,
		    table[i].value);
	for (i = 0; i < sizeof(sums_ends) / sizeof(sums_ends[0]); i++)
		sums_put(sm, DTSM_UNWSTACKS, dt_cdevsw.d_name,
		    stack_end_names[sums_ends[i]], us.us_ends[sums_ends[i]]);
}

static void
sums_put_refusals(struct sums *sm)
{
	struct limit_refusal lr[REFUSED_N];
	size_t i, n = limit_refusals(lr, REFUSED_N);

	for (i = 0; i < n; i++)
		sums_put(sm, DTSM_REFUSED, dt_cdevsw.d_name, lr[i].lr_reason,
		    lr[i].lr_n);
}

void
dt_sums(struct sums *sm)
{
	const char *dev = dt_cdevsw.d_name;
	struct sums_now sn = { 0 };

	sums_see(&sn);
	sums_put_users(sm, &sn);
	sums_put(sm, DTSM_RECORDING, dev, NULL, sn.smn_recording);
	sums_put(sm, DTSM_RINGBYTES, dev, NULL, sn.smn_bytes);
	sums_put(sm, DTSM_RINGUSED, dev, NULL, sn.smn_used);
	sums_put(sm, DTSM_RINGFILL, dev, NULL, sn.smn_fill);
	sums_put(sm, DTSM_BRAKED, dev, NULL, atomic_load(&nlimited));
	sums_put(sm, DTSM_COSTLIMIT, dev, NULL, conf.cf_costlimit);
	dt_cost_sums(sm);
	sums_put_refusals(sm);
	sums_put_sym(sm);
	sums_put_unwind(sm);
}

/*
 * Requests
 */

int
dt_ioctl_get_sums(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	if (sc->ds_sumsfd != -1)
		return op_fail(op, EBUSY,
		    "the session has a socket for sums already");
	return sums_open(&op->op_outfd, &sc->ds_sumsfd);
}

void
dt_sums_hangup(struct dt_softc *sc)
{
	if (sc->ds_sumsfd == -1)
		return;
	(void)shutdown(sc->ds_sumsfd, SHUT_RDWR);
	close(sc->ds_sumsfd);
	sc->ds_sumsfd = -1;
}
