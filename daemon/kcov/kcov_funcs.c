/* SPDX-License-Identifier: ISC */
/*
 * Resolves globs to functions and attaches to them.  The kprobe provider of dt
 * supplies the list of functions, the exclusions and the links.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/kcov.h>

#include "daemon/base/globpat.h"
#include "daemon/base/reason.h"
#include "daemon/device/cdevsw.h"
#include "daemon/kcov/kcov_funcs.h"
#include "daemon/kcov/kcov_softc.h"
#include "daemon/kernel/func.h"
#include "daemon/kernel/func_read.h"
#include "daemon/perf/perf_event.h"

#define PATTERN_LEN    (KIO_FUNCS_LEN + sizeof(":entry"))

#define ATTACH_REFUSED 64   /* refusals in a row: gives up */
#define ATTACH_MANY    1000 /* waits for links being detached */

/* Time of attaching, ms in the guests of tests/vm (daemon/kernel/attach.c). */
#define MULTI_MSECS_PIECE 100
#define MULTI_FUNCS_MSEC  10 /* functions per additional ms */
#define KPROBE_MSECS	  16

/* Set by methods_try(), constant afterwards. */
static const struct attach_method *method;
static const char *method_lacks;

static void
methods_try(void)
{
	static const char *const names[] = { "multi", "perf" };
	const struct attach_method *am;
	size_t i;

	for (i = 0; method == NULL && i < sizeof(names) / sizeof(names[0]);
	     i++) {
		am = attach_named(names[i]);
		if ((method_lacks = am->am_missing()) == NULL)
			method = am;
	}
}

const struct attach_method *
kcov_method(const char **why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, methods_try);
	*why = method_lacks;
	return method;
}

/*
 * Resolving
 */

void
kfuncs_free(struct kfuncs *kf)
{
	free(kf->kfs_list);
	kf->kfs_list = NULL;
	kf->kfs_n = 0;
}

/*
 * Takes the next of the globs, as a pattern of the kprobe provider.  NULL: no
 * more globs.
 */
static const char *
next_pattern(char **pp, char *buf, size_t size)
{
	const char *glob;

	while ((glob = strsep(pp, " ")) != NULL && *glob == '\0')
		;
	if (glob == NULL)
		return NULL;
	snprintf(buf, size, "%s:entry", glob);
	return buf;
}

int
kfuncs_check(const char *globs, struct reason *rs)
{
	char copy[KIO_FUNCS_LEN], pattern[PATTERN_LEN], *p = copy;
	struct globpat gp;
	int error = 0;

	snprintf(copy, sizeof(copy), "%s", globs);
	while (error == 0 && next_pattern(&p, pattern, sizeof(pattern)) != NULL)
		error = globpat_compile(&gp, pattern, rs);
	return error;
}

/* Adds the functions that match a pattern. */
static int
resolve_pattern(struct kfuncs *kf, size_t *max, const char *pattern,
    struct reason *rs)
{
	uint32_t *list = NULL;
	struct func kn;
	size_t i, n = 0;
	int error;

	if ((error = func_read(pattern, rs)) != 0 ||
	    (error = func_match(pattern, &list, &n, rs)) != 0)
		return error;
	error = func_read_grow(&kf->kfs_list, kf->kfs_n + n, max,
	    sizeof(*kf->kfs_list));
	for (i = 0; error == 0 && i < n; i++)
		if (func_get(list[i] / 2, &kn) == 0 && kn.fu_addr != 0 &&
		    kn.fu_denied == NULL)
			kf->kfs_list[kf->kfs_n++] = (struct attach_func){
				.af_addr = kn.fu_addr
			};
	free(list);
	return error;
}

static int
addr_cmp(const void *a, const void *b)
{
	const struct attach_func *x = a, *y = b;

	return x->af_addr < y->af_addr ? -1 : x->af_addr > y->af_addr;
}

static void
sort_unique(struct kfuncs *kf)
{
	size_t i, n = 0;

	if (kf->kfs_n == 0)
		return;
	qsort(kf->kfs_list, kf->kfs_n, sizeof(*kf->kfs_list), addr_cmp);
	for (i = 0; i < kf->kfs_n; i++)
		if (n == 0 ||
		    kf->kfs_list[n - 1].af_addr != kf->kfs_list[i].af_addr)
			kf->kfs_list[n++] = kf->kfs_list[i];
	kf->kfs_n = n;
}

static int
resolve(struct kfuncs *kf, const char *globs, struct reason *rs)
{
	char copy[KIO_FUNCS_LEN], pattern[PATTERN_LEN], *p = copy;
	size_t max = 0;
	int error = 0;

	snprintf(copy, sizeof(copy), "%s", globs);
	while (
	    error == 0 && next_pattern(&p, pattern, sizeof(pattern)) != NULL) {
		error = resolve_pattern(kf, &max, pattern, rs);
		sort_unique(kf); /* immediately: 500 globs may all be equal */
	}
	return error;
}

