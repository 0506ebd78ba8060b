/* SPDX-License-Identifier: ISC */
/*
 * What commands of kcov carry beside their structs of sys/kcov.h: who calls,
 * which a system call would tell by itself.
 */
#ifndef WIRE_KCOV_H
#define WIRE_KCOV_H

#include <stdint.h>

struct wire_kcov_enable { /* request: KIOENABLE */
	int32_t we_mode;
	uint32_t we_tid; /* gettid(2) of the caller */
};

struct wire_kcov_disable { /* request: KIODISABLE */
	uint32_t wd_tid;
	uint32_t wd_reserved;
};

#endif /* WIRE_KCOV_H */
