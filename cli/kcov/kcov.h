/* SPDX-License-Identifier: ISC */
/*
 * dt kcov: the code that a command has reached.  kcov_run.c runs it,
 * kcov_drain.c copies records from the device's memory, kcov_symbols.c turns
 * their addresses into places, kcov_place.c has the table of places, and
 * kcov_file.c writes and reads the places of a run.
 */
#ifndef CLI_KCOV_KCOV_H
#define CLI_KCOV_KCOV_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sys/kcov.h>

#include "cli/base/hash.h"
#include "cli/dtfile/block.h"
#include "cli/opts/opts.h"
#include "cli/out/out.h"
#include "cli/sym/frames.h"

/* Code that is covered. */
enum kcov_code {
	KCOV_AUTO = 0, /* the command's if it can record, else the kernel's */
	KCOV_KERNEL,
	KCOV_PROGRAM,
};

struct kcov_opts {
	struct opts kco_common;
	/* -f: as in struct kio_funcs; "": the device's default */
	char kco_globs[KIO_FUNCS_LEN];
	enum kcov_code kco_code; /* --user, --kernel */
	int kco_cmp;		 /* --cmp */
	int kco_order;		 /* --order */
	const char *kco_diff;	 /* --diff; NULL: no comparison */
};

/* A record; in KCOV_MODE_TRACE_PC only the address is set. */
struct kcov_record {
	uint64_t krc_type, krc_arg1, krc_arg2;
	uint64_t krc_pc;
};

/* The device's memory, and the records copied from it. */
struct kcov_drain {
	uint64_t *kd_buf;
	size_t kd_max;	     /* capacity in records */
	unsigned int kd_len; /* entries of each record: 1, or 4 for a
			      * comparison */
	size_t kd_next;	     /* records in the memory that were copied */
	uint64_t kd_n;	     /* records copied, in all */
	uint64_t kd_nothers; /* copied records of places beyond the
			      * capacity */
	uint64_t kd_nfull;   /* times that the memory was full */
	/* struct kcov_record -> he_count, he_sum: number of its first record */
	struct hash kd_records;
};

/* mode: KCOV_MODE_TRACE_* */
void
kcov_drain_init(struct kcov_drain *, uint64_t *buf, size_t nentries, int mode);
void kcov_drain_free(struct kcov_drain *);
/*
 * Copies the new records, and empties the memory when it is nearly full;
 * isover: no thread writes to it any more.  Returns the number of records.
 */
size_t kcov_drain(struct kcov_drain *, int isover);

/* Places by name, in the order of their first record. */
struct kcov_places {
	struct frames kpl_strs; /* strings, each once */
	struct hash kpl_map;	/* struct kcov_key -> he_count: number and 1 */
	struct out_place *kpl_list;
	size_t kpl_n, kpl_max;
	int kpl_isend; /* the end of a file was read */
};

/* All zeros is an empty table. */
void kcov_places_free(struct kcov_places *);
/*
 * Returns the place of this name, or a new one, whose counts and order the
 * caller sets.  Copies strings.  The result is valid until the next call.
 */
struct out_place *
kcov_place(struct kcov_places *, const struct out_place *name);

/*
 * Adds the places of all records: of the kernel (pid 0), or of a process at a
 * given time.
 */
void kcov_name(struct kcov_places *, struct kcov_drain *, struct dt *,
    pid_t pid, uint64_t nsecs);

/* Writes a run: all places with a count.  Returns 0 or the errno. */
int kcov_file_write(const char *name, const struct kcov_places *,
    const struct out_kcov *);
/* The same by the function of a block_writer.  Returns 0 or -1. */
int kcov_file_put(struct block_writer *, const struct kcov_places *,
    const struct out_kcov *);
/*
 * Adds an item of a file; the last one fills in the struct out_kcov except for
 * its places.  Returns NULL, or the error.
 */
const char *kcov_file_item(struct kcov_places *, struct out_kcov *,
    const struct block_item *);
/*
 * Reads a whole file as the earlier run; on an error, prints it and exits.
 */
void kcov_file_read(struct kcov_places *, const char *name);

/*
 * Returns whether a file contains the runtime of libdtkcov, which records the
 * program's own code.
 */
int kcov_made(const char *path);

/*
 * Sorts the places; those that are not printed are last.  Returns the number to
 * print.
 */
size_t kcov_sort(struct kcov_places *, const struct kcov_opts *);
/* Records that were not read, and all that were lost, as --strict counts. */
uint64_t kcov_unread(const struct out_kcov *);
uint64_t kcov_lost(const struct out_kcov *);
/* Prints a line on stderr: the number of records, and of lost records. */
void kcov_account(const struct out_kcov *);

/*
 * Runs the command of struct kcov_opts and prints the result; returns the exit
 * status.
 */
int kcov_run(struct opts *);

#endif /* CLI_KCOV_KCOV_H */
