/* SPDX-License-Identifier: ISC */
/*
 * Writes the seed corpus of fuzz_message.c into the folder it is given:
 *
 *	cc -D_GNU_SOURCE -I. -Iinclude -o seed_message \
 *	    tests/fuzz/seed_message.c
 *	./seed_message tests/fuzz/corpus/message
 *
 * The corpus is committed; this is for when a command is added.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dev/dt/dtvar.h>
#include <dev/tprof/tprof_ioctl.h>
#include <sys/kcov.h>

#include "wire/kcov.h"
#include "daemon/testdev/testdev.h"
#include "wire/wire.h"

#define TESTDEV 0x01 /* the first byte, as in fuzz_message.c */
#define PRIVATE 0x02
#define FDS	0x04
#define MORE	0x08
#define BY_TWO	0x10
#define BY_16	0x40
#define TPROF	0x80
#define KCOV	(TPROF | TESTDEV)

static const char *folder;
static uint8_t buf[200000];
static size_t used;
static uint32_t tag;

static void
seed_begin(uint8_t how)
{
	buf[0] = how;
	used = 1;
	tag = 0;
}

static void
seed_put(const void *what, size_t nbytes)
{
	memcpy(buf + used, what, nbytes);
	used += nbytes;
}

static void
seed_message(uint32_t command, const void *payload, size_t nbytes)
{
	const struct wire_hdr h = { .wh_version = WIRE_VERSION,
		.wh_command = command,
		.wh_tag = ++tag,
		.wh_length = nbytes };

	seed_put(&h, sizeof(h));
	seed_put(payload, nbytes);
}

static void
seed_open(void)
{
	const struct wire_open wo = { 0 };

	seed_message(WIRE_OPEN, &wo, sizeof(wo));
}

static void
seed_end(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if ((f = fopen(path, "w")) == NULL || fwrite(buf, 1, used, f) != used ||
	    fclose(f) != 0)
		err(1, "%s", path);
}

static void
seed_lists(void)
{
	const struct wire_page page = { 690, 10 }, all = { 0, 100000 };
	const struct wire_args args = { .wa_pbn = 2 };
	const struct dtioc_threads threads = { .dtth_nnames = 1,
		.dtth_names[0] = "init" };
	struct wire_lookup lookup = { 0, 20, "syscall:*at:entry" };

	seed_message(DTIOCGPLIST, &page, sizeof(page));
	seed_message(DTIOCGPLIST, &all, sizeof(all));
	seed_message(DTIOCGPROVS, &all, sizeof(all));
	seed_message(DTIOCGARGS, &args, sizeof(args));
	seed_message(DTIOCGARGNAMES, &args, sizeof(args));
	seed_message(DTIOCLOOKUP, &lookup, sizeof(lookup));
	snprintf(lookup.wk_pattern, sizeof(lookup.wk_pattern),
	    "*[a-c]*:[!x]?*:*");
	seed_message(DTIOCLOOKUP, &lookup, sizeof(lookup));
	memset(lookup.wk_pattern, '*', sizeof(lookup.wk_pattern));
	seed_message(DTIOCLOOKUP, &lookup, sizeof(lookup));
	seed_message(DTIOCGSTATS, NULL, 0);
	seed_message(DTIOCGFULLSTAT, NULL, 0);
	seed_message(DTIOCGPENDING, NULL, 0);
	seed_message(DTIOCPASS, NULL, 0);
	seed_message(DTIOCTHREADS, &threads, sizeof(threads));
	seed_message(DTIOCGTHREADS, NULL, 0);
	seed_message(DTIOCGSTALL, NULL, 0);
}

