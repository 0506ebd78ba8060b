/* SPDX-License-Identifier: ISC */
/*
 * Builds a table of the kernel's functions.  The kernel reports only their
 * start; a function ends at the next one, or at the end of its region: the
 * kernel's text (_etext) or a module (size in /proc/modules).  BPF programs and
 * trampolines have no known end; their largest usual size is assumed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/kallsyms_table.h"

#define KSYM_MAX     (1U << 20)	 /* symbols, against a broken kernel */
#define KSYM_MAXMOD  4096	 /* modules */
#define KSYM_NAME    512	 /* bytes of a name, with its end */
#define KSYM_MODULE  60		 /* and of a module's */
#define KSYM_UNKNOWN (64U << 10) /* most bytes of code of unknown size */

struct kallsyms_entry {
	uint64_t e_addr;
	uint32_t e_name; /* offset into names */
	uint16_t e_mod;
	int16_t e_rank; /* of several at one address, the highest is used */
};

struct module {
	char md_name[64]; /* with brackets */
	uint64_t md_base; /* 0: unknown */
	uint64_t md_end;
};

struct kallsyms_table {
	struct kallsyms_entry *kst_entries; /* ascending */
	size_t kst_n, kst_max;
	char *kst_names;
	size_t kst_nbytes, kst_maxbytes;
	struct module *kst_mods; /* the first is the kernel */
	size_t kst_nmods, kst_maxmods;
	size_t kst_lastmod; /* symbols of a module are consecutive */
};

/* Grows an array for n more elements of this size. */
static int
grow(void *pp, size_t have, size_t n, size_t *max, size_t size)
{
	size_t want = *max == 0 ? 64 : *max;
	void *p;

	if (have + n <= *max)
		return 0;
	while (want < have + n)
		want *= 2;
	if ((p = reallocarray(*(void **)pp, want, size)) == NULL)
		return ENOMEM;
	*(void **)pp = p;
	*max = want;
	return 0;
}

static int
module_add(struct kallsyms_table *kt, const char *name, uint64_t base,
    uint64_t end)
{
	struct module *md;
	int error;

	if (kt->kst_nmods == KSYM_MAXMOD)
		return E2BIG;
	error = grow(&kt->kst_mods, kt->kst_nmods, 1, &kt->kst_maxmods,
	    sizeof(*kt->kst_mods));
	if (error != 0)
		return error;
	md = &kt->kst_mods[kt->kst_nmods++];
	snprintf(md->md_name, sizeof(md->md_name), "[%s]", name);
	md->md_base = base;
	md->md_end = end;
	return 0;
}

/* "dummy 12288 0 - Live 0xffffffffc0a00000" */
static int
module_line(struct kallsyms_table *kt, const char *line)
{
	unsigned long long size, base;
	char name[60];

	if (sscanf(line, "%59s %llu %*s %*s %*s %llx", name, &size, &base) != 3)
		return 0;
	return module_add(kt, name, base, base + size);
}

/*
 * Returns the number of a module, which is added if /proc/modules does not
 * contain it.
 */
static int
module_find(struct kallsyms_table *kt, const char *name, uint16_t *modp)
{
	size_t len = strlen(name), i;
	int error;

	for (i = kt->kst_lastmod;; i = i == 0 ? kt->kst_nmods - 1 : i - 1) {
		if (strncmp(kt->kst_mods[i].md_name + 1, name, len) == 0 &&
		    strcmp(kt->kst_mods[i].md_name + 1 + len, "]") == 0)
			break;
		if ((i == 0 ? kt->kst_nmods - 1 : i - 1) == kt->kst_lastmod) {
			if ((error = module_add(kt, name, 0, 0)) != 0)
				return error;
			i = kt->kst_nmods - 1;
			break;
		}
	}
	kt->kst_lastmod = i;
	*modp = i;
	return 0;
}

/*
 * Orders the names of one address as perf(1) does: global, local, weak; then
 * fewer leading underscores; then the longer name.
 */
