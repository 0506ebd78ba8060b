/* SPDX-License-Identifier: ISC */
/*
 * Finds the addresses of functions.  Kernels since 6.5 list traceable functions
 * with addresses.  For others, addresses come from kallsyms; functions of the
 * same name are matched by order, if both lists have the same number of them.
 * On a kernel without ftrace, all code symbols of kallsyms are used.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/kernel/func_read.h"

#define FUNCTIONS "/sys/kernel/tracing/available_filter_functions"

/* Returns how many lines from i on have the same name and module. */
static size_t
group(const struct func_list *li, size_t i)
{
	size_t n = 1;

	while (i + n < li->li_n &&
	    func_read_cmp(li, &li->li_lines[i], li, &li->li_lines[i + n]) == 0)
		n++;
	return n;
}

/* Adds addresses to the names that ftrace lists.  Both lists are sorted. */
static void
list_locate(struct func_list *li, const struct func_list *syms)
{
	size_t i, j = 0, k, n, m, out = 0;
	int d;

	for (i = 0; i < li->li_n; i += n) {
		n = group(li, i);
		d = 1;
		while (j < syms->li_n &&
		    (d = func_read_cmp(syms, &syms->li_lines[j], li,
			 &li->li_lines[i])) < 0)
			j++;
		if (j == syms->li_n)
			break;
		m = d == 0 ? group(syms, j) : 0;
		for (k = 0; m == n && k < n; k++) {
			li->li_lines[out] = li->li_lines[i + k];
			li->li_lines[out++].kn_addr = syms->li_lines[j + k]
							  .kn_addr;
		}
	}
	li->li_n = out;
}

/*
 * Start addresses of functions.  ftrace lists the address of its call, which
 * follows an instruction of 4 bytes (endbr, bti) in some functions; links take
 * the address of kallsyms.
 */
struct starts {
	uint64_t *sts_hash; /* 0: free */
	size_t sts_mask;
	int sts_error;
};

static int
starts_has(const struct starts *st, uint64_t addr, size_t *at)
{
	size_t i = addr * 0x9e3779b97f4a7c15ULL >> 32;

	for (; st->sts_hash[i & st->sts_mask] != 0; i++)
		if (st->sts_hash[i & st->sts_mask] == addr)
			return 1;
	*at = i & st->sts_mask;
	return 0;
}

/* The thread of list_read_addrs().  Parses addresses only, of 100,000 lines. */
static void *
starts_read(void *arg)
{
	struct starts *st = arg;
	char line[512], *p;
	uint64_t addr;
	size_t n = 0, at;
	FILE *f;

	st->sts_mask = FUNC_MAX / 8 - 1;
	st->sts_error = ENOMEM;
	if ((f = fopen(FUNC_READ_KALLSYMS, "re")) == NULL) {
		st->sts_error = errno;
		return NULL;
	}
	st->sts_hash = calloc(st->sts_mask + 1, sizeof(*st->sts_hash));
	while (st->sts_hash != NULL && n < st->sts_mask / 2 &&
	    fgets(line, sizeof(line), f) != NULL) {
		addr = strtoull(line, &p, 16);
		if (addr == 0 || strchr("tTwW", p[1]) == NULL ||
		    starts_has(st, addr, &at))
			continue;
		st->sts_hash[at] = addr;
		n++;
	}
	fclose(f);
	if (st->sts_hash != NULL)
		st->sts_error = n > 0 ? 0 : EPERM;
	return NULL;
}

#define BEFORE_CALL 4 /* bytes, of that instruction */

/* Omits lines whose function is not found. */
static void
list_start(struct func_list *li, const struct starts *st)
{
	size_t i, at, out = 0;

	for (i = 0; i < li->li_n; i++) {
		li->li_lines[out] = li->li_lines[i];
		if (!starts_has(st, li->li_lines[i].kn_addr, &at)) {
			li->li_lines[out].kn_addr -= BEFORE_CALL;
			if (!starts_has(st, li->li_lines[out].kn_addr, &at))
				continue;
		}
		out++;
	}
	li->li_n = out;
}

/*
 * One name
 */

/*
 * Returns whether a function of the list, or its call of ftrace, is at the
 * address.
 */
static int
begins(const struct func_list *syms, uint64_t *addr)
{
	size_t i;

	for (i = 0; i < syms->li_n; i++)
		if (*addr - syms->li_lines[i].kn_addr <= BEFORE_CALL) {
			*addr = syms->li_lines[i].kn_addr;
			return 1;
		}
	return 0;
}

/*
 * The first function of a name has no number, so the lists are read only up to
 * it.
 */
static int
one_read_addrs(struct func_list *li)
{
	struct func_list syms = { .li_only = li->li_only };
	size_t i, out = 0;
	int error;

	li->li_isfirst = 1;
	error = func_read_ftrace(li, FUNCTIONS "_addrs", 1);
	if (error != 0 || li->li_n == 0)
		return error;
	if (li->li_names[li->li_lines[0].kn_module] == '\0')
		syms.li_last = li->li_lines[0].kn_addr;
	error = func_read_kallsyms(&syms);
	for (i = 0; error == 0 && i < li->li_n; i++)
		if (begins(&syms, &li->li_lines[i].kn_addr))
			li->li_lines[out++] = li->li_lines[i];
	li->li_n = out;
	func_read_free(&syms);
	return error;
}

/*
 * Without addresses from ftrace, kallsyms determines the number of functions.
 */
static int
one_read(struct func_list *li)
{
	struct func_list syms = { .li_only = li->li_only };
	int error;

	if (access(FUNCTIONS "_addrs", R_OK) == 0)
		return one_read_addrs(li);
	if (access(FUNCTIONS, R_OK) != 0)
		return func_read_kallsyms(li);
	if ((error = func_read_kallsyms(&syms)) == 0 && syms.li_n > 0) {
		li->li_isfirst = syms.li_n == 1;
		error = func_read_ftrace(li, FUNCTIONS, 0);
		func_read_sort(li);
		func_read_sort(&syms);
		list_locate(li, &syms);
	}
	func_read_free(&syms);
	return error;
}

/*
 * All functions
 */

/* Reads both lists at the same time, since the kernel is slow to write them. */
static int
list_read_addrs(struct func_list *li)
{
	struct starts st = { 0 };
	pthread_t t;
	int error, alone;

	if (access(FUNCTIONS "_addrs", R_OK) != 0)
		return errno;
	alone = pthread_create(&t, NULL, starts_read, &st) != 0;
	if (alone)
		(void)starts_read(&st);
	error = func_read_ftrace(li, FUNCTIONS "_addrs", 1);
	if (!alone)
		pthread_join(t, NULL);
	if (error == 0)
		error = st.sts_error;
	if (error == 0)
		list_start(li, &st);
	free(st.sts_hash);
	return error;
}

int
func_read_get(struct func_list *li)
{
	struct func_list syms = { 0 };
	int error;

	if (li->li_only != NULL) {
		error = one_read(li);
		goto sort;
	}
	if ((error = list_read_addrs(li)) == 0)
		goto sort;
	func_read_free(li);
	error = func_read_ftrace(li, FUNCTIONS, 0);
	if (error != 0) {
		func_read_free(li);
		if ((error = func_read_kallsyms(li)) != 0)
			return error;
		goto sort;
	}
	if ((error = func_read_kallsyms(&syms)) == 0) {
		func_read_sort(li);
		func_read_sort(&syms);
		list_locate(li, &syms);
	}
	func_read_free(&syms);
sort:
	if (error == 0)
		func_read_sort(li);
	return error;
}
