/* SPDX-License-Identifier: ISC */
/*
 * dt doctor: the daemon that dt reaches, its providers, and the result of the
 * trial.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/rights.h"

#include "cli/doctor/doctor.h"

/*
 * The daemon
 */

static void
daemon_service(struct doctor *doc, const struct doctor_check *dc)
{
	static const struct {
		enum out_verdict verdict;
		const char *found, *advice;
	} says[] = {
		[SERVICE_NONE] = { OUT_FACT, "none: dt starts a private daemon",
		    NULL },
		[SERVICE_DEAD] = { OUT_WARNING,
		    "a socket without a listener: dt starts a private daemon",
		    "the service crashed or was killed: restart dtd" },
		[SERVICE_CLOSED] = { OUT_MISSING, "this user may not connect",
		    "request access from the administrator to the socket" },
		[SERVICE_THERE] = { OUT_OK, "running, and dt uses it", NULL },
		[SERVICE_FULL] = { OUT_WARNING,
		    "running, but slow to accept connections",
		    "it is busy or hangs: check its log" },
	};
	enum doctor_service service = doc->do_facts.fa_service;

	doctor_add(doc, dc, says[service].verdict, says[service].advice,
	    DTDEVNAME ": %s", says[service].found);
}

/* Checks the program that dt_open() would start. */
static void
daemon_program(struct doctor *doc, const struct doctor_check *dc)
{
	const char *from = doc->do_facts.fa_dtdenv ? " ($DT_DTD)" : "";
	char path[PATH_MAX];

	if (dt_daemon_path(path, sizeof(path)) == -1)
		doctor_add(doc, dc, OUT_MISSING, "shorten $DT_DTD", "%s",
		    strerror(errno));
	else if (access(path, X_OK) == 0)
		doctor_add(doc, dc, OUT_OK, NULL, "%s%s", path, from);
	else
		doctor_add(doc, dc,
		    doc->do_facts.fa_service >= SERVICE_CLOSED ? OUT_FACT
							       : OUT_MISSING,
		    NULL, "%s%s: %s", path, from, strerror(errno));
}

static void
daemon_open(struct doctor *doc, const struct doctor_check *dc)
{
	const struct trial *tr = doc->do_trial;
	const char *who = tr->tr_isprivate ? "a private daemon" : "the service";

	if (!tr->tr_isopen)
		doctor_add(doc, dc, OUT_MISSING,
		    doctor_advice(&doc->do_facts, tr->tr_open.tre_errno, 0),
		    "%s", tr->tr_open.tre_text);
	else if (strcmp(tr->tr_release, DT_RELEASE) != 0)
		doctor_add(doc, dc, OUT_WARNING,
		    "install dt and dtd from one release",
		    "%s, release %s, while dt is " DT_RELEASE, who,
		    tr->tr_release);
	else
		doctor_add(doc, dc, OUT_OK, NULL,
		    "%s, release %s, after %.1f ms", who, tr->tr_release,
		    tr->tr_opentime / 1e6);
}

static const char *
rights_meaning(unsigned int rights)
{
	switch (rights & RIGHT_TRACE) {
	case RIGHT_TRACE_OWN:
		return ": system calls and clocks of your own processes";
	case RIGHT_PROFILE:
		return ": clock probes only";
	case RIGHT_PROFILE | RIGHT_TRACE_OWN:
		return ": clock probes, and system calls of your own processes";
	default:
		return "";
	}
}

static void
daemon_rights(struct doctor *doc, const struct doctor_check *dc)
{
	const struct trial *tr = doc->do_trial;
	char text[128] = "";

	if (!tr->tr_isopen)
		return;
	rights_text(tr->tr_rights, " ", text, sizeof(text));
	if (tr->tr_rights & RIGHT_TRACE)
		doctor_add(doc, dc, OUT_OK, NULL, "%s%s", text,
		    tr->tr_isprivate ? ", within the limits of the kernel"
				     : rights_meaning(tr->tr_rights));
	else
		doctor_add(doc, dc, OUT_MISSING,
		    doctor_advice(&doc->do_facts, EPERM, 1),
		    "%s: may list probes, but not record", text);
}

const struct doctor_check doctor_daemon[] = {
	{ "service", daemon_service, "one dtd for all users and clients" },
	{ "program", daemon_program, "started by dt if there is no service" },
	{ "open", daemon_open, "everything" },
	{ "rights", daemon_rights,
	    "TRACE_ALL: all probes; PROFILE: clock probes; TRACE_OWN: your own "
	    "processes; LIST: dt list" },
	{ 0 },
};

/*
 * Providers
 */

/*
 * A feature that the kernel was built without cannot be fixed; a right that
 * this user lacks for a provider was reported above.
 */
static void
provs_each(struct doctor *doc, const struct doctor_check *dc)
{
	const struct trial *tr = doc->do_trial;
	const struct dtioc_prov_info *pv;
	struct doctor_check each = *dc;
	char name[sizeof(pv->dtpv_name)];
	size_t i;

	for (i = 0; i < tr->tr_nprovs; i++) {
		pv = &tr->tr_provs[i];
		each.dc_name = name;
		snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1,
		    pv->dtpv_name);
		doctor_add(doc, &each, pv->dtpv_available ? OUT_OK : OUT_FACT,
		    NULL, "%u probe%s%s%.*s", pv->dtpv_nprobes,
		    pv->dtpv_nprobes == 1 ? "" : "s",
		    pv->dtpv_reason[0] != '\0' ? ": " : "",
		    (int)sizeof(pv->dtpv_reason), pv->dtpv_reason);
	}
}

