/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the file of dt kcov --diff: blocks with places, from any source.
 *
 * A file that was read must be readable again when written, with the same
 * places.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kcov/kcov.h"
#include "cli/out/out_json.h"
#include "cli/out/out_text.h"
#include "tests/fuzz/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct file {
	uint8_t *data;
	size_t len, pos;
};

static ssize_t
file_read(void *arg, void *buf, size_t nbytes)
{
	struct file *f = arg;

	if (nbytes > f->len - f->pos)
		nbytes = f->len - f->pos;
	if (nbytes > 0)
		memcpy(buf, f->data + f->pos, nbytes);
	f->pos += nbytes;
	return nbytes;
}

static int
file_writev(void *arg, const struct iovec *iov, int niov)
{
	struct file *f = arg;
	int i;

	for (i = 0; i < niov; i++) {
		f->data = realloc(f->data, f->len + iov[i].iov_len + 1);
		if (f->data == NULL)
			abort();
		if (iov[i].iov_len > 0)
			memcpy(f->data + f->len, iov[i].iov_base,
			    iov[i].iov_len);
		f->len += iov[i].iov_len;
	}
	return 0;
}

/* Reads a file; isours: it must be valid. */
static void
fuzz_read(struct kcov_places *kp, struct out_kcov *ok, struct file *f,
    int isours)
{
	struct block_reader *r = block_reader_alloc(file_read, f);
	struct block_item it;
	const char *bad = NULL;

	if (r == NULL)
		abort();
	while (bad == NULL && block_next(r, &it) == 1)
		bad = kcov_file_item(kp, ok, &it);
	if (isours && (bad != NULL || block_damage(r) != NULL))
		abort();
	block_reader_free(r);
}

/* Writes what was read, and reads that. */
static void
fuzz_again(struct kcov_places *kp, struct out_kcov *ok)
{
	struct kcov_places again = { 0 };
	struct out_kcov same = { 0 };
	struct file f = { NULL, 0, 0 };
	struct block_writer *w = block_writer_alloc(file_writev, &f);
	size_t i;

	if (w == NULL || kcov_file_put(w, kp, ok) == -1)
		abort();
	block_writer_free(w);
	fuzz_read(&again, &same, &f, 1);
	if (again.kpl_n != kp->kpl_n || same.ok_read != ok->ok_read)
		abort();
	for (i = 0; i < kp->kpl_n; i++)
		if (again.kpl_list[i].oa_count != kp->kpl_list[i].oa_count ||
		    strcmp(again.kpl_list[i].oa_func,
			kp->kpl_list[i].oa_func) != 0)
			abort();
	kcov_places_free(&again);
	free(f.data);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct kcov_places kp = { 0 };
	struct opts opts = { 0 };
	struct out out = { .out_opts = &opts };
	struct out_kcov ok = { 0 };
	struct file f = { malloc(len + 1), len, 0 };

	if (f.data == NULL)
		return 0;
	if (len > 0)
		memcpy(f.data, data, len);
	mend(f.data, len);
	fuzz_read(&kp, &ok, &f, 0);
	free(f.data);
	fuzz_again(&kp, &ok);
	ok.ok_places = kp.kpl_list;
	ok.ok_n = kp.kpl_n;
	buf_init(&out.out_buf, -1);
	json_kcov(&out, &ok);
	text_kcov(&out, &ok);
	kcov_places_free(&kp);
	buf_free(&out.out_buf);
	return 0;
}
