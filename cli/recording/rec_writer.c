/* SPDX-License-Identifier: ISC */
/*
 * Writes a recording (dt record -o).  block.h defines the format, and
 * file_sink.c writes the files; this file decides when to write.  Records and
 * the symbols that their stacks need are written together, when a block is
 * full, or after FILE_KEEP at the latest, so that a crash loses little.
 *
 * Each file is self-contained.  So the next one (--rotate) starts with all data
 * that precedes records, and symbols are written again.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/dtfile/block.h"

#include "cli/base/file_sink.h"
#include "cli/recording/rec_symbols_write.h"
#include "cli/recording/recorder.h"
#include "cli/sym/name_cache.h"
#include "cli/sym/stack.h"
#include "common/clock.h"

#define FILE_KEEP 1 /* seconds for which records may be kept in memory */

/* The end of a file: BLOCK_STOP, BLOCK_LEDGER */
#define FILE_TAIL \
	(2 * sizeof(struct block_hdr) + sizeof(struct block_stop) + \
	    sizeof(struct dt_ledger))

struct rec_writer {
	struct file_sink fi_sink;
	struct block_writer *fi_writer;
	int64_t fi_start; /* CLOCK_REALTIME, ns */
	uint32_t fi_part; /* index of the file */
	int64_t fi_clock; /* last clock written */
	int fi_hasclock;
	const struct probe **fi_probes; /* enabled probes */
	size_t fi_nprobes, fi_maxprobes;
	struct hash fi_cgroups; /* id -> path */
	struct hash fi_named;	/* addresses whose symbols were written */
	uint64_t *fi_pcs;	/* addresses to be resolved */
	size_t fi_npcs, fi_maxpcs;
	struct rec_symbols_write *fi_user; /* of processes */
	int fi_hasuser;			   /* a collected record has a user
					   * stack */
	time_t fi_flushed;		   /* CLOCK_MONOTONIC, s */
	uint64_t fi_waiting;		   /* events collected, not yet
					   * written */
	uint64_t fi_written;		   /* events in the file */
	uint64_t fi_last;		   /* events of the last write */
	uint64_t fi_unwritten; /* events after the end of the file */
	uint32_t fi_why;       /* BLOCK_STOP_*: writing has ended */
	int fi_errno;	       /* errno of the failed write */
	int fi_isended;
	int fi_isagain; /* a new file starts: keep what is collected */
};

static int
rec_writer_write(void *arg, const struct iovec *iov, int niov)
{
	struct rec_writer *f = arg;

	if (file_sink_write(&f->fi_sink, iov, niov) == 0)
		return 0;
	f->fi_errno = errno;
	return -1;
}

static void
rec_writer_head(struct rec_writer *f)
{
	struct block_head head;

	block_head_init(&head);
	head.bf_start = f->fi_start;
	head.bf_part = f->fi_part;
	block_head(f->fi_writer, &head);
}

static void
rec_writer_begin(struct recorder *rcd)
{
	const struct opts *o = rcd->rcd_opts;
	struct timespec ts;
	struct rec_writer *f;

	if ((f = calloc(1, sizeof(*f))) == NULL)
		err(1, NULL);
	file_sink_open(&f->fi_sink, o->o_file.ofi_name, o->o_file.ofi_n,
	    o->o_file.ofi_max, &rcd->rcd_buf);
	rcd->rcd_priv = f;
	f->fi_user = rec_symbols_write_alloc(rcd->rcd_names,
	    o->o_file.ofi_embed);
	if ((f->fi_writer = block_writer_alloc(rec_writer_write, f)) == NULL)
		err(1, NULL);
	clock_gettime(CLOCK_REALTIME, &ts);
	f->fi_start = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	rec_writer_head(f);
	if (block_end(f->fi_writer, NULL, NULL) == -1) {
		file_sink_forget(&f->fi_sink);
		errx(1, "%s: %s", o->o_file.ofi_name, strerror(f->fi_errno));
	}
}

