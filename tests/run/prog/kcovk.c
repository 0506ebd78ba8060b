/* SPDX-License-Identifier: ISC */
/*
 * kcovk calls|full|ends|exec|remote|sets|guided
 *
 * kcov's records of the kernel: a separate service, on kernels that have
 * kprobes.
 *
 * calls	known calls are recorded; of two threads with a session each,
 *		each has its own calls, and a child has none
 * full		full memory, and an invalid count
 * ends		a record ends by exit of the thread, by close, and by another
 *		thread's DISABLE
 * exec		a record survives exec(2): of a child, and of a thread that is
 *		not the first
 * remote	io_uring's workers
 * sets		the globs of SETFUNCS: none, too many, and their cost
 * guided	flags of open(2) that reach new functions
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <linux/io_uring.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/run/prog/kcov.h"

#define FILE_READ "/proc/self/exe" /* any file that exists */

static struct dt *names; /* of the dt device, which has the kernel's */

/* Counts a function among the records. */
static unsigned int
count(const uint64_t *memory, const char *func)
{
	uint64_t i, offset, n = __atomic_load_n(memory, __ATOMIC_ACQUIRE);
	unsigned int found = 0;
	const char *name;

	for (i = 1; i <= n; i++) {
		name = dt_ksym(names, memory[i], &offset);
		found += name != NULL && offset == 0 && strcmp(name, func) == 0;
	}
	return found;
}

static void
open_and_read(void)
{
	char buf[16];
	int fd = open(FILE_READ, O_RDONLY);

	if (fd == -1 || read(fd, buf, sizeof(buf)) != sizeof(buf))
		err(1, FILE_READ);
	close(fd);
}

/*
 * Two threads
 */

#define OPEN_MKDIR "vfs_open vfs_read vfs_mkdir vfs_rmdir"

struct other {
	struct dt *ot_dt;
	uint64_t *ot_memory;
	sem_t ot_enabled; /* posted when it is */
	sem_t ot_go;	  /* awaited */
	sem_t ot_done;	  /* posted after its calls */
};

static void *
other_run(void *arg)
{
	struct other *ot = arg;

	enable(ot->ot_dt);
	sem_post(&ot->ot_enabled);
	sem_wait(&ot->ot_go);
	mkdirs(10);
	sem_post(&ot->ot_done);
	sem_wait(&ot->ot_go);
	disable(ot->ot_dt);
	return NULL;
}

static void
child_makes(uint64_t *memory)
{
	int status;
	pid_t pid;

	if ((pid = prog_fork()) == 0) {
		mkdirs(3);
		_exit(0);
	}
	check(waitpid(pid, &status, 0) == pid && status == 0 &&
		count(memory, "vfs_mkdir") == 0,
	    "a child's calls are not recorded");
}

static void
calls(void)
{
	struct other ot;
	struct kio_stat ks;
	uint64_t *memory;
	struct dt *dt = ready(OPEN_MKDIR, 1024, &memory);
	pthread_t t;

	ot.ot_dt = ready(OPEN_MKDIR, 1024, &ot.ot_memory);
	sem_init(&ot.ot_enabled, 0, 0);
	sem_init(&ot.ot_go, 0, 0);
	sem_init(&ot.ot_done, 0, 0);
	enable(dt);
	if (pthread_create(&t, NULL, other_run, &ot) != 0)
		errx(1, "pthread_create");
	sem_wait(&ot.ot_enabled);
	sem_post(&ot.ot_go);
	open_and_read();
	sem_wait(&ot.ot_done);
	open_and_read();
	child_makes(memory);
	disable(dt);
	sem_post(&ot.ot_go);
	pthread_join(t, NULL);
	mkdirs(1);
	open_and_read();
	check(count(memory, "vfs_open") == 2 && count(memory, "vfs_read") == 2,
	    "each call of the thread is recorded once");
	check(count(memory, "vfs_mkdir") == 0 &&
		count(memory, "vfs_rmdir") == 0,
	    "and none of another thread's");
	check(count(ot.ot_memory, "vfs_mkdir") == 10 &&
		count(ot.ot_memory, "vfs_rmdir") == 10 &&
		count(ot.ot_memory, "vfs_open") == 0,
	    "which are in its own open");
	check(dt_ioctl(dt, KIOGETSTAT, &ks) == 0 &&
		ks.ks_recorded == memory[0] && ks.ks_dropped == 0,
	    "as many as GETSTAT tells");
	dt_close(dt);
	dt_close(ot.ot_dt);
}

