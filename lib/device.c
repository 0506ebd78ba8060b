/* SPDX-License-Identifier: ISC */
/* The table of devices.  The first entry is the default. */
#include <string.h>

#include <dev/tprof/tprof_ioctl.h>
#include <sys/kcov.h>
#include "lib/device.h"
#include "lib/kcov.h"
#include "lib/read.h"
#include "lib/tprof.h"

static const struct dt_device devices[] = {
	{ "dt", DTDEVNAME, "/dev/dt", dt_evt_read },
	{ "tprof", TPROFDEVNAME, "/dev/tprof", dt_tprof_read },
	{ "kcov", KCOVDEVNAME, "/dev/kcov", dt_kcov_read },
};

#define NDEVICES (sizeof(devices) / sizeof(devices[0]))

const struct dt_device *
dt_device_of(const char *path)
{
	const char *slash = path != NULL ? strrchr(path, '/') : NULL;
	size_t i;

	for (i = 0; slash != NULL && i < NDEVICES; i++)
		if (strcmp(slash + 1, devices[i].de_name) == 0)
			return &devices[i];
	return &devices[0];
}

const struct dt_device *
dt_device_named(const char *path)
{
	size_t i;

	for (i = 0; i < NDEVICES; i++)
		if (strcmp(path, devices[i].de_bsd) == 0 ||
		    strcmp(path, devices[i].de_path) == 0)
			return &devices[i];
	return NULL;
}