static void
rec_writer_probe(struct rec_writer *f, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	struct block_probe pb = {
		.pb_pbn = pd->pd_info.dtpi_pbn,
		.pb_nargs = pd->pd_info.dtpi_nargs,
		.pb_flags = pd->pd_info.dtpi_flags,
		.pb_prov = pd->pd_info.dtpi_prov,
		.pb_func = pd->pd_info.dtpi_func,
		.pb_name = pd->pd_info.dtpi_name,
	};
	unsigned int i;

	for (i = 0; i < DT_REC_NARGS; i++) {
		pb.pb_args[i].type = pd->pd_types[i].dtai_argtype;
		pb.pb_args[i].name = pd->pd_names[i].dtan_name;
		pb.pb_args[i].flags = pd->pd_names[i].dtan_flags;
	}
	block_probe(f->fi_writer, &pb);
}

static void
rec_writer_enabled(struct recorder *rcd, const struct probe *pr)
{
	struct rec_writer *f = rcd->rcd_priv;

	if (f->fi_nprobes == f->fi_maxprobes) {
		f->fi_maxprobes = f->fi_maxprobes ? f->fi_maxprobes * 2 : 256;
		f->fi_probes = realloc(f->fi_probes,
		    f->fi_maxprobes * sizeof(*f->fi_probes));
		if (f->fi_probes == NULL)
			err(1, "probes");
	}
	f->fi_probes[f->fi_nprobes++] = pr;
	rec_writer_probe(f, pr);
}

/* Collects the addresses of a stack that have no symbol in the file yet. */
static void
rec_writer_note(struct rec_writer *f, const struct dt_rec_stack *st)
{
	const uint64_t *pcs;
	struct hash_entry *e;
	unsigned int i;
	uint64_t pc;

	if (st == NULL)
		return;
	pcs = DT_STACK_PCS(st);
	for (i = 0; i < st->drs_count; i++) {
		pc = stack_pc(pcs, i);
		e = hash_get(&f->fi_named, &pc, sizeof(pc));
		if (e->he_count++ > 0)
			continue;
		if (f->fi_npcs == f->fi_maxpcs) {
			f->fi_maxpcs = f->fi_maxpcs ? f->fi_maxpcs * 2 : 256;
			f->fi_pcs = realloc(f->fi_pcs,
			    f->fi_maxpcs * sizeof(*f->fi_pcs));
			if (f->fi_pcs == NULL)
				err(1, "names");
		}
		f->fi_pcs[f->fi_npcs++] = pc;
	}
}

/* Resolves the collected addresses, before the records that need them. */
static void
rec_writer_name(struct recorder *rcd)
{
	struct rec_writer *f = rcd->rcd_priv;
	const char *name;
	uint64_t off;
	size_t i;

	name_cache_prefetch(rcd->rcd_names, f->fi_pcs, f->fi_npcs);
	for (i = 0; i < f->fi_npcs; i++) {
		name = name_cache_ksym(rcd->rcd_names, f->fi_pcs[i], &off);
		if (name != NULL)
			block_ksym(f->fi_writer, f->fi_pcs[i], name, off);
	}
	f->fi_npcs = 0;
	if (f->fi_hasuser)
		rec_symbols_write(f->fi_user, f->fi_writer);
	f->fi_hasuser = 0;
}

/* Ends writing, except for the last blocks. */
static void
rec_writer_stop(struct recorder *rcd, uint32_t why)
{
	struct rec_writer *f = rcd->rcd_priv;

	f->fi_why = why;
	f->fi_unwritten += f->fi_waiting;
	f->fi_waiting = 0;
	block_discard(f->fi_writer);
	rcd->rcd_isfull = 1;
	if (why == BLOCK_STOP_ERROR)
		rcd->rcd_buf.b_error = f->fi_errno;
}

