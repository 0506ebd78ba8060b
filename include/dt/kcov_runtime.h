/* SPDX-License-Identifier: ISC */
/*
 * Between libdt and the runtime of instrumented programs, libdtkcov.a: which
 * thread records, and where.  Programs have no use for it: they say
 * KIOENABLE, see dtkcov(3).
 */
#ifndef DT_KCOV_RUNTIME_H
#define DT_KCOV_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dt_kcov_runtime {
	/*
	 * From now on the calling thread records into the memory of fd, as
	 * many entries of 8 bytes, in KCOV_MODE_TRACE_PC or _CMP.  The memory
	 * is mapped: fd may be closed.  A handle, or -1: EINVAL (what fd is, too), EBUSY (the
	 * thread records already), EAGAIN (too many threads do), those of
	 * mmap(2).
	 */
	int (*kr_begin)(int fd, size_t nentries, int mode);
	/* No longer.  Any thread may say so, also after that one's exit. */
	void (*kr_end)(int handle);
};

/*
 * libdt's.  A runtime tells that it is there (it is used unless another one
 * is), or that it goes, as dlclose(3) does it.
 */
void dt_kcov_runtime(const struct dt_kcov_runtime *runtime, int there);

#ifdef __cplusplus
}
#endif

#endif /* DT_KCOV_RUNTIME_H */
