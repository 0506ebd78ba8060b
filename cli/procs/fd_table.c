/* SPDX-License-Identifier: ISC */
/*
 * Keeps descriptors in hash tables: open addressing by number, at most half full.
 * Deletion adds the entries that follow again, and leaves no marks.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/procs/fd_table.h"

#define FD_TABLE_MIN 8

static struct fd_entry *
fd_table_list(struct fd_table *ds, uint32_t size)
{
	struct fd_entry *list;
	uint32_t i;

	if ((list = calloc(size, sizeof(*list))) == NULL)
		err(1, "descriptors");
	for (i = 0; i < size; i++)
		list[i].fe_fd = FD_TABLE_FREE;
	*ds->ft_nbytes += size * sizeof(*list);
	return list;
}

struct fd_table *
fd_table_alloc(size_t *nbytes)
{
	struct fd_table *ds;

	if ((ds = calloc(1, sizeof(*ds))) == NULL)
		err(1, "descriptors");
	ds->ft_refs = 1;
	ds->ft_nbytes = nbytes;
	ds->ft_size = FD_TABLE_MIN;
	ds->ft_list = fd_table_list(ds, FD_TABLE_MIN);
	*nbytes += sizeof(*ds);
	return ds;
}

static void
fd_table_unname(struct fd_table *ds, struct fd_entry *de)
{
	struct fd_path *dh = de->fe_path;

	de->fe_path = NULL;
	if (dh == NULL || --dh->fp_refs > 0)
		return;
	*ds->ft_nbytes -= dh->fp_size;
	free(dh);
}

struct fd_table *
fd_table_copy(const struct fd_table *from)
{
	struct fd_table *ds;
	uint32_t i;

	if ((ds = calloc(1, sizeof(*ds))) == NULL)
		err(1, "descriptors");
	*ds = *from;
	ds->ft_refs = 1;
	ds->ft_list = fd_table_list(ds, from->ft_size);
	*ds->ft_nbytes += sizeof(*ds);
	memcpy(ds->ft_list, from->ft_list, ds->ft_size * sizeof(*ds->ft_list));
	for (i = 0; i < ds->ft_size; i++) {
		if (ds->ft_list[i].fe_path != NULL)
			ds->ft_list[i].fe_path->fp_refs++;
	}
	return ds;
}

void
fd_table_release(struct fd_table *ds)
{
	uint32_t i;

	if (ds == NULL || --ds->ft_refs > 0)
		return;
	for (i = 0; i < ds->ft_size; i++)
		fd_table_unname(ds, &ds->ft_list[i]);
	*ds->ft_nbytes -= sizeof(*ds) + ds->ft_size * sizeof(*ds->ft_list);
	free(ds->ft_list);
	free(ds);
}

/* Returns the entry of a descriptor, or the free entry for it. */
static struct fd_entry *
fd_table_place(const struct fd_table *ds, int fd)
{
	uint32_t mask = ds->ft_size - 1;
	uint32_t i = (uint32_t)fd * 0x9e3779b1U >> 7 & mask;

	while (
	    ds->ft_list[i].fe_fd != fd && ds->ft_list[i].fe_fd != FD_TABLE_FREE)
		i = (i + 1) & mask;
	return &ds->ft_list[i];
}

struct fd_entry *
fd_table_find(const struct fd_table *ds, int fd)
{
	struct fd_entry *de = fd_table_place(ds, fd);

	return de->fe_fd == FD_TABLE_FREE ? NULL : de;
}

static void
fd_table_grow(struct fd_table *ds)
{
	struct fd_entry *old = ds->ft_list;
	uint32_t i, n = ds->ft_size;

	ds->ft_list = fd_table_list(ds, n * 2);
	ds->ft_size = n * 2;
	for (i = 0; i < n; i++) {
		if (old[i].fe_fd != FD_TABLE_FREE)
			*fd_table_place(ds, old[i].fe_fd) = old[i];
	}
	*ds->ft_nbytes -= n * sizeof(*old);
	free(old);
}

struct fd_entry *
fd_table_get(struct fd_table *ds, int fd)
{
	struct fd_entry *de = fd_table_place(ds, fd);

	if (de->fe_fd == fd)
		return de;
	if (ds->ft_n * 2 >= ds->ft_size) {
		fd_table_grow(ds);
		de = fd_table_place(ds, fd);
	}
	ds->ft_n++;
	de->fe_fd = fd;
	de->fe_onexec = PROCS_UNSURE;
	de->fe_iscall = 0;
	de->fe_seq = 0;
	de->fe_time = 0;
	return de;
}

/* Empties an entry; later ones may not be found any more, and are added again. */
static void
fd_table_empty(struct fd_table *ds, uint32_t i)
{
	const struct fd_entry none = { .fe_fd = FD_TABLE_FREE };
	uint32_t mask = ds->ft_size - 1;
	struct fd_entry de;

	fd_table_unname(ds, &ds->ft_list[i]);
	ds->ft_list[i] = none;
	ds->ft_n--;
	while (ds->ft_list[i = (i + 1) & mask].fe_fd != FD_TABLE_FREE) {
		de = ds->ft_list[i];
		ds->ft_list[i] = none;
		*fd_table_place(ds, de.fe_fd) = de;
	}
}

void
fd_table_del(struct fd_table *ds, int fd)
{
	struct fd_entry *de = fd_table_find(ds, fd);

	if (de != NULL)
		fd_table_empty(ds, de - ds->ft_list);
}

void
fd_table_sweep(struct fd_table *ds, unsigned int first, unsigned int last,
    int (*wanted)(const struct fd_entry *))
{
	const struct fd_entry *de;
	uint32_t i = 0;

	while (i < ds->ft_size) {
		de = &ds->ft_list[i];
		if (de->fe_fd >= 0 && (unsigned int)de->fe_fd >= first &&
		    (unsigned int)de->fe_fd <= last && wanted(de))
			fd_table_empty(ds, i); /* another entry may have
					        * moved here */
		else
			i++;
	}
}

void
fd_table_name(struct fd_table *ds, struct fd_entry *de, const char *path)
{
	struct fd_path *dh;
	size_t len;

	if (de->fe_path != NULL && strcmp(de->fe_path->fp_text, path) == 0)
		return;
	len = strlen(path) + 1;
	if ((dh = malloc(sizeof(*dh) + len)) == NULL)
		err(1, "descriptors");
	dh->fp_refs = 1;
	dh->fp_size = sizeof(*dh) + len;
	memcpy(dh->fp_text, path, len);
	*ds->ft_nbytes += dh->fp_size;
	fd_table_unname(ds, de);
	de->fe_path = dh;
}

void
fd_table_share(struct fd_table *ds, struct fd_entry *de, struct fd_path *dh)
{
	if (dh != NULL)
		dh->fp_refs++;
	fd_table_unname(ds, de);
	de->fe_path = dh;
}
