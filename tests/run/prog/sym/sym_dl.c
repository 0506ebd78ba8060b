/* SPDX-License-Identifier: ISC */
/*
 * sym_dl [MSECS]
 *
 * Two libraries alternate at one address: each is opened, works for a tenth of
 * the time, and is closed, five times.  Symbols of one library during the
 * other's time are wrong.
 */
#include <dlfcn.h>
#include <err.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/sym/burn.h"

static uintptr_t
lib_turn(const char *lib, long msecs)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	struct link_map *lm;
	uintptr_t base;
	void (*work)(long);
	void *dl;

	path[n > 0 ? n : 0] = '\0';
	strcpy(strrchr(path, '/') + 1, lib);
	if ((dl = dlopen(path, RTLD_NOW)) == NULL)
		errx(1, "%s", dlerror());
	*(void **)&work = dlsym(dl, "lib_work");
	if (work == NULL || dlinfo(dl, RTLD_DI_LINKMAP, &lm) != 0)
		errx(1, "%s", dlerror());
	base = lm->l_addr;
	work(msecs);
	dlclose(dl);
	return base;
}

int
main(int argc, char **argv)
{
	long msecs = burn_arg(argc, argv);
	uintptr_t base = 0;
	int i, same = 1;

	for (i = 0; i < 10; i++) {
		uintptr_t at = lib_turn(i % 2 ? "libsym_two.so"
					      : "libsym_one.so",
		    msecs / 10);

		same &= i == 0 || at == base;
		base = at;
	}
	fprintf(stderr, "same %d\n", same);
	return 0;
}
