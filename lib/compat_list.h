/* SPDX-License-Identifier: ISC */
/*
 * The list of probes of a descriptor of dt/compat.h, if the program expects it
 * as on OpenBSD (dt_compat_want()).
 */
#ifndef LIB_COMPAT_LIST_H
#define LIB_COMPAT_LIST_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

struct dt;

struct compat_list {
	unsigned int cpl_want; /* DT_COMPAT_WANT_*, constant after open() */
	pthread_mutex_t cpl_lock;
	struct dtioc_probe_info *cpl_infos; /* [lock] NULL: not fetched */
	uint32_t *cpl_pbns; /* [lock] the daemon's numbers, ascending */
	size_t cpl_n;	    /* [lock] entry i has the number i + 1 */
};

void dt_compat_list_init(struct compat_list *);
void dt_compat_list_free(struct compat_list *);
/* Like dt_ioctl(), with the numbers and names of the list. */
int dt_compat_list_ioctl(struct dt *, struct compat_list *, unsigned long cmd,
    void *arg);
/* Replaces the daemon's numbers in n events. */
void dt_compat_list_events(struct compat_list *, struct dt_evt *, size_t n);

/* Returns the number of a system call in the table syscallnames, or -1. */
int dt_compat_sysnum(const char *name);

#endif /* LIB_COMPAT_LIST_H */
