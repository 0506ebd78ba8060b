/* SPDX-License-Identifier: ISC */
/* Fetches the threads of a snapshot, and checks the lengths of all parts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"
#include "lib/threads.h"

_Static_assert(DTTI_PAGE >= WIRE_MAXPAYLOAD, "a page has all of a reply");

/* Returns whether a thread is within n bytes, and has the stacks it states. */
static int
thread_isvalid(struct dtioc_thread *ti, size_t n)
{
	const struct dt_rec_stack *k = &ti->dtti_kstack, *u = &ti->dtti_ustack;

	if (n < sizeof(*ti) || ti->dtti_length > n ||
	    ti->dtti_length !=
		sizeof(*ti) +
		    sizeof(uint64_t) * ((size_t)k->drs_count + u->drs_count) ||
	    k->drs_count > DT_REC_MAXFRAMES || u->drs_count > DT_REC_MAXFRAMES)
		return 0;
	ti->dtti_comm[sizeof(ti->dtti_comm) - 1] = '\0';
	ti->dtti_process[sizeof(ti->dtti_process) - 1] = '\0';
	return 1;
}

static int
threads_arevalid(uint8_t *p, size_t n)
{
	struct dtioc_thread *ti;

	for (; n > 0; n -= ti->dtti_length, p += ti->dtti_length) {
		ti = (struct dtioc_thread *)p;
		if (!thread_isvalid(ti, n))
			return 0;
	}
	return 1;
}

ssize_t
dt_threads_page(struct dt *dt, void *buf)
{
	struct wire_list *wl;
	ssize_t n = -1;
	uint8_t *reply;
	size_t len;

	if ((reply = malloc(WIRE_MAXPAYLOAD)) == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	wl = (struct wire_list *)reply;
	if (dt_ctl_call(dt, DTIOCGTHREADS, NULL, 0, reply, WIRE_MAXPAYLOAD,
		&len) == -1)
		goto out;
	if (len < sizeof(*wl) ||
	    !threads_arevalid((uint8_t *)(wl + 1), len - sizeof(*wl))) {
		dt_ctl_nonsense(dt, "a list of threads has a wrong length");
		goto out;
	}
	n = (ssize_t)(len - sizeof(*wl));
	memcpy(buf, wl + 1, (size_t)n);
out:
	free(reply);
	return n;
}
