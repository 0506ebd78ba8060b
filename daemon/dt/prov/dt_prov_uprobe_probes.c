/* SPDX-License-Identifier: ISC */
/*
 * The probes that sessions have looked up in files.  Numbers are unique among
 * sessions, since each slot has a range; only operations of the session that
 * owns a range use its probes, and there is one operation at a time.
 */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/prov/dt_prov_uprobe.h"

/* The probes of a session, by number and by name. */
struct user_probes {
	struct user_probe **usr_list;
	size_t usr_n, usr_max;
	void *usr_names; /* tree */
};

static struct user_probes *by_slot[DT_MAXSESS];

static int
probe_cmp(const void *a, const void *b)
{
	const struct user_probe *x = a, *y = b;
	int n;

	if (x->usp_probe.dtp_prov != y->usp_probe.dtp_prov)
		return x->usp_probe.dtp_prov < y->usp_probe.dtp_prov ? -1 : 1;
	if (x->usp_file != y->usp_file)
		return x->usp_file->dfl_id < y->usp_file->dfl_id ? -1 : 1;
	if ((n = strcmp(x->usp_func, y->usp_func)) != 0)
		return n;
	return strcmp(x->usp_name, y->usp_name);
}

static void
probe_free(struct user_probe *up)
{
	free(up->usp_places);
	user_probe_args_free(up);
	free(up);
}

static struct user_probes *
probes_get(struct dt_enabled *en)
{
	if (en->den_users == NULL &&
	    (en->den_users = calloc(1, sizeof(*en->den_users))) != NULL)
		by_slot[en->den_client->dcl_slot] = en->den_users;
	return en->den_users;
}

/* Makes space for another probe. */
static int
probes_grow(struct user_probes *usr, struct reason *rs)
{
	size_t max = usr->usr_max == 0 ? 64 : 2 * usr->usr_max;
	struct user_probe **list;

	if (usr->usr_n < usr->usr_max)
		return 0;
	if (usr->usr_n == DT_PBN_USER_EACH)
		return reason_fail(rs, E2BIG,
		    "a session can look up %d probes of programs at most; use "
		    "a narrower pattern",
		    DT_PBN_USER_EACH);
	if ((list = realloc(usr->usr_list, max * sizeof(*list))) == NULL)
		return ENOMEM;
	usr->usr_list = list;
	usr->usr_max = max;
	return 0;
}

uint32_t
user_probes_known(struct dt_enabled *en, const struct user_probe *up)
{
	struct user_probes *usr = probes_get(en);
	struct user_probe **found;

	found = usr != NULL ? tfind(up, &usr->usr_names, probe_cmp) : NULL;
	return found != NULL ? (*found)->usp_probe.dtp_pbn : 0;
}

int
user_numbers_add(struct user_numbers *un, uint32_t pbn)
{
	size_t max = un->unm_max == 0 ? 64 : 2 * un->unm_max;
	uint32_t *list;

	if (un->unm_n == un->unm_max) {
		if ((list = realloc(un->unm_list, max * sizeof(*list))) == NULL)
			return ENOMEM;
		un->unm_list = list;
		un->unm_max = max;
	}
	un->unm_list[un->unm_n++] = pbn;
	return 0;
}

uint32_t
user_probes_add(struct dt_enabled *en, const struct user_probe *up,
    struct reason *rs)
{
	struct user_probes *usr = probes_get(en);
	struct user_probe *new, **found;

	if (usr == NULL || (new = malloc(sizeof(*new))) == NULL)
		return 0;
	*new = *up;
	found = tsearch(new, &usr->usr_names, probe_cmp);
	if (found == NULL || *found != new) {
		probe_free(new);
		return found != NULL ? (*found)->usp_probe.dtp_pbn : 0;
	}
	if (probes_grow(usr, rs) != 0) {
		(void)tdelete(new, &usr->usr_names, probe_cmp);
		probe_free(new);
		return 0;
	}
	new->usp_probe.dtp_func = new->usp_func;
	new->usp_probe.dtp_name = new->usp_name;
	new->usp_probe.dtp_nargs = new->usp_isreturn ? 0 : new->usp_nargs;
	new->usp_probe.dtp_pbn = DT_PBN_USER +
	    en->den_client->dcl_slot *DT_PBN_USER_EACH + usr->usr_n;
	usr->usr_list[usr->usr_n++] = new;
	return new->usp_probe.dtp_pbn;
}

