/* SPDX-License-Identifier: ISC */
/*
 * -p: processes by number or name, several with commas or several options.  One
 * becomes the filter of the session; several become a condition, which is
 * limited to 16 comparisons.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts/opts.h"

#define PIDS_NAME 16 /* bytes of a process name that the kernel keeps */

static const char *
pids_add(void *arg, uint32_t pid)
{
	struct opts_select *ose = arg;
	unsigned int i;

	for (i = 0; i < ose->ose_npids; i++)
		if (ose->ose_pids[i] == pid)
			return NULL;
	if (ose->ose_npids == OPTS_MAXPIDS)
		return "is more than 8 processes; --comm, --cgroup and "
		       "--children select any number";
	ose->ose_pids[ose->ose_npids++] = pid;
	return NULL;
}

/* Returns whether the process has this name, of which len bytes count. */
static int
pids_isnamed(const char *pid, const char *name, size_t len)
{
	char path[64], comm[PIDS_NAME + 1] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	if (fgets(comm, sizeof(comm), f) == NULL)
		comm[0] = '\0';
	fclose(f);
	comm[strcspn(comm, "\n")] = '\0';
	if (len > PIDS_NAME - 1)
		len = PIDS_NAME - 1;
	return strlen(comm) == len && memcmp(comm, name, len) == 0;
}

const char *
opts_named(const char *name, size_t len, opts_pid_fn *fn, void *arg)
{
	static char why[128];
	const char *bad = NULL;
	const struct dirent *de;
	int found = 0;
	DIR *dir;

	if ((dir = opendir("/proc")) == NULL)
		return "cannot be found without /proc";
	while (bad == NULL && (de = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)de->d_name[0]) ||
		    !pids_isnamed(de->d_name, name, len))
			continue;
		bad = fn(arg, strtoul(de->d_name, NULL, 10));
		found = 1;
	}
	closedir(dir);
	if (bad != NULL || found)
		return bad;
	snprintf(why, sizeof(why),
	    "'%.*s' is neither the number nor the name of a running process",
	    (int)(len < 40 ? len : 40), name);
	return why;
}

static const char *
pids_word(struct opts *o, const char *word, size_t len)
{
	char number[16];
	uint64_t pid;

	if (len == 0)
		return "should be processes with a comma between: 1,2 or sshd";
	snprintf(number, sizeof(number), "%.*s", (int)len, word);
	if (len < sizeof(number) &&
	    opts_number(number, 0, UINT32_MAX - 1, &pid) == 0)
		return pids_add(&o->o_select, pid);
	if (o->o_hosts.ohs_names != NULL)
		return NULL; /* looked up there */
	return opts_named(word, len, pids_add, &o->o_select);
}

const char *
opts_each_word(struct opts *o, const char *arg, opts_word_fn *fn)
{
	const char *bad;
	size_t len;

	for (;; arg += len + 1) {
		len = strcspn(arg, ",");
		if ((bad = fn(o, arg, len)) != NULL || arg[len] == '\0')
			return bad;
	}
}

const char *
opts_set_pids(struct opts *o, const char *arg)
{
	const char *bad = opts_each_word(o, arg, pids_word);

	if (bad != NULL)
		return bad;
	o->o_filter.dtfi_set &= ~DTFI_PID;
	if (o->o_select.ose_npids == 1) {
		o->o_filter.dtfi_set |= DTFI_PID;
		o->o_filter.dtfi_pid = o->o_select.ose_pids[0];
	}
	return NULL;
}

const char *
opts_end_pids(struct opts *o)
{
	struct opts_select *ose = &o->o_select;
	char text[OPTS_MAXPIDS * 32];
	unsigned int i;
	size_t n = 0;

	if (ose->ose_npids < 2)
		return NULL;
	for (i = 0; i < ose->ose_npids; i++)
		n += snprintf(text + n, sizeof(text) - n, "%spid == %u",
		    i > 0 ? " || " : "", ose->ose_pids[i]);
	return opts_and(o, text) == -1 ? "out of memory" : NULL;
}

int
opts_and(struct opts *o, const char *part)
{
	struct opts_select *ose = &o->o_select;
	char *s;
	int n;

	n = ose->ose_if != NULL
	    ? asprintf(&s, "(%s) && (%s)", part, ose->ose_if)
	    : asprintf(&s, "%s", part);
	if (n == -1)
		return -1;
	free(ose->ose_joined);
	ose->ose_if = ose->ose_joined = s;
	return 0;
}

void
opts_end(struct opts *o)
{
	free(o->o_select.ose_joined);
}
