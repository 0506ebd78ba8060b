/* SPDX-License-Identifier: ISC */
/*
 * Ways of attaching to functions, see dt_kattach.h.
 *
 * Single kprobes take the kernel some 10 ms to attach and 75 ms to detach
 * each (6.1), kprobe.multi as much for hundreds at once.  So links are let go
 * of by a thread that does nothing else; who ends meanwhile leaves them to a
 * process that only has to exit.
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

#include "conf.h"
#include "dt_kattach.h"
#include "log.h"
#include "perf_event.h"

#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/type"

/* Newer than the headers of 6.1. */
#define TRACE_KPROBE_MULTI    42
#define TRACE_KPROBE_SESSION  56
#define F_KPROBE_MULTI_RETURN 1

/* Bytes of bpf_link_info that tell what was missed, as 6.7 has them. */
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

#define LINK_INFO_MISSED 56 /* so long it is where it tells that, or longer */
#define LINK_PERF_EVENT	 7  /* BPF_LINK_TYPE_* */
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

/* libbpf of before sessions refuses to ask for one.  A descriptor, or an
 * errno, negative. */
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

/* A list of functions that cannot be read: EFAULT where it is looked at. */
static const char *
multi_try(unsigned int type, const char *why)
{
	int prog, link;

	if ((prog = multi_prog(type)) < 0)
		return prog == -EPERM ? "no right to load BPF programs" : why;
	link = multi_create(prog, type, 0, 1, (const void *)1, NULL);
	close(prog);
	if (link >= 0)
		close(link);
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

static int
links_add(struct klinks *kl, int fd)
{
	size_t max = kl->kl_max == 0 ? 8 : 2 * kl->kl_max;
	int *fds;

	if (kl->kl_n == kl->kl_max) {
		if ((fds = realloc(kl->kl_fds, max * sizeof(*fds))) == NULL) {
			close(fd);
			return ENOMEM;
		}
		kl->kl_fds = fds;
		kl->kl_max = max;
	}
	kl->kl_fds[kl->kl_n++] = fd;
	return 0;
}

static int
multi_link(struct klinks *kl, int progfd, unsigned int type, unsigned int flags,
    const struct kmember *km, size_t n)
{
	uint64_t *addrs = calloc(n, sizeof(*addrs));
	uint64_t *cookies = calloc(n, sizeof(*cookies));
	int error = ENOMEM, fd;
	size_t i;

	if (addrs == NULL || cookies == NULL)
		goto out;
	for (i = 0; i < n; i++) {
		addrs[i] = km[i].km_addr;
		cookies[i] = km[i].km_cookie;
	}
	fd = multi_create(progfd, type, flags, n, addrs, cookies);
	error = fd < 0 ? -fd : links_add(kl, fd);
out:
	free(addrs);
	free(cookies);
	return error;
}

static int
multi_attach(struct klinks *kl, int progfd, enum kattach_prog which,
    const struct kmember *km, size_t n)
{
	if (which == KATTACH_SESSION)
		return multi_link(kl, progfd, TRACE_KPROBE_SESSION, 0, km, n);
	return multi_link(kl, progfd, TRACE_KPROBE_MULTI,
	    which == KATTACH_RETURN ? F_KPROBE_MULTI_RETURN : 0, km, n);
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
perf_attach(struct klinks *kl, int progfd, enum kattach_prog which,
    const struct kmember *km, size_t n)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd, link;

	if (n != 1)
		return EINVAL;
	fd = perf_event_kprobe(NULL, km->km_addr, which == KATTACH_RETURN);
	if (fd < 0)
		return -fd;
	opts.perf_event.bpf_cookie = km->km_cookie;
	link = bpf_link_create(progfd, fd, BPF_PERF_EVENT, &opts);
	close(fd); /* the link keeps the event alive */
	return link < 0 ? -link : links_add(kl, link);
}

/*
 * The table
 */

static const struct kmethod methods[] = {
	{ .km_name = "session",
	    .km_what = "kprobe.multi, entry and return in one session",
	    .km_type = TRACE_KPROBE_MULTI,
	    .km_session = TRACE_KPROBE_SESSION,
	    .km_piece = 512,
	    .km_lacks = session_lacks,
	    .km_attach = multi_attach },
	{ .km_name = "multi",
	    .km_what = "kprobe.multi",
	    .km_type = TRACE_KPROBE_MULTI,
	    .km_piece = 512,
	    .km_lacks = multi_lacks,
	    .km_attach = multi_attach },
	{ .km_name = "perf",
	    .km_what = "a perf event for each function",
	    .km_piece = 1,
	    .km_lacks = perf_lacks,
	    .km_attach = perf_attach },
};

#define NMETHODS (sizeof(methods) / sizeof(methods[0]))

static const struct kmethod *method; /* by method_choose, then constant */
static const char *method_why;

const struct kmethod *
kattach_named(const char *name)
{
	size_t i;

	for (i = 0; i < NMETHODS; i++)
		if (strcmp(methods[i].km_name, name) == 0)
			return &methods[i];
	return NULL;
}

static void
method_choose(void)
{
	const struct kmethod *only = kattach_named(conf.cf_kprobeattach);
	const char *lacks;
	size_t i;

	if (only != NULL)
		method_why = "kprobe-attach says so";
	for (i = 0; i < NMETHODS && method == NULL; i++) {
		if (only != NULL && only != &methods[i])
			continue;
		if ((lacks = methods[i].km_lacks()) == NULL)
			method = &methods[i];
		else /* the next best, for the last of these reasons */
			method_why = lacks;
	}
}

const struct kmethod *
kattach_method(const char **why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, method_choose);
	*why = method_why;
	return method;
}

