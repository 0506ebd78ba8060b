/* SPDX-License-Identifier: ISC */
/*
 * Profiles: complete stacks, functions by samples, and each format's output for
 * a profile of three stacks.
 */
#include <zlib.h>

#include "tests/unit/test_cli.h"

#include "cli/out/flame.h"
#include "cli/out/out.h"
#include "cli/profile/profile.h"
#include "cli/profile/profile_funcs.h"
#include "cli/sym/stack.h"

static struct opts opts;
static struct out out = { .out_opts = &opts };
static struct frames frames;
static const struct frame *stacks[3][4];
static struct out_stack list[3];
static struct out_profile op;

/*
 * main calls <odd> and, at a line of x.c, leaf, which has tail inlined; one
 * stack is cut, one is in the kernel.
 */
static int
setup(void **state)
{
	static const struct out_why whys[] = { { "no frame pointer", 100 } };
	static const uint8_t id[] = { 0xab, 0xcd };
	struct dt_frame df = {
		.df_module = "/bin/a;b",
		.df_buildid = id,
		.df_buildidlen = 2,
	};
	struct dt_frame none = {
		.df_module = "/lib/libc.so",
		.df_why = DTFR_NOSYM,
		.df_fileoff = 0x1f,
	};
	const struct frame *start, *mainf, *odd, *leaf, *tail, *kernel;

	(void)state;
	df.df_func = "_start";
	df.df_fileoff = 0x10;
	start = frames_user(&frames, 7, 0x1010, 1, &df);
	df.df_func = "main";
	df.df_fileoff = 0x20;
	mainf = frames_user(&frames, 7, 0x1020, 1, &df);
	df.df_func = "<odd> & \"x\"\033";
	df.df_fileoff = 0x30;
	odd = frames_user(&frames, 7, 0x1030, 0, &df);
	df.df_func = "leaf";
	df.df_file = "/s/x.c";
	df.df_line = 12;
	df.df_fileoff = 0x40;
	leaf = frames_user(&frames, 7, 0x1040, 0, &df);
	df.df_func = "tail";
	df.df_line = 3;
	df.df_inlined = 1;
	tail = frames_user(&frames, 7, 0x1040, 0, &df);
	kernel = frames_kernel(&frames, 0xffffffff81000010, 0, "vfs_read", 0);
	memcpy(stacks[0], (const struct frame *[]){ odd, mainf, start },
	    3 * sizeof(odd));
	memcpy(stacks[1], (const struct frame *[]){ tail, leaf, mainf, start },
	    4 * sizeof(odd));
	stacks[2][0] = kernel;
	stacks[2][1] = frames_user(&frames, 7, 0x2020, 1, &none);
	list[0] = (struct out_stack){ .os_weight = 600,
		.os_pid = 7,
		.os_comm = "a;b c",
		.os_frames = stacks[0],
		.os_nframes = 3,
		.os_hasuser = 1 };
	list[1] = (struct out_stack){ .os_weight = 300,
		.os_isseveral = 1,
		.os_comm = "a;b c",
		.os_frames = stacks[1],
		.os_nframes = 4,
		.os_hasuser = 1 };
	list[2] = (struct out_stack){ .os_weight = 100,
		.os_pid = 8,
		.os_comm = "sh",
		.os_frames = stacks[2],
		.os_nframes = 2,
		.os_nkernel = 1,
		.os_hasuser = 1,
		.os_why = whys[0].oy_why };
	op = (struct out_profile){ .opr_stacks = list,
		.opr_nstacks = 3,
		.opr_whys = whys,
		.opr_nwhys = 1,
		.opr_total = 1000,
		.opr_idle = 7,
		.opr_judged = 1000,
		.opr_complete = 900,
		.opr_top = 10,
		.opr_period = 10000000,
		.opr_nsecs = 5000000000,
		.opr_start = { 1700000000, 5 } };
	op.opr_funcs = profile_funcs(list, 3, &op.opr_nfuncs);
	buf_init(&out.out_buf, -1);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	free((void *)op.opr_funcs);
	frames_free(&frames);
	buf_free(&out.out_buf);
	return 0;
}

