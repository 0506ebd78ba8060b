/* SPDX-License-Identifier: ISC */
/*
 * Caches the files requested last. The heap and address space of all files are
 * limited; the file unused for the longest time is removed first.
 */
#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "symbolizer/file_bytes.h"
#include "symbolizer/file_cache.h"
#include "symbolizer/object_file.h"
#include "symbolizer/object_probes.h"
#include "symbolizer/perf_map.h"
#include "symbolizer/probe_replies.h"

#define FILES_MAX    256
#define FILES_HEAP   (24 << 20)
#define FILES_MAPPED (3ULL << 30) /* of RLIMIT_AS, 4 GB */

struct file {
	uint64_t fi_id;
	uint64_t fi_gen;
	uint64_t fi_used; /* number of the last request */
	size_t fi_mapped;
	int fi_isused;
	struct object_file *fi_object; /* an ELF file, or */
	struct jit *fi_jit;	       /* a perf map */
};

static struct file files[FILES_MAX];
static uint64_t now;

static size_t
heap_bytes(void)
{
	struct mallinfo2 mi = mallinfo2();

	return mi.uordblks + mi.hblkhd;
}

static void
file_close(struct file *fi)
{
	object_file_close(fi->fi_object);
	jit_close(fi->fi_jit);
	memset(fi, 0, sizeof(*fi));
}

static struct file *
oldest(const struct file *but)
{
	struct file *fi, *old = NULL;

	for (fi = files; fi < &files[FILES_MAX]; fi++)
		if (fi->fi_isused && fi != but &&
		    (old == NULL || fi->fi_used < old->fi_used))
			old = fi;
	return old;
}

static size_t
mapped(void)
{
	size_t n = 0;
	struct file *fi;

	for (fi = files; fi < &files[FILES_MAX]; fi++)
		n += fi->fi_mapped;
	return n;
}

/* Closes other files until one of this size fits, but not the one in use. */
static void
make_room(const struct file *but, size_t nbytes)
{
	struct file *old;

	while (
	    (heap_bytes() > FILES_HEAP || mapped() + nbytes > FILES_MAPPED) &&
	    (old = oldest(but)) != NULL)
		file_close(old);
}

static struct file *
find(uint64_t id, int isjit)
{
	struct file *fi;

	for (fi = files; fi < &files[FILES_MAX]; fi++)
		if (fi->fi_isused && fi->fi_id == id &&
		    (fi->fi_jit != NULL) == isjit)
			return fi;
	return NULL;
}

static struct file *
free_place(void)
{
	struct file *fi;

	for (fi = files; fi < &files[FILES_MAX]; fi++)
		if (!fi->fi_isused)
			return fi;
	fi = oldest(NULL);
	file_close(fi);
	return fi;
}

static int
open_object(const struct request *rq, struct file *fi)
{
	const struct symreq *head = &rq->rq_head;
	off_t size = lseek(rq->rq_fd, 0, SEEK_END);
	struct file_bytes im;
	int error;

	make_room(NULL, size > 0 ? size : 0);
	if ((error = file_bytes_map(rq->rq_fd, &im)) != 0)
		return error;
	fi->fi_mapped = size;
	return object_file_open(&im, head->srq_buildid, head->srq_buildidlen,
	    proto_find, &fi->fi_object);
}

/* The descriptor stays the caller's. */
static int
open_file(const struct request *rq, struct file **fip)
{
	const struct symreq *head = &rq->rq_head;
	struct file fi = { .fi_id = head->srq_id,
		.fi_gen = head->srq_gen,
		.fi_isused = 1 };
	int error;

	error = head->srq_type == SYMREQ_JIT ? jit_open(rq->rq_fd, &fi.fi_jit)
					     : open_object(rq, &fi);
	if (error != 0)
		return error;
	*fip = free_place();
	**fip = fi;
	return 0;
}

/* The build id is sent first, since it is in the file's bytes. */
static int
names_of_object(struct file *fi, const struct request *rq,
    struct frame_sink *fs)
{
	const struct symreq *head = &rq->rq_head;
	const void *id;
	size_t len;

	id = object_file_buildid(fi->fi_object, &len);
	proto_buildid(id, len);
	return object_file_names(fi->fi_object, rq->rq_pcs, head->srq_npcs,
	    head->srq_flags & SYMREQ_LINES, fs);
}

static int
tables_of_object(struct file *fi, const struct request *rq)
{
	struct unwind_page_rows upr;
	uint32_t i;
	int error = 0;

	for (i = 0; i < rq->rq_head.srq_npcs && error == 0; i++) {
		error = object_file_unwind(fi->fi_object, rq->rq_pcs[i], &upr);
		if (error == 0)
			proto_table(i, &upr);
		unwind_page_free(&upr);
	}
	object_file_trim(fi->fi_object);
	return error;
}

/* The query is in the place of addresses. */
static int
probes_of_object(struct file *fi, const struct request *rq)
{
	struct probe_query pq;
	const void *id;
	size_t len;
	int error;

	if (rq->rq_head.srq_npcs * sizeof(*rq->rq_pcs) != sizeof(pq))
		return EINVAL;
	memcpy(&pq, rq->rq_pcs, sizeof(pq));
	id = object_file_buildid(fi->fi_object, &len);
	proto_buildid(id, len);
	error = object_probes(fi->fi_object, &pq, probe_replies_begin());
	if (error == 0)
		probe_replies_flush();
	return error;
}

int
files_names(struct request *rq, struct frame_sink *fs)
{
	const struct symreq *head = &rq->rq_head;
	struct file *fi = find(head->srq_id, head->srq_type == SYMREQ_JIT);
	int error = 0;

	if (fi != NULL && fi->fi_gen != head->srq_gen) {
		file_close(fi);
		fi = NULL;
	}
	if (fi == NULL && (error = open_file(rq, &fi)) != 0)
		return error;
	fi->fi_used = ++now;
	if (fi->fi_jit != NULL)
		jit_names(fi->fi_jit, rq->rq_pcs, head->srq_npcs, fs);
	else if (head->srq_type == SYMREQ_UNWIND)
		error = tables_of_object(fi, rq);
	else if (head->srq_type == SYMREQ_PROBES)
		error = probes_of_object(fi, rq);
	else
		error = names_of_object(fi, rq, fs);
	if (error != 0 ||
	    (fi->fi_object != NULL && object_file_islate(fi->fi_object)))
		file_close(fi);
	else
		make_room(fi, 0);
	return error;
}
