/* SPDX-License-Identifier: ISC */
/* The name of a symbol as a person reads it. */
#ifndef SYMBOLIZER_DEMANGLE_H
#define SYMBOLIZER_DEMANGLE_H

#include <stddef.h>

#include "wire/symbolizer.h"

#define SYMNAME_MAX 8192 /* bytes of a name that matter */

/*
 * Without the version (memcpy@@GLIBC_2.14) and demangled (C++, Rust), of at
 * most SYMREQ_NAME bytes with its NUL; what is longer ends with "...".
 */
void demangle_name(const char *raw, size_t len, char out[SYMREQ_NAME]);

#endif /* SYMBOLIZER_DEMANGLE_H */
