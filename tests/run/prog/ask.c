/* SPDX-License-Identifier: ISC */
/*
 * Sends requests to the dt device through libdt, for the cases of tests/run.  A
 * line of stdin holds steps, separated by semicolons.  The reply is a line with
 * a word for each step: 0, the name of an errno, a number.  A step may begin
 * with the name of a handle ("B: open"); without a name it uses handle A.  The
 * table at the end lists all steps.
 *
 * The daemon is the service in the folder $ASK_DIR, or a private one.
 *
 * With arguments it makes one of the calls of ask_worker.h, as a target for
 * another process's session.
 */
#include <sys/prctl.h>

#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libdt.h>

#include "tests/run/prog/ask_agg.h"
#include "tests/run/prog/ask_cond.h"
#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_list.h"
#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_open.h"
#include "tests/run/prog/ask_pair.h"
#include "tests/run/prog/ask_probe.h"
#include "tests/run/prog/ask_read.h"
#include "tests/run/prog/ask_reads.h"
#include "tests/run/prog/ask_wire.h"
#include "tests/run/prog/ask_worker.h"

/*
 * Processes
 */

/* spawn NAME [uid=N] [comm=NAME] */
static void
ask_spawn(struct handle *h, const struct words *w, struct answer *an)
{
	(void)h;
	worker_spawn(w);
	ask_say(an, "0");
}

/* in NAME [thread] CALL ...: by a worker */
static void
ask_in(struct handle *h, const struct words *w, struct answer *an)
{
	(void)h;
	worker_in(w, an->an_text, sizeof(an->an_text));
}

/* do CALL ...: by ask itself */
static void
ask_do(struct handle *h, const struct words *w, struct answer *an)
{
	struct words inner = { .wd_n = w->wd_n - 1 };

	(void)h;
	memcpy(inner.wd_v, w->wd_v + 1, w->wd_n * sizeof(w->wd_v[0]));
	worker_do(&inner, an->an_text, sizeof(an->an_text));
}

/*
 * as UID: changes the user for good.  A process that has dropped root is not
 * dumpable, which hides it from processes of the same user; the step makes it
 * dumpable, like any ordinary process.
 */
static void
ask_as(struct handle *h, const struct words *w, struct answer *an)
{
	uid_t uid = name_num(name_word(w, 1));

	(void)h;
	if (geteuid() == uid)
		ask_say(an, "0");
	else if (setgroups(0, NULL) == -1 || setresgid(uid, uid, uid) == -1 ||
	    setresuid(uid, uid, uid) == -1)
		ask_say_result(an, -1);
	else
		ask_say_result(an, prctl(PR_SET_DUMPABLE, 1));
}

