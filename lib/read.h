/* SPDX-License-Identifier: ISC */
#ifndef LIB_READ_H
#define LIB_READ_H

#include <sys/types.h>

struct dt;

/* dt_read() for the dt device. */
ssize_t dt_evt_read(struct dt *, void *buf, size_t nbytes, int timeout);

#endif /* LIB_READ_H */
