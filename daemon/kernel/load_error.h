/* SPDX-License-Identifier: ISC */
/* Explains why the kernel refuses programs. */
#ifndef DAEMON_KERNEL_LOAD_ERROR_H
#define DAEMON_KERNEL_LOAD_ERROR_H

/* Returns the reason of a refusal as text, or the errno's text. */
const char *dt_refused(int error);
int dt_is_locked_down(void);

#endif /* DAEMON_KERNEL_LOAD_ERROR_H */