static void
seed_settings(void)
{
	const struct dtioc_req rq = { .dtrq_pbn = 3 },
			       clock = { .dtrq_pbn = 1, .dtrq_nsecs = 1000000 };
	const struct dtioc_req_v1 old = { .dtrq_pbn = 4,
		.dtrq_filter = { DT_OP_NE, DT_FV_TID, 1 } };
	const struct dtioc_filter fi = { .dtfi_set = DTFI_PID | DTFI_COMM,
		.dtfi_pid = 1,
		.dtfi_comm = "a name" };
	const struct dtioc_getaux aux = { .dtga_pid = 1 };
	const struct dtioc_path ph = { .dtph_prefix = "/usr/lib" };
	const struct dtioc_condition cn = { .dtcn_pbn = 3,
		.dtcn_cond = { .co_ninsn = 1,
		    .co_insn = { { .in_left = { .op_kind = DT_OPD_COMM },
			.in_op = DT_CMP_PREFIX,
			.in_true = DT_COND_PASS,
			.in_false = DT_COND_FAIL,
			.in_len = 4 } },
		    .co_text = "make" } };
	const struct dtioc_reads reads = { .dtrd_pbn = 3,
		.dtrd_nreads = 2,
		.dtrd_reads = { { .mrd_base = DT_READ_TASK,
				    .mrd_nsteps = 2,
				    .mrd_size = 8,
				    .mrd_off = { 64, 128 } },
		    { .mrd_kind = DT_READ_TEXT,
			.mrd_nsteps = 1,
			.mrd_size = 16 } } };
	const struct dtioc_stack stack = { .dtsk_copy = 1 };
	const uint64_t budget = 1 << 20;
	const int on = 1, off = 0;
	struct {
		struct wire_sym sy;
		uint64_t pcs[2];
	} sym = { { .wy_npcs = 2 }, { 0xffffffff81000000, 1 } },
	  user = { { .wy_pid = 1, .wy_npcs = 2, .wy_flags = DTSY_LINES },
		  { 0x401000, 0x7f0000001000 } };
	const struct dtioc_pair pair = { .dtpa_from = 3,
		.dtpa_to = 4,
		.dtpa_nkeys = 1,
		.dtpa_fromkey = { { .op_kind = DT_OPD_TID, .op_size = 4 } },
		.dtpa_tokey = { { .op_kind = DT_OPD_TID, .op_size = 4 } } };
	const struct wire_rdvnode file_at = { .wrv_pid = 1, .wrv_va = 0x1000 };
	const struct wire_file program = { .wfl_path = "/bin/true" };
	const struct wire_ksyms ksyms = { 0 };
	const struct dtioc_addr addr = { .dtad_name = "schedule" };
	const struct wire_maps maps = { .wms_pid = 1, .wms_max = 100 };
	struct {
		struct wire_symfile sf;
		uint64_t offs[2];
		char path[8];
	} file = { { .wx_noffs = 2, .wx_buildidlen = 20, .wx_pathlen = 8 },
		{ 0x1000, 0x2000 }, "/dev/nil" };

	seed_message(DTIOCSELF, &on, sizeof(on));
	seed_message(DTIOCSFILTER, &fi, sizeof(fi));
	seed_message(DTIOCSPATH, &ph, sizeof(ph));
	seed_message(DTIOCSBUDGET, &budget, sizeof(budget));
	seed_message(DTIOCSMAXBUDGET, &budget, sizeof(budget));
	seed_message(DTIOCGSTACK, &stack, sizeof(stack));
	seed_message(DTIOCRECORD, &on, sizeof(on));
	seed_message(DTIOCPRBENABLE, &rq, sizeof(rq));
	seed_message(DTIOCSCONDITION, &cn, sizeof(cn));
	seed_message(DTIOCSREADS, &reads, sizeof(reads));
	seed_message(DTIOCSPAIR, &pair, sizeof(pair));
	seed_message(DTIOCPRBENABLE, &clock, sizeof(clock));
	seed_message(DTIOCPRBENABLE_V1, &old, sizeof(old));
	seed_message(DTIOCPRBDISABLE_V1, &old, sizeof(old));
	seed_message(DTIOCGSTATS_V1, NULL, 0);
	seed_message(DTIOCPRBDISABLE, &rq, sizeof(rq));
	seed_message(DTIOCRECORD, &off, sizeof(off));
	seed_message(DTIOCGETAUXBASE, &aux, sizeof(aux));
	seed_message(DTIOCSYM, &sym, sizeof(sym));
	seed_message(DTIOCSYM, &user, sizeof(user));
	seed_message(DTIOCGMAPS, &maps, sizeof(maps));
	seed_message(DTIOCSYMFILE, &file, sizeof(file));
	seed_message(DTIOCFILE, &program, sizeof(program));
	seed_message(DTIOCGSUMS, NULL, 0);
	seed_message(DTIOCRDVNODE, &file_at, sizeof(file_at));
	seed_message(DTIOCGKSYMS, &ksyms, sizeof(ksyms));
	seed_message(DTIOCGADDR, &addr, sizeof(addr));
}

