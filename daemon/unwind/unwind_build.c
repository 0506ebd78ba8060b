/* SPDX-License-Identifier: ISC */
/*
 * Has symbolizers build the tables of pages.  Pages of a file that a user's
 * processes miss together are one request.  The user, who can make a symbolizer
 * take long, has only one thread at a time; root has two.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/queue.h>

#include "daemon/base/clock.h"
#include "daemon/sym/symbolizer.h"
#include "daemon/unwind/slab.h"
#include "daemon/unwind/unwind_files.h"
#include "daemon/unwind/unwind_impl.h"
#include "daemon/unwind/unwind_pages.h"

#define BUILD_PAGES  32	   /* of a request */
#define BUILD_ROOT   2	   /* threads for root */
#define BUILD_MSECS  15000 /* longer than a file may take */
#define BUILD_NOBODY 65534 /* person that stands for unknown users of files */

/* Pages of a file that processes of a user miss. */
struct build {
	TAILQ_ENTRY(build) bld_entry;
	struct mapped_file *bld_file; /* held; NULL: without pages */
	uint32_t bld_nth;	      /* number of the file */
	uid_t bld_uid;		      /* -1: unknown */
	uint32_t bld_n;
	uint64_t bld_pages[BUILD_PAGES];
};

static TAILQ_HEAD(builds, build) queue = TAILQ_HEAD_INITIALIZER(queue);
static struct builds running = TAILQ_HEAD_INITIALIZER(running);

/* Returns the request of a user and file that can take another page. */
static struct build *
build_get(uint32_t file, uid_t uid)
{
	struct build *bl;

	TAILQ_FOREACH(bl, &queue, bld_entry)
		if (bl->bld_nth == file && bl->bld_uid == uid &&
		    bl->bld_n < BUILD_PAGES)
			return bl;
	if ((bl = calloc(1, sizeof(*bl))) == NULL)
		return NULL;
	if ((bl->bld_file = unwind_files_get(file)) == NULL) {
		free(bl);
		return NULL;
	}
	bl->bld_nth = file;
	bl->bld_uid = uid;
	TAILQ_INSERT_TAIL(&queue, bl, bld_entry);
	return bl;
}

void
unwind_build_add(const struct unwind_pagekey *uk, uid_t uid)
{
	struct build *bl = build_get(uk->uk_file, uid);

	if (bl == NULL) {
		unwind_pages_none(uk, 1);
		return;
	}
	bl->bld_pages[bl->bld_n++] = uk->uk_page;
	pthread_cond_signal(&unwind_build_cond);
}

void
unwind_build_begin(uid_t uid)
{
	struct build *bl = calloc(1, sizeof(*bl));

	if (bl == NULL)
		return;
	bl->bld_uid = uid;
	TAILQ_INSERT_TAIL(&queue, bl, bld_entry);
	pthread_cond_signal(&unwind_build_cond);
}

static void
build_free(struct build *bl)
{
	if (bl->bld_file != NULL)
		mapped_file_release(bl->bld_file);
	free(bl);
}

void
unwind_build_clear(void)
{
	struct build *bl;

	while ((bl = TAILQ_FIRST(&queue)) != NULL) {
		TAILQ_REMOVE(&queue, bl, bld_entry);
		build_free(bl);
	}
}

static struct unwind_pagekey
key_of(const struct build *bl, uint32_t i)
{
	return (struct unwind_pagekey){ bl->bld_nth, bl->bld_pages[i] };
}

/* Stores a table that has arrived. */
static void
build_table(void *arg, uint32_t page, const void *table, uint32_t nrows,
    uint32_t nrules)
{
	struct unwind_pagekey uk = key_of(arg, page);
	int error = ENOSPC, tries = 0;

	pthread_mutex_lock(&unwind_mtx);
	if (nrows == 0)
		unwind_pages_none(&uk, 0);
	else {
		do
			error = unwind_pages_ready(&uk, table, nrows, nrules);
		while (error == ENOSPC && tries++ < 2 && unwind_reclaim() == 0);
		if (error != 0)
			unwind_pages_full(&uk);
	}
	pthread_mutex_unlock(&unwind_mtx);
}

static int
page_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
build_run(struct build *bl)
{
	struct table_buf tb = { .tbf_fn = build_table, .tbf_arg = bl };
	uint64_t begun = clock_monotonic();
	struct unwind_pagekey uk;
	int error;

	symbolizer_begin(BUILD_MSECS,
	    bl->bld_uid == (uid_t)-1 ? BUILD_NOBODY : bl->bld_uid);
	if (bl->bld_file == NULL) {
		symbolizer_start();
		return;
	}
	qsort(bl->bld_pages, bl->bld_n, sizeof(bl->bld_pages[0]), page_compare);
	error = symbolizer_tables(bl->bld_file, bl->bld_pages, bl->bld_n, &tb);
	table_buf_free(&tb);
	pthread_mutex_lock(&unwind_mtx);
	for (; error != 0 && tb.tbf_page < bl->bld_n; tb.tbf_page++) {
		uk = key_of(bl, tb.tbf_page);
		unwind_pages_none(&uk,
		    error == ECHILD || mapped_file_ispassing(error));
	}
	unwind_buildnsecs += clock_monotonic() - begun;
	pthread_mutex_unlock(&unwind_mtx);
}

/* Returns the next request of a user who may use another thread, or NULL. */
static struct build *
build_next(void)
{
	struct build *bl, *other;
	unsigned int n;

	TAILQ_FOREACH(bl, &queue, bld_entry) {
		n = 0;
		TAILQ_FOREACH(other, &running, bld_entry)
			n += other->bld_uid == bl->bld_uid;
		if (n < (bl->bld_uid == 0 ? BUILD_ROOT : 1))
			return bl;
	}
	return NULL;
}

void *
unwind_build_thread(void *arg __attribute__((unused)))
{
	struct build *bl;

	prctl(PR_SET_NAME, "dtd-unwind");
	pthread_mutex_lock(&unwind_mtx);
	while (!unwind_isending) {
		if ((bl = build_next()) == NULL) {
			pthread_cond_wait(&unwind_build_cond, &unwind_mtx);
			continue;
		}
		TAILQ_REMOVE(&queue, bl, bld_entry);
		TAILQ_INSERT_TAIL(&running, bl, bld_entry);
		unwind_nbusy++;
		pthread_mutex_unlock(&unwind_mtx);
		build_run(bl);
		pthread_mutex_lock(&unwind_mtx);
		unwind_nbusy--;
		TAILQ_REMOVE(&running, bl, bld_entry);
		build_free(bl);
		pthread_cond_signal(&unwind_copy_cond);
	}
	pthread_mutex_unlock(&unwind_mtx);
	return NULL;
}
