/* SPDX-License-Identifier: ISC */
/*
 * Writes the places of a run as a recording (dt kcov -o), and reads them for
 * --diff and for dt report.  block_read.c checks the structure of a file, which
 * is untrusted; this file checks the places.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/file_sink.h"
#include "cli/kcov/kcov.h"

#define FILE_MAXROWS 1000000
#define FILE_MAXTYPE (KCOV_CMP_SIZE(3) | KCOV_CMP_CONST)

/* Writing */

static void
file_put_place(struct block_writer *w, const struct out_place *oa)
{
	const struct block_place pl = {
		.bl_hdr = {
			.bpl_count = oa->oa_count,
			.bpl_first = oa->oa_first,
			.bpl_offset = oa->oa_offset,
			.bpl_arg1 = oa->oa_arg1,
			.bpl_arg2 = oa->oa_arg2,
			.bpl_line = oa->oa_line,
			.bpl_iscmp = oa->oa_iscmp != 0,
			.bpl_type = oa->oa_type,
		},
		.bl_func = oa->oa_func,
		.bl_module = oa->oa_module != NULL ? oa->oa_module : "",
		.bl_srcfile = oa->oa_file != NULL ? oa->oa_file : "",
	};

	block_place(w, &pl);
}

int
kcov_file_put(struct block_writer *w, const struct kcov_places *kp,
    const struct out_kcov *ok)
{
	const struct block_kcov kc = {
		.bkc_read = ok->ok_read,
		.bkc_nothers = ok->ok_nothers,
		.bkc_nfull = ok->ok_nfull,
		.bkc_recorded = ok->ok_stat.ks_recorded,
		.bkc_dropped = ok->ok_stat.ks_dropped,
		.bkc_interrupt = ok->ok_stat.ks_interrupt,
		.bkc_missed = ok->ok_stat.ks_missed,
		.bkc_stopped = ok->ok_stat.ks_stopped,
		.bkc_flags = (ok->ok_iscmp ? BLOCK_KCOV_CMP : 0) |
		    (ok->ok_isuser ? BLOCK_KCOV_USER : 0) |
		    (ok->ok_islate ? BLOCK_KCOV_LATE : 0) |
		    (ok->ok_hasexited ? BLOCK_KCOV_GONE : 0),
	};
	struct block_head head;
	size_t i;

	block_head_init(&head);
	block_head(w, &head);
	for (i = 0; i < kp->kpl_n; i++)
		if (kp->kpl_list[i].oa_count > 0)
			file_put_place(w, &kp->kpl_list[i]);
	(void)block_flush(w);
	return block_end_kcov(w, &kc);
}

static int
file_write(void *arg, const struct iovec *iov, int niov)
{
	return file_sink_write(arg, iov, niov);
}

int
kcov_file_write(const char *name, const struct kcov_places *kp,
    const struct out_kcov *ok)
{
	struct block_writer *w;
	struct file_sink sink;
	struct buf buf;
	int error = 0, closed;

	file_sink_open(&sink, name, 0, UINT64_MAX, &buf);
	if ((w = block_writer_alloc(file_write, &sink)) == NULL)
		err(1, NULL);
	if (kcov_file_put(w, kp, ok) == -1)
		error = errno;
	block_writer_free(w);
	closed = file_sink_close(&sink);
	buf_free(&buf);
	return error != 0 ? error : closed;
}

/* Reading */

