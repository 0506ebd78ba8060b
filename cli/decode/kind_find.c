/* SPDX-License-Identifier: ISC */
/*
 * Finds the kind of an argument in the tables of this folder.  Slow, but done
 * only once per probe.
 */
#include <string.h>

#include "cli/decode/kind.h"

/* Specific tables first; a new file is a line here. */
#define ARG_TABLES(T) \
	T(mem_file) \
	T(mem_iov) \
	T(mem_poll) \
	T(mem_net) \
	T(mem_time) \
	T(mem_signal) \
	T(mem_proc) \
	T(mem_dev) \
	T(open_file) \
	T(path_flags) \
	T(file_io) \
	T(newfd) \
	T(notify) \
	T(fcntl) \
	T(mmap) \
	T(signal) \
	T(time) \
	T(proc) \
	T(net) \
	T(sockopt) \
	T(ioctl) \
	T(sync) \
	T(prctl) \
	T(keyctl) \
	T(ptrace) \
	T(ipc) \
	T(mount) \
	T(kernel) \
	T(any_call)

#define ARG_DECLARE(name) extern const struct arg_table arg_table_##name;
#define ARG_ENTRY(name)	  &arg_table_##name,

ARG_TABLES(ARG_DECLARE)

static const struct arg_table *const arg_tables[] = { ARG_TABLES(ARG_ENTRY) };

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* Suffixes of 32-bit calls. */
static const char *const arg_endings[] = { "_time64", "64", "32" };

static int
arg_in_list(const char *list, const char *call, size_t len)
{
	const char *p, *end;

	if (strcmp(list, "*") == 0)
		return 1;
	for (p = list; *p != '\0'; p = *end == ' ' ? end + 1 : end) {
		end = p + strcspn(p, " ");
		if ((size_t)(end - p) == len && strncmp(p, call, len) == 0)
			return 1;
	}
	return 0;
}

static int
arg_fits_call(const char *list, const char *call)
{
	size_t len = strlen(call), n, i;

	if (arg_in_list(list, call, len))
		return 1;
	for (i = 0; i < N(arg_endings); i++) {
		n = strlen(arg_endings[i]);
		if (len > n && strcmp(call + len - n, arg_endings[i]) == 0)
			return arg_in_list(list, call, len - n);
	}
	return 0;
}

/*
 * A pattern that begins with * matches every text with that suffix.  Most texts
 * do not match, which their first character shows.
 */
static inline int
arg_fits(const char *pattern, const char *text)
{
	size_t len, n;

	if (*pattern != '*')
		return *pattern == *text && strcmp(pattern, text) == 0;
	len = strlen(text);
	n = strlen(++pattern);
	return len >= n && memcmp(text + len - n, pattern, n) == 0;
}

const struct arg_kind *
arg_find(const char *call, const char *name, const char *type)
{
	const struct arg_row *ar;
	size_t i, j;

	for (i = 0; i < N(arg_tables); i++) {
		for (j = 0; j < arg_tables[i]->at_nrows; j++) {
			ar = &arg_tables[i]->at_rows[j];
			if (arg_fits(ar->ar_name, name) &&
			    (ar->ar_type == NULL ||
				arg_fits(ar->ar_type, type)) &&
			    arg_fits_call(ar->ar_calls, call))
				return ar->ar_kind;
		}
	}
	return NULL;
}

arg_shown_fn *
arg_find_shown(const char *call)
{
	const struct arg_show *as;
	size_t i, j;

	for (i = 0; i < N(arg_tables); i++) {
		for (j = 0; j < arg_tables[i]->at_nshows; j++) {
			as = &arg_tables[i]->at_shows[j];
			if (arg_fits_call(as->as_calls, call))
				return as->as_fn;
		}
	}
	return NULL;
}

int
arg_find_each(int (*fn)(void *, const struct arg_row *), void *arg)
{
	size_t i, j;
	int r;

	for (i = 0; i < N(arg_tables); i++)
		for (j = 0; j < arg_tables[i]->at_nrows; j++)
			if ((r = fn(arg, &arg_tables[i]->at_rows[j])) != 0)
				return r;
	return 0;
}