/* Distinguishes names that are equal up to where they are cut. */
static unsigned int
name_hash(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return (h ^ h >> 16) & 0xffff;
}

void
user_probe_names(struct user_probe *up, const struct dt_file *df,
    const char *func, const char *name)
{
	size_t size = sizeof(up->usp_func), n;

	n = snprintf(up->usp_func, size, "%s:%s", df->dfl_name, func);
	if (n >= size)
		snprintf(up->usp_func + size - 6, 6, "~%04x", name_hash(func));
	snprintf(up->usp_name, sizeof(up->usp_name), "%s", name);
}

struct dt_probe *
user_probes_find(uint32_t pbn)
{
	const struct user_probes *usr;
	size_t i;

	if (pbn < DT_PBN_USER || DT_PBN_USER_SLOT(pbn) >= DT_MAXSESS ||
	    (usr = by_slot[DT_PBN_USER_SLOT(pbn)]) == NULL)
		return NULL;
	i = (pbn - DT_PBN_USER) % DT_PBN_USER_EACH;
	return i < usr->usr_n ? &usr->usr_list[i]->usp_probe : NULL;
}

void
user_probes_info(uint32_t pbn, struct dtioc_probe_info *dtpi)
{
	const struct dt_probe *dtp = user_probes_find(pbn);
	const struct user_probe *up = (const struct user_probe *)dtp;

	dtpi->dtpi_pbn = pbn;
	dtpi->dtpi_flags = dtp->dtp_prov->prov_flags;
	dtpi->dtpi_regs = dtp->dtp_prov->prov_regs;
	dtpi->dtpi_nargs = up->usp_nargs;
	strcpy(dtpi->dtpi_prov, dtp->dtp_prov->prov_name);
	memcpy(dtpi->dtpi_func, up->usp_func, DTNAMESIZE);
	memcpy(dtpi->dtpi_name, up->usp_name, DTNAMESIZE);
}

unsigned int
user_probes_describe(const struct dt_probe *dtp, struct dt_described *ded)
{
	const struct user_probe *up = (const struct user_probe *)dtp;
	unsigned int i;

	for (i = 0; i < up->usp_nargs; i++) {
		memcpy(ded->ded_types[i], up->usp_args[i].ua_type, DTNAMESIZE);
		memcpy(ded->ded_names[i], up->usp_args[i].ua_name, DTNAMESIZE);
		ded->ded_flags[i] = up->usp_args[i].ua_why != NULL
		    ? DTAN_NOVALUE
		    : 0;
	}
	return up->usp_nargs;
}

int
user_probes_refuse(const struct dt_probe *dtp, struct reason *rs)
{
	const struct user_probe *up = (const struct user_probe *)dtp;

	if (up->usp_refused[0] == '\0')
		return 0;
	return reason_fail(rs, EINVAL, "%s", up->usp_refused);
}

static void
name_free(void *up __attribute__((unused)))
{
}

void
user_probes_close(struct dt_enabled *en)
{
	struct user_probes *usr = en->den_users;

	if (usr == NULL)
		return;
	by_slot[en->den_client->dcl_slot] = NULL;
	en->den_users = NULL;
	tdestroy(usr->usr_names, name_free);
	while (usr->usr_n > 0)
		probe_free(usr->usr_list[--usr->usr_n]);
	free(usr->usr_list);
	free(usr);
}

int
user_probes_file(const struct dt_enabled *en, const char *pattern,
    struct dt_file **dfp, const char **rest, struct reason *rs)
{
	unsigned long id;
	char *end;

	pattern += strcspn(pattern, ":");
	if (strncmp(pattern, ":@", 2) != 0)
		return ENOENT;
	id = strtoul(pattern + 2, &end, 10);
	if (end == pattern + 2 || *end != ':' || id > DTFL_MAX ||
	    (*dfp = dt_file_find(en, id)) == NULL)
		return reason_fail(rs, EINVAL,
		    "the pattern names no file of this session");
	*rest = end + 1;
	return 0;
}
