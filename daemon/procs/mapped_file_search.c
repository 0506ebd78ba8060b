/* SPDX-License-Identifier: ISC */
/*
 * Finds a mapped file and determines who may use the result.
 *
 * Any user can map a file of the system in a private mount namespace, next to
 * other debug files, or put a similar file in its place. So a result holds for
 * all processes only if device and inode are as the kernel reported and
 * the file has its name in our own root directory, where its debug files are
 * then searched. Otherwise the result holds for processes of the root directory
 * in which the file was found; one found only by its mapping, and not exactly
 * the file, holds for that process.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/inspect/inspect_file.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/mapped_file_search.h"

static void
find_fill(struct find_request *fq, const struct mapped_file *mf,
    const struct sighting *sg)
{
	memset(fq, 0, offsetof(struct find_request, fnr_path));
	fq->fnr_dev = mf->mf_dev;
	fq->fnr_ino = mf->mf_ino;
	fq->fnr_btime = mf->mf_btime;
	fq->fnr_pid = sg->sg_pid;
	fq->fnr_deleted = mf->mf_deleted;
	fq->fnr_start = sg->sg_start;
	fq->fnr_end = sg->sg_end;
	if (sg->sg_root != NULL)
		fq->fnr_root = *root_dir_id(sg->sg_root);
	snprintf(fq->fnr_path, sizeof(fq->fnr_path), "%s", mf->mf_path);
}

/*
 * Returns a reference to the root directory in which the file was found; NULL:
 * unknown.
 */
static struct root_dir *
found_root(const struct find_reply *fn, const struct sighting *sg, int livefd)
{
	switch (fn->fn_where) {
	case FIND_LIVE:
	case FIND_MAPPED:
		return root_dir_enter(&fn->fn_live, livefd);
	case FIND_GIVEN:
		return root_dir_get(sg->sg_root);
	case FIND_OWN:
		return root_dir_get(root_dir_own());
	}
	return NULL;
}

int
mapped_file_search(const struct mapped_file *mf, const struct sighting *sg,
    unsigned int msecs, struct opened_file *of)
{
	int fd = -1, livefd = -1, rootfd = -1, error;
	struct find_request fq;
	struct find_reply fn;

	find_fill(&fq, mf, sg);
	if (sg->sg_root != NULL && !root_dir_isown(sg->sg_root))
		rootfd = root_dir_fd(sg->sg_root);
	error = inspect_find_request(&fq, rootfd, sg->sg_uid, msecs, &fn, &fd,
	    &livefd);
	if (error != 0)
		return error;
	*of = (struct opened_file){ .of_fd = fd,
		.of_btime = fn.fn_btime,
		.of_uid = sg->sg_uid,
		.of_isours = fn.fn_isours };
	if (fn.fn_isexact && fn.fn_isours) {
		of->of_uid = 0;
		if (livefd != -1)
			close(livefd);
		return 0;
	}
	if (fn.fn_where != FIND_LIVE && fn.fn_where != FIND_MAPPED &&
	    livefd != -1) {
		close(livefd);
		livefd = -1;
	}
	of->of_root = found_root(&fn, sg, livefd);
	if (fn.fn_where == FIND_MAPPED && !fn.fn_isexact)
		of->of_pid = sg->sg_pid;
	if (of->of_root != NULL)
		return 0;
	close(fd);
	return EMFILE;
}
