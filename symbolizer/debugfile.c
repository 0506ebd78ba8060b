/* SPDX-License-Identifier: ISC */
/* Finds a debug file: requests candidates from dtd until one matches. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "symbolizer/debugfile.h"

#define MAXTRIES  16	      /* candidates of one name */
#define MAXSUMMED (2LL << 30) /* bytes of candidates read for checksums */

/* Criterion for a candidate: a build id, else a checksum. */
struct want {
	const void *wa_buildid;
	size_t wa_buildidlen;
	uint32_t wa_crc;
	int64_t wa_left; /* bytes that may still be read for checksums */
};

static int
has_buildid(const struct elffile *ef, const struct want *wa)
{
	return wa->wa_buildidlen != 0 &&
	    ef->ef_buildidlen == wa->wa_buildidlen &&
	    memcmp(ef->ef_buildid, wa->wa_buildid, wa->wa_buildidlen) == 0;
}

/* Reads small pieces: the mapped file would count as memory of this process. */
static int
has_crc(int fd, struct want *wa)
{
	static uint8_t buf[64 << 10];
	uint32_t sum = 0;
	off_t at = 0;
	ssize_t n = -1;

	while (wa->wa_left > 0 && (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		wa->wa_left -= n;
		sum = crc32_z(sum, buf, n);
		at += n;
	}
	return n == 0 && sum == wa->wa_crc;
}

/*
 * Takes ownership of the descriptor.  Returns whether it is the requested file.
 */
static int
accept_file(int fd, const struct symrep_find *find, struct want *wa,
    struct elffile *ef)
{
	struct file_bytes im;
	int ok;

	if (file_bytes_map(fd, &im) != 0) {
		close(fd);
		return 0;
	}
	if (elffile_open(ef, &im) != 0) {
		close(fd);
		return 0;
	}
	ok = has_buildid(ef, wa) ||
	    (find->sa_how == SYMREP_BYLINK && has_crc(fd, wa));
	close(fd);
	if (!ok)
		elffile_close(ef);
	return ok;
}

static int
try_all(struct symrep_find *find, struct want *wa, debugfile_find *how,
    struct elffile *ef)
{
	int error, fd;

	find->sa_type = SYMREP_FIND;
	for (find->sa_nth = 0; find->sa_nth < MAXTRIES; find->sa_nth++) {
		if ((error = how(find, &fd)) != 0)
			return error == EAGAIN ? EAGAIN : ENOENT;
		if (accept_file(fd, find, wa, ef))
			return 0;
	}
	return ENOENT;
}

static int
find_setid(struct symrep_find *find, const void *id, size_t len)
{
	if (len == 0 || len > sizeof(find->sa_buildid))
		return 0;
	find->sa_buildidlen = len;
	memcpy(find->sa_buildid, id, len);
	return 1;
}

static int
find_setname(struct symrep_find *find, const char *name)
{
	size_t n = strnlen(name, sizeof(find->sa_name));

	if (n == 0 || n == sizeof(find->sa_name))
		return 0;
	memcpy(find->sa_name, name, n + 1);
	return 1;
}

int
debugfile_open(const struct elffile *ef, debugfile_find *how,
    struct elffile *debug)
{
	struct symrep_find find = { .sa_how = SYMREP_BYID };
	struct want wa = { ef->ef_buildid, ef->ef_buildidlen, 0, MAXSUMMED };
	const char *name;
	int error = ENOENT;
	GElf_Word crc;

	if (find_setid(&find, ef->ef_buildid, ef->ef_buildidlen) &&
	    (error = try_all(&find, &wa, how, debug)) == 0)
		return 0;
	name = dwelf_elf_gnu_debuglink(ef->ef_elf, &crc);
	if (name == NULL || !find_setname(&find, name))
		return error;
	find.sa_how = SYMREP_BYLINK;
	wa.wa_crc = crc;
	return try_all(&find, &wa, how, debug) == 0 ? 0 : error;
}

int
debugfile_alt(const char *name, const void *id, size_t len, debugfile_find *how,
    struct elffile *alt)
{
	struct symrep_find find = { .sa_how = SYMREP_ALT };
	struct want wa = { id, len, 0, 0 };

	if (!find_setid(&find, id, len) || !find_setname(&find, name))
		return ENOENT;
	return try_all(&find, &wa, how, alt);
}
