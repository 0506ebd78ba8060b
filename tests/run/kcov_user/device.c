/* SPDX-License-Identifier: ISC */
/*
 * Threads of this program record through the device: device WORD ..., each word
 * a scene.  Prints the scene and "ok", or the failure.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libdt.h>
#include <sys/kcov.h>

#define NENTRIES 4096
#define PC	 (KCOV_MODE_USER | KCOV_MODE_TRACE_PC)
#define CMP	 (KCOV_MODE_USER | KCOV_MODE_TRACE_CMP)

#define WANT(cond) \
	do { \
		if (!(cond)) \
			errx(1, "line %d: %s", __LINE__, #cond); \
	} while (0)

static volatile uint32_t base = 0x1000000;
static volatile int sink;

/* A session with its memory. */
struct open {
	struct dt *op_dt;
	uint64_t *op_buf;
};

static void
open_it(struct open *op)
{
	unsigned long n = NENTRIES;

	if ((op->op_dt = dt_open(KCOVDEVNAME, 0)) == NULL)
		errx(1, "dt_open: %s", dt_error(NULL));
	if (dt_ioctl(op->op_dt, KIOSETBUFSIZE, &n) != 0)
		errx(1, "KIOSETBUFSIZE: %s", dt_error(op->op_dt));
	op->op_buf = dt_mmap(op->op_dt, NENTRIES * KCOV_ENTRY_SIZE,
	    PROT_READ | PROT_WRITE, 0);
	if (op->op_buf == NULL)
		errx(1, "dt_mmap: %s", dt_error(op->op_dt));
}

/* Ends with the program at the latest. */
static void
close_it(struct open *op)
{
	dt_close(op->op_dt);
	munmap(op->op_buf, NENTRIES * KCOV_ENTRY_SIZE);
}

/* Returns 0, or the errno. */
static int
enable(struct open *op, int mode)
{
	return dt_ioctl(op->op_dt, KIOENABLE, &mode) == 0 ? 0 : errno;
}

static int
disable(struct open *op)
{
	return dt_ioctl(op->op_dt, KIODISABLE, NULL) == 0 ? 0 : errno;
}

__attribute__((noinline)) void
mark(uint32_t n)
{
	sink += base + n == base;
}

/* Marks n, and returns how often the memory has it; empties the memory. */
static int
marked(struct open *op, uint32_t n)
{
	uint64_t i, count;
	int found = 0;

	mark(n);
	count = op->op_buf[0];
	for (i = 0; i < count; i++)
		found += op->op_buf[1 + 4 * i] == KCOV_CMP_SIZE(2) &&
		    op->op_buf[2 + 4 * i] == base + n &&
		    op->op_buf[3 + 4 * i] == base;
	op->op_buf[0] = 0;
	return found;
}

static void
scene_states(void)
{
	struct open op, other;

	open_it(&op);
	open_it(&other);
	WANT(marked(&op, 1) == 0);
	WANT(enable(&op, KCOV_MODE_USER) == EINVAL);
	WANT(enable(&op, KCOV_MODE_USER | 3) == EINVAL);
	WANT(enable(&op, CMP) == 0);
	WANT(enable(&op, CMP) == EBUSY && enable(&other, CMP) == EBUSY);
	WANT(marked(&op, 2) == 1 && marked(&op, 3) == 1);
	WANT(disable(&op) == 0 && disable(&op) == EPERM);
	WANT(marked(&op, 4) == 0);
	WANT(enable(&other, CMP) == 0);
	WANT(marked(&op, 5) == 0 && marked(&other, 5) == 2);
	WANT(disable(&op) == EPERM && disable(&other) == 0);
	WANT(marked(&other, 6) == 0);
	close_it(&op);
	close_it(&other);
}

static void
scene_addresses(void)
{
	struct open op;
	uintptr_t at = (uintptr_t)mark;

	open_it(&op);
	WANT(enable(&op, PC) == 0);
	op.op_buf[0] = 0;
	mark(1);
	WANT(op.op_buf[0] >= 1 && op.op_buf[1] > at && op.op_buf[1] < at + 32);
	WANT(disable(&op) == 0);
	close_it(&op);
}

