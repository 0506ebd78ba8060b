/* SPDX-License-Identifier: ISC */
/*
 * Resolves kernel addresses.  The table (some 100,000 functions, about 4 MB) is
 * read on demand and freed when its last user releases it, so that an idle
 * daemon uses no memory for it.  It is read again
 *
 *  - when a module was loaded or unloaded, which the kernel reports (uevent.c);
 *  - for an address of a BPF program, when programs or links were: that is not
 *    reported, but their ids grow.  Where these cannot be queried (it takes
 *    CAP_SYS_ADMIN), if it was hit after the table was read;
 *  - for an address that is in no known function;
 *
 * at most once per second, or five times after a module event.  Entries that
 * are missing from a newer table are kept with the time of that table
 * (kallsyms_unloaded.c).
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/kernel/kallsyms.h"
#include "daemon/kernel/kallsyms_query.h"
#include "daemon/kernel/kallsyms_unloaded.h"
#include "daemon/kernel/kallsyms_table.h"

#define KALLSYMS_PATH	"/proc/kallsyms"
#define KALLSYMS_FRESH	1000000000ULL /* ns between two reads, */
#define KALLSYMS_SOON	200000000ULL  /* and if the table is outdated */
#define KALLSYMS_NSPANS 64	      /* changes whose time is kept */
#define KALLSYMS_BPF	4096	      /* maximum of numbers compared */
#define KALLSYMS_BUFFER 65536	      /* bytes read at once */

/* Numbers of BPF programs and links; they differ after a load or unload. */
struct bpf_mark {
	uint32_t bm_nprogs, bm_lastprog;
	uint32_t bm_nlinks, bm_lastlink;
	int bm_error; /* errno if they cannot be read */
};

/* All by kallsyms_mtx. */
static pthread_mutex_t kallsyms_mtx = PTHREAD_MUTEX_INITIALIZER;
static int nholds;
static struct kallsyms_table *table; /* NULL: not read */
static struct kallsyms_unloaded *unloaded;
static struct bpf_mark bpf_seen; /* when the table was read */
static uint64_t read_at, tried_at;
static int read_error;			/* of the last try */
static uint64_t spans[KALLSYMS_NSPANS]; /* when the table became another */
static uint64_t nspans;
static uint64_t nreads;
static atomic_int changed; /* without the lock: modules have changed */

static void
table_drop(void)
{
	kallsyms_table_free(table);
	kallsyms_unloaded_free(unloaded);
	table = NULL;
	unloaded = NULL;
	nspans = 0;
	malloc_trim(0);
}

void
kallsyms_hold(void)
{
	pthread_mutex_lock(&kallsyms_mtx);
	nholds++;
	pthread_mutex_unlock(&kallsyms_mtx);
}

void
kallsyms_release(void)
{
	pthread_mutex_lock(&kallsyms_mtx);
	if (--nholds == 0 && table != NULL)
		table_drop();
	pthread_mutex_unlock(&kallsyms_mtx);
}

static void
bpf_count(int (*next)(uint32_t, uint32_t *), uint32_t *n, uint32_t *last,
    int *error)
{
	uint32_t id = 0;

	*n = 0;
	while (*n < KALLSYMS_BPF && next(id, &id) == 0)
		(*n)++;
	*last = id;
	if (*n < KALLSYMS_BPF && errno != ENOENT)
		*error = errno;
}

static struct bpf_mark
bpf_mark(void)
{
	struct bpf_mark bm = { 0 };

	bpf_count(bpf_prog_get_next_id, &bm.bm_nprogs, &bm.bm_lastprog,
	    &bm.bm_error);
	bpf_count(bpf_link_get_next_id, &bm.bm_nlinks, &bm.bm_lastlink,
	    &bm.bm_error);
	return bm;
}

struct leave {
	uint64_t lv_now;
	size_t lv_n;
};

static void
table_left(void *arg, const struct kallsyms_range *kf)
{
	struct leave *lv = arg;

	lv->lv_n++;
	if (unloaded != NULL)
		kallsyms_unloaded_add(unloaded, kf, lv->lv_now);
}

static void
table_came(void *arg, const struct kallsyms_range *kf __attribute__((unused)))
{
	struct leave *lv = arg;

	lv->lv_n++;
}

/* Replaces the old table by the new one. */
static void
table_replace(struct kallsyms_table *kt, uint64_t now)
{
	struct leave lv = { .lv_now = now };

	if (table != NULL) {
		if (unloaded == NULL)
			unloaded = kallsyms_unloaded_alloc();
		kallsyms_table_diff(table, kt, table_left, &lv);
		kallsyms_table_diff(kt, table, table_came, &lv);
		kallsyms_table_free(table);
	}
	if (lv.lv_n > 0)
		spans[nspans++ % KALLSYMS_NSPANS] = now;
	table = kt;
}

