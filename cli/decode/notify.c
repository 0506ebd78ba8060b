/* SPDX-License-Identifier: ISC */
/* inotify(7) and fanotify(7): watched events. */
#include <linux/fanotify.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>

#include "cli/decode/flag_names.h"
#include "notify_names.h"

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