int
kfuncs_resolve(struct kfuncs *kf, const struct attach_method *am,
    const char *globs, struct reason *rs)
{
	size_t max = SIZE_MAX;
	int error, issingle = am != NULL && am->am_piece == 1;

	if (globs[strspn(globs, " ")] == '\0') {
		globs = kcov_default_globs(am);
		max = issingle ? KCOV_KPROBE_MAX : SIZE_MAX;
	}
	if ((error = resolve(kf, globs, rs)) != 0)
		goto failed;
	if (kf->kfs_n == 0) {
		error = ENOENT;
		reason_set(rs, "no function of the kernel has this name");
		goto failed;
	}
	if (kf->kfs_n > max) /* of the default, on another kernel */
		kf->kfs_n = max;
	if (issingle && kf->kfs_n > KCOV_KPROBE_MAX) {
		error = E2BIG;
		reason_set(rs,
		    "%zu functions: this kernel has single kprobes only, for "
		    "%d at most",
		    kf->kfs_n, KCOV_KPROBE_MAX);
		goto failed;
	}
	return 0;
failed:
	kfuncs_free(kf);
	return error;
}

int
kcov_set_price(const char *globs, struct kio_price *kp, struct reason *rs)
{
	struct kfuncs kf = { 0 }, all = { 0 };
	const char *why;
	const struct attach_method *am = kcov_method(&why);
	int error;

	if ((error = kfuncs_resolve(&all, NULL, "*", rs)) == 0 &&
	    (error = kfuncs_resolve(&kf, am, globs, rs)) == E2BIG)
		error = kfuncs_resolve(&kf, NULL, globs, rs); /* a price, too */
	kp->kp_total = all.kfs_n;
	kp->kp_nfuncs = kf.kfs_n;
	if (am != NULL && am->am_piece > 1) {
		kp->kp_method = KCOV_METHOD_MULTI;
		kp->kp_attachms = (kf.kfs_n + am->am_piece - 1) / am->am_piece *
			MULTI_MSECS_PIECE +
		    kf.kfs_n / MULTI_FUNCS_MSEC;
	} else if (am != NULL) {
		kp->kp_method = KCOV_METHOD_KPROBE;
		kp->kp_attachms = kf.kfs_n * KPROBE_MSECS;
	}
	kfuncs_free(&all);
	kfuncs_free(&kf);
	return error;
}

/*
 * Attaching
 */

/* Attaching in progress. */
struct attacher {
	struct kfuncs *at_kf;
	const struct attach_method *at_km;
	struct attach_links *at_links;
	const atomic_int *at_cancel;
	size_t at_inrow; /* refusals in a row */
	int at_error;	 /* of the first refusal */
};

/*
 * Halves a piece that the kernel refuses until the refused function is found,
 * and omits that.
 */
static int
attach_some(struct attacher *at, struct attach_func *list, size_t n)
{
	size_t nth;
	int error = attach_funcs(at->at_km, at->at_links, kcov_progfd(),
	    ATTACH_ENTRY, list, n, at->at_cancel, &nth);

	if (error == 0)
		at->at_inrow = 0;
	if (error == 0 || error == ECANCELED)
		return error;
	if (at->at_error == 0)
		at->at_error = error;
	if (n == 1) {
		at->at_kf->kfs_nrefused++;
		return ++at->at_inrow == ATTACH_REFUSED ? at->at_error : 0;
	}
	if ((error = attach_some(at, list, n / 2)) != 0)
		return error;
	return attach_some(at, list + n / 2, n - n / 2);
}

int
kfuncs_attach(struct kfuncs *kf, const struct attach_method *am,
    struct attach_links *kl, uint64_t cookie, const atomic_int *cancel,
    struct reason *rs)
{
	struct attacher at = { .at_kf = kf,
		.at_km = am,
		.at_links = kl,
		.at_cancel = cancel };
	size_t i, piece;
	int error = 0;

	for (i = 0; i < kf->kfs_n; i++)
		kf->kfs_list[i].af_cookie = cookie;
	if (kf->kfs_n > ATTACH_MANY)
		error = attach_settle(cancel);
	for (i = 0; error == 0 && i < kf->kfs_n; i += piece) {
		piece = kf->kfs_n - i < am->am_piece ? kf->kfs_n - i
						     : am->am_piece;
		error = attach_some(&at, kf->kfs_list + i, piece);
	}
	if (error == 0 && kl->al_n == 0)
		error = at.at_error;
	if (error != 0 && error != ECANCELED)
		reason_set(rs, "cannot attach to functions: %s",
		    perf_event_strerror(error));
	return error;
}