static void
scene_rounds(void)
{
	struct open op;
	int i;

	open_it(&op);
	for (i = 0; i < 1000; i++) {
		WANT(enable(&op, i % 2 ? CMP : PC) == 0);
		WANT(disable(&op) == 0);
	}
	WANT(enable(&op, CMP) == 0);
	op.op_buf[0] = 0; /* it still counts addresses */
	WANT(marked(&op, 1) == 1 && disable(&op) == 0);
	close_it(&op);
}

static void *
records(void *arg)
{
	struct open *op = arg;
	uint32_t i;

	WANT(enable(op, CMP) == 0);
	for (i = 0; i < 1000; i++)
		WANT(marked(op, i) == 1);
	return NULL; /* enabled */
}

/*
 * Each thread records into its own session; their end makes the sessions READY.
 */
static void
scene_threads(void)
{
	struct open op[4];
	pthread_t t[4];
	int i, error;

	for (i = 0; i < 4; i++) {
		open_it(&op[i]);
		pthread_create(&t[i], NULL, records, &op[i]);
	}
	WANT(marked(&op[0], 5000) == 0);
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		/* the kernel may not have finished yet */
		while ((error = enable(&op[i], CMP)) == ENXIO)
			usleep(1000);
		WANT(error == 0 && marked(&op[i], 1) == 1);
		WANT(disable(&op[i]) == 0);
		close_it(&op[i]);
	}
}

static void *
not_mine(void *arg)
{
	struct open *op = arg;

	WANT(disable(op) == EPERM);
	return NULL;
}

static void *
closes(void *arg)
{
	struct open *op = arg;

	dt_close(op->op_dt);
	return NULL;
}

static void
scene_others(void)
{
	struct open op;
	pthread_t t;

	open_it(&op);
	WANT(enable(&op, CMP) == 0);
	pthread_create(&t, NULL, not_mine, &op);
	pthread_join(t, NULL);
	WANT(marked(&op, 1) == 1);
	pthread_create(&t, NULL, closes, &op);
	pthread_join(t, NULL);
	WANT(marked(&op, 2) == 0);
}

/* Closed while recording: nothing more is recorded, and the memory stays. */
static void
scene_close(void)
{
	struct open op;

	open_it(&op);
	WANT(enable(&op, CMP) == 0 && marked(&op, 1) == 1);
	dt_close(op.op_dt);
	WANT(marked(&op, 2) == 0);
	munmap(op.op_buf, NENTRIES * KCOV_ENTRY_SIZE);
	mark(3);
}

static void
scene_unmap(void)
{
	struct open op;

	open_it(&op);
	WANT(enable(&op, CMP) == 0);
	munmap(op.op_buf, NENTRIES * KCOV_ENTRY_SIZE);
	mark(1);
	op.op_buf = dt_mmap(op.op_dt, NENTRIES * KCOV_ENTRY_SIZE,
	    PROT_READ | PROT_WRITE, 0);
	WANT(op.op_buf != NULL && marked(&op, 1) == 2);
	close_it(&op);
}

static void
scene_fork(void)
{
	struct open op, child;
	int status = -1;
	pid_t pid;

	open_it(&op);
	WANT(enable(&op, CMP) == 0);
	if ((pid = fork()) == 0) {
		WANT(marked(&op, 1) == 0);
		open_it(&child);
		WANT(enable(&child, CMP) == 0);
		WANT(marked(&child, 2) == 1 && marked(&op, 3) == 0);
		_exit(0);
	}
	WANT(waitpid(pid, &status, 0) == pid && status == 0);
	WANT(marked(&op, 4) == 1);
	close_it(&op);
}

static const struct {
	const char *name;
	void (*fn)(void);
} scenes[] = {
	{ "states", scene_states },
	{ "addresses", scene_addresses },
	{ "rounds", scene_rounds },
	{ "threads", scene_threads },
	{ "others", scene_others },
	{ "close", scene_close },
	{ "unmap", scene_unmap },
	{ "fork", scene_fork },
};

int
main(int argc, char *argv[])
{
	size_t i;
	int j;

	for (j = 1; j < argc; j++)
		for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
			if (strcmp(argv[j], scenes[i].name) == 0) {
				scenes[i].fn();
				printf("%s ok\n", argv[j]);
				fflush(stdout);
			}
	return 0;
}
