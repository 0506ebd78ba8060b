/* SPDX-License-Identifier: ISC */
/*
 * Reads the files of dt tprof monitor for analyze: the samples of FILE.dt with
 * its symbols, or, without it, those of FILE with the symbols of the processes
 * that run now.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/dtfile/block.h"
#include "cli/recording/replay.h"
#include "cli/sym/rec_symbols.h"
#include "cli/tprof/tprof.h"

/*
 * Key of a symbol: the same for all samples of a process at an address while
 * its mappings are the same.
 */
struct place {
	uint64_t pl_pid; /* and bit for the kernel */
	uint64_t pl_pc;
	uint64_t pl_from;
};

/* Flags that the device sets. */
#define SAMPLE_FLAGS (TPROF_SAMPLE_INKERNEL | TPROF_SAMPLE_COUNTER_MASK)

struct tprof_reading {
	tprof_sample_fn *rd_fn;
	void *rd_arg;
	struct name_cache rd_names;
	struct dt *rd_dt;    /* source of current symbols, or NULL */
	struct hash rd_syms; /* struct place -> struct tprof_sym */
	uint64_t rd_n;	     /* samples */
	const char *rd_bad;  /* error after these samples, or NULL */
};

static ssize_t
reading_read(void *arg, void *buf, size_t nbytes)
{
	return read(*(int *)arg, buf, nbytes);
}

static const char *
reading_check(void *arg, const struct dt_rec *rec)
{
	struct dt_event ev;

	(void)arg;
	if (dt_decode(rec, rec->dr_length, 0, &ev) == -1)
		return "an event is inconsistent";
	return NULL;
}

static const struct tprof_sym *
reading_sym(struct tprof_reading *rd, const tprof_sample_t *s, uint64_t time)
{
	int inkernel = (s->s_flags & TPROF_SAMPLE_INKERNEL) != 0;
	const struct rec_symbols *um = rd->rd_names.nm_umaps;
	const struct place pl = {
		.pl_pid = inkernel ? UINT64_MAX : s->s_pid,
		.pl_pc = s->s_pc,
		.pl_from = inkernel || um == NULL
		    ? 0
		    : rec_symbols_since(um, s->s_pid, time),
	};
	struct hash_entry *me = hash_get(&rd->rd_syms, &pl, sizeof(pl));

	if (me->he_ptr == NULL)
		me->he_ptr = tprof_symbol(&rd->rd_names, s->s_pid, inkernel,
		    s->s_pc, time);
	return me->he_ptr;
}

/* Reads a sample of FILE, and its copy in FILE.dt, which must be equal. */
static int
reading_sample(struct tprof_reading *rd, const struct block_item *it)
{
	const struct dt_rec *rec = it->bi_rec;
	struct dt_event ev;
	const struct dt_rec_stack *st;
	tprof_sample_t s;

	if (dt_decode(rec, rec->dr_length, 0, &ev) == -1)
		return 0;
	st = ev.ev_kstack != NULL ? ev.ev_kstack : ev.ev_ustack;
	if (st == NULL || st->drs_count != 1)
		return 0;
	s = (tprof_sample_t){ .s_pid = rec->dr_pid,
		.s_lwpid = rec->dr_tid,
		.s_cpuid = it->bi_cpu,
		.s_flags = (ev.ev_kstack != NULL ? TPROF_SAMPLE_INKERNEL : 0) |
		    rec->dr_pbn << 24,
		.s_pc = DT_STACK_PCS(st)[0] };
	rd->rd_n++;
	rd->rd_fn(rd->rd_arg, &s, reading_sym(rd, &s, rec->dr_time));
	return 0;
}

