/* SPDX-License-Identifier: ISC */
/*
 * The flight recorder (dt record --last): keeps copies of the newest records
 * in memory of bounded size, and makes a recording of them when it is asked
 * to, or at the end.
 *
 * Records stand one behind the other in chunks, with the changes between them
 * that they need: of the clock, of what a descriptor means.  The oldest chunk
 * goes when all of it is older than wanted, or when the memory is used up.
 * What the descriptors meant before the oldest chunk is collapsed to one path
 * each.
 *
 * The file is written through the format "file" (out_file.c), which alone
 * knows its form, under a name of its own, and appears by rename(2).  While
 * the recording goes on, a chunk is written now and then between the events,
 * so that none has to wait for the whole file.
 */
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"

#define FLIGHT_CHUNK   (256 << 10) /* bytes of items */
#define FLIGHT_STEP    (64 << 10)  /* bytes that come between two steps */
#define FLIGHT_MEMORY  (64 << 20)  /* without --memory */
#define FLIGHT_MAXPATH 4095	   /* as in a recording */
#define FLIGHT_KNOWN   8	   /* paths may take a part of the memory */

enum flight_kind {
	FLIGHT_RECORD, /* a struct dt_rec */
	FLIGHT_CLOCK,  /* int64_t, for the records behind it */
	FLIGHT_FILE,   /* struct flight_fd, the path with its NUL */
};

/* What stands before an item; the next one is a multiple of 8 behind it. */
struct flight_item {
	uint32_t it_nbytes; /* this header, and its content */
	uint16_t it_kind;   /* enum flight_kind */
	uint16_t it_cpu;    /* of a record */
};

struct flight_fd {
	uint32_t ff_pid;
	int32_t ff_fd;
};

struct flight_chunk {
	struct flight_chunk *fc_next; /* younger; or free */
	size_t fc_used;
	uint64_t fc_nrecs;
	uint64_t fc_newest; /* time of its youngest record */
	int64_t fc_clock;   /* at its first item */
	_Alignas(8) unsigned char fc_data[FLIGHT_CHUNK];
};

_Static_assert(sizeof(struct flight_item) == 8, "alignment of items");
_Static_assert(2 * (sizeof(struct flight_item) + UINT16_MAX) < FLIGHT_CHUNK,
    "a chunk has any record");

/* A file that is being written.  All but fs_ison is only valid if that is. */
struct flight_save {
	int fs_ison;
	struct opts fs_opts; /* of fs_out */
	struct out fs_out;   /* the format "file" */
	char *fs_name;	     /* until it is whole */
	struct flight_chunk *fs_chunk;
	size_t fs_pos; /* in it: the next item */
	int64_t fs_clock;
	const struct flight_chunk *fs_last; /* the file ends in it, */
	size_t fs_lastused;		    /* here */
	uint64_t fs_from; /* time of the oldest record wanted */
	struct dt_ledger fs_ledger;
	int fs_hasledger;
	struct ledger_run fs_run;
	struct ledger_newest fs_newest;
	size_t fs_waiting; /* bytes that came since the last step */
};

/* c: constant after begin. */
struct flight {
	uint64_t fl_memory;	     /* [c] bytes */
	struct flight_chunk *fl_old; /* the oldest, never NULL */
	struct flight_chunk *fl_new; /* the one being filled */
	struct flight_chunk *fl_free;
	size_t fl_nchunks;  /* free ones as well */
	int64_t fl_clock;   /* of the youngest record */
	uint64_t fl_newest; /* time of the youngest record */
	uint64_t fl_letgo;  /* records that were in chunks */
	uint64_t
	    fl_full; /* time of the youngest that went for lack of memory */
	uint32_t *fl_pbns; /* enabled probes */
	size_t fl_npbns, fl_maxpbns;
	struct map fl_files;   /* struct flight_fd -> path, before fl_old */
	struct map fl_cgroups; /* id -> path */
	size_t fl_known;       /* bytes of both */
	int fl_isdone;	       /* the last file is written */
	struct flight_save fl_save;
};

/*
 * What is known beside records
 */

static void
flight_forget(struct map *m)
{
	struct map_entry **list = map_sorted(m);
	size_t i;

	for (i = 0; i < m->mp_n; i++)
		free(list[i]->me_ptr);
	free(list);
	map_clear(m);
}

/*
 * Processes come and go for days: when their descriptors take too much of the
 * memory, all are forgotten, and print as numbers.
 */