static void
print(const struct out_format *format)
{
	out.out_buf.b_len = 0;
	out.out_format = format;
	format->f_profile(&out, &op);
}

/* Checks that the output contains this. */
static void
has(const char *want)
{
	buf_c(&out.out_buf, '\0');
	out.out_buf.b_len--;
	if (strstr(out.out_buf.b_data, want) == NULL)
		fail_msg("'%s' is not in '%s'", want, out.out_buf.b_data);
}

static void
only_a_start_makes_a_stack_complete(void **state)
{
#define V(end, error, count, func, noname, ...) \
	&(const struct stack_end) \
	{ \
		.se_end = (end), .se_error = (error), .se_count = (count), \
		.se_func = (func), .se_noname = (noname), __VA_ARGS__ \
	}
#define U(...) V(__VA_ARGS__, .se_ishidden = 0)
#define T(end, count, func) \
	V(end, 0, count, func, NULL, .se_how = DT_STACK_TABLE)
	const struct {
		const struct stack_end *kernel, *user;
		const char *want;
	} rows[] = {
		{ NULL, U(0, 0, 3, "_start", NULL), NULL },
		{ NULL, U(0, 0, 3, "start_thread", NULL), NULL },
		{ NULL, U(0, 0, 3, "clone3", NULL), NULL },
		{ NULL, U(0, 0, 3, "__libc_start_call_main", NULL), NULL },
		/* frames of libc itself may hide their caller */
		{ NULL,
		    V(0, 0, 3, "__libc_start_call_main", NULL,
			.se_ishidden = 1),
		    "no frame pointer in libc" },
		/* frames were cut after the start, or before it */
		{ NULL, V(0, 0, 3, "start_thread", NULL, .se_isunmapped = 1),
		    NULL },
		{ NULL, V(0, 0, 3, "main", NULL, .se_isunmapped = 1),
		    "address in no code mapping" },
		{ NULL,
		    V(DT_STACK_LIMIT, 0, 127, "main", NULL, .se_isunmapped = 1),
		    "address in no code mapping" },
		{ NULL, U(0, 0, 3, "main", NULL), "no frame pointer" },
		{ NULL, U(0, 0, 3, "_startx", NULL), "no frame pointer" },
		{ NULL, U(0, 0, 3, NULL, "no symbols"), "no symbols" },
		{ NULL, U(0, 0, 3, NULL, NULL), "no frame pointer" },
		{ NULL, U(0, 0, 0, NULL, NULL), "no frame" },
		{ NULL, U(DT_STACK_LIMIT, 0, 127, "f", NULL),
		    "limit of 127 frames" },
		{ NULL, U(DT_STACK_LIMIT, 0, 127, "_start", NULL), NULL },
		{ NULL, U(DT_STACK_NOMM, 0, 0, NULL, NULL), "no user memory" },
		{ NULL, U(DT_STACK_DENIED, 0, 0, NULL, NULL), "not allowed" },
		{ NULL, U(DT_STACK_ERRNO, 14, 0, NULL, NULL), "error EFAULT" },
		{ NULL, U(DT_STACK_BUSY, 0, 0, NULL, NULL),
		    "scratch memory in use" },
		{ NULL, U(77, 0, 0, NULL, NULL), "reason 77" },
		/* unwind tables mark the first frame, whatever its name */
		{ NULL, T(DT_STACK_ENDED, 3, "main"), NULL },
		{ NULL, T(DT_STACK_ENDED, 3, NULL), NULL },
		{ NULL, T(DT_STACK_NOTABLE, 3, "main"), "no unwind table" },
		{ NULL, T(DT_STACK_NOTABLE, 3, NULL), "no unwind table" },
		{ NULL, T(DT_STACK_NOTABLE, 3, "__libc_start_call_main"),
		    "no unwind table" },
		{ NULL, T(DT_STACK_NOTABLE, 3, "runtime.goexit"), NULL },
		{ NULL, T(DT_STACK_RULE, 3, "_start"), "unsupported rule" },
		{ NULL, T(DT_STACK_FAULT, 3, "main"), "unreadable memory" },
		{ NULL, T(DT_STACK_EVICTED, 3, "main"), "table evicted" },
		/* found by frame pointers instead */
		{ NULL, U(DT_STACK_PENDING, 0, 3, "_start", NULL), NULL },
		{ NULL, U(DT_STACK_PENDING, 0, 3, "main", NULL),
		    "table not ready" },
		/* threads of the kernel */
		{ U(0, 0, 3, "ret_from_fork_asm", NULL),
		    U(DT_STACK_NOMM, 0, 0, NULL, NULL), NULL },
		{ U(0, 0, 3, "do_exit", NULL),
		    U(DT_STACK_NOMM, 0, 0, NULL, NULL), "no user memory" },
		{ U(DT_STACK_LIMIT, 0, 127, "f", NULL),
		    U(DT_STACK_NOMM, 0, 0, NULL, NULL),
		    "kernel: limit of 127 frames" },
		/* the frames between user and kernel are missing */
		{ U(DT_STACK_LIMIT, 0, 127, "f", NULL),
		    U(0, 0, 3, "_start", NULL), "kernel: limit of 127 frames" },
		{ U(DT_STACK_DENIED, 0, 0, NULL, NULL),
		    U(0, 0, 3, "_start", NULL), NULL },
		{ U(0, 0, 3, "ret_from_fork_asm", NULL),
		    U(0, 0, 3, "main", NULL), "no frame pointer" },
	};
	const char *why;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		why = stack_incomplete(rows[i].kernel, rows[i].user);
		if (rows[i].want == NULL)
			assert_null(why);
		else
			assert_string_equal(why ? why : "complete",
			    rows[i].want);
	}
}

