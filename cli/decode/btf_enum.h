/* SPDX-License-Identifier: ISC */
/*
 * Enums of the running kernel, from its BTF.  The BTF is read at the first
 * lookup; results are kept.
 */
#ifndef CLI_DECODE_BTF_ENUM_H
#define CLI_DECODE_BTF_ENUM_H

struct arg_names;

/*
 * Returns the values of "enum name", or NULL if there is no such enum or no
 * BTF.
 */
const struct arg_names *btf_enum(const char *name);

#endif /* CLI_DECODE_BTF_ENUM_H */
