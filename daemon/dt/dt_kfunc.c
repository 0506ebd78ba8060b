/* SPDX-License-Identifier: ISC */
/*
 * The table of dt_kfunc.h.  What can be traced is told by ftrace, with
 * addresses where the kernel has such a list, else by name, and the addresses
 * come from kallsyms: of a name that several functions have, they are told by
 * order, if both lists have as many of them.  A kernel without ftrace has
 * whatever kallsyms calls code.
 *
 * A new list is made outside of the lock and merged under it, by name, module
 * and order of address: that is how a function is known again.
 */
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dt_kfunc.h"
#include "dt_kproto.h"
#include "log.h"

#define TRACEFS	  "/sys/kernel/tracing/"
#define KALLSYMS  "/proc/kallsyms"
#define MODULES	  "/proc/modules"
#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

#define KFUNC_MAX (1U << 22) /* that pbns have room for */

static const char blacklisted[] = "on the kernel's own list of functions "
				  "that may not be probed";

/* A line of one of the kernel's lists. */
struct line {
	uint64_t ln_addr;
	uint32_t ln_name, ln_module; /* offsets */
	uint32_t ln_order;	     /* in its list */
};

/* A list that is being read. */
struct list {
	struct line *li_lines;
	size_t li_n, li_max;
	char *li_names;
	size_t li_nnames, li_maxnames;
	uint32_t li_nlong;
};

/* An entry of the table. */
struct entry {
	uint64_t e_addr;	   /* 0: it has gone */
	uint32_t e_name, e_module; /* offsets into names */
	uint32_t e_nth;		   /* of its name, from 1 */
	const char *e_denied;
};

/* Ranges of addresses that the kernel does not let probe. */
struct range {
	uint64_t ra_begin, ra_end;
};

static pthread_mutex_t refresh_mtx = PTHREAD_MUTEX_INITIALIZER;
static int have_list;	      /* by refresh_mtx */
static uint64_t modules_then; /* by refresh_mtx */

/* All by table_lock. */
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct entry *entries;
static size_t nentries, maxentries;
static uint32_t *sorted; /* indices, by name, module and address */
static char *names;
static size_t nnames, maxnames;
static uint32_t nlong;

/*
 * Growing arrays
 */

static int
grow(void *pp, size_t want, size_t *max, size_t size)
{
	size_t n = *max == 0 ? 4096 : *max;
	void *p;

	if (want <= *max)
		return 0;
	while (n < want)
		n *= 2;
	if ((p = realloc(*(void **)pp, n * size)) == NULL)
		return ENOMEM;
	*(void **)pp = p;
	*max = n;
	return 0;
}

static int
put_name(char **pool, size_t *n, size_t *max, const char *name, uint32_t *at)
{
	size_t len = strlen(name) + 1;
	int error;

	if ((error = grow(pool, *n + len, max, 1)) != 0)
		return error;
	memcpy(*pool + *n, name, len);
	*at = *n;
	*n += len;
	return 0;
}

static void
list_free(struct list *li)
{
	free(li->li_lines);
	free(li->li_names);
	memset(li, 0, sizeof(*li));
}

/*
 * Reading
 */

static int
list_add(struct list *li, uint64_t addr, const char *name, const char *module)
{
	struct line *ln;
	uint32_t same = UINT32_MAX;
	int error;

	if (strlen(name) >= DTNAMESIZE) {
		li->li_nlong++;
		return 0;
	}
	if (li->li_n == KFUNC_MAX)
		return E2BIG;
	if ((error = grow(&li->li_lines, li->li_n + 1, &li->li_max,
		 sizeof(*ln))) != 0)
		return error;
	ln = &li->li_lines[li->li_n];
	/* modules come in a row, and so do their names */
	if (li->li_n > 0 &&
	    strcmp(li->li_names + ln[-1].ln_module, module) == 0)
		same = ln[-1].ln_module;
	ln->ln_addr = addr;
	ln->ln_module = same;
	ln->ln_order = li->li_n;
	if (same == UINT32_MAX &&
	    (error = put_name(&li->li_names, &li->li_nnames, &li->li_maxnames,
		 module, &ln->ln_module)) != 0)
		return error;
	if ((error = put_name(&li->li_names, &li->li_nnames, &li->li_maxnames,
		 name, &ln->ln_name)) != 0)
		return error;
	li->li_n++;
	return 0;
}