static void
a_function_counts_once_in_a_stack(void **state)
{
	const struct frame *twice[] = { stacks[0][1], stacks[0][1],
		stacks[0][2] };
	const struct out_stack os = {
		.os_weight = 5,
		.os_frames = twice,
		.os_nframes = 3,
	};
	struct out_func *of;
	size_t n;

	(void)state;
	of = profile_funcs(&os, 1, &n);
	assert_int_equal(n, 2);
	assert_string_equal(of[0].of_frame->fr_name, "main");
	assert_int_equal(of[0].of_self, 5);
	assert_int_equal(of[0].of_total, 5);
	assert_int_equal(of[1].of_self, 0);
	assert_int_equal(of[1].of_total, 5);
	free(of);
}

static void
what_is_not_named_says_why(void **state)
{
	static const struct {
		struct dt_frame df;
		const char *want;
	} rows[] = {
		{ { .df_func = "f", .df_module = "/a" }, "f" },
		{ { .df_module = "/a/b",
		      .df_why = DTFR_NOSYM,
		      .df_fileoff = 0x10 },
		    "b+0x11" },
		{ { .df_module = "//anon", .df_why = DTFR_ANON },
		    "[7: code without a file]" },
		{ { .df_why = DTFR_NOPROC, .df_error = 3 },
		    "[7: unknown process]" },
		{ { .df_why = DTFR_NOFILE, .df_error = 13 },
		    "[7: Permission denied]" },
		{ { .df_why = 4711 }, "[7: no name]" },
	};
	struct frame_alone fa;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(frames_user(&frames, 7, 1, 1, &rows[i].df)
					->fr_name,
		    rows[i].want);
		assert_string_equal(frames_alone(&fa, 7, 1, 1, &rows[i].df)
					->fr_name,
		    rows[i].want);
	}
}

