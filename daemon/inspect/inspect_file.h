/* SPDX-License-Identifier: ISC */
/*
 * Requests to inspectors about files of other processes.  All descriptors are
 * O_PATH, of regular files.  An inspector checks what it opens, and resolves no
 * name out of its root directory.
 *
 * Each function returns an errno: of the operation, or of inspect().
 */
#ifndef DAEMON_INSPECT_INSPECT_FILE_H
#define DAEMON_INSPECT_INSPECT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/inspect/root_dir.h"
#include "wire/symbolizer.h"

#define FIND_PATH 4096 /* bytes of a path, with its NUL */

/* The key (ia_key) of a file on which inspectors may be stuck: never a pid. */
#define FIND_KEY(dev, ino) (1ULL << 63 | ((uint64_t)(dev) << 40 ^ (ino)))

/*
 * A mapped file as the kernel reported it.  It is searched for in the root
 * directory of fnr_pid, by its mapping, in fnr_root and in dtd's own root.
 */
struct find_request {
	uint64_t fnr_dev, fnr_ino;
	int64_t fnr_btime;    /* birth time, ns; 0: unknown */
	uint32_t fnr_pid;     /* process whose root directory is searched */
	uint32_t fnr_deleted; /* the file had no name: omit that search */
	uint64_t fnr_start, fnr_end; /* a mapping; fnr_end 0: unknown */
	struct root_dir_id fnr_root; /* a root directory, with its descriptor */
	/* name in these roots and in dtd's own */
	char fnr_path[FIND_PATH];
};

enum find_where {
	FIND_LIVE = 1, /* in the root directory of the process */
	FIND_MAPPED,   /* by its mapping */
	FIND_GIVEN,    /* in the given root directory */
	FIND_OWN,      /* in dtd's own root directory */
};

struct find_reply {
	int64_t fn_btime;
	uint32_t fn_where;
	uint32_t fn_isexact; /* device and inode match the kernel's report; else
			      * only the inode or the mapping */
	uint32_t fn_isours;  /* dtd's own root has it by the same name */
	uint32_t fn_pad;
	struct root_dir_id fn_live; /* root directory of the process; all 0: the
				     * process has ended */
};

/*
 * Finds a file.  rootfd: of fnr_root, or -1.  *fd: the file; *livefd: the root
 * directory of the process if it differs from fnr_root and dtd's own, else -1.
 * ESTALE: another file has replaced it.
 */
int inspect_find_request(const struct find_request *, int rootfd, uid_t,
    unsigned int msecs, struct find_reply *, int *fd, int *livefd);

/* Status that decides who may read a file, and whether it has changed. */
struct find_stat {
	uint64_t fs_dev, fs_ino, fs_size;
	uint64_t fs_ctime; /* ns */
	uint64_t fs_mtime; /* ns */
	uint64_t fs_nlink; /* names; 0: deleted */
	uid_t fs_uid;
	gid_t fs_gid;
	uint32_t fs_mode;
	uint32_t fs_hasacl; /* or that is unknown */
};

/* key: FIND_KEY(), or 0. */
int inspect_stat_request(int fd, uint64_t key, uid_t, struct find_stat *);
/* Stores whether a process serves it (FUSE), or may do so below an overlay. */
int inspect_served_request(int fd, uid_t, uint32_t *isserved);
/* Opens a file in dtd's own root, by any name: O_PATH. */
int inspect_open_request(const char *path, uid_t, int *fd);

/* The perf map of a process. */
struct find_jitmap {
	uid_t fj_uid;	   /* of the process */
	uint32_t fj_nspid; /* pid in its own namespace */
	int64_t fj_from;   /* time of its fork, CLOCK_REALTIME, ns; 0:
			    * unknown */
};

int inspect_jitmap_request(const struct find_jitmap *, int rootfd, int *fd);

/*
 * Opens the file (O_PATH) for reading and sends it to a symbolizer's channel
 * with this serial, where it has arrived when this returns 0.
 */
int
inspect_read_request(int fd, uint64_t key, uid_t, int channel, uint64_t serial);

#define DEBUG_PATH 4096 /* bytes of a folder's name, with its NUL */

/* A search for a debug file, see debug_file.h, sent the same way. */
struct find_debug {
	uint64_t fd_serial;
	struct symrep_find fd_find;
	char fd_dir[DEBUG_PATH]; /* directory of the file; "": unknown */
};

/*
 * rootfd: searched before dtd's own root, or -1.  ENOENT: there is no such
 * candidate; *skip: the number of earlier candidates.
 */
int inspect_debug_request(const struct find_debug *, int rootfd, uint64_t key,
    uid_t, int channel, uint32_t *skip);

#endif /* DAEMON_INSPECT_INSPECT_FILE_H */
