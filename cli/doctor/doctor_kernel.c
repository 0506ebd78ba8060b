/* SPDX-License-Identifier: ISC */
/* dt doctor: the kernel and its settings. */
#include <sys/utsname.h>

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>

#include "cli/doctor/doctor.h"

#define KERNEL_BASEMAPS 200 /* mappings of a daemon without sessions */

static void
kernel_release(struct doctor *doc, const struct doctor_check *dc)
{
	struct utsname un;

	if (uname(&un) == -1)
		return;
	if (doc->do_facts.fa_old)
		doctor_add(doc, dc, OUT_MISSING,
		    "boot Linux 6.1 or later, the versions that dt is tested "
		    "with",
		    "%s %s", un.release, un.machine);
	else
		doctor_add(doc, dc, OUT_OK, NULL, "%s %s", un.release,
		    un.machine);
}

static void
kernel_btf(struct doctor *doc, const struct doctor_check *dc)
{
	if (doc->do_facts.fa_btf)
		doctor_add(doc, dc, OUT_OK, NULL, "/sys/kernel/btf/vmlinux");
	else
		doctor_add(doc, dc, OUT_MISSING,
		    "boot a kernel with CONFIG_DEBUG_INFO_BTF=y, the default "
		    "of distributions",
		    "there is no /sys/kernel/btf/vmlinux");
}

/*
 * Reads a setting by its path below /proc/sys; NULL after a message if missing.
 */
static const char *
kernel_sysctl(struct doctor *doc, const struct doctor_check *dc,
    const char *path)
{
	static char line[64];

	if (doctor_read(path, line, sizeof(line)) == 0)
		return line;
	doctor_add(doc, dc, OUT_FACT, NULL, "%s: %s", path, strerror(errno));
	return NULL;
}

static void
kernel_unprivileged(struct doctor *doc, const struct doctor_check *dc)
{
	const char *value = kernel_sysctl(doc, dc,
	    "/proc/sys/kernel/unprivileged_bpf_disabled");

	if (value != NULL)
		doctor_add(doc, dc, OUT_OK, NULL,
		    "%s; dt needs a capability in any case", value);
}

static void
kernel_paranoid(struct doctor *doc, const struct doctor_check *dc)
{
	const struct facts *fa = &doc->do_facts;
	const char *value = kernel_sysctl(doc, dc,
	    "/proc/sys/kernel/perf_event_paranoid");

	if (value == NULL)
		return;
	if (fa->fa_paranoid > 2 && fa->fa_service >= SERVICE_CLOSED)
		doctor_add(doc, dc, OUT_OK, NULL,
		    "%s: perf events require CAP_SYS_ADMIN, which only the "
		    "monitor process of a service has",
		    value);
	else if (fa->fa_paranoid > 2 && !DOCTOR_CAP(fa, CAP_SYS_ADMIN))
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "%s: clocks and tracepoints need CAP_SYS_ADMIN", value);
	else
		doctor_add(doc, dc, OUT_OK, NULL, "%s", value);
}

static void
kernel_kptr(struct doctor *doc, const struct doctor_check *dc)
{
	const char *value = kernel_sysctl(doc, dc,
	    "/proc/sys/kernel/kptr_restrict");

	if (value == NULL)
		return;
	if (atoi(value) > 1)
		doctor_add(doc, dc, OUT_WARNING,
		    "set sysctl kernel.kptr_restrict=1, so that CAP_SYSLOG "
		    "suffices for names",
		    "%s: the kernel hides its addresses from all users, so "
		    "they have no names",
		    value);
	else
		doctor_add(doc, dc, OUT_OK, NULL, "%s", value);
}

static void
kernel_lockdown(struct doctor *doc, const struct doctor_check *dc)
{
	switch (doc->do_facts.fa_lockdown) {
	case LOCKDOWN_CONFIDENTIALITY:
		doctor_add(doc, dc, OUT_MISSING,
		    "boot without lockdown=confidentiality; integrity is fine",
		    "confidentiality: BPF programs may read nothing of the "
		    "kernel");
		break;
	case LOCKDOWN_UNKNOWN:
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "unknown: the kernel has no lockdown, or securityfs is "
		    "not mounted");
		break;
	default:
		doctor_add(doc, dc, OUT_OK, NULL, "%s",
		    doc->do_facts.fa_lockdown == LOCKDOWN_NONE ? "none"
							       : "integrity");
		break;
	}
}

