/* SPDX-License-Identifier: ISC */
/*
 * Attaches to kernel functions by perf events, kprobe.multi, sessions of it, or
 * fentry.
 *
 * Costs measured in the guests of tests/vm with empty programs: ns that a hit
 * adds, and ms to attach and detach one function:
 *
 *			6.1		6.12
 *	perf, entry	820, 16, 44	1580, 17, 50	added, attach, detach
 *	      return	1250, 16, 42	1930, 25, 50
 *	multi, entry	-		500, 46, 45
 *	       return	-		1100, 50, 44
 *	session, both	-		1400, 50, 50
 *	fentry		310, 41, 33	490, 23, 34
 *	fexit		520, 40, 35	550, 20, 200
 *
 * A hit by fentry or fexit costs less than half of one by a perf event.  But a
 * program is verified for each function, another 95 ms there (6.1), and 76
 * functions take 1,300 ms, and 10 s to detach; kprobe.multi attaches them in 53
 * ms.  So fentry is used for a few probes where kprobe.multi is unavailable.
 * With kprobe.multi, an entry costs the same for any number of functions in a
 * link.  A return costs more, since it is prepared at the entry: 541
 * instructions by kprobe.multi and 195 by fexit; a quick program adds 390.
 *
 * Returns by all methods but fexit may come from a pool (attach_haspool()).
 * When 50 threads slept in one function of 6.12, on 2 CPUs, its own pool of 4
 * nodes sufficed for 12 returns.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/conf.h"
#include "daemon/base/spawn_lock.h"
#include "daemon/kernel/attach.h"
#include "daemon/kernel/func_proto.h"
#include "daemon/perf/perf_event.h"

#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/type"

/* Nodes of kprobe.multi's pool, where it has one: a thread may sleep in several
 * functions of a link that call each other. */
#define POOL_MIN	4096
#define POOL_MAX	(1U << 20) /* about 64 bytes each */
#define POOL_PER_THREAD 4

/* Newer than the headers of 6.1. */
#define TRACE_KPROBE_MULTI    42
#define TRACE_KPROBE_SESSION  56
#define F_KPROBE_MULTI_RETURN 1

/* The bytes of bpf_link_info up to the number of missed hits, as in 6.7. */
struct link_info {
	uint32_t li_type, li_id, li_progid, li_pad;
	union {
		struct {
			uint64_t addrs;
			uint32_t count, flags;
			uint64_t missed;
		} li_multi;
		struct {
			uint32_t type, pad;
			uint64_t func;
			uint32_t len, offset;
			uint64_t addr, missed;
		} li_perf;
		uint8_t li_room[112];
	};
};

#define LINK_INFO_MISSED 56 /* least length with that number */
#define LINK_TRACING	 2  /* BPF_LINK_TYPE_* */
#define LINK_PERF_EVENT	 7
#define LINK_MULTI	 8

/*
 * kprobe.multi
 */

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
 * Makes the system call, since a libbpf older than sessions refuses to.
 * Returns a descriptor, or a negative errno.
 */
static int
multi_create(int progfd, unsigned int type, unsigned int flags, size_t n,
    const void *addrs, const uint64_t *cookies)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = progfd;
	attr.link_create.attach_type = type;
	attr.link_create.kprobe_multi.flags = flags;
	attr.link_create.kprobe_multi.cnt = n;
	attr.link_create.kprobe_multi.addrs = (uintptr_t)addrs;
	attr.link_create.kprobe_multi.cookies = (uintptr_t)cookies;
	fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

/*
 * Passes an invalid address as the list: a kernel with this method returns
 * EFAULT.
 */
static const char *
multi_try(unsigned int type, const char *why)
{
	int prog, link;

	if ((prog = multi_prog(type)) < 0)
		return prog == -EPERM ? "no right to load BPF programs" : why;
	link = multi_create(prog, type, 0, 1, (const void *)1, NULL);
	close(prog);
	if (link >= 0)
		spawn_lock_close(link);
	return link == -EFAULT ? NULL : why;
}

static const char *
multi_lacks(void)
{
	return multi_try(TRACE_KPROBE_MULTI,
	    "this kernel has no kprobe.multi (CONFIG_FPROBE)");
}

static const char *
session_lacks(void)
{
	return multi_try(TRACE_KPROBE_SESSION,
	    "this kernel has no sessions of kprobe.multi");
}

static int haspool; /* by pool_probe, then constant */

/* struct fprobe has lost its pool in 6.14. */
static void
pool_probe(void)
{
	haspool = func_proto_hasmember("fprobe", "rethook");
}

int
attach_haspool(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, pool_probe);
	return haspool;
}

/* Threads of the machine; 0: unknown. */
static size_t
nthreads(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	size_t n = 0;

	if (f == NULL)
		return 0;
	if (fscanf(f, "%*s %*s %*s %*u/%zu", &n) != 1)
		n = 0;
	fclose(f);
	return n;
}

/*
 * Returns how often a link of n functions with returns has to list each
 * function: the kernel allocates 2 nodes of the pool per possible CPU and
 * element of the list, and accepts repetitions.
 */