/* Takes the next word of a line, and ends it; "" if there is none. */
static char *
word(char **line)
{
	char *s = *line + strspn(*line, " \t\n");

	*line = s + strcspn(s, " \t\n");
	if (**line != '\0')
		*(*line)++ = '\0';
	return s;
}

/* "[name]", or "" where it stands for none. */
static char *
module_word(char **line)
{
	char *s = word(line), *end;

	if (*s != '[')
		return strchr(s, '\0');
	if ((end = strchr(s, ']')) != NULL)
		*end = '\0';
	return s + 1;
}

/* "ADDR NAME [MODULE]", or "NAME [MODULE]" */
static int
read_ftrace(struct list *li, const char *path, int addrs)
{
	char *line = NULL, *p, *name;
	uint64_t addr = 1;
	size_t size = 0;
	int error = 0;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		return errno;
	while (error == 0 && getline(&line, &size, f) != -1) {
		p = line;
		if (addrs)
			addr = strtoull(word(&p), NULL, 16);
		name = word(&p);
		if (addr == 0) {
			error = EPERM; /* they are hidden */
			break;
		}
		if (*name != '\0' &&
		    strncmp(name, "__ftrace_invalid_address__", 26) != 0)
			error = list_add(li, addr, name, module_word(&p));
	}
	free(line);
	fclose(f);
	return error == 0 && li->li_n == 0 ? ENOENT : error;
}

/* "ADDR TYPE NAME [MODULE]": code only. */
static int
read_kallsyms(struct list *li)
{
	char *line = NULL, *p, *type, *name, *module;
	uint64_t addr;
	size_t size = 0;
	int error = 0;
	FILE *f;

	if ((f = fopen(KALLSYMS, "re")) == NULL)
		return errno;
	while (error == 0 && getline(&line, &size, f) != -1) {
		p = line;
		addr = strtoull(word(&p), NULL, 16);
		type = word(&p);
		name = word(&p);
		module = module_word(&p);
		if (strchr("tTwW", *type) == NULL || strcmp(module, "bpf") == 0)
			continue;
		if (addr == 0)
			error = EPERM;
		else
			error = list_add(li, addr, name, module);
	}
	free(line);
	fclose(f);
	return error == 0 && li->li_n == 0 ? ENOENT : error;
}

static const struct list *by_list; /* of the sort under way */

static int
line_cmp(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	const char *s = by_list->li_names;
	int d;

	if ((d = strcmp(s + x->ln_name, s + y->ln_name)) != 0)
		return d;
	if (x->ln_module != y->ln_module &&
	    (d = strcmp(s + x->ln_module, s + y->ln_module)) != 0)
		return d;
	if (x->ln_addr != y->ln_addr)
		return x->ln_addr < y->ln_addr ? -1 : 1;
	return x->ln_order < y->ln_order ? -1 : x->ln_order > y->ln_order;
}

/* Under refresh_mtx. */
static void
list_sort(struct list *li)
{
	by_list = li;
	qsort(li->li_lines, li->li_n, sizeof(*li->li_lines), line_cmp);
}

static int
name_cmp(const struct list *a, const struct line *x, const struct list *b,
    const struct line *y)
{
	int d = strcmp(a->li_names + x->ln_name, b->li_names + y->ln_name);

	return d != 0
	    ? d
	    : strcmp(a->li_names + x->ln_module, b->li_names + y->ln_module);
}

/* How many lines from i on have one name and module. */
static size_t
group(const struct list *li, size_t i)
{
	size_t n = 1;

	while (i + n < li->li_n &&
	    name_cmp(li, &li->li_lines[i], li, &li->li_lines[i + n]) == 0)
		n++;
	return n;
}

