/* SPDX-License-Identifier: ISC */
/*
 * Caches the symbolizer's replies by file. A file is identified as the kernel
 * reports it, not by its build id, which any user can put into a file with
 * other symbols. Any thread.
 */
#ifndef DAEMON_SYM_SYMBOL_CACHE_H
#define DAEMON_SYM_SYMBOL_CACHE_H

#include "daemon/sym/frame_buf.h"

#define SYMCACHE_BYTES (16 << 20)

/*
 * The path is a part of the key because links share device and inode, but have
 * different debug files next to them. So has each root directory.
 */
struct symbol_key {
	uint64_t sk_dev;
	uint64_t sk_ino;
	uint64_t sk_ctime; /* ns: it changes with the content */
	uint64_t sk_size;
	uint64_t sk_root;    /* serial of the root directory of debug files; 0:
			   * dtd's own */
	const char *sk_path; /* the cache makes copies */
};

/*
 * Adds the frames of an offset to the buffer, with pc as their wf_pc.  Returns
 * 0 if they are not cached, or if memory runs out.
 */
int symbol_cache_get(const struct symbol_key *, int lines, uint64_t off,
    uint32_t pc, struct frame_buf *);
/*
 * Adds the frames of the buffer from the first on.  Their wf_pc count from base
 * and are indexes into offs (ascending).
 */
void
symbol_cache_put(const struct symbol_key *, int lines, const uint64_t *offs,
    const struct frame_buf *, size_t first, uint32_t base);

/*
 * Remembers a file with which the worker crashed, or that it cannot read.  The
 * last 1024 are remembered.
 */
void symbol_cache_bad(const struct symbol_key *, int lines, int error);
/* Returns the errno remembered for a file; 0: it may be read. */
int symbol_cache_isbad(const struct symbol_key *, int lines);

/* Removes symbols that no request has used for this many seconds. */
void symbol_cache_trim(int seconds);

struct symbol_cache_stat {
	uint64_t scs_files;
	uint64_t scs_bytes;
	uint64_t scs_evicted;
	uint64_t scs_bad;
};
void symbol_cache_stat(struct symbol_cache_stat *);

#endif /* DAEMON_SYM_SYMBOL_CACHE_H */