static void
seed_test(void)
{
	static const char text[60000] = "what comes back";
	const uint32_t n = 100000;

	seed_message(TESTIOCECHO, text, 100);
	seed_message(TESTIOCLATER, text, 100);
	seed_message(TESTIOCSEND, &n, sizeof(n));
	seed_message(TESTIOCADMIN, NULL, 0);
	seed_message(TESTIOCLATER, text, sizeof(text));
	seed_message(TESTIOCECHO, text, 0);
}

static void
seed_tprof(void)
{
	const struct tprof_param p = { .p_unit = 1,
		.p_flags = TPROF_PARAM_USER | TPROF_PARAM_PROFILE |
		    TPROF_PARAM_VALUE2_TRIGGERCOUNT,
		.p_value2 = 1000000 };
	const struct tprof_param_v4 old = { .p_unit = 1,
		.p_flags = TPROF_PARAM_USER };
	const struct tprof_counts counts = { .c_cpu = 1 };
	const uint32_t mask = 1, all = ~0U;

	seed_message(TPROF_IOC_GETINFO, NULL, 0);
	seed_message(TPROF_IOC_GETNCOUNTERS, NULL, 0);
	seed_message(TPROF_IOC_CONFIGURE_EVENT, &p, sizeof(p));
	seed_message(TPROF_IOC_START, &mask, sizeof(mask));
	seed_message(TPROF_IOC_GETCOUNTS, &counts, sizeof(counts));
	seed_message(TPROF_IOC_GETSTAT, NULL, 0);
	seed_message(TPROF_IOC_GETTAKEN, NULL, 0);
	seed_message(TPROF_IOC_STOP, &all, sizeof(all));
	seed_message(TPROF_IOC_START_V4, &old, sizeof(old));
	seed_message(TPROF_IOC_STOP_V4, NULL, 0);
}

static void
seed_funcs(const char *globs)
{
	struct kio_funcs kf = { "" };

	snprintf(kf.kf_globs, sizeof(kf.kf_globs), "%s", globs);
	seed_message(KIOSETFUNCS, &kf, sizeof(kf));
}

/* The word of fuzz_message.c for its own thread; 1 is another process's. */
static uint32_t
seed_thread(void)
{
	uint32_t tid;

	memcpy(&tid, "!tid", sizeof(tid));
	return tid;
}