/* Gives the names that ftrace told their addresses.  Both are sorted. */
static void
list_locate(struct list *li, const struct list *syms)
{
	size_t i, j = 0, k, n, m, out = 0;
	int d;

	for (i = 0; i < li->li_n; i += n) {
		n = group(li, i);
		d = 1;
		while (j < syms->li_n &&
		    (d = name_cmp(syms, &syms->li_lines[j], li,
			 &li->li_lines[i])) < 0)
			j++;
		if (j == syms->li_n)
			break;
		m = d == 0 ? group(syms, j) : 0;
		for (k = 0; m == n && k < n; k++) {
			li->li_lines[out] = li->li_lines[i + k];
			li->li_lines[out++].ln_addr = syms->li_lines[j + k]
							  .ln_addr;
		}
	}
	li->li_n = out;
}

/*
 * Where functions begin.  What ftrace has is the place of its call, which in
 * some comes behind an instruction of 4 bytes (endbr, bti); links know their
 * functions by the address that kallsyms has.
 */
struct starts {
	uint64_t *st_hash; /* 0: free */
	size_t st_mask;
	int st_error;
};

static int
starts_has(const struct starts *st, uint64_t addr, size_t *at)
{
	size_t i = addr * 0x9e3779b97f4a7c15ULL >> 32;

	for (; st->st_hash[i & st->st_mask] != 0; i++)
		if (st->st_hash[i & st->st_mask] == addr)
			return 1;
	*at = i & st->st_mask;
	return 0;
}

/* Only addresses are looked at: there are 100,000 lines and more.  The thread
 * of list_read_addrs(). */
static void *
starts_read(void *arg)
{
	struct starts *st = arg;
	char line[512], *p;
	uint64_t addr;
	size_t n = 0, at;
	FILE *f;

	st->st_mask = KFUNC_MAX / 8 - 1;
	st->st_error = ENOMEM;
	if ((f = fopen(KALLSYMS, "re")) == NULL) {
		st->st_error = errno;
		return NULL;
	}
	st->st_hash = calloc(st->st_mask + 1, sizeof(*st->st_hash));
	while (st->st_hash != NULL && n < st->st_mask / 2 &&
	    fgets(line, sizeof(line), f) != NULL) {
		addr = strtoull(line, &p, 16);
		if (addr == 0 || strchr("tTwW", p[1]) == NULL ||
		    starts_has(st, addr, &at))
			continue;
		st->st_hash[at] = addr;
		n++;
	}
	fclose(f);
	if (st->st_hash != NULL)
		st->st_error = n > 0 ? 0 : EPERM;
	return NULL;
}

#define BEFORE_CALL 4 /* bytes, of that instruction */

/* Lines whose function is not found are left out. */
static void
list_start(struct list *li, const struct starts *st)
{
	size_t i, at, out = 0;

	for (i = 0; i < li->li_n; i++) {
		li->li_lines[out] = li->li_lines[i];
		if (!starts_has(st, li->li_lines[i].ln_addr, &at)) {
			li->li_lines[out].ln_addr -= BEFORE_CALL;
			if (!starts_has(st, li->li_lines[out].ln_addr, &at))
				continue;
		}
		out++;
	}
	li->li_n = out;
}

/* The kernel takes its time to write either list: both at once. */
static int
list_read_addrs(struct list *li)
{
	struct starts st = { 0 };
	pthread_t t;
	int error, alone;

	if (access(TRACEFS "available_filter_functions_addrs", R_OK) != 0)
		return errno;
	alone = pthread_create(&t, NULL, starts_read, &st) != 0;
	if (alone)
		(void)starts_read(&st);
	error = read_ftrace(li, TRACEFS "available_filter_functions_addrs", 1);
	if (!alone)
		pthread_join(t, NULL);
	if (error == 0)
		error = st.st_error;
	if (error == 0)
		list_start(li, &st);
	free(st.st_hash);
	return error;
}

