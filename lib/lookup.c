/* SPDX-License-Identifier: ISC */
/* dt_lookup(): finds the probes that match a pattern typed by a user. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"
#include "lib/list.h"
#include "lib/user_file.h"

/* A list that grows with each page, regardless of the claimed total. */
struct lookup_found {
	struct dtioc_probe_info *lf_infos;
	size_t lf_n;
	size_t lf_size;
};

/* A dt_list_fn: appends entries. */
static int
lookup_add(struct dt *dt, void *arg, const void *ents, uint32_t first,
    uint32_t n)
{
	struct lookup_found *lf = arg;
	struct dtioc_probe_info *infos;
	size_t size = lf->lf_size;

	(void)first;
	while (size < lf->lf_n + n)
		size = size == 0 ? 16 : size * 2;
	if (size != lf->lf_size) {
		infos = reallocarray(lf->lf_infos, size, sizeof(*infos));
		if (infos == NULL)
			return dt_fail(dt, ENOMEM, NULL);
		lf->lf_infos = infos;
		lf->lf_size = size;
	}
	memcpy(lf->lf_infos + lf->lf_n, ents, n * sizeof(*infos));
	lf->lf_n += n;
	return dt_probes_learn(dt, ents, n);
}

/*
 * Takes the part of a pattern up to the next colon; "*" if it is missing or
 * empty.  The last part, the name, includes further colons.
 */
static int
lookup_part(const char **pattern, bool last, const char **part)
{
	size_t len;

	len = last ? strlen(*pattern) : strcspn(*pattern, ":");
	*part = *pattern;
	*pattern += len;
	if (**pattern == ':')
		(*pattern)++;
	if (len == 0) {
		*part = "*";
		return 1;
	}
	return (int)len;
}

/* Completes the pattern to three parts.  Returns -1 if it is too long. */
static int
lookup_pattern(const char *pattern, char *buf, size_t size)
{
	const char *func, *name, *prov;
	int flen, len, nlen, plen;

	if (strlen(pattern) >= size)
		return -1;
	plen = lookup_part(&pattern, false, &prov);
	flen = lookup_part(&pattern, false, &func);
	nlen = lookup_part(&pattern, true, &name);
	len = snprintf(buf, size, "%.*s:%.*s:%.*s", plen, prov, flen, func,
	    nlen, name);
	return (size_t)len < size ? 0 : -1;
}

/* Requests the probes of a complete pattern; arg is a struct lookup_found. */
static int
lookup_list(struct dt *dt, const char *whole, void *arg)
{
	const struct dt_list li = {
		.li_cmd = DTIOCLOOKUP,
		.li_entsize = sizeof(struct dtioc_probe_info),
		.li_pattern = whole,
		.li_max = DT_LIST_ALL,
		.li_fn = lookup_add,
		.li_arg = arg,
	};

	return dt_list_get(dt, &li) == -1 ? -1 : 0;
}

ssize_t
dt_lookup(struct dt *dt, const char *pattern, struct dtioc_probe_info **infop)
{
	struct lookup_found lf = { 0 };
	char whole[WIRE_MAXPATTERN];
	int error, r;

	if (pattern == NULL || infop == NULL)
		return dt_fail(dt, EFAULT, NULL);
	if (dt_user_isfile(pattern))
		r = dt_user_files(dt, pattern, lookup_list, &lf);
	else if (lookup_pattern(pattern, whole, sizeof(whole)) == -1)
		return dt_fail(dt, ENAMETOOLONG, "the pattern is too long");
	else
		r = lookup_list(dt, whole, &lf);
	if (r == -1) {
		error = errno;
		free(lf.lf_infos);
		errno = error;
		return -1;
	}
	if (lf.lf_n == 0) {
		free(lf.lf_infos);
		return dt_fail(dt, ENOENT, "no probe matches %s", pattern);
	}
	*infop = lf.lf_infos;
	return (ssize_t)lf.lf_n;
}