static void
flight_know(struct flight *fl, struct map *m, const void *key, size_t keylen,
    const char *path)
{
	size_t nbytes = strlen(path) + sizeof(struct map_entry) + keylen;
	struct map_entry *e;

	if (fl->fl_known + nbytes > fl->fl_memory / FLIGHT_KNOWN) {
		flight_forget(&fl->fl_files);
		flight_forget(&fl->fl_cgroups);
		fl->fl_known = 0;
	}
	e = map_get(m, key, keylen);
	if (e->me_ptr != NULL && strcmp(e->me_ptr, path) == 0)
		return;
	if (e->me_ptr != NULL)
		fl->fl_known -= strlen(e->me_ptr);
	else
		fl->fl_known += nbytes - strlen(path);
	fl->fl_known += strlen(path);
	free(e->me_ptr);
	if ((e->me_ptr = strdup(path)) == NULL)
		err(1, "paths");
}

/*
 * Chunks
 */

static struct flight_item *
flight_item(struct flight_chunk *fc, size_t pos)
{
	return (struct flight_item *)(fc->fc_data + pos);
}

static size_t
flight_span(const struct flight_item *it)
{
	return (it->it_nbytes + 7) & ~(size_t)7;
}

/* How many chunks there may be. */
static size_t
flight_most(const struct flight *fl)
{
	size_t n = (fl->fl_memory - fl->fl_known) / sizeof(struct flight_chunk);

	return n < 2 ? 2 : n;
}

static void flight_step(struct out *);

/* Lets the oldest chunk go.  There is a younger one. */
static void
flight_drop(struct out *out)
{
	struct flight *fl = out->out_priv;
	struct flight_chunk *fc = fl->fl_old;
	struct flight_item *it;
	struct flight_fd *ff;
	size_t pos;

	while (fl->fl_save.fs_ison && fl->fl_save.fs_chunk == fc)
		flight_step(out);
	for (pos = 0; pos < fc->fc_used; pos += flight_span(it)) {
		it = flight_item(fc, pos);
		ff = (struct flight_fd *)(it + 1);
		if (it->it_kind == FLIGHT_FILE)
			flight_know(fl, &fl->fl_files, ff, sizeof(*ff),
			    (const char *)(ff + 1));
	}
	fl->fl_letgo += fc->fc_nrecs;
	fl->fl_old = fc->fc_next;
	if (fl->fl_nchunks > flight_most(fl)) {
		fl->fl_nchunks--;
		free(fc);
		return;
	}
	fc->fc_next = fl->fl_free;
	fl->fl_free = fc;
}

/* An empty chunk: one that is free, or a new one, or else the oldest. */
static struct flight_chunk *
flight_chunk(struct out *out)
{
	struct flight *fl = out->out_priv;
	struct flight_chunk *fc;

	while ((fc = fl->fl_free) == NULL) {
		if (fl->fl_nchunks < flight_most(fl) &&
		    (fc = malloc(sizeof(*fc))) != NULL) {
			fl->fl_nchunks++;
			break;
		}
		if (fl->fl_old == fl->fl_new)
			err(1, "memory for the newest events");
		if (fl->fl_old->fc_newest > fl->fl_full)
			fl->fl_full = fl->fl_old->fc_newest;
		flight_drop(out);
	}
	if (fc == fl->fl_free)
		fl->fl_free = fc->fc_next;
	memset(fc, 0, offsetof(struct flight_chunk, fc_data));
	return fc;
}

/* The next chunk is to be filled; what has become too old goes. */
static void
flight_next(struct out *out)
{
	struct flight *fl = out->out_priv;
	uint64_t last = out->out_opts->o_last;
	struct flight_chunk *fc;

	while (fl->fl_old != fl->fl_new &&
	    fl->fl_old->fc_newest + last < fl->fl_newest)
		flight_drop(out);
	fc = flight_chunk(out);
	fc->fc_clock = fl->fl_clock;
	fl->fl_new->fc_next = fc;
	fl->fl_new = fc;
}

/* Room for an item; returns where its content goes. */
static void *
flight_add(struct out *out, enum flight_kind kind, unsigned int cpu, size_t n)
{
	struct flight *fl = out->out_priv;
	struct flight_item *it;

	if (fl->fl_new->fc_used + sizeof(*it) + n + 7 > FLIGHT_CHUNK)
		flight_next(out);
	it = flight_item(fl->fl_new, fl->fl_new->fc_used);
	it->it_nbytes = sizeof(*it) + n;
	it->it_kind = kind;
	it->it_cpu = cpu;
	fl->fl_new->fc_used += flight_span(it);
	fl->fl_save.fs_waiting += flight_span(it);
	return it + 1;
}