static int
list_read(struct list *li)
{
	struct list syms = { 0 };
	int error;

	if (list_read_addrs(li) == 0)
		goto sort;
	list_free(li);
	error = read_ftrace(li, TRACEFS "available_filter_functions", 0);
	if (error != 0) {
		list_free(li);
		if ((error = read_kallsyms(li)) != 0)
			return error;
		goto sort;
	}
	if ((error = read_kallsyms(&syms)) == 0) {
		list_sort(li);
		list_sort(&syms);
		list_locate(li, &syms);
	}
	list_free(&syms);
	if (error != 0)
		return error;
sort:
	list_sort(li);
	return 0;
}

static int
range_cmp(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->ra_begin < y->ra_begin ? -1 : x->ra_begin > y->ra_begin;
}

/* "0xBEGIN-0xEND\tNAME".  Where it cannot be read, the kernel refuses by
 * itself what it does not want. */
static struct range *
read_blacklist(size_t *np)
{
	unsigned long long begin, end;
	struct range *list = NULL;
	char line[512];
	size_t max = 0;
	FILE *f;

	*np = 0;
	if ((f = fopen(BLACKLIST, "re")) == NULL)
		return NULL;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "0x%llx-0x%llx", &begin, &end) != 2 ||
		    grow(&list, *np + 1, &max, sizeof(*list)) != 0)
			continue;
		list[(*np)++] = (struct range){ begin, end };
	}
	fclose(f);
	if (*np > 0)
		qsort(list, *np, sizeof(*list), range_cmp);
	return list;
}