/* killdtd: kills our private daemon with SIGKILL. */
static void
ask_killdtd(struct handle *h, const struct words *w, struct answer *an)
{
	char path[300], comm[32] = "";
	struct dirent *de;
	int killed = 0;
	pid_t ppid;
	DIR *dir = opendir("/proc");
	FILE *fp;

	(void)h;
	(void)w;
	while (dir != NULL && (de = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%s/stat", de->d_name);
		if (!isdigit((unsigned char)de->d_name[0]) ||
		    (fp = fopen(path, "re")) == NULL)
			continue;
		if (fscanf(fp, "%*d (%31[^)]) %*c %d", comm, &ppid) == 2 &&
		    ppid == getpid() && strcmp(comm, "dtd") == 0)
			killed += kill(atoi(de->d_name), SIGKILL) == 0;
		fclose(fp);
	}
	if (dir != NULL)
		closedir(dir);
	ask_say(an, "%d", killed);
}

static void
ask_wire(struct handle *h, const struct words *w, struct answer *an)
{
	(void)h;
	ask_say(an, "%s", wire_step(w));
}

static const struct {
	const char *name;
	ask_fn *fn;
	int wantsopen;
} ask_steps[] = {
	{ "open", ask_open, 0 },
	{ "openmany", ask_openmany, 0 },
	{ "close", ask_close, 1 },
	{ "rights", ask_rights, 1 },
	{ "private", ask_private, 1 },
	{ "error", ask_error, 0 },
	{ "ioctl", ask_ioctl, 1 },
	{ "enable", ask_enable, 1 },
	{ "enableall", ask_enableall, 1 },
	{ "disable", ask_disable, 1 },
	{ "record", ask_record, 1 },
	{ "self", ask_self, 1 },
	{ "budget", ask_budget, 1 },
	{ "maxbudget", ask_maxbudget, 1 },
	{ "filter", ask_filter, 1 },
	{ "path", ask_path, 1 },
	{ "pair", ask_pair, 1 },
	{ "if", ask_if, 1 },
	{ "reads", ask_reads, 1 },
	{ "addr", ask_addr, 2 },
	{ "agg", ask_agg, 1 },
	{ "snapshot", ask_snapshot, 1 },
	{ "morerows", ask_morerows, 1 },
	{ "rows", ask_rows, 1 },
	{ "norows", ask_norows, 1 },
	{ "list", ask_list, 1 },
	{ "args", ask_args, 1 },
	{ "pbn", ask_number, 1 },
	{ "provs", ask_provs, 1 },
	{ "ksym", ask_ksym, 1 },
	{ "auxbase", ask_auxbase, 1 },
	{ "fullstat", ask_fullstat, 1 },
	{ "await", ask_await, 1 },
	{ "stats", ask_stats, 1 },
	{ "oldstats", ask_oldstats, 1 },
	{ "ledger", ask_ledger, 1 },
	{ "note", ask_note, 1 },
	{ "read", ask_read, 1 },
	{ "waits", ask_waits, 1 },
	{ "next", ask_next, 1 },
	{ "passed", ask_passed, 1 },
	{ "pass", ask_pass, 1 },
	{ "evread", ask_evread, 1 },
	{ "readall", ask_readall, 1 },
	{ "count", ask_count, 1 },
	{ "sorted", ask_sorted, 1 },
	{ "recent", ask_recent, 1 },
	{ "clear", ask_clear, 1 },
	{ "poll", ask_poll, 1 },
	{ "recvdata", ask_recvdata, 1 },
	{ "spawn", ask_spawn, 0 },
	{ "in", ask_in, 0 },
	{ "do", ask_do, 0 },
	{ "as", ask_as, 0 },
	{ "killdtd", ask_killdtd, 0 },
	{ "wire", ask_wire, 0 },
};

#define ASK_NSTEPS (sizeof(ask_steps) / sizeof(ask_steps[0]))

static void
ask_step(char *step, struct answer *an)
{
	struct handle *h;
	struct words w;
	size_t i, n;

	an->an_text[0] = '\0';
	name_split(&w, step);
	if (w.wd_n == 0)
		return;
	n = strlen(w.wd_v[0]);
	if (w.wd_v[0][n - 1] == ':') {
		w.wd_v[0][n - 1] = '\0';
		h = ask_handle(w.wd_v[0]);
		memmove(w.wd_v, w.wd_v + 1, w.wd_n-- * sizeof(w.wd_v[0]));
		name_word(&w, 0);
	} else
		h = ask_handle("A");
	for (i = 0; i < ASK_NSTEPS; i++)
		if (strcmp(ask_steps[i].name, w.wd_v[0]) == 0)
			break;
	if (i == ASK_NSTEPS)
		errx(2, "there is no step '%s'", w.wd_v[0]);
	if (ask_steps[i].wantsopen && h->h_dt == NULL)
		ask_say(an, "NOTOPEN");
	else {
		errno = 0;
		ask_steps[i].fn(h, &w, an);
	}
}

/*
 * Replaces %P by our process id in seven digits and %T by the last seven
 * characters of the case's folder, for unique names and users.  The caller
 * frees the string.
 */
static char *
ask_expand(const char *line)
{
	const char *dir = getenv("T");
	size_t n = dir != NULL ? strlen(dir) : 0;
	char *to = malloc(8 * strlen(line) + 1), *p = to;

	if (to == NULL)
		err(2, NULL);
	for (; *line != '\0' && *line != '\n'; line++) {
		if (strncmp(line, "%P", 2) == 0)
			p += sprintf(p, "%07d", (int)getpid() % 10000000);
		else if (strncmp(line, "%T", 2) == 0)
			p += sprintf(p, "%s", n > 7 ? dir + n - 7 : "");
		else {
			*p++ = *line;
			continue;
		}
		line++;
	}
	*p = '\0';
	return to;
}

static void
ask_line(const char *text)
{
	struct answer an;
	char *line = ask_expand(text), *step, *save = NULL;
	int first = 1;

	for (step = strtok_r(line, ";", &save); step != NULL;
	     step = strtok_r(NULL, ";", &save)) {
		ask_step(step, &an);
		printf("%s%s", first ? "" : " ", an.an_text);
		first = 0;
	}
	printf("\n");
	fflush(stdout);
	free(line);
}

static int
ask_call(int argc, char **argv)
{
	struct words w = { .wd_n = argc < NAME_MAXWORDS ? argc
							: NAME_MAXWORDS };
	char reply[64] = "0";

	memcpy(w.wd_v, argv, w.wd_n * sizeof(argv[0]));
	worker_do(&w, reply, sizeof(reply));
	return 0;
}

#ifdef __SANITIZE_ADDRESS__
/* The check for leaks calls getppid(2), which is what cases count. */
int __lsan_is_turned_off(void);

int
__lsan_is_turned_off(void)
{
	return 1;
}
#endif

int
main(int argc, char **argv)
{
	char *line = NULL;
	size_t size = 0;
	int i;

	if (argc > 1)
		return ask_call(argc - 1, argv + 1);
	while (getline(&line, &size, stdin) != -1)
		ask_line(line);
	free(line);
	for (i = 0; i < nhandles; i++) {
		dt_close(handles[i].h_dt);
		hits_clear(&handles[i].h_hits);
		free(handles[i].h_hits.hs_v);
	}
	worker_endall();
	return 0;
}