static void
text_has_functions_then_the_tree(void **state)
{
	(void)state;
	opts.o_print.opi_calls = OPTS_CALLS;
	print(&out_text);
	has("\n 90.00%      900  a;b c\n"
	    " 90.00%      900    _start (a;b)\n"
	    " 90.00%      900    main (a;b)\n"
	    " 60.00%      600      <odd> & \"x\"\\x1b (a;b)\n"
	    " 30.00%      300      leaf (a;b) /s/x.c:12\n"
	    " 30.00%      300      tail (a;b, inlined) /s/x.c:3\n"
	    "\n"
	    " 10.00%      100  sh\n"
	    " 10.00%      100    [incomplete: no frame pointer]\n");
}

static void
text_has_functions_then_stacks(void **state)
{
	(void)state;
	opts.o_print.opi_calls = OPTS_STACKS;
	print(&out_text);
	assert_buf(&out.out_buf,
	    "   SELF  SAMPLES   TOTAL  SAMPLES  FUNCTION"
	    "                                  MODULE\n"
	    " 60.00%      600  60.00%      600  <odd> & \"x\"\\x1b"
	    "                           a;b\n"
	    " 30.00%      300  30.00%      300  tail"
	    "                                      a;b\n"
	    " 10.00%      100  10.00%      100  vfs_read"
	    "                                  [kernel]\n"
	    "  0.00%        0  90.00%      900  _start"
	    "                                    a;b\n"
	    "  0.00%        0  90.00%      900  main"
	    "                                      a;b\n"
	    "  0.00%        0  30.00%      300  leaf"
	    "                                      a;b\n"
	    "  0.00%        0  10.00%      100  libc.so+0x20"
	    "                              libc.so\n"
	    "\n 60.00%      600  a;b c (7)\n"
	    "        <odd> & \"x\"\\x1b (a;b)\n"
	    "        main (a;b)\n        _start (a;b)\n"
	    "\n 30.00%      300  a;b c (several processes)\n"
	    "        tail (a;b, inlined) /s/x.c:3\n"
	    "        leaf (a;b) /s/x.c:12\n"
	    "        main (a;b)\n        _start (a;b)\n"
	    "\n 10.00%      100  sh (8)\n"
	    "        vfs_read\n        libc.so+0x20\n"
	    "        [incomplete: no frame pointer]\n"
	    "\n1007 samples, 7 of them [idle] and excluded (--idle includes "
	    "them)\n"
	    "90 % of 1,000 user stacks complete, by frame pointers; 100: no "
	    "frame pointer\n");
}

static void
folded_stacks_begin_with_what_lacks(void **state)
{
	(void)state;
	print(&out_folded);
	assert_buf(&out.out_buf,
	    "a:b c;_start;main;<odd> & \"x\"\\x1b 600\n"
	    "a:b c;_start;main;leaf x.c:12;tail x.c:3 300\n"
	    "sh;[incomplete: no frame pointer];libc.so+0x20;vfs_read 100\n");
}

static void
json_has_each_frame(void **state)
{
	(void)state;
	print(&out_json);
	has("{\"count\":600,\"pid\":7,\"comm\":\"a;b c\",\"kstack\":[],"
	    "\"ustack\":[\"<odd> & \\\"x\\\"\\u001b\",\"main\",\"_start\"],"
	    "\"uframes\":[{");
	has("{\"pc\":\"0x0\",\"func\":\"tail\",\"offset\":0,"
	    "\"module\":\"/bin/a;b\",\"file\":\"/s/x.c\",\"line\":3,"
	    "\"inlined\":true}");
	has("],\"complete\":true}\n");
	has("\"kstack\":[\"vfs_read\"],\"ustack\":[\"0x0\"],\"uframes\":[{"
	    "\"pc\":\"0x0\",\"name\":\"libc.so+0x20\","
	    "\"module\":\"/lib/libc.so\"}],\"complete\":false,"
	    "\"incomplete\":\"no frame pointer\"}\n");
	out.out_buf.b_len = 0;
}