/*
 * Writing a file
 */

/* What lies between the names of the files: 0, or -1 with errno. */
static int
flight_rename(const char *from, const char *to)
{
	struct stat st;
	char *old;
	int error;

	if (lstat(to, &st) == 0 && S_ISREG(st.st_mode)) {
		if (asprintf(&old, "%s.old", to) == -1)
			err(1, NULL);
		error = rename(to, old);
		free(old);
		if (error == -1)
			return -1;
	}
	return rename(from, to);
}

/* Whether a file can be made there: 0, or -1 with errno. */
static int
flight_try(const char *name)
{
	int fd;

	(void)unlink(name); /* of a process that was killed */
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	close(fd);
	return unlink(name);
}

/* What the file is about. */
static void
flight_window(struct flight *fl, uint64_t last)
{
	struct flight_save *fs = &fl->fl_save;
	struct ledger_newest *ln = &fs->fs_newest;
	uint64_t end = fs->fs_run.lr_end, from;

	if (end == 0)
		end = fl->fl_newest; /* the daemon is gone */
	from = fs->fs_from = end > last ? end - last : 0;
	*ln = (struct ledger_newest){ .ln_wanted = last };
	ln->ln_letgo = fl->fl_letgo;
	if (fl->fl_full >= from) {
		from = fl->fl_full;
		ln->ln_memory = fl->fl_memory;
	}
	if (from < fs->fs_run.lr_start)
		from = fs->fs_run.lr_start;
	ln->ln_nsecs = end > from ? end - from : 0;
}

static void
flight_save_known(struct flight *fl)
{
	struct out *in = &fl->fl_save.fs_out;
	struct map_entry **list;
	const struct flight_fd *ff;
	size_t i;

	list = map_sorted(&fl->fl_cgroups);
	for (i = 0; i < fl->fl_cgroups.mp_n; i++)
		out_cgroup_path(in, list[i]->me_key[0], list[i]->me_ptr);
	free(list);
	list = map_sorted(&fl->fl_files);
	for (i = 0; i < fl->fl_files.mp_n; i++) {
		ff = (const void *)list[i]->me_key;
		out_file_path(in, ff->ff_pid, ff->ff_fd, list[i]->me_ptr);
	}
	free(list);
}

/* Begins a file.  Returns 0, or -1 with errno. */
static int
flight_save_begin(struct out *out, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct flight *fl = out->out_priv;
	struct flight_save *fs = &fl->fl_save;
	size_t i;

	if (flight_try(fs->fs_name) == -1)
		return -1;
	fs->fs_opts = *out->out_opts;
	fs->fs_opts.o_last = 0; /* so this is the format "file" */
	fs->fs_opts.o_file = fs->fs_name;
	fs->fs_hasledger = ledger != NULL;
	if (ledger != NULL) {
		fs->fs_ledger = *ledger;
		fs->fs_ledger.dl_flags |= DT_LEDGER_NEWEST;
	}
	fs->fs_run = *lr;
	fs->fs_chunk = fl->fl_old;
	fs->fs_pos = 0;
	fs->fs_clock = fl->fl_old->fc_clock;
	fs->fs_last = fl->fl_new;
	fs->fs_lastused = fl->fl_new->fc_used;
	flight_window(fl, out->out_opts->o_last);
	out_open(&fs->fs_out, &fs->fs_opts, out->out_names);
	for (i = 0; i < fl->fl_npbns; i++)
		out_enabled(&fs->fs_out, fl->fl_pbns[i]);
	flight_save_known(fl);
	fs->fs_waiting = 0;
	fs->fs_ison = 1;
	return 0;
}

/* The next item is a record. */
static void
flight_save_record(struct flight_save *fs, const struct flight_item *it)
{
	const struct dt_rec *rec = (const void *)(it + 1);
	struct out_event oe = { 0 };
	struct dt_event ev;
	int64_t nsecs;

	if (rec->dr_time < fs->fs_from) {
		fs->fs_newest.ln_letgo++;
		return;
	}
	oe.oe_probe = names_probe(fs->fs_out.out_names, rec->dr_pbn);
	oe.oe_ev = &ev;
	if (dt_decode(rec, rec->dr_length,
		oe.oe_probe->pr_desc.pd_info.dtpi_nargs, &ev) == -1)
		return; /* was decoded before: can't be */
	nsecs = fs->fs_clock + (int64_t)rec->dr_time;
	ev.ev_cpu = it->it_cpu;
	ev.ev_realtime.tv_sec = nsecs / 1000000000;
	ev.ev_realtime.tv_nsec = nsecs % 1000000000;
	out_event(&fs->fs_out, &oe);
	fs->fs_newest.ln_kept++;
}

