/* SPDX-License-Identifier: ISC */
/* The devices known to the library, and their differences. */
#ifndef LIB_DEVICE_H
#define LIB_DEVICE_H

#include <sys/types.h>

struct dt;

struct dt_device {
	const char *de_name; /* name in dtd, the last part of de_path */
	const char *de_path; /* path of the service's socket */
	const char *de_bsd;  /* path of the device in BSD */
	ssize_t (*de_read)(struct dt *, void *buf, size_t nbytes, int timeout);
};

/* Returns the device of a path by its last part, else dt.  path may be NULL. */
const struct dt_device *dt_device_of(const char *path);
/* Returns the device with this BSD path or socket path, or NULL. */
const struct dt_device *dt_device_named(const char *path);

#endif /* LIB_DEVICE_H */
