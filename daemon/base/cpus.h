/* SPDX-License-Identifier: ISC */
/*
 * The numbers that CPUs can have.  There may be gaps, so that the last number is
 * above the count of CPUs.  An array by CPU number has cpus_end() places.
 */
#ifndef DAEMON_BASE_CPUS_H
#define DAEMON_BASE_CPUS_H

/* Returns the number after the last one.  Any thread. */
unsigned int cpus_end(void);
/* Returns whether a CPU can have this number.  Any thread. */
int cpus_ispossible(unsigned int cpu);

/* The same of a list such as "0-3,8-11\n". */
unsigned int cpus_list_end(const char *);
int cpus_list_has(const char *, unsigned int cpu);

#endif /* DAEMON_BASE_CPUS_H */
