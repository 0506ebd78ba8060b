/* SPDX-License-Identifier: ISC */
/*
 * Parses records of perf's side-band.  They come from the kernel but are
 * checked nevertheless: a wrong length drops the record.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "daemon/procs/sideband_event.h"

/* linux/perf_event.h describes these only in a comment. */
struct rec_mmap2 {
	struct perf_event_header rm_hdr;
	uint32_t rm_pid, rm_tid;
	uint64_t rm_addr, rm_len, rm_pgoff;
	uint32_t rm_major, rm_minor;
	uint64_t rm_ino, rm_gen;
	uint32_t rm_prot, rm_flags;
	char rm_path[];
};

struct rec_task {
	struct perf_event_header rtk_hdr;
	uint32_t rtk_pid, rtk_ppid, rtk_tid, rtk_ptid;
	uint64_t rtk_time;
};

struct rec_comm {
	struct perf_event_header rc_hdr;
	uint32_t rc_pid, rc_tid;
};

struct rec_lost {
	struct perf_event_header rls_hdr;
	uint64_t rls_id, rls_lost;
};

static int
sideband_event_mmap(const void *rec, size_t nbytes, struct sideband_event *se)
{
	const struct rec_mmap2 *rm = rec;
	struct inode_id *ii = &se->se_id;
	const char *end;

	if (nbytes <= sizeof(*rm) ||
	    (end = memchr(rm->rm_path, '\0', nbytes - sizeof(*rm))) == NULL ||
	    rm->rm_len == 0 || rm->rm_addr + rm->rm_len < rm->rm_addr)
		return EINVAL;
	if (!(rm->rm_prot & PROT_EXEC))
		return 0;
	/*
	 * Ignores PERF_RECORD_MISC_MMAP_BUILD_ID: the kernel replaces the inode
	 * by a build id only for events that request it, unlike ours, but also
	 * sets the flag for the events after such an event (5.12 to 6.18 at
	 * least).
	 */
	ii->ii_dev = makedev(rm->rm_major, rm->rm_minor);
	ii->ii_ino = rm->rm_ino;
	ii->ii_gen = rm->rm_gen;
	ii->ii_path = rm->rm_path;
	ii->ii_pathlen = end - rm->rm_path;
	se->se_type = SIDEBAND_MMAP;
	se->se_pid = rm->rm_pid;
	se->se_tid = rm->rm_tid;
	se->se_start = rm->rm_addr;
	se->se_end = rm->rm_addr + rm->rm_len;
	se->se_off = rm->rm_pgoff;
	return 0;
}

static int
sideband_event_task(const void *rec, size_t nbytes, struct sideband_event *se)
{
	const struct rec_task *rt = rec;

	if (nbytes < sizeof(*rt))
		return EINVAL;
	se->se_type = rt->rtk_hdr.type == PERF_RECORD_FORK ? SIDEBAND_FORK
							   : SIDEBAND_EXIT;
	se->se_pid = rt->rtk_pid;
	se->se_tid = rt->rtk_tid;
	se->se_ppid = rt->rtk_ppid;
	return 0;
}

static int
sideband_event_comm(const void *rec, size_t nbytes, struct sideband_event *se)
{
	const struct rec_comm *rc = rec;

	if (nbytes < sizeof(*rc))
		return EINVAL;
	if (rc->rc_hdr.misc & PERF_RECORD_MISC_COMM_EXEC)
		se->se_type = SIDEBAND_EXEC;
	se->se_pid = rc->rc_pid;
	se->se_tid = rc->rc_tid;
	return 0;
}

static int
sideband_event_lost(const void *rec, size_t nbytes, struct sideband_event *se)
{
	const struct rec_lost *rl = rec;

	if (nbytes < sizeof(*rl))
		return EINVAL;
	se->se_type = SIDEBAND_LOST;
	se->se_lost = rl->rls_lost;
	return 0;
}

int
sideband_event_parse(const void *rec, size_t nbytes, struct sideband_event *se)
{
	const struct perf_event_header *hdr = rec;

	memset(se, 0, sizeof(*se));
	if (nbytes < sizeof(*hdr) + SIDEBAND_TRAILER || nbytes % 8 != 0)
		return EINVAL;
	memcpy(&se->se_time, (const char *)rec + nbytes - 8, 8);
	nbytes -= SIDEBAND_TRAILER;
	switch (hdr->type) {
	case PERF_RECORD_MMAP2:
		return sideband_event_mmap(rec, nbytes, se);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return sideband_event_task(rec, nbytes, se);
	case PERF_RECORD_COMM:
		return sideband_event_comm(rec, nbytes, se);
	case PERF_RECORD_LOST:
		return sideband_event_lost(rec, nbytes, se);
	default:
		return 0;
	}
}
