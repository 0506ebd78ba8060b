/* SPDX-License-Identifier: ISC */
/*
 * The view of files: the kernel counts reads and writes by process and
 * descriptor.  Names are looked up for the rows that are shown.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/top/top.h"

#define FILES_MAXNAMES 10000 /* that are kept: dt top may run for months */

enum files_side {
	FILES_READ,
	FILES_WRITE,
};

static const struct {
	const char *name;
	enum files_side side;
} files_calls[] = {
	{ "read", FILES_READ },
	{ "pread64", FILES_READ },
	{ "readv", FILES_READ },
	{ "preadv", FILES_READ },
	{ "preadv2", FILES_READ },
	{ "write", FILES_WRITE },
	{ "pwrite64", FILES_WRITE },
	{ "writev", FILES_WRITE },
	{ "pwritev", FILES_WRITE },
	{ "pwritev2", FILES_WRITE },
};

/*
 * The identity of a row.  Processes that have exited, whose descriptors have no
 * names any more, are one row per name and number.
 */
struct files_key {
	uint32_t fik_pid; /* 0: exited ones of this name */
	uint32_t fik_fd;
	char fik_comm[TOP_TAG]; /* "" unless exited */
};

/* Calls and bytes of a descriptor since the last reading. */
struct files_sum {
	struct files_key fis_key;
	char fis_comm[TOP_TAG];
	double fis_calls[2], fis_bytes[2];
};

struct files_reading {
	struct top_run *fir_top;
	struct hash fir_sums; /* struct files_key -> struct files_sum */
};

static void
files_open(struct top_run *tp)
{
	const struct dt_opd keys[] = { top_opd(DT_OPD_PROBE),
		top_opd(DT_OPD_PID), top_opd(DT_OPD_ARG),
		top_opd(DT_OPD_COMM) };
	struct top_session *ts = &tp->top_session;
	char pattern[2 * DTNAMESIZE];
	unsigned int i;

	if ((tp->top_state = calloc(1, sizeof(struct hash))) == NULL)
		err(1, NULL);
	top_session_open(ts, tp->top_opts, &top_scope(tp)->tsc_filter, 0);
	for (i = 0; i < sizeof(files_calls) / sizeof(files_calls[0]); i++) {
		snprintf(pattern, sizeof(pattern), "syscall:%s",
		    files_calls[i].name);
		top_session_calls(ts, pattern, files_calls[i].side, keys, 4,
		    DT_OPD_RETVAL);
	}
	top_session_start(ts);
}

static void
files_close(struct top_run *tp)
{
	hash_free(tp->top_state);
	free(tp->top_state);
}

static struct files_key
files_key(const struct top_count *tc)
{
	struct files_key key = { .fik_pid = tc->tcn_words[1],
		.fik_fd = tc->tcn_words[2] };

	if (kill(key.fik_pid, 0) == -1 && errno == ESRCH) {
		key.fik_pid = 0;
		memcpy(key.fik_comm, &tc->tcn_words[3], TOP_TAG - 1);
	}
	return key;
}

static void
files_count(void *arg, const struct top_count *tc)
{
	struct files_reading *fr = arg;
	const struct top_call *tl =
	    dt_hash_ptr(&fr->fir_top->top_session.tos_calls, tc->tcn_words[0]);
	struct files_key key = files_key(tc);
	struct hash_entry *e = hash_get(&fr->fir_sums, &key, sizeof(key));
	struct files_sum *fs = e->he_ptr;

	if (tl == NULL)
		return;
	if (fs == NULL && (e->he_ptr = fs = calloc(1, sizeof(*fs))) == NULL)
		err(1, NULL);
	fs->fis_key = key;
	memcpy(fs->fis_comm, &tc->tcn_words[3], TOP_TAG - 1);
	fs->fis_calls[tl->tcl_arg] += tc->tcn_count;
	fs->fis_bytes[tl->tcl_arg] += tc->tcn_sum;
}

/* The last known name of a descriptor, or its number. */
static void
files_name(const struct top_run *tp, const struct files_key *k, char *name,
    size_t size)
{
	uint32_t key[2] = { k->fik_pid, k->fik_fd };
	const struct hash_entry *e = hash_find(tp->top_state, key, sizeof(key));

	if (e != NULL && e->he_ptr != NULL)
		snprintf(name, size, "%s", (const char *)e->he_ptr);
	else
		snprintf(name, size, "descriptor %u%s", k->fik_fd,
		    k->fik_pid == 0 ? " (exited)" : "");
}

static void
files_read(struct top_run *tp, double secs)
{
	struct files_reading fr = { .fir_top = tp };
	const struct files_sum *fs;
	struct hash_entry **list;
	char name[4096];
	struct top_row *r;
	size_t i;

	if (((struct hash *)tp->top_state)->ha_n > FILES_MAXNAMES)
		hash_free(tp->top_state);
	top_session_snapshot(&tp->top_session, files_count, &fr);
	list = hash_sorted(&fr.fir_sums);
	for (i = 0; i < fr.fir_sums.ha_n; i++) {
		if ((fs = list[i]->he_ptr) == NULL)
			continue;
		files_name(tp, &fs->fis_key, name, sizeof(name));
		r = top_add(tp, name);
		r->tow_pid = fs->fis_key.fik_pid;
		r->tow_id = fs->fis_key.fik_fd + UINT64_C(1);
		memcpy(r->tow_tags[0], fs->fis_comm, TOP_TAG);
		r->tow_nums[0] = fs->fis_calls[FILES_READ] / secs;
		r->tow_nums[1] = fs->fis_calls[FILES_WRITE] / secs;
		r->tow_nums[2] = fs->fis_bytes[FILES_READ] / secs;
		r->tow_nums[3] = fs->fis_bytes[FILES_WRITE] / secs;
		r->tow_nums[4] = r->tow_nums[2] + r->tow_nums[3];
	}
	free(list);
	hash_free(&fr.fir_sums);
}

/* A number may be another file by now, so each reading looks it up. */
static void
files_detail(struct top_run *tp, struct top_row *r)
{
	uint32_t key[2] = { r->tow_pid, r->tow_id - 1 };
	struct hash_entry *e;
	char link[64], path[4096];
	ssize_t n;

	if (r->tow_pid == 0)
		return;
	snprintf(link, sizeof(link), "/proc/%u/fd/%u", key[0], key[1]);
	if ((n = readlink(link, path, sizeof(path) - 1)) == -1)
		return;
	path[n] = '\0';
	e = hash_get(tp->top_state, key, sizeof(key));
	free(e->he_ptr);
	free(r->tow_name);
	if ((e->he_ptr = strdup(path)) == NULL ||
	    (r->tow_name = strdup(path)) == NULL)
		err(1, NULL);
}

const struct top_view top_files = {
	.tov_name = "files",
	.tov_key = '5',
	.tov_what = "files, pipes and sockets that are read and written",
	.tov_label = "FILE",
	.tov_columns = {
	    { "PID", TOP_PID, 0, 7 },
	    { "PROCESS", TOP_TEXT, 0, 10 },
	    { "READS/s", TOP_NUMBER, 0, 7 },
	    { "WRITES/s", TOP_NUMBER, 1, 8 },
	    { "READ/s", TOP_BYTES, 2, 6 },
	    { "WRITE/s", TOP_BYTES, 3, 7 },
	    { "BYTES/s", TOP_BYTES, 4, 7 },
	},
	.tov_sort = 6,
	.tov_open = files_open,
	.tov_close = files_close,
	.tov_read = files_read,
	.tov_detail = files_detail,
	.tov_enter = top_enter_process,
};