static int
range_has(const struct range *list, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (list[mid].ra_begin <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && addr < list[lo - 1].ra_end;
}

/*
 * Merging.  Under both locks.
 */

static int
entry_cmp_line(const struct entry *e, const struct list *li,
    const struct line *ln)
{
	int d = strcmp(names + e->e_name, li->li_names + ln->ln_name);

	return d != 0
	    ? d
	    : strcmp(names + e->e_module, li->li_names + ln->ln_module);
}

static int
sorted_cmp(const void *a, const void *b)
{
	const struct entry *x = &entries[*(const uint32_t *)a];
	const struct entry *y = &entries[*(const uint32_t *)b];
	int d;

	if ((d = strcmp(names + x->e_name, names + y->e_name)) != 0 ||
	    (d = strcmp(names + x->e_module, names + y->e_module)) != 0)
		return d;
	return x->e_nth < y->e_nth ? -1 : x->e_nth > y->e_nth;
}

/* The highest number that the name has been given. */
static uint32_t
last_nth(const char *name, size_t nsorted)
{
	size_t lo = 0, hi = nsorted, mid;
	uint32_t nth = 0;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(names + entries[sorted[mid]].e_name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < nsorted &&
	     strcmp(names + entries[sorted[lo]].e_name, name) == 0;
	     lo++)
		if (entries[sorted[lo]].e_nth > nth)
			nth = entries[sorted[lo]].e_nth;
	return nth;
}

static int
table_add(const struct list *li, const struct line *ln, uint32_t nth,
    uint32_t module)
{
	struct entry *e;
	int error;

	if (nentries == KFUNC_MAX)
		return E2BIG;
	if ((error = grow(&entries, nentries + 1, &maxentries,
		 sizeof(*entries))) != 0)
		return error;
	e = &entries[nentries];
	memset(e, 0, sizeof(*e));
	if ((error = put_name(&names, &nnames, &maxnames,
		 li->li_names + ln->ln_name, &e->e_name)) != 0)
		return error;
	e->e_module = module;
	if (module == UINT32_MAX &&
	    (error = put_name(&names, &nnames, &maxnames,
		 li->li_names + ln->ln_module, &e->e_module)) != 0)
		return error;
	e->e_addr = ln->ln_addr;
	e->e_nth = nth;
	e->e_denied = kfunc_denied(names + e->e_name);
	nentries++;
	return 0;
}

/* Adds lines that no entry has, in their order. */
static int
table_add_all(const struct list *li, const uint32_t *lines, size_t n,
    size_t nsorted)
{
	const char *name, *before = NULL;
	uint32_t nth = 0, module, empty = UINT32_MAX;
	const struct line *ln;
	size_t i;
	int error;

	for (i = 0; i < n; i++) {
		ln = &li->li_lines[lines[i]];
		name = li->li_names + ln->ln_name;
		if (before == NULL || strcmp(before, name) != 0)
			nth = last_nth(name, nsorted);
		before = name;
		module = li->li_names[ln->ln_module] == '\0' ? empty
							     : UINT32_MAX;
		if ((error = table_add(li, ln, ++nth, module)) != 0)
			return error;
		if (li->li_names[ln->ln_module] == '\0')
			empty = entries[nentries - 1].e_module;
	}
	return 0;
}

/* What is known gets its address, the rest is added. */
static int
table_merge(const struct list *li)
{
	size_t i = 0, s = 0, nsorted = nentries, nnew = 0;
	uint32_t *lines, *p;
	struct entry *e;
	int d, error;

	if ((lines = malloc((li->li_n + 1) * sizeof(*lines))) == NULL)
		return ENOMEM;
	for (s = 0; s < nsorted; s++)
		entries[s].e_addr = 0;
	for (i = 0, s = 0; i < li->li_n; i++) {
		d = 1;
		while (s < nsorted) {
			e = &entries[sorted[s]];
			if ((d = entry_cmp_line(e, li, &li->li_lines[i])) >= 0)
				break;
			s++;
		}
		if (s < nsorted && d == 0) {
			e->e_addr = li->li_lines[i].ln_addr;
			s++;
		} else
			lines[nnew++] = i;
	}
	error = table_add_all(li, lines, nnew, nsorted);
	free(lines);
	if (error != 0)
		return error;
	if (nnew == 0 && sorted != NULL)
		return 0;
	if ((p = realloc(sorted, (nentries + 1) * sizeof(*p))) == NULL)
		return ENOMEM;
	sorted = p;
	for (i = nsorted; i < nentries; i++)
		sorted[i] = i;
	qsort(sorted, nentries, sizeof(*sorted), sorted_cmp);
	return 0;
}

static void
table_blacklist(const struct range *list, size_t n)
{
	size_t i;

	for (i = 0; n > 0 && i < nentries; i++)
		if (entries[i].e_denied == NULL && entries[i].e_addr != 0 &&
		    range_has(list, n, entries[i].e_addr))
			entries[i].e_denied = blacklisted;
}

/* A sum of the modules that are there: name, size and address. */
static uint64_t
modules_now(void)
{
	uint64_t sum = 14695981039346656037ULL;
	char buf[4096], *p;
	FILE *f = fopen(MODULES, "re");

	if (f == NULL)
		return 1;
	while (fgets(buf, sizeof(buf), f) != NULL) {
		/* who uses it, and how often, is not what it is */
		for (p = buf; *p != '\0' && *p != ' '; p++)
			sum = (sum ^ (unsigned char)*p) * 1099511628211ULL;
		if ((p = strrchr(buf, 'x')) != NULL)
			for (; *p != '\0'; p++)
				sum = (sum ^ (unsigned char)*p) *
				    1099511628211ULL;
	}
	fclose(f);
	return sum;
}

static int
table_refresh(void)
{
	struct list li = { 0 };
	struct range *black;
	size_t nblack;
	int error;

	if ((error = list_read(&li)) != 0) {
		list_free(&li);
		return error;
	}
	black = read_blacklist(&nblack);
	pthread_rwlock_wrlock(&table_lock);
	nlong = li.li_nlong;
	if ((error = table_merge(&li)) == 0)
		table_blacklist(black, nblack);
	pthread_rwlock_unlock(&table_lock);
	log_debug("functions: %zu, of which %u have names that are too long",
	    li.li_n, li.li_nlong);
	free(black);
	list_free(&li);
	kproto_forget();
	return error;
}

int
kfunc_refresh(char *text, size_t size)
{
	uint64_t now;
	int error = 0;

	pthread_mutex_lock(&refresh_mtx);
	now = modules_now();
	if (!have_list || now != modules_then) {
		if ((error = table_refresh()) == 0) {
			have_list = 1;
			modules_then = now;
		} else
			snprintf(text, size,
			    "the functions of the kernel: %s%s",
			    strerror(error),
			    error == EPERM
				? " (addresses are hidden: "
				  "kernel.kptr_restrict, or CAP_SYSLOG lacks)"
				: "");
	}
	pthread_mutex_unlock(&refresh_mtx);
	return error;
}

/*
 * Looking
 */

uint32_t
kfunc_count(void)
{
	uint32_t n;

	pthread_rwlock_rdlock(&table_lock);
	n = nentries;
	pthread_rwlock_unlock(&table_lock);
	return n;
}

uint32_t
kfunc_nlong(void)
{
	uint32_t n;

	pthread_rwlock_rdlock(&table_lock);
	n = nlong;
	pthread_rwlock_unlock(&table_lock);
	return n;
}

/* Writes the name that probes have and returns its length; one that has no
 * room for its number is cut, and still no other's. */
static size_t
entry_name(const struct entry *e, char *buf)
{
	const char *name = names + e->e_name;
	size_t len = strlen(name);
	char nth[16];
	int n;

	memcpy(buf, name, len + 1);
	if (e->e_nth == 1)
		return len;
	n = snprintf(nth, sizeof(nth), "@%u", e->e_nth);
	if (len + n >= DTNAMESIZE)
		len = DTNAMESIZE - 1 - n;
	memcpy(buf + len, nth, n + 1);
	return len + n;
}

int
kfunc_get(uint32_t index, struct kfunc *kf)
{
	const struct entry *e;
	int error = ESRCH;

	memset(kf, 0, sizeof(*kf));
	pthread_rwlock_rdlock(&table_lock);
	if (index < nentries) {
		e = &entries[index];
		entry_name(e, kf->kf_name);
		snprintf(kf->kf_symbol, DTNAMESIZE, "%s", names + e->e_name);
		snprintf(kf->kf_module, DTNAMESIZE, "%s", names + e->e_module);
		kf->kf_addr = e->e_addr;
		kf->kf_denied = e->e_denied;
		error = 0;
	}
	pthread_rwlock_unlock(&table_lock);
	return error;
}

/* The first of the sorted whose name does not come before prefix. */
static size_t
sorted_from(const char *prefix, size_t len)
{
	size_t lo = 0, hi = nentries, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strncmp(names + entries[sorted[mid]].e_name, prefix, len) <
		    0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int
u32_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int
kfunc_match(const char *pattern, uint32_t **listp, size_t *np)
{
	static const char *const probes[] = { ":entry", ":return" };
	/* what all that match begin with, as far as it is a name */
	size_t prefix = strcspn(pattern, "*?[\\:@"), max = 0, n = 0, s, len;
	char name[DTNAMESIZE + sizeof(":return")];
	const struct entry *e;
	uint32_t *list = NULL, i;
	int error = 0;

	pthread_rwlock_rdlock(&table_lock);
	for (s = sorted_from(pattern, prefix); s < nentries; s++) {
		e = &entries[sorted[s]];
		if (strncmp(names + e->e_name, pattern, prefix) != 0)
			break;
		if (e->e_addr == 0)
			continue;
		len = entry_name(e, name);
		for (i = 0; i < 2 && error == 0; i++) {
			strcpy(name + len, probes[i]);
			if (fnmatch(pattern, name, 0) != 0 ||
			    (error = grow(&list, n + 1, &max, sizeof(*list))) !=
				0)
				continue;
			list[n++] = 2 * sorted[s] + i;
		}
	}
	pthread_rwlock_unlock(&table_lock);
	if (error != 0) {
		free(list);
		return error;
	}
	if (n > 0)
		qsort(list, n, sizeof(*list), u32_cmp);
	*listp = list;
	*np = n;
	return 0;
}
