/* SPDX-License-Identifier: ISC */
/*
 * dt_symbolize(), dt_symbolize_file() and dt_mappings(): requests to a daemon,
 * and the lifetime of cached replies.
 */
#include <stdatomic.h>

#include "tests/unit/test_libdt_peer.h"

static atomic_uint nrequests, nasked; /* of the peer; addresses in them */

/* The frames of a reply under construction. */
struct reply {
	struct wire_syms re_head;
	struct wire_frame re_frames[WIRE_MAXSYM];
	char re_strings[20000];
	size_t re_nbytes;
};

static uint32_t
reply_string(struct reply *re, const char *s)
{
	uint32_t ref = (uint32_t)re->re_nbytes + 1;

	PEER_ASSERT(re->re_nbytes + strlen(s) < sizeof(re->re_strings));
	strcpy(re->re_strings + re->re_nbytes, s);
	re->re_nbytes += strlen(s) + 1;
	return ref;
}

static void
reply_send(struct peer *pe, const struct reply *re)
{
	static uint8_t buf[WIRE_MAXMSG];
	size_t n = re->re_head.ws_count * sizeof(re->re_frames[0]);

	memcpy(buf, &re->re_head, sizeof(re->re_head));
	memcpy(buf + sizeof(re->re_head), re->re_frames, n);
	memcpy(buf + sizeof(re->re_head) + n, re->re_strings, re->re_nbytes);
	peer_reply(pe, 0, buf, sizeof(re->re_head) + n + re->re_nbytes);
}

/*
 * A process that had one set of code from 1000 to 2000 and has another since.
 * The time is 3000, plus 1000 with each request.  A symbol has the set and the
 * function, which is 16 bytes; at 0x9000 and above code appears and disappears,
 * and its symbol has the request.
 */
static void
reply_fill(struct reply *re, const struct wire_sym *wy, const uint64_t *pcs)
{
	uint32_t now = 2000 + 1000 * atomic_load(&nrequests), i;
	struct wire_frame *wf = re->re_frames;
	char name[64];

	memset(re, 0, sizeof(*re));
	re->re_head.ws_gen = wy->wy_time < 2000 ? 1 : 2;
	re->re_head.ws_from = wy->wy_time < 2000 ? 1000 : 2000;
	re->re_head.ws_until = wy->wy_time < 2000 ? 2000 : now;
	for (i = 0; i < wy->wy_npcs; i++, wf++) {
		wf->wf_pc = i;
		wf->wf_fileoff = pcs[i] - 0x400;
		wf->wf_module = reply_string(re, "/bin/x");
		if (pcs[i] == 0x10) {
			wf->wf_why = DTFR_NOFILE;
			wf->wf_error = EACCES;
			continue;
		}
		snprintf(name, sizeof(name), "%u_%llx_%u",
		    (unsigned)re->re_head.ws_gen,
		    (unsigned long long)pcs[i] >> 4,
		    pcs[i] >= 0x9000 ? atomic_load(&nrequests) : 0);
		wf->wf_func = reply_string(re, name);
		wf->wf_offset = pcs[i] & 15;
		wf->wf_buildidlen = 20;
		wf->wf_buildid[19] = 7;
		wf->wf_flags = pcs[i] >= 0x9000 ? WIRE_FRAME_PASSING : 0;
	}
	re->re_head.ws_total = re->re_head.ws_count = wy->wy_npcs;
}

static void
script_process(struct peer *pe)
{
	static struct reply re;
	uint64_t pcs[WIRE_MAXSYM];
	struct wire_sym wy;

	peer_hello(pe);
	peer_welcome(pe);
	while (peer_get(pe)) {
		PEER_ASSERT(pe->pe_hdr.wh_command == (uint32_t)DTIOCSYM);
		memcpy(&wy, pe->pe_req, sizeof(wy));
		PEER_ASSERT(wy.wy_npcs <= WIRE_MAXSYM);
		memcpy(pcs, pe->pe_req + sizeof(wy), wy.wy_npcs * sizeof(*pcs));
		atomic_fetch_add(&nrequests, 1);
		atomic_fetch_add(&nasked, wy.wy_npcs);
		reply_fill(&re, &wy, pcs);
		reply_send(pe, &re);
	}
}

