/* SPDX-License-Identifier: ISC */
/*
 * dt_decode() and dt_widen(): every combination of sections, every truncation,
 * and records that contradict themselves.  Under the address sanitizer the
 * exact-size copies below prove that no byte outside is read.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/test_libdt_rec.h"

static _Alignas(8) uint8_t buf[REC_MAX];

/* Decodes a copy of exactly nbytes bytes. */
static int
decode_exact(size_t nbytes, unsigned int nargs)
{
	struct dt_event ev;
	uint8_t *copy;
	int r;

	copy = malloc(nbytes > 0 ? nbytes : 1);
	assert_non_null(copy);
	memcpy(copy, buf, nbytes);
	memset(&ev, 0x5a, sizeof(ev));
	r = dt_decode(copy, nbytes, nargs, &ev);
	if (r == -1) {
		assert_int_equal(errno, EBADMSG);
		/* a failure leaves the event unchanged */
		assert_int_equal(ev.ev_cpu, 0x5a5a5a5a);
	}
	free(copy);
	return r;
}

static void
check_sections(const struct dt_event *ev, unsigned int flags)
{
	assert_ptr_equal(ev->ev_rec, buf);
	assert_int_equal(ev->ev_cpu, 0);
	assert_int_equal(ev->ev_realtime.tv_sec, 0);
	assert_int_equal(ev->ev_nargs, flags & DT_REC_ARGS ? REC_NARGS : 0);
	assert_int_equal(ev->ev_args != NULL, (flags & DT_REC_ARGS) != 0);
	if (ev->ev_args != NULL)
		assert_int_equal(ev->ev_args[REC_NARGS - 1], 102);
	assert_int_equal(ev->ev_ret != NULL, (flags & DT_REC_RETVAL) != 0);
	if (ev->ev_ret != NULL)
		assert_int_equal(ev->ev_ret->drr_error, 2);
	assert_int_equal(ev->ev_comm != NULL, (flags & DT_REC_COMM) != 0);
	if (ev->ev_comm != NULL)
		assert_string_equal(ev->ev_comm, "comm");
	assert_int_equal(ev->ev_who != NULL, (flags & DT_REC_WHO) != 0);
	if (ev->ev_who != NULL) {
		assert_int_equal(ev->ev_who->drw_cgroup, 77);
		assert_int_equal(ev->ev_who->drw_uid, 1000);
		assert_int_equal(ev->ev_who->drw_ppid, 4000);
	}
	assert_int_equal(ev->ev_kstack != NULL, (flags & DT_REC_KSTACK) != 0);
	if (ev->ev_kstack != NULL)
		assert_true(
		    DT_STACK_PCS(ev->ev_kstack)[4] == 0xffffffff81000004);
	assert_int_equal(ev->ev_ustack != NULL, (flags & DT_REC_USTACK) != 0);
	if (ev->ev_ustack != NULL)
		assert_int_equal(DT_STACK_PCS(ev->ev_ustack)[1], 0x400001);
	assert_int_equal(ev->ev_strings != NULL, (flags & DT_REC_STRINGS) != 0);
	if (ev->ev_strings != NULL)
		assert_int_equal(ev->ev_strings->drz_count, 2);
	assert_int_equal(ev->ev_duration != NULL,
	    (flags & DT_REC_DURATION) != 0);
	if (ev->ev_duration != NULL)
		assert_int_equal(*ev->ev_duration, 999);
	assert_int_equal(ev->ev_first, flags & DT_REC_DURATION ? 5 : 0);
}

static void
each_combination_of_sections_is_named(void **state)
{
	struct dt_event ev;
	unsigned int flags;
	size_t n;

	(void)state;
	for (flags = 0; flags < 256; flags++) {
		n = rec_build(buf, flags, 7, 1);
		assert_int_equal(dt_decode(buf, n, REC_NARGS, &ev), 0);
		check_sections(&ev, flags);
		/* the bytes after the record are not part of it */
		assert_int_equal(dt_decode(buf, sizeof(buf), REC_NARGS, &ev),
		    0);
	}
}

/*
 * In a pair's record the last section has the number of arguments, and their
 * probe.
 */
