/* SPDX-License-Identifier: ISC */
/* Runs close(2) on a detached thread per call. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/close_async.h"
#include "daemon/base/log.h"
#include "daemon/base/workers.h"

#define CLOSE_ASYNC_STACK (128UL << 10) /* bytes: the minimum of arm64 */

struct close_job {
	struct work *cj_work;
	int cj_nfds;
	int cj_fds[];
};

static void
close_async_nothing(struct work *w __attribute__((unused)))
{
}

static void
close_async_run(const int *fds, int nfds, struct work *w)
{
	while (nfds > 0)
		close(fds[--nfds]);
	if (w == NULL)
		return;
	w->w_run = close_async_nothing;
	workers_submit(w);
}

static void *
close_async_thread(void *arg)
{
	struct close_job *cl = arg;

	close_async_run(cl->cj_fds, cl->cj_nfds, cl->cj_work);
	free(cl);
	return NULL;
}

static int
close_async_start(struct close_job *cl)
{
	pthread_attr_t attr;
	pthread_t t;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, CLOSE_ASYNC_STACK);
	error = pthread_create(&t, &attr, close_async_thread, cl);
	pthread_attr_destroy(&attr);
	return error;
}

void
close_async(const int *fds, int nfds, struct work *w)
{
	struct close_job *cl;

	cl = malloc(sizeof(*cl) + nfds * sizeof(*fds));
	if (cl != NULL) {
		cl->cj_work = w;
		cl->cj_nfds = nfds;
		memcpy(cl->cj_fds, fds, nfds * sizeof(*fds));
		if (close_async_start(cl) == 0)
			return;
		free(cl);
	}
	log_warnx("no thread to close a client's descriptors");
	close_async_run(fds, nfds, w);
}