/* Reads FILE.dt.  Returns 1, or 0 if it is missing. */
static int
reading_dt(struct tprof_reading *rd, const char *name)
{
	char dtname[4096];
	struct block_item it;
	struct replay *r;
	const char *bad;
	int fd;

	if ((size_t)snprintf(dtname, sizeof(dtname), "%s" TPROF_SUFFIX, name) >=
		sizeof(dtname) ||
	    (fd = open(dtname, O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
	name_cache_init(&rd->rd_names, NULL);
	rd->rd_names.nm_umaps = rec_symbols_alloc(0, NULL, 0);
	r = replay_alloc(reading_read, reading_check, &fd, rd);
	while (replay_next(r, &it) == 1) {
		if (it.bi_type == BLOCK_KSYM)
			name_cache_add_ksym(&rd->rd_names, it.bi_ksym.pc,
			    it.bi_ksym.name, it.bi_ksym.offset);
		else if (it.bi_type == BLOCK_MAPS)
			rec_symbols_add(rd->rd_names.nm_umaps, &it.bi_map);
		else if (it.bi_type == BLOCK_USYM)
			rec_symbols_add_name(rd->rd_names.nm_umaps,
			    &it.bi_usym);
		else if (it.bi_type == BLOCK_DATA)
			reading_sample(rd, &it);
	}
	if ((bad = replay_damage(r)) != NULL)
		warnx("%s: %s", dtname, bad);
	replay_free(r);
	close(fd);
	return 1;
}

/* Returns why a sample cannot be from the device, or NULL. */
static const char *
reading_doubt(const tprof_sample_t *s)
{
	if (s->s_pid == BLOCK_HEAD)
		return "is a recording; pass the file of monitor, whose name "
		       "has no " TPROF_SUFFIX;
	if ((s->s_flags & ~SAMPLE_FLAGS) != 0)
		return "is not a file of dt tprof monitor";
	return NULL;
}

/* Reads FILE alone: symbols are the current ones. */
static void
reading_raw(struct tprof_reading *rd, FILE *f)
{
	tprof_sample_t s;
	size_t n;

	if ((rd->rd_dt = dt_open(NULL, 0)) == NULL)
		warnx("symbols will be missing: %s", dt_error(NULL));
	name_cache_init(&rd->rd_names, rd->rd_dt);
	while ((n = fread(&s, 1, sizeof(s), f)) == sizeof(s) &&
	    (rd->rd_bad = reading_doubt(&s)) == NULL) {
		rd->rd_n++;
		rd->rd_fn(rd->rd_arg, &s, reading_sym(rd, &s, 0));
	}
	if (n > 0 && n < sizeof(s))
		rd->rd_bad = "is cut off in a sample";
}

struct tprof_reading *
tprof_file_read(const char *name, tprof_sample_fn *fn, void *arg)
{
	struct tprof_reading *rd = calloc(1, sizeof(*rd));
	FILE *f = strcmp(name, "-") == 0 ? stdin : fopen(name, "re");
	struct stat st;

	if (rd == NULL || f == NULL || fstat(fileno(f), &st) == -1)
		err(1, "%s", name);
	rd->rd_fn = fn;
	rd->rd_arg = arg;
	if (f == stdin || !reading_dt(rd, name)) {
		reading_raw(rd, f);
		if (ferror(f))
			err(1, "%s", name);
		if (rd->rd_bad != NULL)
			warnx("%s: at byte %" PRIu64 ": %s", name,
			    rd->rd_n * sizeof(tprof_sample_t), rd->rd_bad);
	} else if (rd->rd_n * sizeof(tprof_sample_t) != (uint64_t)st.st_size)
		errx(1,
		    "%s and %s" TPROF_SUFFIX " have different samples; remove "
		    "the latter to print addresses",
		    name, name);
	if (rd->rd_n == 0 && rd->rd_bad == NULL)
		warnx("%s: has no samples", name);
	if (f != stdin)
		fclose(f);
	return rd;
}

int
tprof_reading_isbad(const struct tprof_reading *rd)
{
	return rd->rd_bad != NULL;
}

void
tprof_reading_free(struct tprof_reading *rd)
{
	tprof_symbols_free(&rd->rd_syms);
	name_cache_free(&rd->rd_names);
	dt_close(rd->rd_dt);
	free(rd);
}
