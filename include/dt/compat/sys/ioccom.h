/* SPDX-License-Identifier: ISC */
/*
 * A header of OpenBSD: the parts of a command's number.  They apply to the
 * commands of the devices; _IO() and similar macros remain the system's.
 */
#pragma GCC system_header
#ifndef DT_COMPAT_SYS_IOCCOM_H
#define DT_COMPAT_SYS_IOCCOM_H

#include <dev/dt/dtvar.h>
#include <sys/ioctl.h>

#define IOCPARM_MASK   0x1fffUL /* length of the argument */
#define IOCPARM_LEN(x) (((x) >> 16) & IOCPARM_MASK)
#define IOCBASECMD(x)  ((x) & ~(IOCPARM_MASK << 16))
#define IOCGROUP(x)    (((x) >> 8) & 0xff)
#define IOCPARM_MAX    IOCPARM_MASK
#define IOC_VOID       DT_IOC_VOID
#define IOC_DIRMASK    0xe0000000UL
/* <sys/ioctl.h> has these for the system's numbers. */
#undef IOC_OUT
#undef IOC_IN
#undef IOC_INOUT
#define IOC_OUT	  DT_IOC_OUT
#define IOC_IN	  DT_IOC_IN
#define IOC_INOUT DT_IOC_INOUT

#endif /* DT_COMPAT_SYS_IOCCOM_H */
