/* SPDX-License-Identifier: ISC */
/*
 * Selects the advice on a failure: the first row with its errno and conditions.
 * The same EPERM has a dozen causes; rows for specific causes come first.
 */
#include <errno.h>

#include <linux/capability.h>

#include "cli/doctor/doctor.h"

static int
is_any(const struct facts *fa)
{
	(void)fa;
	return 1;
}

static int
is_service(const struct facts *fa)
{
	return fa->fa_service >= SERVICE_CLOSED;
}

static int
is_dtdenv(const struct facts *fa)
{
	return fa->fa_dtdenv;
}

static int
is_userns(const struct facts *fa)
{
	return fa->fa_userns;
}

/* Lacks a privilege that a private daemon needs. */
static int
is_lacking(const struct facts *fa)
{
	return !DOCTOR_CAP(fa, CAP_SYS_ADMIN) &&
	    (!DOCTOR_CAP(fa, CAP_BPF) || !DOCTOR_CAP(fa, CAP_PERFMON));
}

/* Is root and lacks it nevertheless. */
static int
is_container(const struct facts *fa)
{
	return is_lacking(fa) && fa->fa_uid == 0;
}

static int
is_paranoid(const struct facts *fa)
{
	return fa->fa_paranoid > 2 && !DOCTOR_CAP(fa, CAP_SYS_ADMIN);
}

/* The service is restricted by kernel.perf_event_paranoid. */
static int
is_paranoid_service(const struct facts *fa)
{
	return fa->fa_paranoid > 2 && is_service(fa);
}

static int
is_confidential(const struct facts *fa)
{
	return fa->fa_lockdown == LOCKDOWN_CONFIDENTIALITY;
}

static int
is_seccomp(const struct facts *fa)
{
	return fa->fa_seccomp;
}

static int
is_old(const struct facts *fa)
{
	return fa->fa_old;
}

static int
is_without_btf(const struct facts *fa)
{
	return !fa->fa_btf;
}

struct advice {
	int ad_errno; /* 0: any */
	int (*ad_is)(const struct facts *);
	const char *ad_text;
};

/* The device could not be opened. */
static const struct advice advice_open[] = {
	{ EPERM, is_service,
	    "the service must admit you (setting allowdt); unless it is "
	    "root, it needs CAP_SYS_PTRACE, see dtd(8)" },
	{ EACCES, is_service,
	    "request access from the administrator to the socket " DTDEVNAME },
	{ EMFILE, is_any,
	    "wait until another client disconnects, or have the limit "
	    "raised that the message names (dtd.conf(5))" },
	{ ETIMEDOUT, is_service,
	    "the service hangs: check its log and restart it" },
	{ EPROTONOSUPPORT, is_any,
	    "dt and dtd are of different releases: install both from one" },
	{ EPROTO, is_any,
	    "dt and dtd are of different releases: install both from one" },
	{ 0, is_service,
	    "check the log of the service (dtd -v logs the reason)" },
	{ 0, is_dtdenv,
	    "$DT_DTD must be the path of dtd: unset or correct it" },
	{ ENOENT, is_any,
	    "install dtd, or copy it to the folder of dt, or set $DT_DTD to "
	    "its path" },
	{ 0, is_any, "run dtd --version, and see dtd(8)" },
};

/* The device was opened, but tracing failed. */
static const struct advice advice_probe[] = {
	{ EPERM, is_service,
	    "request the right from the administrator: group dt, or 'allow = "
	    "trace-own to user NAME' in /etc/dt/dtd.conf, see dtd.conf(5); or run "
	    "dt as root (sudo dt ...)" },
	{ ENOMEM, is_service,
	    "wait until another client disconnects, or have the setting "
	    "ring-bytes raised, see dtd(8)" },
	{ ETIMEDOUT, is_any,
	    "dtd hangs: check its log, and restart it if it is the service" },
	{ ECANCELED, is_any,
	    "the machine is busy, or cost-limit in the settings of dtd(8) is "
	    "too low" },
	{ EPERM, is_userns,
	    "capabilities of a user namespace do not count for bpf(2): run dt "
	    "outside of it, in a container that is not rootless" },
	{ EPERM, is_container,
	    "give the container what is missing (docker run --cap-add BPF "
	    "--cap-add PERFMON --cap-add SYSLOG)" },
	{ EPERM, is_lacking,
	    "run dt as root (sudo dt ...), or have the administrator start "
	    "dtd and grant you a right" },
	{ EPERM, is_confidential,
	    "boot without lockdown=confidentiality, under which BPF programs "
	    "may read nothing of the kernel" },
	{ EINVAL, is_confidential,
	    "boot without lockdown=confidentiality, under which BPF programs "
	    "may read nothing of the kernel" },
	{ EPERM, is_seccomp,
	    "a seccomp filter may deny bpf(2): allow it in the profile of the "
	    "container (docker run --security-opt seccomp=FILE)" },
	{ EACCES, is_paranoid_service,
	    "start dtd with CAP_SYS_ADMIN, which it leaves to its monitor "
	    "process, see dtd.conf(5); or sysctl kernel.perf_event_paranoid=2" },
	{ EACCES, is_paranoid,
	    "sysctl kernel.perf_event_paranoid=2, or run dt as root: with 3 "
	    "even CAP_PERFMON is not enough" },
	{ EPERM, is_any,
	    "a security module may deny it: check the kernel's log (dmesg)" },
	{ EACCES, is_any,
	    "a security module, or kernel.perf_event_paranoid, may deny it: "
	    "check the kernel's log (dmesg)" },
	{ 0, is_old, "dt needs Linux 6.1 or later: boot a newer kernel" },
	{ 0, is_without_btf,
	    "dt needs a kernel with BTF: CONFIG_DEBUG_INFO_BTF=y" },
	{ EMFILE, is_any,
	    "raise the hard limit of descriptors (ulimit -Hn), of dtd if it "
	    "is the service" },
	{ 0, is_any, "run dtd -vv, which prints the messages of the kernel" },
};

const char *
doctor_advice(const struct facts *fa, int error, int isopen)
{
	const struct advice *ad = isopen ? advice_probe : advice_open;

	while ((ad->ad_errno != 0 && ad->ad_errno != error) || !ad->ad_is(fa))
		ad++; /* the last row always matches */
	return ad->ad_text;
}
