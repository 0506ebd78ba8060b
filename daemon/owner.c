/* SPDX-License-Identifier: ISC */
/*
 * The right TRACE_OWN, see owner.h.
 *
 * It gives what ptrace(2) would give, and so must not give it where the
 * administrator has confined ptrace: Yama from scope 1 on, AppArmor for who
 * runs under a profile that is enforced, SELinux that is enforcing, Smack.
 * Landlock confines who has locked himself in; that cannot be seen from
 * outside, but it takes no_new_privs, as do most sandboxes, and a seccomp
 * filter is the mark of others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf.h"
#include "log.h"
#include "owner.h"
#include "peer.h"
#include "sym/inspect_find.h"

/* The first line of a file; 0 if it cannot be read. */
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

/* Each says what confines, or not. */

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
owner_confined(const char *root, const char *who, const struct proccred *pc,
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

/* Why he does not get it, or NULL.  What an inspector has told of him is his if
 * he lives still. */
static const char *
owner_refuse(struct peer *pr, int sock, int own_userns,
    const struct inspect_client *ic, char *why, size_t len)
{
	const struct proccred *pc = &ic->ic_cred;

	if (!own_userns)
		return "the client is in another user namespace";
	if (ic->ic_crederror != 0 || ic->ic_usernsino == 0)
		return "nothing can be read of the client";
	if (!pc->pc_isone || pc->pc_uid != pr->pr_uid ||
	    pc->pc_gid != pr->pr_gid)
		return "real, effective and saved ids of the client differ";
	if (!pc->pc_dumpable)
		return "the client is not dumpable";
	if (!conf.cf_owndespite && ic->ic_confined[0] != '\0') {
		snprintf(why, len, "%s, and trace-own-despite-lsm is not set",
		    ic->ic_confined);
		return why;
	}
	pr->pr_owner.ow_uid = pc->pc_uid;
	pr->pr_owner.ow_gid = pc->pc_gid;
	pr->pr_owner.ow_caps = pc->pc_caps;
	pr->pr_owner.ow_userns = ic->ic_usernsino;
	return peer_alive(sock) == 0 ? NULL : "the client has ended";
}

static void
owner_groups(struct owner *ow, const gid_t *gids, size_t ngids)
{
	ow->ow_hasmore = ngids > OWNER_NGROUPS;
	ow->ow_ngids = ow->ow_hasmore ? OWNER_NGROUPS : ngids;
	memcpy(ow->ow_gids, gids, ow->ow_ngids * sizeof(*gids));
}

int
owner_admit(struct peer *pr, int sock, const gid_t *gids, size_t ngids,
    int own_userns, const struct inspect_client *ic)
{
	char why[sizeof(pr->pr_noown)] = "";
	const char *text;

	text = owner_refuse(pr, sock, own_userns, ic, why, sizeof(why));
	if (text == NULL) {
		owner_groups(&pr->pr_owner, gids, ngids);
		return 1;
	}
	memset(&pr->pr_owner, 0, sizeof(pr->pr_owner));
	snprintf(pr->pr_noown, sizeof(pr->pr_noown), "%s", text);
	log_info("process %d of user %u does not get TRACE_OWN: %s",
	    (int)pr->pr_pid, (unsigned)pr->pr_uid, text);
	return 0;
}

int
owner_owns(const struct owner *ow, pid_t pid)
{
	struct inspect_client ic;
	const struct proccred *pc = &ic.ic_cred;

	return ow->ow_uid != 0 && inspect_client_ask(pid, &ic) == 0 &&
	    ic.ic_crederror == 0 && pc->pc_isone && pc->pc_uid == ow->ow_uid &&
	    pc->pc_gid == ow->ow_gid && (pc->pc_caps & ~ow->ow_caps) == 0 &&
	    pc->pc_dumpable && ic.ic_usernsino == ow->ow_userns;
}

static int
owner_isin(const struct owner *ow, gid_t gid)
{
	unsigned int i;

	for (i = 0; i < ow->ow_ngids; i++)
		if (ow->ow_gids[i] == gid)
			return 1;
	return ow->ow_gid == gid;
}

int
owner_mayread(const struct owner *ow, const struct find_stat *fs)
{
	if (fs->fs_uid == ow->ow_uid)
		return (fs->fs_mode & S_IRUSR) != 0;
	if (fs->fs_hasacl)
		return 0;
	if (owner_isin(ow, fs->fs_gid))
		return (fs->fs_mode & S_IRGRP) != 0;
	if (ow->ow_hasmore && (fs->fs_mode & S_IRGRP) == 0)
		return 0;
	return (fs->fs_mode & S_IROTH) != 0;
}
