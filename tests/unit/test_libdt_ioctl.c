/* SPDX-License-Identifier: ISC */
/*
 * dt_ioctl() and its users, against a peer that plays the daemon: lists in
 * pages, symbols with offsets outside of the reply, replies of a wrong length,
 * errnos and texts.
 */
#include "tests/unit/test_libdt_peer.h"

#include "common/hash.h"

#define NPROBES 1000 /* of the peer: more than a page holds */

static struct dtioc_probe_info probes[NPROBES];

static void
make_probes(void)
{
	uint32_t i;

	for (i = 0; i < NPROBES; i++) {
		probes[i].dtpi_pbn = i + 1;
		probes[i].dtpi_nargs = i % 7;
		/*
		 * the longest names are unterminated: libdt must terminate them
		 */
		memset(probes[i].dtpi_prov, 'p', DTNAMESIZE);
		snprintf(probes[i].dtpi_func, DTNAMESIZE, "func%u", i);
		snprintf(probes[i].dtpi_name, DTNAMESIZE, "entry");
	}
}

/* Replies to a list like a real daemon. */
static void
answer_page(struct peer *pe, uint32_t first, uint32_t max)
{
	uint32_t n = NPROBES - first;

	PEER_ASSERT(first <= NPROBES);
	if (n > max)
		n = max;
	peer_list(pe, NPROBES, n, probes + first, n * sizeof(probes[0]));
}

static void
answer_args(struct peer *pe)
{
	struct dtioc_argname_info an[2] = { { .dtan_argn = 0 } };
	struct dtioc_arg_info ai[2] = { { .dtai_argn = 0 } };
	struct wire_args wa;

	memcpy(&wa, pe->pe_req, sizeof(wa));
	if (wa.wa_pbn > NPROBES) {
		peer_reply(pe, EINVAL, "no probe", 8);
		return;
	}
	ai[1].dtai_argn = 1;
	memset(ai[1].dtai_argtype, 't', DTNAMESIZE);
	an[1].dtan_argn = 200; /* outside of every array */
	strcpy(an[0].dtan_name, "path");
	if (pe->pe_hdr.wh_command == DTIOCGARGS)
		peer_list(pe, 2, 2, ai, sizeof(ai));
	else
		peer_list(pe, 2, 2, an, sizeof(an));
}

static void
answer_plain(struct peer *pe)
{
	struct dtioc_stat st = { 1, 2, 3, 4 };
	struct dtioc_getaux ga;

	switch (pe->pe_hdr.wh_command) {
	case DTIOCGSTATS:
		if (pe->pe_hdr.wh_length == 0)
			peer_reply(pe, 0, &st, sizeof(st));
		else
			peer_reply(pe, EINVAL, "", 0);
		break;
	case DTIOCGETAUXBASE:
		if (pe->pe_hdr.wh_length == 0) {
			peer_reply(pe, EINVAL, "", 0);
			break;
		}
		memcpy(&ga, pe->pe_req, sizeof(ga));
		ga.dtga_auxbase = 0x7000;
		peer_reply(pe, ga.dtga_pid == 1 ? 0 : ESRCH, &ga,
		    ga.dtga_pid == 1 ? sizeof(ga) : 0);
		break;
	case DTIOCRECORD:
		PEER_ASSERT(pe->pe_hdr.wh_length == sizeof(int));
		peer_reply(pe, EBUSY, "recording", 9);
		break;
	default:
		peer_reply(pe, ENOTTY, "what?", 5);
	}
}

/* Plays a real daemon. */
static void
script_honest(struct peer *pe)
{
	struct wire_lookup wk;
	struct wire_page wg;

	peer_hello(pe);
	peer_welcome(pe);
	while (peer_get(pe)) {
		switch (pe->pe_hdr.wh_command) {
		case DTIOCGPLIST:
			memcpy(&wg, pe->pe_req, sizeof(wg));
			answer_page(pe, wg.wg_first, wg.wg_max);
			break;
		case DTIOCLOOKUP:
			memcpy(&wk, pe->pe_req, sizeof(wk));
			if (strcmp(wk.wk_pattern, "none:*:*") == 0)
				peer_list(pe, 0, 0, "", 0);
			else if (strcmp(wk.wk_pattern, "*:open*:a:b") == 0)
				peer_list(pe, 1, 1, probes, sizeof(*probes));
			else
				answer_page(pe, wk.wk_first, wk.wk_max);
			break;
		case DTIOCGARGS:
		case DTIOCGARGNAMES:
			answer_args(pe);
			break;
		default:
			answer_plain(pe);
		}
	}
}