static void
full(void)
{
	static const uint64_t nonsense[] = { 7, 8, 9, 1ULL << 32, 1ULL << 63,
		UINT64_MAX, UINT64_MAX - 1 };
	uint64_t *memory, i;
	struct kio_stat ks;
	struct dt *dt = ready("vfs_mkdir", 8, &memory), *one;

	enable(dt);
	mkdirs(20);
	check(memory[0] == 7 && count(memory, "vfs_mkdir") == 7,
	    "what finds no room is dropped");
	check(dt_ioctl(dt, KIOGETSTAT, &ks) == 0 && ks.ks_recorded == 7 &&
		ks.ks_dropped == 13,
	    "and counted");
	for (i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		memory[0] = nonsense[i];
		mkdirs(1);
		if (memory[0] != nonsense[i])
			errx(1, "%#jx became %#jx", (uintmax_t)nonsense[i],
			    (uintmax_t)memory[0]);
	}
	memory[0] = 0;
	mkdirs(3);
	check(memory[0] == 3, "who writes 0 begins anew");
	disable(dt);
	one = ready("vfs_mkdir", 1, NULL);
	enable(one);
	mkdirs(3);
	check(dt_ioctl(one, KIOGETSTAT, &ks) == 0 && ks.ks_recorded == 0 &&
		ks.ks_dropped == 3,
	    "memory without room for any");
	dt_close(one);
	dt_close(dt);
}

/*
 * Ends
 */

static void *
leaves(void *arg)
{
	enable(arg);
	mkdirs(1);
	return NULL;
}

/* The other thread closes its session. */
static void *
goes_on(void *arg)
{
	struct other *ot = arg;
	struct dt *again;

	enable(ot->ot_dt);
	mkdirs(1);
	sem_post(&ot->ot_enabled);
	sem_wait(&ot->ot_go);
	mkdirs(5);
	again = ready("vfs_mkdir", 64, NULL);
	check(try(again, KIOENABLE, KCOV_MODE_TRACE_PC) == EBUSY,
	    "who is traced no more as it was closed: EBUSY");
	dt_close(again);
	return NULL;
}

static void
until_hangup(int sock, void *arg)
{
	(void)arg;
	while (prog_hear(sock) == 'm') {
		mkdirs(1);
		prog_tell(sock, 'd');
	}
}

static void
tell_mkdir(const struct prog_child *child)
{
	prog_tell(child->pc_sock, 'm');
	if (prog_hear(child->pc_sock) != 'd')
		errx(1, "a child does not answer");
}

static int
two_ended(void *arg)
{
	(void)arg;
	return prog_dtd_count(&dtd, "had kcov for") == 2;
}

static void
ends(void)
{
	struct kio_thread kt = { .kt_mode = KCOV_MODE_TRACE_PC };
	struct prog_child child;
	struct other ot;
	uint64_t *memory;
	struct dt *dt = ready("vfs_mkdir", 64, &memory);
	pthread_t t;
	int i;

	for (i = 0; i < 20; i++)
		in_thread(leaves, dt);
	check(memory[0] == 20, "twenty threads, one after the other");
	enable(dt);
	check(1, "and then this one");
	disable(dt);

	prog_child_start(&child, until_hangup, NULL);
	kt.kt_tid = child.pc_pid;
	want(dt, KIOENABLETHREAD, &kt, 0, "ENABLETHREAD of a child");
	memory[0] = 0;
	mkdirs(1);
	tell_mkdir(&child);
	check(memory[0] == 1, "it is traced, and this thread is not");
	want(dt, KIODISABLE, NULL, 0, "DISABLE");
	tell_mkdir(&child);
	check(memory[0] == 1, "and then it is not, either");
	prog_child_end(&child);
	dt_close(dt);

	ot.ot_dt = ready("vfs_mkdir", 64, &ot.ot_memory);
	sem_init(&ot.ot_enabled, 0, 0);
	sem_init(&ot.ot_go, 0, 0);
	if (pthread_create(&t, NULL, goes_on, &ot) != 0)
		errx(1, "pthread_create");
	sem_wait(&ot.ot_enabled);
	dt_close(ot.ot_dt);
	/* dtd logs a session after its release: this one is the second */
	prog_wait(two_ended, NULL, "the end of an open");
	sem_post(&ot.ot_go);
	pthread_join(t, NULL);
	check(ot.ot_memory[0] <= 1, "a close ends it");
}

