/* SPDX-License-Identifier: ISC */
/*
 * Frames of stacks, each different one stored once, so that a stack is a list
 * of numbers and printing follows pointers.  The names are untrusted, from
 * files and processes; every format escapes them itself.
 */
#ifndef CLI_SYM_FRAMES_H
#define CLI_SYM_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/base/hash.h"

#define MODULE_KERNEL "[kernel]"

/* Origin of code: a file, the vdso, the kernel. */
struct module {
	const char *mo_path; /* path in the process's view */
	const char *mo_name; /* last part of mo_path */
	uint8_t mo_buildid[24];
	unsigned int mo_buildidlen; /* 0: unknown */
	uint32_t mo_id;		    /* from 0 */
};

struct frame {
	uint32_t fr_id; /* from 0 */
	int fr_iskernel;
	int fr_isinlined; /* inlined into the next frame */
	/*
	 * printed name, never NULL: the function, else module+0xoffset, else
	 * [pid: reason], else the address
	 */
	const char *fr_name;
	const char *fr_func;		/* NULL: unknown */
	const struct module *fr_module; /* NULL: unknown */
	const char *fr_file;		/* NULL: unknown, or not requested */
	unsigned int fr_line;
	/* if addresses are distinguished, else 0 */
	uint64_t fr_pc;	     /* as in the stack */
	uint64_t fr_fileoff; /* file offset of the address that was looked up */
	uint64_t fr_offset;  /* offset of fr_pc in the function */
};

/* All zeros, except fs_isexact, is an empty table. */
struct frames {
	int fs_isexact; /* distinguishes addresses within a function */
	struct hash fs_strs;
	struct hash fs_modules;
	struct hash fs_map;
	struct frame **fs_list; /* by fr_id */
	size_t fs_n, fs_max;
};

void frames_free(struct frames *);
/* Returns the stored string: equal strings are one pointer. */
const char *frames_str(struct frames *, const char *);
const struct module *frames_module(struct frames *, const char *path,
    const uint8_t *buildid, unsigned int len);
/*
 * Returns the frame at pc.  back: the address that was looked up is pc - back,
 * see stack_pc().  func NULL: unknown.
 */
const struct frame *frames_kernel(struct frames *, uint64_t pc,
    unsigned int back, const char *func, uint64_t offset);
/* The same for a process, with the result of dt_symbolize(). */
const struct frame *frames_user(struct frames *, uint32_t pid, uint64_t pc,
    unsigned int back, const struct dt_frame *);

/* Returns the file of this name that a frame has, or NULL. */
const struct module *frames_module_named(const struct frames *, const char *);

/* Returns the frame that equals one of another table. */
const struct frame *frames_copy(struct frames *, const struct frame *);

/*
 * A frame outside of any table.  It points to strings of its source, and to
 * those below.
 */
struct frame_alone {
	struct frame fal_frame;
	struct module fal_module;
	char fal_name[512];
};

/* pc as above. */
const struct frame *frames_alone(struct frame_alone *, uint32_t pid,
    uint64_t pc, unsigned int back, const struct dt_frame *);

/* Returns why a frame has no symbol, for example "process not known". */
const char *frames_why(unsigned int why, int error);
/* Returns the last part of a path. */
const char *frames_base(const char *path);

#endif /* CLI_SYM_FRAMES_H */
