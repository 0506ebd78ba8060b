/* SPDX-License-Identifier: ISC */
/* Reports refusals and what a user can do about them. */
#include <err.h>
#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/rights.h"
#include "wire/wire.h"

#include "cli/base/buf.h"
#include "cli/base/esc.h"
#include "cli/base/program.h"
#include "cli/base/suggest.h"
#include "cli/doctor/doctor.h"
#include "cli/session/refusal.h"

#define REFUSAL_ENV "DT_TOOL_ADVICE"

static const char *refusal_own; /* for a user with TRACE_OWN, or NULL */

void
refusal_advise(const char *text)
{
	refusal_own = text;
}

void
refusal_export(void)
{
	if (refusal_own != NULL && setenv(REFUSAL_ENV, refusal_own, 1) == -1)
		err(1, NULL);
}

void
refusal_import(void)
{
	const char *text = getenv(REFUSAL_ENV);

	if (text == NULL)
		return;
	if ((refusal_own = strdup(text)) == NULL)
		err(1, NULL);
	unsetenv(REFUSAL_ENV);
}

/* Returns the current user as the configuration would name it. */
static const char *
refusal_user(char *buf, size_t size)
{
	const struct passwd *pw = getpwuid(geteuid());

	if (pw != NULL)
		return pw->pw_name;
	snprintf(buf, size, "%u", (unsigned)geteuid());
	return buf;
}

/*
 * Prints what the service permits, and who can grant more; rights 0: unknown.
 */
static void
refusal_service(unsigned int rights)
{
	char text[128] = "", number[16];

	rights_text(rights & ~RIGHT_LIST, " and ", text, sizeof(text));
	warnx("%s%s; the administrator can add you to group dt, or set "
	      "'allow = %s to user %s' in /etc/dt/dtd.conf, see dtd.conf(5); "
	      "or run dt as root (sudo dt ...)",
	    text[0] != '\0' ? "your rights with the service dtd are LIST and "
			    : "you may list probes only",
	    text, rights & RIGHT_TRACE_OWN ? "trace-all" : "trace-own",
	    refusal_user(number, sizeof(number)));
	if (refusal_own != NULL && (rights & RIGHT_TRACE_OWN) &&
	    !(rights & RIGHT_TRACE_ALL))
		warnx("%s", refusal_own);
}

/* Prints which right is missing, and who can grant it. */
static void
refusal_advice(int isprivate, unsigned int rights)
{
	if (isprivate || (access(DTDEVNAME, F_OK) == -1 && errno == ENOENT))
		warnx("tracing needs the right to load BPF programs: run dt as "
		      "root (sudo dt ...)");
	else
		refusal_service(rights);
}

/* Reports that the kernel denied what the right would permit. */
static void
refusal_denied(void)
{
	struct facts fa;

	doctor_facts(&fa);
	warnx("%s", doctor_advice(&fa, EACCES, 1));
}

struct dt *
refusal_open(const char *path, int flags)
{
	struct dt *dt;
	int error;

	if ((dt = dt_open(path, flags)) != NULL)
		return dt;
	error = errno;
	warnx("cannot open dt: %s", dt_error(NULL));
	if (error == EACCES)
		warnx("the service dtd does not admit all users: run dt as "
		      "root (sudo dt ...), or request access from the "
		      "administrator to its socket");
	else if (error == EPERM || (error == ECHILD && geteuid() != 0))
		refusal_advice(error == ECHILD, 0);
	exit(1);
}

void
refusal_ioctl(struct dt *dt, const char *what)
{
	int error = errno;

	warnx("%s: %s", what, dt_error(dt));
	if (error == EPERM)
		refusal_advice(dt_is_private(dt), dt_rights(dt));
	else if (error == EACCES)
		refusal_denied();
	exit(1);
}

/* Prints why a provider is unavailable on this machine. */
static void
refusal_unavailable(struct dt *dt, const char *pattern)
{
	size_t i, n, len = strcspn(pattern, ":");
	struct dtioc_prov po = { 0 };
	const struct dtioc_prov_info *pv;

	if (dt_ioctl(dt, DTIOCGPROVS, &po) == -1 ||
	    (po.dtpo_provs = malloc(po.dtpo_size)) == NULL)
		return;
	n = dt_ioctl(dt, DTIOCGPROVS, &po) == -1
	    ? 0
	    : po.dtpo_size / sizeof(*po.dtpo_provs);
	for (i = 0; i < n; i++) {
		pv = &po.dtpo_provs[i];
		if (!pv->dtpv_available && strlen(pv->dtpv_name) == len &&
		    memcmp(pv->dtpv_name, pattern, len) == 0)
			errx(1, "there are no probes of %s here: %s",
			    pv->dtpv_name, pv->dtpv_reason);
	}
	free(po.dtpo_provs);
}