/*
 * exec
 */

/* The program that is executed: the memory stays valid. */
static int
executed(const char *fdtext)
{
	uint64_t *memory = mmap(NULL, 64 * KCOV_ENTRY_SIZE,
	    PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fdtext), 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	memory[0] = 0;
	(void)mkdir("/", 0);
	(void)mkdir("/proc", 0);
	printf("executed: %ju\n", (uintmax_t)memory[0]);
	return 0;
}

static void *
execs(void *arg)
{
	char fdtext[16];
	uint64_t *memory;
	struct dt *dt = ready("path_parentat filename_create", 64, &memory);
	int fd = dt_mmap_fd(dt, NULL), i;

	(void)arg;
	if (fd == -1)
		errx(1, "dt_mmap_fd: %s", dt_error(dt));
	enable(dt);
	for (i = 3; i < 32; i++) /* the session stays open */
		(void)fcntl(i, F_SETFD, 0);
	snprintf(fdtext, sizeof(fdtext), "%d", fd);
	execl("/proc/self/exe", "kcovk", "executed", fdtext, NULL);
	err(1, "exec");
}

static void
execed(void *(*how)(void *), int isthread, const char *what)
{
	char line[64] = "", *end = NULL;
	pid_t pid;
	FILE *f;
	int fds[2], status;

	if (pipe(fds) == -1)
		err(1, "pipe");
	if ((pid = prog_fork()) == 0) {
		dup2(fds[1], STDOUT_FILENO);
		if (isthread)
			in_thread(how, NULL);
		(void)how(NULL);
	}
	close(fds[1]);
	if ((f = fdopen(fds[0], "r")) == NULL ||
	    fgets(line, sizeof(line), f) == NULL ||
	    waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "%s: it fails", what);
	fclose(f);
	check(strncmp(line, "executed: ", 10) == 0 &&
		strtoul(line + 10, &end, 10) >= 2,
	    what);
}

static void
exec(void)
{
	execed(execs, 0, "who executes another program is still traced");
	execed(execs, 1, "and so is a thread that is not the first");
}

/* io_uring: its workers act for a process, and are not created by it. */

/* Opens a file through a worker. */
static void
uring_open(void)
{
	struct io_uring_params p = { 0 };
	int ring = syscall(SYS_io_uring_setup, 4, &p), fd;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	char *sq, *cq;

	if (ring == -1)
		err(1, "io_uring_setup");
	sq = mmap(NULL, p.sq_off.array + 4 * sizeof(uint32_t),
	    PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + 8 * sizeof(*cqe),
	    PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	sqe = mmap(NULL, 4 * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED,
	    ring, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqe == MAP_FAILED)
		err(1, "io_uring");
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_OPENAT;
	sqe->flags = IOSQE_ASYNC;
	sqe->fd = AT_FDCWD;
	sqe->addr = (uintptr_t)FILE_READ;
	*(uint32_t *)(sq + p.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS,
		NULL, 0) != 1)
		err(1, "io_uring_enter");
	cqe = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
	if ((fd = cqe->res) < 0)
		errx(1, "io_uring: %s", strerror(-fd));
	close(fd);
	close(ring);
}

static void *
disables(void *arg)
{
	disable(arg);
	return NULL;
}

static void
remote(void)
{
	struct kio_remote_attach ra = { .subsystem = KCOV_REMOTE_COMMON };
	uint64_t *memory;
	struct dt *dt = ready("vfs_open", 64, &memory);
	struct dt *other = ready("vfs_read", 64, NULL);

	want(dt, KIOREMOTEATTACH, &ra, 0, "REMOTEATTACH");
	enable(dt);
	enable(other);
	disable(other);
	check(1, "who has enabled what is remote may enable another");
	open_and_read();
	check(memory[0] == 0, "threads of the process are not recorded");
	uring_open();
	check(count(memory, "vfs_open") == 1, "what a worker does for it is");
	in_thread(disables, dt);
	uring_open();
	check(memory[0] == 1, "any thread may disable it");
	dt_close(dt);
	want(other, KIOREMOTEATTACH, &ra, 0, "REMOTEATTACH after a close");
	dt_close(other);
}

/*
 * Sets of functions
 */

