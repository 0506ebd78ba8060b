/* SPDX-License-Identifier: ISC */
/*
 * dt kcov: which code a command has reached.  kcov_run.c runs it, kcov_drain.c
 * takes records out of the device's memory, kcov_symbols.c makes places of
 * their addresses, kcov_place.c has the table of these, kcov_file.c reads those
 * of an earlier run.
 */
#ifndef CLI_KCOV_KCOV_H
#define CLI_KCOV_KCOV_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sys/kcov.h>

#include "cli/base/hash.h"
#include "cli/opts/opts.h"
#include "cli/out/out.h"
#include "cli/sym/frames.h"

/* What a record says; of KCOV_MODE_TRACE_PC nothing but the address. */
struct kcov_record {
	uint64_t krc_type, krc_arg1, krc_arg2;
	uint64_t krc_pc;
};

/* The device's memory, and what was taken out of it. */
struct kcov_drain {
	uint64_t *kd_buf;
	size_t kd_max;	     /* records that fit */
	unsigned int kd_len; /* entries of each: 1, or 4 of a comparison */
	size_t kd_next;	     /* records that were taken and stand there */
	uint64_t kd_n;	     /* records that were taken, in all */
	uint64_t kd_nothers; /* of them, of places that had no room */
	uint64_t kd_nfull;   /* so often there was no room left */
	/* struct kcov_record -> he_count, he_sum: number of its first */
	struct hash kd_records;
};

/* mode: KCOV_MODE_TRACE_* */
void
kcov_drain_init(struct kcov_drain *, uint64_t *buf, size_t nentries, int mode);
void kcov_drain_free(struct kcov_drain *);
/* Takes what there is, and makes room when there is little left; isover: nobody
 * fills what is empty yet.  Returns how many records that were. */
size_t kcov_drain(struct kcov_drain *, int isover);

/* Places by what they are called, in the order in which they came. */
struct kcov_places {
	struct frames kpl_strs; /* strings, each once */
	struct hash kpl_map;	/* struct kcov_key -> he_count: number and 1 */
	struct out_place *kpl_list;
	size_t kpl_n, kpl_max;
	int kpl_isend; /* the last line of an earlier run was there */
};

/* All zeros is an empty one. */
void kcov_places_free(struct kcov_places *);
/* The place of this name, or a new one: counts and order are the caller's.
 * Strings are copied.  It lives until the next call. */
struct out_place *
kcov_place(struct kcov_places *, const struct out_place *name);

/* Makes places of all records: of the kernel (pid 0), or of a process as it was
 * at a time. */
void kcov_name(struct kcov_places *, struct kcov_drain *, struct dt *,
    pid_t pid, uint64_t nsecs);

/* A line of an earlier run, without its end: NULL, or what is wrong with it. */
const char *kcov_line(struct kcov_places *, const char *line, size_t n);
/* All of them; says what is wrong with which line, and exits. */
void kcov_file_read(struct kcov_places *, const char *name);

/* Whether a file has the runtime of libdtkcov in it, which makes records of the
 * program's own code. */
int kcov_made(const char *path);

/* Puts the places in order, those that are not to be shown behind the others.
 * Returns how many are to be shown. */
size_t kcov_sort(struct kcov_places *, const struct opts *);
/* Records that were not read, and all that were lost, as --strict counts. */
uint64_t kcov_unread(const struct out_kcov *);
uint64_t kcov_lost(const struct out_kcov *);
/* On stderr, a line: how many records, and how many were lost. */
void kcov_account(const struct out_kcov *);

/* Runs the command, and prints; the exit status. */
int kcov_run(const struct opts *);

#endif /* CLI_KCOV_KCOV_H */
