/* SPDX-License-Identifier: ISC */
/*
 * Detects confinement of ptrace(2) beyond the ids of a process: by Yama from
 * scope 1 on, by an enforced AppArmor profile, by enforcing SELinux, by Smack.
 * A process confined by Landlock cannot be recognized from outside, but
 * Landlock needs no_new_privs, as do most sandboxes; other sandboxes have a
 * seccomp filter.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/inspect/inspect_client.h"

/* Reads the first line of a file.  Returns 0 if it cannot be read. */
static int
read_line(const char *root, const char *name, char *line, size_t size)
{
	char path[512];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s%s", root, name);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) != -1) {
		n = read(fd, line, size - 1);
		close(fd);
	}
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return n >= 0;
}

static int
has_ending(const char *text, const char *ending)
{
	size_t n = strlen(text), len = strlen(ending);

	return n >= len && strcmp(text + n - len, ending) == 0;
}

/* Each returns whether it confines, and writes the reason. */

static int
yama_confines(const char *root, const char *who __attribute__((unused)),
    char *why, size_t len)
{
	char line[16];

	if (!read_line(root, "/proc/sys/kernel/yama/ptrace_scope", line,
		sizeof(line)) ||
	    strtol(line, NULL, 10) < 1)
		return 0;
	snprintf(why, len, "kernel.yama.ptrace_scope is %s", line);
	return 1;
}

static int
apparmor_confines(const char *root, const char *who, char *why, size_t len)
{
	char name[64], label[256];

	snprintf(name, sizeof(name), "/proc/%s/attr/apparmor/current", who);
	if (!read_line(root, name, label, sizeof(label)) || label[0] == '\0' ||
	    strcmp(label, "unconfined") == 0 ||
	    has_ending(label, "(unconfined)") ||
	    has_ending(label, "(complain)"))
		return 0;
	snprintf(why, len, "AppArmor confines the client");
	return 1;
}

static int
selinux_confines(const char *root, const char *who __attribute__((unused)),
    char *why, size_t len)
{
	char line[16];

	if (!read_line(root, "/sys/fs/selinux/enforce", line, sizeof(line)) ||
	    strcmp(line, "1") != 0)
		return 0;
	snprintf(why, len, "SELinux is enforcing");
	return 1;
}

static int
smack_confines(const char *root, const char *who __attribute__((unused)),
    char *why, size_t len)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/sys/fs/smackfs/load2", root);
	if (access(path, F_OK) == -1)
		return 0;
	snprintf(why, len, "Smack is active");
	return 1;
}

int
ptrace_confined(const char *root, const char *who, const struct proccred *pc,
    char *why, size_t len)
{
	static int (*const rules[])(const char *, const char *, char *,
	    size_t) = { yama_confines, apparmor_confines, selinux_confines,
		smack_confines };
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i](root, who, why, len))
			return 1;
	if (!pc->pc_sandboxed)
		return 0;
	snprintf(why, len,
	    "the client may be in a sandbox (no_new_privs or seccomp)");
	return 1;
}