static void
sets(void)
{
	struct dt *dt = kcov_ready(64, NULL);
	int mode = KCOV_MODE_TRACE_PC;
	struct kio_price kp, all;

	check(dt_ioctl(dt, KIOGETPRICE, &kp) == 0 && kp.kp_nfuncs > 20 &&
		kp.kp_method != KCOV_METHOD_NONE && kp.kp_attached == 0,
	    "the default has a price");
	if (kp.kp_method == KCOV_METHOD_KPROBE)
		check(kp.kp_nfuncs <= KCOV_KPROBE_MAX, "that can be paid");
	enable(dt);
	disable(dt);
	check(dt_ioctl(dt, KIOGETPRICE, &kp) == 0 && kp.kp_attached == 1,
	    "and then it is attached");
	funcs(dt, "no_such_function nor_th?s*");
	want(dt, KIOENABLE, &mode, ENOENT, "what is no function");
	funcs(dt, "*");
	check(dt_ioctl(dt, KIOGETPRICE, &all) == 0 && all.kp_nfuncs > 10000 &&
		all.kp_nfuncs == all.kp_total,
	    "all functions have a price");
	if (all.kp_method == KCOV_METHOD_KPROBE)
		want(dt, KIOENABLE, &mode, E2BIG, "all functions");
	funcs(dt, "vfs_mkdir  no_such_function ");
	enable(dt);
	dt_close(dt);
}

/*
 * Guided
 */

#define GUIDED_MAX  64
#define REACHED_MAX 4096

static uint64_t reached[REACHED_MAX]; /* functions */
static size_t nreached;

/* Adds the new functions among the records. */
static void
guided_learn(const uint64_t *memory)
{
	uint64_t i;
	size_t j;

	for (i = 1; i <= memory[0]; i++) {
		for (j = 0; j < nreached && reached[j] != memory[i]; j++)
			continue;
		if (j == nreached && nreached < REACHED_MAX)
			reached[nreached++] = memory[i];
	}
}

/*
 * Returns how many new functions an open of the path with these flags reaches.
 */
static size_t
guided_try(const char *path, int flags, uint64_t *memory)
{
	size_t was = nreached;
	int fd;

	memory[0] = 0;
	fd = open(path, flags, 0600);
	guided_learn(memory);
	memory[0] = KCOV_BUF_MAX; /* later calls are not recorded */
	if (fd != -1)
		close(fd);
	return nreached - was;
}

static void
guided_tell(int flags, size_t n)
{
	uint64_t offset;

	for (; n > 0; n--)
		printf("%#x reaches %s\n", flags,
		    dt_ksym(names, reached[nreached - n], &offset));
}

/* Flags that reached new functions are changed again, bit by bit. */
static void
guided(void)
{
	static const int bits[] = { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC,
		O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY, O_PATH, O_NOFOLLOW };
	int flags[GUIDED_MAX] = { O_RDONLY };
	char path[PROG_PATH + 16];
	uint64_t *memory;
	struct dt *dt = kcov_ready(REACHED_MAX, &memory);
	size_t n = 1, i, j, isnew, found = 0;

	snprintf(path, sizeof(path), "%s/guided", dtd.pd_dir);
	enable(dt);
	(void)guided_try(path, flags[0], memory);
	for (i = 0; i < n; i++)
		for (j = 0; j < sizeof(bits) / sizeof(bits[0]); j++) {
			flags[n] = flags[i] ^ bits[j];
			isnew = guided_try(path, flags[n], memory);
			found += isnew;
			guided_tell(flags[n], isnew);
			if (isnew > 0 && n < GUIDED_MAX - 1)
				n++;
		}
	disable(dt);
	check(found > 0, "some flags reach what the first had not");
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} runs[] = {
		{ "calls", calls },
		{ "full", full },
		{ "ends", ends },
		{ "exec", exec },
		{ "remote", remote },
		{ "sets", sets },
		{ "guided", guided },
	};
	size_t i;

	if (argc == 3 && strcmp(argv[1], "executed") == 0)
		return executed(argv[2]);
	prog_init("kcovk", 10 * PROG_DEADLINE);
	for (i = 0; argc == 2 && i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (strcmp(argv[1], runs[i].name) != 0)
			continue;
		prog_dtd_start(&dtd, NULL);
		names = prog_open(&dtd, 0);
		runs[i].run();
		dt_close(names);
		prog_dtd_stop(&dtd);
		return 0;
	}
	errx(1, "usage: kcovk calls|full|ends|exec|remote|sets|guided");
}