/* Collects the addresses of a record again, which moves to the next file. */
static void
rec_writer_renote(void *arg, const struct dt_rec *rec)
{
	struct recorder *rcd = arg;
	const struct probe *pr = name_cache_probe(rcd->rcd_names, rec->dr_pbn);
	struct dt_event ev;

	if (pr != NULL &&
	    dt_decode(rec, rec->dr_length, pr->pr_desc.pd_info.dtpi_nargs,
		&ev) == 0)
		rec_writer_note(rcd->rcd_priv, ev.ev_kstack);
}

/* Writes everything that precedes records. */
static void
rec_writer_again(struct recorder *rcd)
{
	struct rec_writer *f = rcd->rcd_priv;
	struct hash_entry **list = hash_sorted(&f->fi_cgroups);
	size_t i;

	for (i = 0; i < f->fi_cgroups.ha_n; i++)
		block_cgroup(f->fi_writer, list[i]->he_key[0], list[i]->he_ptr);
	free(list);
	f->fi_isagain = 1;
	if (rcd->rcd_calls != NULL)
		procs_each(calls_procs(rcd->rcd_calls), recorder_path, rcd);
	f->fi_isagain = 0;
	hash_clear(&f->fi_named);
	f->fi_npcs = 0;
	rec_symbols_write_again(f->fi_user);
	f->fi_hasuser = 1;
	block_each(f->fi_writer, rec_writer_renote, rcd);
	rec_writer_name(rcd);
}

/* Writes the head of the next file.  Returns 0 or -1. */
static int
rec_writer_next(struct rec_writer *f)
{
	size_t i;

	if (file_sink_next(&f->fi_sink) == -1) {
		f->fi_errno = errno;
		return -1;
	}
	f->fi_part++;
	rec_writer_head(f);
	for (i = 0; i < f->fi_nprobes; i++)
		rec_writer_probe(f, f->fi_probes[i]);
	if (f->fi_hasclock)
		block_clock(f->fi_writer, f->fi_clock);
	return block_end(f->fi_writer, NULL, NULL);
}

/*
 * Continues in the next file, with the collected records.  The previous file
 * ends once the next one has its start: on a full disk it stays the last one.
 */
static int
rec_writer_turn(struct recorder *rcd)
{
	struct rec_writer *f = rcd->rcd_priv;
	struct block_stop stop = {
		.bs_why = BLOCK_STOP_NEXT,
		.bs_written = f->fi_written,
	};
	uint32_t part = f->fi_part;
	int r;

	if ((r = rec_writer_next(f)) == 0) {
		file_sink_swap(&f->fi_sink);
		r = block_end(f->fi_writer, &stop, NULL);
		file_sink_swap(&f->fi_sink);
	}
	if (r == 0 && (r = file_sink_turn(&f->fi_sink)) == -1)
		f->fi_errno = errno;
	if (r == -1) {
		if (f->fi_sink.sk_nextfd != -1) {
			file_sink_swap(&f->fi_sink);
			file_sink_drop(&f->fi_sink);
		}
		f->fi_part = part;
		rec_writer_stop(rcd, BLOCK_STOP_ERROR);
		return -1;
	}
	f->fi_written = f->fi_last = 0;
	rec_writer_again(rcd);
	return 0;
}

/*
 * Returns whether the collected blocks may be written to this file or the next
 * one.
 */
static int
rec_writer_room(struct recorder *rcd)
{
	struct rec_writer *f = rcd->rcd_priv;

	if (file_sink_fits(&f->fi_sink,
		block_pending(f->fi_writer) + FILE_TAIL))
		return 1;
	if (rcd->rcd_opts->o_file.ofi_n == 0) {
		rec_writer_stop(rcd, BLOCK_STOP_SIZE);
		return 0;
	}
	/* too much for an empty file is too much for the next one, too */
	return f->fi_written == 0 || rec_writer_turn(rcd) == 0;
}

