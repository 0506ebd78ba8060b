/* SPDX-License-Identifier: ISC */
/* Loads libsystemd with dlopen(3). */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#include "daemon/base/log.h"
#include "daemon/base/sdlib.h"

#define SDLIB_NAME "libsystemd.so.0"

/* The symbol's name, and a compile-time check of its type. */
#define SDLIB_FUNC(member, name) \
	{ \
#name, \
		    offsetof(struct sdlib, member) + \
		    0 * sizeof(((struct sdlib *)0)->member == &(name)) \
	}

static const struct {
	const char *name;
	size_t off;
} sdlib_funcs[] = {
	SDLIB_FUNC(sl_notify, sd_notify),
	SDLIB_FUNC(sl_listen_fds, sd_listen_fds_with_names),
	SDLIB_FUNC(sl_is_socket_unix, sd_is_socket_unix),
	SDLIB_FUNC(sl_watchdog_enabled, sd_watchdog_enabled),
	SDLIB_FUNC(sl_journal_sendv, sd_journal_sendv),
};

static struct sdlib sdlib_loaded; /* [I] after sdlib_init() */
static int sdlib_isthere;	  /* [I] */

/* Returns 0, or -1 with dlerror(3). */
static int
sdlib_load(void)
{
	void *lib = dlopen(SDLIB_NAME, RTLD_NOW | RTLD_LOCAL), *func;
	size_t i;

	if (lib == NULL)
		return -1;
	for (i = 0; i < sizeof(sdlib_funcs) / sizeof(sdlib_funcs[0]); i++) {
		if ((func = dlsym(lib, sdlib_funcs[i].name)) == NULL)
			return -1;
		*(void **)((char *)&sdlib_loaded + sdlib_funcs[i].off) = func;
	}
	return 0;
}

void
sdlib_init(void)
{
	int given = getenv("LISTEN_FDS") != NULL;

	if (!given && getenv("NOTIFY_SOCKET") == NULL &&
	    getenv("JOURNAL_STREAM") == NULL)
		return;
	if (sdlib_load() == 0)
		sdlib_isthere = 1;
	else if (given)
		fatalx("sockets of a service manager: %s", dlerror());
	else
		log_notice("cannot notify the service manager: %s", dlerror());
}

const struct sdlib *
sdlib(void)
{
	return sdlib_isthere ? &sdlib_loaded : NULL;
}