/*
 * Looks for a similar probe.  Functions are too many to be listed, so only
 * those with the same beginning are.
 */
static const char *
refusal_near(const char *pattern, char *buf, size_t size)
{
	static const char func[] = "kprobe:";

	if (strncmp(pattern, func, sizeof(func) - 1) != 0)
		return "*";
	snprintf(buf, size, "%.*s*:*", (int)sizeof(func) + 1, pattern);
	return buf;
}

/*
 * Looks for a probe of exactly this name that was requested without its
 * provider, as in other tools: vfs_read, *:vfs_read, sched:sched_switch.
 * Patterns match functions only with their provider.
 */
static int
refusal_elsewhere(struct dt *dt, const char *pattern, char *buf, size_t size)
{
	static const char *const providers[] = { "tracepoint:*", "tracepoint",
		"kprobe", "rawtracepoint" };
	const char *rest = strncmp(pattern, "*:", 2) == 0 ? pattern + 2
							  : pattern;
	struct dtioc_probe_info *pi;
	ssize_t n;
	size_t i;

	if (*rest == '*')
		return 0; /* a list of all functions is no help */
	for (i = 0; i < sizeof(providers) / sizeof(providers[0]); i++) {
		snprintf(buf, size, "%s:%s", providers[i], rest);
		if ((n = dt_lookup(dt, buf, &pi)) <= 0)
			continue;
		if (n == 1)
			snprintf(buf, size, "%s:%s:%s", pi[0].dtpi_prov,
			    pi[0].dtpi_func, pi[0].dtpi_name);
		free(pi);
		return 1;
	}
	return 0;
}

/* Returns a clock or counter of the provider that the pattern names, or NULL. */
static const struct dtioc_probe_info *
refusal_clock(const struct dtioc_probe_info *pi, ssize_t n, const char *pattern)
{
	size_t len = strcspn(pattern, ":");

	for (; n > 0; n--, pi++)
		if (pi->dtpi_flags & DTPI_CLOCK &&
		    strncmp(pi->dtpi_prov, pattern, len) == 0 &&
		    pi->dtpi_prov[len] == '\0' && pattern[len] == ':')
			return pi;
	return NULL;
}

/* The daemon's reply about a file is more precise: it has read the file. */
static int
refusal_isfile(const char *pattern)
{
	return strncmp(pattern, "uprobe:", 7) == 0 ||
	    strncmp(pattern, "usdt:", 5) == 0;
}

void
refusal_nomatch(struct dt *dt, const char *pattern)
{
	const struct dtioc_probe_info *clock;
	struct dtioc_probe_info *pi;
	struct buf b;
	char near[3 * DTNAMESIZE], why[256];
	ssize_t n;

	snprintf(why, sizeof(why), "%s", dt_error(dt));
	refusal_unavailable(dt, pattern);
	if (refusal_isfile(pattern))
		errx(1, "%s: %s", pattern, why);
	buf_init(&b, -1);
	buf_str(&b, "no probe matches '");
	esc_str(&b, pattern);
	buf_str(&b, "'; ");
	n = dt_lookup(dt, refusal_near(pattern, near, sizeof(near)), &pi);
	clock = refusal_clock(pi, n, pattern);
	if ((n > 0 && suggest_probe(pi, n, pattern, near, sizeof(near)) == 0) ||
	    refusal_elsewhere(dt, pattern, near, sizeof(near)))
		buf_printf(&b, "did you mean %s?", near);
	else if (strchr(pattern, ':') == NULL && program_exists(pattern)) {
		buf_str(&b, "a command follows --: 'syscall:*' -- ");
		esc_str(&b, pattern);
	} else if (clock != NULL && clock->dtpi_unit == DTPI_EVENTS)
		buf_printf(&b, "dt list '%s:*' prints what this machine has",
		    clock->dtpi_prov);
	else
		buf_str(&b, "try: dt list 'syscall:*'");
	if (clock != NULL && clock->dtpi_unit == DTPI_NSECS)
		buf_str(&b, " (-F sets the rate)");
	buf_c(&b, '\0');
	errx(1, "%s", b.b_data);
}
