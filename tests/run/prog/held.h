/* SPDX-License-Identifier: ISC */
/*
 * Lists the kernel objects that a process holds: BPF programs, maps (including
 * those inside a map of maps), links, and descriptors.  The kernel reports
 * them.
 */
#ifndef HELD_H
#define HELD_H

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/run/prog/prog.h"

#define HELD_MAXIDS   1024
#define HELD_MAXFDS   4096 /* with files of a busy machine */
#define HELD_MAXSLOTS 6	   /* sessions at once, looked for in a map */

enum kind {
	PROG,
	MAP,
	LINK,
	NKIND
};

static const char *const kinds[NKIND] = { "program", "map", "link" };

struct ids {
	unsigned int is_n;
	uint32_t is_id[HELD_MAXIDS];
};

/* Resources of a daemon. */
struct held {
	struct ids he_ids[NKIND];
	unsigned int he_nfds;
	char he_fds[HELD_MAXFDS][32]; /* sorted, without numbers */
};

static int
ids_have(const struct ids *is, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < is->is_n; i++)
		if (is->is_id[i] == id)
			return 1;
	return 0;
}

static void
ids_add(struct ids *is, uint32_t id)
{
	if (ids_have(is, id))
		return;
	if (is->is_n == HELD_MAXIDS)
		errx(1, "more than %d objects", HELD_MAXIDS);
	is->is_id[is->is_n++] = id;
}

/* Adds the objects that a descriptor of the daemon refers to. */
static void
held_fdinfo(struct held *he, const char *path)
{
	char line[128];
	uint32_t id;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		return; /* closed since */
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "prog_id:\t%u", &id) == 1)
			ids_add(&he->he_ids[PROG], id);
		else if (sscanf(line, "map_id:\t%u", &id) == 1)
			ids_add(&he->he_ids[MAP], id);
		else if (sscanf(line, "link_id:\t%u", &id) == 1)
			ids_add(&he->he_ids[LINK], id);
	}
	fclose(f);
}

/*
 * Adds the maps in a map of maps: reading an element returns an id.  Reads only
 * the slots that sessions here can have used, the lowest ones, because some
 * kernels wait for a grace period for each element.
 */
static void
held_inner(struct held *he, uint32_t id)
{
	struct bpf_map_info info;
	uint32_t len = sizeof(info), key, inner;
	uint32_t ncpu = libbpf_num_possible_cpus();
	int fd;

	if ((fd = bpf_map_get_fd_by_id(id)) < 0)
		return;
	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(fd, &info, &len) != 0)
		err(1, "map %u", id);
	if (info.type == BPF_MAP_TYPE_ARRAY_OF_MAPS)
		for (key = 0;
		     key < info.max_entries && key < HELD_MAXSLOTS * ncpu;
		     key++)
			if (bpf_map_lookup_elem(fd, &key, &inner) == 0)
				ids_add(&he->he_ids[MAP], inner);
	close(fd);
}

/* Adds links of the daemon's programs, whichever process holds them. */
static void
held_links(struct held *he)
{
	struct bpf_link_info info;
	uint32_t id = 0, len;
	int fd;

	while (bpf_link_get_next_id(id, &id) == 0) {
		if ((fd = bpf_link_get_fd_by_id(id)) < 0)
			continue;
		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
		    ids_have(&he->he_ids[PROG], info.prog_id))
			ids_add(&he->he_ids[LINK], id);
		close(fd);
	}
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Returns the kind of a descriptor, without an inode number. */
static void
held_fd(struct held *he, const char *path)
{
	char *name = he->he_fds[he->he_nfds];
	ssize_t n = readlink(path, name, sizeof(he->he_fds[0]) - 1);

	if (n == -1)
		return;
	name[n] = '\0';
	if (strncmp(name, "socket:", 7) == 0)
		name[7] = '\0';
	if (++he->he_nfds == HELD_MAXFDS)
		errx(1, "the daemon has %d descriptors", HELD_MAXFDS);
}