/* Writes symbols, then records. */
static void
rec_writer_put(struct recorder *rcd)
{
	struct rec_writer *f = rcd->rcd_priv;
	uint64_t before;

	if (f->fi_why != 0) {
		f->fi_unwritten += f->fi_waiting;
		f->fi_waiting = 0;
		block_discard(f->fi_writer);
		return;
	}
	rec_writer_name(rcd);
	block_pass(f->fi_writer,
	    rcd->rcd_lowwater != NULL ? rcd->rcd_lowwater(rcd->rcd_source) : 0);
	if (!rec_writer_room(rcd))
		return;
	before = f->fi_sink.sk_size;
	if (block_flush(f->fi_writer) == -1) {
		rec_writer_stop(rcd, BLOCK_STOP_ERROR);
		return;
	}
	f->fi_written += f->fi_waiting;
	if (f->fi_sink.sk_size != before)
		f->fi_last = f->fi_waiting;
	f->fi_waiting = 0;
	f->fi_flushed = clock_secs();
}

/* Entries and returns are separate events; dt report joins them. */
static void
rec_writer_event(struct recorder *rcd, const struct dt_event *ev)
{
	struct rec_writer *f = rcd->rcd_priv;
	int64_t clock = ev->ev_realtime.tv_sec * INT64_C(1000000000) +
	    ev->ev_realtime.tv_nsec - (int64_t)ev->ev_rec->dr_time;

	if (__builtin_expect(!f->fi_hasclock || clock != f->fi_clock, 0)) {
		rec_writer_put(rcd);
		block_clock(f->fi_writer, clock);
		f->fi_clock = clock;
		f->fi_hasclock = 1;
	}
	if (__builtin_expect(block_full(f->fi_writer, ev->ev_rec->dr_length),
		0))
		rec_writer_put(rcd);
	if (ev->ev_kstack != NULL)
		rec_writer_note(f, ev->ev_kstack);
	if (ev->ev_ustack != NULL)
		f->fi_hasuser = 1;
	block_record(f->fi_writer, ev->ev_cpu, ev->ev_rec);
	f->fi_waiting++;
}

static void
rec_writer_path(struct recorder *rcd, uint32_t pid, int fd, const char *path)
{
	struct rec_writer *f = rcd->rcd_priv;

	/* earlier records have other descriptors */
	if (f->fi_waiting > 0 && !f->fi_isagain)
		rec_writer_put(rcd);
	block_file(f->fi_writer, pid, fd, path);
}

/* The id of a cgroup is never reused. */
static void
rec_writer_cgroup(struct recorder *rcd, uint64_t id, const char *path)
{
	struct rec_writer *f = rcd->rcd_priv;
	struct hash_entry *e = hash_get(&f->fi_cgroups, &id, sizeof(id));

	if (e->he_ptr != NULL)
		return;
	if ((e->he_ptr = strdup(path)) == NULL)
		err(1, "cgroups");
	block_cgroup(f->fi_writer, id, path);
}

static int
rec_writer_flush(struct recorder *rcd, int urgent)
{
	struct rec_writer *f = rcd->rcd_priv;

	if (block_pending(f->fi_writer) == 0)
		return 0;
	if (!urgent && clock_secs() < f->fi_flushed + FILE_KEEP)
		return 1;
	rec_writer_put(rcd);
	return 0;
}

/*
 * The end
 */

/*
 * Writes the last blocks.  On a full disk without space for them, removes the
 * last records.
 */
static void
rec_writer_tail(struct rec_writer *f, struct block_stop *stop,
    const struct dt_ledger *ledger)
{
	if (block_end(f->fi_writer, stop, ledger) == 0 ||
	    file_sink_undo(&f->fi_sink) == -1)
		return;
	block_discard(f->fi_writer);
	stop->bs_written -= f->fi_last;
	stop->bs_unwritten += f->fi_last;
	f->fi_unwritten += f->fi_last;
	block_end(f->fi_writer, stop, ledger);
}

