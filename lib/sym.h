/* SPDX-License-Identifier: ISC */
/*
 * Frames for addresses: the replies to DTIOCSYM, checked and put together.
 */
#ifndef LIB_SYM_H
#define LIB_SYM_H

#include <stddef.h>
#include <stdint.h>

#include "wire.h"

struct dt;

/*
 * wf_pc counts from the first address asked for; wf_func, wf_module and
 * wf_file are offsets plus one into sy_strings, which ends with a NUL, or 0.
 */
struct dt_syms {
	struct wire_frame *sy_frames;
	size_t sy_nframes;
	char *sy_strings;
	size_t sy_nbytes; /* of the strings */
};

/* All frames of npcs addresses; pid 0: the kernel's.  -1 as dt_ioctl(). */
int dt_syms_get(struct dt *, uint32_t pid, uint64_t nsecs, const uint64_t *pcs,
    size_t npcs, struct dt_syms *);
void dt_syms_free(struct dt_syms *);

/* A string of a frame by its offset plus one, or NULL. */
const char *dt_syms_string(const struct dt_syms *, uint32_t);

#endif /* LIB_SYM_H */
