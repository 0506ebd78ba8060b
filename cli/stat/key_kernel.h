/* SPDX-License-Identifier: ISC */
/*
 * Keys as the kernel counts by them (DTIOCSAGG): the parts of a probe's key,
 * and the event that the parts of a row stand for.
 */
#ifndef CLI_STAT_KEY_KERNEL_H
#define CLI_STAT_KEY_KERNEL_H

#include <stddef.h>

#include <libdt.h>

#include "cli/stat/key.h"

/* A probe whose hits are counted. */
struct key_kernel {
	uint32_t kyk_pbn;
	uint32_t kyk_first; /* of a pair: number of its first probe */
	int kyk_ispair;
	int kyk_isreturn;   /* has a result */
	int kyk_isunsigned; /* the value is an unsigned number of 64 bits */
	int kyk_isrecord;   /* the key needs parts of the record: DTAG_RECORD */
	struct dtioc_agg kyk_agg;
};

/* An event with the values of a row's key, and nothing else, not even a time. */
struct key_row {
	struct dt_event kyr_ev;
	struct dt_rec kyr_rec;
	struct dt_rec_ret kyr_ret;
	struct dt_rec_who kyr_who;
	char kyr_comm[DT_REC_COMMLEN];
	uint64_t kyr_args[DT_REC_NARGS];
	struct dt_rec_duration
	    kyr_duration; /* dt_first() needs the whole section */
};

/*
 * Returns whether rows of several probes have to be told apart by number: the
 * keys contain the probe, or values that depend on it.
 */
int key_kernel_wants_probe(const struct keys *);
/* Returns whether the keys may have many different values. */
int key_kernel_ismany(const struct keys *);
/*
 * Fills in kyk_agg for the probe and pair in the struct.  wantsprobe: the key
 * begins with the number of the probe.  Returns 0, or -1 with the reason why the
 * kernel cannot count by these keys.
 */
int key_kernel_agg(struct keys *, int wantsprobe, struct key_kernel *,
    char *why, size_t nwhy);
/* Converts a row of the probe.  The event points into the struct. */
void key_kernel_row(const struct key_kernel *, const struct dtioc_aggrow *,
    struct key_row *);

#endif /* CLI_STAT_KEY_KERNEL_H */
