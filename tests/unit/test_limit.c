/* SPDX-License-Identifier: ISC */
/* Limits of a user and of all: taken, refused, returned, counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "daemon/base/conf.h"
#include "daemon/access/peer.h"
#include "daemon/base/reason.h"
#include "daemon/access/limit.h"

/* Replaces the daemon's settings. */
struct conf conf;

static struct reason rs;

static int
setup(void **state)
{
	(void)state;
	memset(&conf, 0, sizeof(conf));
	limit_max[LIMIT_OPENS] = (struct limit_max){ 5, 3 };
	limit_max[LIMIT_RINGBYTES] = (struct limit_max){ 1000, 600 };
	rs.rsn_text[0] = '\0';
	return 0;
}

static uint64_t
refused(unsigned int reason)
{
	struct limit_refusal lr[REFUSED_N];

	assert_int_equal(limit_refusals(lr, REFUSED_N), REFUSED_N);
	return lr[reason].lr_n;
}

static void
test_user(void **state)
{
	uint64_t before = refused(LIMIT_OPENS), all;

	(void)state;
	assert_int_equal(limit_take(7, LIMIT_OPENS, 3, &rs), 0);
	assert_false(limit_room(7, LIMIT_OPENS, 1));
	assert_true(limit_room(8, LIMIT_OPENS, 1));
	assert_int_equal(refused(LIMIT_OPENS), before); /* a query only */
	assert_int_equal(limit_take(7, LIMIT_OPENS, 1, &rs), EMFILE);
	assert_string_equal(rs.rsn_text,
	    "no 1 more opens: user 7 has 3 of 3: setting opens-user");
	assert_int_equal(refused(LIMIT_OPENS), before + 1);
	assert_int_equal(limit_used(7, LIMIT_OPENS, &all), 3);
	assert_int_equal(all, 3);
	limit_give(7, LIMIT_OPENS, 1);
	assert_int_equal(limit_take(7, LIMIT_OPENS, 1, &rs), 0);
	limit_give(7, LIMIT_OPENS, 3);
	assert_int_equal(limit_used(7, LIMIT_OPENS, &all), 0);
	assert_int_equal(all, 0);
}

static void
test_all(void **state)
{
	uint64_t all;

	(void)state;
	assert_int_equal(limit_take(7, LIMIT_RINGBYTES, 600, &rs), 0);
	assert_int_equal(limit_take(0, LIMIT_RINGBYTES, 401, &rs), ENOMEM);
	assert_string_equal(rs.rsn_text,
	    "no 401 more bytes of rings: all users together have 600 of 1000: "
	    "setting ring-bytes");
	assert_int_equal(limit_take(0, LIMIT_RINGBYTES, 400, &rs), 0);
	assert_int_equal(limit_take(0, LIMIT_RINGBYTES, 1, &rs), ENOMEM);
	assert_int_equal(limit_take(8, LIMIT_RINGBYTES, 1, &rs), ENOMEM);
	/* a number that would overflow */
	assert_int_equal(limit_take(0, LIMIT_RINGBYTES, UINT64_MAX, &rs),
	    ENOMEM);
	limit_give(7, LIMIT_RINGBYTES, 600);
	limit_give(0, LIMIT_RINGBYTES, 400);
	(void)limit_used(0, LIMIT_RINGBYTES, &all);
	assert_int_equal(all, 0);
}

/* A sixteenth is for root, whatever others have; root may have more. */
static void
test_kept(void **state)
{
	uint64_t all;

	(void)state;
	limit_max[LIMIT_PROBES] = (struct limit_max){ 32, 20 };
	assert_int_equal(limit_take(7, LIMIT_PROBES, 20, &rs), 0);
	assert_true(limit_room(8, LIMIT_PROBES, 10));
	assert_false(limit_room(8, LIMIT_PROBES, 11));
	assert_int_equal(limit_take(8, LIMIT_PROBES, 11, &rs), EMFILE);
	assert_string_equal(rs.rsn_text,
	    "no 11 more enabled probes: all users together have 20 of 32, 2 of "
	    "them reserved for root: setting probes");
	assert_int_equal(limit_take(8, LIMIT_PROBES, 10, &rs), 0);
	assert_int_equal(limit_take(0, LIMIT_PROBES, 2, &rs), 0);
	assert_int_equal(limit_take(0, LIMIT_PROBES, 1, &rs), EMFILE);
	/* root may take more than the part that is kept */
	limit_give(8, LIMIT_PROBES, 10);
	assert_int_equal(limit_take(0, LIMIT_PROBES, 6, &rs), 0);
	assert_int_equal(limit_take(8, LIMIT_PROBES, 4, &rs), 0);
	assert_int_equal(limit_take(8, LIMIT_PROBES, 1, &rs), EMFILE);
	limit_give(0, LIMIT_PROBES, 8);
	assert_int_equal(limit_take(8, LIMIT_PROBES, 6, &rs), 0);
	assert_int_equal(limit_take(8, LIMIT_PROBES, 1, &rs), EMFILE);
	limit_give(8, LIMIT_PROBES, 10);
	limit_give(7, LIMIT_PROBES, 20);
	assert_int_equal(limit_used(7, LIMIT_PROBES, &all), 0);
	assert_int_equal(all, 0);
	assert_int_equal(limit_kept(0, 100), 0);
	assert_int_equal(limit_kept(7, 0), 0);
	assert_int_equal(limit_kept(7, 1), 0);
	assert_int_equal(limit_kept(7, 2), 1);
	assert_int_equal(limit_kept(7, 17), 2);
}

