/* SPDX-License-Identifier: ISC */
/*
 * Decides what a line of a machine is, and prints those that are not merged.
 * dt there has escaped its lines; they are escaped again, since a machine may
 * run another program.  The output of a command is printed as ssh(1) would.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/esc.h"
#include "cli/hosts/merge.h"
#include "cli/out/out_wire.h"

#define MERGE_MAXTABLES 16 /* of a machine that waits for others */

/* Selects the buffer of the next line, after what is in another one. */
static struct buf *
merge_to(struct merge *mg, struct buf *b)
{
	if (mg->mrg_last != b && mg->mrg_last != NULL)
		buf_flush(mg->mrg_last);
	mg->mrg_last = b;
	return b;
}

static void
merge_prefix(const struct merge *mg, struct buf *b, const struct host *ho)
{
	size_t from = b->b_len;

	esc_str(b, ho->hst_name);
	buf_c(b, ':');
	buf_pad(b, from, mg->mrg_width + 1);
	buf_c(b, ' ');
}

/* Prints "dt: NAME: text" for messages of dt, and "NAME: text" for others. */
static void
merge_put_message(struct buf *b, const struct host *ho, const char *text,
    size_t len)
{
	static const char head[] = "dt: ";
	const size_t n = strlen(head);
	int isdt = len >= n && memcmp(text, head, n) == 0;

	if (isdt)
		buf_str(b, head);
	esc_str(b, ho->hst_name);
	buf_str(b, ": ");
	if (isdt)
		esc_text(b, text + n, len - n);
	else
		buf_mem(b, text, len);
	buf_c(b, '\n');
}

/* Returns whether an answer of a machine waits to be printed. */
static int
merge_iswaiting(const struct merge_host *mh)
{
	return mh->mho_ntables > 0 || mh->mho_hasanswer;
}

/* A message that follows an answer waits until that is printed. */
static void
merge_message(struct merge *mg, const struct host *ho, const char *text,
    size_t len)
{
	struct merge_host *mh = &mg->mrg_each[ho->hst_i];

	merge_put_message(merge_iswaiting(mh) ? &mh->mho_held
					      : merge_to(mg, &mg->mrg_stderr),
	    ho, text, len);
}

/* An object of JSON gets the machine as its first member. */
static void
merge_json(struct merge *mg, const struct host *ho, const char *line,
    size_t len)
{
	struct buf *b = merge_to(mg, &mg->mrg_out.out_buf);

	buf_str(b, "{\"host\":\"");
	esc_json(b, ho->hst_name, strlen(ho->hst_name));
	buf_str(b, len > 2 ? "\"," : "\"");
	esc_text(b, line + 1, len - 1);
	buf_c(b, '\n');
	buf_line(b);
}

static void
merge_text(struct merge *mg, const struct host *ho, const char *line,
    size_t len)
{
	struct buf *b = merge_to(mg, &mg->mrg_out.out_buf);

	merge_prefix(mg, b, ho);
	esc_text(b, line, len);
	buf_c(b, '\n');
	buf_line(b);
}

static void
merge_stdout(struct merge *mg, const struct host *ho, const char *line,
    size_t len)
{
	struct buf *b = merge_to(mg, &mg->mrg_stdout);

	merge_prefix(mg, b, ho);
	buf_mem(b, line, len);
	buf_c(b, '\n');
	buf_line(b);
}

static void
merge_result(struct merge *mg, struct host *ho, char *line, size_t len)
{
	const struct merge_host *mh = &mg->mrg_each[ho->hst_i];
	int n;

	if (*line == '{') {
		merge_json(mg, ho, line, len);
		return;
	}
	if (*line == WIRE_TEXT) {
		merge_text(mg, ho, line + 1, len - 1);
		return;
	}
	n = *line == WIRE_PROFILE || mh->mho_profile != NULL
	    ? merge_stacks_line(mg, ho, line, len)
	    : merge_table_line(mg, ho, line, len);
	if (n == -1)
		host_stop(ho, "sent a malformed result");
}

