/* SPDX-License-Identifier: ISC */
/*
 * Writes the files of dt tprof monitor; tprof_read.c reads them. FILE contains
 * the samples only.  The code at an address cannot be determined after its
 * process has exited, so FILE.dt, a recording (docs/recording.md), has each
 * sample as an event, and the symbols of their addresses, which are looked up
 * when events are written.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/file_sink.h"
#include "cli/dtfile/block.h"
#include "cli/recording/replay.h"
#include "cli/sym/rec_symbols.h"
#include "cli/sym/user_symbols.h"
#include "cli/tprof/tprof.h"

/* A sample as a record: the address is the only frame of a stack. */
struct sample_rec {
	struct dt_rec sr_rec;
	struct dt_rec_stack sr_stack;
	uint64_t sr_pc;
};

static void
file_probes(struct tprof_file *tf, const struct tprof_events *tv)
{
	struct dt_probe_desc pd;
	unsigned int i;

	for (i = 0; i < tv->tv_n; i++) {
		memset(&pd, 0, sizeof(pd));
		pd.pd_info.dtpi_pbn = i;
		strcpy(pd.pd_info.dtpi_prov, TPROF_PROV);
		snprintf(pd.pd_info.dtpi_func, sizeof(pd.pd_info.dtpi_func),
		    "%s", tv->tv_event[i].te_name);
		snprintf(pd.pd_info.dtpi_name, sizeof(pd.pd_info.dtpi_name),
		    "%u", i);
		name_cache_add_probe(&tf->tf_names, &pd);
		recorder_enabled(&tf->tf_recorder,
		    name_cache_probe(&tf->tf_names, i));
	}
}

/* One lookup makes the daemon follow all processes from then on. */
static struct dt *
file_follow(void)
{
	struct dt *dt = dt_open(NULL, 0);
	struct dt_mappings maps;

	if (dt == NULL) {
		warnx("symbols of programs will be missing: %s",
		    dt_error(NULL));
		return NULL;
	}
	if (dt_mappings(dt, getpid(), 0, &maps) == -1)
		warnx("symbols of programs may be missing: %s", dt_error(dt));
	else
		dt_mappings_free(&maps);
	return dt;
}

void
tprof_file_open(struct tprof_file *tf, const char *name,
    const struct tprof_events *tv)
{
	memset(tf, 0, sizeof(*tf));
	if ((size_t)snprintf(tf->tf_dtname, sizeof(tf->tf_dtname),
		"%s" TPROF_SUFFIX, name) >= sizeof(tf->tf_dtname))
		errx(1, "%s: the name is too long", name);
	if ((tf->tf_raw = fdopen(file_sink_make(name), "w")) == NULL)
		err(1, "%s", name);
	tf->tf_name = name;
	tf->tf_dt = file_follow();
	tf->tf_opts.o_file.ofi_name = tf->tf_dtname;
	tf->tf_opts.o_file.ofi_embed = 1;
	name_cache_init(&tf->tf_names, tf->tf_dt);
	recorder_open(&tf->tf_recorder, &tf->tf_opts, &tf->tf_names, NULL,
	    NULL);
	file_probes(tf, tv);
}

static void
file_realtime(struct timespec *ts, uint64_t nsecs)
{
	struct timespec real, mono;
	uint64_t t;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	/* in whole seconds: the offset has to be the same for all samples */
	t = nsecs + (uint64_t)(real.tv_sec - mono.tv_sec) * 1000000000 +
	    (real.tv_nsec < mono.tv_nsec ? -1000000000 : 0);
	ts->tv_sec = t / 1000000000;
	ts->tv_nsec = t % 1000000000;
}

void
tprof_file_sample(struct tprof_file *tf, const struct dt_tprof_sample *ts)
{
	const tprof_sample_t *s = &ts->ts_sample;
	int inkernel = (s->s_flags & TPROF_SAMPLE_INKERNEL) != 0;
	struct sample_rec sr = {
		.sr_rec = { .dr_length = sizeof(sr),
		    .dr_kind = DT_REC_EVENT,
		    .dr_flags = inkernel ? DT_REC_KSTACK : DT_REC_USTACK,
		    .dr_pbn = TPROF_SAMPLE_COUNTER(s),
		    .dr_time = ts->ts_time,
		    .dr_pid = s->s_pid,
		    .dr_tid = s->s_lwpid },
		.sr_stack = { .drs_count = 1 },
		.sr_pc = s->s_pc,
	};
	struct dt_event ev = {
		.ev_rec = &sr.sr_rec,
		.ev_cpu = s->s_cpuid,
		.ev_kstack = inkernel ? &sr.sr_stack : NULL,
		.ev_ustack = inkernel ? NULL : &sr.sr_stack,
	};

	if (fwrite(s, sizeof(*s), 1, tf->tf_raw) != 1)
		err(1, "%s", tf->tf_name);
	tf->tf_n++;
	file_realtime(&ev.ev_realtime, ts->ts_time);
	/* recorder_close() reports errors */
	(void)recorder_event(&tf->tf_recorder, &ev);
}

void
tprof_file_idle(struct tprof_file *tf)
{
	(void)recorder_idle(&tf->tf_recorder);
}

int
tprof_file_close(struct tprof_file *tf)
{
	const struct dt_ledger dl = { .dl_fired = tf->tf_n,
		.dl_read = tf->tf_n,
		.dl_runs = 1,
		.dl_flags = DT_LEDGER_FINAL };
	const struct ledger_run lr = { .lr_shown = tf->tf_n };
	int error;

	if (fclose(tf->tf_raw) == EOF)
		err(1, "%s", tf->tf_name);
	/* marks the recording as complete */
	recorder_ledger(&tf->tf_recorder, &dl, &lr);
	if ((error = recorder_close(&tf->tf_recorder)) != 0)
		warnx("%s: %s; without it, %s has no names", tf->tf_dtname,
		    strerror(error), tf->tf_name);
	name_cache_free(&tf->tf_names);
	dt_close(tf->tf_dt);
	return error != 0;
}
