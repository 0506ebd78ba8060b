/* SPDX-License-Identifier: ISC */
/*
 * Reads the definition of a metric, and translates it into a command line of
 * dt(1).  The patterns of probes, conditions and keys are checked by dt, so they
 * mean the same as on its command line.
 */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/keyfile.h"
#include "exporter/metric_file.h"
#include "exporter/metrics.h"

#define METRIC_SUFFIX	 ".conf"
#define METRIC_SERIES1	 "100" /* the default of series */
#define METRIC_MAXSERIES 1000
#define METRIC_MAXNAME	 64

/* Each returns NULL, or what the value should be. */

static const char *
check_text(const char *value)
{
	return *value == '\0' ? "a text" : NULL;
}

static const char *
check_type(const char *value)
{
	return strcmp(value, "counter") != 0 && strcmp(value, "histogram") != 0
	    ? "counter or histogram"
	    : NULL;
}

/* dt(1) would take other words for options. */
static const char *
check_probe(const char *value)
{
	const char *s = value + strspn(value, " \t");
	unsigned int n = 0;

	for (; *s != '\0'; s += strspn(s, " \t"), n++) {
		if (*s == '-')
			return "patterns of probes";
		s += strcspn(s, " \t");
	}
	return n == 0 || n > METRIC_MAXARGS / 2 ? "1 to 48 patterns of probes"
						: NULL;
}

static const char *
check_labels(const char *value)
{
	unsigned int n = 1;

	for (; *value != '\0'; value++)
		if (*value == ',')
			n++;
		else if (!isalnum((unsigned char)*value) &&
		    strchr("_. \t", *value) == NULL)
			return "up to 3 keys of dt stat, separated by commas";
	return n > METRIC_MAXLABELS
	    ? "up to 3 keys of dt stat, separated by commas"
	    : NULL;
}

static const char *
check_series(const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	return !isdigit((unsigned char)*value) || *end != '\0' || n < 1 ||
		n > METRIC_MAXSERIES
	    ? "a number from 1 to 1000"
	    : NULL;
}

/* The keys, and the options of dt(1) with their values. */
static const struct metric_row {
	const char *mr_name;
	const char *mr_option; /* NULL: metric_file_args() decides */
	const char *(*mr_check)(const char *);
} rows[METRIC_NKEYS] = {
	[METRIC_HELP] = { "help", NULL, check_text },
	[METRIC_TYPE] = { "type", NULL, check_type },
	[METRIC_PROBE] = { "probe", NULL, check_probe },
	[METRIC_FROM] = { "from", "--from", check_text },
	[METRIC_TO] = { "to", "--to", check_text },
	[METRIC_KEY] = { "key", "--key", check_text },
	[METRIC_CONDITION] = { "condition", "--if", check_text },
	[METRIC_LABELS] = { "labels", "--by", check_labels },
	[METRIC_VALUE] = { "value", "--sum", check_text },
	[METRIC_SERIES] = { "series", "--max-keys", check_series },
};

/* Reading */

static void
file_set(struct keyfile *kf, const char *key, const char *value)
{
	struct metric_file *mf = kf->kf_arg;
	const char *want;
	unsigned int i = 0;

	while (i < METRIC_NKEYS && strcmp(rows[i].mr_name, key) != 0)
		i++;
	if (i == METRIC_NKEYS)
		keyfile_mistake(kf, key,
		    "unknown setting '%s'; there are help, type, probe, from, "
		    "to, key, condition, labels, value and series",
		    key);
	else if (mf->mf_values[i] != NULL)
		keyfile_mistake(kf, key, "%s is set in line %u already", key,
		    mf->mf_lines[i]);
	else if ((want = rows[i].mr_check(value)) != NULL)
		keyfile_mistake(kf, value, "%s requires %s, not '%s'", key,
		    want, value);
	else if ((mf->mf_values[i] = strdup(value)) == NULL)
		err(1, "metrics");
	else
		mf->mf_lines[i] = kf->kf_lineno;
}

/* Returns a problem of the file as a whole, or NULL. */
static const char *
file_check(const struct metric_file *mf)
{
	char *const *v = mf->mf_values;
	int haspair = v[METRIC_FROM] != NULL || v[METRIC_TO] != NULL ||
	    v[METRIC_KEY] != NULL;

	if (v[METRIC_HELP] == NULL || v[METRIC_TYPE] == NULL)
		return "help and type are required";
	if (haspair &&
	    (v[METRIC_FROM] == NULL || v[METRIC_TO] == NULL ||
		v[METRIC_KEY] == NULL))
		return "from, to and key belong together";
	if (haspair == (v[METRIC_PROBE] != NULL))
		return "requires either probe, or from, to and key";
	return NULL;
}

/* Checks the name.  Prometheus reserves the suffixes. */
static const char *
file_check_name(const struct metric_file *mf)
{
	static const char *const suffixes[] = { "_total", "_seconds", "_bucket",
		"_sum", "_count" };
	const char *s = mf->mf_base;
	size_t i, len = strlen(s), n;
	char name[METRIC_MAXNAME + 32];

	if (len == 0 || len > METRIC_MAXNAME || !islower((unsigned char)*s) ||
	    s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
		return "the name of the file should be a letter, then up to 63 "
		       "of a-z, 0-9 and _, then .conf";
	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		n = strlen(suffixes[i]);
		if (len >= n && strcmp(s + len - n, suffixes[i]) == 0)
			return "the name of the file has a suffix that "
			       "Prometheus reserves";
	}
	metric_file_name(mf, name, sizeof(name));
	return metrics_isname(name) ? "the exporter has a metric of this name"
				    : NULL;
}

