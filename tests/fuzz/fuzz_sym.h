/* SPDX-License-Identifier: ISC */
/* Shared by the fuzzers of the symbolizer. */
#ifndef FUZZ_SYM_H
#define FUZZ_SYM_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/object_file.h"

#define FUZZ_STEPS 256 /* addresses that are looked up */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Copies the input to memory of its exact size, as the image of a file. */
static inline struct file_bytes
fuzz_image(const uint8_t *data, size_t n)
{
	struct file_bytes im;
	void *p = malloc(n == 0 ? 1 : n);

	if (p == NULL)
		abort();
	memcpy(p, data, n);
	file_bytes_take(p, n, &im);
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

/* Builds unwind tables, of which dtd's checks refuse none. */
static inline void
fuzz_tables(struct object_file *ob, size_t size)
{
	struct unwind_page_rows upr;
	uint64_t page;
	size_t i;

	for (page = 0; page <= size >> UNWIND_PAGE_SHIFT; page++) {
		if (object_file_unwind(ob, page, &upr) != 0)
			break;
		if (upr.upr_nrows > UNWIND_MAXROWS ||
		    upr.upr_nrules > UNWIND_MAXRULES)
			abort();
		for (i = 0; i < upr.upr_nrows; i++)
			if (upr.upr_rows[i].ur_rule >= upr.upr_nrules ||
			    (i == 0 ? upr.upr_rows[i].ur_low != 0
				    : upr.upr_rows[i].ur_low <=
					upr.upr_rows[i - 1].ur_low))
				abort();
		unwind_page_free(&upr);
	}
}

/* Opens it like the worker, and looks up addresses everywhere in it. */
static inline void
fuzz_object(struct file_bytes im, debugfile_find *ask, int lines)
{
	struct frame_sink fs = { fuzz_put };
	uint64_t offs[FUZZ_STEPS];
	size_t i, size = im.fby_size;
	struct object_file *ob;

	elf_version(EV_CURRENT);
	if (object_file_open(&im, NULL, 0, ask, &ob) != 0)
		return;
	for (i = 0; i < FUZZ_STEPS; i++)
		offs[i] = size * i / FUZZ_STEPS;
	(void)object_file_names(ob, offs, FUZZ_STEPS, lines, &fs);
	fuzz_tables(ob, size);
	object_file_close(ob);
}

#endif /* FUZZ_SYM_H */
