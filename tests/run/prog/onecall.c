/* SPDX-License-Identifier: ISC */
/*
 * Makes system calls with given numbers, to test how they are printed:
 *
 *	onecall [-s] NR [VALUE ...]
 *	onecall [-s] -
 *
 * VALUE is a number in C's notation, or @TEXT for the address of a text;
 * missing values are 0.  With - each line of standard input is a call.  With -s
 * no call is carried out, each fails with ENOSYS: a tracer records them, and
 * any number is harmless.  Before the first one close(-4711) is called, to mark
 * the beginning.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <err.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ONECALL_MARK (-4711)

struct call {
	long values[7]; /* number and arguments */
};

static long
value(char *word)
{
	char *end;
	long v;

	if (*word == '@')
		return (long)strdup(word + 1);
	v = *word == '-' ? strtol(word, &end, 0) : (long)strtoul(word, &end, 0);
	if (end == word || *end != '\0')
		errx(1, "%s: no number", word);
	return v;
}

static void
parse(struct call *c, char **words, int n)
{
	int i;

	if (n < 1 || n > 7)
		errx(1, "one to seven numbers");
	memset(c, 0, sizeof(*c));
	for (i = 0; i < n; i++)
		c->values[i] = value(words[i]);
}

static size_t
parse_lines(struct call **calls)
{
	char *line = NULL, *words[8], *p;
	size_t size = 0, n = 0;
	int nwords;

	while (getline(&line, &size, stdin) > 0) {
		nwords = 0;
		for (p = strtok(line, " \n"); p != NULL && nwords < 8;
		     p = strtok(NULL, " \n"))
			words[nwords++] = p;
		*calls = reallocarray(*calls, n + 1, sizeof(**calls));
		if (*calls == NULL)
			err(1, "calls");
		parse(&(*calls)[n++], words, nwords);
	}
	free(line);
	return n;
}

/* From now on only exit_group(2) is carried out. */
static void
forbid(void)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	struct sock_fprog prog = { sizeof(insns) / sizeof(insns[0]), insns };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == -1)
		err(1, "seccomp");
}

int
main(int argc, char **argv)
{
	struct call *calls = NULL;
	size_t ncalls, i;
	int safe = 0;
	long *v;

	if (argc > 1 && strcmp(argv[1], "-s") == 0) {
		safe = 1;
		argc--;
		argv++;
	}
	if (argc == 2 && strcmp(argv[1], "-") == 0)
		ncalls = parse_lines(&calls);
	else {
		if ((calls = calloc(1, sizeof(*calls))) == NULL)
			err(1, "calls");
		parse(calls, argv + 1, argc - 1);
		ncalls = 1;
	}
	if (safe)
		forbid();
	syscall(SYS_close, ONECALL_MARK);
	for (i = 0; i < ncalls; i++) {
		v = calls[i].values;
		syscall(v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
	}
	_exit(0); /* no later call by the library */
}
