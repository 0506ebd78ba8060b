/* SPDX-License-Identifier: ISC */
/*
 * Defines struct conf's defaults and the table of its settings.  Values are
 * parsed in conf_value.c, files in conf_parse.c.
 */
#include "daemon/base/conf.h"
#include "daemon/base/conf_key.h"

struct conf conf = {
	.cf_directory = "/run/dt",
	.cf_allowdt = 1,
	.cf_followmax = 65536,
	.cf_pairmax = 16384,
	.cf_namesidle = 60,
	.cf_costlimit = 200000,
	.cf_costlimit_named = CONF_UNSET,
	.cf_kprobeattach = "auto",
	.cf_debugfolder = "/var/cache/dtd",
	.cf_debugbytes = 1ULL << 30,
	.cf_unwindbytes = 32 << 20,
};

#define CONF_BYTES "bytes, with k, M or G"

const struct conf_key conf_keys[] = {
	CONF("allowdt", conf_bool, conf.cf_allowdt, "yes or no", CONF_RELOAD),
	CONF("cost-limit", conf_percent, conf.cf_costlimit,
	    "percent of the machine, 0 to 100", CONF_RELOAD),
	CONF("cost-limit-named", conf_percent, conf.cf_costlimit_named,
	    "percent of the machine, 0 to 100", CONF_RELOAD),
	CONF("cost-limit-open", conf_percent, conf.cf_costlimit_open,
	    "percent of the machine, 0 to 100", CONF_RELOAD),
	CONF("debuginfod", conf_urls, conf.cf_debuginfod,
	    "http or https URLs, 399 characters together", 0),
	CONF("debuginfod-bytes", conf_bytes, conf.cf_debugbytes, CONF_BYTES, 0),
	CONF("debuginfod-folder", conf_folder, conf.cf_debugfolder,
	    "an absolute path of at most 255 characters", 0),
	CONF("directory", conf_directory, conf.cf_directory,
	    "an absolute path of at most 79 characters", 0),
	CONF("follow-processes", conf_processes, conf.cf_followmax,
	    "a number from 1 to 4194304", 0),
	CONF("kprobe-attach", conf_kprobeattach, conf.cf_kprobeattach,
	    "auto, session, multi, fentry or perf", 0),
	CONF("names-idle", conf_seconds, conf.cf_namesidle,
	    "seconds, 0 to 1048576", CONF_RELOAD),
	CONF("pair-max", conf_pairs, conf.cf_pairmax,
	    "a number from 1 to 1048576", 0),
	CONF("test-device", conf_bool, conf.cf_testdev, "yes or no", 0),
	CONF("trace-own-despite-lsm", conf_bool, conf.cf_owndespite,
	    "yes or no", CONF_RELOAD),
	CONF("unwind-bytes", conf_bytes, conf.cf_unwindbytes, CONF_BYTES,
	    CONF_RELOAD),
	{ .ck_name = NULL },
};
