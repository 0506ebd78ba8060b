/* SPDX-License-Identifier: ISC */
/* /dev/ksyms of dt/compat.h. */
#ifndef LIB_COMPAT_KSYMS_H
#define LIB_COMPAT_KSYMS_H

#define COMPAT_KSYMS_PATH "/dev/ksyms"

struct dt;

/*
 * Returns a descriptor of an ELF file with a symbol table of the kernel's
 * functions, or -1: EPERM if this client may not see their addresses; others as
 * dt_open() and dt_ioctl().  flags of open(2): O_CLOEXEC.
 */
int dt_compat_ksyms_open(int flags);
/* The same for an open handle, which remains the caller's. */
int dt_ksyms_file(struct dt *, int flags);

#endif /* LIB_COMPAT_KSYMS_H */