const struct doctor_check doctor_provs[] = {
	{ "", provs_each, NULL },
	{ 0 },
};

/* Trial */

/* Prints why it failed; returns 0 if it did not. */
static int
tried_failed(struct doctor *doc, const struct doctor_check *dc,
    enum trial_probe which)
{
	const struct trial *tr = doc->do_trial;
	const struct trial_error *te = &tr->tr_errors[which];

	if (tr->tr_probes[which].ol_works)
		return 0;
	if (!tr->tr_isopen || te->tre_errno == 0)
		doctor_add(doc, dc, OUT_MISSING, NULL,
		    "not tried, because an earlier step failed");
	else
		doctor_add(doc, dc, OUT_MISSING,
		    doctor_advice(&doc->do_facts, te->tre_errno, 1), "%s",
		    te->tre_text);
	return 1;
}

static void
tried_syscall(struct doctor *doc, const struct doctor_check *dc)
{
	const struct trial *tr = doc->do_trial;
	const struct out_trial *ol = &tr->tr_probes[TRIAL_SYSCALL];

	if (tried_failed(doc, dc, TRIAL_SYSCALL))
		return;
	doctor_add(doc, dc, OUT_OK, NULL,
	    "%llu of %llu calls of getpid were recorded; from the start to "
	    "the first event: %.1f ms (open %.1f, enable %.1f, record %.1f, "
	    "event %.1f)",
	    (unsigned long long)ol->ol_read, (unsigned long long)ol->ol_made,
	    tr->tr_first / 1e6, tr->tr_opentime / 1e6, ol->ol_enable / 1e6,
	    ol->ol_record / 1e6, ol->ol_event / 1e6);
}

static void
tried_names(struct doctor *doc, const struct doctor_check *dc)
{
	const struct trial *tr = doc->do_trial;

	if (!tr->tr_probes[TRIAL_SYSCALL].ol_works)
		return;
	if ((tr->tr_rights & (RIGHT_TRACE_ALL | RIGHT_PROFILE)) == 0)
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "TRACE_OWN does not include kernel addresses");
	else if (tr->tr_nframes == 0)
		doctor_add(doc, dc, OUT_WARNING, "see kptr_restrict above",
		    "the stack of a call has no frame of the kernel");
	else if (tr->tr_nnamed == 0)
		doctor_add(doc, dc, OUT_WARNING,
		    "run dt as root, or with CAP_SYSLOG; kptr_restrict (see "
		    "above) must not be 2",
		    "no name for a kernel address: %s", tr->tr_noname.tre_text);
	else
		doctor_add(doc, dc, OUT_OK, NULL,
		    "%u of %u frames of a kernel stack have names, the first "
		    "is %s",
		    tr->tr_nnamed, tr->tr_nframes, tr->tr_frame);
}

static void
tried_user(struct doctor *doc, const struct doctor_check *dc)
{
	const struct trial *tr = doc->do_trial;
	const struct dtioc_symstat *ss = &tr->tr_sym;

	if (!tr->tr_probes[TRIAL_SYSCALL].ol_works)
		return;
	if (tr->tr_user[0] == '\0')
		doctor_add(doc, dc, OUT_WARNING,
		    "check that dt-symbolizer is installed, in the folder of "
		    "dtd or in libexec",
		    "no name for an address of this process: %s",
		    tr->tr_nouser.tre_text);
	else if (ss->dtss_nprocs == 0) /* hidden from this client */
		doctor_add(doc, dc, OUT_OK, NULL,
		    "an address of this process is in %s, after %.1f ms",
		    tr->tr_user, tr->tr_usertime / 1e6);
	else
		doctor_add(doc, dc, OUT_OK, NULL,
		    "an address of this process is in %s, after %.1f ms; "
		    "%llu processes with %llu files are known, in %.1f MB",
		    tr->tr_user, tr->tr_usertime / 1e6,
		    (unsigned long long)ss->dtss_nprocs,
		    (unsigned long long)ss->dtss_nfiles,
		    (ss->dtss_followbytes + ss->dtss_cachebytes) / 1e6);
}

static void
tried_profile(struct doctor *doc, const struct doctor_check *dc)
{
	const struct out_trial *ol = &doc->do_trial->tr_probes[TRIAL_PROFILE];

	if (tried_failed(doc, dc, TRIAL_PROFILE))
		return;
	doctor_add(doc, dc, OUT_OK, NULL,
	    "%llu ticks of a 1000 Hz clock in %.1f ms of work (enable %.1f, "
	    "record %.1f)",
	    (unsigned long long)ol->ol_read, ol->ol_event / 1e6,
	    ol->ol_enable / 1e6, ol->ol_record / 1e6);
}

const struct doctor_check doctor_tried[] = {
	{ "syscall", tried_syscall, "dt stat, dt record" },
	{ "names", tried_names,
	    "stacks of the kernel: dt record -g, "
	    "dt profile" },
	{ "user-names", tried_user,
	    "stacks of processes: dt record -g, dt profile" },
	{ "profile", tried_profile, "dt profile" },
	{ 0 },
};