static void
lists_come_whole_or_as_far_as_they_fit(void **state)
{
	struct peer *pe = peer_start(script_honest);
	struct dt *dt = peer_open(pe, 0);
	struct dtioc_probe_info *pi = calloc(NPROBES + 1, sizeof(*pi));
	struct dtioc_probe dtpr = { 0 };
	size_t n;

	(void)state;
	assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), 0);
	assert_int_equal(dtpr.dtpr_size, sizeof(probes));

	dtpr.dtpr_probes = pi;
	assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), 0);
	assert_int_equal(dtpr.dtpr_size, sizeof(probes));
	assert_int_equal(pi[NPROBES - 1].dtpi_pbn, NPROBES);
	assert_int_equal(strlen(pi[0].dtpi_prov), DTNAMESIZE - 1);

	/* a larger one, not a multiple */
	dtpr.dtpr_size += 150;
	assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), 0);
	assert_int_equal(dtpr.dtpr_size, sizeof(probes));

	for (n = 1; n < NPROBES; n += 111) {
		memset(pi, 0, (NPROBES + 1) * sizeof(*pi));
		dtpr.dtpr_size = n * sizeof(*pi) + 199;
		assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), -1);
		assert_int_equal(errno, ENOSPC);
		assert_int_equal(dtpr.dtpr_size, n * sizeof(*pi) + 199);
		assert_int_equal(pi[n - 1].dtpi_pbn, n);
		assert_int_equal(pi[n].dtpi_pbn, 0);
	}
	dtpr.dtpr_size = 1;
	assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), -1);
	assert_int_equal(errno, ENOSPC);

	dtpr.dtpr_probes = NULL;
	assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), -1);
	assert_int_equal(errno, EFAULT);
	free(pi);
	dt_close(dt);
	peer_stop(pe);
}

