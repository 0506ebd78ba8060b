/* SPDX-License-Identifier: ISC */
/*
 * Slabs of memory.  Units of 64 bytes are in use if their bit is set.  A search
 * begins where the last one in the slab ended, so that most take few steps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf/unwind_shared.h"
#include "daemon/unwind/slab.h"
#include "daemon/unwind/unwind_maps.h"

#define SLAB_UNITS (UNWIND_SLAB >> UNWIND_UNIT_SHIFT)
#define UNITS(n)   (((n) + (1U << UNWIND_UNIT_SHIFT) - 1) >> UNWIND_UNIT_SHIFT)

struct slab {
	int sla_fd;
	char *sla_mem;	   /* mapped */
	uint32_t sla_used; /* units */
	uint32_t sla_next; /* where the next search begins */
	uint32_t sla_room; /* upper bound of the longest free run */
	uint64_t sla_bits[SLAB_UNITS / 64];
};

static struct slab *slabs[UNWIND_MAXSLABS];
static struct slab_block *retired;
static struct slab_stat stat = { .sst_limit = UNWIND_SLAB };

void
slab_limit(uint64_t nbytes)
{
	if (nbytes < UNWIND_SLAB)
		nbytes = UNWIND_SLAB;
	if (nbytes > (uint64_t)UNWIND_MAXSLABS * UNWIND_SLAB)
		nbytes = (uint64_t)UNWIND_MAXSLABS * UNWIND_SLAB;
	stat.sst_limit = nbytes;
}

static int
unit_isused(const struct slab *sl, uint32_t unit)
{
	return sl->sla_bits[unit / 64] >> unit % 64 & 1;
}

/* Marks units as used or as free. */
static void
units_set(struct slab *sl, uint32_t unit, uint32_t n, int isused)
{
	uint32_t i;

	for (i = unit; i < unit + n; i++)
		if (isused)
			sl->sla_bits[i / 64] |= 1ULL << i % 64;
		else
			sl->sla_bits[i / 64] &= ~(1ULL << i % 64);
	sl->sla_used += isused ? n : -n;
	stat.sst_used += (isused ? n : -(uint64_t)n) << UNWIND_UNIT_SHIFT;
}

/* Finds n free units in a row, from a unit on and before end. */
static uint32_t
units_find(struct slab *sl, uint32_t from, uint32_t end, uint32_t n)
{
	uint32_t i, run = 0;

	for (i = from; i < end; i++) {
		if (i % 64 == 0 && sl->sla_bits[i / 64] == UINT64_MAX) {
			run = 0;
			i += 63;
			continue;
		}
		run = unit_isused(sl, i) ? 0 : run + 1;
		if (run == n)
			return i + 1 - n;
	}
	return SLAB_UNITS;
}

/* Takes n units; SLAB_UNITS: no run is long enough. */
static uint32_t
units_take(struct slab *sl, uint32_t n)
{
	uint32_t unit;

	if (n > sl->sla_room || n > SLAB_UNITS - sl->sla_used)
		return SLAB_UNITS;
	unit = units_find(sl, sl->sla_next, SLAB_UNITS, n);
	if (unit == SLAB_UNITS)
		unit = units_find(sl, 0, SLAB_UNITS, n);
	if (unit == SLAB_UNITS) {
		sl->sla_room = n - 1;
		return SLAB_UNITS;
	}
	units_set(sl, unit, n, 1);
	sl->sla_next = unit + n;
	return unit;
}

static void
slab_release(uint32_t i)
{
	struct slab *sl = slabs[i];

	(void)bpf_map_delete_elem(unwind_maps[UNWIND_SLABS].umr_fd, &i);
	if (sl->sla_mem != NULL)
		munmap(sl->sla_mem, UNWIND_SLAB);
	if (sl->sla_fd >= 0)
		close(sl->sla_fd);
	free(sl);
	slabs[i] = NULL;
	stat.sst_slabs -= UNWIND_SLAB;
}