static struct dt *
start(struct peer **pe, void (*script)(struct peer *))
{
	atomic_store(&nrequests, 0);
	atomic_store(&nasked, 0);
	*pe = peer_start(script);
	return peer_open(*pe, 0);
}

/* Checks the symbol of an address of process 1 at a time. */
static void
named(struct dt *dt, uint64_t nsecs, uint64_t pc, const char *name)
{
	struct dt_frames fr;

	assert_int_equal(dt_symbolize(dt, 1, nsecs, &pc, 1, 0, &fr), 0);
	assert_int_equal(fr.df_n, 1);
	assert_string_equal(fr.df_frames[0].df_func, name);
	dt_frames_free(&fr);
	assert_null(fr.df_frames);
}

static void
an_address_is_asked_for_once(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_process);
	uint64_t pcs[] = { 0x1005, 0x10, 0x2004, 0x1005 };
	const struct dt_frame *df;
	struct dt_frames fr;

	(void)state;
	assert_int_equal(dt_symbolize(dt, 1, 2500, pcs, 4, 0, &fr), 0);
	assert_int_equal(atomic_load(&nrequests), 1);
	assert_int_equal(atomic_load(&nasked), 3); /* each once */
	assert_int_equal(fr.df_n, 4);
	df = fr.df_frames;
	assert_int_equal(df[3].df_pc, 3);
	assert_string_equal(df[0].df_func, "2_100_0");
	assert_string_equal(df[0].df_module, "/bin/x");
	assert_int_equal(df[0].df_offset, 5);
	assert_int_equal(df[0].df_fileoff, 0xc05);
	assert_int_equal(df[0].df_buildidlen, 20);
	assert_int_equal(df[0].df_buildid[19], 7);
	assert_int_equal(df[0].df_why, DTFR_NAMED);
	assert_ptr_equal(df[0].df_func, df[3].df_func);
	assert_null(df[1].df_func);
	assert_int_equal(df[1].df_why, DTFR_NOFILE);
	assert_int_equal(df[1].df_error, EACCES);
	assert_int_equal(df[1].df_offset, (uint64_t)0x10 - 0x400);
	assert_null(df[1].df_buildid);
	named(dt, 2999, 0x2004, "2_200_0");
	named(dt, 2000, 0x1005, "2_100_0");
	assert_int_equal(atomic_load(&nrequests), 1);
	/* another process is looked up separately, and so are lines */
	dt_frames_free(&fr);
	assert_int_equal(dt_symbolize(dt, 2, 2500, pcs, 1, 0, &fr), 0);
	dt_frames_free(&fr);
	assert_int_equal(dt_symbolize(dt, 1, 2500, pcs, 1, DT_SYM_LINES, &fr),
	    0);
	dt_frames_free(&fr);
	assert_int_equal(atomic_load(&nrequests), 3);
	dt_close(dt);
	peer_stop(pe);
}

static void
names_are_those_of_their_time(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_process);

	(void)state;
	named(dt, 2500, 0x1005, "2_100_0");
	named(dt, 1500, 0x1005, "1_100_0");
	assert_int_equal(atomic_load(&nrequests), 2);
	named(dt, 2500, 0x1005, "2_100_0");
	named(dt, 1999, 0x1005, "1_100_0");
	named(dt, 2000, 0x1005, "2_100_0");
	assert_int_equal(atomic_load(&nrequests), 2);
	dt_close(dt);
	peer_stop(pe);
}