static int
file_parse(struct metric_file *mf)
{
	struct keyfile kf = { .kf_path = mf->mf_path,
		.kf_set = file_set,
		.kf_warnx = warnx,
		.kf_arg = mf };
	FILE *f = fopen(mf->mf_path, "re");
	const char *why;
	unsigned int n;

	if (f == NULL) {
		warn("%s", mf->mf_path);
		return -1;
	}
	n = keyfile_read(&kf, f);
	fclose(f);
	if (n > 0)
		return -1;
	if ((why = file_check(mf)) != NULL ||
	    (why = file_check_name(mf)) != NULL) {
		warnx("%s:%u: %s", mf->mf_path, kf.kf_lineno, why);
		return -1;
	}
	return 0;
}

struct metric_file *
metric_file_read(const char *path)
{
	struct metric_file *mf = calloc(1, sizeof(*mf));
	const char *slash = strrchr(path, '/');
	size_t len, n = strlen(METRIC_SUFFIX);

	if (mf == NULL || (mf->mf_path = strdup(path)) == NULL ||
	    (mf->mf_base = strdup(slash != NULL ? slash + 1 : path)) == NULL)
		err(1, "metrics");
	len = strlen(mf->mf_base);
	if (len >= n)
		mf->mf_base[len - n] = '\0';
	if (file_parse(mf) == 0)
		return mf;
	metric_file_free(mf);
	return NULL;
}

void
metric_file_free(struct metric_file *mf)
{
	unsigned int i;

	if (mf == NULL)
		return;
	for (i = 0; i < METRIC_NKEYS; i++)
		free(mf->mf_values[i]);
	free(mf->mf_base);
	free(mf->mf_path);
	free(mf);
}

/* Use */

static int
file_ishistogram(const struct metric_file *mf)
{
	return strcmp(mf->mf_values[METRIC_TYPE], "histogram") == 0;
}

/* As dt stat --prometheus names it. */
void
metric_file_name(const struct metric_file *mf, char *name, size_t size)
{
	const char *value = mf->mf_values[METRIC_VALUE];
	int ishist = file_ishistogram(mf);
	int istime = value != NULL ? strcmp(value, "duration") == 0 : ishist;

	snprintf(name, size, "dt_%s%s%s", mf->mf_base, istime ? "_seconds" : "",
	    ishist ? "" : "_total");
}

int
metric_file_same(const struct metric_file *a, const struct metric_file *b)
{
	unsigned int i;

	for (i = 0; i < METRIC_NKEYS; i++) {
		const char *v = a->mf_values[i], *w = b->mf_values[i];

		if (i != METRIC_HELP &&
		    (v == NULL ? w != NULL : w == NULL || strcmp(v, w) != 0))
			return 0;
	}
	return strcmp(a->mf_path, b->mf_path) == 0;
}

/*
 * Appends a text to a buffer that is large enough for a whole file; a longer
 * path of a socket is cut, which nothing could connect to.
 */
static char *
args_text(char **p, char *end, const char *before, const char *text)
{
	size_t n, room = end - *p;
	char *s = *p;

	n = snprintf(s, room, "%s%s", before, text);
	*p += n < room - 1 ? n + 1 : room - 1; /* a NUL stays at the end */
	return s;
}

/* Removes blanks, which may follow the commas. */
static void
args_pack(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++)
		if (*s != ' ' && *s != '\t')
			*to++ = *s;
	*to = '\0';
}

void
metric_file_args(const struct metric_file *mf, const char *socket,
    char *args[METRIC_MAXARGS], char *buf, size_t size)
{
	char *p = buf, *end = buf + size, *word, *rest, *value;
	unsigned int i, n = 0;

	args[n++] = "dt";
	args[n++] = "stat";
	args[n++] = "--count-in";
	args[n++] = "kernel";
	args[n++] = "--socket";
	args[n++] = args_text(&p, end, "", socket);
	args[n++] = "--prometheus";
	args[n++] = args_text(&p, end, "dt_", mf->mf_base);
	if (mf->mf_values[METRIC_SERIES] == NULL) {
		args[n++] = "--max-keys";
		args[n++] = METRIC_SERIES1;
	}
	if (file_ishistogram(mf))
		args[n++] = "--hist";
	for (i = 0; i < METRIC_NKEYS; i++) {
		if (rows[i].mr_option == NULL || mf->mf_values[i] == NULL)
			continue;
		args[n++] = (char *)rows[i].mr_option;
		value = args_text(&p, end, "", mf->mf_values[i]);
		if (i == METRIC_LABELS || i == METRIC_KEY)
			args_pack(value);
		args[n++] = value;
	}
	if (mf->mf_values[METRIC_PROBE] != NULL) {
		rest = args_text(&p, end, "", mf->mf_values[METRIC_PROBE]);
		while ((word = strtok_r(rest, " \t", &rest)) != NULL)
			args[n++] = word;
	}
	args[n] = NULL;
}

/*
 * An error of dt(1) begins with the option that it is about, or is about probes.
 * The labels are what the kernel may be unable to count by.
 */
unsigned int
metric_file_line(const struct metric_file *mf, const char *error)
{
	unsigned int i;
	size_t n;

	if (strncmp(error, "--count-in", 10) == 0 &&
	    mf->mf_values[METRIC_LABELS] != NULL)
		return mf->mf_lines[METRIC_LABELS];
	for (i = 0; i < METRIC_NKEYS; i++) {
		if (rows[i].mr_option == NULL || mf->mf_values[i] == NULL)
			continue;
		n = strlen(rows[i].mr_option);
		if (strncmp(error, rows[i].mr_option, n) == 0 &&
		    !isalnum((unsigned char)error[n]))
			return mf->mf_lines[i];
	}
	i = mf->mf_values[METRIC_PROBE] != NULL ? METRIC_PROBE : METRIC_FROM;
	return mf->mf_lines[i];
}
