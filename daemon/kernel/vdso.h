/* SPDX-License-Identifier: ISC */
/* The kernel's page of code for processes, as a file. */
#ifndef DAEMON_KERNEL_VDSO_H
#define DAEMON_KERNEL_VDSO_H

/* A copy of our own, which every 64-bit process shares; stays open.  -1 where
 * there is none. */
int vdso_fd(void);

#endif /* DAEMON_KERNEL_VDSO_H */
