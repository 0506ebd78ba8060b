/* SPDX-License-Identifier: ISC */
/* MiniDebugInfo: an ELF file with symbols, packed into another one. */
#ifndef SYMBOLIZER_MINIDEBUG_H
#define SYMBOLIZER_MINIDEBUG_H

#include "symbolizer/elffile.h"

/* Unpacks .gnu_debugdata.  ENOENT: there is none; ENOEXEC; EFBIG; ENOMEM. */
int minidebug_open(const struct elffile *, struct elffile *);

/* The same of what is in the section. */
int minidebug_unpack(const uint8_t *, size_t, struct elffile *);

#endif /* SYMBOLIZER_MINIDEBUG_H */
