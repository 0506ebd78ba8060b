/* SPDX-License-Identifier: ISC */
/* Collects the facts and prints the lines for the sections of dt doctor. */
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/utsname.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"

#define DOCTOR_KERNEL 601 /* 100 * version + patch level: 6.1 */

/*
 * Inode numbers of the initial namespaces: PROC_USER_INIT_INO and
 * PROC_PID_INIT_INO of the kernel.
 */
#define DOCTOR_USERNS "user:[4026531837]"
#define DOCTOR_PIDNS  "pid:[4026531836]"

int
doctor_read(const char *path, char *line, size_t size)
{
	FILE *fp = fopen(path, "re");
	int ok;

	if (fp == NULL)
		return -1;
	errno = 0;
	ok = fgets(line, size, fp) != NULL;
	fclose(fp);
	if (!ok) {
		errno = errno != 0 ? errno : ENODATA;
		return -1;
	}
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

void
doctor_add(struct doctor *doc, const struct doctor_check *dc,
    enum out_verdict verdict, const char *advice, const char *fmt, ...)
{
	struct out_check *ox = &doc->do_checks[doc->do_nchecks];
	va_list ap;

	if (doc->do_nchecks == DOCTOR_MAXCHECKS)
		return;
	doc->do_nchecks++;
	if (verdict == OUT_MISSING && doc->do_works) {
		verdict = OUT_FACT;
		advice = NULL;
	}
	ox->ox_verdict = verdict;
	ox->ox_advice = advice;
	ox->ox_for = dc->dc_for;
	snprintf(ox->ox_name, sizeof(ox->ox_name), "%s", dc->dc_name);
	va_start(ap, fmt);
	vsnprintf(ox->ox_found, sizeof(ox->ox_found), fmt, ap);
	va_end(ap);
}

/*
 * Facts
 */

/* Returns whether this is not the initial namespace. */
static int
facts_ns(const char *kind, const char *initial)
{
	char path[64], link[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	if ((n = readlink(path, link, sizeof(link) - 1)) == -1)
		return 0; /* a kernel without such namespaces */
	link[n] = '\0';
	return strcmp(link, initial) != 0;
}

static void
facts_status(struct facts *fa)
{
	FILE *fp = fopen("/proc/self/status", "re");
	unsigned long long caps;
	char line[256];
	int mode;

	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL) {
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			fa->fa_caps = caps;
		if (sscanf(line, "Seccomp: %d", &mode) == 1)
			fa->fa_seccomp = mode != 0;
	}
	if (fp != NULL)
		fclose(fp);
}

static int
facts_old(void)
{
	unsigned int version, level;
	struct utsname un;

	return uname(&un) == 0 &&
	    sscanf(un.release, "%u.%u", &version, &level) == 2 &&
	    100 * version + level < DOCTOR_KERNEL;
}

static enum doctor_lockdown
facts_lockdown(void)
{
	static const char *const modes[] = {
		[LOCKDOWN_NONE] = "[none]",
		[LOCKDOWN_INTEGRITY] = "[integrity]",
		[LOCKDOWN_CONFIDENTIALITY] = "[confidentiality]",
	};
	char line[256];
	int mode;

	if (doctor_read("/sys/kernel/security/lockdown", line, sizeof(line)) ==
	    -1)
		return LOCKDOWN_UNKNOWN;
	for (mode = LOCKDOWN_NONE; mode < LOCKDOWN_UNKNOWN; mode++)
		if (strstr(line, modes[mode]) != NULL)
			break;
	return mode;
}

/* Connects to the socket, without waiting. */
static enum doctor_service
facts_service(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX,
		.sun_path = DTDEVNAME };
	enum doctor_service service = SERVICE_THERE;
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    0);

	if (connect(sock, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		service = errno == ENOENT   ? SERVICE_NONE
		    : errno == ECONNREFUSED ? SERVICE_DEAD
		    : errno == EAGAIN	    ? SERVICE_FULL
					    : SERVICE_CLOSED;
	close(sock);
	return service;
}

void
doctor_facts(struct facts *fa)
{
	const char *dtd = getenv("DT_DTD");
	char line[64];

	memset(fa, 0, sizeof(*fa));
	fa->fa_uid = geteuid();
	facts_status(fa);
	fa->fa_userns = facts_ns("user", DOCTOR_USERNS);
	fa->fa_pidns = facts_ns("pid", DOCTOR_PIDNS);
	fa->fa_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	fa->fa_old = facts_old();
	fa->fa_dtdenv = dtd != NULL && *dtd != '\0';
	if (doctor_read("/proc/sys/kernel/perf_event_paranoid", line,
		sizeof(line)) == 0)
		fa->fa_paranoid = atoi(line);
	fa->fa_lockdown = facts_lockdown();
	fa->fa_service = facts_service();
}