static int
table_load(struct kallsyms_table **ktp)
{
	FILE *syms, *mods;
	int error;

	if ((syms = fopen(KALLSYMS_PATH, "re")) == NULL)
		return errno;
	/* stdio would read a quarter of a page at a time */
	(void)setvbuf(syms, NULL, _IOFBF, KALLSYMS_BUFFER);
	mods = fopen("/proc/modules", "re");
	error = kallsyms_table_read(syms, mods, ktp);
	fclose(syms);
	if (mods != NULL)
		fclose(mods);
	return error;
}

static int
table_read(void)
{
	struct kallsyms_table *kt;

	atomic_store(&changed, 0);
	tried_at = clock_monotonic();
	bpf_seen = bpf_mark();
	if ((read_error = table_load(&kt)) != 0)
		return read_error;
	/* the table is at least as new as the start of the read */
	table_replace(kt, tried_at);
	read_at = tried_at;
	nreads++;
	log_debug("kernel symbols: %zu functions", kallsyms_table_size(table));
	return 0;
}

/* Returns whether BPF programs may have changed since the table was read. */
static int
bpf_isother(void)
{
	struct bpf_mark bm = bpf_mark();

	return memcmp(&bm, &bpf_seen, sizeof(bm)) != 0;
}

/* Returns whether the table may be outdated. */
static int
table_stale(void)
{
	return atomic_load(&changed) || bpf_isother();
}

/*
 * Returns whether a symbol is missing, or the symbol of a BPF program may
 * belong to another time.
 */
static int
find_all(const uint64_t *pcs, size_t npcs, uint64_t nsecs, struct ksym *out)
{
	struct kallsyms_range kf;
	size_t i, n = 0, nbpf = 0;

	for (i = 0; i < npcs; i++) {
		memset(&out[i], 0, sizeof(out[i]));
		if (!(unloaded != NULL &&
			kallsyms_unloaded_find(unloaded, pcs[i], nsecs, &kf)) &&
		    !kallsyms_table_find(table, pcs[i], &kf)) {
			n++;
			continue;
		}
		nbpf += kf.kra_isbpf;
		snprintf(out[i].ksy_name, sizeof(out[i].ksy_name), "%s",
		    kf.kra_name);
		snprintf(out[i].ksy_module, sizeof(out[i].ksy_module), "%s",
		    kf.kra_module);
		out[i].ksy_offset = pcs[i] - kf.kra_start;
	}
	return n > 0 ||
	    (nbpf > 0 && nsecs >= read_at &&
		(bpf_seen.bm_error != 0 || bpf_isother()));
}

/* Stores the changes before and after a time; the table is valid until now. */
static void
span_of(uint64_t nsecs, uint64_t now, struct ksym_span *kp)
{
	uint64_t n = nspans < KALLSYMS_NSPANS ? nspans : KALLSYMS_NSPANS, i;

	kp->kss_from = 0;
	kp->kss_until = now + 1;
	kp->kss_gen = nspans;
	for (i = nspans; i > nspans - n; i--) {
		kp->kss_from = spans[(i - 1) % KALLSYMS_NSPANS];
		if (nsecs >= kp->kss_from)
			return;
		kp->kss_until = kp->kss_from;
		kp->kss_gen--;
	}
	kp->kss_from = 0;
}

/* Returns whether it is too early to read the table again. */
static int
table_isfresh(uint64_t now)
{
	return now <
	    tried_at + (atomic_load(&changed) ? KALLSYMS_SOON : KALLSYMS_FRESH);
}

/* Under the lock. */
static int
lookup(const uint64_t *pcs, size_t npcs, uint64_t nsecs, struct ksym *out,
    struct ksym_span *kp)
{
	uint64_t now = clock_monotonic();
	int fresh = table_isfresh(now), error;

	if (nsecs == 0 || nsecs > now)
		nsecs = now;
	if (table == NULL) {
		error = fresh && read_error != 0 ? read_error : table_read();
		if (error != 0)
			return error;
		fresh = 1;
	}
	if (!fresh && nsecs >= read_at && atomic_load(&changed)) {
		(void)table_read(); /* on failure the old table is used */
		fresh = 1;
	}
	if (find_all(pcs, npcs, nsecs, out) && !fresh) {
		(void)table_read();
		find_all(pcs, npcs, nsecs, out);
	}
	span_of(nsecs, now, kp);
	return 0;
}

int
kallsyms_lookup(const uint64_t *pcs, size_t npcs, uint64_t nsecs,
    struct ksym *out, struct ksym_span *kp)
{
	int error;

