/* SPDX-License-Identifier: ISC */
/*
 * The table of the keys of stat: how each gets its value from an event and
 * formats it. A new key is a row at the end of the table.
 */
#include <string.h>

#include "cli/stat/key_impl.h"
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

#define LINES \
	{ \
		.kl_islines = 1 \
	}

const struct key_kind key_argument = {
	.kki_evtflags = DTEVT_FUNCARGS,
	.kki_side = KEY_ENTRY,
	.kki_opd = DT_OPD_ARG,
	.kki_isofprobe = 1,
	.kki_column = TEXT(7, 48),
	.kki_get = key_get_arg,
	.kki_text = key_text_arg,
	.kki_json = key_json_arg,
	.kki_haswords = 1,
};

static const struct key_kind key_kinds[] = {
	{
	    .kki_name = "probe",
	    .kki_opd = DT_OPD_PROBE,
	    .kki_isofprobe = 1,
	    .kki_column = TEXT(16, 48),
	    .kki_get = key_get_probe,
	    .kki_text = key_text_probe,
	    .kki_json = key_json_probe,
	},
	{
	    .kki_name = "pid",
	    .kki_opd = DT_OPD_PID,
	    .kki_column = PID,
	    .kki_get = key_get_pid,
	    .kki_text = key_text_num,
	    .kki_json = key_text_num,
	},
	{
	    .kki_name = "tid",
	    .kki_opd = DT_OPD_TID,
	    .kki_column = PID,
	    .kki_get = key_get_tid,
	    .kki_text = key_text_num,
	    .kki_json = key_text_num,
	},
	{
	    .kki_name = "comm",
	    .kki_opd = DT_OPD_COMM,
	    .kki_evtflags = DTEVT_EXECNAME,
	    .kki_column = TEXT(15, 15),
	    .kki_get = key_get_comm,
	    .kki_text = key_text_comm,
	    .kki_json = key_json_str,
	},
	{
	    .kki_name = "uid",
	    .kki_opd = DT_OPD_UID,
	    .kki_evtflags = DTEVT_WHO,
	    .kki_column = TEXT(8, 32),
	    .kki_get = key_get_uid,
	    .kki_text = key_text_uid,
	    .kki_json = key_json_uid,
	},
	{
	    .kki_name = "ppid",
	    .kki_evtflags = DTEVT_WHO,
	    .kki_column = PID,
	    .kki_get = key_get_ppid,
	    .kki_text = key_text_num,
	    .kki_json = key_text_num,
	},
	{
	    .kki_name = "cpu",
	    .kki_opd = DT_OPD_CPU,
	    .kki_column = CPU,
	    .kki_get = key_get_cpu,
	    .kki_text = key_text_num,
	    .kki_json = key_text_num,
	},
	{
	    .kki_name = "cgroup",
	    .kki_opd = DT_OPD_CGROUP,
	    .kki_evtflags = DTEVT_WHO,
	    .kki_column = TEXT(16, 48),
	    .kki_get = key_get_cgroup,
	    .kki_text = key_text_cgroup,
	    .kki_json = key_json_cgroup,
	    .kki_keep = key_keep_cgroup,
	},
	{
	    .kki_name = "unit",
	    .kki_opd = DT_OPD_CGROUP,
	    .kki_evtflags = DTEVT_WHO,
	    .kki_column = TEXT(16, 48),
	    .kki_get = key_get_unit,
	    .kki_text = key_text_str,
	    .kki_json = key_json_str,
	},
	{
	    .kki_name = "sockunit",
	    .kki_opd = DT_OPD_SOCKET,
	    .kki_isofprobe = 1,
	    .kki_column = TEXT(16, 48),
	    .kki_get = key_get_sockunit,
	    .kki_text = key_text_str,
	    .kki_json = key_json_str,
	},
	{
	    .kki_name = "errno",
	    .kki_opd = DT_OPD_ERRNO,
	    .kki_isofprobe = 1,
	    .kki_side = KEY_RETURN,
	    .kki_column = TEXT(8, 24),
	    .kki_get = key_get_errno,
	    .kki_text = key_text_errno,
	    .kki_json = key_text_num,
	    .kki_haswords = 1,
	},
	{
	    .kki_name = "retval",
	    .kki_opd = DT_OPD_RETVAL,
	    .kki_isofprobe = 1,
	    .kki_side = KEY_RETURN,
	    .kki_column = NUMBER,
	    .kki_get = key_get_retval,
	    .kki_text = key_text_retval,
	    .kki_json = key_json_retval,
	    .kki_haswords = 1,
	},
	{
	    .kki_name = "str(retval)",
	    .kki_evtflags = DTEVT_STRINGS | DTEVT_RETTEXT,
	    .kki_isofprobe = 1,
	    .kki_side = KEY_RETURN,
	    .kki_column = TEXT(16, 48),
	    .kki_get = key_get_rettext,
	    .kki_text = key_text_str,
	    .kki_json = key_json_str,
	},
	{
	    .kki_name = "duration",
	    .kki_opd = DT_OPD_DURATION,
	    .kki_isofprobe = 1,
	    .kki_offailed = 1,
	    .kki_column = NUMBER,
	    .kki_get = key_get_duration,
	    .kki_text = key_text_num,
	    .kki_json = key_text_num,
	},
	{
	    .kki_name = "path",
	    .kki_evtflags = DTEVT_FUNCARGS | DTEVT_STRINGS | DTEVT_PATHS,
	    .kki_side = KEY_ENTRY,
	    .kki_column = TEXT(16, 48),
	    .kki_get = key_get_path,
	    .kki_text = key_text_str,
	    .kki_json = key_json_str,
	},
	{
	    .kki_name = "kstack",
	    .kki_evtflags = DTEVT_KSTACK,
	    .kki_column = LINES,
	    .kki_get = key_get_kstack,
	    .kki_text = key_text_stack,
	    .kki_json = key_json_stack,
	},
	{
	    .kki_name = "ustack",
	    .kki_evtflags = DTEVT_USTACK | DTEVT_UTABLE,
	    .kki_column = LINES,
	    .kki_get = key_get_ustack,
	    .kki_text = key_text_stack,
	    .kki_json = key_json_stack,
	},
};

#define NKINDS (sizeof(key_kinds) / sizeof(key_kinds[0]))

const struct key_kind *
key_kind_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NKINDS; i++) {
		if (strlen(key_kinds[i].kki_name) == len &&
		    memcmp(key_kinds[i].kki_name, name, len) == 0)
			return &key_kinds[i];
	}
	return NULL;
}

size_t
key_kind_names(const char **names, size_t max)
{
	size_t i;

	for (i = 0; i < NKINDS && i < max; i++)
		names[i] = key_kinds[i].kki_name;
	return i;
}
