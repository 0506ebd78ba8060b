/* SPDX-License-Identifier: ISC */
/*
 * dt doctor: what this user has for a private daemon.  If a service is running,
 * it has all privileges itself, and these are facts.
 *
 * Only capabilities that dtd uses are checked.  CAP_SYS_RESOURCE is not: since
 * 5.11, BPF memory is charged to the cgroup and no longer to RLIMIT_MEMLOCK,
 * and dtd raises no hard limit.
 */
#include <sys/resource.h>

#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>

#include "cli/doctor/doctor.h"

#define USER_BASEFDS 64 /* descriptors of a daemon without sessions */

static int
user_has_service(const struct doctor *doc)
{
	return doc->do_facts.fa_service >= SERVICE_CLOSED;
}

static void
user_user(struct doctor *doc, const struct doctor_check *dc)
{
	const struct passwd *pw = getpwuid(doc->do_facts.fa_uid);

	doctor_add(doc, dc, doc->do_facts.fa_uid == 0 ? OUT_OK : OUT_FACT, NULL,
	    "%u (%s)", (unsigned int)doc->do_facts.fa_uid,
	    pw != NULL ? pw->pw_name : "no name");
}

static void
user_userns(struct doctor *doc, const struct doctor_check *dc)
{
	if (doc->do_facts.fa_userns)
		doctor_add(doc, dc, OUT_MISSING,
		    "run dt in the initial user namespace: only there do "
		    "root and capabilities count",
		    "not the initial one");
	else
		doctor_add(doc, dc, OUT_OK, NULL, "the initial one");
}

static void
user_pidns(struct doctor *doc, const struct doctor_check *dc)
{
	if (doc->do_facts.fa_pidns)
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "not the initial one: dt sees the processes in it");
	else
		doctor_add(doc, dc, OUT_OK, NULL, "the initial one");
}

static void
user_seccomp(struct doctor *doc, const struct doctor_check *dc)
{
	doctor_add(doc, dc, doc->do_facts.fa_seccomp ? OUT_FACT : OUT_OK, NULL,
	    "%s",
	    doc->do_facts.fa_seccomp ? "a filter, as usual in containers"
				     : "no filter");
}

static const struct user_cap {
	const char *uc_name;
	unsigned int uc_cap;
	int uc_needed; /* required unless CAP_SYS_ADMIN replaces it */
} user_caps[] = {
	{ "CAP_BPF", CAP_BPF, 1 },
	{ "CAP_PERFMON", CAP_PERFMON, 1 },
	{ "CAP_SYS_ADMIN", CAP_SYS_ADMIN, 0 },
	{ "CAP_SYSLOG", CAP_SYSLOG, 0 },
	{ "CAP_SYS_PTRACE", CAP_SYS_PTRACE, 0 },
};

static void
user_cap(struct doctor *doc, const struct doctor_check *dc,
    const struct user_cap *uc)
{
	const struct facts *fa = &doc->do_facts;
	int has = DOCTOR_CAP(fa, uc->uc_cap);

	if (has && !fa->fa_userns)
		doctor_add(doc, dc, OUT_OK, NULL, "effective");
	else if (has)
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "effective in its user namespace only");
	else if (user_has_service(doc))
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "no; only the service needs it");
	else if (!uc->uc_needed)
		doctor_add(doc, dc, OUT_FACT, NULL, "no");
	else if (DOCTOR_CAP(fa, CAP_SYS_ADMIN))
		doctor_add(doc, dc, OUT_OK, NULL,
		    "no, but CAP_SYS_ADMIN includes it");
	else
		doctor_add(doc, dc, OUT_MISSING, doctor_advice(fa, EPERM, 1),
		    "no");
}

/* The row of a capability has its name. */
static void
user_named_cap(struct doctor *doc, const struct doctor_check *dc)
{
	const struct user_cap *uc = user_caps;

	while (strcmp(uc->uc_name, dc->dc_name) != 0)
		uc++;
	user_cap(doc, dc, uc);
}

/*
 * A running clock has a descriptor per CPU, as have rings during their setup;
 * dtd raises its limit to the hard one.
 */
static void
user_descriptors(struct doctor *doc, const struct doctor_check *dc)
{
	unsigned long ncpu = sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == -1)
		return;
	if (rl.rlim_max >= ncpu + USER_BASEFDS || user_has_service(doc))
		doctor_add(doc, dc, OUT_OK, NULL,
		    "%llu at most; a clock needs %lu (one per CPU)",
		    (unsigned long long)rl.rlim_max, ncpu);
	else
		doctor_add(doc, dc, OUT_WARNING,
		    "raise the hard limit (ulimit -Hn, LimitNOFILE)",
		    "%llu at most, but a clock needs %lu (one per CPU)",
		    (unsigned long long)rl.rlim_max, ncpu);
}

const struct doctor_check doctor_user[] = {
	{ "user", user_user, "rights: root has all of them" },
	{ "user-namespace", user_userns,
	    "bpf(2), which requires capabilities of the initial one" },
	{ "pid-namespace", user_pidns, "visible processes, and their numbers" },
	{ "seccomp", user_seccomp,
	    "bpf(2) and perf_event_open(2), which a filter may deny" },
	{ "CAP_BPF", user_named_cap, "loading BPF programs and creating maps" },
	{ "CAP_PERFMON", user_named_cap,
	    "BPF programs that read kernel memory, and clocks" },
	{ "CAP_SYS_ADMIN", user_named_cap,
	    "clocks and tracepoints if perf_event_paranoid is 3, measuring "
	    "the cost of tracing; includes the two above" },
	{ "CAP_SYSLOG", user_named_cap, "names of the kernel's functions" },
	{ "CAP_SYS_PTRACE", user_named_cap,
	    "a service: reading the namespaces of its clients" },
	{ "descriptors", user_descriptors, "clocks, and creating rings" },
	{ 0 },
};
