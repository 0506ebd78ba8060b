/* SPDX-License-Identifier: ISC */
/*
 * The settings of dtd, their defaults, and the table of devices, see conf.h.
 * What a value may be is in conf_value.c, how a file is read in conf_parse.c.
 */
#include "cdevsw.h"
#include "conf.h"
#include "conf_key.h"

extern const struct cdevsw dt_cdevsw, test_cdevsw;

/* A listening socket each, named after the device. */
const struct cdevsw *const devices[] = { &dt_cdevsw, &test_cdevsw, NULL };

struct conf conf = {
	.cf_directory = "/run/dt",
	.cf_allowdt = 1,
	.cf_followmax = 65536,
	.cf_pairmax = 16384,
	.cf_ringbytes = 1ULL << 30,
	.cf_ringbytes_uid = 64ULL << 20,
	.cf_costlimit = 200000,
	.cf_kprobeattach = "auto",
	.cf_debugfolder = "/var/cache/dtd",
	.cf_debugbytes = 1ULL << 30,
};

const struct conf_key conf_keys[] = {
	CONF("allowdt", conf_bool, cf_allowdt, "yes or no", CONF_RELOAD),
	CONF("cost-limit", conf_percent, cf_costlimit,
	    "percent of the machine, 0 to 100", CONF_RELOAD),
	CONF("debuginfod", conf_urls, cf_debuginfod,
	    "http or https URLs, 399 characters together", 0),
	CONF("debuginfod-bytes", conf_bytes, cf_debugbytes,
	    "bytes, with k, M or G", 0),
	CONF("debuginfod-folder", conf_folder, cf_debugfolder,
	    "an absolute path of at most 255 characters", 0),
	CONF("directory", conf_directory, cf_directory,
	    "an absolute path of at most 79 characters", 0),
	CONF("follow-processes", conf_processes, cf_followmax,
	    "a number from 1 to 4194304", 0),
	CONF("kprobe-attach", conf_kprobeattach, cf_kprobeattach,
	    "auto, session, multi, fentry or perf", 0),
	CONF("monitor", conf_monitor, cf_monitor, "auto, yes or no", 0),
	CONF("pair-max", conf_pairs, cf_pairmax, "a number from 1 to 1048576",
	    0),
	CONF("ring-bytes", conf_bytes, cf_ringbytes, "bytes, with k, M or G",
	    CONF_RELOAD),
	CONF("ring-bytes-user", conf_bytes, cf_ringbytes_uid,
	    "bytes, with k, M or G", CONF_RELOAD),
	CONF("test-device", conf_bool, cf_testdev, "yes or no", 0),
	{ .ck_name = NULL },
};