static int16_t
entry_rank(char type, const char *name)
{
	size_t nunder = strspn(name, "_"), len = strlen(name);
	int rank = type == 'T' ? 2 : type == 't' ? 1 : 0;

	return rank * 8192 + (15 - (nunder < 15 ? nunder : 15)) * 256 +
	    (len < 255 ? len : 255);
}

static int
table_add(struct kallsyms_table *kt, uint64_t addr, char type, const char *name,
    const char *module)
{
	size_t n = strlen(name) + 1;
	struct kallsyms_entry *e;
	uint16_t mod;
	int error;

	if (kt->kst_n == KSYM_MAX)
		return E2BIG;
	if ((error = module_find(kt, module, &mod)) != 0 ||
	    (error = grow(&kt->kst_entries, kt->kst_n, 1, &kt->kst_max,
		 sizeof(*kt->kst_entries))) != 0 ||
	    (error = grow(&kt->kst_names, kt->kst_nbytes, n, &kt->kst_maxbytes,
		 1)) != 0)
		return error;
	e = &kt->kst_entries[kt->kst_n++];
	e->e_addr = addr;
	e->e_name = kt->kst_nbytes;
	e->e_mod = mod;
	e->e_rank = entry_rank(type, name);
	memcpy(kt->kst_names + kt->kst_nbytes, name, n);
	kt->kst_nbytes += n;
	return 0;
}

/* Ends the word at *textp, which becomes what follows.  Returns the word. */
static char *
line_word(char **textp)
{
	char *word = *textp + strspn(*textp, " \t\n"), *end;

	end = word + strcspn(word, " \t\n");
	*textp = *end == '\0' ? end : end + 1;
	*end = '\0';
	return word;
}

/*
 * "ffffffff81000000 T name [module]": only code is kept.  By hand, since
 * sscanf(3) would take most of the time of a read.
 */
static int
table_line(struct kallsyms_table *kt, char *line, int *hidden)
{
	const char *type, *name, *module = "kernel";
	unsigned long long addr;
	char *text, *owner;

	addr = strtoull(line, &text, 16);
	if (text == line)
		return 0;
	type = line_word(&text);
	name = line_word(&text);
	owner = line_word(&text);
	if (*name == '\0' || strlen(name) >= KSYM_NAME || type[0] == '\0' ||
	    type[1] != '\0' || strchr("tTwW", *type) == NULL)
		return 0;
	if (owner[0] == '[' && strcspn(owner, "]") < KSYM_MODULE) {
		owner[strcspn(owner, "]")] = '\0';
		module = owner + 1;
	}
	if (addr != 0)
		*hidden = 0;
	if (strcmp(name, "_etext") == 0)
		kt->kst_mods[0].md_end = addr;
	if (strcmp(name, "_stext") == 0)
		kt->kst_mods[0].md_base = addr;
	return table_add(kt, addr, *type, name, module);
}

static int
entry_cmp(const void *a, const void *b)
{
	const struct kallsyms_entry *x = a, *y = b;

	if (x->e_addr != y->e_addr)
		return x->e_addr < y->e_addr ? -1 : 1;
	if (x->e_rank != y->e_rank)
		return x->e_rank < y->e_rank ? -1 : 1;
	return x->e_name < y->e_name ? -1 : x->e_name > y->e_name;
}

static int
table_fill(struct kallsyms_table *kt, FILE *syms, FILE *modules)
{
	char line[1024];
	int error, hidden = 1;

	error = module_add(kt, "kernel", 0, 0);
	while (error == 0 && modules != NULL &&
	    fgets(line, sizeof(line), modules) != NULL)
		error = module_line(kt, line);
	while (error == 0 && fgets(line, sizeof(line), syms) != NULL)
		error = table_line(kt, line, &hidden);
	return error == 0 && hidden ? EPERM : error;
}

