/* SPDX-License-Identifier: ISC */
/*
 * Attaches to places in files, for all processes: programs filter by process
 * themselves, since the filter of uprobe.multi lost threads before 6.10.
 *
 * The kernel looks up the file by name.  dtd names its own
 * descriptor, which is the file that the client has opened, whatever has the
 * path by now.
 *
 * The kernel examines an instruction when it writes the breakpoint to a process
 * that has mapped the file.  If it refuses it in a process that maps the file
 * later, no one is informed.  So dtd maps the file while it attaches, and the
 * kernel returns what it refuses.  dtd does not access this mapping, and the
 * breakpoints in it are removed with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/base/spawn_lock.h"
#include "daemon/kernel/attach_user.h"
#include "daemon/perf/perf_event.h"

#define UPROBE_PMU "/sys/bus/event_source/devices/uprobe/type"

/* Newer than the headers of 6.1. */
#define TRACE_UPROBE_MULTI    48
#define TRACE_UPROBE_SESSION  57 /* 6.13 */
#define F_UPROBE_MULTI_RETURN 1

/* Places in a system call, so that a hang-up of the client takes effect. */
#define PIECE	 4096

#define INSN_MAX 16 /* bytes of an instruction that the kernel reads */

/* The part of union bpf_attr for BPF_LINK_CREATE. */
struct link_create {
	uint32_t lc_progfd, lc_targetfd, lc_type, lc_flags;
	uint64_t lc_path, lc_offsets, lc_semaphores, lc_cookies;
	uint32_t lc_count, lc_multiflags, lc_pid, lc_pad;
};

/* Returns a descriptor, or a negative errno. */
static int
multi_create(struct link_create *lc)
{
	int fd = syscall(SYS_bpf, BPF_LINK_CREATE, lc, sizeof(*lc));

	return fd < 0 ? -errno : fd;
}

static int
multi_prog(unsigned int type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type);
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns,
	    sizeof(insns) / sizeof(insns[0]), &opts);
}

/*
 * Passes an invalid address as the name: a kernel with this method returns
 * EFAULT.
 */
static int
multi_try(unsigned int type)
{
	struct link_create lc = { .lc_type = type,
		.lc_path = 1,
		.lc_offsets = 1,
		.lc_count = 1 };
	int prog = multi_prog(type), link;

	if (prog < 0)
		return 0;
	lc.lc_progfd = prog;
	link = multi_create(&lc);
	close(prog);
	if (link >= 0)
		spawn_lock_close(link);
	return link == -EFAULT;
}

static int ismulti;   /* by multi_probe, then constant */
static int issession; /* by session_probe, then constant */

static void
multi_probe(void)
{
	ismulti = multi_try(TRACE_UPROBE_MULTI);
}

static void
session_probe(void)
{
	issession = multi_try(TRACE_UPROBE_SESSION);
}

unsigned int
attach_user_session(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, session_probe);
	return issession ? TRACE_UPROBE_SESSION : 0;
}

unsigned int
attach_user_type(const char **why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, multi_probe);
	*why = ismulti ? NULL : "this kernel has no uprobe.multi (6.6)";
	return ismulti ? TRACE_UPROBE_MULTI : 0;
}

const char *
attach_user_missing(void)
{
	return access(UPROBE_PMU, F_OK) == 0
	    ? NULL
	    : "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)";
}

/* Places of one file, and what is attached to them. */
struct user_attach {
	struct attach_links *uat_links;
	int uat_progfd, uat_filefd;
	int uat_readfd; /* the file, to be mapped; -1: it is not */
	enum attach_kind uat_which;
	const atomic_int *uat_cancel;
	size_t uat_nrefused;
};

static int
multi_attach(const struct user_attach *ua, const struct attach_place *list,
    size_t n)
{
	uint64_t *offsets = calloc(3 * n, sizeof(*offsets));
	uint64_t *semaphores = offsets + n, *cookies = offsets + 2 * n;
	struct link_create lc = { .lc_progfd = ua->uat_progfd,
		.lc_type = ua->uat_which == ATTACH_SESSION
		    ? TRACE_UPROBE_SESSION
		    : TRACE_UPROBE_MULTI,
		.lc_count = n,
		.lc_multiflags = ua->uat_which == ATTACH_RETURN
		    ? F_UPROBE_MULTI_RETURN
		    : 0 };
	char path[32];
	size_t i;
	int fd;

	if (offsets == NULL)
		return ENOMEM;
	for (i = 0; i < n; i++) {
		offsets[i] = list[i].ap_offset;
		semaphores[i] = list[i].ap_semaphore;
		cookies[i] = list[i].ap_cookie;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ua->uat_filefd);
	lc.lc_path = (uintptr_t)path;
	lc.lc_offsets = (uintptr_t)offsets;
	lc.lc_semaphores = (uintptr_t)semaphores;
	lc.lc_cookies = (uintptr_t)cookies;
	fd = multi_create(&lc);
	free(offsets);
	return fd < 0 ? -fd : attach_links_add(ua->uat_links, fd);
}