static int
slab_make(uint32_t i)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct slab *sl = calloc(1, sizeof(*sl));
	void *p;
	int error = 0;

	if (sl == NULL)
		return ENOMEM;
	slabs[i] = sl;
	stat.sst_slabs += UNWIND_SLAB;
	sl->sla_room = SLAB_UNITS;
	sl->sla_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_slab", 4,
	    UNWIND_SLAB, 1, &opts);
	if (sl->sla_fd < 0)
		error = -sl->sla_fd;
	else if ((p = mmap(NULL, UNWIND_SLAB, PROT_READ | PROT_WRITE,
		      MAP_SHARED, sl->sla_fd, 0)) == MAP_FAILED)
		error = errno;
	else {
		sl->sla_mem = p;
		if (bpf_map_update_elem(unwind_maps[UNWIND_SLABS].umr_fd, &i,
			&sl->sla_fd, BPF_ANY) != 0)
			error = errno;
	}
	if (error != 0)
		slab_release(i);
	return error;
}

void
slab_prepare(void)
{
	if (slabs[0] == NULL)
		(void)slab_make(0); /* or the first block tries again */
}

/* Takes the units from a slab with a free run, or from a new one. */
static int
block_place(struct slab_block *sb)
{
	uint32_t i, unit, n = UNITS(sb->sbk_nbytes), vacant = UNWIND_MAXSLABS;
	int error;

	for (i = 0; i < UNWIND_MAXSLABS; i++) {
		if (slabs[i] == NULL) {
			vacant = i < vacant ? i : vacant;
			continue;
		}
		if ((unit = units_take(slabs[i], n)) < SLAB_UNITS)
			break;
	}
	if (i == UNWIND_MAXSLABS) {
		if (vacant == UNWIND_MAXSLABS || n > SLAB_UNITS ||
		    stat.sst_slabs + UNWIND_SLAB > stat.sst_limit)
			return ENOSPC;
		if ((error = slab_make(vacant)) != 0)
			return error;
		i = vacant;
		unit = units_take(slabs[i], n);
	}
	sb->sbk_place = UNWIND_PLACE(i, unit << UNWIND_UNIT_SHIFT);
	sb->sbk_mem = slabs[i]->sla_mem + (unit << UNWIND_UNIT_SHIFT);
	return 0;
}

struct slab_block *
slab_alloc(uint32_t nbytes, int *error)
{
	struct slab_block *sb = calloc(1, sizeof(*sb));

	*error = ENOMEM;
	if (sb == NULL)
		return NULL;
	sb->sbk_nbytes = nbytes;
	if ((*error = block_place(sb)) == 0)
		return sb;
	free(sb);
	return NULL;
}

void
slab_retire(struct slab_block *sb)
{
	if (sb == NULL)
		return;
	stat.sst_retired += UNITS(sb->sbk_nbytes) << UNWIND_UNIT_SHIFT;
	sb->sbk_next = retired;
	retired = sb;
}

struct slab_block *
slab_retired(void)
{
	struct slab_block *sb = retired;

	retired = NULL;
	return sb;
}

void
slab_free(struct slab_block *sb)
{
	struct slab_block *next;
	uint32_t i, n;

	for (; sb != NULL; sb = next) {
		next = sb->sbk_next;
		i = UNWIND_PLACE_SLAB(sb->sbk_place);
		n = UNITS(sb->sbk_nbytes);
		units_set(slabs[i],
		    UNWIND_PLACE_OFF(sb->sbk_place) >> UNWIND_UNIT_SHIFT, n, 0);
		slabs[i]->sla_room = SLAB_UNITS;
		stat.sst_retired -= (uint64_t)n << UNWIND_UNIT_SHIFT;
		if (slabs[i]->sla_used == 0 && stat.sst_slabs > UNWIND_SLAB)
			slab_release(i);
		free(sb);
	}
}

void *
slab_base(uint32_t i)
{
	return i < UNWIND_MAXSLABS && slabs[i] != NULL ? slabs[i]->sla_mem
						       : NULL;
}

void
slab_clear(void)
{
	uint32_t i;

	for (i = 0; i < UNWIND_MAXSLABS; i++)
		if (slabs[i] != NULL && slabs[i]->sla_used == 0)
			slab_release(i);
}

void
slab_stat(struct slab_stat *sst)
{
	*sst = stat;
}
