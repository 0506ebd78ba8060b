/* SPDX-License-Identifier: ISC */
/* A header of OpenBSD: struct stacktrace. */
#pragma GCC system_header
#include <dev/dt/dtvar.h>
