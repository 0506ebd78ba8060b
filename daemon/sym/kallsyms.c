/* SPDX-License-Identifier: ISC */
/*
 * Names of kernel addresses, see kallsyms.h.  The table (some 100,000
 * functions, about 4 MB) is read when somebody asks and dropped when nobody
 * has for a while: an idle daemon does not carry it.  Modules and BPF
 * programs come and go, so a table that is older than a second is read again
 * before an address is declared nameless.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kallsyms.h"
#include "log.h"

#define KALLSYMS_PATH  "/proc/kallsyms"
#define KALLSYMS_FRESH 1	  /* seconds before it may be read again */
#define KALLSYMS_KEEP  10	  /* seconds that it is kept unused */
#define KALLSYMS_MAX   (1U << 20) /* symbols, against a broken kernel */

struct entry {
	uint64_t e_addr;
	uint32_t e_name; /* offset into names: NAME\0MODULE\0 */
};

/* All by kallsyms_mtx. */
static pthread_mutex_t kallsyms_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;
static size_t nentries, maxentries;
static char *names;
static size_t nnames, maxnames;
static time_t read_at, used_at;

static time_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

static void
table_free(void)
{
	free(entries);
	free(names);
	entries = NULL;
	names = NULL;
	nentries = maxentries = nnames = maxnames = 0;
}

/* Makes room for n more of size in a growing array. */
static int
grow(void *pp, size_t have, size_t n, size_t *max, size_t size)
{
	size_t want = *max == 0 ? 4096 : *max;
	void *p;

	if (have + n <= *max)
		return 0;
	while (want < have + n)
		want *= 2;
	if ((p = realloc(*(void **)pp, want * size)) == NULL)
		return ENOMEM;
	*(void **)pp = p;
	*max = want;
	return 0;
}

static int
table_add(uint64_t addr, const char *name, const char *module)
{
	size_t n = strlen(name) + 1, m = strlen(module) + 1;
	int error;

	if (nentries == KALLSYMS_MAX)
		return E2BIG;
	if ((error = grow(&entries, nentries, 1, &maxentries,
		 sizeof(*entries))) != 0 ||
	    (error = grow(&names, nnames, n + m, &maxnames, 1)) != 0)
		return error;
	entries[nentries++] = (struct entry){ addr, nnames };
	memcpy(names + nnames, name, n);
	memcpy(names + nnames + n, module, m);
	nnames += n + m;
	return 0;
}

static int
entry_cmp(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->e_addr < y->e_addr ? -1 : x->e_addr > y->e_addr;
}

/* "ffffffff81000000 T name [module]": only code is kept. */
static int
table_line(const char *line, int *hidden)
{
	char type, name[256], module[64] = "";
	unsigned long long addr;
	int n;

	n = sscanf(line, "%llx %c %255s [%63[^]]]", &addr, &type, name, module);
	if (n < 3 || strchr("tTwW", type) == NULL)
		return 0;
	if (addr != 0)
		*hidden = 0;
	return table_add(addr, name, module);
}

static int
table_read(void)
{
	char line[512];
	int error = 0, hidden = 1;
	FILE *f;

	table_free();
	if ((f = fopen(KALLSYMS_PATH, "re")) == NULL)
		return errno;
	while (error == 0 && fgets(line, sizeof(line), f) != NULL)
		error = table_line(line, &hidden);
	fclose(f);
	if (error == 0 && hidden)
		error = EPERM;
	if (error != 0) {
		table_free();
		return error;
	}
	qsort(entries, nentries, sizeof(*entries), entry_cmp);
	read_at = now();
	return 0;
}

/* The last function that begins at or before the address. */
static int
table_find(uint64_t pc, struct ksym *out)
{
	size_t lo = 0, hi = nentries, mid;
	const char *name;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (entries[mid].e_addr <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || lo == nentries)
		return 0; /* below all, or behind the last: no name */
	name = names + entries[lo - 1].e_name;
	snprintf(out->ks_name, sizeof(out->ks_name), "%s", name);
	snprintf(out->ks_module, sizeof(out->ks_module), "%s",
	    name + strlen(name) + 1);
	out->ks_offset = pc - entries[lo - 1].e_addr;
	return 1;
}

static size_t
find_all(const uint64_t *pcs, size_t npcs, struct ksym *out)
{
	size_t i, n = 0;

	for (i = 0; i < npcs; i++) {
		memset(&out[i], 0, sizeof(out[i]));
		n += table_find(pcs[i], &out[i]);
	}
	return n;
}

int
kallsyms_lookup(const uint64_t *pcs, size_t npcs, struct ksym *out)
{
	int error = 0;

	pthread_mutex_lock(&kallsyms_mtx);
	if (entries == NULL)
		error = table_read();
	if (error == 0 && find_all(pcs, npcs, out) < npcs &&
	    now() > read_at + KALLSYMS_FRESH && (error = table_read()) == 0)
		find_all(pcs, npcs, out);
	used_at = now();
	pthread_mutex_unlock(&kallsyms_mtx);
	return error;
}

void
kallsyms_trim(void)
{
	pthread_mutex_lock(&kallsyms_mtx);
	if (entries != NULL && now() > used_at + KALLSYMS_KEEP) {
		table_free();
		malloc_trim(0);
	}
	pthread_mutex_unlock(&kallsyms_mtx);
}

/* Whether one of the functions begins at this line, or ended before it. */
static int
find_line(const char *line, struct kfunc *kf, size_t n)
{
	unsigned long long addr;
	char type, name[256];
	size_t i, nopen = 0;

	if (sscanf(line, "%llx %c %255s", &addr, &type, name) != 3)
		return 1;
	for (i = 0; i < n; i++) {
		if (kf[i].kf_begin == 0 && addr != 0 &&
		    strcmp(kf[i].kf_name, name) == 0)
			kf[i].kf_begin = addr;
		else if (kf[i].kf_end == 0 && kf[i].kf_begin != 0 &&
		    addr > kf[i].kf_begin)
			kf[i].kf_end = addr;
		nopen += kf[i].kf_end == 0;
	}
	return nopen != 0;
}

int
kallsyms_find(struct kfunc *kf, size_t n)
{
	char line[512];
	FILE *f;

	if ((f = fopen(KALLSYMS_PATH, "re")) == NULL)
		return errno;
	while (fgets(line, sizeof(line), f) != NULL && find_line(line, kf, n))
		;
	fclose(f);
	return 0;
}
