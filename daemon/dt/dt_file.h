/* SPDX-License-Identifier: ISC */
/*
 * Files of user programs that a client has announced (DTIOCFILE), in order to
 * probe them.  A session can probe its own files only: with the descriptor that
 * it sent, the client has proved that it may read the file.
 */
#ifndef DAEMON_DT_DT_FILE_H
#define DAEMON_DT_DT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "daemon/inspect/inspect_file.h"

struct dt_enabled;
struct mapped_file;
struct op;

#define DT_FILE_NAME 40 /* bytes of a name, with its NUL */

/* Constant, and owned by the session. */
struct dt_file {
	SLIST_ENTRY(dt_file) dfl_next;
	uint32_t dfl_id;
	struct mapped_file *dfl_file; /* held */
	struct find_stat dfl_stat;    /* as of the announcement */
	uint32_t dfl_isserved;	      /* by a process, or it may be */
	uid_t dfl_person;	      /* for whom it is read */
	char dfl_name[DT_FILE_NAME];  /* last part of its path */
};

SLIST_HEAD(dt_file_list, dt_file);

/* w: DTIOCFILE. */
int dt_file_add(struct op *, struct dt_enabled *);
/* Returns the session's file, or NULL. */
struct dt_file *dt_file_find(const struct dt_enabled *, uint32_t id);
/*
 * w: returns 0, ESTALE if the file has changed or was deleted since it was
 * announced, or an errno of the inspector.
 */
int dt_file_check(const struct dt_file *);
void dt_file_free_all(struct dt_file_list *);

#endif /* DAEMON_DT_DT_FILE_H */
