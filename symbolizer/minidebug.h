/* SPDX-License-Identifier: ISC */
/*
 * Unpacks MiniDebugInfo: an ELF file with symbols, compressed in another one.
 */
#ifndef SYMBOLIZER_MINIDEBUG_H
#define SYMBOLIZER_MINIDEBUG_H

#include "symbolizer/elffile.h"

/* Unpacks .gnu_debugdata.  ENOENT: there is none; ENOEXEC; EFBIG; ENOMEM. */
int minidebug_open(const struct elffile *, struct elffile *);

/* Unpacks the contents of the section. */
int minidebug_unpack(const uint8_t *, size_t, struct elffile *);

#endif /* SYMBOLIZER_MINIDEBUG_H */
