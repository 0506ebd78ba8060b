/* SPDX-License-Identifier: ISC */
/* The values of options: processes, users, keys and words. */
#include <ctype.h>
#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "cli/complete/complete.h"
#include "cli/stat/key.h"
#include "cli/top/top.h"

#define COMPLETE_MAXKEYS 64

/* A shell inserts these characters unchanged. */
#define COMPLETE_PLAIN \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"_.:@+/-"

/* Prints the PID or the name of each process; anyone chooses names. */
static void
complete_processes(struct complete *cpl, int names)
{
	char path[300], comm[64];
	struct dirent *de;
	DIR *dp = opendir("/proc");
	FILE *fp;

	while (dp != NULL && (de = readdir(dp)) != NULL) {
		if (de->d_name[0] < '0' || de->d_name[0] > '9')
			continue;
		if (!names) {
			complete_put(cpl, de->d_name);
			continue;
		}
		snprintf(path, sizeof(path), "/proc/%s/comm", de->d_name);
		if ((fp = fopen(path, "re")) == NULL)
			continue;
		if (fgets(comm, sizeof(comm), fp) != NULL) {
			comm[strcspn(comm, "\n")] = '\0';
			/* shells do not quote what they insert */
			if (comm[strspn(comm, COMPLETE_PLAIN)] == '\0')
				complete_put(cpl, comm);
		}
		fclose(fp);
	}
	if (dp != NULL)
		closedir(dp);
}

/* Keeps what is before the last of these characters. */
static void
complete_after(struct complete *cpl, const char *characters)
{
	const char *p = cpl->cpl_word;

	while (p[strcspn(p, characters)] != '\0')
		p += strcspn(p, characters) + 1;
	if (p == cpl->cpl_word)
		return;
	if (cpl->cpl_nkeep == 0)
		cpl->cpl_keep = cpl->cpl_word;
	cpl->cpl_nkeep += p - cpl->cpl_word;
	cpl->cpl_word = p;
}

/* Of -p: a number or, after a letter, a name. */
static void
complete_pids(struct complete *cpl)
{
	complete_after(cpl, ",");
	complete_processes(cpl, isalpha((unsigned char)*cpl->cpl_word));
}

static void
complete_comms(struct complete *cpl)
{
	complete_processes(cpl, 1);
}

static void
complete_users(struct complete *cpl)
{
	const struct passwd *pw;

	setpwent();
	while ((pw = getpwent()) != NULL)
		complete_put(cpl, pw->pw_name);
	endpwent();
}

static void
complete_keys(struct complete *cpl)
{
	const char *names[COMPLETE_MAXKEYS];
	size_t i, n = key_kind_names(names, COMPLETE_MAXKEYS);

	complete_after(cpl, ",");
	for (i = 0; i < n; i++)
		complete_put(cpl, names[i]);
	complete_fields(cpl);
}

static void
complete_pair_key(struct complete *cpl)
{
	complete_after(cpl, ",=");
	complete_put(cpl, "tid");
	complete_put(cpl, "pid");
	complete_fields(cpl);
}

static void
complete_operands(struct complete *cpl)
{
	static const char *const names[] = { "pid", "tid", "uid", "cpu", "comm",
		"retval", "errno", "duration", "path" };
	size_t i;

	complete_after(cpl, " ()!&|");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		complete_put(cpl, names[i]);
	complete_fields(cpl);
}

static void
complete_sums(struct complete *cpl)
{
	complete_put(cpl, "retval");
	complete_put(cpl, "duration");
	complete_fields(cpl);
}

static void
complete_probe(struct complete *cpl)
{
	complete_probes(cpl);
}

static void
complete_call_graph(struct complete *cpl)
{
	complete_put(cpl, "table");
	complete_put(cpl, "fp");
}

static void
complete_count_in(struct complete *cpl)
{
	complete_put(cpl, "kernel");
	complete_put(cpl, "client");
}

static void
complete_views(struct complete *cpl)
{
	const struct top_view *const *v;

	for (v = top_views; *v != NULL; v++)
		complete_put(cpl, (*v)->tov_name);
}

static const struct {
	const char *option;
	void (*put)(struct complete *);
} complete_values[] = {
	{ "pid", complete_pids },
	{ "comm", complete_comms },
	{ "uid", complete_users },
	{ "by", complete_keys },
	{ "sum", complete_sums },
	{ "key", complete_pair_key },
	{ "if", complete_operands },
	{ "from", complete_probe },
	{ "to", complete_probe },
	{ "until", complete_probe },
	{ "on", complete_probe },
	{ "call-graph", complete_call_graph },
	{ "count-in", complete_count_in },
	{ "view", complete_views },
};

void
complete_value(struct complete *cpl, const char *option)
{
	size_t i;

	for (i = 0; i < sizeof(complete_values) / sizeof(complete_values[0]);
	     i++)
		if (strcmp(complete_values[i].option, option) == 0)
			complete_values[i].put(cpl);
}