static void
a_later_time_asks_for_one_address_only(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_process);
	uint64_t pcs[100];
	struct dt_frames fr;
	int i;

	(void)state;
	for (i = 0; i < 100; i++)
		pcs[i] = 0x1000 + (uint64_t)i * 16;
	assert_int_equal(dt_symbolize(dt, 1, 2900, pcs, 100, 0, &fr), 0);
	dt_frames_free(&fr);
	assert_int_equal(atomic_load(&nasked), 100);
	/* the handle's latest time is 3000 */
	assert_int_equal(dt_symbolize(dt, 1, 3500, pcs, 100, 0, &fr), 0);
	assert_string_equal(fr.df_frames[99].df_func, "2_163_0");
	dt_frames_free(&fr);
	assert_int_equal(atomic_load(&nasked), 101);
	assert_int_equal(dt_symbolize(dt, 1, 3999, pcs, 100, 0, &fr), 0);
	dt_frames_free(&fr);
	assert_int_equal(atomic_load(&nasked), 101);
	/* a future time is now */
	assert_int_equal(dt_symbolize(dt, 1, UINT64_MAX, pcs, 100, 0, &fr), 0);
	dt_frames_free(&fr);
	dt_close(dt);
	peer_stop(pe);
}

static void
code_that_comes_and_goes_is_asked_for_again(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_process);

	(void)state;
	named(dt, 2500, 0x9000, "2_900_1");
	named(dt, 2900, 0x9000, "2_900_1");
	named(dt, 3500, 0x9000, "2_900_2"); /* replied at 4000 */
	named(dt, 3900, 0x9000, "2_900_2");
	named(dt, UINT64_MAX, 0x9000, "2_900_3");
	named(dt, 0, 0x9000, "2_900_4");
	assert_int_equal(atomic_load(&nrequests), 4);
	dt_close(dt);
	peer_stop(pe);
}

static void
frames_outlive_their_handle(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_process);
	uint64_t pc = 0x1005;
	struct dt_frames fr;

	(void)state;
	assert_int_equal(dt_symbolize(dt, 1, 2500, &pc, 1, 0, &fr), 0);
	dt_close(dt);
	peer_stop(pe);
	assert_string_equal(fr.df_frames[0].df_func, "2_100_0");
	dt_frames_free(&fr);
	dt_frames_free(&fr);
	dt_frames_free(NULL);
}

static void
a_full_book_is_begun_anew(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_process);
	static uint64_t pcs[20000];
	struct dt_frames fr, first;
	size_t i, round;

	(void)state;
	for (round = 0; round < 30; round++) { /* about 5 MB each */
		for (i = 0; i < 20000; i++)
			pcs[i] = 0x1000 + (round * 20000 + i) * 16;
		assert_int_equal(dt_symbolize(dt, 1, 2500, pcs, 20000, 0,
				     round == 0 ? &first : &fr),
		    0);
		if (round > 0)
			dt_frames_free(&fr);
	}
	i = atomic_load(&nasked);
	assert_int_equal(i, 30 * 20000);
	pcs[0] = 0x1000;
	named(dt, 2500, 0x1000, "2_100_0");
	assert_int_equal(atomic_load(&nasked), i + 1); /* was evicted */
	assert_string_equal(first.df_frames[0].df_func, "2_100_0");
	dt_frames_free(&first);
	dt_close(dt);
	peer_stop(pe);
}

static void
nonsense_is_refused_here(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_process);
	uint8_t id[21] = { 0 };
	uint64_t pc = 0x1005;
	struct dt_frames fr;
	struct dt_mappings maps;
	char path[5000];

	(void)state;
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(dt_symbolize(dt, 1, 0, &pc, 0, 0, &fr), 0);
	assert_int_equal(fr.df_n, 0);
	dt_frames_free(&fr);
#define REFUSED(call, error) \
	do { \
		assert_int_equal((call), -1); \
		assert_int_equal(errno, (error)); \
	} while (0)
	REFUSED(dt_symbolize(dt, 1, 0, NULL, 1, 0, &fr), EFAULT);
	REFUSED(dt_symbolize(dt, 1, 0, &pc, 1, 0, NULL), EFAULT);
	REFUSED(dt_symbolize(dt, 1, 0, &pc, 1, 2, &fr), EINVAL);
	REFUSED(dt_symbolize(dt, -1, 0, &pc, 1, 0, &fr), EINVAL);
	REFUSED(dt_mappings(dt, 0, 0, &maps), EINVAL);
	REFUSED(dt_mappings(dt, -1, 0, &maps), EINVAL);
	REFUSED(dt_mappings(dt, 1, 0, NULL), EFAULT);
	REFUSED(dt_symbolize_file(dt, NULL, NULL, 0, &pc, 1, 0, &fr), EFAULT);
	REFUSED(dt_symbolize_file(dt, "x", NULL, 0, &pc, 1, 0, &fr), EINVAL);
	REFUSED(dt_symbolize_file(dt, path, NULL, 0, &pc, 1, 0, &fr), EINVAL);
	REFUSED(dt_symbolize_file(dt, "/x", id, 21, &pc, 1, 0, &fr), EINVAL);
	REFUSED(dt_symbolize_file(dt, "/x", NULL, 2, &pc, 1, 0, &fr), EFAULT);
	assert_int_equal(atomic_load(&nrequests), 0);
	dt_close(dt);
	peer_stop(pe);
}