static void
a_flame_graph_has_each_frame_once(void **state)
{
	static const struct {
		uint64_t at, count;
		uint32_t depth;
		const char *name;
	} want[] = {
		{ 0, 1000, 0, "all" },
		{ 0, 900, 1, "a;b c" },
		{ 0, 900, 2, "_start" },
		{ 0, 900, 3, "main" },
		{ 0, 600, 4, "<odd> & \"x\"\033" },
		{ 600, 300, 4, "leaf" },
		{ 600, 300, 5, "tail" },
		{ 900, 100, 1, "sh" },
		{ 900, 100, 2, "no frame pointer" },
		{ 900, 100, 3, "libc.so+0x20" },
		{ 900, 100, 4, "vfs_read" },
	};
	struct flame fl;
	size_t i;

	(void)state;
	flame_make(&fl, &op);
	assert_int_equal(fl.fl_n, sizeof(want) / sizeof(want[0]));
	for (i = 0; i < fl.fl_n; i++) {
		assert_string_equal(fl.fl_nodes[i].fn_name, want[i].name);
		assert_int_equal(fl.fl_nodes[i].fn_at, want[i].at);
		assert_int_equal(fl.fl_nodes[i].fn_weight, want[i].count);
		assert_int_equal(fl.fl_nodes[i].fn_depth, want[i].depth);
	}
	flame_free(&fl);
}

static void
svg_is_as_wide_as_the_samples(void **state)
{
	(void)state;
	print(&out_svg);
	has("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ");
	has(">1,000 samples in 5.0 s, 100 a second and CPU, without 7 idle "
	    "ones; 90 % of 1,000 user stacks complete, by frame "
	    "pointers; 100: no frame pointer</t");
	has("<g data-s=\"0 600 4\"><title>&lt;odd&gt; &amp; "
	    "&quot;x&quot;\\x1b\n600 samples, 60.00 %, itself 600\n/bin/a;b"
	    "</title><rect x=\"0.00\" y=\"156\" width=\"719.20\" ");
	has("<text x=\"3.00\" y=\"169\">&lt;odd&gt; &amp; &quot;x&quot;\\x1b"
	    "</text></g>\n");
	has("<g data-s=\"600 300 5\" class=\"i\"><title>tail x.c:3\n"
	    "300 samples, 30.00 %, itself 300\n/bin/a;b, inlined\n"
	    "/s/x.c:3</title><rect x=\"720.00\"");
	has("<g data-s=\"900 100 2\" class=\"i\"><title>[incomplete: no frame "
	    "pointer]\n100 samples, 10.00 %</title>");
	has(">[incomplete: ..</text>");
	out.out_buf.b_len = 0;
}

static void
html_has_a_table_below(void **state)
{
	(void)state;
	print(&out_html);
	has("default-src 'none'");
	has("<tr><td class=\"n\">60.00</td><td class=\"n\">600</td>"
	    "<td class=\"n\">60.00</td><td class=\"n\">600</td>"
	    "<td class=\"c\">&lt;odd&gt; &amp; &quot;x&quot;\\x1b</td>"
	    "<td class=\"c\">/bin/a;b</td></tr>\n");
	out.out_buf.b_len = 0;
}

/* Decompresses it, for has(). */
static void
inflate_all(void)
{
	static char raw[65536];
	z_stream z = { .next_in = (Bytef *)out.out_buf.b_data,
		.avail_in = out.out_buf.b_len,
		.next_out = (Bytef *)raw,
		.avail_out = sizeof(raw) };

	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	out.out_buf.b_len = 0;
	buf_mem(&out.out_buf, raw, z.total_out);
	inflateEnd(&z);
}

static void
has_bytes(const char *want, size_t n)
{
	if (memmem(out.out_buf.b_data, out.out_buf.b_len, want, n) == NULL)
		fail_msg("%zu bytes are missing, of '%s'", n, want);
}

