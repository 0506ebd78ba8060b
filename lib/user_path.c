/* SPDX-License-Identifier: ISC */
/*
 * Finds programs in $PATH, and libraries in the cache of the dynamic linker,
 * by names such as libc, libc.so.6 and ssl.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/user_file.h"

#define LD_CACHE "/etc/ld.so.cache"
#define LD_MAGIC "glibc-ld.so.cache1.1"

#if defined(__x86_64__)
#define LD_FLAGS 0x0303 /* of libraries for this machine */
#elif defined(__aarch64__)
#define LD_FLAGS 0x0a03
#endif

/* The cache, as the dynamic linker of glibc writes it. */
struct ld_cache {
	char ld_magic[20];
	uint32_t ld_count;
	uint32_t ld_nstrings;
	uint32_t ld_flags;
	uint32_t ld_extension;
	uint32_t ld_unused[3];
	/* then ld_count entries */
};

struct ld_entry {
	int32_t le_flags;
	uint32_t le_name; /* offset in the file */
	uint32_t le_path;
	uint32_t le_osversion;
	uint64_t le_hwcap;
};

_Static_assert(sizeof(struct ld_cache) == 48, "ld_cache");
_Static_assert(sizeof(struct ld_entry) == 24, "ld_entry");

static int
path_isfile(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Returns whether a library's name is the requested one: "libc.so.6", "libc". */
static int
ld_matches(const char *soname, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(soname, name, len) != 0)
		return 0;
	return soname[len] == '\0' || strncmp(soname + len, ".so", 3) == 0 ||
	    (strstr(name, ".so") != NULL && soname[len] == '.');
}

/* Returns a text of the cache, or NULL. */
static const char *
ld_text(const char *cache, size_t size, uint32_t off)
{
	return off < size && memchr(cache + off, '\0', size - off) != NULL
	    ? cache + off
	    : NULL;
}

/* Returns the path of the library, or NULL. */
static const char *
ld_search(const char *cache, size_t size, const char *name)
{
	const struct ld_cache *ld = (const void *)cache;
	const struct ld_entry *le = (const void *)(ld + 1);
	const char *soname, *path;
	uint32_t i;

	if (size < sizeof(*ld) || memcmp(ld->ld_magic, LD_MAGIC, 20) != 0 ||
	    ld->ld_count > (size - sizeof(*ld)) / sizeof(*le))
		return NULL;
	for (i = 0; i < ld->ld_count; i++) {
		soname = ld_text(cache, size, le[i].le_name);
		path = ld_text(cache, size, le[i].le_path);
		if (le[i].le_flags == LD_FLAGS && le[i].le_hwcap == 0 &&
		    soname != NULL && path != NULL &&
		    ld_matches(soname, name) && path_isfile(path))
			return path;
	}
	return NULL;
}

static int
ld_find(const char *name, char *path, size_t size)
{
	const char *found = NULL;
	struct stat st;
	char *cache;
	int fd;

	if ((fd = open(LD_CACHE, O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		cache = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
		    fd, 0);
		if (cache != MAP_FAILED) {
			found = ld_search(cache, (size_t)st.st_size, name);
			if (found != NULL)
				snprintf(path, size, "%s", found);
			munmap(cache, (size_t)st.st_size);
		}
	}
	close(fd);
	return found != NULL;
}

static int
path_find(const char *name, char *path, size_t size)
{
	const char *dir = getenv("PATH");
	size_t len;

	for (; dir != NULL && *dir != '\0'; dir += len + (dir[len] == ':')) {
		len = strcspn(dir, ":");
		if ((size_t)snprintf(path, size, "%.*s/%s", (int)len, dir,
			name) < size &&
		    *dir == '/' && path_isfile(path) && access(path, X_OK) == 0)
			return 1;
	}
	return 0;
}

int
dt_user_path(const char *name, char *path, size_t size)
{
	int islib = strncmp(name, "lib", 3) == 0 || strstr(name, ".so") != NULL;

	if (islib && ld_find(name, path, size))
		return 0;
	if (path_find(name, path, size))
		return 0;
	if (!islib && ld_find(name, path, size))
		return 0;
	errno = ENOENT;
	return -1;
}
