/* SPDX-License-Identifier: ISC */
/*
 * Frames of addresses: validates and joins the replies to DTIOCSYM and
 * DTIOCSYMFILE.
 */
#ifndef LIB_SYM_REQUEST_H
#define LIB_SYM_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct dt;

/* Space of the addresses: a process, the kernel, or a file. */
struct dt_symask {
	uint32_t syk_pid;   /* 0: the kernel */
	uint32_t syk_flags; /* DTSY_* */
	uint64_t syk_nsecs;
	const char *syk_path; /* not NULL: addresses are offsets in this file */
	const uint8_t *syk_buildid;
	uint32_t syk_buildidlen; /* at most 20 */
};

/*
 * wf_pc is an index of the requested addresses.  wf_func, wf_module and wf_file
 * are offsets plus one into sy_strings, or 0.  sy_strings ends with a NUL.
 */
struct dt_syms {
	struct wire_frame *sy_frames;
	size_t sy_nframes;
	char *sy_strings;
	size_t sy_nbytes; /* size of sy_strings */
	/* period in which the process had this code */
	uint64_t sy_from;
	uint64_t sy_until;
	uint64_t sy_gen; /* generation in the last portion */
};

/* Validates the parameters for a file. -1: EFAULT, EINVAL. */
int dt_symask_check(struct dt *, const struct dt_symask *);

/* Gets all frames of npcs addresses.  -1 as dt_ioctl(). */
int dt_syms_get(struct dt *, const struct dt_symask *, const uint64_t *pcs,
    size_t npcs, struct dt_syms *);
void dt_syms_free(struct dt_syms *);

/* Returns a string of a frame by its offset plus one, or NULL. */
const char *dt_syms_string(const struct dt_syms *, uint32_t);

#endif /* LIB_SYM_REQUEST_H */
