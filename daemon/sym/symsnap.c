/* SPDX-License-Identifier: ISC */
/*
 * Snapshot of all processes' mappings, see symsnap.h.
 *
 * A process with very many of them does not keep the others waiting: what is
 * longer than SNAP_SMALL is left, and read when all others are known.  Passes
 * are repeated, as children may come whose parents ended before they were
 * read.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "sym/symfind.h"
#include "sym/symmaps.h"
#include "sym/symproc_impl.h"
#include "sym/symsnap.h"
#include "sym/symtab.h"

#define SNAP_BUF    (64 << 10) /* bytes; a line is shorter than 5000 */
#define SNAP_SMALL  (1 << 20)  /* bytes of text */
#define SNAP_PASSES 3
#define SNAP_BATCH  32	 /* processes that are taken over at once */
#define SNAP_SPOTS  4096 /* or when they have so many mappings */

/* What was read of a process. */
struct snapped {
	uint32_t sd_pid;
	size_t sd_first, sd_n;	    /* of sn_spots */
	uint64_t sd_begun, sd_done; /* when it was read */
};

/* A pass. */
struct snap {
	char *sn_buf;
	struct symspot *sn_spots;      /* of those that have been read */
	size_t sn_n, sn_max, sn_first; /* the first of the one under way */
	struct snapped sn_procs[SNAP_BATCH];
	size_t sn_nprocs;
	uint32_t *sn_big; /* those that were left */
	size_t sn_nbig;
	uint64_t sn_since;
};

static void
snap_free(struct snap *sn)
{
	free(sn->sn_buf);
	free(sn->sn_spots);
	free(sn->sn_big);
}

static int
snap_init(struct snap *sn, uint64_t since)
{
	*sn = (struct snap){ .sn_since = since };
	sn->sn_buf = malloc(SNAP_BUF);
	return sn->sn_buf == NULL ? ENOMEM : 0;
}

static void
snap_file(struct symfile *sf, uint32_t pid, const struct symevent *se)
{
	struct symsight ss = { .ss_pid = pid,
		.ss_start = se->se_start,
		.ss_end = se->se_end };

	if (sf->sf_kind == SYMFILE_ANON)
		return;
	while (!symfind_add(sf, &ss))
		symfind_room();
}

static void
snap_spot(struct snap *sn, uint32_t pid, const struct symevent *se)
{
	struct symspot *spots, *so;
	size_t max = sn->sn_max ? sn->sn_max * 2 : 64;
	int isnew;

	if (sn->sn_n - sn->sn_first == SYMIMAGE_MAPS)
		return;
	if (sn->sn_n == sn->sn_max) {
		spots = realloc(sn->sn_spots, max * sizeof(*spots));
		if (spots == NULL)
			return;
		sn->sn_spots = spots;
		sn->sn_max = max;
	}
	so = &sn->sn_spots[sn->sn_n];
	*so = (struct symspot){ se->se_start, se->se_end, se->se_off, 0, NULL };
	so->so_file = symfile_map(&se->se_id, se->se_end >> 32 == 0, &isnew);
	if (so->so_file == NULL)
		return;
	sn->sn_n++;
	if (isnew)
		snap_file(so->so_file, pid, se);
}

/* All lines: EFBIG when they are more than max bytes. */
static int
snap_lines(struct snap *sn, uint32_t pid, int fd, size_t max)
{
	size_t have = 0, pos, len, total = 0;
	struct symevent se;
	ssize_t n;

	while ((n = read(fd, sn->sn_buf + have, SNAP_BUF - have)) > 0) {
		have += n;
		total += n;
		for (pos = 0; (len = symmaps_line(sn->sn_buf + pos, have - pos,
				   &se)) != 0;
		     pos += len)
			if (se.se_type == SYMEVENT_MMAP)
				snap_spot(sn, pid, &se);
		have -= pos;
		memmove(sn->sn_buf, sn->sn_buf + pos, have);
		if (total > max)
			return EFBIG;
		if (have == SNAP_BUF)
			return EINVAL;
	}
	return n == -1 ? errno : 0;
}

/*
 * What was read goes into the table.  What the side-band has told by then is
 * read first: a mapping that it does not know of is older than all of it.
 */
