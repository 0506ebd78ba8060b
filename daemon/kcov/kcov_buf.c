/* SPDX-License-Identifier: ISC */
/*
 * The memory of a session.  If BPF programs write to it, it is a BPF map, which
 * the client maps directly, without copies.  Otherwise it is a memory file of
 * sealed size, to which only the client writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/access/limit.h"
#include "daemon/device/grace_period.h"
#include "daemon/kcov/kcov_softc.h"

/* Returns a descriptor, or a negative errno. */
static int
buf_array(uint32_t nentries)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts,
	    .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "kcov_buf", 4,
	    KCOV_ENTRY_SIZE, nentries, &opts);
}

static int
buf_file(uint64_t nbytes)
{
	int fd = memfd_create("kcov", MFD_CLOEXEC | MFD_ALLOW_SEALING), error;

	if (fd == -1)
		return -errno;
	if (ftruncate(fd, nbytes) == -1 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ==
		-1) {
		error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

int
kcov_buf_make(struct kcov_dev *kd, uint32_t nentries, struct reason *rs)
{
	uint64_t page = getpagesize(), nbytes = nentries * KCOV_ENTRY_SIZE;
	int isarray = (kd->kd_peer.peer_rights & RIGHT_TRACE_ALL) != 0, fd = 0;
	int error;

	nbytes = (nbytes + page - 1) / page * page;
	error = limit_take(kd->kd_peer.peer_person, LIMIT_MAPBYTES, nbytes, rs);
	if (error != 0)
		return error;
	if (isarray && (fd = buf_array(nentries)) == -EPERM)
		isarray = 0; /* a private daemon has its client's rights */
	if (!isarray)
		fd = buf_file(nbytes);
	if (fd < 0) {
		limit_give(kd->kd_peer.peer_person, LIMIT_MAPBYTES, nbytes);
		return -fd;
	}
	kd->kd_buf = fd;
	kd->kd_isarray = isarray;
	kd->kd_nentries = nentries;
	kd->kd_charged = nbytes;
	return 0;
}

int
kcov_buf_insert(struct kcov_dev *kd)
{
	uint32_t slot = kd->kd_slot;

	if (kd->kd_isinserted)
		return 0;
	if (bpf_map_update_elem(kcov_bufsfd(), &slot, &kd->kd_buf, BPF_ANY) !=
	    0)
		return errno;
	kd->kd_isinserted = 1;
	return 0;
}

void
kcov_buf_free(struct kcov_dev *kd)
{
	uint32_t slot = kd->kd_slot;

	if (kd->kd_isinserted) {
		(void)bpf_map_delete_elem(kcov_bufsfd(), &slot);
		grace_period();
	}
	if (kd->kd_buf != -1)
		close(kd->kd_buf);
	limit_give(kd->kd_peer.peer_person, LIMIT_MAPBYTES, kd->kd_charged);
	kd->kd_buf = -1;
	kd->kd_isinserted = 0;
	kd->kd_charged = 0;
}