/* A file: offsets are resolved in the descriptor that was sent. */
static void
script_file(struct peer *pe)
{
	static struct reply re;
	struct wire_symfile wx;
	char path[64] = "";
	size_t i;

	peer_hello(pe);
	peer_welcome(pe);
	while (peer_get(pe)) {
		PEER_ASSERT(pe->pe_hdr.wh_command == (uint32_t)DTIOCSYMFILE);
		memcpy(&wx, pe->pe_req, sizeof(wx));
		PEER_ASSERT(pe->pe_hdr.wh_length ==
		    sizeof(wx) + wx.wx_noffs * 8 + wx.wx_pathlen);
		PEER_ASSERT(wx.wx_pathlen == 6 && wx.wx_buildidlen == 2 &&
		    wx.wx_buildid[1] == 9 && wx.wx_flags == DTSY_LINES);
		memcpy(path, pe->pe_req + sizeof(wx) + wx.wx_noffs * 8, 6);
		memset(&re, 0, sizeof(re));
		for (i = 0; i < wx.wx_noffs; i++) {
			re.re_frames[i].wf_pc = (uint32_t)i;
			re.re_frames[i].wf_func = reply_string(&re, path);
			re.re_frames[i].wf_file = reply_string(&re, "x.c");
			re.re_frames[i].wf_line = 12;
		}
		re.re_head.ws_total = re.re_head.ws_count = wx.wx_noffs;
		reply_send(pe, &re);
	}
}

static void
a_file_is_asked_for_by_path_and_build_id(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_file);
	const uint8_t id[2] = { 8, 9 };
	uint64_t offs[300];
	struct dt_frames fr;
	int i;

	(void)state;
	for (i = 0; i < 300; i++)
		offs[i] = (uint64_t)(300 - i) * 8;
	assert_int_equal(dt_symbolize_file(dt, "/bin/x", id, 2, offs, 300,
			     DT_SYM_LINES, &fr),
	    0);
	assert_int_equal(fr.df_n, 300);
	for (i = 0; i < 300; i++) {
		assert_int_equal(fr.df_frames[i].df_pc, i);
		assert_string_equal(fr.df_frames[i].df_func, "/bin/x");
		assert_string_equal(fr.df_frames[i].df_file, "x.c");
		assert_int_equal(fr.df_frames[i].df_line, 12);
	}
	dt_close(dt);
	peer_stop(pe);
	dt_frames_free(&fr);
}

/*
 * A process with 1000 mappings in pages of 100.  It changes after the third
 * page of the first attempt; then it stays.  The third process sends wrong
 * replies.
 */
struct page {
	struct wire_syms pa_head;
	struct wire_map pa_maps[100];
	char pa_strings[16];
};

static void
page_spoil(struct page *pa, uint32_t how, size_t *len)
{
	switch (how) {
	case 0:
		pa->pa_maps[3].wmp_path = 17;
		break;
	case 1:
		pa->pa_maps[3].wmp_buildidlen = 21;
		break;
	case 2:
		pa->pa_maps[3].wmp_end = pa->pa_maps[3].wmp_start;
		break;
	case 3:
		pa->pa_head.ws_count = 101;
		break;
	case 4:
		pa->pa_head.ws_total = 99;
		break;
	case 5:
		pa->pa_head.ws_total = UINT32_MAX;
		break;
	case 6:
		pa->pa_strings[15] = 'x';
		break;
	case 7:
		*len = sizeof(pa->pa_head) - 1;
		break;
	case 8:
		pa->pa_head.ws_count = 0;
		*len = sizeof(pa->pa_head);
		break;
	}
}

