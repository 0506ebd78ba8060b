/* SPDX-License-Identifier: ISC */
/* A file that code was mapped from; shared, counted. */
#ifndef DAEMON_SYM_SYMFILE_H
#define DAEMON_SYM_SYMFILE_H

#include <stdint.h>

enum symfile_kind {
	SYMFILE_ELF,
	SYMFILE_VDSO,
	SYMFILE_ANON
};

struct symfile {
	uint64_t sf_id;
	int sf_fd;
	int sf_error;
	uint8_t sf_unsure;
	enum symfile_kind sf_kind;
	uint8_t sf_buildid[20];
	uint32_t sf_buildidlen;
	char *sf_path;
	int sf_rootfd;
};

#endif /* DAEMON_SYM_SYMFILE_H */