int
kattach(const struct kmethod *km, struct klinks *kl, int progfd,
    enum kattach_prog which, const struct kmember *list, size_t n,
    const atomic_int *cancel, size_t *nth)
{
	size_t i, piece;
	int error;

	for (i = 0; i < n; i += piece) {
		if (atomic_load(cancel))
			return ECANCELED;
		piece = n - i < km->km_piece ? n - i : km->km_piece;
		error = km->km_attach(kl, progfd, which, list + i, piece);
		if (error != 0) {
			*nth = i;
			return error;
		}
	}
	return 0;
}

static int64_t
link_missed(int fd)
{
	struct link_info li;
	uint32_t len = sizeof(li);

	memset(&li, 0, sizeof(li));
	if (bpf_obj_get_info_by_fd(fd, &li, &len) != 0 ||
	    len < LINK_INFO_MISSED)
		return -1;
	if (li.li_type == LINK_MULTI)
		return li.li_multi.missed;
	return li.li_type == LINK_PERF_EVENT ? (int64_t)li.li_perf.missed : -1;
}

int64_t
kattach_missed(const struct klinks *kl)
{
	int64_t sum = 0, n;
	size_t i;

	for (i = 0; i < kl->kl_n; i++) {
		if ((n = link_missed(kl->kl_fds[i])) == -1)
			return -1;
		sum += n;
	}
	return sum;
}

/*
 * Letting go
 */

static pthread_mutex_t release_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t release_cond = PTHREAD_COND_INITIALIZER;
static struct klinks released; /* by release_mtx: what waits */
static int releasing;	       /* by release_mtx: the thread is there */

static void *
release_run(void *arg __attribute__((unused)))
{
	int fd;

	pthread_mutex_lock(&release_mtx);
	while (released.kl_n > 0) {
		fd = released.kl_fds[--released.kl_n];
		pthread_mutex_unlock(&release_mtx);
		close(fd);
		pthread_mutex_lock(&release_mtx);
	}
	free(released.kl_fds);
	memset(&released, 0, sizeof(released));
	releasing = 0;
	pthread_cond_broadcast(&release_cond);
	pthread_mutex_unlock(&release_mtx);
	return NULL;
}

/* Under release_mtx. */
static int
release_start(void)
{
	pthread_attr_t attr;
	pthread_t t;
	int error;

	if (releasing)
		return 0;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&t, &attr, release_run, NULL);
	pthread_attr_destroy(&attr);
	releasing = error == 0;
	return error;
}

void
kattach_release(struct klinks *kl)
{
	size_t i;

	pthread_mutex_lock(&release_mtx);
	for (i = 0; i < kl->kl_n; i++)
		(void)links_add(&released, kl->kl_fds[i]);
	i = released.kl_n > 0 && release_start() != 0;
	pthread_mutex_unlock(&release_mtx);
	if (i) /* no thread: here, then */
		(void)release_run(NULL);
	free(kl->kl_fds);
	memset(kl, 0, sizeof(*kl));
}

/* The kernel closes for a process that has ended whatever it had open. */
static void
release_leave(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return;
	(void)setsid();
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	_exit(0);
}

void
kattach_fini(int detached)
{
	pthread_mutex_lock(&release_mtx);
	if (detached && releasing)
		release_leave();
	else
		while (releasing)
			pthread_cond_wait(&release_cond, &release_mtx);
	pthread_mutex_unlock(&release_mtx);
}
