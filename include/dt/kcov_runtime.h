/* SPDX-License-Identifier: ISC */
/*
 * Interface between libdt and the runtime of instrumented programs,
 * libdtkcov.a: selects the thread that records and its memory.  Programs use
 * KIOENABLE instead, see dtkcov(3).
 */
#ifndef DT_KCOV_RUNTIME_H
#define DT_KCOV_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dt_kcov_runtime {
	/*
	 * Makes the calling thread record into the memory of fd, nentries of 8
	 * bytes, in KCOV_MODE_TRACE_PC or _CMP.  Maps the memory, so that the
	 * caller may close fd.  Returns a handle, or -1: EINVAL (also for an
	 * unsuitable fd), EBUSY (the thread records already), EAGAIN (too many
	 * threads record), errors of mmap(2).
	 */
	int (*kr_begin)(int fd, size_t nentries, int mode);
	/* Stops recording.  Any thread may call this, also after the exit of
	 * the recording thread. */
	void (*kr_end)(int handle);
};

/*
 * Registers a runtime with libdt (there is 1), or unregisters it (there is 0),
 * for example in dlclose(3).  The first registered runtime is used.
 */
void dt_kcov_runtime(const struct dt_kcov_runtime *runtime, int there);

#ifdef __cplusplus
}
#endif

#endif /* DT_KCOV_RUNTIME_H */
