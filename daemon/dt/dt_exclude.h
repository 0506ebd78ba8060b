/* SPDX-License-Identifier: ISC */
/* Processes excluded from recordings, by pid in the initial namespace. */
#ifndef DAEMON_DT_DT_EXCLUDE_H
#define DAEMON_DT_DT_EXCLUDE_H

#include <stdint.h>

#include "bpf/dt_shared.h"
#include "daemon/inspect/inspect.h"

#define EXCLUDE_MAX (2 * DT_MAXSESS + INSPECT_MAX + 2)
int dt_exclude_add(uint32_t kpid, enum dt_level);
void dt_exclude_del(uint32_t kpid, enum dt_level);
/* Excludes the daemon and its inspectors, present and future: errno. */
int dt_exclude_daemon(void);
void dt_exclude_forget(void); /* the map has been freed */

#endif /* DAEMON_DT_DT_EXCLUDE_H */
