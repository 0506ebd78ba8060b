/* SPDX-License-Identifier: ISC */
/*
 * Runs an instrumented program with kcov memory in the environment, as dt(1)
 * does, and prints the records of its first thread:
 *
 *	kcovrun [-c] [-n entries] [-s count] [-f kind] [-t tid] command ...
 *
 *	-c	comparisons (default: addresses)
 *	-n, -s	entries (65536), and the initial value of the first (0)
 *	-f	passes another descriptor: "short" memory, "open" memory that can
 *		be shortened, "file" a file, "closed"
 *	-t	passes another thread's number
 *
 * Prints "count N" and one line per record, up to the maximum: "pc ADDRESS" or
 * "cmp TYPE ARG1 ARG2", hexadecimal except the type; and "untouched" if no byte
 * of the memory changed.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/kcov.h>

static size_t nentries = 65536;
static uint64_t count;
static int mode = KCOV_MODE_TRACE_PC;
static const char *kind = "";
static pid_t tid;

/* The memory, mapped; the descriptor stays open across exec(2). */
static uint64_t *
memory(int *fd)
{
	size_t nbytes = nentries * KCOV_ENTRY_SIZE;
	uint64_t *buf;
	int file = strcmp(kind, "file") == 0;

	*fd = file ? open("memory", O_RDWR | O_CREAT | O_TRUNC, 0600)
		   : memfd_create("kcov", MFD_ALLOW_SEALING);
	if (*fd == -1 || ftruncate(*fd, (off_t)nbytes) != 0)
		err(1, "memory");
	buf = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (buf == MAP_FAILED)
		err(1, "mmap");
	if (!file && strcmp(kind, "open") != 0 &&
	    fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
		err(1, "F_ADD_SEALS");
	buf[0] = count;
	return buf;
}

static void
run(int fd, char **argv)
{
	size_t told = nentries + (strcmp(kind, "short") == 0 ? 512 : 0);
	char env[100];

	if (strcmp(kind, "closed") == 0)
		close(fd);
	snprintf(env, sizeof(env), "%d,%zu,%d,%d", fd, told, mode,
	    tid != 0 ? tid : gettid());
	setenv("DTKCOV", env, 1);
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

static void
print(const uint64_t *buf)
{
	size_t stride = mode == KCOV_MODE_TRACE_CMP ? 4 : 1, i;

	printf("count %llu\n", (unsigned long long)buf[0]);
	for (i = 0; i < buf[0] && (i + 1) * stride < nentries; i++) {
		const uint64_t *rec = &buf[1 + i * stride];

		if (stride == 1)
			printf("pc %llx\n", (unsigned long long)rec[0]);
		else
			printf("cmp %llu %llx %llx\n",
			    (unsigned long long)rec[0],
			    (unsigned long long)rec[1],
			    (unsigned long long)rec[2]);
	}
	for (i = 1; i < nentries && buf[i] == 0; i++)
		continue;
	if (i == nentries && buf[0] == count)
		printf("untouched\n");
}

int
main(int argc, char *argv[])
{
	uint64_t *buf;
	int ch, fd, status;
	pid_t pid;

	while ((ch = getopt(argc, argv, "+cf:n:s:t:")) != -1)
		switch (ch) {
		case 'c':
			mode = KCOV_MODE_TRACE_CMP;
			break;
		case 'f':
			kind = optarg;
			break;
		case 'n':
			nentries = strtoul(optarg, NULL, 0);
			break;
		case 's':
			count = strtoull(optarg, NULL, 0);
			break;
		case 't':
			tid = atoi(optarg);
			break;
		default:
			return 2;
		}
	if (argc == optind)
		errx(2, "what command?");
	buf = memory(&fd);
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0)
		run(fd, argv + optind);
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	print(buf);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
