/* SPDX-License-Identifier: ISC */
/*
 * What the kernel tells of its devices, as far as dtd wants to know it: that a
 * CPU came online or went offline, of which the devices hear by d_cpu; and that
 * a module came or went, which has names.
 */
#ifndef DAEMON_DEVICE_UEVENT_H
#define DAEMON_DEVICE_UEVENT_H

#include <stddef.h>

/* Listens from now on; where that is not allowed, says so and does not. */
void uevent_init(void);
/* Whether a message of nbytes tells that a CPU came or went, and which. */
int uevent_parse(const char *buf, size_t nbytes, unsigned int *cpu);
/* Whether it tells that a module came or went. */
int uevent_ismodule(const char *buf, size_t nbytes);

#endif /* DAEMON_DEVICE_UEVENT_H */
