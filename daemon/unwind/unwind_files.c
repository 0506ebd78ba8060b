/* SPDX-License-Identifier: ISC */
/* Numbers files. */
#include <stdlib.h>
#include <sys/queue.h>
#include <time.h>

#include "common/clock.h"
#include "daemon/unwind/unwind_files.h"

#define LINES 1024 /* of each hash; a power of two */

struct file_entry {
	LIST_ENTRY(file_entry) fle_bynth, fle_byid;
	struct mapped_file *fle_file; /* held */
	uint32_t fle_nth;
	uint32_t fle_nmaps;
	time_t fle_idle; /* since when it has had no mapping */
};

LIST_HEAD(file_line, file_entry);

static struct file_line bynth[LINES], byid[LINES];
static uint32_t last;
static uint64_t nfiles, nidle;

static struct file_entry *
find_nth(uint32_t nth)
{
	struct file_entry *fle;

	LIST_FOREACH(fle, &bynth[nth & (LINES - 1)], fle_bynth)
		if (fle->fle_nth == nth)
			return fle;
	return NULL;
}

static struct file_entry *
add(struct mapped_file *mf)
{
	struct file_entry *fle = calloc(1, sizeof(*fle));

	if (fle == NULL)
		return NULL;
	fle->fle_file = mapped_file_hold(mf);
	fle->fle_nth = ++last;
	LIST_INSERT_HEAD(&bynth[fle->fle_nth & (LINES - 1)], fle, fle_bynth);
	LIST_INSERT_HEAD(&byid[mf->mf_id & (LINES - 1)], fle, fle_byid);
	nfiles++;
	nidle++;
	return fle;
}

uint32_t
unwind_files_map(struct mapped_file *mf)
{
	struct file_entry *fle;

	LIST_FOREACH(fle, &byid[mf->mf_id & (LINES - 1)], fle_byid)
		if (fle->fle_file->mf_id == mf->mf_id)
			break;
	if (fle == NULL && (fle = add(mf)) == NULL)
		return 0;
	if (fle->fle_file->mf_fd == -1 && mf->mf_fd != -1) {
		/* it could not be opened before */
		mapped_file_release(fle->fle_file);
		fle->fle_file = mapped_file_hold(mf);
	}
	if (fle->fle_nmaps++ == 0)
		nidle--;
	return fle->fle_nth;
}

void
unwind_files_unmap(uint32_t nth)
{
	struct file_entry *fle = find_nth(nth);

	if (fle != NULL && --fle->fle_nmaps == 0) {
		fle->fle_idle = clock_secs();
		nidle++;
	}
}

struct mapped_file *
unwind_files_get(uint32_t nth)
{
	struct file_entry *fle = find_nth(nth);

	return fle == NULL ? NULL : mapped_file_hold(fle->fle_file);
}

void
unwind_files_trim(uint64_t secs, void (*removed)(uint32_t *, size_t))
{
	time_t before = clock_secs() - (nidle > UNWIND_FILES_HELD ? 0 : secs);
	uint32_t *nths = nidle > 0 ? malloc(nidle * sizeof(*nths)) : NULL;
	struct file_entry *fle, *next;
	unsigned int i;
	size_t n = 0;

	for (i = 0; nths != NULL && i < LINES; i++)
		for (fle = LIST_FIRST(&bynth[i]); fle != NULL; fle = next) {
			next = LIST_NEXT(fle, fle_bynth);
			if (fle->fle_nmaps > 0 || fle->fle_idle > before)
				continue;
			nths[n++] = fle->fle_nth;
			LIST_REMOVE(fle, fle_bynth);
			LIST_REMOVE(fle, fle_byid);
			mapped_file_release(fle->fle_file);
			free(fle);
			nfiles--;
			nidle--;
		}
	if (n > 0)
		removed(nths, n);
	free(nths);
}

uint64_t
unwind_files_count(void)
{
	return nfiles;
}