static size_t
multi_copies(size_t n)
{
	size_t want = POOL_PER_THREAD * nthreads(), per;

	if (!attach_haspool())
		return 1;
	if (want < POOL_MIN)
		want = POOL_MIN;
	if (want > POOL_MAX)
		want = POOL_MAX;
	per = 2 * libbpf_num_possible_cpus() * n;
	return (want + per - 1) / per;
}

static int
multi_link(struct attach_links *kl, int progfd, unsigned int type,
    unsigned int flags, const struct attach_func *km, size_t n)
{
	int returns = type == TRACE_KPROBE_SESSION || flags != 0, fd;
	size_t i, all = n * (returns ? multi_copies(n) : 1);
	uint64_t *addrs = calloc(all, sizeof(*addrs));
	uint64_t *cookies = calloc(all, sizeof(*cookies));
	int error = ENOMEM;

	if (addrs == NULL || cookies == NULL)
		goto out;
	for (i = 0; i < all; i++) {
		addrs[i] = km[i % n].af_addr;
		cookies[i] = km[i % n].af_cookie;
	}
	fd = multi_create(progfd, type, flags, all, addrs, cookies);
	if (fd < 0 && all > n) /* with the pool that the kernel makes */
		fd = multi_create(progfd, type, flags, n, addrs, cookies);
	error = fd < 0 ? -fd : attach_links_add(kl, fd);
out:
	free(addrs);
	free(cookies);
	return error;
}

static int
multi_attach(struct attach_links *kl, int progfd, enum attach_kind which,
    const struct attach_func *km, size_t n)
{
	if (ATTACH_WHERE(which) == ATTACH_SESSION)
		return multi_link(kl, progfd, TRACE_KPROBE_SESSION, 0, km, n);
	return multi_link(kl, progfd, TRACE_KPROBE_MULTI,
	    ATTACH_WHERE(which) == ATTACH_RETURN ? F_KPROBE_MULTI_RETURN : 0,
	    km, n);
}

/*
 * Perf events
 */

static const char *
perf_lacks(void)
{
	return access(KPROBE_PMU, F_OK) == 0
	    ? NULL
	    : "this kernel has no kprobes (CONFIG_KPROBES)";
}

static int
perf_attach(struct attach_links *kl, int progfd, enum attach_kind which,
    const struct attach_func *km, size_t n)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd, link;

	if (n != 1)
		return EINVAL;
	fd = perf_event_kprobe(NULL, km->af_addr,
	    ATTACH_WHERE(which) == ATTACH_RETURN);
	if (fd < 0)
		return -fd;
	kl->al_nkret += ATTACH_WHERE(which) == ATTACH_RETURN;
	opts.perf_event.bpf_cookie = km->af_cookie;
	link = bpf_link_create(progfd, fd, BPF_PERF_EVENT, &opts);
	close(fd); /* the link keeps the event alive */
	return link < 0 ? -link : attach_links_add(kl, link);
}

/*
 * fentry and fexit
 */

static atomic_int fentry_broken; /* the kernel has no trampolines */
static _Atomic(const struct attach_loader *) fentry_loader;

void
attach_set_loader(const struct attach_loader *ka)
{
	atomic_store(&fentry_loader, ka);
}

void
attach_unload(uint32_t slots)
{
	const struct attach_loader *ka = atomic_load(&fentry_loader);

	if (slots != 0 && ka != NULL)
		ka->ald_unload(slots);
}

static const char *
fentry_lacks(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0
	    ? NULL
	    : "this kernel does not report its types (CONFIG_DEBUG_INFO_BTF)";
}

/* Ignores progfd, since fentry needs one program per function. */
static int
fentry_attach(struct attach_links *kl, int progfd __attribute__((unused)),
    enum attach_kind which, const struct attach_func *km, size_t n)
{
	const struct attach_loader *ka = atomic_load(&fentry_loader);
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .tracing.cookie = km->af_cookie);
	unsigned int slot;
	int prog, link;

	if (n != 1 || ATTACH_WHERE(which) == ATTACH_SESSION)
		return EINVAL;
	if (atomic_load(&fentry_broken) || ka == NULL)
		return EOPNOTSUPP;
	if ((prog = ka->ald_load(which, km->af_btfid, &slot)) < 0)
		return -prog;
	link = bpf_link_create(prog, 0,
	    ATTACH_WHERE(which) == ATTACH_ENTRY ? BPF_TRACE_FENTRY
						: BPF_TRACE_FEXIT,
	    &opts);
	close(prog);
	if (link == -ENOTSUP || link == -524) /* the kernel's own ENOTSUPP */
		atomic_store(&fentry_broken, 1);
	if (link < 0) {
		ka->ald_unload(1U << slot);
		return -link;
	}
	kl->al_slots |= 1U << slot;
	return attach_links_add(kl, link);
}

/*
 * The table
 */