static void
arguments_of_a_pair_are_those_of_the_first(void **state)
{
	struct dt_rec_duration *rd;
	struct dt_event ev;
	size_t n;

	(void)state;
	n = rec_build(buf,
	    DT_REC_ARGS | DT_REC_RETVAL | DT_REC_STRINGS | DT_REC_DURATION, 7,
	    1);
	assert_int_equal(dt_decode(buf, n, 0, &ev), 0);
	assert_int_equal(ev.ev_nargs, REC_NARGS);
	assert_int_equal(ev.ev_args[2], 102);
	assert_int_equal(ev.ev_ret->drr_error, 2);
	assert_int_equal(ev.ev_first, 5);
	rd = (struct dt_rec_duration *)(buf + n - sizeof(*rd));
	rd->drd_nargs = REC_NARGS + 1;
	assert_int_equal(decode_exact(n, REC_NARGS + 1), -1);
	rd->drd_nargs = 0x20000003; /* of 8 bytes each: 24 in 32 bits */
	assert_int_equal(decode_exact(n, REC_NARGS), -1);
}

/* The section of the first hit is before the section of the duration. */
static void
a_pair_may_have_the_thread_of_its_first_hit(void **state)
{
	struct dt_rec_first rf = { .drf_pid = 31, .drf_tid = 32, .drf_cpu = 3 };
	struct dt_rec_duration rd;
	struct dt_event ev;
	size_t n, at;

	(void)state;
	n = rec_build(buf, DT_REC_ARGS | DT_REC_STRINGS | DT_REC_DURATION, 7,
	    1);
	assert_int_equal(dt_decode(buf, n, 0, &ev), 0);
	assert_null(dt_first(&ev));
	at = n - sizeof(rd);
	memcpy(&rd, buf + at, sizeof(rd));
	rd.drd_nargs |= DT_PAIR_FIRST;
	memcpy(buf + at, &rd, sizeof(rd)); /* announced, and missing */
	assert_int_equal(decode_exact(n, 0), -1);
	strcpy(rf.drf_comm, "first");
	memcpy(buf + at, &rf, sizeof(rf));
	memcpy(buf + at + sizeof(rf), &rd, sizeof(rd));
	n += sizeof(rf);
	((struct dt_rec *)buf)->dr_length = n;
	assert_int_equal(dt_decode(buf, n, 0, &ev), 0);
	assert_int_equal(ev.ev_nargs, REC_NARGS);
	assert_int_equal(dt_first(&ev)->drf_tid, 32);
	assert_string_equal(dt_first(&ev)->drf_comm, "first");
	memset(buf + at + offsetof(struct dt_rec_first, drf_comm), 'x',
	    DT_REC_COMMLEN); /* an unterminated name */
	assert_int_equal(decode_exact(n, 0), -1);
}

static void
each_truncation_is_ebadmsg(void **state)
{
	unsigned int flags;
	size_t n, full;

	(void)state;
	for (flags = 0; flags < 256; flags++) {
		full = rec_build(buf, flags, 7, 1);
		for (n = 0; n < full; n++)
			assert_int_equal(decode_exact(n, REC_NARGS), -1);
		assert_int_equal(decode_exact(full, REC_NARGS), 0);
	}
}

/* Likewise, with a header that has the truncated length. */
static void
each_short_length_is_ebadmsg(void **state)
{
	struct dt_rec *rec = (struct dt_rec *)buf;
	unsigned int flags;
	size_t n, full;

	(void)state;
	for (flags = 0; flags < 256; flags++) {
		full = rec_build(buf, flags, 7, 1);
		for (n = 0; n < full; n++) {
			rec->dr_length = (__u16)n;
			assert_int_equal(decode_exact(n, REC_NARGS), -1);
			assert_int_equal(decode_exact(full, REC_NARGS), -1);
		}
	}
}

/* Makes a record of n bytes one that ends with a key; returns its length. */
static size_t
add_key(size_t n, uint64_t key)
{
	struct dt_rec *rec = (struct dt_rec *)buf;

	memcpy(buf + n, &key, sizeof(key));
	rec->dr_kind = DT_REC_KEYED;
	rec->dr_length = n + sizeof(key);
	return rec->dr_length;
}