#define NPAGESPOILT 9

static void
script_maps(struct peer *pe)
{
	unsigned int n, i, nlies = 0;
	struct wire_maps wm;
	struct page pa;
	size_t len;

	peer_hello(pe);
	peer_welcome(pe);
	for (n = 0; peer_get(pe); n++) {
		PEER_ASSERT(pe->pe_hdr.wh_command == (uint32_t)DTIOCGMAPS);
		memcpy(&wm, pe->pe_req, sizeof(wm));
		memset(&pa, 0, sizeof(pa));
		pa.pa_head = (struct wire_syms){ 1000, 100, 5, 6,
			n < 3 ? 1 : 2 };
		for (i = 0; i < 100; i++)
			pa.pa_maps[i] = (struct wire_map){
				.wmp_start = (wm.wms_first + i) * 0x1000,
				.wmp_end = (wm.wms_first + i + 1) * 0x1000,
				.wmp_file = 3,
				.wmp_kind = DTMP_FILE,
				.wmp_path = i % 2 ? 1 : 0,
				.wmp_buildidlen = i % 2 ? 20 : 0,
			};
		memcpy(pa.pa_strings, "/lib/libfoo.so\0", 16);
		len = sizeof(pa);
		if (wm.wms_pid == 3)
			page_spoil(&pa, nlies++, &len);
		peer_reply(pe, 0, &pa, len);
	}
}

static void
mappings_come_in_pages_of_one_time(void **state)
{
	struct peer *pe;
	struct dt *dt = start(&pe, script_maps);
	struct dtioc_maps ms = { .dtms_pid = 1 };
	struct dtioc_map *mp;
	struct dt_mappings maps;
	size_t i;

	(void)state;
	assert_int_equal(dt_mappings(dt, 1, 7, &maps), 0);
	assert_int_equal(maps.dm_n, 1000);
	assert_int_equal(maps.dm_from, 5);
	assert_int_equal(maps.dm_until, 6);
	assert_int_equal(maps.dm_gen, 2);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(maps.dm_maps[i].dm_start, i * 0x1000);
		assert_string_equal(maps.dm_maps[i].dm_path,
		    i % 2 ? "/lib/libfoo.so" : "");
		assert_int_equal(maps.dm_maps[i].dm_buildid != NULL, i % 2);
	}
	dt_mappings_free(&maps);
	dt_mappings_free(&maps);
	/* the same by its command */
	assert_int_equal(dt_ioctl(dt, DTIOCGMAPS, &ms), 0);
	mp = malloc(ms.dtms_size);
	ms.dtms_buf = mp;
	ms.dtms_size--;
	assert_int_equal(dt_ioctl(dt, DTIOCGMAPS, &ms), -1);
	assert_int_equal(errno, ENOSPC);
	ms.dtms_size++;
	assert_int_equal(dt_ioctl(dt, DTIOCGMAPS, &ms), 0);
	assert_int_equal(ms.dtms_nmaps, 1000);
	assert_string_equal(mp[999].dtmp_path, "/lib/libfoo.so");
	free(mp);
	for (i = 0; i < NPAGESPOILT; i++) {
		assert_int_equal(dt_mappings(dt, 3, 7, &maps), -1);
		assert_int_equal(errno, EPROTO);
	}
	dt_close(dt);
	peer_stop(pe);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_asked_for_once),
		cmocka_unit_test(names_are_those_of_their_time),
		cmocka_unit_test(a_later_time_asks_for_one_address_only),
		cmocka_unit_test(code_that_comes_and_goes_is_asked_for_again),
		cmocka_unit_test(frames_outlive_their_handle),
		cmocka_unit_test(a_full_book_is_begun_anew),
		cmocka_unit_test(nonsense_is_refused_here),
		cmocka_unit_test(a_file_is_asked_for_by_path_and_build_id),
		cmocka_unit_test(mappings_come_in_pages_of_one_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