/* A ring has two mappings, and each session has a ring per CPU. */
static void
kernel_mappings(struct doctor *doc, const struct doctor_check *dc)
{
	const char *value = kernel_sysctl(doc, dc,
	    "/proc/sys/vm/max_map_count");
	long each = 2 * sysconf(_SC_NPROCESSORS_CONF);

	if (value == NULL)
		return;
	if (atol(value) < each + KERNEL_BASEMAPS)
		doctor_add(doc, dc, OUT_WARNING,
		    "sysctl vm.max_map_count=65530",
		    "%s: too few for a session, which needs %ld (2 per CPU)",
		    value, each);
	else
		doctor_add(doc, dc, OUT_OK, NULL,
		    "%s; a session needs %ld (2 per CPU)", value, each);
}

static void
kernel_jit(struct doctor *doc, const struct doctor_check *dc)
{
	const char *value = kernel_sysctl(doc, dc,
	    "/proc/sys/net/core/bpf_jit_enable");

	if (value == NULL)
		return;
	if (atoi(value) == 0)
		doctor_add(doc, dc, OUT_WARNING,
		    "sysctl net.core.bpf_jit_enable=1",
		    "0: BPF programs are interpreted, which slows down "
		    "traced calls");
	else
		doctor_add(doc, dc, OUT_OK, NULL, "%s", value);
}

static void
kernel_tracefs(struct doctor *doc, const struct doctor_check *dc)
{
	if (access("/sys/kernel/tracing/events", R_OK | X_OK) == 0)
		doctor_add(doc, dc, OUT_OK, NULL, "/sys/kernel/tracing");
	else
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "/sys/kernel/tracing/events: %s", strerror(errno));
}

static void
kernel_kprobes(struct doctor *doc, const struct doctor_check *dc)
{
	if (access("/sys/bus/event_source/devices/kprobe/type", F_OK) == 0)
		doctor_add(doc, dc, OUT_OK, NULL, "yes");
	else
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "no: this kernel is without CONFIG_KPROBE_EVENTS");
}

static void
kernel_pmu(struct doctor *doc, const struct doctor_check *dc)
{
	glob_t gl = { 0 };

	/* of arm64: armv8_pmuv3_0, armv8_cortex_a72 */
	if (glob("/sys/bus/event_source/devices/cpu*", 0, NULL, &gl) == 0 ||
	    glob("/sys/bus/event_source/devices/armv*", 0, NULL, &gl) == 0)
		doctor_add(doc, dc, OUT_OK, NULL, "%s",
		    strrchr(gl.gl_pathv[0], '/') + 1);
	else
		doctor_add(doc, dc, OUT_FACT, NULL,
		    "no, as in most virtual machines");
	globfree(&gl);
}

const struct doctor_check doctor_kernel[] = {
	{ "release", kernel_release, "features of Linux 6.1" },
	{ "btf", kernel_btf, "fitting the programs to this kernel" },
	{ "unprivileged_bpf_disabled", kernel_unprivileged,
	    "bpf(2) without a capability" },
	{ "perf_event_paranoid", kernel_paranoid,
	    "clocks and tracepoints: above 0 they require CAP_PERFMON, above "
	    "2 CAP_SYS_ADMIN" },
	{ "kptr_restrict", kernel_kptr, "names of the kernel's functions" },
	{ "lockdown", kernel_lockdown, "restrictions that apply to root, too" },
	{ "max_map_count", kernel_mappings, "rings of many CPUs and sessions" },
	{ "bpf_jit_enable", kernel_jit, "the speed of BPF programs" },
	{ "tracefs", kernel_tracefs, "the provider tracepoint" },
	{ "kprobes", kernel_kprobes, "the provider kprobe" },
	{ "pmu", kernel_pmu, "hardware counters of dt tprof" },
	{ 0 },
};
