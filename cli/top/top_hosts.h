/* SPDX-License-Identifier: ISC */
/*
 * dt top on other machines (-H): each runs dt top, sends what it reads, and is
 * started again with other options when another view is shown.
 */
#ifndef CLI_TOP_TOP_HOSTS_H
#define CLI_TOP_TOP_HOSTS_H

#include <poll.h>
#include <stdint.h>

#include "cli/base/buf.h"
#include "cli/top/top_layout.h"

/* words: the values of -p, ended by NULL; cgroup: of --cgroup, or NULL. */
void
top_hosts_begin(struct top_run *, const char *const *words, const char *cgroup);
/* Starts the machines of the current scope; stops them. */
void top_hosts_open(struct top_run *);
void top_hosts_close(struct top_run *);
/* Adds the last rows of each machine. */
void top_hosts_read(struct top_run *);
/* poll(2) of one more descriptor, while machines are served. */
void top_hosts_poll(struct top_run *, struct pollfd *, int64_t nsecs);
/*
 * Returns whether a machine has sent its first rows, or failed, since the last
 * reading.
 */
int top_hosts_hasnews(const struct top_run *);
/* Returns whether each machine has sent new rows, or cannot. */
int top_hosts_arecomplete(const struct top_run *);
/* Returns whether no machine will send any more. */
int top_hosts_areover(const struct top_run *);
/* Returns whether -p names processes, which are looked up there. */
int top_hosts_hasnames(const struct top_run *);
const char *top_hosts_name(const struct top_run *, unsigned int host);
/* Returns the columns that names of machines need. */
unsigned int top_hosts_width(const struct top_run *);
/*
 * Returns the lines about machines, at most max; appends one of these, without a
 * newline.
 */
unsigned int top_hosts_nlines(const struct top_run *, unsigned int max);
enum top_look top_hosts_line(struct buf *, struct top_run *, unsigned int line,
    unsigned int nlines);
/* Frees everything; prints why machines have failed, returns the exit status. */
int top_hosts_end(struct top_run *);

#endif /* CLI_TOP_TOP_HOSTS_H */
