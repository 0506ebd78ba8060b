/* SPDX-License-Identifier: ISC */
/*
 * Files that code was mapped from: known by what the kernel reports of them,
 * kept once, counted, and found at first sight, so that they can be read
 * when process and name have gone.  How many are open at a time is bounded:
 * the one that was needed longest ago is closed, and found again when it is
 * needed, if it is still there.
 *
 * What the kernel reports may be another file, or one with other debug files,
 * in each root directory (file_open.h): then there is one for each, which
 * mapped_file_find() returns in the place of the one that is mapped.
 *
 * Letters: I constant; t under the table's lock; u constant while somebody
 * outside of the table holds what mapped_file_find() has returned.
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

/* Where it was seen: what is needed to find it. */
struct sighting {
	uint32_t sg_pid;
	uid_t sg_uid;		   /* whose fault it is if it takes long; -1 */
	uint64_t sg_start, sg_end; /* a mapping of it */
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
	int mf_rootfd; /* [u] O_PATH, where debug files are; -1: our own root */

	/* the table's */
	uint64_t mf_dev, mf_ino, mf_gen; /* [I] 0: not told */
	int64_t mf_btime;		 /* [t] when it was made, ns; 0 */
	struct mapped_file *mf_base;	 /* [I] the one that is mapped; NULL */
	LIST_HEAD(, mapped_file) mf_variants; /* [t] of it */
	LIST_ENTRY(mapped_file) mf_variant;   /* [t] */
	struct root_dir *mf_root; /* [I] of a variant: for processes of it */
	uint32_t mf_pid;	  /* [I] and, not 0: for this one only */
	uid_t mf_uid;		  /* [u] whose fault it is if it hangs; -1 */
	int mf_isours;		  /* [u] debug files are in our own root */
	int mf_islisted;	  /* [t] of a variant: others find it */
	unsigned int mf_refs;	  /* [t] all */
	unsigned int mf_maps;	  /* [t] of them, those of mappings */
	uint64_t mf_hash;	  /* [I] */
	uint8_t mf_isread;	  /* [t] the build id it has is known, */
	uint8_t mf_buildid[MAPPED_FILE_BUILDID]; /* [t] as the worker read it */
	uint32_t mf_buildidlen;			 /* [t] 0: it has none */
	LIST_ENTRY(mapped_file) mf_entry;	 /* [t] of its hash line */
	TAILQ_ENTRY(mapped_file) mf_lru; /* [t] of those that are open */
};

/* What inspectors are stuck on if it hangs, and if its debug files do. */
uint64_t mapped_file_key(const struct mapped_file *);
uint64_t mapped_file_debugkey(const struct mapped_file *);

/* From any thread. */
struct mapped_file *mapped_file_hold(struct mapped_file *);
void mapped_file_release(struct mapped_file *); /* NULL is fine */
/*
 * A file that somebody named by its path (dt report): regular, or an errno.
 * The build id, if len is not 0, is what it must have.
 */
int mapped_file_open(const char *path, const uint8_t *buildid, size_t len,
    uid_t, struct mapped_file **);
/* Whether an error may be another one, or none, at the next time. */
int mapped_file_ispassing(int error);
/* What somebody has read in it, once: its build id, or that it has none. */
void
mapped_file_setid(struct mapped_file *, const uint8_t *buildid, size_t len);
/* Whether that is known; *len 0: it has none. */
int mapped_file_getid(const struct mapped_file *,
    uint8_t buildid[MAPPED_FILE_BUILDID], uint32_t *len);

/*
 * For proc_watch.c.
 *
 * The file of an identity, made if it is new, and counted for a mapping, which
 * is32 if it is below 4 GB; NULL: no memory.
 */
struct mapped_file *
mapped_file_map(const struct inode_id *, int is32, int *isnew);
struct mapped_file *
mapped_file_mapped(struct mapped_file *); /* one more mapping */
void mapped_file_unmap(struct mapped_file *);
/*
 * The file that is meant by a mapping of it, held, and open unless mf_error
 * says why not; NULL: no memory.  Waits for an inspector, msecs at most.
 */
struct mapped_file *mapped_file_find(struct mapped_file *,
    const struct sighting *, unsigned int msecs);

struct mapped_file_stat {
	uint64_t mfs_files, mfs_open, mfs_bytes;
	uint64_t mfs_opened, mfs_failed, mfs_closed; /* so far */
};
void mapped_file_stat(struct mapped_file_stat *);

#endif /* DAEMON_PROCS_MAPPED_FILE_H */
