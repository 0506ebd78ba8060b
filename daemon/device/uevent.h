/* SPDX-License-Identifier: ISC */
/*
 * Receives kernel events (netlink uevents): d_cpu handles CPUs that come online
 * or go offline; modules that are loaded or unloaded change the known symbols.
 */
#ifndef DAEMON_DEVICE_UEVENT_H
#define DAEMON_DEVICE_UEVENT_H

#include <stddef.h>

/* Starts listening; logs it if that is not permitted. */
void uevent_init(void);
/*
 * Returns whether a message of nbytes reports a CPU that changed, and sets it.
 */
int uevent_parse(const char *buf, size_t nbytes, unsigned int *cpu);
/* Returns whether the message reports a module that was loaded or unloaded. */
int uevent_ismodule(const char *buf, size_t nbytes);

#endif /* DAEMON_DEVICE_UEVENT_H */
