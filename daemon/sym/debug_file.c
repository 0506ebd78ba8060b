/* SPDX-License-Identifier: ISC */
/*
 * Finds debug files: an inspector searches (inspect_debug.c), then a server is
 * queried if there is one.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/inspect/inspect_file.h"
#include "daemon/procs/mapped_file.h"
#include "daemon/sym/debug_file.h"
#include "daemon/sym/debuginfod.h"
#include "daemon/sym/symbolizer_process.h"

/* Opens the last candidate for a build id: the server's file. */
static int
fetched(const struct symrep_find *sa, uint32_t skip, int *fd)
{
	if (sa->sa_how == SYMREP_BYLINK || skip > 0)
		return ENOENT;
	return debuginfod_open(sa->sa_buildid, sa->sa_buildidlen, fd);
}

int
debug_file_open(const struct symrep_find *sa, const struct mapped_file *mf,
    int *fd, uint64_t *serial)
{
	struct find_debug *de;
	uint32_t skip = sa->sa_nth;
	char path[DEBUG_PATH];
	int error;

	*serial = 0;
	if (sa->sa_buildidlen > SYMREQ_BUILDID ||
	    memchr(sa->sa_name, '\0', sizeof(sa->sa_name)) == NULL)
		return EINVAL;
	if ((de = calloc(1, sizeof(*de))) == NULL)
		return ENOMEM;
	de->fd_find = *sa;
	de->fd_serial = symbolizer_process_serial();
	if (mf != NULL && mf->mf_path != NULL && mf->mf_path[0] == '/') {
		snprintf(path, sizeof(path), "%s", mf->mf_path);
		snprintf(de->fd_dir, sizeof(de->fd_dir), "%s", dirname(path));
	}
	error = inspect_debug_request(de, mf != NULL ? mf->mf_rootfd : -1,
	    mf != NULL ? mapped_file_debugkey(mf) : 0,
	    mf != NULL ? mf->mf_uid : 0, symbolizer_process_channel(), &skip);
	if (error == 0)
		*serial = de->fd_serial;
	free(de);
	return error == ENOENT ? fetched(sa, skip, fd) : error;
}
