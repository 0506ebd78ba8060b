/* SPDX-License-Identifier: ISC */
/* Debug information compressed by zlib (symbolizer/unpacked.c). */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/conf.h"
#include "symbolizer/unpacked.h"

struct conf conf; /* replaces the daemon's */

/* A file of tests/unit/symfiles, and the copy. */
struct copied {
	struct elffile cpd_file;
	struct unpacked cpd_copy;
};

/* Reads a file to memory that tests may change. */
static void
file_read(const char *name, struct elffile *ef)
{
	struct file_bytes mapped, copy;
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	void *p;
	int fd;

	assert_true(len > 0);
	self[len] = '\0';
	snprintf(path, sizeof(path), "%s/symfiles/%s", dirname(self), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_not_equal(fd, -1);
	assert_int_equal(file_bytes_map(fd, &mapped), 0);
	close(fd);
	p = malloc(mapped.fby_size);
	assert_non_null(p);
	memcpy(p, mapped.fby_base, mapped.fby_size);
	file_bytes_take(p, mapped.fby_size, &copy);
	file_bytes_free(&mapped);
	assert_int_equal(elffile_open(ef, &copy), 0);
}

static void
copied_close(struct copied *cpd)
{
	unpacked_close(&cpd->cpd_copy);
	elffile_close(&cpd->cpd_file);
}

static void
copied_open(const char *name, struct copied *cpd)
{
	file_read(name, &cpd->cpd_file);
	unpacked_open(&cpd->cpd_copy, &cpd->cpd_file);
}

static const uint8_t *
section(Elf *elf, const char *name, size_t *size)
{
	struct elffile ef = { .ef_elf = elf };
	GElf_Shdr sh;

	return elffile_bytes(elffile_section(&ef, name, &sh), size);
}

static void
test_equal(void **state)
{
	static const char *const names[] = { ".debug_info", ".debug_abbrev",
		".debug_line", ".debug_str" };
	struct elffile plain;
	struct copied cpd;
	const uint8_t *a, *b;
	size_t i, n, m;

	(void)state;
	file_read("pie", &plain);
	copied_open("packed", &cpd);
	assert_non_null(cpd.cpd_copy.unp_elf);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		a = section(plain.ef_elf, names[i], &n);
		b = section(cpd.cpd_copy.unp_elf, names[i], &m);
		assert_non_null(a);
		assert_non_null(b);
		assert_int_equal(n, m);
		assert_memory_equal(a, b, n);
	}
	copied_close(&cpd);
	elffile_close(&plain);
}

static void
test_plain(void **state)
{
	struct copied cpd;

	(void)state;
	copied_open("pie", &cpd);
	assert_null(cpd.cpd_copy.unp_elf);
	copied_close(&cpd);
}

/* Overwrites bytes of .debug_info from off on. */
static void
damage(uint64_t off, const void *bytes, size_t n)
{
	struct copied cpd;
	GElf_Shdr sh;

	file_read("packed", &cpd.cpd_file);
	assert_non_null(elffile_section(&cpd.cpd_file, ".debug_info", &sh));
	memcpy(cpd.cpd_file.ef_bytes.fby_base + sh.sh_offset + off, bytes, n);
	unpacked_open(&cpd.cpd_copy, &cpd.cpd_file);
	assert_null(cpd.cpd_copy.unp_elf);
	copied_close(&cpd);
}

static void
test_damaged(void **state)
{
	const uint8_t noise[16] = { 0xff, 0xff, 0xff, 0xff };
	const uint64_t sizes[] = { 0, 1, 1ULL << 26, UINT64_MAX };
	const uint32_t type = 2; /* zstd */
	size_t i;

	(void)state;
	damage(sizeof(Elf64_Chdr), noise, sizeof(noise));
	damage(offsetof(Elf64_Chdr, ch_type), &type, sizeof(type));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		damage(offsetof(Elf64_Chdr, ch_size), &sizes[i],
		    sizeof(sizes[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_damaged),
	};

	if (elf_version(EV_CURRENT) == EV_NONE)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
