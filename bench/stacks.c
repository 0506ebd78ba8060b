/* SPDX-License-Identifier: ISC */
/*
 * Share of complete user stacks of stock programs (bench/loads), by unwind
 * tables and by frame pointers, from the first sample on: each run has a fresh
 * dtd.  And of a storm of short processes, whose program is this one:
 *
 * stacks storm; stacks brief
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"

#define STACKS_MAXROUNDS 32
#define STACKS_NREASONS	 16
#define STACKS_STORM	 1000	 /* processes */
#define STACKS_BRIEF	 5000000 /* ns of CPU time of each */
#define STACKS_DEPTH	 20
#define STACKS_TRUE	 21 /* pairs of runs of true */
#define STACKS_MISSING	 3  /* status of "loads NAME prepare" */

/* User stacks of a profile. */
struct stacks {
	uint64_t sk_n, sk_complete;
	struct reason {
		char rs_text[64];
		uint64_t rs_n;
	} sk_reasons[STACKS_NREASONS];
};

enum {
	BY_TABLE,
	BY_FP,
	NHOWS
};
static char *hows[NHOWS] = { "table", "fp" };

static char dt_path[4096], loads_path[4096], self_path[4096];

/*
 * The storm
 */

__attribute__((noinline)) static int64_t
brief(int depth)
{
	int64_t now = 0, since;

	if (depth > 0) {
		now = brief(depth - 1);
		__asm__ volatile("" : "+r"(now)); /* no loop instead */
		return now + 1;
	}
	for (since = bench_cputime(0); now < since + STACKS_BRIEF;)
		now = bench_cputime(0);
	return now;
}

static int
storm(char *program)
{
	char *argv[] = { program, "brief", NULL };
	int i, alive = 0, ncpu = bench_ncpu();

	for (i = 0; i < STACKS_STORM || alive > 0; i++) {
		if (i < STACKS_STORM) {
			if ((errno = posix_spawn(NULL, program, NULL, NULL,
				 argv, environ)) != 0)
				err(1, "%s", program);
			alive++;
		}
		if ((alive >= ncpu || i >= STACKS_STORM) && wait(NULL) > 0)
			alive--;
	}
	return 0;
}

/*
 * Profiles
 */

static void
reason_add(struct stacks *sk, const char *text, size_t len, uint64_t n)
{
	struct reason *rs = sk->sk_reasons;

	if (len >= sizeof(rs->rs_text))
		len = sizeof(rs->rs_text) - 1;
	while (rs->rs_n != 0 &&
	    (strncmp(rs->rs_text, text, len) != 0 || rs->rs_text[len] != '\0'))
		if (++rs == &sk->sk_reasons[STACKS_NREASONS])
			return;
	memcpy(rs->rs_text, text, len);
	rs->rs_n += n;
}

/*
 * A line of dt profile -j.  Threads without user memory (they exit, or
 * execve(2) loads a program) have no user stack.
 */
static void
stack_add(struct stacks *sk, const char *line)
{
	static const char key[] = ",\"incomplete\":\"";
	const char *why = strstr(line, key);
	unsigned long long n;

	if (sscanf(line, "{\"count\":%llu,", &n) != 1 ||
	    strstr(line, ",\"complete\":") == NULL)
		return;
	if (why == NULL)
		sk->sk_complete += n;
	else if (strncmp(why += sizeof(key) - 1, "no user memory", 14) == 0)
		return;
	else
		reason_add(sk, why, strcspn(why, "\""), n);
	sk->sk_n += n;
}

/* Profiles a command, which may be NULL terminated argv of at most 8. */
static void
profile(struct stacks *sk, int how, char *const *command)
{
	char *argv[20] = { dt_path, "profile", "-j", "--no-limit", "-F", "997",
		"--call-graph", hows[how], "--" };
	char *line = NULL;
	size_t size = 0;
	int i = 9, fd;
	pid_t pid;
	FILE *f;

	while (*command != NULL)
		argv[i++] = *command++;
	pid = bench_spawn_pipe(argv, &fd);
	if ((f = fdopen(fd, "r")) == NULL)
		err(1, "fdopen");
	while (getline(&line, &size, f) != -1)
		stack_add(sk, line);
	free(line);
	fclose(f);
	bench_wait(pid, 0);
}

static double
percent(const struct stacks *sk)
{
	return sk->sk_n == 0 ? 0 : 100.0 * sk->sk_complete / sk->sk_n;
}

static void
add(struct stacks *sum, const struct stacks *sk)
{
	int i;

	sum->sk_n += sk->sk_n;
	sum->sk_complete += sk->sk_complete;
	for (i = 0; i < STACKS_NREASONS && sk->sk_reasons[i].rs_n > 0; i++)
		reason_add(sum, sk->sk_reasons[i].rs_text,
		    strlen(sk->sk_reasons[i].rs_text), sk->sk_reasons[i].rs_n);
}