static int
perf_attach(const struct user_attach *ua, const struct attach_place *ap)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = ap->ap_cookie);
	int fd, link;

	fd = perf_event_uprobe(ua->uat_filefd, ap->ap_offset, ap->ap_semaphore,
	    ua->uat_which == ATTACH_RETURN);
	if (fd < 0)
		return -fd;
	link = bpf_link_create(ua->uat_progfd, fd, BPF_PERF_EVENT, &opts);
	close(fd); /* the link keeps the event alive */
	return link < 0 ? -link : attach_links_add(ua->uat_links, link);
}

/*
 * Whether an error is about one place.  EINVAL: another tracer probes it with a
 * different semaphore; the others: the instruction.
 */
static int
place_isrefused(int error)
{
	return error == EINVAL || error == KERNEL_ENOTSUPP ||
	    error == EOPNOTSUPP || error == ENOEXEC;
}

/*
 * Attaches to places with one call.  The kernel attaches to all or none, and
 * does not name the place that it refuses; so each half is tried again, down to
 * the places that are refused alone.
 */
static int
piece_attach(struct user_attach *ua, struct attach_place *list, size_t n)
{
	int error;

	if (atomic_load(ua->uat_cancel))
		return ECANCELED;
	error = ismulti ? multi_attach(ua, list, n) : perf_attach(ua, list);
	if (!place_isrefused(error))
		return error;
	if (n == 1) {
		list->ap_refused = error;
		return ++ua->uat_nrefused <= ATTACH_USER_REFUSED ? 0 : error;
	}
	error = piece_attach(ua, list, n / 2);
	return error != 0 ? error : piece_attach(ua, list + n / 2, n - n / 2);
}

/* Attaches to places: together, or to each of them. */
static int
places_attach(struct user_attach *ua, struct attach_place *list, size_t n)
{
	size_t i, each = ismulti ? n : 1;
	int error = 0;

	for (i = 0; i < n && error == 0; i += each)
		error = piece_attach(ua, list + i, each);
	return error;
}

/*
 * Reads the code at places, so that it is in memory: while the kernel writes a
 * breakpoint to the mapping, page faults of all threads of dtd wait.
 */
static void
places_read(const struct user_attach *ua, const struct attach_place *list,
    size_t n)
{
	const uint64_t size = getpagesize();
	uint64_t page = -1;
	char insn[INSN_MAX];
	size_t i;

	for (i = 0; i < n; i++) {
		if (list[i].ap_offset / size == page)
			continue;
		page = list[i].ap_offset / size;
		if (pread(ua->uat_readfd, insn, sizeof(insn),
			list[i].ap_offset) <= 0)
			return;
	}
}

/* Attaches to places with the file mapped from the first to the last of them. */
static int
mapped_attach(struct user_attach *ua, struct attach_place *list, size_t n)
{
	uint64_t first = list[0].ap_offset & ~(uint64_t)(getpagesize() - 1);
	size_t size = list[n - 1].ap_offset + INSN_MAX - first;
	void *p = MAP_FAILED;
	int error;

	if (ua->uat_readfd != -1) {
		places_read(ua, list, n);
		p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, ua->uat_readfd,
		    first);
	}
	error = places_attach(ua, list, n);
	if (p != MAP_FAILED)
		munmap(p, size);
	return error;
}

/* Returns a descriptor for reading, -1 if there is none. */
static int
file_reopen(const struct attach_file *afl)
{
	char path[32];

	if (afl->afl_isserved)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", afl->afl_fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int
attach_user(struct attach_links *al, int progfd, enum attach_kind which,
    const struct attach_file *afl, struct attach_place *list, size_t n,
    const atomic_int *cancel)
{
	struct user_attach ua = { .uat_links = al,
		.uat_progfd = progfd,
		.uat_filefd = afl->afl_fd,
		.uat_readfd = file_reopen(afl),
		.uat_which = which,
		.uat_cancel = cancel };
	size_t i, piece;
	int error = 0;

	for (i = 0; i < n && error == 0; i += piece) {
		piece = n - i < PIECE ? n - i : PIECE;
		error = mapped_attach(&ua, list + i, piece);
	}
	if (ua.uat_readfd != -1)
		close(ua.uat_readfd);
	return error;
}
