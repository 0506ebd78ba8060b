/* SPDX-License-Identifier: ISC */
/*
 * Prototypes of the raw tracepoints, as the kernel's types have them, in the
 * form of a record's format: arguments of 64 bits, one behind another.
 */
#ifndef DAEMON_KERNEL_RAWTP_PROTO_H
#define DAEMON_KERNEL_RAWTP_PROTO_H

#include "daemon/kernel/tp_format.h"

/*
 * Calls fn for each, with its name.  The types, 5 MB, are read for it and let
 * go again, so who wants one had better keep all.
 */
int
rawtp_proto_each(void (*fn)(const char *name, const struct tp_format *, void *),
    void *arg);

#endif /* DAEMON_KERNEL_RAWTP_PROTO_H */
