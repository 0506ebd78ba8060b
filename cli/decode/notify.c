/* SPDX-License-Identifier: ISC */
/* inotify(7) and fanotify(7): watched events. */
#include <linux/fanotify.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>

#include "cli/decode/flag_names.h"

#ifndef FAN_MARK_MNTNS
#define FAN_MARK_MNTNS 0x110 /* Linux 6.14, as the next three */
#endif
#ifndef FAN_MNT_ATTACH
#define FAN_MNT_ATTACH 0x01000000
#define FAN_MNT_DETACH 0x02000000
#endif
#ifndef FAN_REPORT_MNT
#define FAN_REPORT_MNT 0x4000
#endif
#ifndef FAN_PRE_ACCESS
#define FAN_PRE_ACCESS 0x00100000 /* Linux 6.14 */
#endif
#ifndef FAN_REPORT_FD_ERROR
#define FAN_REPORT_FD_ERROR 0x2000 /* Linux 6.13 */
#endif

static const struct arg_name inotify_list[] = {
	ARG_BIT(IN_ACCESS),
	ARG_BIT(IN_MODIFY),
	ARG_BIT(IN_ATTRIB),
	ARG_BIT(IN_CLOSE_WRITE),
	ARG_BIT(IN_CLOSE_NOWRITE),
	ARG_BIT(IN_OPEN),
	ARG_BIT(IN_MOVED_FROM),
	ARG_BIT(IN_MOVED_TO),
	ARG_BIT(IN_CREATE),
	ARG_BIT(IN_DELETE),
	ARG_BIT(IN_DELETE_SELF),
	ARG_BIT(IN_MOVE_SELF),
	ARG_BIT(IN_UNMOUNT),
	ARG_BIT(IN_Q_OVERFLOW),
	ARG_BIT(IN_IGNORED),
	ARG_BIT(IN_ONLYDIR),
	ARG_BIT(IN_DONT_FOLLOW),
	ARG_BIT(IN_EXCL_UNLINK),
	ARG_BIT(IN_MASK_CREATE),
	ARG_BIT(IN_MASK_ADD),
	ARG_BIT(IN_ISDIR),
	ARG_BIT(IN_ONESHOT),
};
static const struct arg_names inotify_names = ARG_NAMES(inotify_list);

static const struct arg_name ininit_list[] = {
	ARG_NAME(O_NONBLOCK, O_NONBLOCK, "IN_NONBLOCK"),
	ARG_NAME(O_CLOEXEC, O_CLOEXEC, "IN_CLOEXEC"),
};
static const struct arg_names ininit_names = ARG_NAMES(ininit_list);

#define FAN_CLASS (FAN_CLASS_CONTENT | FAN_CLASS_PRE_CONTENT)

static const struct arg_name faninit_list[] = {
	ARG_FIELD(FAN_CLASS, FAN_CLASS_NOTIF),
	ARG_FIELD(FAN_CLASS, FAN_CLASS_CONTENT),
	ARG_FIELD(FAN_CLASS, FAN_CLASS_PRE_CONTENT),
	ARG_BIT(FAN_CLOEXEC),
	ARG_BIT(FAN_NONBLOCK),
	ARG_BIT(FAN_UNLIMITED_QUEUE),
	ARG_BIT(FAN_UNLIMITED_MARKS),
	ARG_BIT(FAN_ENABLE_AUDIT),
	ARG_BIT(FAN_REPORT_PIDFD),
	ARG_BIT(FAN_REPORT_TID),
	ARG_BIT(FAN_REPORT_FID),
	ARG_BIT(FAN_REPORT_DIR_FID),
	ARG_BIT(FAN_REPORT_NAME),
	ARG_BIT(FAN_REPORT_TARGET_FID),
	ARG_BIT(FAN_REPORT_FD_ERROR),
	ARG_BIT(FAN_REPORT_MNT),
};
static const struct arg_names faninit_names = ARG_NAMES(faninit_list);

#define FAN_MARK_TYPE (FAN_MARK_MOUNT | FAN_MARK_FILESYSTEM)

static const struct arg_name fanmark_list[] = {
	ARG_BIT(FAN_MARK_ADD),
	ARG_BIT(FAN_MARK_REMOVE),
	ARG_BIT(FAN_MARK_DONT_FOLLOW),
	ARG_BIT(FAN_MARK_ONLYDIR),
	ARG_FIELD(FAN_MARK_TYPE, FAN_MARK_MNTNS),
	ARG_FIELD(FAN_MARK_TYPE, FAN_MARK_MOUNT),
	ARG_BIT(FAN_MARK_IGNORED_MASK),
	ARG_BIT(FAN_MARK_IGNORED_SURV_MODIFY),
	ARG_BIT(FAN_MARK_FLUSH),
	ARG_FIELD(FAN_MARK_TYPE, FAN_MARK_FILESYSTEM),
	ARG_BIT(FAN_MARK_EVICTABLE),
	ARG_BIT(FAN_MARK_IGNORE),
};
static const struct arg_names fanmark_names = ARG_NAMES(fanmark_list);

static const struct arg_name fanevent_list[] = {
	ARG_BIT(FAN_ACCESS),
	ARG_BIT(FAN_MODIFY),
	ARG_BIT(FAN_ATTRIB),
	ARG_BIT(FAN_CLOSE_WRITE),
	ARG_BIT(FAN_CLOSE_NOWRITE),
	ARG_BIT(FAN_OPEN),
	ARG_BIT(FAN_MOVED_FROM),
	ARG_BIT(FAN_MOVED_TO),
	ARG_BIT(FAN_CREATE),
	ARG_BIT(FAN_DELETE),
	ARG_BIT(FAN_DELETE_SELF),
	ARG_BIT(FAN_MOVE_SELF),
	ARG_BIT(FAN_OPEN_EXEC),
	ARG_BIT(FAN_Q_OVERFLOW),
	ARG_BIT(FAN_FS_ERROR),
	ARG_BIT(FAN_OPEN_PERM),
	ARG_BIT(FAN_ACCESS_PERM),
	ARG_BIT(FAN_OPEN_EXEC_PERM),
	ARG_BIT(FAN_PRE_ACCESS),
	ARG_BIT(FAN_MNT_ATTACH),
	ARG_BIT(FAN_MNT_DETACH),
	ARG_BIT(FAN_EVENT_ON_CHILD),
	ARG_BIT(FAN_RENAME),
	ARG_BIT(FAN_ONDIR),
};
static const struct arg_names fanevent_names = ARG_NAMES(fanevent_list);

static const struct arg_row notify_rows[] = {
	{ "inotify_add_watch", "mask", NULL, ARG_FLAGS(inotify_names) },
	{ "inotify_init1", "flags", NULL, ARG_FLAGS(ininit_names) },
	{ "fanotify_init", "flags", NULL, ARG_FLAGS(faninit_names) },
	{ "fanotify_init", "event_f_flags", NULL, ARG_FLAGS(arg_names_open) },
	{ "fanotify_mark", "flags", NULL, ARG_FLAGS(fanmark_names) },
	{ "fanotify_mark", "mask", NULL, ARG_FLAGS(fanevent_names) },
	{ "fanotify_mark", "mask_lo", NULL, ARG_FLAGS(fanevent_names) },
	{ "inotify_init inotify_init1 fanotify_init", "=", NULL,
	    ARG_FUNC(arg_fd_text) },
};

const struct arg_table arg_table_notify = ARG_TABLE(notify_rows);
