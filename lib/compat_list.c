/* SPDX-License-Identifier: ISC */
/*
 * The list of probes as programs written for OpenBSD expect it, on request of
 * the program: system calls named sys%N, and kernel functions among the probes.
 * On OpenBSD a probe's number is its position in the list.  The daemon numbers
 * functions from DT_PBN_KPROBE up, so numbers are translated both ways.
 *
 * The list is fetched once per descriptor and does not change, as on OpenBSD.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dt/compat.h>
#include "lib/compat_list.h"
#include "lib/handle.h"

#define LIST_TRIES 4 /* the list may grow between two requests */

static atomic_uint compat_want;

void
dt_compat_want(unsigned int flags)
{
	atomic_fetch_or(&compat_want, flags);
}

void
dt_compat_list_init(struct compat_list *cpl)
{
	memset(cpl, 0, sizeof(*cpl));
	cpl->cpl_want = atomic_load(&compat_want);
	pthread_mutex_init(&cpl->cpl_lock, NULL);
}

void
dt_compat_list_free(struct compat_list *cpl)
{
	free(cpl->cpl_infos);
	free(cpl->cpl_pbns);
	pthread_mutex_destroy(&cpl->cpl_lock);
}

/* Returns the number of probes that are in the daemon's list, or -1. */
static ssize_t
list_fetch(struct dt *dt, struct dtioc_probe_info **infosp)
{
	struct dtioc_probe pr = { 0 };
	int i;

	for (i = 0; i < LIST_TRIES; i++) {
		pr = (struct dtioc_probe){ 0 };
		if (dt_ioctl(dt, DTIOCGPLIST, &pr) == -1)
			return -1;
		pr.dtpr_probes = malloc(pr.dtpr_size + 1);
		if (pr.dtpr_probes == NULL)
			return dt_fail(dt, ENOMEM, NULL);
		/* a second request for 0 bytes would return the size again */
		if (pr.dtpr_size == 0 || dt_ioctl(dt, DTIOCGPLIST, &pr) == 0)
			break;
		free(pr.dtpr_probes);
		if (errno != ENOSPC)
			return -1;
	}
	if (i == LIST_TRIES)
		return -1;
	*infosp = pr.dtpr_probes;
	return (ssize_t)(pr.dtpr_size / sizeof(**infosp));
}

