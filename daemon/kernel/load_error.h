/* SPDX-License-Identifier: ISC */
/* Why the kernel refuses programs. */
#ifndef DAEMON_KERNEL_LOAD_ERROR_H
#define DAEMON_KERNEL_LOAD_ERROR_H

/* Words for why a program was refused; the errno's own where no more is known. */
const char *dt_refused(int error);
int dt_is_locked_down(void);

#endif /* DAEMON_KERNEL_LOAD_ERROR_H */
