/* SPDX-License-Identifier: ISC */
/* Precedes the system header of this name, to include dt/compat.h first. */
#pragma GCC system_header
#include <dt/compat.h>
#include_next <fcntl.h>
