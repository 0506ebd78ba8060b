/* SPDX-License-Identifier: ISC */
/* Joins counts by call and errno into a row per call, for dt syscalls. */
#ifndef CLI_STAT_SYSCALL_ROWS_H
#define CLI_STAT_SYSCALL_ROWS_H

#include "cli/result/counts.h"
#include "cli/result/syscalls.h"

/* Keys that are counted: without and with rows by process. */
#define SYSCALL_ROWS_KEYS  "probe,errno"
#define SYSCALL_ROWS_BYPID "probe,errno,pid,comm"

/*
 * Makes the rows of counts by one of these keys, with histograms.  They point
 * to the counts.
 */
void syscall_rows_make(struct out_syscalls *, const struct out_counts *,
    int isbypid);
void syscall_rows_free(struct out_syscalls *);

#endif /* CLI_STAT_SYSCALL_ROWS_H */
