/* SPDX-License-Identifier: ISC */
/* Lists the modules that have settings. */
#include <stddef.h>

#include "daemon/access/right.h"
#include "daemon/base/conf_key.h"

extern const struct conf_key limit_keys[], monitor_keys[], right_keys[];

const struct conf_module conf_modules[] = {
	{ .cm_keys = conf_keys },
	{ .cm_keys = limit_keys },
	{ .cm_keys = monitor_keys },
	{ right_keys, right_begin, right_commit, right_abort },
	{ .cm_keys = NULL },
};
