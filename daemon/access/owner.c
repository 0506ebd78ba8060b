/* SPDX-License-Identifier: ISC */
/* Decides on the right TRACE_OWN at open, and on processes and files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/access/owner.h"
#include "daemon/access/peer.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/inspect/inspect_file.h"

/*
 * Returns why the peer is refused the right, or NULL.  The inspector's report
 * describes the peer only if the peer still exists afterwards.
 */
static const char *
owner_refuse(struct peer *pr, int sock, int own_userns,
    const struct inspect_client *ic, char *why, size_t len)
{
	const struct proccred *pc = &ic->icl_cred;

	if (!own_userns)
		return "the client is in another user namespace";
	if (ic->icl_crederror != 0 || ic->icl_usernsino == 0)
		return "the client's credentials cannot be read";
	if (!pc->pc_isone || pc->pc_uid != pr->peer_uid ||
	    pc->pc_gid != pr->peer_gid)
		return "real, effective and saved ids of the client differ";
	if (!pc->pc_dumpable)
		return "the client is not dumpable";
	if (!conf.cf_owndespite && ic->icl_confined[0] != '\0') {
		snprintf(why, len, "%s, and trace-own-despite-lsm is not set",
		    ic->icl_confined);
		return why;
	}
	pr->peer_owner.onr_uid = pc->pc_uid;
	pr->peer_owner.onr_gid = pc->pc_gid;
	pr->peer_owner.onr_caps = pc->pc_caps;
	pr->peer_owner.onr_userns = ic->icl_usernsino;
	return peer_alive(sock) == 0 ? NULL : "the client has exited";
}

int
owner_admit(struct peer *pr, int sock, const gid_t *gids, size_t ngids,
    int own_userns, const struct inspect_client *ic)
{
	char why[sizeof(pr->peer_noown)] = "";
	struct owner *ow = &pr->peer_owner;
	const char *text;

	text = owner_refuse(pr, sock, own_userns, ic, why, sizeof(why));
	if (text == NULL) {
		ow->onr_hasmore = ngids > OWNER_NGROUPS;
		ow->onr_ngids = ow->onr_hasmore ? OWNER_NGROUPS : ngids;
		memcpy(ow->onr_gids, gids, ow->onr_ngids * sizeof(*gids));
		return 1;
	}
	memset(&pr->peer_owner, 0, sizeof(pr->peer_owner));
	snprintf(pr->peer_noown, sizeof(pr->peer_noown), "%s", text);
	log_info("process %d of user %u does not get TRACE_OWN: %s",
	    (int)pr->peer_pid, (unsigned)pr->peer_uid, text);
	return 0;
}

int
owner_owns(const struct owner *ow, pid_t pid)
{
	struct inspect_client ic;
	const struct proccred *pc = &ic.icl_cred;

	return ow->onr_uid != 0 && inspect_client_request(pid, &ic) == 0 &&
	    ic.icl_crederror == 0 && pc->pc_isone &&
	    pc->pc_uid == ow->onr_uid && pc->pc_gid == ow->onr_gid &&
	    (pc->pc_caps & ~ow->onr_caps) == 0 && pc->pc_dumpable &&
	    ic.icl_usernsino == ow->onr_userns;
}

static int
owner_isin(const struct owner *ow, gid_t gid)
{
	unsigned int i;

	for (i = 0; i < ow->onr_ngids; i++)
		if (ow->onr_gids[i] == gid)
			return 1;
	return ow->onr_gid == gid;
}

int
owner_mayread(const struct owner *ow, const struct find_stat *fs)
{
	if (fs->fs_uid == ow->onr_uid)
		return (fs->fs_mode & S_IRUSR) != 0;
	if (fs->fs_hasacl)
		return 0;
	if (owner_isin(ow, fs->fs_gid))
		return (fs->fs_mode & S_IRGRP) != 0;
	if (ow->onr_hasmore && (fs->fs_mode & S_IRGRP) == 0)
		return 0;
	return (fs->fs_mode & S_IROTH) != 0;
}