	pthread_mutex_lock(&kallsyms_mtx);
	error = lookup(pcs, npcs, nsecs, out, kp);
	if (nholds == 0 && table != NULL)
		table_drop();
	pthread_mutex_unlock(&kallsyms_mtx);
	return error;
}

int
kallsyms_now(const uint64_t *pcs, size_t npcs, struct ksym *out,
    struct ksym_span *kp)
{
	int isread;

	pthread_mutex_lock(&kallsyms_mtx);
	isread = table != NULL;
	pthread_mutex_unlock(&kallsyms_mtx);
	if (isread || kallsyms_query(pcs, npcs, out) != 0)
		return kallsyms_lookup(pcs, npcs, 0, out, kp);
	*kp = (struct ksym_span){ .kss_until = clock_monotonic() + 1 };
	return 0;
}

int
kallsyms_each(uint64_t from, int (*fn)(void *, const struct kallsyms_range *),
    void *arg)
{
	int error = 0, fresh;

	pthread_mutex_lock(&kallsyms_mtx);
	fresh = table_isfresh(clock_monotonic());
	if (table == NULL)
		error = fresh && read_error != 0 ? read_error : table_read();
	else if (from == 0 && !fresh && table_stale())
		(void)table_read(); /* on failure the old table is used */
	if (error == 0)
		kallsyms_table_each(table, from, fn, arg);
	if (nholds == 0 && table != NULL)
		table_drop();
	pthread_mutex_unlock(&kallsyms_mtx);
	return error;
}

void
kallsyms_read(void)
{
	pthread_mutex_lock(&kallsyms_mtx);
	if (nholds > 0 &&
	    (table == NULL ||
		(table_stale() && !table_isfresh(clock_monotonic()))))
		(void)table_read();
	pthread_mutex_unlock(&kallsyms_mtx);
}

void
kallsyms_changed(void)
{
	atomic_store(&changed, 1);
}

void
kallsyms_stat(struct kallsyms_stat *kl)
{
	pthread_mutex_lock(&kallsyms_mtx);
	kl->kas_nsyms = table == NULL ? 0 : kallsyms_table_size(table);
	kl->kas_nreads = nreads;
	kl->kas_ngone = unloaded == NULL ? 0 : kallsyms_unloaded_size(unloaded);
	pthread_mutex_unlock(&kallsyms_mtx);
}

/* Returns a number from /proc/sys/kernel, or -1. */
static int
setting(const char *name)
{
	char path[64];
	int value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	if ((f = fopen(path, "re")) == NULL)
		return -1;
	if (fscanf(f, "%d", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

void
kallsyms_why(int error, struct reason *rs)
{
	int restrict_ = setting("kptr_restrict");

	if (error != EPERM)
		reason_set(rs, "%s: %s", KALLSYMS_PATH, strerror(error));
	else if (restrict_ >= 2)
		reason_set(rs,
		    "the kernel hides its addresses from all users "
		    "(kernel.kptr_restrict is %d): sysctl "
		    "kernel.kptr_restrict=1 shows them to root",
		    restrict_);
	else
		reason_set(rs,
		    "the kernel hides its addresses from dtd, which lacks "
		    "CAP_SYSLOG (kernel.kptr_restrict is %d): start it with "
		    "this capability",
		    restrict_);
}

/*
 * Stores the begin or the end of the searched symbols that a line has, and
 * whether it has an address.  Returns 0 when all are known.
 */
static int
find_line(const char *line, struct kallsyms_func *kf, size_t n, int *isshown)
{
	unsigned long long addr;
	char type, name[512];
	size_t i, nopen = 0;

	if (sscanf(line, "%llx %c %511s", &addr, &type, name) != 3)
		return 1;
	*isshown |= addr != 0;
	for (i = 0; i < n; i++) {
		if (kf[i].kaf_begin == 0 && addr != 0 &&
		    strcmp(kf[i].kaf_name, name) == 0)
			kf[i].kaf_begin = addr;
		else if (kf[i].kaf_end == 0 && kf[i].kaf_begin != 0 &&
		    addr > kf[i].kaf_begin)
			kf[i].kaf_end = addr;
		nopen += kf[i].kaf_end == 0;
	}
	return nopen != 0;
}

int
kallsyms_find(struct kallsyms_func *kf, size_t n)
{
	char line[1024];
	int isshown = 0;
	FILE *f;

	if ((f = fopen(KALLSYMS_PATH, "re")) == NULL)
		return errno;
	while (fgets(line, sizeof(line), f) != NULL &&
	    find_line(line, kf, n, &isshown))
		;
	fclose(f);
	return isshown ? 0 : EPERM;
}
