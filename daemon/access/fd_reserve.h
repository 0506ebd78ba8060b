/* SPDX-License-Identifier: ISC */
/*
 * The table of descriptors of a service.  Its last eighth is kept for root:
 * RLIMIT_NOFILE excludes it except while dtd works for root.  As
 * the kernel hands out the lowest free descriptor, those in the last eighth are
 * used only when all others are taken.  Control thread, unless stated.
 */
#ifndef DAEMON_ACCESS_FD_RESERVE_H
#define DAEMON_ACCESS_FD_RESERVE_H

/*
 * Raises the limit of descriptors to the hard limit and enlarges the kernel's
 * table.  ispersonal: a private daemon keeps none for root.  To be called
 * before threads are started.
 */
void fd_reserve_init(int ispersonal);

/* Begins and ends work for root.  Calls nest. */
void fd_reserve_root_begin(void);
void fd_reserve_root_end(void);

/* Whether a user other than root may have a descriptor now.  Any thread. */
int fd_reserve_left(void);

#endif /* DAEMON_ACCESS_FD_RESERVE_H */
