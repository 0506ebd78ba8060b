/* SPDX-License-Identifier: ISC */
/* Converts the raw name of a symbol to its readable form. */
#ifndef SYMBOLIZER_DEMANGLE_H
#define SYMBOLIZER_DEMANGLE_H

#include <stddef.h>

#include "wire/symbolizer.h"

#define SYMNAME_MAX 8192 /* bytes of a name that are used */

/*
 * Without the version (memcpy@@GLIBC_2.14) and demangled (C++, Rust), of at
 * most SYMREQ_NAME bytes with its NUL; longer names end with "...".
 */
void demangle_name(const char *raw, size_t len, char out[SYMREQ_NAME]);
/* The same with the types of parameters. */
void demangle_signature(const char *raw, size_t len, char out[SYMREQ_NAME]);

#endif /* SYMBOLIZER_DEMANGLE_H */
