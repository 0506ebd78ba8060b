/* SPDX-License-Identifier: ISC */
/*
 * The settings of dtd, their defaults, and the table of devices, see conf.h.
 * What a value may be is in conf_value.c, how a file is read in conf_parse.c.
 */
#include "cdevsw.h"
#include "conf.h"
#include "conf_key.h"
#include "dt_open.h"
#include "right.h"

extern const struct cdevsw dt_cdevsw, tprof_cdevsw, kcov_cdevsw, test_cdevsw;

/* A listening socket each, named after the device. */
const struct cdevsw *const devices[] = { &dt_cdevsw, &tprof_cdevsw,
	&kcov_cdevsw, &test_cdevsw, NULL };

struct conf conf = {
	.cf_directory = "/run/dt",
	.cf_allowdt = 1,
	.cf_followmax = 65536,
	.cf_pairmax = 16384,
	.cf_namesidle = 60,
	.cf_limits = {
		[LIMIT_CONNECTIONS] = { 512, 64 },
		[LIMIT_OPENS] = { 128, 32 },
		[LIMIT_PROBES] = { 1ULL << 20, 1ULL << 18 },
		[LIMIT_RINGBYTES] = { 1ULL << 30, 64ULL << 20 },
		[LIMIT_MAPBYTES] = { 256ULL << 20, 32ULL << 20 },
		[LIMIT_CONDITIONS] = { DT_NCOND - 1, DT_NCOND / 4 },
		[LIMIT_SYMREQUESTS] = { 64, 32 },
	},
	.cf_costlimit = 200000,
	.cf_costlimit_named = CONF_UNSET,
	.cf_kprobeattach = "auto",
	.cf_debugfolder = "/var/cache/dtd",
	.cf_debugbytes = 1ULL << 30,
};

/* Two rows: of all, and of one user. */
#define CONF_LIMIT(key, li, want) \
	CONF(key, conf_bytes, cf_limits[li].lm_all, want, CONF_RELOAD), \
	    CONF(key "-user", conf_bytes, cf_limits[li].lm_user, want, \
		CONF_RELOAD)

#define CONF_BYTES  "bytes, with k, M or G"
#define CONF_NUMBER "a number, with k, M or G"

const struct conf_key conf_keys[] = {
	{ .ck_name = "allow", .ck_say = right_allow, .ck_flags = CONF_RELOAD },
	CONF("allowdt", conf_bool, cf_allowdt, "yes or no", CONF_RELOAD),
	CONF_LIMIT("conditions", LIMIT_CONDITIONS, CONF_NUMBER),
	CONF_LIMIT("connections", LIMIT_CONNECTIONS, CONF_NUMBER),
	CONF("cost-limit", conf_percent, cf_costlimit,
	    "percent of the machine, 0 to 100", CONF_RELOAD),
	CONF("cost-limit-named", conf_percent, cf_costlimit_named,
	    "percent of the machine, 0 to 100", CONF_RELOAD),
	CONF("cost-limit-open", conf_percent, cf_costlimit_open,
	    "percent of the machine, 0 to 100", CONF_RELOAD),
	CONF("debuginfod", conf_urls, cf_debuginfod,
	    "http or https URLs, 399 characters together", 0),
	CONF("debuginfod-bytes", conf_bytes, cf_debugbytes, CONF_BYTES, 0),
	CONF("debuginfod-folder", conf_folder, cf_debugfolder,
	    "an absolute path of at most 255 characters", 0),
	CONF("directory", conf_directory, cf_directory,
	    "an absolute path of at most 79 characters", 0),
	CONF("follow-processes", conf_processes, cf_followmax,
	    "a number from 1 to 4194304", 0),
	CONF("kprobe-attach", conf_kprobeattach, cf_kprobeattach,
	    "auto, session, multi, fentry or perf", 0),
	CONF_LIMIT("map-bytes", LIMIT_MAPBYTES, CONF_BYTES),
	CONF("monitor", conf_monitor, cf_monitor, "auto, yes or no", 0),
	CONF("names-idle", conf_seconds, cf_namesidle, "seconds, 0 to 1048576",
	    CONF_RELOAD),
	CONF_LIMIT("opens", LIMIT_OPENS, CONF_NUMBER),
	CONF("pair-max", conf_pairs, cf_pairmax, "a number from 1 to 1048576",
	    0),
	CONF_LIMIT("probes", LIMIT_PROBES, CONF_NUMBER),
	CONF_LIMIT("ring-bytes", LIMIT_RINGBYTES, CONF_BYTES),
	CONF_LIMIT("symbol-requests", LIMIT_SYMREQUESTS, CONF_NUMBER),
	CONF("test-device", conf_bool, cf_testdev, "yes or no", 0),
	CONF("trace-own-despite-lsm", conf_bool, cf_owndespite, "yes or no",
	    CONF_RELOAD),
	{ .ck_name = NULL },
};