static const struct attach_method methods[] = {
	{ .am_name = "fentry",
	    .am_what = "fexit, a program for each function",
	    .am_where = ATTACH_BIT(ATTACH_RETURN),
	    .am_piece = 1,
	    .am_few = 8,
	    .am_fewpool = KFENTRY_MAX,
	    .am_missing = fentry_lacks,
	    .am_attach = fentry_attach },
	{ .am_name = "session",
	    .am_what = "kprobe.multi, entry and return in one session",
	    .am_where = ATTACH_ANY,
	    .am_type = TRACE_KPROBE_MULTI,
	    .am_session = TRACE_KPROBE_SESSION,
	    .am_piece = 512,
	    .am_missing = session_lacks,
	    .am_attach = multi_attach },
	{ .am_name = "multi",
	    .am_what = "kprobe.multi",
	    .am_where = ATTACH_EITHER,
	    .am_type = TRACE_KPROBE_MULTI,
	    .am_piece = 512,
	    .am_missing = multi_lacks,
	    .am_attach = multi_attach },
	{ .am_name = "fentry",
	    .am_what = "fentry and fexit, a program for each function",
	    .am_where = ATTACH_EITHER,
	    .am_piece = 1,
	    .am_few = 8,
	    .am_missing = fentry_lacks,
	    .am_attach = fentry_attach },
	{ .am_name = "perf",
	    .am_what = "a perf event for each function",
	    .am_where = ATTACH_EITHER,
	    .am_piece = 1,
	    .am_missing = perf_lacks,
	    .am_attach = perf_attach },
};

#define NMETHODS (sizeof(methods) / sizeof(methods[0]))

const struct attach_method *
attach_named(const char *name)
{
	size_t i;

	for (i = 0; i < NMETHODS; i++)
		if (strcmp(methods[i].am_name, name) == 0)
			return &methods[i];
	return NULL;
}

static const char *lacks[NMETHODS]; /* by methods_try, then constant */

static void
methods_try(void)
{
	size_t i;

	for (i = 0; i < NMETHODS; i++)
		lacks[i] = methods[i].am_missing();
}

static int
is_for(const struct attach_method *km, size_t nprobes)
{
	const struct attach_method *multi = attach_named("multi");

	if (km->am_few == 0 || nprobes <= km->am_few)
		return 1;
	return nprobes <= km->am_fewpool &&
	    (lacks[multi - methods] != NULL || attach_haspool());
}

/*
 * Returns whether the method may attach this kind of program. isnamed: the
 * configuration names a method.
 */
static int
method_isallowed(const struct attach_method *km, enum attach_kind which,
    size_t nprobes, int isnamed)
{
	if ((km->am_where & ATTACH_BIT(ATTACH_WHERE(which))) == 0)
		return 0;
	if (isnamed)
		return strcmp(km->am_name, conf.cf_kprobeattach) == 0;
	return is_for(km, nprobes);
}

const struct attach_method *
attach_method(enum attach_kind which, size_t nprobes, const char **why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int isnamed = strcmp(conf.cf_kprobeattach, "auto") != 0;
	size_t i;

	pthread_once(&once, methods_try);
	*why = isnamed ? "kprobe-attach does not allow it" : NULL;
	for (i = 0; i < NMETHODS; i++) {
		if (!method_isallowed(&methods[i], which, nprobes, isnamed))
			continue;
		if (lacks[i] == NULL)
			return &methods[i];
		*why = lacks[i]; /* the last of these reasons */
	}
	return NULL;
}

int
attach_funcs(const struct attach_method *km, struct attach_links *kl,
    int progfd, enum attach_kind which, const struct attach_func *list,
    size_t n, const atomic_int *cancel, size_t *nth)
{
	size_t i, piece;
	int error;

	for (i = 0; i < n; i += piece) {
		if (atomic_load(cancel))
			return ECANCELED;
		piece = n - i < km->am_piece ? n - i : km->am_piece;
		error = km->am_attach(kl, progfd, which, list + i, piece);
		if (error != 0) {
			*nth = i;
			return error;
		}
	}
	return 0;
}

/* Returns the misses of a program that one link uses, or -1. */
static int64_t
prog_missed(uint32_t id)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id), error;

	if (fd < 0)
		return -1;
	memset(&info, 0, sizeof(info));
	error = bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	return error != 0 ? -1 : (int64_t)info.recursion_misses;
}

static int64_t
link_missed(int fd)
{
	struct link_info li;
	uint32_t len = sizeof(li);

	memset(&li, 0, sizeof(li));
	if (bpf_obj_get_info_by_fd(fd, &li, &len) != 0)
		return -1;
	if (li.li_type == LINK_TRACING)
		return prog_missed(li.li_progid);
	if (len < LINK_INFO_MISSED)
		return -1;
	if (li.li_type == LINK_MULTI)
		return li.li_multi.missed;
	return li.li_type == LINK_PERF_EVENT ? (int64_t)li.li_perf.missed : -1;
}

int64_t
attach_missed(const struct attach_links *kl)
{
	int64_t sum = 0, n;
	size_t i;

	for (i = 0; i < kl->al_n; i++) {
		if ((n = link_missed(kl->al_fds[i])) == -1)
			return -1;
		sum += n;
	}
	return sum;
}
