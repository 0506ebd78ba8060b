/* SPDX-License-Identifier: ISC */
/*
 * Types of the running kernel, from /sys/kernel/btf/vmlinux: structs by name,
 * their members, and what a value of a type is.  The file is read at the first
 * call, once for the process.
 */
#ifndef CLI_SCRIPT_SCRIPT_BTF_H
#define CLI_SCRIPT_SCRIPT_BTF_H

#include <stdint.h>

#include "cli/script/script.h"

/* Kinds of values. */
enum btf_shape {
	BTF_VOID, /* nothing that can be read */
	BTF_NUMBER,
	BTF_POINTER,
	BTF_TEXT,  /* an array of char */
	BTF_ARRAY, /* of anything else */
	BTF_STRUCT
};

struct btf_value {
	enum btf_shape bvl_shape;
	uint32_t bvl_size; /* bytes */
	uint8_t bvl_issigned;
	uint32_t bvl_count;		 /* elements of an array */
	struct script_ctype bvl_element; /* of an array, or after a pointer */
};

/* A member of a struct or union, or of an anonymous one in it. */
struct btf_field {
	uint64_t bfl_offset; /* bits */
	uint8_t bfl_bits;    /* of a bit field; else 0 */
	struct script_ctype bfl_type;
};

/* Returns why types are unavailable, or NULL. */
const char *script_btf_lacks(void);
/* Describes a value of a type. */
struct btf_value script_btf_value(const struct script_ctype *);
/*
 * Reads a type as C writes it, for example "const struct sock *", or "u32 *".
 * Returns 0, or -1: the kernel does not have it.
 */
int script_btf_type(const char *text, struct script_ctype *);
/* Finds a member.  Returns 0 or -1. */
int script_btf_field(const struct script_ctype *, const char *name,
    struct btf_field *);
/* Returns a member with a similar name, or NULL. */
const char *script_btf_near(const struct script_ctype *, const char *name);
/* Returns the name of a struct, for messages. */
const char *script_btf_name(const struct script_ctype *);
/* Finds a constant of an enum.  Returns 0 or -1. */
int script_btf_constant(const char *name, int64_t *);

#endif /* CLI_SCRIPT_SCRIPT_BTF_H */