static void
rec_writer_tell_stop(const struct recorder *rcd, const struct block_stop *stop)
{
	const struct rec_writer *f = rcd->rcd_priv;
	const char *name = f->fi_sink.sk_name;
	char rest[96] = "";

	if (stop->bs_unwritten > 0)
		snprintf(rest, sizeof(rest),
		    "; %llu later events were not written",
		    (unsigned long long)stop->bs_unwritten);
	if (stop->bs_why == BLOCK_STOP_ERROR)
		warnx("%s: %s; the first %llu bytes can be read%s", name,
		    strerror(f->fi_errno),
		    (unsigned long long)f->fi_sink.sk_size, rest);
	else
		warnx("%s is full: it has %.1f of %.1f MB%s, so the "
		      "recording ended%s",
		    name, f->fi_sink.sk_size / 1048576.0,
		    f->fi_sink.sk_max / 1048576.0,
		    rcd->rcd_opts->o_file.ofi_max != 0
			? " (--max-size)"
			: ", a tenth of the free space (--max-size changes "
			  "it)",
		    rest);
}

/* Prints how many files were written, and which of them were kept. */
static void
rec_writer_tell_parts(const struct recorder *rcd)
{
	const struct rec_writer *f = rcd->rcd_priv;
	const char *name = f->fi_sink.sk_name;
	unsigned int n = f->fi_part + 1, keep = rcd->rcd_opts->o_file.ofi_n;

	if (n > keep)
		warnx("%u files were written, of which the newest %u remain: "
		      "%s.%u to %s.1, then %s",
		    n, keep, name, keep - 1, name, name);
	else
		warnx("%u files were written: %s.%u to %s.1, then %s", n, name,
		    n - 1, name, name);
}

static void
rec_writer_end(struct recorder *rcd, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct rec_writer *f = rcd->rcd_priv;
	struct block_stop stop;

	f->fi_isended = 1;
	rec_writer_put(rcd);
	stop = (struct block_stop){
		.bs_why = f->fi_why,
		.bs_errno = f->fi_why == BLOCK_STOP_ERROR ? f->fi_errno : 0,
		.bs_written = f->fi_written,
		.bs_unwritten = f->fi_unwritten,
	};
	if (f->fi_why == 0) {
		if (block_end(f->fi_writer, NULL, ledger) == 0)
			goto told;
		rec_writer_stop(rcd, BLOCK_STOP_ERROR);
		stop.bs_why = f->fi_why;
		stop.bs_errno = f->fi_errno;
	}
	/* events that the session read, but did not pass on */
	if (ledger != NULL && ledger->dl_read > lr->lr_shown)
		stop.bs_unwritten += ledger->dl_read - lr->lr_shown;
	rec_writer_tail(f, &stop, ledger);
	rcd->rcd_unwritten = f->fi_unwritten;
	if (f->fi_errno != EPIPE && !rcd->rcd_isreported)
		rec_writer_tell_stop(rcd, &stop);
	rcd->rcd_isreported = 1;
told:
	if (f->fi_part > 0)
		rec_writer_tell_parts(rcd);
}

/* A late error of close(2) (a full disk on an NFS server) counts as well. */
static void
rec_writer_free(struct recorder *rcd)
{
	struct rec_writer *f = rcd->rcd_priv;
	int error;

	if (!f->fi_isended)
		rec_writer_end(rcd, NULL, NULL); /* the daemon has exited */
	if ((error = file_sink_close(&f->fi_sink)) != 0 &&
	    rcd->rcd_buf.b_error == 0)
		rcd->rcd_buf.b_error = error;
	block_writer_free(f->fi_writer);
	hash_free(&f->fi_cgroups);
	hash_clear(&f->fi_named);
	rec_symbols_write_free(f->fi_user);
	free(f->fi_probes);
	free(f->fi_pcs);
	free(f);
	rcd->rcd_priv = NULL;
}

const struct recorder_kind recorder_file = {
	.rki_begin = rec_writer_begin,
	.rki_enabled = rec_writer_enabled,
	.rki_event = rec_writer_event,
	.rki_file = rec_writer_path,
	.rki_cgroup = rec_writer_cgroup,
	.rki_flush = rec_writer_flush,
	.rki_ledger = rec_writer_end,
	.rki_free = rec_writer_free,
};