static void
flight_save_clock(struct flight_save *fs, const struct flight_item *it)
{
	memcpy(&fs->fs_clock, it + 1, sizeof(fs->fs_clock));
}

static void
flight_save_file(struct flight_save *fs, const struct flight_item *it)
{
	const struct flight_fd *ff = (const void *)(it + 1);

	out_file_path(&fs->fs_out, ff->ff_pid, ff->ff_fd,
	    (const char *)(ff + 1));
}

static void (*const flight_save_item[])(struct flight_save *,
    const struct flight_item *) = {
	[FLIGHT_RECORD] = flight_save_record,
	[FLIGHT_CLOCK] = flight_save_clock,
	[FLIGHT_FILE] = flight_save_file,
};

/* The file is whole, or has failed: returns 0 or its errno. */
static int
flight_save_end(struct out *out)
{
	struct flight *fl = out->out_priv;
	struct flight_save *fs = &fl->fl_save;
	int error;

	if (fs->fs_hasledger)
		out_ledger(&fs->fs_out, &fs->fs_ledger, &fs->fs_run);
	error = out_close(&fs->fs_out);
	if (error == 0 &&
	    flight_rename(fs->fs_name, out->out_opts->o_file) == -1)
		error = errno;
	if (error != 0)
		unlink(fs->fs_name);
	return error;
}

/* Tells of a file that was made while the recording goes on. */
static void
flight_tell(struct out *out, int error)
{
	struct buf b;

	if (error != 0) {
		warnx("%s: %s; the recording goes on", out->out_opts->o_file,
		    strerror(error));
		return;
	}
	buf_init(&b, STDERR_FILENO);
	ledger_newest(&b, &out->out_newest, out->out_opts->o_file);
	buf_flush(&b);
	buf_free(&b);
}

/* Writes what one chunk has, and after the last one ends the file. */
static void
flight_step(struct out *out)
{
	struct flight *fl = out->out_priv;
	struct flight_save *fs = &fl->fl_save;
	struct flight_chunk *fc = fs->fs_chunk;
	const struct flight_item *it;
	size_t end = fc == fs->fs_last ? fs->fs_lastused : fc->fc_used;
	int error;

	for (; fs->fs_pos < end; fs->fs_pos += flight_span(it)) {
		it = flight_item(fc, fs->fs_pos);
		flight_save_item[it->it_kind](fs, it);
	}
	fs->fs_pos = 0;
	fs->fs_waiting = 0;
	fs->fs_chunk = fc->fc_next;
	if (fc != fs->fs_last)
		return;
	fs->fs_ison = 0;
	error = flight_save_end(out);
	if (error == 0)
		out->out_newest = fs->fs_newest;
	if (!fl->fl_isdone)
		flight_tell(out, error);
	else if (error != 0)
		out->out_buf.b_error = error;
}

/* Writes all that is left of a file. */
static void
flight_steps(struct out *out)
{
	struct flight *fl = out->out_priv;

	while (fl->fl_save.fs_ison)
		flight_step(out);
}

/*
 * The functions of the format
 */

static void
flight_begin(struct out *out)
{
	const char *name = out->out_opts->o_file;
	struct flight *fl;
	struct stat st;

	if (lstat(name, &st) == 0 && !S_ISREG(st.st_mode))
		errx(1, "%s: is there, and is no plain file", name);
	if ((fl = calloc(1, sizeof(*fl))) == NULL)
		err(1, NULL);
	out->out_priv = fl;
	if (asprintf(&fl->fl_save.fs_name, "%s.%d", name, getpid()) == -1)
		err(1, NULL);
	if (flight_try(fl->fl_save.fs_name) == -1)
		err(1, "%s", name);
	fl->fl_memory = out->out_opts->o_memory;
	if (fl->fl_memory == 0)
		fl->fl_memory = FLIGHT_MEMORY;
	fl->fl_old = fl->fl_new = flight_chunk(out);
	buf_init(&out->out_buf, -1); /* nothing goes to stdout */
}

