/* SPDX-License-Identifier: ISC */
/*
 * Files that code was mapped from.  They are identified by the kernel's
 * reports, stored once, counted, and found at first sight, so that they can be
 * read after the process has exited and the name was removed.  The number of
 * open files is limited: the least recently used one is closed, and found again
 * on demand if it still exists.
 *
 * In each root directory, the same report may mean another file, or one with
 * other debug files (mapped_file_search.h).  Then each root has a variant, which
 * mapped_file_find() returns instead of the mapped file.
 *
 * Letters: I constant; t under the table's lock; u constant while code outside
 * of the table holds the result of mapped_file_find().
 */
#ifndef DAEMON_PROCS_MAPPED_FILE_H
#define DAEMON_PROCS_MAPPED_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "daemon/procs/sideband_event.h"

#define MAPPED_FILE_BUILDID 20 /* bytes of one, at most */

struct root_dir;

enum mapped_file_kind {
	MAPPED_FILE_ELF,  /* a file, of whatever kind */
	MAPPED_FILE_VDSO, /* the kernel's page of code */
	MAPPED_FILE_ANON, /* memory without a file: made at run time */
};

/* Where a file was seen, in order to find it. */
struct sighting {
	uint32_t sg_pid;
	uid_t sg_uid;		   /* user charged if it takes long; -1 */
	uint64_t sg_start, sg_end; /* a mapping of the file */
	struct root_dir *sg_root;  /* of the process, or its parent, or NULL */
};

struct mapped_file {
	uint64_t mf_id; /* [I] never used again */
	int mf_fd;	/* [u] O_PATH, or -1 */
	int mf_error;	/* [u] why not: an errno, ESTALE: another file now */
	uint8_t mf_deleted;	       /* [t] had no name when it was seen */
	enum mapped_file_kind mf_kind; /* [I] */
	uint8_t
	    mf_want[MAPPED_FILE_BUILDID]; /* [I] the build id it must have */
	uint32_t mf_wantlen;		  /* [I] 0: any */
	char *mf_path; /* [I] as the process saw it, "[vdso]", "//anon" */
	int mf_rootfd; /* [u] O_PATH, root of debug files; -1: dtd's own */

	/* for the table only */
	uint64_t mf_dev, mf_ino, mf_gen; /* [I] 0: not reported */
	int64_t mf_btime;		 /* [t] time of birth, ns; 0: unknown */
	struct mapped_file *mf_base;	 /* [I] of a variant: the mapped file */
	LIST_HEAD(, mapped_file) mf_variants; /* [t] of the mapped file */
	LIST_ENTRY(mapped_file) mf_variant;   /* [t] */
	struct root_dir *mf_root; /* [I] of a variant: for processes of it */
	uint32_t mf_pid;	  /* [I] if not 0: only for this process */
	uid_t mf_uid;		  /* [u] user who is charged if it hangs */
	int mf_isours;		  /* [u] debug files are in dtd's own root */
	int mf_islisted;	  /* [t] of a variant: others find it */
	unsigned int mf_refs;	  /* [t] all references */
	unsigned int mf_maps;	  /* [t] references by mappings */
	uint64_t mf_hash;	  /* [I] */
	uint8_t mf_isread;	  /* [t] mf_buildid is known */
	uint8_t mf_buildid[MAPPED_FILE_BUILDID]; /* [t] as the worker read it */
	uint32_t mf_buildidlen;			 /* [t] 0: it has none */
	LIST_ENTRY(mapped_file) mf_entry;	 /* [t] in its hash bucket */
	TAILQ_ENTRY(mapped_file) mf_lru; /* [t] in the list of open files */
};

/* Keys for inspectors that hang on the file, or on its debug files. */
uint64_t mapped_file_key(const struct mapped_file *);
uint64_t mapped_file_debugkey(const struct mapped_file *);

/* From any thread. */
struct mapped_file *mapped_file_hold(struct mapped_file *);
void mapped_file_release(struct mapped_file *); /* NULL is fine */
/*
 * Opens a regular file by a path from a client (dt report); else an errno.  If
 * len is not 0, the file must have this build id.
 */
int mapped_file_open(const char *path, const uint8_t *buildid, size_t len,
    uid_t, struct mapped_file **);
/* The same for a regular file that is open, O_PATH; takes ownership. */
int mapped_file_given(int fd, const char *path, uid_t, struct mapped_file **);
/* Returns whether another attempt may succeed after this error. */
int mapped_file_ispassing(int error);
/* Sets the build id that a symbolizer has read; len 0: it has none. */
void
mapped_file_setid(struct mapped_file *, const uint8_t *buildid, size_t len);
/* Returns whether the build id is known; *len 0: it has none. */
int mapped_file_getid(const struct mapped_file *,
    uint8_t buildid[MAPPED_FILE_BUILDID], uint32_t *len);

/*
 * For proc_watch.c.
 *
 * Returns the file of an identity, created if it is new, and counts a mapping
 * of it; is32: the mapping is below 4 GB.  NULL: out of memory.
 */
struct mapped_file *
mapped_file_map(const struct inode_id *, int is32, int *isnew);
struct mapped_file *
mapped_file_mapped(struct mapped_file *); /* one more mapping */
void mapped_file_unmap(struct mapped_file *);
/*
 * Returns the variant of a mapped file for a process, held; it is open unless
 * mf_error is set.  NULL: out of memory.  Waits for an inspector, msecs at
 * most.
 */
struct mapped_file *mapped_file_find(struct mapped_file *,
    const struct sighting *, unsigned int msecs);

struct mapped_file_stat {
	uint64_t mfs_files, mfs_open, mfs_bytes;
	uint64_t mfs_opened, mfs_failed, mfs_closed; /* so far */
};
void mapped_file_stat(struct mapped_file_stat *);

#endif /* DAEMON_PROCS_MAPPED_FILE_H */
