/* SPDX-License-Identifier: ISC */
/*
 * Payloads of kcov requests that sys/kcov.h does not define: they carry the
 * caller's thread, which a real ioctl(2) would imply.
 */
#ifndef WIRE_KCOV_H
#define WIRE_KCOV_H

#include <stdint.h>

struct wire_kcov_enable { /* request KIOENABLE */
	int32_t wke_mode;
	uint32_t wke_tid; /* gettid(2) of the caller */
	/*
	 * descriptor of the control socket + 1: the caller's messages on it are
	 * not recorded; 0, or absent: they are
	 */
	uint32_t wke_sock;
	uint32_t wke_reserved;
};

#define WIRE_KCOV_ENABLE_MIN 8 /* bytes, without wke_sock */

struct wire_kcov_disable { /* request KIODISABLE */
	uint32_t wd_tid;
	uint32_t wd_reserved;
};

#endif /* WIRE_KCOV_H */
