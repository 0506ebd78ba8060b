/* SPDX-License-Identifier: ISC */
/*
 * Keeps a process per defined metric.  A thread starts them and logs their
 * messages; a scrape requests a reply of all and then waits for all.
 */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "exporter/counter.h"
#include "exporter/defined.h"

#define DEFINED_MAX    64		     /* metrics */
#define DEFINED_ANSWER UINT64_C(2000000000)  /* ns to wait for replies */
#define DEFINED_START  UINT64_C(60000000000) /* ns to wait for a start */

/* A metric by the name of its file; sorted by that. */
struct defined {
	char *dfm_base;
	struct counter *dfm_counter; /* NULL: the file has a mistake */
};

static const char *defined_folder;
static int defined_wake; /* eventfd: the list has changed */
/* Guards the following. */
static pthread_mutex_t defined_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct defined defined_list[DEFINED_MAX];
static unsigned int ndefined;

/*
 * The thread
 */

/* Starts what is due.  Returns the time of the next start. */
static uint64_t
defined_starts(uint64_t now)
{
	uint64_t next = UINT64_MAX, at;
	struct counter *ct;
	unsigned int i;

	for (i = 0; i < ndefined; i++) {
		if ((ct = defined_list[i].dfm_counter) == NULL)
			continue;
		if (ct->ct_state == COUNTER_DOWN && now >= ct->ct_next)
			counter_start(ct);
		else if (ct->ct_state == COUNTER_STARTING &&
		    now >= ct->ct_since + DEFINED_START)
			counter_fail(ct, "dt does not start to count");
		if (ct->ct_state == COUNTER_UP)
			continue;
		at = ct->ct_state == COUNTER_DOWN
		    ? ct->ct_next
		    : ct->ct_since + DEFINED_START;
		next = at < next ? at : next;
	}
	return next;
}

/* Waits for messages, for first replies, and for the time of the next start. */
static void
defined_wait(struct pollfd *pfds, unsigned int n, uint64_t next, uint64_t now)
{
	int ms = -1;

	if (next != UINT64_MAX)
		ms = next > now ? (next - now) / 1000000 + 1 : 0;
	if (poll(pfds, n, ms) == -1 && errno != EINTR)
		err(1, "poll");
}

static unsigned int
defined_fds(struct pollfd *pfds)
{
	const struct counter *ct;
	unsigned int i, n = 0;

	pfds[n++] = (struct pollfd){ .fd = defined_wake, .events = POLLIN };
	for (i = 0; i < ndefined; i++) {
		if ((ct = defined_list[i].dfm_counter) == NULL ||
		    ct->ct_state == COUNTER_DOWN)
			continue;
		pfds[n++] = (struct pollfd){ .fd = ct->ct_err,
			.events = POLLIN };
		if (ct->ct_state == COUNTER_STARTING)
			pfds[n++] = (struct pollfd){ .fd = ct->ct_out,
				.events = POLLIN };
	}
	return n;
}

/* Reads what there is: descriptors may have changed during the wait. */
static void
defined_read(void)
{
	struct counter *ct;
	unsigned int i;

	for (i = 0; i < ndefined; i++) {
		if ((ct = defined_list[i].dfm_counter) == NULL)
			continue;
		if (ct->ct_state == COUNTER_STARTING)
			(void)counter_read(ct);
		if (ct->ct_state != COUNTER_DOWN)
			counter_messages(ct);
	}
}

static void *
defined_thread(void *arg)
{
	struct pollfd pfds[1 + 2 * DEFINED_MAX];
	uint64_t now, next, woken;
	unsigned int n;

	(void)arg;
	pthread_mutex_lock(&defined_mtx);
	for (;;) {
		now = clock_monotonic();
		next = defined_starts(now);
		n = defined_fds(pfds);
		pthread_mutex_unlock(&defined_mtx);
		defined_wait(pfds, n, next, now);
		if (pfds[0].revents != 0 &&
		    read(defined_wake, &woken, sizeof(woken)) == -1)
			err(1, "eventfd");
		pthread_mutex_lock(&defined_mtx);
		defined_read();
	}
	return NULL;
}

/*
 * The list
 */

static int
defined_isfile(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return e->d_name[0] != '.' && len > 5 &&
	    strcmp(e->d_name + len - 5, ".conf") == 0;
}

/* Moves the counter of this file out of the old list; NULL: there is none. */
static struct counter *
defined_take(struct defined *old, unsigned int n, const char *base)
{
	struct counter *ct;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (strcmp(old[i].dfm_base, base) == 0) {
			ct = old[i].dfm_counter;
			old[i].dfm_counter = NULL;
			return ct;
		}
	return NULL;
}

/* Reads a file.  ct: its counter so far, or NULL.  Returns its counter. */
static struct counter *
defined_counter(const char *name, struct counter *ct)
{
	struct metric_file *mf;
	char *path;

	if (asprintf(&path, "%s/%s", defined_folder, name) == -1)
		err(1, "metrics");
	mf = metric_file_read(path);
	free(path);
	if (mf == NULL)
		return ct;
	if (ct == NULL || !metric_file_same(mf, ct->ct_file)) {
		if (ct != NULL)
			counter_free(ct);
		return counter_alloc(mf);
	}
	metric_file_free(ct->ct_file); /* the help or lines may differ */
	ct->ct_file = mf;
	if (ct->ct_state == COUNTER_DOWN)
		ct->ct_next = 0;
	return ct;
}

