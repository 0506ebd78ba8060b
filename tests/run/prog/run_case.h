/* SPDX-License-Identifier: ISC */
/*
 * Cases of a .t file, for run_cases.c.  A line is a directive and its text; a
 * line that begins with white space continues the text of the line before; #
 * begins a comment line.  The checks after a RUN, ASK or AFTER apply to that
 * step.
 *
 *	NAME	a sentence: begins a case
 *	CORE	runs on every kernel in check-full, and on two of them in check
 *	NEEDS	features (run_feature.h) without which it is skipped
 *	ALONE	measures time or the whole machine: runs when nothing else does
 *	TIMEOUT	seconds that a step may take (60)
 *	SERVICE	lines of a configuration: a dtd serves $T/run during the case
 *	RUN	a command for sh(1); its status must be STATUS
 *	AFTER	likewise, for commands between two ASKs
 *	ASK	steps for ask(1), which lives as long as the case
 *	STOP	ends the service, as the end of the case does
 *	STATUS	n, of the last RUN (0)
 *	OUT, NOOUT, ERR, NOERR	an extended regular expression that some line
 *		(NO: no line) of the step's output matches
 *	EXPECT	all words of the step's output: verbatim, or "*" any, ">=N",
 *		"A..B"
 */
#ifndef RUN_CASE_H
#define RUN_CASE_H

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE_MAXSTEPS  24
#define CASE_MAXCHECKS 24

enum check_kind {
	CHECK_OUT,
	CHECK_NOOUT,
	CHECK_ERR,
	CHECK_NOERR,
	CHECK_EXPECT
};

struct check {
	enum check_kind ck_kind;
	char *ck_text;
};

enum step_kind {
	STEP_RUN,
	STEP_ASK,
	STEP_STOP
};

struct step {
	enum step_kind sp_kind;
	char *sp_text;
	int sp_status; /* of a RUN */
	struct check sp_checks[CASE_MAXCHECKS];
	unsigned int sp_nchecks;
};

struct testcase {
	char *tc_name;
	char *tc_needs;	  /* NULL: none */
	char *tc_service; /* its configuration, NULL: none */
	int tc_core, tc_alone;
	int tc_timeout; /* seconds */
	struct step tc_steps[CASE_MAXSTEPS];
	unsigned int tc_nsteps;
};

struct testfile {
	const char *tf_path;
	char *tf_text; /* all strings point into it */
	struct testcase *tf_cases;
	unsigned int tf_ncases;
};

/* Returns the contents of a file, NUL terminated; the caller frees it. */
static char *
case_slurp(const char *path)
{
	char *text = NULL;
	size_t size = 0, len = 0, n;
	FILE *fp = fopen(path, "re");

	if (fp == NULL)
		err(1, "%s", path);
	do {
		if (size - len < 4097 &&
		    (text = realloc(text, size += 65536)) == NULL)
			err(1, NULL);
		n = fread(text + len, 1, size - len - 1, fp);
		len += n;
	} while (n > 0);
	text[len] = '\0';
	fclose(fp);
	return text;
}