static void
snap_flush(struct snap *sn)
{
	const struct snapped *sd;

	if (sn->sn_nprocs > 0)
		(void)symproc_sync(sn->sn_procs[sn->sn_nprocs - 1].sd_done);
	symtab_lock();
	for (sd = sn->sn_procs; sd < sn->sn_procs + sn->sn_nprocs; sd++)
		symtab_snapshot(sd->sd_pid, sn->sn_spots + sd->sd_first,
		    sd->sd_n, sd->sd_begun, sd->sd_done, sn->sn_since);
	symtab_unlock();
	sn->sn_n = sn->sn_nprocs = 0;
}

/* Back to n mappings: the rest is not all, or of nobody. */
static void
snap_forget(struct snap *sn, size_t n)
{
	while (sn->sn_n > n)
		symfile_unmap(sn->sn_spots[--sn->sn_n].so_file);
}

static int
snap_read(struct snap *sn, uint32_t pid, size_t max)
{
	char path[32], byte;
	int fd, error;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? ESRCH : errno;
	error = snap_lines(sn, pid, fd, max);
	/* that of a process that ends, ends anywhere */
	if (error == 0 && pread(fd, &byte, 1, 0) != 1)
		error = ESRCH;
	close(fd);
	return error;
}

static int
snap_proc(struct snap *sn, uint32_t pid, size_t max)
{
	struct snapped sd = { .sd_pid = pid,
		.sd_first = sn->sn_n,
		.sd_begun = clock_monotonic() };
	int error;

	sn->sn_first = sn->sn_n;
	if ((error = snap_read(sn, pid, max)) != 0) {
		snap_forget(sn, sd.sd_first);
		return error;
	}
	sd.sd_done = clock_monotonic();
	sd.sd_n = sn->sn_n - sd.sd_first;
	sn->sn_procs[sn->sn_nprocs++] = sd;
	if (sn->sn_nprocs == SNAP_BATCH || sn->sn_n > SNAP_SPOTS)
		snap_flush(sn);
	return 0;
}

static int
snap_isdue(const struct snap *sn, uint32_t pid)
{
	struct symproc *sp;
	int isdue;

	symtab_lock();
	sp = symtab_find(pid, UINT64_MAX);
	isdue = sn->sn_since != 0 || sp == NULL || !symtab_iswhole(sp);
	symtab_unlock();
	return isdue;
}

static void
snap_leave(struct snap *sn, uint32_t pid)
{
	uint32_t *big;

	if (sn->sn_nbig % 16 == 0) {
		big = realloc(sn->sn_big, (sn->sn_nbig + 16) * sizeof(*big));
		if (big == NULL)
			return;
		sn->sn_big = big;
	}
	sn->sn_big[sn->sn_nbig++] = pid;
}

/* One pass; how many were read. */
static unsigned int
snap_pass(struct snap *sn, const atomic_int *stop)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;
	unsigned int n = 0;
	size_t i;
	uint32_t pid;
	int error;

	sn->sn_nbig = 0;
	while (
	    dir != NULL && !atomic_load(stop) && (de = readdir(dir)) != NULL) {
		if (de->d_name[0] < '1' || de->d_name[0] > '9')
			continue;
		pid = strtoul(de->d_name, NULL, 10);
		if (!snap_isdue(sn, pid))
			continue;
		error = snap_proc(sn, pid, SNAP_SMALL);
		n += error == 0;
		if (error == EFBIG)
			snap_leave(sn, pid);
	}
	if (dir != NULL)
		closedir(dir);
	snap_flush(sn);
	for (i = 0; i < sn->sn_nbig && !atomic_load(stop); i++)
		n += snap_proc(sn, sn->sn_big[i], SIZE_MAX) == 0;
	snap_flush(sn);
	return n;
}

void
symsnap_all(uint64_t since, const atomic_int *stop)
{
	struct snap sn;
	int i;

	if (snap_init(&sn, since) != 0)
		return;
	for (i = 0; i < SNAP_PASSES && snap_pass(&sn, stop) > 0; i++)
		sn.sn_since = 0;
	snap_free(&sn);
}

int
symsnap_one(uint32_t pid, uint64_t since)
{
	struct snap sn;
	int error;

	if ((error = snap_init(&sn, since)) == 0)
		error = snap_proc(&sn, pid, SIZE_MAX);
	if (error == 0)
		snap_flush(&sn);
	snap_free(&sn);
	return error;
}