static void
pprof_is_what_profile_proto_says(void **state)
{
#define BYTES(s) has_bytes(s, sizeof(s) - 1)
	(void)state;
	print(&out_pprof);
	inflate_all();
	/* string_table: "", "samples", "count"; sample_type {1, 2} */
	BYTES("\x32\x00\x32\x07samples\x32\x05"
	      "count\x0a\x04\x08\x01\x10\x02");
	/* period 10,000,000; time; duration 5 s */
	BYTES("\x60\x80\xad\xe2\x04");
	BYTES("\x48\x85\x80\xa8\xb1\xe3\x9f\xe7\xcb\x17");
	BYTES("\x50\x80\xe4\x97\xd0\x12");
	BYTES("\x32\x0f<odd> & \"x\"\\x1b");
	BYTES("\x32\x04"
	      "abcd"); /* build id */
	/* sample: locations 1 2 3, values 600 and 6 s, label pid 7 */
	BYTES("\x0a\x03\x01\x02\x03\x12\x07\xd8\x04\x80\xf8\x82\xad\x16"
	      "\x1a\x04\x08");
	/* the second has 4 frames in 3 locations: one is inlined */
	BYTES("\x0a\x03\x04\x02\x03\x12");
	out.out_buf.b_len = 0;
}

static void
counts_have_commas(void **state)
{
	(void)state;
	out.out_buf.b_len = 0;
	buf_grouped(&out.out_buf, 0);
	assert_buf(&out.out_buf, "0");
	buf_grouped(&out.out_buf, 999);
	assert_buf(&out.out_buf, "999");
	buf_grouped(&out.out_buf, 1000);
	assert_buf(&out.out_buf, "1,000");
	buf_grouped(&out.out_buf, UINT64_MAX);
	assert_buf(&out.out_buf, "18,446,744,073,709,551,615");
}

/* Stacks whose weight is a time, and which are waits. */
static void
waits_have_times_and_kinds(void **state)
{
	struct out_profile samples = op;
	struct out_stack old[3];

	(void)state;
	memcpy(old, list, sizeof(old));
	list[0].os_weight = 6000000;
	list[0].os_hits = 4;
	list[0].os_wait = PROFILE_VOLUNTARY;
	list[1].os_weight = 3000500;
	list[1].os_hits = 1;
	list[1].os_wait = PROFILE_INVOLUNTARY;
	op.opr_unit = PROFILE_WAITS;
	op.opr_nstacks = 2;
	op.opr_total = 9000500;
	op.opr_waits[PROFILE_VOLUNTARY].hits = 4;
	op.opr_waits[PROFILE_VOLUNTARY].nsecs = 6000000;
	op.opr_waits[PROFILE_INVOLUNTARY].hits = 1;
	op.opr_waits[PROFILE_INVOLUNTARY].nsecs = 3000500;
	opts.o_print.opi_calls = OPTS_STACKS;
	print(&out_text);
	has("   SELF     TIME   TOTAL     TIME  FUNCTION ");
	has(" 66.66%   6.00ms  a;b c (7), 4 voluntary waits, mean 1.50ms\n");
	has(" (several processes), 1 involuntary wait, mean 3.00ms\n");
	has("\nvoluntary 6.00ms in 4 waits, involuntary 3.00ms in 1 wait\n");
	print(&out_json);
	has("{\"count\":4,\"weight\":6000000,\"type\":\"offcpu\",\"unit\":"
	    "\"nanoseconds\",\"wait\":\"voluntary\",\"pid\":7,");
	print(&out_folded);
	has("a:b c;[involuntary];_start;main;leaf x.c:12;tail x.c:3 3000500\n");
	print(&out_svg);
	has("<title>[voluntary]\n6.00ms, 66.66 %</title>");
	has("6.00ms, 66.66 %, itself 6.00ms\n");
	print(&out_html);
	has("<th class=\"n\">offcpu</th>");
	has("<td class=\"n\">600ns</td>");
	op = samples;
	memcpy(list, old, sizeof(old));
	out.out_buf.b_len = 0;
}

