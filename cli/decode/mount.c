/* SPDX-License-Identifier: ISC */
/*
 * File systems: mounts, swap, quotas.
 */
#include <linux/dqblk_xfs.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/quota.h>

#include "cli/decode/flag_names.h"

#ifndef MOVE_MOUNT_BENEATH
#define MOVE_MOUNT_BENEATH 0x00000200 /* Linux 6.5 */
#endif
#ifndef FSCONFIG_CMD_CREATE_EXCL
#define FSCONFIG_CMD_CREATE_EXCL 8 /* Linux 6.6 */
#endif

/* Not in any UAPI header: libc's, and internal ones of the kernel. */
#define MNT_FORCE		1
#define MNT_DETACH		2
#define MNT_EXPIRE		4
#define UMOUNT_NOFOLLOW		8
#define SWAP_FLAG_PREFER	0x8000
#define SWAP_FLAG_PRIO_MASK	0x7fff
#define SWAP_FLAG_DISCARD	0x10000
#define SWAP_FLAG_DISCARD_ONCE	0x20000
#define SWAP_FLAG_DISCARD_PAGES 0x40000

static const struct arg_name ms_list[] = { ARG_BIT(MS_RDONLY),
	ARG_BIT(MS_NOSUID), ARG_BIT(MS_NODEV), ARG_BIT(MS_NOEXEC),
	ARG_BIT(MS_SYNCHRONOUS), ARG_BIT(MS_REMOUNT), ARG_BIT(MS_MANDLOCK),
	ARG_BIT(MS_DIRSYNC), ARG_BIT(MS_NOSYMFOLLOW), ARG_BIT(MS_NOATIME),
	ARG_BIT(MS_NODIRATIME), ARG_BIT(MS_BIND), ARG_BIT(MS_MOVE),
	ARG_BIT(MS_REC), ARG_BIT(MS_SILENT), ARG_BIT(MS_POSIXACL),
	ARG_BIT(MS_UNBINDABLE), ARG_BIT(MS_PRIVATE), ARG_BIT(MS_SLAVE),
	ARG_BIT(MS_SHARED), ARG_BIT(MS_RELATIME), ARG_BIT(MS_KERNMOUNT),
	ARG_BIT(MS_I_VERSION), ARG_BIT(MS_STRICTATIME), ARG_BIT(MS_LAZYTIME),
	ARG_BIT(MS_SUBMOUNT), ARG_BIT(MS_NOREMOTELOCK), ARG_BIT(MS_NOSEC),
	ARG_BIT(MS_BORN), ARG_BIT(MS_ACTIVE), ARG_BIT(MS_NOUSER) };
static const struct arg_names ms_names = ARG_NAMES(ms_list);

static const struct arg_name umount_list[] = { ARG_BIT(MNT_FORCE),
	ARG_BIT(MNT_DETACH), ARG_BIT(MNT_EXPIRE), ARG_BIT(UMOUNT_NOFOLLOW) };
static const struct arg_names umount_names = ARG_NAMES(umount_list);

static const struct arg_name swap_list[] = { ARG_BIT(SWAP_FLAG_PREFER),
	ARG_BIT(SWAP_FLAG_DISCARD), ARG_BIT(SWAP_FLAG_DISCARD_ONCE),
	ARG_BIT(SWAP_FLAG_DISCARD_PAGES) };
static const struct arg_names swap_names = ARG_NAMES(swap_list);

static const struct arg_name opentree_list[] = {
	ARG_NAME(OPEN_TREE_CLONE, OPEN_TREE_CLONE, "OPEN_TREE_CLONE"),
	ARG_NAME(OPEN_TREE_CLOEXEC, OPEN_TREE_CLOEXEC, "OPEN_TREE_CLOEXEC"),
	ARG_NAME(AT_SYMLINK_NOFOLLOW, AT_SYMLINK_NOFOLLOW,
	    "AT_SYMLINK_NOFOLLOW"),
	ARG_NAME(AT_REMOVEDIR, AT_REMOVEDIR, "AT_REMOVEDIR"),
	ARG_NAME(AT_SYMLINK_FOLLOW, AT_SYMLINK_FOLLOW, "AT_SYMLINK_FOLLOW"),
	ARG_NAME(AT_NO_AUTOMOUNT, AT_NO_AUTOMOUNT, "AT_NO_AUTOMOUNT"),
	ARG_NAME(AT_EMPTY_PATH, AT_EMPTY_PATH, "AT_EMPTY_PATH"),
	ARG_NAME(AT_RECURSIVE, AT_RECURSIVE, "AT_RECURSIVE")
};
static const struct arg_names opentree_names = ARG_NAMES(opentree_list);

static const struct arg_name move_list[] = { ARG_BIT(MOVE_MOUNT_F_SYMLINKS),
	ARG_BIT(MOVE_MOUNT_F_AUTOMOUNTS), ARG_BIT(MOVE_MOUNT_F_EMPTY_PATH),
	ARG_BIT(MOVE_MOUNT_T_SYMLINKS), ARG_BIT(MOVE_MOUNT_T_AUTOMOUNTS),
	ARG_BIT(MOVE_MOUNT_T_EMPTY_PATH), ARG_BIT(MOVE_MOUNT_SET_GROUP),
	ARG_BIT(MOVE_MOUNT_BENEATH) };
