/* SPDX-License-Identifier: ISC */
/*
 * The tables of fd_table.h: open addressing by number, at most half full,
 * without marks for what was deleted: what stands behind is moved up.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/procs/fd_table.h"

#define DESCS_MIN 8

static uint32_t
descs_slot(const struct descs *ds, int fd)
{
	return (uint32_t)fd * 0x9e3779b1U >> 7 & (ds->ds_size - 1);
}

static struct desc *
descs_list(struct descs *ds, uint32_t size)
{
	struct desc *list;
	uint32_t i;

	if ((list = calloc(size, sizeof(*list))) == NULL)
		err(1, "descriptors");
	for (i = 0; i < size; i++)
		list[i].de_fd = DESCS_FREE;
	*ds->ds_nbytes += size * sizeof(*list);
	return list;
}

struct descs *
descs_alloc(size_t *nbytes)
{
	struct descs *ds;

	if ((ds = calloc(1, sizeof(*ds))) == NULL)
		err(1, "descriptors");
	ds->ds_refs = 1;
	ds->ds_nbytes = nbytes;
	ds->ds_size = DESCS_MIN;
	ds->ds_list = descs_list(ds, DESCS_MIN);
	*nbytes += sizeof(*ds);
	return ds;
}

static void
descs_unname(struct descs *ds, struct desc *de)
{
	struct descs_path *dh = de->de_path;

	de->de_path = NULL;
	if (dh == NULL || --dh->dh_refs > 0)
		return;
	*ds->ds_nbytes -= dh->dh_size;
	free(dh);
}

struct descs *
descs_copy(const struct descs *from)
{
	struct descs *ds;
	uint32_t i;

	if ((ds = calloc(1, sizeof(*ds))) == NULL)
		err(1, "descriptors");
	*ds = *from;
	ds->ds_refs = 1;
	ds->ds_list = descs_list(ds, from->ds_size);
	*ds->ds_nbytes += sizeof(*ds);
	memcpy(ds->ds_list, from->ds_list, ds->ds_size * sizeof(*ds->ds_list));
	for (i = 0; i < ds->ds_size; i++) {
		if (ds->ds_list[i].de_path != NULL)
			ds->ds_list[i].de_path->dh_refs++;
	}
	return ds;
}

void
descs_release(struct descs *ds)
{
	uint32_t i;

	if (ds == NULL || --ds->ds_refs > 0)
		return;
	for (i = 0; i < ds->ds_size; i++)
		descs_unname(ds, &ds->ds_list[i]);
	*ds->ds_nbytes -= sizeof(*ds) + ds->ds_size * sizeof(*ds->ds_list);
	free(ds->ds_list);
	free(ds);
}

/* Where it is, or belongs. */
static struct desc *
descs_place(const struct descs *ds, int fd)
{
	uint32_t i = descs_slot(ds, fd);

	while (ds->ds_list[i].de_fd != fd && ds->ds_list[i].de_fd != DESCS_FREE)
		i = (i + 1) & (ds->ds_size - 1);
	return &ds->ds_list[i];
}

struct desc *
descs_find(const struct descs *ds, int fd)
{
	struct desc *de = descs_place(ds, fd);

	return de->de_fd == DESCS_FREE ? NULL : de;
}

static void
descs_grow(struct descs *ds)
{
	struct desc *old = ds->ds_list;
	uint32_t i, n = ds->ds_size;

	ds->ds_list = descs_list(ds, n * 2);
	ds->ds_size = n * 2;
	for (i = 0; i < n; i++) {
		if (old[i].de_fd != DESCS_FREE)
			*descs_place(ds, old[i].de_fd) = old[i];
	}
	*ds->ds_nbytes -= n * sizeof(*old);
	free(old);
}

struct desc *
descs_get(struct descs *ds, int fd)
{
	struct desc *de = descs_place(ds, fd);

	if (de->de_fd == fd)
		return de;
	if (ds->ds_n * 2 >= ds->ds_size) {
		descs_grow(ds);
		de = descs_place(ds, fd);
	}
	ds->ds_n++;
	de->de_fd = fd;
	de->de_onexec = PROCS_UNSURE;
	de->de_iscall = 0;
	de->de_seq = 0;
	de->de_time = 0;
	return de;
}

/* Empties a place; what would not be found any more moves up. */
static void
descs_empty(struct descs *ds, uint32_t i)
{
	uint32_t j = i, mask = ds->ds_size - 1;

	descs_unname(ds, &ds->ds_list[i]);
	ds->ds_n--;
	for (;;) {
		ds->ds_list[i].de_fd = DESCS_FREE;
		ds->ds_list[i].de_path = NULL;
		do {
			j = (j + 1) & mask;
			if (ds->ds_list[j].de_fd == DESCS_FREE)
				return;
		} while (((j - descs_slot(ds, ds->ds_list[j].de_fd)) & mask) <
		    ((j - i) & mask));
		ds->ds_list[i] = ds->ds_list[j];
		i = j;
	}
}

void
descs_del(struct descs *ds, int fd)
{
	struct desc *de = descs_find(ds, fd);

	if (de != NULL)
		descs_empty(ds, de - ds->ds_list);
}

void
descs_sweep(struct descs *ds, unsigned int first, unsigned int last,
    int (*wanted)(const struct desc *))
{
	const struct desc *de;
	uint32_t i = 0;

	while (i < ds->ds_size) {
		de = &ds->ds_list[i];
		if (de->de_fd >= 0 && (unsigned int)de->de_fd >= first &&
		    (unsigned int)de->de_fd <= last && wanted(de))
			descs_empty(ds, i); /* another may stand here now */
		else
			i++;
	}
}

void
descs_name(struct descs *ds, struct desc *de, const char *path)
{
	struct descs_path *dh;
	size_t len;

	if (path == NULL) {
		descs_unname(ds, de);
		return;
	}
	if (de->de_path != NULL && strcmp(de->de_path->dh_text, path) == 0)
		return;
	len = strlen(path) + 1;
	if ((dh = malloc(sizeof(*dh) + len)) == NULL)
		err(1, "descriptors");
	dh->dh_refs = 0;
	dh->dh_size = sizeof(*dh) + len;
	memcpy(dh->dh_text, path, len);
	*ds->ds_nbytes += dh->dh_size;
	descs_share(ds, de, dh);
}

void
descs_share(struct descs *ds, struct desc *de, struct descs_path *dh)
{
	if (dh != NULL)
		dh->dh_refs++;
	descs_unname(ds, de);
	de->de_path = dh;
}
