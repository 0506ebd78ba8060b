/* SPDX-License-Identifier: ISC */
/*
 * Frames of stacks, each different one once, so that a stack is a list of
 * numbers and who prints it follows pointers.  Names in here are those of
 * files and processes of others: every format escapes them itself.
 */
#ifndef CLI_SYM_FRAMES_H
#define CLI_SYM_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/base/hash.h"

#define MODULE_KERNEL "[kernel]"

/* What code is from: a file, the vdso, the kernel. */
struct module {
	const char *mo_path; /* as the process saw it */
	const char *mo_name; /* its last part */
	uint8_t mo_buildid[24];
	unsigned int mo_buildidlen; /* 0: not known */
	uint32_t mo_id;		    /* from 0 on */
};

struct frame {
	uint32_t fr_id; /* from 0 on */
	int fr_iskernel;
	int fr_isinlined; /* into the frame behind it */
	/* what to call it, never NULL: the function, else module+0xoffset, else
	 * [pid: reason], else the address */
	const char *fr_name;
	const char *fr_func;		/* NULL: not known */
	const struct module *fr_module; /* NULL: not known */
	const char *fr_file;		/* NULL: not known, or not asked */
	unsigned int fr_line;
	/* if places are told apart, else 0 */
	uint64_t fr_pc;	     /* as the stack has it */
	uint64_t fr_fileoff; /* of what was looked up, in the file */
	uint64_t fr_offset;  /* of fr_pc in the function */
};

/* All zeros but fs_isexact is an empty one. */
struct frames {
	int fs_isexact; /* places inside of a function are told apart */
	struct hash fs_strs;
	struct hash fs_modules;
	struct hash fs_map;
	struct frame **fs_list; /* by fr_id */
	size_t fs_n, fs_max;
};

void frames_free(struct frames *);
/* The string, once: equal strings are one pointer. */
const char *frames_str(struct frames *, const char *);
const struct module *frames_module(struct frames *, const char *path,
    const uint8_t *buildid, unsigned int len);
/*
 * A frame at pc.  back: what was looked up is so much less, see stack_pc().
 * func NULL: not known.
 */
const struct frame *frames_kernel(struct frames *, uint64_t pc,
    unsigned int back, const char *func, uint64_t offset);
/* The same of a process, as dt_symbolize() names it. */
const struct frame *frames_user(struct frames *, uint32_t pid, uint64_t pc,
    unsigned int back, const struct dt_frame *);

/* A frame that is in no table: its strings are those of what it was made
 * from, and what is in here. */
struct frame_alone {
	struct frame fal_frame;
	struct module fal_module;
	char fal_name[512];
};

/* pc as above. */
const struct frame *frames_alone(struct frame_alone *, uint32_t pid,
    uint64_t pc, unsigned int back, const struct dt_frame *);

/* Why a frame has no name: "process not known". */
const char *frames_why(unsigned int why, int error);
/* The last part of a path. */
const char *frames_base(const char *path);

#endif /* CLI_SYM_FRAMES_H */