static const struct arg_names move_names = ARG_NAMES(move_list);

static const struct arg_name fsopen_list[] = { ARG_BIT(FSOPEN_CLOEXEC) };
static const struct arg_names fsopen_names = ARG_NAMES(fsopen_list);

static const struct arg_name fsmount_list[] = { ARG_BIT(FSMOUNT_CLOEXEC) };
static const struct arg_names fsmount_names = ARG_NAMES(fsmount_list);

static const struct arg_name fspick_list[] = { ARG_BIT(FSPICK_CLOEXEC),
	ARG_BIT(FSPICK_SYMLINK_NOFOLLOW), ARG_BIT(FSPICK_NO_AUTOMOUNT),
	ARG_BIT(FSPICK_EMPTY_PATH) };
static const struct arg_names fspick_names = ARG_NAMES(fspick_list);

static const struct arg_name fsconfig_list[] = { ARG_IS(FSCONFIG_SET_FLAG),
	ARG_IS(FSCONFIG_SET_STRING), ARG_IS(FSCONFIG_SET_BINARY),
	ARG_IS(FSCONFIG_SET_PATH), ARG_IS(FSCONFIG_SET_PATH_EMPTY),
	ARG_IS(FSCONFIG_SET_FD), ARG_IS(FSCONFIG_CMD_CREATE),
	ARG_IS(FSCONFIG_CMD_RECONFIGURE), ARG_IS(FSCONFIG_CMD_CREATE_EXCL) };
static const struct arg_names fsconfig_names = ARG_NAMES(fsconfig_list);

static const struct arg_name attr_list[] = {
	ARG_NAME(MOUNT_ATTR_RDONLY, MOUNT_ATTR_RDONLY, "MOUNT_ATTR_RDONLY"),
	ARG_NAME(MOUNT_ATTR_NOSUID, MOUNT_ATTR_NOSUID, "MOUNT_ATTR_NOSUID"),
	ARG_NAME(MOUNT_ATTR_NODEV, MOUNT_ATTR_NODEV, "MOUNT_ATTR_NODEV"),
	ARG_NAME(MOUNT_ATTR_NOEXEC, MOUNT_ATTR_NOEXEC, "MOUNT_ATTR_NOEXEC"),
	ARG_NAME(MOUNT_ATTR__ATIME, MOUNT_ATTR_NOATIME, "MOUNT_ATTR_NOATIME"),
	ARG_NAME(MOUNT_ATTR__ATIME, MOUNT_ATTR_STRICTATIME,
	    "MOUNT_ATTR_STRICTATIME"),
	ARG_NAME(MOUNT_ATTR_NODIRATIME, MOUNT_ATTR_NODIRATIME,
	    "MOUNT_ATTR_NODIRATIME"),
	ARG_NAME(MOUNT_ATTR_IDMAP, MOUNT_ATTR_IDMAP, "MOUNT_ATTR_IDMAP"),
	ARG_NAME(MOUNT_ATTR_NOSYMFOLLOW, MOUNT_ATTR_NOSYMFOLLOW,
	    "MOUNT_ATTR_NOSYMFOLLOW")
};
const struct arg_names arg_names_mountattr = ARG_NAMES(attr_list);

static const struct arg_name quota_list[] = { ARG_IS(Q_SYNC), ARG_IS(Q_QUOTAON),
	ARG_IS(Q_QUOTAOFF), ARG_IS(Q_GETFMT), ARG_IS(Q_GETINFO),
	ARG_IS(Q_SETINFO), ARG_IS(Q_GETQUOTA), ARG_IS(Q_SETQUOTA),
	ARG_IS(Q_GETNEXTQUOTA), ARG_IS(Q_XQUOTAON), ARG_IS(Q_XQUOTAOFF),
	ARG_IS(Q_XGETQUOTA), ARG_IS(Q_XSETQLIM), ARG_IS(Q_XGETQSTAT),
	ARG_IS(Q_XQUOTARM), ARG_IS(Q_XQUOTASYNC), ARG_IS(Q_XGETQSTATV),
	ARG_IS(Q_XGETNEXTQUOTA) };
static const struct arg_names quota_names = ARG_NAMES(quota_list);

static const struct arg_name quotatype_list[] = { ARG_IS(USRQUOTA),
	ARG_IS(GRPQUOTA), ARG_IS(PRJQUOTA) };
static const struct arg_names quotatype_names = ARG_NAMES(quotatype_list);

static const struct arg_name quotafmt_list[] = { ARG_IS(QFMT_VFS_OLD),
	ARG_IS(QFMT_VFS_V0), ARG_IS(QFMT_OCFS2), ARG_IS(QFMT_VFS_V1) };
static const struct arg_names quotafmt_names = ARG_NAMES(quotafmt_list);

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

/* Which of the arguments id and addr a command has. */
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
