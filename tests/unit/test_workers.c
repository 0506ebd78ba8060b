/* SPDX-License-Identifier: ISC */
/* Workers: turns of users, passes of the control thread, and the exit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <semaphore.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "daemon/base/event_loop.h"
#include "daemon/base/log.h"
#include "daemon/base/workers.h"

#define NTESTS	 7
#define NALONE	 20
#define NWORKERS 4
#define NPIECES	 8

/* Replaces the event loop: the source of the control thread. */
static struct event_source *source;

int
event_loop_add(struct event_source *ev, uint32_t events)
{
	assert_int_equal(events, EPOLLIN);
	source = ev;
	return 0;
}

void
log_warn(const char *fmt, ...)
{
	fail_msg("%s", fmt);
}

/* Work that occupies a worker. */
struct gate {
	struct work gt_work; /* first: work is gate */
	sem_t gt_begun, gt_open;
};

/* A piece of work, whose letter is noted when it runs. */
struct piece {
	struct work pc_work; /* first: work is piece */
	char pc_letter;
	struct work *pc_next; /* submitted meanwhile, or NULL */
	sem_t *pc_last;	      /* posted by the last piece */
};

/* One row per test, since workers may still use an earlier row. */
static struct gate all_gates[NTESTS][NWORKERS];
static struct gate *gates;
static struct piece pieces[NPIECES];
static unsigned int npieces;
static char noted[NPIECES + 1];
static sem_t ended;

static void
gate_run(struct work *w)
{
	struct gate *gt = (struct gate *)w;

	sem_post(&gt->gt_begun);
	sem_wait(&gt->gt_open);
}

static void
piece_run(struct work *w)
{
	struct piece *pc = (struct piece *)w;

	noted[strlen(noted)] = pc->pc_letter;
	if (pc->pc_next != NULL)
		workers_submit(pc->pc_next);
	if (pc->pc_last != NULL)
		sem_post(pc->pc_last);
}

static struct work *
piece(char letter, uid_t person)
{
	struct piece *pc = &pieces[npieces++];

	*pc = (struct piece){ .pc_work.w_run = piece_run,
		.pc_work.w_person = person,
		.pc_letter = letter };
	return &pc->pc_work;
}

static int
setup_all(void **state)
{
	(void)state;
	return workers_init();
}

/* Occupies all workers; opening a gate frees one of them. */
static int
setup(void **state)
{
	static int test;
	int i;

	(void)state;
	gates = all_gates[test++];
	npieces = 0;
	memset(noted, 0, sizeof(noted));
	sem_init(&ended, 0, 0);
	for (i = 0; i < NWORKERS; i++) {
		gates[i].gt_work.w_run = gate_run;
		gates[i].gt_work.w_person = 100 + i;
		sem_init(&gates[i].gt_begun, 0, 0);
		sem_init(&gates[i].gt_open, 0, 0);
		workers_submit(&gates[i].gt_work);
	}
	for (i = 0; i < NWORKERS; i++)
		sem_wait(&gates[i].gt_begun);
	return 0;
}

static int
teardown(void **state)
{
	int i;

	(void)state;
	for (i = 1; i < NWORKERS; i++)
		sem_post(&gates[i].gt_open);
	return 0;
}

/* Lets one worker run all pieces, one after the other. */
static void
run_pieces(void)
{
	sem_post(&gates[0].gt_open);
	sem_wait(&ended);
}

static void
test_turns(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		workers_submit(piece("abcd"[i], 7));
	pieces[3].pc_last = &ended;
	workers_submit(piece('B', 8));
	workers_submit(piece('C', 8));
	workers_submit(piece('R', 0));
	run_pieces();
	assert_string_equal(noted, "aBRbCcd");
}

/* A user with one piece at a time takes turns with one who has queued many. */
static void
test_late(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 5; i++)
		workers_submit(piece("abcde"[i], 7));
	pieces[2].pc_next = piece('B', 8);
	pieces[5].pc_next = piece('C', 8);
	pieces[6].pc_last = &ended;
	run_pieces();
	assert_string_equal(noted, "abcdBeC");
}

