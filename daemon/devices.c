/* SPDX-License-Identifier: ISC */
/* Lists the devices of dtd.  A new device is added here and nowhere else. */
#include "daemon/device/cdevsw.h"

extern const struct cdevsw dt_cdevsw, tprof_cdevsw, kcov_cdevsw, test_cdevsw;

/* Each has a listening socket that is named after the device. */
const struct cdevsw *const devices[] = { &dt_cdevsw, &tprof_cdevsw,
	&kcov_cdevsw, &test_cdevsw, NULL };