int
kallsyms_table_read(FILE *syms, FILE *modules, struct kallsyms_table **ktp)
{
	struct kallsyms_table *kt;
	int error;

	if ((kt = calloc(1, sizeof(*kt))) == NULL)
		return ENOMEM;
	if ((error = table_fill(kt, syms, modules)) != 0) {
		kallsyms_table_free(kt);
		return error;
	}
	qsort(kt->kst_entries, kt->kst_n, sizeof(*kt->kst_entries), entry_cmp);
	*ktp = kt;
	return 0;
}

void
kallsyms_table_free(struct kallsyms_table *kt)
{
	if (kt == NULL)
		return;
	free(kt->kst_entries);
	free(kt->kst_names);
	free(kt->kst_mods);
	free(kt);
}

size_t
kallsyms_table_size(const struct kallsyms_table *kt)
{
	return kt->kst_n;
}

static void
entry_store(const struct kallsyms_table *kt, size_t i,
    struct kallsyms_range *kf)
{
	const struct kallsyms_entry *e = &kt->kst_entries[i];
	const struct module *md = &kt->kst_mods[e->e_mod];
	uint64_t end = md->md_end;

	/* code outside: the kernel's start code, or a module's other regions */
	if (end == 0 || e->e_addr >= end || e->e_addr < md->md_base)
		end = e->e_addr + KSYM_UNKNOWN;
	while (++i < kt->kst_n && kt->kst_entries[i].e_addr == e->e_addr)
		;
	if (i < kt->kst_n && kt->kst_entries[i].e_addr < end)
		end = kt->kst_entries[i].e_addr;
	kf->kra_start = e->e_addr;
	kf->kra_end = end;
	kf->kra_name = kt->kst_names + e->e_name;
	kf->kra_module = md->md_name;
	kf->kra_isbpf = e->e_mod != 0 && md->md_base == 0;
}

/* Returns the number of functions that begin at or before the address. */
static size_t
table_upto(const struct kallsyms_table *kt, uint64_t pc)
{
	size_t lo = 0, hi = kt->kst_n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (kt->kst_entries[mid].e_addr <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int
kallsyms_table_find(const struct kallsyms_table *kt, uint64_t pc,
    struct kallsyms_range *kf)
{
	size_t n = table_upto(kt, pc);

	if (n == 0)
		return 0;
	entry_store(kt, n - 1, kf);
	return pc < kf->kra_end;
}

void
kallsyms_table_each(const struct kallsyms_table *kt, uint64_t from,
    int (*fn)(void *, const struct kallsyms_range *), void *arg)
{
	const struct kallsyms_entry *e = kt->kst_entries;
	size_t i = from == 0 ? 0 : table_upto(kt, from - 1);
	struct kallsyms_range kf;

	for (; i < kt->kst_n; i++) {
		/* the last of several names is the one that is found */
		if (e[i].e_addr == 0 ||
		    (i + 1 < kt->kst_n && e[i + 1].e_addr == e[i].e_addr))
			continue;
		entry_store(kt, i, &kf);
		if (!fn(arg, &kf))
			return;
	}
}

/* Returns whether the table has this function at this address. */
static int
table_has(const struct kallsyms_table *kt, const struct kallsyms_range *kf)
{
	const struct kallsyms_entry *e;
	size_t n;

	for (n = table_upto(kt, kf->kra_start); n > 0; n--) {
		e = &kt->kst_entries[n - 1];
		if (e->e_addr != kf->kra_start)
			break;
		if (strcmp(kt->kst_names + e->e_name, kf->kra_name) == 0 &&
		    strcmp(kt->kst_mods[e->e_mod].md_name, kf->kra_module) == 0)
			return 1;
	}
	return 0;
}

void
kallsyms_table_diff(const struct kallsyms_table *a,
    const struct kallsyms_table *b,
    void (*fn)(void *, const struct kallsyms_range *), void *arg)
{
	struct kallsyms_range kf;
	size_t i;

	for (i = 0; i < a->kst_n; i++) {
		entry_store(a, i, &kf);
		if (kf.kra_end > kf.kra_start && !table_has(b, &kf))
			fn(arg, &kf);
	}
}
