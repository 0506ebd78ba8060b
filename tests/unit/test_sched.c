/* SPDX-License-Identifier: ISC */
/* Real-time priority of a thread, which loses it while it takes a CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/sched.h"

#define PATIENCE 1000 /* pauses of 10 ms */

static int
policy(void)
{
	return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

/* Works until the policy is another one; calm: sleeps in between. */
static void
until(struct sched_realtime *srl, int want, int calm)
{
	volatile unsigned int work;
	int i;

	for (i = 0; i < PATIENCE && policy() != want; i++) {
		if (calm)
			usleep(10000);
		for (work = 0; !calm && work < 10000000; work++)
			continue;
		sched_realtime(srl);
	}
	assert_int_equal(policy(), want);
}

static int
attributes(struct sched_attr_v0 *at)
{
	return syscall(SYS_sched_getattr, 0, at, sizeof(*at), 0);
}

static void
a_thread_is_realtime_unless_it_is_busy(void **state)
{
	struct sched_realtime srl = { 0 };
	struct sched_attr_v0 before, after;

	(void)state;
	sched_prompt(3);
	assert_int_equal(attributes(&before), 0);
	sched_realtime(&srl);
	if (srl.srl_isrefused)
		skip();
	assert_int_equal(policy(), SCHED_RR);
	until(&srl, SCHED_OTHER, 0);
	assert_int_equal(attributes(&after), 0);
	assert_int_equal(after.nice, 3);
	assert_int_equal(after.runtime, before.runtime);
	until(&srl, SCHED_RR, 1);
	until(&srl, SCHED_OTHER, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_realtime_unless_it_is_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
