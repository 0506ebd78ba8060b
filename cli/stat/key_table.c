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
		.kl_min = 7, .kl_max = 20, .kl_isright = 1 \
	}
#define PID \
	{ \
		.kl_min = 7, .kl_max = 7, .kl_isright = 1 \
	}
#define CPU \
	{ \
		.kl_min = 4, .kl_max = 4, .kl_isright = 1 \
	}
#define TEXT(min, max) \
	{ \
		.kl_min = (min), .kl_max = (max) \
	}

const struct key_kind key_argument = {
	.kt_evtflags = DTEVT_FUNCARGS,
	.kt_side = KEY_ENTRY,
	.kt_column = TEXT(7, 48),
	.kt_get = key_get_arg,
	.kt_text = key_text_arg,
	.kt_json = key_json_arg,
	.kt_haswords = 1,
};

static const struct key_kind key_kinds[] = {
	{
	    .kt_name = "probe",
	    .kt_column = TEXT(16, 48),
	    .kt_get = key_get_probe,
	    .kt_text = key_text_probe,
	    .kt_json = key_json_probe,
	},
	{
	    .kt_name = "pid",
	    .kt_column = PID,
	    .kt_get = key_get_pid,
	    .kt_text = key_text_num,
	    .kt_json = key_text_num,
	},
	{
	    .kt_name = "tid",
	    .kt_column = PID,
	    .kt_get = key_get_tid,
	    .kt_text = key_text_num,
	    .kt_json = key_text_num,
	},
	{
	    .kt_name = "comm",
	    .kt_evtflags = DTEVT_EXECNAME,
	    .kt_column = TEXT(15, 15),
	    .kt_get = key_get_comm,
	    .kt_text = key_text_comm,
	    .kt_json = key_json_str,
	},
	{
	    .kt_name = "uid",
	    .kt_evtflags = DTEVT_WHO,
	    .kt_column = TEXT(8, 32),
	    .kt_get = key_get_uid,
	    .kt_text = key_text_uid,
	    .kt_json = key_json_uid,
	},
	{
	    .kt_name = "ppid",
	    .kt_evtflags = DTEVT_WHO,
	    .kt_column = PID,
	    .kt_get = key_get_ppid,
	    .kt_text = key_text_num,
	    .kt_json = key_text_num,
	},
	{
	    .kt_name = "cpu",
	    .kt_column = CPU,
	    .kt_get = key_get_cpu,
	    .kt_text = key_text_num,
	    .kt_json = key_text_num,
	},
	{
	    .kt_name = "cgroup",
	    .kt_evtflags = DTEVT_WHO,
	    .kt_column = TEXT(16, 48),
	    .kt_get = key_get_cgroup,
	    .kt_text = key_text_cgroup,
	    .kt_json = key_json_cgroup,
	    .kt_keep = key_keep_cgroup,
	},
	{
	    .kt_name = "errno",
	    .kt_side = KEY_RETURN,
	    .kt_column = TEXT(8, 24),
	    .kt_get = key_get_errno,
	    .kt_text = key_text_errno,
	    .kt_json = key_text_num,
	    .kt_haswords = 1,
	},
	{
	    .kt_name = "retval",
	    .kt_side = KEY_RETURN,
	    .kt_column = NUMBER,
	    .kt_get = key_get_retval,
	    .kt_text = key_text_retval,
	    .kt_json = key_json_retval,
	    .kt_haswords = 1,
	},
	{
	    .kt_name = "duration",
	    .kt_offailed = 1,
	    .kt_column = NUMBER,
	    .kt_get = key_get_duration,
	    .kt_text = key_text_num,
	    .kt_json = key_text_num,
	},
	{
	    .kt_name = "path",
	    .kt_evtflags = DTEVT_STRINGS | DTEVT_PATHS,
	    .kt_side = KEY_ENTRY,
	    .kt_column = TEXT(16, 48),
	    .kt_get = key_get_path,
	    .kt_text = key_text_str,
	    .kt_json = key_json_str,
	},
};

#define NKINDS (sizeof(key_kinds) / sizeof(key_kinds[0]))

const struct key_kind *
key_kind_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NKINDS; i++) {
		if (strlen(key_kinds[i].kt_name) == len &&
		    memcmp(key_kinds[i].kt_name, name, len) == 0)
			return &key_kinds[i];
	}
	return NULL;
}

size_t
key_kind_names(const char **names, size_t max)
{
	size_t i;

	for (i = 0; i < NKINDS && i < max; i++)
		names[i] = key_kinds[i].kt_name;
	return i;
}