static void
seed_kcov(void)
{
	const uint32_t tid = seed_thread();
	const uint64_t none = 0, most = KCOV_BUF_MAX, more = most + 1,
		       some = 513;
	const struct wire_kcov_enable pc = { KCOV_MODE_TRACE_PC, tid, 4, 0 },
				      cmp = { KCOV_MODE_TRACE_CMP, tid, 4, 0 },
				      user = { KCOV_MODE_USER | 1, tid, 0, 0 };
	const struct wire_kcov_disable off = { .wd_tid = tid };
	const struct kio_remote_attach ra = { KCOV_REMOTE_COMMON, 0 },
				       other = { 1, 0 };
	const struct kio_thread child = { KCOV_MODE_USER | 1, 1 },
				thread = { KCOV_MODE_USER | 2, tid };
	const int32_t on = 1;
	struct kio_funcs noend;

	seed_message(KIONOLIMIT, &on, sizeof(on));
	seed_message(WIRE_MMAP, NULL, 0);
	seed_message(KIOSETBUFSIZE, &none, sizeof(none));
	seed_message(KIOSETBUFSIZE, &more, sizeof(more));
	seed_message(KIOSETBUFSIZE, &some, sizeof(some));
	seed_message(KIOSETBUFSIZE, &most, sizeof(most));
	seed_message(WIRE_MMAP, NULL, 0);
	seed_message(KIOENABLE, &pc, sizeof(pc));
	seed_message(KIOENABLE, &cmp, sizeof(cmp));
	seed_message(KIOENABLE, &user, sizeof(user));
	seed_message(KIODISABLE, &off, sizeof(off));
	seed_message(KIOENABLETHREAD, &child, sizeof(child));
	seed_message(KIOENABLETHREAD, &thread, sizeof(thread));
	seed_message(KIOENABLE, &user, sizeof(user));
	seed_message(KIOGETSTAT, NULL, 0);
	seed_message(KIODISABLE, &off, sizeof(off));
	seed_message(KIOREMOTEATTACH, &other, sizeof(other));
	seed_message(KIOREMOTEATTACH, &ra, sizeof(ra));
	seed_message(KIOENABLE, &pc, sizeof(pc));
	seed_message(KIODISABLE, &off, sizeof(off));
	seed_message(KIOENABLE, &user, sizeof(user));
	seed_funcs("vfs_[a-m]* ?s_read  no_such");
	seed_funcs("a:b");
	memset(&noend, '*', sizeof(noend));
	seed_message(KIOSETFUNCS, &noend, sizeof(noend));
	seed_message(KIOGETPRICE, NULL, 0);
}

static void
seed_wrong(void)
{
	struct wire_hdr h = { .wh_version = 2, .wh_command = WIRE_OPEN };

	seed_begin(FDS);
	seed_put(&h, sizeof(h));
	seed_end("version");
	h.wh_version = WIRE_VERSION;
	h.wh_length = WIRE_MAXPAYLOAD + 1;
	seed_begin(FDS);
	seed_put(&h, sizeof(h));
	seed_end("too-long");
	seed_begin(0);
	seed_open();
	seed_end("no-namespaces");
	seed_begin(PRIVATE);
	seed_message(DTIOCGSTATS, NULL, 0);
	seed_message(0x12345678, NULL, 0);
	seed_end("not-open");
	seed_begin(FDS | PRIVATE);
	seed_open();
	seed_put("half a header", 13);
	seed_end("half-header");
	seed_begin(FDS | PRIVATE);
	seed_open();
	h.wh_length = 1000;
	seed_put(&h, sizeof(h));
	seed_put("half a payload", 14);
	seed_end("half-payload");
	seed_begin(FDS | MORE | PRIVATE | BY_16);
	seed_open();
	seed_lists();
	seed_end("descriptors");
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: seed_message folder");
	folder = argv[1];
	seed_begin(FDS | PRIVATE);
	seed_open();
	seed_lists();
	seed_open();
	seed_end("lists");
	seed_begin(FDS | BY_16);
	seed_open();
	seed_lists();
	seed_settings();
	seed_end("pieces");
	seed_begin(FDS | PRIVATE);
	seed_open();
	seed_settings();
	seed_end("settings");
	seed_begin(FDS | PRIVATE | TESTDEV);
	seed_open();
	seed_test();
	seed_end("test-device");
	seed_begin(FDS | TESTDEV | BY_TWO);
	seed_open();
	seed_message(TESTIOCLATER, "0123456789", 10);
	seed_end("test-device-by-two");
	seed_begin(FDS | PRIVATE | TPROF);
	seed_open();
	seed_tprof();
	seed_end("tprof");
	seed_begin(FDS | BY_16 | TPROF);
	seed_open();
	seed_tprof();
	seed_end("tprof-pieces");
	seed_begin(FDS | PRIVATE | KCOV);
	seed_open();
	seed_kcov();
	seed_end("kcov");
	seed_begin(FDS | BY_16 | KCOV);
	seed_open();
	seed_kcov();
	seed_end("kcov-pieces");
	seed_wrong();
	return 0;
}
