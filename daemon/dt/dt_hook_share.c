/* SPDX-License-Identifier: ISC */
/*
 * Attaches the programs of hooks that all sessions share: with the first
 * session that uses a hook and records, until the last one stops. Attaching
 * soon after a detach takes the kernel up to 30 ms, so this runs on workers,
 * with one lock per hook.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <bpf/bpf.h>

#include "daemon/base/log.h"
#include "daemon/base/spawn_lock.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_hook_share.h"

#define DT_HOOK_NPROG 32 /* programs of a hook */

static struct {
	pthread_mutex_t mtx;
	int prog;		/* set before it is used, if isours */
	int fds[DT_HOOK_NPROG]; /* of all programs; by mtx */
	unsigned int nfd;	/* by mtx */
	int link;		/* by mtx; 0: not attached */
	unsigned int nuser;	/* by mtx */
	int isours;		/* [I] attached here; otherwise by its
				   * provider */
	const char *name;	/* [I] for reports of cost */
	atomic_int uncounted;
} hooks[DT_NHOOK] = {
	[DT_HOOK_SYS_ENTRY] = { .mtx = PTHREAD_MUTEX_INITIALIZER,
	    .isours = 1,
	    .name = "syscall-entry" },
	[DT_HOOK_SYS_RETURN] = { .mtx = PTHREAD_MUTEX_INITIALIZER,
	    .isours = 1,
	    .name = "syscall-return" },
	[DT_HOOK_SYS_ENTRY_TABLES] = { .mtx = PTHREAD_MUTEX_INITIALIZER,
	    .isours = 1,
	    .name = "syscall-entry-tables" },
	[DT_HOOK_SYS_RETURN_TABLES] = { .mtx = PTHREAD_MUTEX_INITIALIZER,
	    .isours = 1,
	    .name = "syscall-return-tables" },
	[DT_HOOK_FORK] = { .mtx = PTHREAD_MUTEX_INITIALIZER,
	    .isours = 1,
	    .name = "fork" },
	[DT_HOOK_EXEC] = { .mtx = PTHREAD_MUTEX_INITIALIZER,
	    .isours = 1,
	    .name = "exec" },
	[DT_HOOK_FREE] = { .mtx = PTHREAD_MUTEX_INITIALIZER,
	    .isours = 1,
	    .name = "free" },
	[DT_HOOK_TRACEPOINT] = { .mtx = PTHREAD_MUTEX_INITIALIZER,
	    .name = "tracepoint" },
};

const char *
dt_hook_name(enum dt_hook h)
{
	return hooks[h].name;
}

void
dt_hook_set_prog(enum dt_hook h, int fd)
{
	hooks[h].prog = fd;
	dt_hook_add_prog(h, fd);
}

void
dt_hook_add_prog(enum dt_hook h, int fd)
{
	pthread_mutex_lock(&hooks[h].mtx);
	if (hooks[h].nfd < DT_HOOK_NPROG)
		hooks[h].fds[hooks[h].nfd++] = fd;
	pthread_mutex_unlock(&hooks[h].mtx);
	dt_cost_watch(fd, NULL, 1U << h);
}

void
dt_hook_set_uncounted(enum dt_hook h)
{
	atomic_store(&hooks[h].uncounted, 1);
}

int
dt_hook_get(unsigned int *bits, enum dt_hook h)
{
	int error = 0, fd;

	if (*bits & (1U << h))
		return 0;
	pthread_mutex_lock(&hooks[h].mtx);
	if (hooks[h].isours && hooks[h].link == 0) {
		fd = bpf_link_create(hooks[h].prog, 0, BPF_TRACE_RAW_TP, NULL);
		if (fd < 0)
			error = -fd;
		else
			hooks[h].link = fd;
	}
	if (error == 0) {
		hooks[h].nuser++;
		*bits |= 1U << h;
	}
	pthread_mutex_unlock(&hooks[h].mtx);
	return error;
}

void
dt_hook_put(unsigned int bits)
{
	unsigned int h;

	for (h = 0; h < DT_NHOOK; h++) {
		if ((bits & (1U << h)) == 0)
			continue;
		pthread_mutex_lock(&hooks[h].mtx);
		if (--hooks[h].nuser == 0) {
			if (hooks[h].isours)
				spawn_lock_close(hooks[h].link);
			hooks[h].link = 0;
		}
		pthread_mutex_unlock(&hooks[h].mtx);
	}
}

int64_t
dt_hook_missed(enum dt_hook h)
{
	struct bpf_prog_info info;
	int64_t missed = 0;
	unsigned int i;
	uint32_t len;

	if (atomic_load(&hooks[h].uncounted))
		return -1;
	pthread_mutex_lock(&hooks[h].mtx);
	for (i = 0; i < hooks[h].nfd && missed >= 0; i++) {
		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (bpf_obj_get_info_by_fd(hooks[h].fds[i], &info, &len) != 0)
			missed = -1;
		else
			missed += info.recursion_misses;
	}
	pthread_mutex_unlock(&hooks[h].mtx);
	return missed;
}
