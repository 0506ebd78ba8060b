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
#include "sym/symsnap.h"
#include "sym/symtab.h"

#define SNAP_BUF    (64 << 10) /* bytes; a line is shorter than 5000 */
#define SNAP_SMALL  (1 << 20)  /* bytes of text */
#define SNAP_PASSES 3

/* A pass. */
struct snap {
	char *sn_buf;
	struct symspot *sn_spots; /* of the process that is being read */
	size_t sn_n, sn_max;
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
	struct symsight ss = { .ss_pid = pid, .ss_start = se->se_start,
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

	if (sn->sn_n == SYMIMAGE_MAPS)
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

static int
snap_proc(struct snap *sn, uint32_t pid, size_t max)
{
	uint64_t nsecs = clock_monotonic();
	char path[32];
	int fd, error;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? ESRCH : errno;
	sn->sn_n = 0;
	error = snap_lines(sn, pid, fd, max);
	close(fd);
	if (error != 0) {
		for (i = 0; i < sn->sn_n; i++)
			symfile_unmap(sn->sn_spots[i].so_file);
		return error;
	}
	symtab_lock();
	symtab_snapshot(pid, sn->sn_spots, sn->sn_n, nsecs, clock_monotonic(),
	    sn->sn_since);
	symtab_unlock();
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
	while (dir != NULL && !atomic_load(stop) &&
	    (de = readdir(dir)) != NULL) {
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
	for (i = 0; i < sn->sn_nbig && !atomic_load(stop); i++)
		n += snap_proc(sn, sn->sn_big[i], SIZE_MAX) == 0;
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
	snap_free(&sn);
	return error;
}
