/* SPDX-License-Identifier: ISC */
/* Precedes the system header of this name, to add a path of OpenBSD. */
#pragma GCC system_header
#include_next <paths.h>
#ifndef _PATH_KSYMS
#define _PATH_KSYMS "/dev/ksyms"
#endif
