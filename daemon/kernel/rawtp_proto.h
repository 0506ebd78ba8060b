/* SPDX-License-Identifier: ISC */
/*
 * Prototypes of raw tracepoints from the kernel's BTF, as a record's format:
 * consecutive arguments of 64 bits.
 */
#ifndef DAEMON_KERNEL_RAWTP_PROTO_H
#define DAEMON_KERNEL_RAWTP_PROTO_H

#include "daemon/kernel/tp_format.h"

/*
 * Calls fn for each tracepoint.  The types, 5 MB, are read for this call and
 * freed, so a caller that needs several should keep them.
 */
int
rawtp_proto_each(void (*fn)(const char *name, const struct tp_format *, void *),
    void *arg);

#endif /* DAEMON_KERNEL_RAWTP_PROTO_H */