static void
flight_enabled(struct out *out, const struct probe *pr)
{
	struct flight *fl = out->out_priv;

	if (fl->fl_npbns == fl->fl_maxpbns) {
		fl->fl_maxpbns = fl->fl_maxpbns ? fl->fl_maxpbns * 2 : 256;
		fl->fl_pbns = realloc(fl->fl_pbns,
		    fl->fl_maxpbns * sizeof(*fl->fl_pbns));
		if (fl->fl_pbns == NULL)
			err(1, "probes");
	}
	fl->fl_pbns[fl->fl_npbns++] = pr->pr_desc.pd_info.dtpi_pbn;
}

static void
flight_event(struct out *out, const struct out_event *oe)
{
	const struct dt_rec *rec = oe->oe_ev->ev_rec;
	const struct timespec *ts = &oe->oe_ev->ev_realtime;
	struct flight *fl = out->out_priv;
	struct flight_chunk *fc;
	int64_t clock = ts->tv_sec * INT64_C(1000000000) + ts->tv_nsec -
	    (int64_t)rec->dr_time;

	if (clock != fl->fl_clock) {
		memcpy(flight_add(out, FLIGHT_CLOCK, 0, sizeof(clock)), &clock,
		    sizeof(clock));
		fl->fl_clock = clock;
	}
	memcpy(flight_add(out, FLIGHT_RECORD, oe->oe_ev->ev_cpu,
		   rec->dr_length),
	    rec, rec->dr_length);
	fc = fl->fl_new;
	fc->fc_nrecs++;
	if (rec->dr_time > fc->fc_newest)
		fc->fc_newest = rec->dr_time;
	if (rec->dr_time > fl->fl_newest)
		fl->fl_newest = rec->dr_time;
	if (fl->fl_save.fs_ison && fl->fl_save.fs_waiting >= FLIGHT_STEP)
		flight_step(out);
}

static void
flight_path(struct out *out, uint32_t pid, int fd, const char *path)
{
	struct flight_fd *ff;
	size_t len = strnlen(path, FLIGHT_MAXPATH);
	char *s;

	ff = flight_add(out, FLIGHT_FILE, 0, sizeof(*ff) + len + 1);
	ff->ff_pid = pid;
	ff->ff_fd = fd;
	s = (char *)(ff + 1);
	memcpy(s, path, len);
	s[len] = '\0';
}

/* An id never becomes that of another one. */
static void
flight_cgroup(struct out *out, uint64_t id, const char *path)
{
	struct flight *fl = out->out_priv;

	flight_know(fl, &fl->fl_cgroups, &id, sizeof(id), path);
}

static void
flight_save(struct out *out, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	flight_steps(out); /* of the one before */
	if (flight_save_begin(out, ledger, lr) == -1)
		flight_tell(out, errno);
}

/* The last file. */
static void
flight_end(struct out *out, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct flight *fl = out->out_priv;

	flight_steps(out);
	fl->fl_isdone = 1;
	out->out_newest.ln_wanted = 0;
	if (flight_save_begin(out, ledger, lr) == -1)
		out->out_buf.b_error = errno;
	flight_steps(out);
}

static int
flight_flush(struct out *out, int urgent)
{
	struct flight *fl = out->out_priv;
	static const struct ledger_run none;

	if (urgent && !fl->fl_isdone)
		flight_end(out, NULL, &none); /* the daemon is gone */
	if (fl->fl_save.fs_ison)
		flight_step(out);
	return fl->fl_save.fs_ison ? 2 : 0;
}

static void
flight_free_chunks(struct flight_chunk *fc)
{
	struct flight_chunk *next;

	for (; fc != NULL; fc = next) {
		next = fc->fc_next;
		free(fc);
	}
}

static void
flight_free(struct out *out)
{
	struct flight *fl = out->out_priv;

	flight_free_chunks(fl->fl_old);
	flight_free_chunks(fl->fl_free);
	flight_forget(&fl->fl_files);
	flight_forget(&fl->fl_cgroups);
	free(fl->fl_save.fs_name);
	free(fl->fl_pbns);
	free(fl);
	out->out_priv = NULL;
}

const struct out_format out_flight = {
	.f_name = "flight",
	.f_begin = flight_begin,
	.f_enabled = flight_enabled,
	.f_event = flight_event,
	.f_file = flight_path,
	.f_cgroup = flight_cgroup,
	.f_save = flight_save,
	.f_flush = flight_flush,
	.f_ledger = flight_end,
	.f_free = flight_free,
};