static void
print(const char *name, const struct stacks sk[NHOWS])
{
	double value[NHOWS] = { percent(&sk[BY_TABLE]), percent(&sk[BY_FP]) };
	char row[64], why[512] = "";
	const struct reason *rs;
	size_t len = 0;

	snprintf(row, sizeof(row), "stacks%s%s", *name == '\0' ? "" : "-",
	    name);
	bench_row_beside(row, &value[BY_TABLE], &value[BY_FP], 1);
	for (rs = sk->sk_reasons; rs < &sk->sk_reasons[STACKS_NREASONS] &&
	     rs->rs_n > 0 && len < sizeof(why);
	     rs++)
		len += snprintf(why + len, sizeof(why) - len, "%s%llu %s",
		    len == 0 ? "; " : ", ", (unsigned long long)rs->rs_n,
		    rs->rs_text);
	bench_note("%s: %llu user stacks%s", row, (unsigned long long)sk->sk_n,
	    why);
}

/*
 * Programs
 */

/* Runs "loads NAME ACTION".  Returns its status. */
static int
load(char *name, char *action)
{
	char *argv[] = { loads_path, name, action, NULL };
	int status;

	if (waitpid(bench_spawn(argv), &status, 0) == -1)
		err(1, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Prepares a load in a directory; returns 0 if it is not installed. */
static int
prepare(char *name)
{
	int status;

	if ((mkdir(name, 0755) == -1 && errno != EEXIST) || chdir(name) == -1)
		err(1, "%s", name);
	if ((status = load(name, "prepare")) == 0)
		return 1;
	if (status != STACKS_MISSING)
		errx(1, "bench/loads %s prepare failed", name);
	bench_note("stacks-%s: not installed", name);
	return 0;
}

static void
program(char *name, struct stacks sum[NHOWS])
{
	char *command[] = { loads_path, name, "run", NULL };
	struct stacks sk[NHOWS] = { 0 };
	int how;

	if (prepare(name))
		for (how = 0; how < NHOWS; how++) {
			profile(&sk[how], how, command);
			add(&sum[how], &sk[how]);
		}
	if (chdir("..") == -1)
		err(1, "chdir");
	if (sk[BY_TABLE].sk_n > 0)
		print(name, sk);
}

static void
programs(void)
{
	char *argv[] = { loads_path, "list", NULL }, names[512], *name, *at;
	struct stacks sum[NHOWS] = { 0 };
	pid_t pid;
	ssize_t n;
	int fd, left = bench_rounds(100, 2);

	pid = bench_spawn_pipe(argv, &fd);
	if ((n = read(fd, names, sizeof(names) - 1)) <= 0)
		errx(1, "%s", loads_path);
	close(fd);
	bench_wait(pid, 0);
	names[n] = '\0';
	for (at = names; left-- > 0 && (name = strtok_r(at, " \n", &at));)
		program(name, sum);
	print("", sum);
}

static void
storms(void)
{
	char *command[] = { self_path, "storm", NULL };
	struct stacks sk[NHOWS] = { 0 };
	int how;

	for (how = 0; how < NHOWS; how++)
		profile(&sk[how], how, command);
	print("storm", sk);
}

/* The whole run of a command that does nothing, ms more than by pointers. */
static void
start(void)
{
	char *argv[] = { dt_path, "profile", "--call-graph", NULL, "--",
		"/bin/true", NULL };
	double msecs[NHOWS][STACKS_MAXROUNDS], more[STACKS_MAXROUNDS];
	int i, k, how, n = bench_rounds(STACKS_TRUE, 2);
	int64_t since;

	for (i = -1; i < n; i++) { /* the first fills the page cache */
		for (k = 0; k < NHOWS; k++) {
			how = (i + k) & 1; /* either is the first */
			argv[3] = hows[how];
			since = bench_now();
			bench_wait(bench_spawn(argv), 0);
			if (i >= 0)
				msecs[how][i] = (bench_now() - since) / 1e6;
		}
		if (i >= 0)
			more[i] = msecs[BY_TABLE][i] - msecs[BY_FP][i];
	}
	bench_row("stacks-true", more, n);
	bench_note("stacks-true: by tables %.1f ms, by frame pointers %.1f ms",
	    bench_median(msecs[BY_TABLE], n), bench_median(msecs[BY_FP], n));
}

static void
find(char *path, size_t size, const char *name)
{
	char *real = realpath(name, NULL);

	if (real == NULL)
		err(1, "%s", name);
	snprintf(path, size, "%s", real);
	free(real);
}

int
main(int argc, char **argv)
{
	char dtd[4096];
	char dir[] = "/tmp/dt-bench.XXXXXX", *rm[] = { "rm", "-rf", dir, NULL };

	if (argc == 2 && strcmp(argv[1], "brief") == 0)
		return brief(STACKS_DEPTH) == 0;
	find(self_path, sizeof(self_path), "/proc/self/exe");
	if (argc == 2 && strcmp(argv[1], "storm") == 0)
		return storm(self_path);
	bench_init(argc, argv);
	find(dtd, sizeof(dtd), getenv("DT_DTD"));
	setenv("DT_DTD", dtd, 1);
	snprintf(dt_path, sizeof(dt_path), "%.4000s/dt", bench_dir);
	find(dt_path, sizeof(dt_path), dt_path);
	find(loads_path, sizeof(loads_path),
	    getenv("LOADS") != NULL ? getenv("LOADS") : "bench/loads");
	if (mkdtemp(dir) == NULL || chmod(dir, 0755) == -1 || chdir(dir) == -1)
		err(1, "%s", dir);
	programs();
	storms();
	start();
	bench_wait(bench_spawn(rm), 0);
	return 0;
}
