/* SPDX-License-Identifier: ISC */
/*
 * Reads the kernel's lists of its functions by lines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dev/dt/dtvar.h>

#include "daemon/kernel/func_read.h"

#define MODULES "/proc/modules"

int
func_read_grow(void *pp, size_t want, size_t *max, size_t size)
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

int
func_read_put(char **pool, size_t *n, size_t *max, const char *name,
    uint32_t *at)
{
	size_t len = strlen(name) + 1;
	int error;

	if ((error = func_read_grow(pool, *n + len, max, 1)) != 0)
		return error;
	memcpy(*pool + *n, name, len);
	*at = *n;
	*n += len;
	return 0;
}

void
func_read_free(struct func_list *li)
{
	free(li->li_lines);
	free(li->li_names);
	*li = (struct func_list){ .li_only = li->li_only,
		.li_isfirst = li->li_isfirst };
}

/*
 * Reading
 */

static int
list_add(struct func_list *li, uint64_t addr, const char *name,
    const char *module)
{
	struct func_name *ln;
	uint32_t same = UINT32_MAX;
	int error;

	if (li->li_only != NULL && strcmp(name, li->li_only) != 0)
		return 0;
	if (strlen(name) >= DTNAMESIZE) {
		li->li_nlong++;
		return 0;
	}
	if (li->li_n == FUNC_MAX)
		return E2BIG;
	if ((error = func_read_grow(&li->li_lines, li->li_n + 1, &li->li_max,
		 sizeof(*ln))) != 0)
		return error;
	ln = &li->li_lines[li->li_n];
	/* the functions of a module are consecutive */
	if (li->li_n > 0 &&
	    strcmp(li->li_names + ln[-1].kn_module, module) == 0)
		same = ln[-1].kn_module;
	ln->kn_addr = addr;
	ln->kn_module = same;
	ln->kn_order = li->li_n;
	if (same == UINT32_MAX &&
	    (error = func_read_put(&li->li_names, &li->li_nnames,
		 &li->li_maxnames, module, &ln->kn_module)) != 0)
		return error;
	if ((error = func_read_put(&li->li_names, &li->li_nnames,
		 &li->li_maxnames, name, &ln->kn_name)) != 0)
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

/* Returns the module of "[name]", or "" for none. */
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

/* An empty list is an error unless one name was wanted. */
static int
func_read_none(const struct func_list *li)
{
	return li->li_n == 0 && li->li_only == NULL ? ENOENT : 0;
}

/* Returns whether the first match was found; modules follow the kernel. */
static int
func_read_will_do(const struct func_list *li)
{
	return li->li_isfirst && li->li_n > 0 &&
	    li->li_names[li->li_lines[0].kn_module] == '\0';
}

/* "ADDR NAME [MODULE]", or "NAME [MODULE]" */
int
func_read_ftrace(struct func_list *li, const char *path, int addrs)
{
	char *line = NULL, *p, *name;
	uint64_t addr = 1;
	size_t size = 0;
	int error = 0;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		return errno;
	while (error == 0 && !func_read_will_do(li) &&
	    getline(&line, &size, f) != -1) {
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
	return error != 0 ? error : func_read_none(li);
}

/* "ADDR TYPE NAME [MODULE]": code only. */
int
func_read_kallsyms(struct func_list *li)
{
	char *line = NULL, *p, *type, *name, *module;
	uint64_t addr;
	size_t size = 0;
	int error = 0;
	FILE *f;

	if ((f = fopen(FUNC_READ_KALLSYMS, "re")) == NULL)
		return errno;
	while (error == 0 && getline(&line, &size, f) != -1) {
		p = line;
		addr = strtoull(word(&p), NULL, 16);
		if (li->li_last != 0 && addr > li->li_last)
			break; /* addresses ascend, then modules follow */
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
	return error != 0 ? error : func_read_none(li);
}

static const struct func_list *by_list; /* the list being sorted */

static int
line_cmp(const void *a, const void *b)
{
	const struct func_name *x = a, *y = b;
	const char *s = by_list->li_names;
	int d;

	if ((d = strcmp(s + x->kn_name, s + y->kn_name)) != 0)
		return d;
	if (x->kn_module != y->kn_module &&
	    (d = strcmp(s + x->kn_module, s + y->kn_module)) != 0)
		return d;
	if (x->kn_addr != y->kn_addr)
		return x->kn_addr < y->kn_addr ? -1 : 1;
	return x->kn_order < y->kn_order ? -1 : x->kn_order > y->kn_order;
}

/* Under refresh_mtx. */
void
func_read_sort(struct func_list *li)
{
	by_list = li;
	if (li->li_n > 0)
		qsort(li->li_lines, li->li_n, sizeof(*li->li_lines), line_cmp);
}

int
func_read_cmp(const struct func_list *a, const struct func_name *x,
    const struct func_list *b, const struct func_name *y)
{
	int d = strcmp(a->li_names + x->kn_name, b->li_names + y->kn_name);

	return d != 0
	    ? d
	    : strcmp(a->li_names + x->kn_module, b->li_names + y->kn_module);
}

/*
 * Returns a checksum of the names, sizes and addresses of the loaded modules.
 */
uint64_t
func_read_modules(void)
{
	uint64_t sum = 14695981039346656037ULL;
	char buf[4096], *p;
	FILE *f = fopen(MODULES, "re");

	if (f == NULL)
		return 1;
	while (fgets(buf, sizeof(buf), f) != NULL) {
		/* skips the number and names of the module's users */
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