static void
a_key_follows_any_sections(void **state)
{
	struct dt_event ev;
	unsigned int flags;
	size_t n, full;

	(void)state;
	for (flags = 0; flags < 256; flags++) {
		n = rec_build(buf, flags, 7, 1);
		assert_int_equal(dt_decode(buf, n, REC_NARGS, &ev), 0);
		assert_null(ev.ev_key);
		full = add_key(n, 31337 + flags);
		assert_int_equal(dt_decode(buf, full, REC_NARGS, &ev), 0);
		check_sections(&ev, flags);
		assert_true(*ev.ev_key == 31337 + flags);
		for (n = 0; n < full; n++) {
			((struct dt_rec *)buf)->dr_length = (__u16)n;
			assert_int_equal(decode_exact(full, REC_NARGS), -1);
		}
	}
}

static void
another_number_of_arguments_is_ebadmsg(void **state)
{
	size_t n = rec_build(buf, DT_REC_ARGS | DT_REC_COMM, 7, 1);

	(void)state;
	assert_int_equal(decode_exact(n, REC_NARGS), 0);
	assert_int_equal(decode_exact(n, 0), -1);
	assert_int_equal(decode_exact(n, REC_NARGS + 1), -1);
	assert_int_equal(decode_exact(n, DT_REC_NARGS + 1), -1);
	assert_int_equal(decode_exact(n, ~0U), -1);
	/* without the section the number is ignored */
	n = rec_build(buf, DT_REC_COMM, 7, 1);
	assert_int_equal(decode_exact(n, 6), 0);
}

static void
another_kind_is_ebadmsg(void **state)
{
	size_t n = rec_build(buf, 0, 7, 1);

	(void)state;
	((struct dt_rec *)buf)->dr_kind = DT_REC_KEYED; /* without a key */
	assert_int_equal(decode_exact(n, 0), -1);
	((struct dt_rec *)buf)->dr_kind = 3;
	assert_int_equal(decode_exact(n, 0), -1);
}

static void
an_unaligned_record_is_einval(void **state)
{
	struct dt_event ev;

	(void)state;
	rec_build(buf, 0, 7, 1);
	assert_int_equal(dt_decode(buf + 4, 64, 0, &ev), -1);
	assert_int_equal(errno, EINVAL);
}

static void
a_comm_without_an_end_is_ebadmsg(void **state)
{
	size_t n = rec_build(buf, DT_REC_COMM, 7, 1);

	(void)state;
	memset(buf + sizeof(struct dt_rec), 'x', DT_REC_COMMLEN);
	assert_int_equal(decode_exact(n, 0), -1);
}

static void
a_stack_that_is_too_long_is_ebadmsg(void **state)
{
	struct dt_rec_stack *st;
	size_t n = rec_build(buf, DT_REC_KSTACK, 7, 1);
	unsigned int count;

	(void)state;
	st = (struct dt_rec_stack *)(buf + sizeof(struct dt_rec));
	for (count = 0; count < 65536; count++) {
		st->drs_count = (__u16)count;
		assert_int_equal(decode_exact(n, 0),
		    count == REC_NKPCS ? 0 : -1);
	}
}

/* A stack of the maximum length, and one above it in a record that has it. */
static void
the_longest_stack_has_127_frames(void **state)
{
	struct dt_rec *rec = (struct dt_rec *)buf;
	unsigned int count;
	uint8_t *end;

	(void)state;
	for (count = 126; count <= 128; count++) {
		rec_build(buf, 0, 7, 1);
		rec->dr_flags = DT_REC_USTACK;
		end = rec_stack(buf + sizeof(*rec), count, 1);
		rec->dr_length = (__u16)(end - buf);
		assert_int_equal(decode_exact(rec->dr_length, 0),
		    count <= 127 ? 0 : -1);
	}
}

