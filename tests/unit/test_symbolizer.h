/* SPDX-License-Identifier: ISC */
/*
 * Symbols of addresses in files, through the worker process: shared by the
 * tests of it.  symfiles/make builds the files.
 */
#ifndef TEST_SYMBOLIZER_H
#define TEST_SYMBOLIZER_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/conf.h"
#include "daemon/sym/symbolizer.h"
#include "daemon/procs/mapped_file.h"
#include "wire/symbolizer.h"
#include "daemon/sym/symbolizer_pool.h"
#include "daemon/sym/symbolizer_process.h"

#include "tests/unit/test_elf.h"

struct conf conf; /* replaces the daemon's */

static char build[3000]; /* the folder of built programs */
static uint64_t next_id = 1;

static inline const char *
path_of(const char *name)
{
	static char path[4096];

	if (*name == '/')
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/tests/symfiles/%s", build,
		    name);
	return path;
}

static inline struct view
view_of(const char *name)
{
	return view_open(path_of(name));
}

struct lookup {
	const char *lo_name;
	uint64_t lo_off;
};

static inline void
look(const struct view *v, const Elf64_Sym *sym, const char *name, void *arg)
{
	struct lookup *lo = arg;
	size_t n = strlen(lo->lo_name);

	if (strncmp(name, lo->lo_name, n) == 0 &&
	    (name[n] == '\0' || name[n] == '@') && sym->st_shndx != SHN_UNDEF)
		lo->lo_off = off_of(v, sym->st_value);
}

/* Returns the offset of a function that was not stripped. */
static inline uint64_t
where(const char *file, const char *func)
{
	struct lookup lo = { func, 0 };
	struct view v = view_of(file);

	each_symbol(&v, SHT_SYMTAB, look, &lo);
	munmap(v.v_base, v.v_size);
	if (lo.lo_off == 0)
		fail_msg("%s has no %s", file, func);
	return lo.lo_off;
}

static inline struct mapped_file
file_open(const char *name)
{
	static char path[4096];
	struct mapped_file sf = { .mf_id = next_id++,
		.mf_fd = open(path_of(name), O_RDONLY | O_CLOEXEC),
		.mf_path = path,
		.mf_rootfd = -1 };

	assert_int_not_equal(sf.mf_fd, -1);
	snprintf(path, sizeof(path), "%s", path_of(name));
	return sf;
}

/* Likewise, as seen by a process whose root is symfiles/root. */
static inline struct mapped_file
file_open_in(const char *name, const char *seen)
{
	struct mapped_file sf = file_open(name);

	sf.mf_path = (char *)seen;
	sf.mf_rootfd = open(path_of("root"), O_PATH | O_CLOEXEC);
	assert_int_not_equal(sf.mf_rootfd, -1);
	return sf;
}

static inline void
file_close(struct mapped_file *sf)
{
	close(sf->mf_fd);
	if (sf->mf_rootfd != -1)
		close(sf->mf_rootfd);
}

/* Returns the function of the i-th frame, or NULL. */
static inline const char *
func_of(const struct symbol_frames *f, size_t i)
{
	return wire_string(f->syf_strings, f->syf_frames[i].wf_func);
}

/*
 * Returns the symbol at an offset, "?" if there is none; valid until the next
 * call.
 */
static inline const char *
name_at(struct mapped_file *sf, uint64_t off)
{
	static char name[SYMREQ_NAME];
	struct symbol_frames f;

	assert_int_equal(symbolizer_names(sf, &off, 1, 0, &f), 0);
	assert_int_equal(f.syf_n, 1);
	snprintf(name, sizeof(name), "%s",
	    func_of(&f, 0) == NULL ? "?" : func_of(&f, 0));
	symbol_frames_free(&f);
	return name;
}

/*
 * Returns the symbol in one file at the offset that a function has in another.
 */
static inline void
expect(struct mapped_file *sf, const char *whole, const char *func,
    int64_t plus, const char *name)
{
	assert_string_equal(name_at(sf, where(whole, func) + plus), name);
}

static inline struct symbolizer_stat
stat_now(void)
{
	struct symbolizer_stat ss;

	symbolizer_stat(&ss);
	return ss;
}

/* Checks that the worker works. */
static inline void
expect_alive(void)
{
	struct mapped_file sf = file_open("pie");

	expect(&sf, "pie", "main", 1, "main");
	file_close(&sf);
}

/* Drops the worker and cached replies, so that it is queried again. */
static inline void
forget(void)
{
	symbolizer_pool_trim(-1);
}

static inline int
memfile(const char *text, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, n), n);
	return fd;
}

static inline void *
ask_thread(void *arg)
{
	struct mapped_file sf = { .mf_id = next_id++,
		.mf_fd = *(int *)arg,
		.mf_rootfd = -1 };
	struct symbol_frames f;
	uint64_t off = 0x1001;
	long error = symbolizer_names(&sf, &off, 1, 0, &f);

	if (error == 0)
		symbol_frames_free(&f);
	return (void *)error;
}

/* Copies a file, so that it is another file. */
static inline int
copy_of(const char *name)
{
	struct view v = view_of(name);
	int fd = memfile((char *)v.v_base, v.v_size);

	munmap(v.v_base, v.v_size);
	return fd;
}

/* Returns the folder of this program, where the Makefile builds. */
static inline void
find_build(void)
{
	char worker[4096];
	ssize_t n = readlink("/proc/self/exe", build, sizeof(build) - 1);

	assert_int_not_equal(n, -1);
	build[n] = '\0';
	*strrchr(build, '/') = '\0';
	*strrchr(build, '/') = '\0';
	snprintf(worker, sizeof(worker), "%s/dt-symbolizer", build);
	setenv("DT_SYMBOLIZER", worker, 1);
}

#endif /* TEST_SYMBOLIZER_H */