static void
args_and_errors_of_probes(void **state)
{
	struct peer *pe = peer_start(script_honest);
	struct dt *dt = peer_open(pe, 0);
	struct dtioc_arg_info ai[2];
	struct dtioc_arg dtar = { .dtar_pbn = 1 };

	(void)state;
	assert_int_equal(dt_ioctl(dt, DTIOCGARGS, &dtar), 0);
	assert_int_equal(dtar.dtar_size, sizeof(ai));
	dtar.dtar_args = ai;
	assert_int_equal(dt_ioctl(dt, DTIOCGARGS, &dtar), 0);
	assert_int_equal(strlen(ai[1].dtai_argtype), DTNAMESIZE - 1);
	dtar.dtar_size = sizeof(ai[0]);
	ai[0].dtai_argn = 9;
	assert_int_equal(dt_ioctl(dt, DTIOCGARGS, &dtar), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(ai[0].dtai_argn, 0);
	dtar.dtar_pbn = NPROBES + 1;
	assert_int_equal(dt_ioctl(dt, DTIOCGARGS, &dtar), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(dt_error(dt), "no probe");
	dt_close(dt);
	peer_stop(pe);
}

static void
structs_without_pointers_travel_as_they_are(void **state)
{
	struct peer *pe = peer_start(script_honest);
	struct dt *dt = peer_open(pe, 0);
	struct dtioc_getaux ga = { .dtga_pid = 1 };
	struct dtioc_stat st;
	uint32_t word = 0;
	int on = 1;

	(void)state;
	assert_int_equal(dt_ioctl(dt, DTIOCGSTATS, &st), 0);
	assert_int_equal(st.dtst_recurevt, 4);
	assert_int_equal(dt_ioctl(dt, DTIOCGETAUXBASE, &ga), 0);
	assert_int_equal(ga.dtga_auxbase, 0x7000);
	ga.dtga_pid = 2;
	assert_int_equal(dt_ioctl(dt, DTIOCGETAUXBASE, &ga), -1);
	assert_int_equal(errno, ESRCH);
	assert_string_equal(dt_error(dt), strerror(ESRCH));
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), -1);
	assert_int_equal(errno, EBUSY);
	assert_string_equal(dt_error(dt), "recording");

	/* unknown ones: those of a later daemon, and invalid numbers */
	assert_int_equal(dt_ioctl(dt, DT_IOWR('D', 200, uint32_t), &word), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(dt_ioctl(dt, DT_IO('D', 201), NULL), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(dt_ioctl(dt, WIRE_OPEN, NULL), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(dt_ioctl(dt, 1UL << 40, NULL), -1);
	assert_int_equal(errno, ENOTTY);
	dt_close(dt);
	peer_stop(pe);
}

static void
null_is_efault_after_enotty(void **state)
{
	struct peer *pe = peer_start(script_honest);
	struct dt *dt = peer_open(pe, 0);

	(void)state;
	assert_int_equal(dt_ioctl(dt, DTIOCGETAUXBASE, NULL), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(dt_ioctl(dt, DTIOCGSTATS, NULL), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(dt_ioctl(dt, DT_IOW('D', 200, int), NULL), -1);
	assert_int_equal(errno, ENOTTY);
	dt_close(dt);
	peer_stop(pe);
}

static void
probes_are_described_and_looked_up(void **state)
{
	struct peer *pe = peer_start(script_honest);
	struct dt *dt = peer_open(pe, 0);
	const struct dt_probe_desc *pd;
	struct dtioc_probe_info *pi;
	char pattern[300];

	(void)state;
	pd = dt_probe(dt, 8);
	assert_non_null(pd);
	assert_int_equal(pd->pd_info.dtpi_nargs, 0);
	assert_string_equal(pd->pd_names[0].dtan_name, "path");
	assert_int_equal(strlen(pd->pd_types[1].dtai_argtype), DTNAMESIZE - 1);
	assert_ptr_equal(dt_probe(dt, 8), pd);
	assert_null(dt_probe(dt, NPROBES + 1));
	assert_int_equal(errno, ENOENT);
	assert_null(dt_probe(dt, 0));

	assert_int_equal(dt_lookup(dt, "all", &pi), NPROBES);
	assert_int_equal(pi[NPROBES - 1].dtpi_pbn, NPROBES);
	free(pi);
	assert_int_equal(dt_lookup(dt, ":open*:a:b", &pi), 1);
	free(pi);
	assert_int_equal(dt_lookup(dt, "none", &pi), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(dt_lookup(dt, "none::", &pi), -1);
	assert_int_equal(errno, ENOENT);
	memset(pattern, '*', sizeof(pattern));
	for (size_t n = 250; n < 299; n++) {
		pattern[n] = '\0';
		assert_int_equal(dt_lookup(dt, pattern, &pi),
		    n + 4 < WIRE_MAXPATTERN ? NPROBES : -1);
		if (n + 4 < WIRE_MAXPATTERN)
			free(pi);
		else
			assert_int_equal(errno, ENAMETOOLONG);
		pattern[n] = '*';
	}
	dt_close(dt);
	peer_stop(pe);
}

/*
 * Lists with wrong headers.  The script replies to each request with the next
 * of these headers; all are followed by the bytes of one entry.
 */
static const struct wire_list lies[] = {
	{ 0, 1 },
	{ 5, 0 },
	{ 5, 2 },
	{ 5, UINT32_MAX },
	{ 0, 0 },
	{ UINT32_MAX, 2 },
};

static void
script_lies(struct peer *pe)
{
	size_t i;

	peer_hello(pe);
	peer_welcome(pe);
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		if (!peer_get(pe))
			return;
		peer_list(pe, lies[i].wl_total, lies[i].wl_count, probes,
		    sizeof(probes[0]));
	}
	/* longer than any struct, and shorter than a header */
	PEER_ASSERT(peer_get(pe));
	peer_reply(pe, 0, probes, 33);
	PEER_ASSERT(peer_get(pe));
	peer_reply(pe, 0, probes, 31);
	PEER_ASSERT(peer_get(pe));
	peer_reply(pe, 0, probes, 7);
	/* an endless list, one entry at a time, until the peer closes */
	for (i = 0; peer_get(pe) && i < 100; i++)
		peer_list(pe, UINT32_MAX, 1, probes, sizeof(probes[0]));
}

static void
lists_that_lie_are_eproto(void **state)
{
	struct peer *pe = peer_start(script_lies);
	struct dt *dt = peer_open(pe, 0);
	struct dtioc_probe_info pi[50];
	struct dtioc_probe dtpr;
	struct dtioc_stat st;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		dtpr.dtpr_size = sizeof(pi);
		dtpr.dtpr_probes = pi;
		assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), -1);
		assert_int_equal(errno, EPROTO);
	}
	memset(&st, 0x11, sizeof(st));
	assert_int_equal(dt_ioctl(dt, DTIOCGSTATS, &st), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(dt_ioctl(dt, DTIOCGSTATS, &st), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(st.dtst_readevt, 0x1111111111111111);
	assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), -1);
	assert_int_equal(errno, EPROTO);
	/* fifty are stored, and the caller learns that there are more */
	assert_int_equal(dt_ioctl(dt, DTIOCGPLIST, &dtpr), -1);
	assert_int_equal(errno, ENOSPC);
	assert_null(dt_probe(dt, 77));
	assert_int_equal(errno, EPIPE);
	assert_int_equal(dt_ioctl(dt, DTIOCGSTATS, &st), -1);
	assert_int_equal(errno, EPIPE);
	dt_close(dt);
	peer_stop(pe);
}

/* A frame and two strings, and ways to damage a reply. */
struct spoilt {
	struct wire_syms sp_list;
	struct wire_frame sp_frame;
	char sp_strings[8];
};

static struct spoilt
sym_reply(void)
{
	struct spoilt sp = {
		.sp_list = { .ws_total = 1, .ws_count = 1 },
		.sp_frame = { .wf_func = 1, .wf_module = 5, .wf_offset = 16 },
		.sp_strings = "foo\0bar",
	};

	return sp;
}

static void
spoil(struct spoilt *sp, int how, size_t *len)
{
	switch (how) {
	case 0:
		sp->sp_frame.wf_func = 9;
		break;
	case 1:
		sp->sp_frame.wf_module = 9;
		break;
	case 2:
		sp->sp_frame.wf_file = UINT32_MAX;
		break;
	case 3:
		sp->sp_strings[7] = 'x';
		break;
	case 4:
		sp->sp_frame.wf_pc = 1;
		break;
	case 5:
		sp->sp_frame.wf_pc = UINT32_MAX;
		break;
	case 6:
		sp->sp_frame.wf_buildidlen = 21;
		break;
	case 7:
		sp->sp_list.ws_count = 2;
		break;
	case 8:
		sp->sp_list.ws_count = UINT32_MAX;
		break;
	case 9:
		sp->sp_list.ws_total = 0;
		break;
	case 10:
		*len = 7;
		break;
	case 11:
		*len = sizeof(sp->sp_list) + sizeof(sp->sp_frame);
		break;
	case 12:
		*len -= 1;
		break;
	case 13:
		*len = 0;
		break;
	case 14:
		sp->sp_frame.wf_flags = WIRE_FRAME_ALL + 1;
		break;
	case 15:
		sp->sp_frame.wf_why = DTFR_NREASON;
		break;
	case 16:
		sp->sp_frame.wf_error = 4096;
		break;
	}
}

#define NSPOILT 17

static void
script_sym(struct peer *pe)
{
	struct spoilt sp;
	size_t len;
	int how;

	peer_hello(pe);
	peer_welcome(pe);
	for (how = 0; peer_get(pe); how++) {
		PEER_ASSERT(pe->pe_hdr.wh_command == DTIOCSYM);
		sp = sym_reply();
		len = sizeof(sp);
		spoil(&sp, how, &len);
		peer_reply(pe, 0, &sp, len);
	}
}

static void
symbols_out_of_bounds_are_eproto(void **state)
{
	struct peer *pe = peer_start(script_sym);
	struct dt *dt = peer_open(pe, 0);
	uint64_t pc = 0x1010;
	struct dtioc_frame *fr;
	struct dtioc_sym sy = { .dtsy_npcs = 1, .dtsy_pcs = &pc };
	int how;

	(void)state;
	for (how = 0; how < NSPOILT; how++) {
		sy.dtsy_size = 0;
		assert_int_equal(dt_ioctl(dt, DTIOCSYM, &sy), -1);
		assert_int_equal(errno, EPROTO);
	}
	/* the valid one */
	assert_int_equal(dt_ioctl(dt, DTIOCSYM, &sy), 0);
	assert_int_equal(sy.dtsy_size, sizeof(*fr) + 8);
	fr = malloc(sy.dtsy_size);
	sy.dtsy_buf = fr;
	assert_int_equal(dt_ioctl(dt, DTIOCSYM, &sy), 0);
	assert_int_equal(sy.dtsy_nframes, 1);
	assert_string_equal(fr->dtfr_func, "foo");
	assert_string_equal(fr->dtfr_module, "bar");
	assert_null(fr->dtfr_file);
	assert_int_equal(fr->dtfr_offset, 16);
	sy.dtsy_size--;
	assert_int_equal(dt_ioctl(dt, DTIOCSYM, &sy), -1);
	assert_int_equal(errno, ENOSPC);
	sy.dtsy_buf = (char *)fr + 1;
	assert_int_equal(dt_ioctl(dt, DTIOCSYM, &sy), -1);
	assert_int_equal(errno, EINVAL);
	sy.dtsy_buf = NULL;
	assert_int_equal(dt_ioctl(dt, DTIOCSYM, &sy), -1);
	assert_int_equal(errno, EFAULT);
	sy.dtsy_npcs = 0;
	assert_int_equal(dt_ioctl(dt, DTIOCSYM, &sy), -1);
	assert_int_equal(errno, EINVAL);
	free(fr);
	dt_close(dt);
	peer_stop(pe);
}

/*
 * A daemon with little memory: ENOSPC above 8 addresses, and for 8 or less the
 * frames of all but the last.  Odd addresses have no symbol; each even one has
 * two frames.
 */
static void
script_narrow(struct peer *pe)
{
	static const char strings[] = "inner\0outer";
	struct wire_frame wf[16];
	uint8_t buf[sizeof(wf) + sizeof(strings)];
	struct wire_sym wy;
	uint32_t i, n, total;
	uint64_t pc;

	peer_hello(pe);
	peer_welcome(pe);
	while (peer_get(pe)) {
		memcpy(&wy, pe->pe_req, sizeof(wy));
		if (wy.wy_npcs > 8) {
			peer_reply(pe, ENOSPC, "binary\1", 7);
			continue;
		}
		memset(wf, 0, sizeof(wf));
		for (i = n = total = 0; i < wy.wy_npcs; i++) {
			memcpy(&pc, pe->pe_req + sizeof(wy) + i * 8,
			    sizeof(pc));
			wf[total].wf_pc = i;
			wf[total].wf_offset = pc & 15;
			if (pc % 2 == 0) {
				wf[total].wf_func = 1;
				wf[total++].wf_flags = WIRE_FRAME_INLINED;
				wf[total].wf_pc = i;
				wf[total].wf_func = 7;
			}
			total++;
			if (i == 0 || i + 1 < wy.wy_npcs)
				n = total;
		}
		memcpy(buf, wf, n * sizeof(wf[0]));
		memcpy(buf + n * sizeof(wf[0]), strings, sizeof(strings));
		peer_syms(pe, total, n, buf,
		    n * sizeof(wf[0]) + sizeof(strings));
	}
}

static void
symbols_that_come_in_portions_are_put_together(void **state)
{
	struct peer *pe = peer_start(script_narrow);
	struct dt *dt = peer_open(pe, 0);
	struct dtioc_frame *fr;
	struct dtioc_sym sy = { .dtsy_npcs = 700 };
	uint64_t pcs[700];
	uint32_t i, n = 0;

	(void)state;
	for (i = 0; i < 700; i++)
		pcs[i] = i;
	sy.dtsy_pcs = pcs;
	sy.dtsy_size = 1 << 20;
	sy.dtsy_buf = fr = malloc(sy.dtsy_size);
	assert_int_equal(dt_ioctl(dt, DTIOCSYM, &sy), 0);
	assert_int_equal(sy.dtsy_nframes, 1050);
	for (i = 0; i < 700; i++) {
		assert_int_equal(fr[n].dtfr_pc, i);
		if (i % 2 == 0) {
			assert_string_equal(fr[n].dtfr_func, "inner");
			assert_int_equal(fr[n++].dtfr_inlined, 1);
			assert_int_equal(fr[n].dtfr_pc, i);
			assert_string_equal(fr[n].dtfr_func, "outer");
		} else
			assert_null(fr[n].dtfr_func);
		n++;
	}
	free(fr);
	dt_close(dt);
	peer_stop(pe);
}

/* Resolves addresses from 0x1000 to 0x1fff to "kernel", counts requests. */
static void
script_ksym(struct peer *pe)
{
	struct wire_frame wf[WIRE_MAXSYM];
	uint8_t buf[sizeof(wf) + 7];
	struct wire_sym wy;
	uint64_t pc;
	uint32_t i;
	int n;

	peer_hello(pe);
	peer_welcome(pe);
	for (n = 0; peer_get(pe); n++) {
		PEER_ASSERT(n < 3); /* all others were cached */
		if (n == 2) {
			peer_reply(pe, EPERM, "", 0);
			continue;
		}
		memcpy(&wy, pe->pe_req, sizeof(wy));
		PEER_ASSERT(wy.wy_pid == 0 && wy.wy_npcs <= WIRE_MAXSYM);
		memset(wf, 0, sizeof(wf));
		for (i = 0; i < wy.wy_npcs; i++) {
			memcpy(&pc, pe->pe_req + sizeof(wy) + i * 8,
			    sizeof(pc));
			wf[i].wf_pc = i;
			wf[i].wf_func = pc >> 12 == 1;
			wf[i].wf_offset = pc & 0xfff;
		}
		memcpy(buf, wf, i * sizeof(wf[0]));
		memcpy(buf + i * sizeof(wf[0]), "kernel", 7);
		peer_syms(pe, i, i, buf, i * sizeof(wf[0]) + 7);
	}
}

static void
kernel_symbols_are_asked_for_once(void **state)
{
	struct peer *pe = peer_start(script_ksym);
	struct dt *dt = peer_open(pe, 0);
	const char *name, *name2;
	uint64_t offset = 0, pcs[200];
	int i;

	(void)state;
	for (i = 0; i < 200; i++)
		pcs[i] = 0x1000 + (uint64_t)(i % 100) * 0x20;
	pcs[150] = 0x2000;
	assert_int_equal(dt_ksym_prefetch(dt, pcs, 200), 0);
	name = dt_ksym(dt, 0x1020, &offset);
	assert_string_equal(name, "kernel");
	assert_int_equal(offset, 0x20);
	name2 = dt_ksym(dt, 0x1040, NULL);
	assert_ptr_equal(name, name2);
	assert_null(dt_ksym(dt, 0x2000, &offset));
	assert_int_equal(errno, ENOENT);
	name2 = dt_ksym(dt, 0x1001, &offset); /* the second request */
	assert_ptr_equal(name, name2);
	assert_int_equal(offset, 1);
	assert_null(dt_ksym(dt, 0x1002, NULL)); /* the third: refused */
	assert_int_equal(errno, EPERM);
	assert_null(dt_ksym(dt, 0x1003, NULL)); /* no request any more */
	assert_int_equal(errno, EPERM);
	assert_string_equal(dt_ksym(dt, 0x1001, NULL), "kernel");
	assert_int_equal(dt_ksym_prefetch(dt, pcs, 200), 0);
	assert_int_equal(dt_ksym_prefetch(dt, NULL, 0), 0);
	dt_close(dt);
	peer_stop(pe);
}

static void
a_map_keeps_what_is_put(void **state)
{
	static uint64_t values[5000];
	struct hash map = { 0 };
	uint64_t i;

	(void)state;
	assert_null(dt_hash_ptr(&map, 0));
	for (i = 0; i < 5000; i++)
		assert_int_equal(dt_hash_put(&map, i << 40, &values[i]), 0);
	assert_int_equal(dt_hash_put(&map, 0, &values[7]), 0);
	assert_int_equal(map.ha_n, 5000);
	assert_ptr_equal(dt_hash_ptr(&map, 0), &values[7]);
	for (i = 1; i < 5000; i++)
		assert_ptr_equal(dt_hash_ptr(&map, i << 40), &values[i]);
	assert_null(dt_hash_ptr(&map, 1));
	dt_hash_free(&map, NULL);
	assert_null(dt_hash_ptr(&map, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_come_whole_or_as_far_as_they_fit),
		cmocka_unit_test(args_and_errors_of_probes),
		cmocka_unit_test(structs_without_pointers_travel_as_they_are),
		cmocka_unit_test(null_is_efault_after_enotty),
		cmocka_unit_test(probes_are_described_and_looked_up),
		cmocka_unit_test(lists_that_lie_are_eproto),
		cmocka_unit_test(symbols_out_of_bounds_are_eproto),
		cmocka_unit_test(
		    symbols_that_come_in_portions_are_put_together),
		cmocka_unit_test(kernel_symbols_are_asked_for_once),
		cmocka_unit_test(a_map_keeps_what_is_put),
	};

	make_probes();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
