/* SPDX-License-Identifier: ISC */
/*
 * The keys of stat: where in an event each has its value, and how that reads.
 * A new key is a row of the table at the end.
 */
#include <string.h>

#include "cli/stat/key_rows.h"
#include "cli/sym/cgroup.h"

#define NUMBER \
	{ \
		.bl_min = 7, .bl_max = 20, .bl_isright = 1 \
	}
#define PID \
	{ \
		.bl_min = 7, .bl_max = 7, .bl_isright = 1 \
	}
#define CPU \
	{ \
		.bl_min = 4, .bl_max = 4, .bl_isright = 1 \
	}
#define TEXT(min, max) \
	{ \
		.bl_min = (min), .bl_max = (max) \
	}

const struct by_kind by_argument = {
	.bk_evtflags = DTEVT_FUNCARGS,
	.bk_side = BY_ENTRY,
	.bk_column = TEXT(7, 48),
	.bk_get = by_get_arg,
	.bk_text = by_text_arg,
	.bk_json = by_json_arg,
	.bk_haswords = 1,
};

static const struct by_kind by_kinds[] = {
	{
	    .bk_name = "probe",
	    .bk_column = TEXT(16, 48),
	    .bk_get = by_get_probe,
	    .bk_text = by_text_probe,
	    .bk_json = by_json_probe,
	},
	{
	    .bk_name = "pid",
	    .bk_column = PID,
	    .bk_get = by_get_pid,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "tid",
	    .bk_column = PID,
	    .bk_get = by_get_tid,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "comm",
	    .bk_evtflags = DTEVT_EXECNAME,
	    .bk_column = TEXT(15, 15),
	    .bk_get = by_get_comm,
	    .bk_text = by_text_comm,
	    .bk_json = by_json_str,
	},
	{
	    .bk_name = "uid",
	    .bk_evtflags = DTEVT_WHO,
	    .bk_column = TEXT(8, 32),
	    .bk_get = by_get_uid,
	    .bk_text = by_text_uid,
	    .bk_json = by_json_uid,
	},
	{
	    .bk_name = "ppid",
	    .bk_evtflags = DTEVT_WHO,
	    .bk_column = PID,
	    .bk_get = by_get_ppid,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "cpu",
	    .bk_column = CPU,
	    .bk_get = by_get_cpu,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "cgroup",
	    .bk_evtflags = DTEVT_WHO,
	    .bk_column = TEXT(16, 48),
	    .bk_get = by_get_cgroup,
	    .bk_text = by_text_cgroup,
	    .bk_json = by_json_cgroup,
	    .bk_keep = by_keep_cgroup,
	},
	{
	    .bk_name = "errno",
	    .bk_side = BY_RETURN,
	    .bk_column = TEXT(8, 24),
	    .bk_get = by_get_errno,
	    .bk_text = by_text_errno,
	    .bk_json = by_text_num,
	    .bk_haswords = 1,
	},
	{
	    .bk_name = "retval",
	    .bk_side = BY_RETURN,
	    .bk_column = NUMBER,
	    .bk_get = by_get_retval,
	    .bk_text = by_text_retval,
	    .bk_json = by_json_retval,
	    .bk_haswords = 1,
	},
	{
	    .bk_name = "duration",
	    .bk_offailed = 1,
	    .bk_column = NUMBER,
	    .bk_get = by_get_duration,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "path",
	    .bk_evtflags = DTEVT_STRINGS | DTEVT_PATHS,
	    .bk_side = BY_ENTRY,
	    .bk_column = TEXT(16, 48),
	    .bk_get = by_get_path,
	    .bk_text = by_text_str,
	    .bk_json = by_json_str,
	},
};

#define NKINDS (sizeof(by_kinds) / sizeof(by_kinds[0]))

const struct by_kind *
by_kind_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NKINDS; i++) {
		if (strlen(by_kinds[i].bk_name) == len &&
		    memcmp(by_kinds[i].bk_name, name, len) == 0)
			return &by_kinds[i];
	}
	return NULL;
}

size_t
by_kind_names(const char **names, size_t max)
{
	size_t i;

	for (i = 0; i < NKINDS && i < max; i++)
		names[i] = by_kinds[i].bk_name;
	return i;
}
