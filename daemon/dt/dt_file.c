/* SPDX-License-Identifier: ISC */
/*
 * DTIOCFILE.  The same file has the same number, however often a client
 * announces it, unless it has changed in between.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/device/op.h"
#include "daemon/dt/dt_file.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/inspect/inspect.h"
#include "daemon/procs/mapped_file.h"

/* Returns whether it is the same file, with the same content. */
static int
file_same(const struct find_stat *a, const struct find_stat *b)
{
	return a->fs_dev == b->fs_dev && a->fs_ino == b->fs_ino &&
	    a->fs_size == b->fs_size && a->fs_mtime == b->fs_mtime;
}

struct dt_file *
dt_file_find(const struct dt_enabled *en, uint32_t id)
{
	struct dt_file *df;

	SLIST_FOREACH(df, &en->den_files, dfl_next)
		if (df->dfl_id == id)
			break;
	return df;
}

int
dt_file_check(const struct dt_file *df)
{
	struct find_stat fs;
	int error;

	error = inspect_stat_request(df->dfl_file->mf_fd,
	    FIND_KEY(df->dfl_stat.fs_dev, df->dfl_stat.fs_ino), INSPECT_NOUSER,
	    &fs);
	if (error != 0)
		return error;
	return file_same(&fs, &df->dfl_stat) && fs.fs_nlink != 0 ? 0 : ESTALE;
}

static void
file_free(struct dt_file *df)
{
	if (df == NULL)
		return;
	mapped_file_release(df->dfl_file);
	free(df);
}

void
dt_file_free_all(struct dt_file_list *list)
{
	struct dt_file *df;

	while ((df = SLIST_FIRST(list)) != NULL) {
		SLIST_REMOVE_HEAD(list, dfl_next);
		file_free(df);
	}
}

static void
file_name(struct dt_file *df, const char *path)
{
	const char *last = strrchr(path, '/');

	snprintf(df->dfl_name, sizeof(df->dfl_name), "%.*s", DT_FILE_NAME - 1,
	    last != NULL ? last + 1 : path);
}

/* Adds a file that is open at fd, which it takes. */
static int
file_add(struct op *op, struct dt_enabled *en, const char *path,
    struct dt_file *df)
{
	struct dt_file_list *list = &en->den_files;
	int fd = op->op_infd, error;

	df->dfl_id = SLIST_EMPTY(list) ? 1 : SLIST_FIRST(list)->dfl_id + 1;
	if (df->dfl_id > DTFL_MAX)
		return op_fail(op, ENOSPC, "no more than %d files at once",
		    DTFL_MAX);
	op->op_infd = -1;
	df->dfl_person = en->den_client->dcl_peer.peer_person;
	error = mapped_file_given(fd, path, df->dfl_person, &df->dfl_file);
	if (error != 0)
		return error;
	file_name(df, path);
	SLIST_INSERT_HEAD(list, df, dfl_next);
	return 0;
}

int
dt_file_add(struct op *op, struct dt_enabled *en)
{
	const struct peer *pr = &en->den_client->dcl_peer;
	const struct wire_file *wf = op->op_arg;
	struct dt_file *df, *new;
	int error;

	if (memchr(wf->wfl_path, '\0', sizeof(wf->wfl_path)) == NULL)
		return op_fail(op, EINVAL, "the path has no end");
	if ((new = calloc(1, sizeof(*new))) == NULL)
		return ENOMEM;
	error = inspect_stat_request(op->op_infd, 0, pr->peer_person,
	    &new->dfl_stat);
	if (error == 0 && !S_ISREG(new->dfl_stat.fs_mode))
		error = op_fail(op, EINVAL, "it is not a regular file");
	if (error == 0)
		error = inspect_served_request(op->op_infd, pr->peer_person,
		    &new->dfl_isserved);
	/* the kernel reads it to attach, and waits for whoever serves it */
	if (error == 0 && new->dfl_isserved &&
	    (pr->peer_rights & RIGHT_TRACE_ALL) == 0)
		error = op_fail(op, EPERM,
		    "a process serves its file system (FUSE), or may do so "
		    "below an overlay that root has not mounted; that requires "
		    "the right to trace all processes");
	if (error != 0)
		goto out;
	SLIST_FOREACH(df, &en->den_files, dfl_next)
		if (file_same(&df->dfl_stat, &new->dfl_stat))
			break;
	if (df == NULL) {
		if ((error = file_add(op, en, wf->wfl_path, new)) != 0)
			goto out;
		df = new;
		new = NULL;
	}
	error = op_reply(op, &df->dfl_id, sizeof(df->dfl_id));
out:
	file_free(new);
	return error;
}