/* Work that ends while the control thread delivers waits for the next pass. */
static int ndone;

static void
nothing(struct work *w)
{
	(void)w;
}

static void
second_done(struct work *w)
{
	(void)w;
	ndone++;
}

static struct work second = { .w_run = nothing,
	.w_done = second_done,
	.w_person = 7 };

static void
wait_ended(void)
{
	struct pollfd pfd = { .fd = source->es_fd, .events = POLLIN };

	assert_int_equal(poll(&pfd, 1, 10000), 1);
}

/*
 * Delivers until n works are done.  A worker writes the event last, so an event
 * may arrive after its work was delivered.
 */
static void
deliver(int n)
{
	while (ndone < n) {
		wait_ended();
		source->es_cb(source, EPOLLIN);
	}
	assert_int_equal(ndone, n);
}

static void
first_done(struct work *w)
{
	(void)w;
	ndone++;
	workers_submit(&second);
	wait_ended();
}

static void
test_pass(void **state)
{
	static struct work first = { .w_run = nothing, .w_done = first_done };

	(void)state;
	sem_post(&gates[0].gt_open);
	workers_submit(&first);
	wait_ended();
	source->es_cb(source, EPOLLIN);
	assert_int_equal(ndone, 1);
	source->es_cb(source, EPOLLIN);
	assert_int_equal(ndone, 2);
}

/* Root's work runs while users occupy all workers. */
static void
test_root(void **state)
{
	static struct work roots = { .w_run = nothing, .w_done = second_done };

	(void)state;
	ndone = 0;
	workers_submit(&second); /* waits, since all workers are occupied */
	workers_submit(&roots);
	deliver(1);
	sem_post(&gates[0].gt_open);
	deliver(2);
}

/* Separate threads are used again. */
static pid_t alone_tid;

static void
alone_run(struct work *w)
{
	(void)w;
	alone_tid = gettid();
}

static void
test_alone(void **state)
{
	struct work w = { .w_run = alone_run, .w_done = second_done };
	pid_t seen[NALONE];
	int i, j, n = 0;

	(void)state;
	for (i = 0; i < NALONE; i++) {
		workers_alone(&w);
		wait_ended();
		source->es_cb(source, EPOLLIN);
		for (j = 0; j < n && seen[j] != alone_tid; j++)
			continue;
		if (j == n)
			seen[n++] = alone_tid;
	}
	assert_true(n < NALONE / 2);
	sem_post(&gates[0].gt_open);
}

/* Work on separate threads does not wait for other work, idle threads or not. */
static void
test_alone_atonce(void **state)
{
	static struct gate each[NWORKERS];
	int i;

	(void)state;
	for (i = 0; i < NWORKERS; i++) {
		each[i].gt_work.w_run = gate_run;
		each[i].gt_work.w_done = second_done;
		sem_init(&each[i].gt_begun, 0, 0);
		sem_init(&each[i].gt_open, 0, 0);
		workers_alone(&each[i].gt_work);
	}
	for (i = 0; i < NWORKERS; i++)
		sem_wait(&each[i].gt_begun);
	ndone = 0;
	for (i = 0; i < NWORKERS; i++)
		sem_post(&each[i].gt_open);
	sem_post(&gates[0].gt_open);
	while (ndone < NWORKERS) {
		wait_ended();
		source->es_cb(source, EPOLLIN);
	}
}

/* Last, since it cannot be undone. */
static void
test_end(void **state)
{
	(void)state;
	ndone = 0;
	workers_end();
	workers_submit(&second); /* all workers are occupied */
	deliver(1);
	sem_post(&gates[0].gt_open);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_turns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pass, setup, teardown),
		cmocka_unit_test_setup_teardown(test_root, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alone_atonce, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(test_end, setup, teardown),
	};

	return cmocka_run_group_tests(tests, setup_all, NULL);
}