/* Skips comments and empty lines. */
static char *
case_skip(char *p)
{
	while (*p == '#' || *p == '\n') {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	return p;
}

/*
 * Cuts off the next directive and joins its lines.  Returns NULL at the end.
 * Works in place: the text only becomes shorter.
 */
static char *
case_directive(char **next)
{
	char *p = case_skip(*next), *start, *to;

	if (*p == '\0')
		return NULL;
	start = to = p;
	for (;;) {
		while (*p != '\n' && *p != '\0')
			*to++ = *p++;
		if (*p == '\0' || (p[1] != ' ' && p[1] != '\t'))
			break;
		*to++ = *p++;
		while (*p == ' ' || *p == '\t')
			p++;
	}
	*next = *p == '\0' ? p : p + 1;
	*to = '\0';
	return start;
}

static struct testcase *
case_add(struct testfile *tf, char *name)
{
	struct testcase *tc;

	tf->tf_cases = reallocarray(tf->tf_cases, tf->tf_ncases + 1,
	    sizeof(*tf->tf_cases));
	if (tf->tf_cases == NULL)
		err(1, NULL);
	tc = &tf->tf_cases[tf->tf_ncases++];
	memset(tc, 0, sizeof(*tc));
	tc->tc_name = name;
	tc->tc_timeout = 60;
	return tc;
}

static void
case_step(const struct testfile *tf, struct testcase *tc, enum step_kind kind,
    char *text)
{
	struct step *sp;

	if (tc->tc_nsteps == CASE_MAXSTEPS)
		errx(1, "%s: '%s': too many steps", tf->tf_path, tc->tc_name);
	sp = &tc->tc_steps[tc->tc_nsteps++];
	sp->sp_kind = kind;
	sp->sp_text = text;
}

static void
case_check(const struct testfile *tf, struct testcase *tc, enum check_kind kind,
    char *text)
{
	struct step *sp = &tc->tc_steps[tc->tc_nsteps - 1];

	if (tc->tc_nsteps == 0 || sp->sp_nchecks == CASE_MAXCHECKS)
		errx(1, "%s: '%s': a check without a step, or too many",
		    tf->tf_path, tc->tc_name);
	sp->sp_checks[sp->sp_nchecks++] = (struct check){ kind, text };
}

static void
case_set(struct testfile *tf, struct testcase *tc, char *word, char *text)
{
	static const char *const checks[] = {
		[CHECK_OUT] = "OUT",
		[CHECK_NOOUT] = "NOOUT",
		[CHECK_ERR] = "ERR",
		[CHECK_NOERR] = "NOERR",
		[CHECK_EXPECT] = "EXPECT",
	};
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (strcmp(word, checks[i]) == 0) {
			case_check(tf, tc, i, text);
			return;
		}
	if (strcmp(word, "CORE") == 0)
		tc->tc_core = 1;
	else if (strcmp(word, "ALONE") == 0)
		tc->tc_alone = 1;
	else if (strcmp(word, "NEEDS") == 0)
		tc->tc_needs = text;
	else if (strcmp(word, "TIMEOUT") == 0)
		tc->tc_timeout = atoi(text);
	else if (strcmp(word, "SERVICE") == 0)
		tc->tc_service = text;
	else if (strcmp(word, "RUN") == 0 || strcmp(word, "AFTER") == 0)
		case_step(tf, tc, STEP_RUN, text);
	else if (strcmp(word, "ASK") == 0)
		case_step(tf, tc, STEP_ASK, text);
	else if (strcmp(word, "STOP") == 0)
		case_step(tf, tc, STEP_STOP, word);
	else if (strcmp(word, "STATUS") == 0 && tc->tc_nsteps > 0)
		tc->tc_steps[tc->tc_nsteps - 1].sp_status = atoi(text);
	else
		errx(1, "%s: '%s': what is %s?", tf->tf_path, tc->tc_name,
		    word);
}

static void
case_read(struct testfile *tf, const char *path)
{
	struct testcase *tc = NULL;
	char *line, *next, *nl, *text;

	memset(tf, 0, sizeof(*tf));
	tf->tf_path = path;
	next = tf->tf_text = case_slurp(path);
	while ((line = case_directive(&next)) != NULL) {
		text = line + strcspn(line, " \t\n");
		if (*text != '\0')
			*text++ = '\0';
		text += strspn(text, " \t\n");
		if (strcmp(line, "NAME") == 0) {
			for (nl = text; (nl = strchr(nl, '\n')) != NULL;)
				*nl = ' ';
			tc = case_add(tf, text);
		} else if (tc == NULL)
			errx(1, "%s: %s before the first NAME", path, line);
		else
			case_set(tf, tc, line, text);
	}
}

static void
case_free(struct testfile *tf)
{
	free(tf->tf_cases);
	free(tf->tf_text);
}

#endif /* RUN_CASE_H */
