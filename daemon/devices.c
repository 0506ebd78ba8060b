/* SPDX-License-Identifier: ISC */
/* The devices of dtd: the only list of them. */
#include "daemon/device/cdevsw.h"

extern const struct cdevsw dt_cdevsw, tprof_cdevsw, kcov_cdevsw, test_cdevsw;

/* A listening socket each, named after the device. */
const struct cdevsw *const devices[] = { &dt_cdevsw, &tprof_cdevsw,
	&kcov_cdevsw, &test_cdevsw, NULL };