static void
held_get(struct held *he, pid_t pid)
{
	char path[300], dir[32];
	struct dirent *de;
	unsigned int i, n;
	DIR *d;

	memset(he, 0, sizeof(*he));
	if ((d = opendir(prog_proc(dir, sizeof(dir), pid, "fd"))) == NULL)
		err(1, "%s", dir);
	while ((de = readdir(d)) != NULL) {
		if (de->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		held_fd(he, path);
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)pid,
		    de->d_name);
		held_fdinfo(he, path);
	}
	closedir(d);
	qsort(he->he_fds, he->he_nfds, sizeof(he->he_fds[0]), compare_names);
	n = he->he_ids[MAP].is_n;
	for (i = 0; i < n; i++)
		held_inner(he, he->he_ids[MAP].is_id[i]);
	held_links(he);
}

struct held_of {
	struct held *ho_held;
	pid_t ho_pid;
};

static inline int
held_no_link(void *arg)
{
	struct held_of *ho = arg;

	held_get(ho->ho_held, ho->ho_pid);
	return ho->ho_held->he_ids[LINK].is_n == 0;
}

/*
 * Reads the resources of a daemon on which no session records: it releases
 * attachments shortly after the last session has closed.
 */
static inline void
held_get_resting(struct held *he, pid_t pid)
{
	struct held_of ho = { he, pid };

	prog_wait(held_no_link, &ho, "nothing is attached");
}

/* Returns whether the kernel still has an id. */
static inline int
id_exists(enum kind kind, uint32_t id)
{
	int fd = kind == PROG ? bpf_prog_get_fd_by_id(id)
	    : kind == MAP     ? bpf_map_get_fd_by_id(id)
			      : bpf_link_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	else if (fd != -ENOENT)
		errx(1, "%s %u: %s", kinds[kind], id, strerror(-fd));
	return fd >= 0;
}

/* Returns the name of a program, or of nothing. */
static const char *
prog_name(enum kind kind, uint32_t id)
{
	static struct bpf_prog_info info;
	uint32_t len = sizeof(info);
	int fd = kind == PROG ? bpf_prog_get_fd_by_id(id) : -1;

	memset(&info, 0, sizeof(info));
	if (fd >= 0) {
		(void)bpf_obj_get_info_by_fd(fd, &info, &len);
		close(fd);
	}
	return info.name;
}

/* Finds the first object that only one of now and base has. */
static int
held_differs(const struct held *base, const struct held *now, char *what,
    size_t size)
{
	unsigned int k, i;
	uint32_t id;

	for (k = 0; k < NKIND; k++) {
		for (i = 0; i < now->he_ids[k].is_n; i++)
			if (!ids_have(&base->he_ids[k],
				now->he_ids[k].is_id[i]))
				break;
		if (i == now->he_ids[k].is_n && i == base->he_ids[k].is_n)
			continue;
		id = i < now->he_ids[k].is_n ? now->he_ids[k].is_id[i] : 0;
		snprintf(what, size, "%u %ss, were %u: %u %s is new",
		    now->he_ids[k].is_n, kinds[k], base->he_ids[k].is_n, id,
		    prog_name(k, id));
		return 1;
	}
	for (i = 0; i < base->he_nfds && i < now->he_nfds; i++)
		if (strcmp(base->he_fds[i], now->he_fds[i]) != 0)
			break;
	if (i == base->he_nfds && i == now->he_nfds)
		return 0;
	snprintf(what, size, "%u descriptors, were %u: %s", now->he_nfds,
	    base->he_nfds, i < now->he_nfds ? now->he_fds[i] : "(none)");
	return 1;
}

/*
 * Returns whether now has more.  Less is allowed: symbols are cached for a
 * time.
 */
static inline int
held_exceeds(const struct held *base, const struct held *now, char *what,
    size_t size)
{
	int k, more = now->he_nfds > base->he_nfds;

	for (k = 0; k < NKIND; k++)
		more |= now->he_ids[k].is_n > base->he_ids[k].is_n;
	if (more && held_differs(base, now, what, size) == 0)
		snprintf(what, size, "more of one kind");
	return more;
}

#endif /* HELD_H */
