/* SPDX-License-Identifier: ISC */
/*
 * The devices that this library knows, and what differs between them.
 */
#ifndef LIB_DEVICE_H
#define LIB_DEVICE_H

#include <sys/types.h>

struct dt;

struct dt_device {
	const char *de_name; /* as dtd has it, and the last part of de_path */
	const char *de_path; /* where the service listens */
	const char *de_bsd;  /* where BSD has it */
	ssize_t (*de_read)(struct dt *, void *buf, size_t nbytes, int timeout);
};

/* The device of a path: by its last part, else dt.  NULL is fine. */
const struct dt_device *dt_device_of(const char *path);
/* The device that a program means by this name of a file; NULL: none. */
const struct dt_device *dt_device_named(const char *path);

#endif /* LIB_DEVICE_H */
