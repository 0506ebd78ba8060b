/* SPDX-License-Identifier: ISC */
/*
 * Files of other processes: requests to inspectors.  All descriptors are
 * O_PATH, of regular files.  An inspector opens nothing that it has not looked
 * at, and nothing by a name that leads out of its root directory.
 *
 * Each function returns an errno: of the operation, or of inspect().
 */
#ifndef DAEMON_INSPECT_INSPECT_FIND_H
#define DAEMON_INSPECT_INSPECT_FIND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/inspect/root_dir.h"
#include "wire/symbolizer.h"

#define FIND_PATH 4096 /* bytes of a name, with its NUL */

/* What inspectors are stuck on (ia_key) if a file hangs: never a pid. */
#define FIND_KEY(dev, ino) (1ULL << 63 | ((uint64_t)(dev) << 40 ^ (ino)))

/* What the kernel reported of a mapped file, and where it may be found. */
struct find_request {
	uint64_t fnr_dev, fnr_ino;
	int64_t fnr_btime;    /* when it was made, ns; 0: unknown */
	uint32_t fnr_pid;     /* in the root directory of this process, */
	uint32_t fnr_deleted; /* unless it had no name, */
	uint64_t fnr_start, fnr_end; /* by this mapping, unless fnr_end is 0, */
	struct root_dir_id fnr_root; /* in this one (with its descriptor), */
	/* and in dtd's own. */
	char fnr_path[FIND_PATH];
};

enum find_where {
	FIND_LIVE = 1, /* in the root directory of the process */
	FIND_MAPPED,   /* by its mapping */
	FIND_GIVEN,    /* in the given root directory */
	FIND_OWN,      /* in dtd's own */
};

struct find_answer {
	int64_t fn_btime;
	uint32_t fn_where;
	uint32_t fn_isexact; /* device and inode are those that were reported;
				else the inode, or only its mapping */
	uint32_t fn_isours;  /* it has its name in dtd's own root, too */
	uint32_t fn_pad;
	struct root_dir_id fn_live; /* of the process; all 0: it has ended */
};

/*
 * Finds a file.  rootfd: of fnr_root, or -1.  *fd: the file; *livefd: the root
 * directory of the process if it is another one than fnr_root and dtd's own,
 * else -1.  ESTALE: another file is there now.
 */
int inspect_find_ask(const struct find_request *, int rootfd, uid_t,
    unsigned int msecs, struct find_answer *, int *fd, int *livefd);

/* What decides who may read a file, and whether it has changed. */
struct find_stat {
	uint64_t fs_dev, fs_ino, fs_size;
	uint64_t fs_ctime; /* ns */
	uid_t fs_uid;
	gid_t fs_gid;
	uint32_t fs_mode;
	uint32_t fs_hasacl; /* or that could not be found out */
};

/* key: FIND_KEY(), or 0. */
int inspect_stat_ask(int fd, uint64_t key, uid_t, struct find_stat *);
/* A file in dtd's own root, by any name: O_PATH. */
int inspect_open_ask(const char *path, uid_t, int *fd);

/* The perf map of a process. */
struct find_jitmap {
	uid_t fj_uid;	   /* of the process */
	uint32_t fj_nspid; /* as it calls itself */
	int64_t fj_from;   /* its fork, CLOCK_REALTIME, ns; 0: unknown */
};

int inspect_jitmap_ask(const struct find_jitmap *, int rootfd, int *fd);

/*
 * Opens the file (O_PATH) for reading and sends it into a symbolizer's channel
 * under this serial: it is there when this returns 0.
 */
int inspect_read_ask(int fd, uint64_t key, uid_t, int channel, uint64_t serial);

#define DEBUG_PATH 4096 /* bytes of a folder's name, with its NUL */

/* A debug file, see debug_file.h; it goes the same way. */
struct find_debug {
	uint64_t fd_serial;
	struct symrep_ask fd_ask;
	char fd_dir[DEBUG_PATH]; /* of the file; "": unknown */
};

/* rootfd: where it is searched before dtd's own root, or -1.  ENOENT: there is
 * no such candidate; *skip: how many there were before. */
int inspect_debug_ask(const struct find_debug *, int rootfd, uint64_t key,
    uid_t, int channel, uint32_t *skip);

#endif /* DAEMON_INSPECT_INSPECT_FIND_H */