/* Replaces the list by one of these files. */
static void
defined_replace(struct dirent **files, int n)
{
	struct defined old[DEFINED_MAX];
	unsigned int i, nold = ndefined;
	char *base;
	int k;

	memcpy(old, defined_list, sizeof(old));
	ndefined = 0;
	for (k = 0; k < n; k++) {
		if (ndefined == DEFINED_MAX) {
			warnx("%s/%s: more than %d files", defined_folder,
			    files[k]->d_name, DEFINED_MAX);
			break;
		}
		base = strndup(files[k]->d_name,
		    strlen(files[k]->d_name) - strlen(".conf"));
		if (base == NULL)
			err(1, "metrics");
		defined_list[ndefined++] = (struct defined){ base,
			defined_counter(files[k]->d_name,
			    defined_take(old, nold, base)) };
	}
	for (i = 0; i < nold; i++) {
		if (old[i].dfm_counter != NULL)
			counter_free(old[i].dfm_counter);
		free(old[i].dfm_base);
	}
}

void
defined_load(void)
{
	static const uint64_t one = 1;
	struct dirent **files = NULL;
	int n = scandir(defined_folder, &files, defined_isfile, alphasort);

	if (n == -1 && errno != ENOENT)
		warn("%s", defined_folder);
	pthread_mutex_lock(&defined_mtx);
	if (n != -1 || errno == ENOENT)
		defined_replace(files, n);
	pthread_mutex_unlock(&defined_mtx);
	while (n > 0)
		free(files[--n]);
	free(files);
	if (write(defined_wake, &one, sizeof(one)) == -1)
		err(1, "eventfd");
}

void
defined_start(const char *folder, const char *dt, const char *socket)
{
	pthread_t t;
	int error;

	defined_folder = folder;
	counter_init(dt, socket);
	if ((defined_wake = eventfd(0, EFD_CLOEXEC)) == -1)
		err(1, "eventfd");
	defined_load();
	if ((error = pthread_create(&t, NULL, defined_thread, NULL)) != 0)
		errx(1, "thread: %s", strerror(error));
	pthread_detach(t);
}

/*
 * The page
 */

/* Waits until each has replied.  Those that have not in time are ended. */
static void
defined_replies(struct counter **waiting, unsigned int n)
{
	uint64_t end = clock_monotonic() + DEFINED_ANSWER, now;
	struct pollfd pfds[DEFINED_MAX];
	unsigned int i, k;

	for (;;) {
		for (i = k = 0; i < n; i++)
			if (counter_read(waiting[i]) == 0)
				waiting[k++] = waiting[i];
		n = k;
		if (n == 0 || (now = clock_monotonic()) >= end)
			break;
		for (i = 0; i < n; i++)
			pfds[i] = (struct pollfd){ .fd = waiting[i]->ct_out,
				.events = POLLIN };
		if (poll(pfds, n, (end - now) / 1000000 + 1) == -1 &&
		    errno != EINTR)
			err(1, "poll");
	}
	for (i = 0; i < n; i++)
		counter_fail(waiting[i], "dt does not reply");
}

/* Prints whether hits are counted.  The name of a refused file may be any. */
static void
defined_print_up(FILE *f, const char *base, int isup)
{
	fputs("dt_defined_metric_up{name=\"", f);
	for (; *base != '\0'; base++)
		fputc(isalnum((unsigned char)*base) ||
			    strchr("_-.", *base) != NULL
			? *base
			: '?',
		    f);
	fprintf(f, "\"} %d\n", isup);
}

/* Prints a reply, which contains the type, with the help. */
static void
defined_print_one(FILE *f, const struct counter *ct)
{
	const char *s = ct->ct_file->mf_values[METRIC_HELP];
	char name[128];

	metric_file_name(ct->ct_file, name, sizeof(name));
	fprintf(f, "# HELP %s ", name);
	for (; *s != '\0'; s++) {
		if (*s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
	fprintf(f, "\n%s", ct->ct_text);
}

void
defined_print(FILE *f)
{
	struct counter *waiting[DEFINED_MAX], *ct;
	int isup[DEFINED_MAX] = { 0 };
	unsigned int i, n = 0;

	pthread_mutex_lock(&defined_mtx);
	for (i = 0; i < ndefined; i++) {
		ct = defined_list[i].dfm_counter;
		if (ct != NULL && ct->ct_state == COUNTER_UP &&
		    counter_request(ct) == 0)
			waiting[n++] = ct;
	}
	defined_replies(waiting, n);
	for (i = 0; i < ndefined; i++) {
		ct = defined_list[i].dfm_counter;
		isup[i] = ct != NULL && ct->ct_state == COUNTER_UP &&
		    ct->ct_isreply;
		if (isup[i])
			defined_print_one(f, ct);
	}
	if (ndefined > 0)
		fputs(
		    "# HELP dt_defined_metric_up 1 if hits of this metric are "
		    "counted, otherwise 0.\n"
		    "# TYPE dt_defined_metric_up gauge\n",
		    f);
	for (i = 0; i < ndefined; i++)
		defined_print_up(f, defined_list[i].dfm_base, isup[i]);
	pthread_mutex_unlock(&defined_mtx);
}