static void
test_exempt(void **state)
{
	(void)state;
	assert_int_equal(limit_take(0, LIMIT_OPENS, 5, &rs), 0);
	assert_int_equal(limit_take(0, LIMIT_OPENS, 1, &rs), EMFILE);
	limit_give(0, LIMIT_OPENS, 5);
	conf.cf_private = 1; /* its only client is the user that started it */
	assert_int_equal(limit_take(7, LIMIT_OPENS, 5, &rs), 0);
	limit_give(7, LIMIT_OPENS, 5);
}

/*
 * A connection moves to the owner of its user namespace, also above the limit;
 * one that has moved, or has no owner, stays.
 */
static void
test_identify(void **state)
{
	struct peer prs[3];
	uint64_t all;
	size_t i;

	(void)state;
	limit_max[LIMIT_CONNECTIONS] = (struct limit_max){ 5, 2 };
	for (i = 0; i < 3; i++) {
		prs[i].peer_uid = prs[i].peer_person = 70000 + i;
		assert_int_equal(limit_take(70000 + i, LIMIT_CONNECTIONS, 1,
				     &rs),
		    0);
	}
	limit_identify(&prs[0], (uid_t)-1);
	assert_int_equal(prs[0].peer_person, 70000);
	for (i = 0; i < 3; i++) {
		limit_identify(&prs[i], 7);
		limit_identify(&prs[i], 7);
		assert_int_equal(prs[i].peer_person, 7);
		assert_int_equal(limit_used(70000 + i, LIMIT_CONNECTIONS, &all),
		    0);
		assert_int_equal(limit_used(7, LIMIT_CONNECTIONS, &all), i + 1);
		assert_int_equal(all, 3);
	}
	assert_int_equal(limit_take(7, LIMIT_CONNECTIONS, 1, &rs), EMFILE);
	limit_give(7, LIMIT_CONNECTIONS, 3);
	assert_int_equal(limit_used(7, LIMIT_CONNECTIONS, &all), 0);
	assert_int_equal(all, 0);
}

/* For example by a reload: held resources are kept, and none is granted. */
static void
test_lowered(void **state)
{
	(void)state;
	assert_int_equal(limit_take(7, LIMIT_OPENS, 3, &rs), 0);
	limit_max[LIMIT_OPENS] = (struct limit_max){ 2, 1 };
	assert_int_equal(limit_take(7, LIMIT_OPENS, 1, &rs), EMFILE);
	assert_int_equal(limit_take(0, LIMIT_OPENS, 1, &rs), EMFILE);
	limit_give(7, LIMIT_OPENS, 3);
	assert_int_equal(limit_take(7, LIMIT_OPENS, 1, &rs), 0);
	limit_give(7, LIMIT_OPENS, 1);
}

/* Each has a unique name, usable as a label. */
static void
test_reasons(void **state)
{
	struct limit_refusal lr[REFUSED_N];
	size_t i, j;

	(void)state;
	limit_refused(REFUSED_COST);
	assert_int_equal(limit_refusals(lr, REFUSED_N), REFUSED_N);
	assert_int_equal(lr[REFUSED_COST].lr_n, 1);
	for (i = 0; i < REFUSED_N; i++) {
		assert_non_null(lr[i].lr_reason);
		for (j = 0; j < i; j++)
			assert_string_not_equal(lr[i].lr_reason,
			    lr[j].lr_reason);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_user, setup),
		cmocka_unit_test_setup(test_all, setup),
		cmocka_unit_test_setup(test_kept, setup),
		cmocka_unit_test_setup(test_exempt, setup),
		cmocka_unit_test_setup(test_identify, setup),
		cmocka_unit_test_setup(test_lowered, setup),
		cmocka_unit_test_setup(test_reasons, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
