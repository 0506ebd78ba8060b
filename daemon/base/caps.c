/* SPDX-License-Identifier: ISC */
/* Implements caps.h with capget(2), capset(2) and prctl(2). */
#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/caps.h"

/* The kernel represents each set as two halves. */
typedef struct __user_cap_data_struct caps_data[2];

static int
caps_call(long nr, caps_data data)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};

	return syscall(nr, &h, data) == -1 ? errno : 0;
}

int
caps_have(uint64_t mask)
{
	caps_data data;

	if (caps_call(SYS_capget, data) != 0)
		return 0;
	return ((data[0].effective | (uint64_t)data[1].effective << 32) &
		   mask) == mask;
}

/*
 * Drops capabilities outside mask from the bounding set.  The loop ends at the
 * first number that is not a capability (EINVAL).
 */
static void
caps_bound(uint64_t mask)
{
	unsigned int cap;

	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != -1; cap++)
		if (cap >= 64 || (mask & CAPS_BIT(cap)) == 0)
			(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

int
caps_heirs(void)
{
	caps_data data;
	int error;

	if ((error = caps_call(SYS_capget, data)) != 0)
		return error;
	data[0].inheritable &= (uint32_t)CAPS_HEIRS;
	data[1].inheritable &= CAPS_HEIRS >> 32;
	return caps_call(SYS_capset, data);
}

int
caps_keep(uint64_t mask)
{
	caps_data data;
	int error, i;

	if ((error = caps_call(SYS_capget, data)) != 0)
		return error;
	caps_bound(mask);
	for (i = 0; i < 2; i++, mask >>= 32) {
		data[i].permitted &= mask;
		data[i].effective &= mask;
		/* also reduces the ambient set */
		data[i].inheritable &= mask & CAPS_HEIRS;
	}
	if ((error = caps_call(SYS_capset, data)) != 0)
		return error;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ? errno : 0;
}
