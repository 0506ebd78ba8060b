/* SPDX-License-Identifier: ISC */
/*
 * Finding the file that was mapped, see file_open.h.
 *
 * Anybody can have a file of the system mapped in a mount namespace of his own,
 * with debug files of his own beside it, or something in its place that is only
 * like it.  So an answer is for all processes only if device and inode are those
 * that the kernel reported, and the file is in our own root directory under its
 * name; its debug files are searched there then.  Else the answer is for
 * processes of the root directory in which the file was found, and one that was
 * found by its mapping only, and is not exactly the file, for that process.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/inspect/inspect_find.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/file_open.h"

static void
find_fill(struct find_request *fq, const struct symfile *sf,
    const struct symsight *ss)
{
	memset(fq, 0, offsetof(struct find_request, fq_path));
	fq->fq_dev = sf->sf_dev;
	fq->fq_ino = sf->sf_ino;
	fq->fq_btime = sf->sf_btime;
	fq->fq_pid = ss->ss_pid;
	fq->fq_deleted = sf->sf_deleted;
	fq->fq_start = ss->ss_start;
	fq->fq_end = ss->ss_end;
	if (ss->ss_root != NULL)
		fq->fq_root = *symroot_id(ss->ss_root);
	snprintf(fq->fq_path, sizeof(fq->fq_path), "%s", sf->sf_path);
}

/* The root directory in which it was found, counted; NULL: unknown. */
static struct symroot *
found_root(const struct find_answer *fn, const struct symsight *ss, int livefd)
{
	switch (fn->fn_where) {
	case FIND_LIVE:
	case FIND_MAPPED:
		return symroot_enter(&fn->fn_live, livefd);
	case FIND_GIVEN:
		return symroot_get(ss->ss_root);
	case FIND_OWN:
		return symroot_get(symroot_own());
	}
	return NULL;
}

int
symopen_find(const struct symfile *sf, const struct symsight *ss,
    unsigned int msecs, struct symopen *op)
{
	int fd = -1, livefd = -1, rootfd = -1, error;
	struct find_request fq;
	struct find_answer fn;

	find_fill(&fq, sf, ss);
	if (ss->ss_root != NULL && !symroot_isown(ss->ss_root))
		rootfd = symroot_fd(ss->ss_root);
	error = inspect_find_ask(&fq, rootfd, ss->ss_uid, msecs, &fn, &fd,
	    &livefd);
	if (error != 0)
		return error;
	*op = (struct symopen){ .op_fd = fd,
		.op_btime = fn.fn_btime,
		.op_uid = ss->ss_uid,
		.op_isours = fn.fn_isours };
	if (fn.fn_isexact && fn.fn_isours) {
		op->op_uid = -1;
		if (livefd != -1)
			close(livefd);
		return 0;
	}
	if (fn.fn_where != FIND_LIVE && fn.fn_where != FIND_MAPPED &&
	    livefd != -1) {
		close(livefd);
		livefd = -1;
	}
	op->op_root = found_root(&fn, ss, livefd);
	if (fn.fn_where == FIND_MAPPED && !fn.fn_isexact)
		op->op_pid = ss->ss_pid;
	if (op->op_root != NULL)
		return 0;
	close(fd);
	return EMFILE;
}
