/* SPDX-License-Identifier: ISC */
/* Comes before the system's header of this name; see dt/compat.h. */
#pragma GCC system_header
#include <dt/compat.h>
#include_next <sys/mman.h>
