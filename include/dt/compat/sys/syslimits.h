/* SPDX-License-Identifier: ISC */
/* A header of OpenBSD: limits, which Linux has in another one. */
#pragma GCC system_header
#include <limits.h>
