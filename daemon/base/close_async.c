/* SPDX-License-Identifier: ISC */
/* Closing what an unprivileged client gave us, see close_async.h. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/close_async.h"
#include "daemon/base/log.h"
#include "daemon/base/workers.h"

#define CLOSER_STACK (128UL << 10) /* bytes: arm64 takes no fewer */

struct closer {
	struct work *cl_work;
	int cl_nfds;
	int cl_fds[];
};

static void
closer_nothing(struct work *w __attribute__((unused)))
{
}

static void
closer_run(const int *fds, int nfds, struct work *w)
{
	while (nfds > 0)
		close(fds[--nfds]);
	if (w == NULL)
		return;
	w->w_run = closer_nothing;
	work_submit(w);
}

static void *
closer_thread(void *arg)
{
	struct closer *cl = arg;

	closer_run(cl->cl_fds, cl->cl_nfds, cl->cl_work);
	free(cl);
	return NULL;
}

static int
closer_start(struct closer *cl)
{
	pthread_attr_t attr;
	pthread_t t;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, CLOSER_STACK);
	error = pthread_create(&t, &attr, closer_thread, cl);
	pthread_attr_destroy(&attr);
	return error;
}

void
closer_close(const int *fds, int nfds, struct work *w)
{
	struct closer *cl;

	cl = malloc(sizeof(*cl) + nfds * sizeof(*fds));
	if (cl != NULL) {
		cl->cl_work = w;
		cl->cl_nfds = nfds;
		memcpy(cl->cl_fds, fds, nfds * sizeof(*fds));
		if (closer_start(cl) == 0)
			return;
		free(cl);
	}
	log_warnx("no thread to close a client's descriptors");
	closer_run(fds, nfds, w);
}