static void
strings_that_leave_their_section_are_ebadmsg(void **state)
{
	struct dt_rec_strings *sz;
	struct dt_rec_string *first;
	size_t n = rec_build(buf, DT_REC_STRINGS | DT_REC_DURATION, 7, 1);
	uint32_t nbytes, v;

	(void)state;
	sz = (struct dt_rec_strings *)(buf + sizeof(struct dt_rec));
	first = (struct dt_rec_string *)(sz + 1);
	nbytes = sz->drz_nbytes;
	assert_int_equal(decode_exact(n, 0), 0);

	for (v = 0; v < 128; v++) {
		sz->drz_nbytes = v;
		assert_int_equal(decode_exact(n, 0), v == nbytes ? 0 : -1);
	}
	sz->drz_nbytes = UINT32_MAX;
	assert_int_equal(decode_exact(n, 0), -1);
	sz->drz_nbytes = nbytes;

	for (v = 0; v < 8; v++) {
		sz->drz_count = v;
		assert_int_equal(decode_exact(n, 0), v == 2 ? 0 : -1);
	}
	sz->drz_count = UINT32_MAX;
	assert_int_equal(decode_exact(n, 0), -1);
	sz->drz_count = 2;

	for (v = 0; v < 65536; v++) {
		first->drt_length = (__u16)v;
		/* 9 to 16 bytes are padded to the same length */
		assert_int_equal(decode_exact(n, 0), v > 8 && v <= 16 ? 0 : -1);
	}
}

static void
widening_fills_what_was_recorded(void **state)
{
	struct dt_event ev;
	struct dt_evt evt;
	size_t n;

	(void)state;
	n = rec_build(buf,
	    DT_REC_ARGS | DT_REC_COMM | DT_REC_KSTACK | DT_REC_USTACK, 9, 1);
	assert_int_equal(dt_decode(buf, n, REC_NARGS, &ev), 0);
	ev.ev_cpu = 3;
	ev.ev_realtime.tv_sec = 1234;
	memset(&evt, 0xff, sizeof(evt));
	dt_widen(&ev, &evt);
	assert_int_equal(evt.dtev_pbn, 9);
	assert_int_equal(evt.dtev_cpu, 3);
	assert_int_equal(evt.dtev_pid, 11);
	assert_int_equal(evt.dtev_tid, 12);
	assert_int_equal(evt.dtev_tsp.tv_sec, 1234);
	assert_string_equal(evt.dtev_comm, "comm");
	assert_int_equal(evt.dtev_kstack.st_count, REC_NKPCS);
	assert_true(evt.dtev_kstack.st_pc[0] == 0xffffffff81000000);
	assert_int_equal(evt.dtev_kstack.st_pc[REC_NKPCS], 0);
	assert_int_equal(evt.dtev_ustack.st_count, REC_NUPCS);
	assert_int_equal(evt.dtev_ustack.st_pc[1], 0x400001);
	assert_int_equal(evt.dtev_args[0], 100);
	assert_int_equal(evt.dtev_args[2], 102);
	assert_int_equal(evt.dtev_args[3], 0);
	assert_int_equal(evt.dtev_args[DTMAXFUNCARGS - 1], 0);
}

static void
widening_a_failed_call_gives_retval_and_errno(void **state)
{
	struct dt_event ev;
	struct dt_evt evt;
	size_t n;

	(void)state;
	n = rec_build(buf, DT_REC_RETVAL, 9, 1);
	assert_int_equal(dt_decode(buf, n, 0, &ev), 0);
	memset(&evt, 0xff, sizeof(evt));
	dt_widen(&ev, &evt);
	assert_int_equal(evt.dtev_retval[0], -1);
	assert_int_equal(evt.dtev_retval[1], 0);
	assert_int_equal(evt.dtev_error, 2);
	assert_int_equal(evt.dtev_kstack.st_count, 0);
	assert_int_equal(evt.dtev_comm[0], 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_combination_of_sections_is_named),
		cmocka_unit_test(arguments_of_a_pair_are_those_of_the_first),
		cmocka_unit_test(a_pair_may_have_the_thread_of_its_first_hit),
		cmocka_unit_test(each_truncation_is_ebadmsg),
		cmocka_unit_test(each_short_length_is_ebadmsg),
		cmocka_unit_test(a_key_follows_any_sections),
		cmocka_unit_test(another_number_of_arguments_is_ebadmsg),
		cmocka_unit_test(another_kind_is_ebadmsg),
		cmocka_unit_test(an_unaligned_record_is_einval),
		cmocka_unit_test(a_comm_without_an_end_is_ebadmsg),
		cmocka_unit_test(a_stack_that_is_too_long_is_ebadmsg),
		cmocka_unit_test(the_longest_stack_has_127_frames),
		cmocka_unit_test(strings_that_leave_their_section_are_ebadmsg),
		cmocka_unit_test(widening_fills_what_was_recorded),
		cmocka_unit_test(widening_a_failed_call_gives_retval_and_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
