/* SPDX-License-Identifier: ISC */
/* Shared by the fuzzers of the symbolizer. */
#ifndef FUZZ_SYM_H
#define FUZZ_SYM_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/object.h"

#define FUZZ_STEPS 256 /* addresses that are looked up */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Copies the input to memory of its exact size, as the image of a file. */
static inline struct image
fuzz_image(const uint8_t *data, size_t n)
{
	struct image im;
	void *p = malloc(n == 0 ? 1 : n);

	if (p == NULL)
		abort();
	memcpy(p, data, n);
	image_take(p, n, &im);
	return im;
}

static inline int
fuzz_memfd(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd == -1 || write(fd, data, n) != (ssize_t)n)
		abort();
	return fd;
}

/*
 * Checks what dtd relies on: terminated strings, and a range with the address.
 */
static inline void
fuzz_put(struct frame_sink *fs, const struct wire_frame *wf,
    const struct symrep_span *sp, const char *func, const char *file)
{
	(void)fs;
	(void)file;
	if (wf->wf_pc >= FUZZ_STEPS || sp->ssp_from >= sp->ssp_to ||
	    (func != NULL && strlen(func) >= SYMREQ_NAME))
		abort();
}

/* Opens it like the worker, and looks up addresses everywhere in it. */
static inline void
fuzz_object(struct image im, debugfile_ask *ask, int lines)
{
	struct frame_sink fs = { fuzz_put };
	uint64_t offs[FUZZ_STEPS];
	size_t i, size = im.im_size;
	struct object *ob;

	elf_version(EV_CURRENT);
	if (object_open(&im, NULL, 0, ask, &ob) != 0)
		return;
	for (i = 0; i < FUZZ_STEPS; i++)
		offs[i] = size * i / FUZZ_STEPS;
	(void)object_names(ob, offs, FUZZ_STEPS, lines, &fs);
	object_close(ob);
}

#endif /* FUZZ_SYM_H */