void
merge_line(void *arg, struct host *ho, enum host_line kind, char *line,
    size_t len)
{
	struct merge *mg = arg;

	switch (kind) {
	case HOST_RESULT:
		merge_result(mg, ho, line, len);
		break;
	case HOST_STDOUT:
		merge_stdout(mg, ho, line, len);
		break;
	default:
		merge_message(mg, ho, line, len);
	}
}

int
merge_ispaused(const struct merge *mg, const struct host *ho)
{
	return mg->mrg_each[ho->hst_i].mho_ntables >= MERGE_MAXTABLES;
}

void
merge_begin(struct merge *mg, const struct opts *opts, struct host *hosts,
    unsigned int n)
{
	unsigned int i;

	memset(mg, 0, sizeof(*mg));
	mg->mrg_opts = opts;
	mg->mrg_hosts = hosts;
	mg->mrg_n = n;
	if ((mg->mrg_each = calloc(n, sizeof(*mg->mrg_each))) == NULL)
		err(1, NULL);
	for (i = 0; i < n; i++) {
		if (strlen(hosts[i].hst_name) > mg->mrg_width)
			mg->mrg_width = strlen(hosts[i].hst_name);
		buf_init(&mg->mrg_each[i].mho_held, -1);
	}
	buf_init(&mg->mrg_stdout, STDOUT_FILENO);
	buf_init(&mg->mrg_stderr, STDERR_FILENO);
	out_open(&mg->mrg_out, opts, NULL);
	/* the other formats write the file when they have all */
	if (mg->mrg_out.out_format == &out_text ||
	    mg->mrg_out.out_format == &out_json)
		out_file_begin(&mg->mrg_out, &mg->mrg_sink);
}

/* Prints the messages that have followed the tables of machines. */
static void
merge_release(struct merge *mg)
{
	struct merge_host *mh;
	unsigned int i;

	for (i = 0; i < mg->mrg_n; i++) {
		mh = &mg->mrg_each[i];
		if (merge_iswaiting(mh) || mh->mho_held.b_len == 0)
			continue;
		buf_mem(merge_to(mg, &mg->mrg_stderr), mh->mho_held.b_data,
		    mh->mho_held.b_len);
		mh->mho_held.b_len = 0;
	}
}

/* Flushes.  Returns 0, or the errno of a failure. */
static int
merge_flush(struct merge *mg)
{
	struct buf *const bufs[] = { &mg->mrg_out.out_buf, &mg->mrg_stdout,
		&mg->mrg_stderr };
	int error = 0;
	unsigned int i;

	(void)merge_to(mg, NULL);
	for (i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++) {
		buf_flush(bufs[i]);
		if (bufs[i]->b_error != 0)
			error = bufs[i]->b_error;
	}
	return error;
}

int
merge_print(struct merge *mg)
{
	while (merge_tables_due(mg) && merge_tables_print(mg))
		merge_release(mg);
	return merge_flush(mg) == 0 ? 0 : -1;
}

int
merge_end(struct merge *mg)
{
	const struct out *out = &mg->mrg_out;
	int error, fileerror = 0;
	unsigned int i;

	while (merge_tables_print(mg))
		merge_release(mg);
	(void)merge_to(mg, &mg->mrg_out.out_buf);
	merge_stacks_print(mg);
	for (i = 0; i < mg->mrg_n; i++)
		mg->mrg_each[i].mho_hasanswer = 0;
	merge_release(mg);
	error = merge_flush(mg);
	if (out->out_format == &out_text || out->out_format == &out_json)
		fileerror = out_file_end(&mg->mrg_out, &mg->mrg_sink);
	if (fileerror != 0)
		error = fileerror;
	merge_tables_free(mg);
	for (i = 0; i < mg->mrg_n; i++)
		buf_free(&mg->mrg_each[i].mho_held);
	free(mg->mrg_each);
	buf_free(&mg->mrg_stdout);
	buf_free(&mg->mrg_stderr);
	(void)out_close(&mg->mrg_out);
	return error;
}