/* Appends the kernel's functions to the n entries.  Returns the new number. */
static ssize_t
list_append(struct dt *dt, struct dtioc_probe_info **infosp, size_t n)
{
	struct dtioc_probe_info *all, *funcs;
	ssize_t nfuncs;

	if ((nfuncs = dt_lookup(dt, "kprobe:*", &funcs)) == -1)
		return errno == ENOENT ? (ssize_t)n : -1;
	all = reallocarray(*infosp, n + (size_t)nfuncs, sizeof(*all));
	if (all != NULL) {
		memcpy(all + n, funcs, (size_t)nfuncs * sizeof(*all));
		*infosp = all;
	}
	free(funcs);
	if (all == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	return (ssize_t)n + nfuncs;
}

/* Gives an entry its number and name in the program's list. */
static void
list_rename(const struct compat_list *cpl, struct dtioc_probe_info *pi,
    size_t number)
{
	int sysnum = -1;

	pi->dtpi_pbn = (uint32_t)number;
	if ((cpl->cpl_want & DT_COMPAT_WANT_SYSNUM) &&
	    (pi->dtpi_flags & (DTPI_CALL | DTPI_COMPAT)) == DTPI_CALL)
		sysnum = dt_compat_sysnum(pi->dtpi_func);
	if (sysnum != -1)
		snprintf(pi->dtpi_func, sizeof(pi->dtpi_func), "sys%%%d",
		    sysnum);
}

/* Fetches the list unless that was done; with the lock held. */
static int
list_get(struct dt *dt, struct compat_list *cpl)
{
	struct dtioc_probe_info *infos = NULL;
	uint32_t *pbns = NULL;
	ssize_t i, n;

	if (cpl->cpl_infos != NULL)
		return 0;
	n = list_fetch(dt, &infos);
	if (n != -1 && (cpl->cpl_want & DT_COMPAT_WANT_KPROBES))
		n = list_append(dt, &infos, (size_t)n);
	if (n != -1 && (pbns = calloc((size_t)n + 1, sizeof(*pbns))) == NULL)
		n = dt_fail(dt, ENOMEM, NULL);
	if (n == -1) {
		free(infos);
		return -1;
	}
	for (i = 0; i < n; i++) {
		pbns[i] = infos[i].dtpi_pbn;
		list_rename(cpl, &infos[i], (size_t)i + 1);
	}
	cpl->cpl_infos = infos;
	cpl->cpl_pbns = pbns;
	cpl->cpl_n = (size_t)n;
	return 0;
}

/* DTIOCGPLIST, with the semantics of the daemon's. */
static int
list_copy(struct dt *dt, const struct compat_list *cpl, struct dtioc_probe *pr)
{
	size_t size = cpl->cpl_n * sizeof(*cpl->cpl_infos);
	size_t room = pr->dtpr_size / sizeof(*cpl->cpl_infos);

	if (pr->dtpr_probes == NULL && pr->dtpr_size != 0)
		return dt_fail(dt, EFAULT, "the array is NULL");
	if (room > cpl->cpl_n)
		room = cpl->cpl_n;
	if (room > 0)
		memcpy(pr->dtpr_probes, cpl->cpl_infos,
		    room * sizeof(*cpl->cpl_infos));
	if (pr->dtpr_size != 0 && room < cpl->cpl_n)
		return dt_fail(dt, ENOSPC, "the array is too small");
	pr->dtpr_size = size;
	return 0;
}

/*
 * Commands whose argument begins with the number of a probe.  DTIOCSPAIR begins
 * with two.
 */
static const struct {
	unsigned long cmd;
	unsigned int nnumbers;
} numbered[] = {
	{ DTIOCGARGS, 1 },
	{ DTIOCGARGNAMES, 1 },
	{ DTIOCPRBENABLE, 1 },
	{ DTIOCPRBENABLE_V1, 1 },
	{ DTIOCPRBDISABLE, 1 },
	{ DTIOCPRBDISABLE_V1, 1 },
	{ DTIOCSCONDITION, 1 },
	{ DTIOCSAGG, 1 },
	{ DTIOCSREADS, 1 },
	{ DTIOCSPAIR, 2 },
};

/* Returns how many numbers begin the argument. */
static unsigned int
list_numbers(unsigned long cmd)
{
	size_t i;

	for (i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++)
		if (numbered[i].cmd == cmd)
			return numbered[i].nnumbers;
	return 0;
}

/* Carries out a command with the daemon's numbers, then restores the others. */
static int
list_translated(struct dt *dt, const struct compat_list *cpl, unsigned long cmd,
    uint32_t *numbers, unsigned int n)
{
	uint32_t own[2] = { 0 };
	unsigned int i;
	int r;

	for (i = 0; i < n; i++) {
		own[i] = numbers[i];
		numbers[i] = own[i] > 0 && own[i] <= cpl->cpl_n
		    ? cpl->cpl_pbns[own[i] - 1]
		    : 0; /* the daemon refuses it with the command's error */
	}
	r = dt_ioctl(dt, cmd, numbers);
	memcpy(numbers, own, n * sizeof(*numbers));
	return r;
}

static int
list_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Returns the number in the list; 0: the list does not have the probe. */
static uint32_t
list_number(const struct compat_list *cpl, uint32_t pbn)
{
	const uint32_t *p = bsearch(&pbn, cpl->cpl_pbns, cpl->cpl_n,
	    sizeof(pbn), list_compare);

	return p == NULL ? 0 : (uint32_t)(p - cpl->cpl_pbns) + 1;
}

/* An array that a command fills; each entry begins with a probe's number. */
struct list_array {
	uint8_t *lar_entries; /* NULL: none */
	size_t lar_nbytes;
	size_t lar_entsize;
};

static struct list_array
list_array(unsigned long cmd, const void *arg)
{
	const struct dtioc_arg *ar = arg;
	const struct dtioc_argname *an = arg;
	const struct dtioc_lookup *lk = arg;

	switch (cmd) {
	case DTIOCGARGS:
		return (struct list_array){ (void *)ar->dtar_args,
			ar->dtar_size, sizeof(*ar->dtar_args) };
	case DTIOCGARGNAMES:
		return (struct list_array){ (void *)an->dtan_names,
			an->dtan_size, sizeof(*an->dtan_names) };
	case DTIOCLOOKUP:
		return (struct list_array){ (void *)lk->dtlk_probes,
			lk->dtlk_size, sizeof(*lk->dtlk_probes) };
	}
	return (struct list_array){ NULL, 0, 1 };
}

/* Replaces the daemon's numbers in the entries that a command has filled. */
static void
list_renumber(const struct compat_list *cpl, const struct list_array *given,
    size_t total)
{
	size_t nbytes = total < given->lar_nbytes ? total : given->lar_nbytes;
	uint8_t *p = given->lar_entries;
	uint32_t pbn;

	if (p == NULL)
		return;
	for (; nbytes >= given->lar_entsize; nbytes -= given->lar_entsize) {
		memcpy(&pbn, p, sizeof(pbn));
		pbn = list_number(cpl, pbn);
		memcpy(p, &pbn, sizeof(pbn));
		p += given->lar_entsize;
	}
}

/* Carries out a command other than DTIOCGPLIST. */
static int
list_command(struct dt *dt, const struct compat_list *cpl, unsigned long cmd,
    void *arg)
{
	const struct list_array given = list_array(cmd, arg);
	int r = list_translated(dt, cpl, cmd, arg, list_numbers(cmd));

	if (r == 0 || errno == ENOSPC)
		list_renumber(cpl, &given, list_array(cmd, arg).lar_nbytes);
	return r;
}

int
dt_compat_list_ioctl(struct dt *dt, struct compat_list *cpl, unsigned long cmd,
    void *arg)
{
	int r;

	if (cpl->cpl_want == 0 || arg == NULL ||
	    (list_numbers(cmd) == 0 && cmd != DTIOCGPLIST &&
		cmd != DTIOCLOOKUP))
		return dt_ioctl(dt, cmd, arg);
	pthread_mutex_lock(&cpl->cpl_lock);
	if (list_get(dt, cpl) == -1)
		r = -1;
	else if (cmd == DTIOCGPLIST)
		r = list_copy(dt, cpl, arg);
	else
		r = list_command(dt, cpl, cmd, arg);
	pthread_mutex_unlock(&cpl->cpl_lock);
	return r;
}

void
dt_compat_list_events(struct compat_list *cpl, struct dt_evt *evt, size_t n)
{
	if (cpl->cpl_want == 0)
		return;
	pthread_mutex_lock(&cpl->cpl_lock);
	for (; n > 0 && cpl->cpl_infos != NULL; n--, evt++)
		evt->dtev_pbn = list_number(cpl, evt->dtev_pbn);
	pthread_mutex_unlock(&cpl->cpl_lock);
}
