/* SPDX-License-Identifier: ISC */
/*
 * Enums of the running kernel by name, from its BTF.  Read when the first one
 * is asked for; what was found stays.
 */
#ifndef CLI_DECODE_BTF_ENUM_H
#define CLI_DECODE_BTF_ENUM_H

struct arg_names;

/* The values of "enum name", or NULL: there is none, or no BTF. */
const struct arg_names *btf_enum(const char *name);

#endif /* CLI_DECODE_BTF_ENUM_H */
