/* SPDX-License-Identifier: ISC */
/*
 * Parses a record of perf's side-band, which reports events of processes. Does
 * no I/O.
 */
#ifndef DAEMON_PROCS_SIDEBAND_EVENT_H
#define DAEMON_PROCS_SIDEBAND_EVENT_H

#include <stddef.h>
#include <stdint.h>

#define SIDEBAND_TRAILER 16 /* pid, tid, time at each record's end */

enum sideband_event_type {
	SIDEBAND_OTHER, /* nothing that we follow */
	SIDEBAND_MMAP,
	SIDEBAND_EXEC,
	SIDEBAND_FORK,
	SIDEBAND_EXIT,
	SIDEBAND_LOST,
};

/* Identity of a mapped file as the kernel reports it. */
struct inode_id {
	uint64_t ii_dev; /* encoded as by makedev(); 0: not reported */
	uint64_t ii_ino;
	uint64_t ii_gen;
	const char *ii_path;
	size_t ii_pathlen;
};

struct sideband_event {
	enum sideband_event_type se_type;
	uint64_t se_time;
	uint32_t se_pid, se_tid; /* 0: in no pid namespace of ours */
	uint32_t se_ppid;	 /* FORK: who forked */
	uint64_t se_lost;	 /* LOST: records */
	uint64_t se_start, se_end, se_off;
	struct inode_id se_id; /* with strings in the record */
};

/* Parses a record of nbytes: 0, or EINVAL. */
int
sideband_event_parse(const void *rec, size_t nbytes, struct sideband_event *);

#endif /* DAEMON_PROCS_SIDEBAND_EVENT_H */
