/* SPDX-License-Identifier: ISC */
/*
 * Shared by the programs of the kcov cases: sessions of a separate service.
 */
#ifndef KCOV_H
#define KCOV_H

#include <sys/mman.h>
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/kcov.h>
#include "tests/run/prog/check.h"
#include "tests/run/prog/prog.h"

#define USER_PC (KCOV_MODE_TRACE_PC | KCOV_MODE_USER)

static struct prog_dtd dtd;

static inline char *
kcov_path(char *path, size_t size)
{
	snprintf(path, size, "%s/kcov", dtd.pd_dir);
	return path;
}

static inline struct dt *
kcov_open(void)
{
	char path[PROG_PATH + 16];
	struct dt *dt = dt_open(kcov_path(path, sizeof(path)), DT_OPEN_SERVICE);

	if (dt == NULL)
		errx(1, "kcov: %s", dt_error(NULL));
	return dt;
}

/* Returns the errno of a command. */
static inline int
try(struct dt *dt, unsigned long cmd, int value)
{
	return dt_ioctl(dt, cmd, &value) == 0 ? 0 : errno;
}

/* Opens a session in the state READY, with its memory. */
static inline struct dt *
kcov_ready(unsigned long nentries, uint64_t **memory)
{
	struct dt *dt = kcov_open();

	if (dt_ioctl(dt, KIOSETBUFSIZE, &nentries) == -1)
		errx(1, "SETBUFSIZE: %s", dt_error(dt));
	if (memory == NULL)
		return dt;
	*memory = dt_mmap(dt, nentries * KCOV_ENTRY_SIZE,
	    PROT_READ | PROT_WRITE, 0);
	if (*memory == NULL)
		errx(1, "mmap: %s", dt_error(dt));
	return dt;
}

static inline void
funcs(struct dt *dt, const char *globs)
{
	struct kio_funcs kf = { "" };

	snprintf(kf.kf_globs, sizeof(kf.kf_globs), "%s", globs);
	if (dt_ioctl(dt, KIOSETFUNCS, &kf) == -1)
		errx(1, "SETFUNCS: %s", dt_error(dt));
}

static inline void
enable(struct dt *dt)
{
	if (try(dt, KIOENABLE, KCOV_MODE_TRACE_PC) != 0)
		errx(1, "ENABLE: %s", dt_error(dt));
}

static inline void
disable(struct dt *dt)
{
	if (dt_ioctl(dt, KIODISABLE, NULL) == -1)
		errx(1, "DISABLE: %s", dt_error(dt));
}

/* Opens a session that is READY for these functions. */
static inline struct dt *
ready(const char *globs, unsigned long nentries, uint64_t **memory)
{
	struct dt *dt = kcov_ready(nentries, memory);

	funcs(dt, globs);
	return dt;
}

/* Makes folders, and removes them. */
static inline void
mkdirs(unsigned int n)
{
	char path[PROG_PATH + 16];

	snprintf(path, sizeof(path), "%s/made.%d", dtd.pd_dir, gettid());
	while (n-- > 0)
		if (mkdir(path, 0700) == -1 || rmdir(path) == -1)
			err(1, "%s", path);
}

/* Runs fn in a thread, to its end. */
static inline void
in_thread(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, fn, arg) != 0)
		errx(1, "pthread_create");
	pthread_join(t, NULL);
}

#endif /* KCOV_H */
