/* SPDX-License-Identifier: ISC */
/*
 * Files that code was mapped from: known by what the kernel reports of them,
 * kept once, counted, and found at first sight, so that they can be read
 * when process and name have gone.  How many are open at a time is bounded:
 * the one that was needed longest ago is closed, and found again when it is
 * needed, if it is still there.
 *
 * What the kernel reports may be another file, or one with other debug files,
 * in each root directory (file_open.h): then there is a symfile for each, which
 * symfile_find() returns in the place of the one that is mapped.
 *
 * Letters: I constant; t under the table's lock; u constant while somebody
 * outside of the table holds what symfile_find() has returned.
 */
#ifndef DAEMON_PROCS_MAPPED_FILE_H
#define DAEMON_PROCS_MAPPED_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "daemon/procs/sideband_event.h"

#define SYMFILE_BUILDID 20 /* bytes of one, at most */

struct symroot;

enum symfile_kind {
	SYMFILE_ELF,  /* a file, of whatever kind */
	SYMFILE_VDSO, /* the kernel's page of code */
	SYMFILE_ANON, /* memory without a file: made at run time */
};

/* Where it was seen: what is needed to find it. */
struct symsight {
	uint32_t ss_pid;
	uid_t ss_uid;		   /* whose fault it is if it takes long; -1 */
	uint64_t ss_start, ss_end; /* a mapping of it */
	struct symroot *ss_root;   /* of the process, or its parent, or NULL */
};

struct symfile {
	uint64_t sf_id; /* [I] never used again */
	int sf_fd;	/* [u] O_PATH, or -1 */
	int sf_error;	/* [u] why not: an errno, ESTALE: another file now */
	uint8_t sf_deleted;		  /* [t] had no name when it was seen */
	enum symfile_kind sf_kind;	  /* [I] */
	uint8_t sf_want[SYMFILE_BUILDID]; /* [I] the build id it must have */
	uint32_t sf_wantlen;		  /* [I] 0: any */
	char *sf_path; /* [I] as the process saw it, "[vdso]", "//anon" */
	int sf_rootfd; /* [u] O_PATH, where debug files are; -1: our own root */

	/* the table's */
	uint64_t sf_dev, sf_ino, sf_gen;  /* [I] 0: not told */
	int64_t sf_btime;		  /* [t] when it was made, ns; 0 */
	struct symfile *sf_base;	  /* [I] the one that is mapped; NULL */
	LIST_HEAD(, symfile) sf_variants; /* [t] of it */
	LIST_ENTRY(symfile) sf_variant;	  /* [t] */
	struct symroot *sf_root; /* [I] of a variant: for processes of it */
	uint32_t sf_pid;	 /* [I] and, not 0: for this one only */
	uid_t sf_uid;		 /* [u] whose fault it is if it hangs; -1 */
	int sf_isours;		 /* [u] debug files are in our own root */
	int sf_islisted;	 /* [t] of a variant: others find it */
	unsigned int sf_refs;	 /* [t] all */
	unsigned int sf_maps;	 /* [t] of them, those of mappings */
	uint64_t sf_hash;	 /* [I] */
	uint8_t sf_isread;	 /* [t] the build id it has is known, */
	uint8_t sf_buildid[SYMFILE_BUILDID]; /* [t] as the worker read it */
	uint32_t sf_buildidlen;		     /* [t] 0: it has none */
	LIST_ENTRY(symfile) sf_entry;	     /* [t] of its hash line */
	TAILQ_ENTRY(symfile) sf_lru;	     /* [t] of those that are open */
};

/* What inspectors are stuck on if it hangs, and if its debug files do. */
uint64_t symfile_key(const struct symfile *);
uint64_t symfile_debugkey(const struct symfile *);

/* From any thread. */
struct symfile *symfile_hold(struct symfile *);
void symfile_release(struct symfile *); /* NULL is fine */
/*
 * A file that somebody named by its path (dt report): regular, or an errno.
 * The build id, if len is not 0, is what it must have.
 */
int symfile_open(const char *path, const uint8_t *buildid, size_t len, uid_t,
    struct symfile **);
/* Whether an error may be another one, or none, at the next time. */
int symfile_ispassing(int error);
/* What somebody has read in it, once: its build id, or that it has none. */
void symfile_setid(struct symfile *, const uint8_t *buildid, size_t len);
/* Whether that is known; *len 0: it has none. */
int symfile_getid(const struct symfile *, uint8_t buildid[SYMFILE_BUILDID],
    uint32_t *len);

/*
 * For symproc.
 *
 * The file of an identity, made if it is new, and counted for a mapping, which
 * is32 if it is below 4 GB; NULL: no memory.
 */
struct symfile *symfile_map(const struct symid *, int is32, int *isnew);
struct symfile *symfile_mapped(struct symfile *); /* one more mapping */
void symfile_unmap(struct symfile *);
/*
 * The file that is meant by a mapping of it, held, and open unless sf_error says
 * why not; NULL: no memory.  Waits for an inspector, msecs at most.
 */
struct symfile *
symfile_find(struct symfile *, const struct symsight *, unsigned int msecs);

struct symfile_stat {
	uint64_t fs_files, fs_open, fs_bytes;
	uint64_t fs_opened, fs_failed, fs_closed; /* so far */
};
void symfile_stat(struct symfile_stat *);

#endif /* DAEMON_PROCS_MAPPED_FILE_H */
