/* SPDX-License-Identifier: ISC */
/* Requests of the device for tests.  Not installed. */
#ifndef DAEMON_TESTDEV_TESTDEV_H
#define DAEMON_TESTDEV_TESTDEV_H

#include <dev/dt/dtvar.h>

#define TEST_MAXSEND (64U << 20) /* bytes, TESTIOCSEND */

#define TESTIOCECHO  DT_IOC(DT_IOC_INOUT, 'Z', 1, 64)
#define TESTIOCLATER DT_IOC(DT_IOC_INOUT, 'Z', 2, 64)
#define TESTIOCSEND  DT_IOW('Z', 3, uint32_t)
#define TESTIOCADMIN DT_IO('Z', 4)

#endif /* DAEMON_TESTDEV_TESTDEV_H */