static const char *
file_place(struct kcov_places *kp, const struct block_place *pl)
{
	const struct block_place_hdr *h = &pl->bl_hdr;
	struct out_place *oa,
	    name = {
		    .oa_func = pl->bl_func,
		    .oa_module = *pl->bl_module != '\0' ? pl->bl_module : NULL,
		    .oa_file = *pl->bl_srcfile != '\0' ? pl->bl_srcfile : NULL,
		    .oa_line = *pl->bl_srcfile != '\0' ? h->bpl_line : 0,
		    .oa_offset = h->bpl_offset,
		    .oa_iscmp = h->bpl_iscmp != 0,
	    };

	if (*pl->bl_func == '\0' || strlen(pl->bl_func) > BLOCK_MAXPATH ||
	    strlen(pl->bl_module) > BLOCK_MAXPATH ||
	    strlen(pl->bl_srcfile) > BLOCK_MAXPATH || h->bpl_count == 0 ||
	    h->bpl_count > INT64_MAX || h->bpl_type > FILE_MAXTYPE)
		return "a place of kcov is invalid";
	if (name.oa_iscmp) {
		name.oa_type = h->bpl_type;
		name.oa_arg1 = h->bpl_arg1;
		name.oa_arg2 = h->bpl_arg2;
	}
	if (kp->kpl_n > 0 && kp->kpl_list[0].oa_iscmp != name.oa_iscmp)
		return "comparisons and functions are mixed";
	oa = kcov_place(kp, &name);
	if (h->bpl_count > INT64_MAX - oa->oa_count)
		return "a count of kcov is too large";
	oa->oa_count += h->bpl_count;
	if (oa->oa_first == 0 || h->bpl_first < oa->oa_first)
		oa->oa_first = h->bpl_first;
	return kp->kpl_n > FILE_MAXROWS ? "there are too many places" : NULL;
}

const char *
kcov_file_item(struct kcov_places *kp, struct out_kcov *ok,
    const struct block_item *it)
{
	const struct block_kcov *kc = &it->bi_kcov;

	if (it->bi_type == BLOCK_PLACE)
		return file_place(kp, &it->bi_place);
	if (it->bi_type != BLOCK_KCOV)
		return NULL;
	kp->kpl_isend = 1;
	*ok = (struct out_kcov){
		.ok_iscmp = (kc->bkc_flags & BLOCK_KCOV_CMP) != 0,
		.ok_isuser = (kc->bkc_flags & BLOCK_KCOV_USER) != 0,
		.ok_islate = (kc->bkc_flags & BLOCK_KCOV_LATE) != 0,
		.ok_hasexited = (kc->bkc_flags & BLOCK_KCOV_GONE) != 0,
		.ok_read = kc->bkc_read,
		.ok_nothers = kc->bkc_nothers,
		.ok_nfull = kc->bkc_nfull,
		.ok_stat = {
			.ks_recorded = kc->bkc_recorded,
			.ks_dropped = kc->bkc_dropped,
			.ks_interrupt = kc->bkc_interrupt,
			.ks_missed = kc->bkc_missed,
			.ks_stopped = kc->bkc_stopped,
		},
	};
	return NULL;
}

static ssize_t
file_read(void *arg, void *buf, size_t nbytes)
{
	return read(*(int *)arg, buf, nbytes);
}

void
kcov_file_read(struct kcov_places *kp, const char *name)
{
	struct block_reader *r;
	struct block_item it;
	struct out_kcov ok;
	const char *bad = NULL;
	size_t i;
	int fd;

	if ((fd = open(name, O_RDONLY | O_CLOEXEC)) == -1)
		err(1, "%s", name);
	if ((r = block_reader_alloc(file_read, &fd)) == NULL)
		err(1, NULL);
	while (bad == NULL && block_next(r, &it) == 1)
		bad = kcov_file_item(kp, &ok, &it);
	if (bad == NULL)
		bad = block_damage(r);
	if (bad == NULL && !kp->kpl_isend)
		bad = "is a recording of events";
	if (bad != NULL)
		errx(1, "%s: %s; --diff reads what dt kcov -o FILE writes",
		    name, bad);
	block_reader_free(r);
	close(fd);
	for (i = 0; i < kp->kpl_n; i++) {
		kp->kpl_list[i].oa_before = kp->kpl_list[i].oa_count;
		kp->kpl_list[i].oa_count = kp->kpl_list[i].oa_first = 0;
	}
}
