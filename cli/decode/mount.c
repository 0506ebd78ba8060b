/* SPDX-License-Identifier: ISC */
/*
 * File systems: mounts, swap, quotas.
 */
#include <linux/dqblk_xfs.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/quota.h>

#include "cli/decode/flag_names.h"
#include "mount_names.h"

/* Not in any UAPI header. */
#define SWAP_FLAG_PRIO_MASK 0x7fff

/* MS_MGC_VAL in the upper half: used before Linux 2.4, now ignored. */
static void
mount_flags_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	if ((v & MS_MGC_MSK) == MS_MGC_VAL) {
		buf_str(b, "MS_MGC_VAL");
		if ((v &= ~(uint64_t)MS_MGC_MSK) == 0)
			return;
		buf_c(b, '|');
	}
	arg_put_flags(b, &ms_names, v);
}

/* Prints SWAP_FLAG_PREFER|5, with the priority. */
static void
mount_swap_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	if ((v & ~(uint64_t)SWAP_FLAG_PRIO_MASK) != 0) {
		arg_put_flags(b, &swap_names,
		    v & ~(uint64_t)SWAP_FLAG_PRIO_MASK);
		buf_c(b, '|');
	}
	buf_u64(b, v & SWAP_FLAG_PRIO_MASK);
}

/* QCMD(Q_GETQUOTA, USRQUOTA) */
static void
mount_quota_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_str(b, "QCMD(");
	arg_put_enum(b, &quota_names, v >> SUBCMDSHIFT);
	buf_mem(b, ", ", 2);
	arg_put_enum(b, &quotatype_names, v & SUBCMDMASK);
	buf_c(b, ')');
}

/* Prints the id that the quota is for, or its format. */
static void
mount_quotaid_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	/* a descriptor or the command is the first argument */
	unsigned int cmd = ak->ak_table != NULL;

	if (arg_value(ac, cmd) >> SUBCMDSHIFT == Q_QUOTAON)
		arg_put_enum(b, &quotafmt_names, v);
	else
		arg_uid_text(b, ac, argn, v, ak);
}

/* Commands, and whether they have the arguments id and addr. */
static const struct {
	uint32_t qc_cmd;
	int qc_id, qc_addr;
} mount_quotas[] = {
	{ Q_SYNC, 0, 0 },
	{ Q_QUOTAOFF, 0, 0 },
	{ Q_GETFMT, 0, 1 },
	{ Q_GETINFO, 0, 1 },
	{ Q_SETINFO, 0, 1 },
	{ Q_XQUOTAON, 0, 1 },
	{ Q_XQUOTAOFF, 0, 1 },
	{ Q_XGETQSTAT, 0, 1 },
	{ Q_XQUOTARM, 0, 1 },
	{ Q_XGETQSTATV, 0, 1 },
	{ Q_XQUOTASYNC, 0, 0 },
};

static int
mount_quota_has(uint64_t cmd, unsigned int argn)
{
	size_t i;

	for (i = 0; i < sizeof(mount_quotas) / sizeof(mount_quotas[0]); i++) {
		if (mount_quotas[i].qc_cmd == cmd >> SUBCMDSHIFT)
			return argn == 2 ? mount_quotas[i].qc_id
					 : mount_quotas[i].qc_addr;
	}
	return 1;
}

static int
quotactl_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn < 2 || mount_quota_has(arg_value(ac, 0), argn);
}

static int
quotactl_fd_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn < 2 || mount_quota_has(arg_value(ac, 1), argn);
}

static const struct arg_row mount_rows[] = {
	{ "mount", "flags", NULL, ARG_FUNC_NAMES(mount_flags_text, ms_names) },
	{ "umount2 umount", "flags", NULL, ARG_FLAGS(umount_names) },
	{ "swapon", "swap_flags", NULL, ARG_FUNC(mount_swap_text) },
	{ "quotactl quotactl_fd", "cmd", NULL, ARG_FUNC(mount_quota_text) },
	{ "quotactl", "id", NULL, ARG_FUNC(mount_quotaid_text) },
	{ "quotactl_fd", "id", NULL,
	    ARG_KIND(mount_quotaid_text, &quotafmt_names) },
	{ "open_tree open_tree_attr", "flags", NULL,
	    ARG_FLAGS(opentree_names) },
	{ "move_mount", "flags", NULL, ARG_FLAGS(move_names) },
	{ "fsopen", "flags", NULL, ARG_FLAGS(fsopen_names) },
	{ "fsmount", "flags", NULL, ARG_FLAGS(fsmount_names) },
	{ "fsmount", "attr_flags", NULL, ARG_FLAGS(arg_names_mountattr) },
	{ "fspick", "flags", NULL, ARG_FLAGS(fspick_names) },
	{ "fsconfig", "cmd", NULL, ARG_ENUM(fsconfig_names) },
	{ "mount_setattr", "flags", NULL, ARG_FLAGS(arg_names_at) },
	{ "fsopen fsmount fspick open_tree open_tree_attr", "=", NULL,
	    ARG_FUNC(arg_fd_text) },
};

static const struct arg_show mount_shows[] = {
	{ "quotactl", quotactl_shown },
	{ "quotactl_fd", quotactl_fd_shown },
};

const struct arg_table arg_table_mount = ARG_TABLE_SHOW(mount_rows,
    mount_shows);