static void
a_sum_has_the_name_of_its_argument(void **state)
{
	struct out_profile samples = op;

	(void)state;
	list[0].os_hits = 3;
	op.opr_unit = PROFILE_SUM;
	op.opr_name = "len";
	op.opr_hits = 5;
	op.opr_novalue = 1;
	print(&out_text);
	has("   SELF      SUM   TOTAL      SUM  FUNCTION ");
	has(" 60.00%      600  a;b c (7), 3 hits, mean 200\n");
	has("\nsum of len: 1,000 in 5 hits; without a value: 1 hit\n");
	print(&out_json);
	has("\"count\":3,\"weight\":600,\"type\":\"sum\",\"unit\":\"len\"");
	op.opr_unit = PROFILE_NBYTES;
	print(&out_text);
	has("   SELF    BYTES   TOTAL    BYTES  FUNCTION ");
	has(" 60.00%     600B  a;b c (7), 3 hits, mean 200B\n");
	has("\nsum of len: 0.98kB in 5 hits; without a value: 1 hit\n");
	print(&out_json);
	has("\"count\":3,\"weight\":600,\"type\":\"sum\",\"unit\":\"bytes\"");
	op.opr_unit = PROFILE_HITS;
	print(&out_text);
	has("   SELF     HITS   TOTAL     HITS  FUNCTION ");
	has(" 60.00%      600  a;b c (7)\n");
	has("\n1,000 hits; without a value: 1 hit\n");
	op = samples;
	list[0].os_hits = 0;
	out.out_buf.b_len = 0;
}

/* Values of arguments may add up to more than 2^64. */
static void
weights_stop_at_the_largest_number(void **state)
{
	static const struct profile_hits large = { .phi_count = 2,
		.phi_weight = UINT64_MAX - 5 };
	struct dt_rec rec = { .dr_pid = 7 };
	const struct dt_event ev = { .ev_rec = &rec };
	struct name_cache names;
	struct profile pf;
	const struct out_profile *result;

	(void)state;
	name_cache_init(&names, NULL);
	profile_begin(&pf, &names, 0, 0);
	profile_unit(&pf, PROFILE_SUM, "len");
	profile_add(&pf, &ev, &large);
	profile_add(&pf, &ev, &large);
	result = profile_result(&pf, 0);
	assert_int_equal(result->opr_nstacks, 1);
	assert_int_equal(result->opr_stacks[0].os_hits, 4);
	assert_true(result->opr_stacks[0].os_weight == UINT64_MAX);
	assert_true(result->opr_total == UINT64_MAX);
	profile_end(&pf);
	name_cache_free(&names);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_start_makes_a_stack_complete),
		cmocka_unit_test(a_function_counts_once_in_a_stack),
		cmocka_unit_test(what_is_not_named_says_why),
		cmocka_unit_test(text_has_functions_then_the_tree),
		cmocka_unit_test(text_has_functions_then_stacks),
		cmocka_unit_test(folded_stacks_begin_with_what_lacks),
		cmocka_unit_test(json_has_each_frame),
		cmocka_unit_test(a_flame_graph_has_each_frame_once),
		cmocka_unit_test(svg_is_as_wide_as_the_samples),
		cmocka_unit_test(html_has_a_table_below),
		cmocka_unit_test(pprof_is_what_profile_proto_says),
		cmocka_unit_test(counts_have_commas),
		cmocka_unit_test(waits_have_times_and_kinds),
		cmocka_unit_test(a_sum_has_the_name_of_its_argument),
		cmocka_unit_test(weights_stop_at_the_largest_number),
	};

	return cmocka_run_group_tests_name("test_cli_profile", tests, setup,
	    teardown);
}
