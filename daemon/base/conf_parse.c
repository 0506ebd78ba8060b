/* SPDX-License-Identifier: ISC */
/*
 * Reads the settings at start-up and on reload.  All mistakes of a file are
 * reported, each with its line and column.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/keyfile.h"
#include "daemon/base/conf.h"
#include "daemon/base/conf_key.h"
#include "daemon/base/log.h"

#define CONF_FILES 16 /* configuration files */
#define CONF_ROWS  64 /* settings */
#define CONF_NEAR  3  /* maximum edit distance of a suggested name */

static char *conf_files[CONF_FILES]; /* [c] in the order read */
static unsigned int conf_nfiles;
/* The settings of all modules, with the offsets of their values in a copy. */
static struct conf_row {
	const struct conf_key *cfr_key;
	size_t cfr_off;
} conf_rows[CONF_ROWS]; /* [I] */
static unsigned int conf_nrows;
static size_t conf_nbytes; /* size of a copy */
static char *conf_start;   /* [I] copy of the initial values */

static void
conf_collect(void)
{
	const struct conf_module *cm;
	const struct conf_key *ck;

	for (cm = conf_modules; cm->cm_keys != NULL; cm++)
		for (ck = cm->cm_keys; ck->ck_name != NULL; ck++) {
			if (conf_nrows == CONF_ROWS)
				fatalx("too many settings");
			conf_rows[conf_nrows++] = (struct conf_row){ ck,
				conf_nbytes };
			conf_nbytes += (ck->ck_size + 7) & ~(size_t)7;
		}
}

/* Saves the defaults before the first file is read. */
static void
conf_begin(void)
{
	const struct conf_row *cr;

	if (conf_start != NULL)
		return;
	conf_collect();
	if ((conf_start = malloc(conf_nbytes)) == NULL)
		fatal("settings");
	for (cr = conf_rows; cr < conf_rows + conf_nrows; cr++)
		if (cr->cfr_key->ck_size != 0)
			memcpy(conf_start + cr->cfr_off, cr->cfr_key->ck_var,
			    cr->cfr_key->ck_size);
}

/* Returns the edit distance of two words; at most 99. */
static unsigned int
conf_distance(const char *a, const char *b)
{
	unsigned int row[64], i, j, corner, up, best;
	size_t na = strlen(a), nb = strlen(b);

	if (na >= 64 || nb >= 64)
		return 99;
	for (j = 0; j <= nb; j++)
		row[j] = j;
	for (i = 1; i <= na; i++) {
		corner = row[0];
		row[0] = i;
		for (j = 1; j <= nb; j++) {
			up = row[j];
			best = corner + (a[i - 1] != b[j - 1]);
			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			corner = up;
		}
	}
	return row[nb];
}

static void
conf_unknown(struct keyfile *kf, const char *key)
{
	const struct conf_key *near = NULL;
	unsigned int d, i, least = CONF_NEAR + 1;

	for (i = 0; i < conf_nrows; i++)
		if ((d = conf_distance(key, conf_rows[i].cfr_key->ck_name)) <
		    least) {
			least = d;
			near = conf_rows[i].cfr_key;
		}
	if (near != NULL)
		keyfile_mistake(kf, key,
		    "unknown setting '%s'; did you mean %s?", key,
		    near->ck_name);
	else
		keyfile_mistake(kf, key, "unknown setting '%s'", key);
}

static void
conf_say(struct keyfile *kf, const struct conf_key *ck, const char *value)
{
	char why[200] = "", *text = why;
	const char *at = value;
	unsigned long column;

	if (ck->ck_say(value, why, sizeof(why)) == 0)
		return;
	column = strtoul(why, &text, 10);
	if (text != why && *text == ':' && column - 1 <= strlen(value)) {
		at += column - 1;
		text += 1 + strspn(text + 1, " ");
	} else
		text = why;
	keyfile_mistake(kf, at, "%s: %s", ck->ck_name, text);
}

static void
conf_set(struct keyfile *kf, const char *key, const char *value)
{
	const struct conf_row *cr = conf_rows;
	const struct conf_key *ck;
	char *copy = kf->kf_arg;

	while (cr < conf_rows + conf_nrows &&
	    strcmp(cr->cfr_key->ck_name, key) != 0)
		cr++;
	if (cr == conf_rows + conf_nrows) {
		conf_unknown(kf, key);
		return;
	}
	ck = cr->cfr_key;
	if (ck->ck_say != NULL)
		conf_say(kf, ck, value);
	else if (ck->ck_set(copy != NULL ? copy + cr->cfr_off : ck->ck_var,
		     value) != 0)
		keyfile_mistake(kf, value, "%s requires %s, not '%s'",
		    ck->ck_name, ck->ck_want, value);
}

/*
 * Reads a file.  into: buffer for all new values, NULL: they are set directly;
 * must: a missing file is a mistake.
 */
static unsigned int
conf_file(const char *path, char *into, int must)
{
	struct keyfile kf = { .kf_path = path,
		.kf_set = conf_set,
		.kf_warnx = log_warnx,
		.kf_arg = into };
	FILE *f = fopen(path, "re");
	unsigned int n;

	if (f == NULL) {
		if (!must && (errno == ENOENT || errno == ENOTDIR))
			return 0;
		log_warn("%s", path);
		return 1;
	}
	n = keyfile_read(&kf, f);
	fclose(f);
	return n;
}

unsigned int
conf_read(const char *path)
{
	conf_begin();
	if (conf_nfiles == CONF_FILES ||
	    (conf_files[conf_nfiles] = strdup(path)) == NULL)
		fatalx("%s: too many files of settings", path);
	conf_nfiles++;
	return conf_file(path, NULL, 1);
}

unsigned int
conf_read_default(void)
{
	conf_begin();
	return conf_file(DT_CONF, NULL, 0);
}

/* Applies the settings that may change; logs changes to others. */
static void
conf_apply(const char *new)
{
	const struct conf_row *cr;
	const struct conf_key *ck;

	for (cr = conf_rows; cr < conf_rows + conf_nrows; cr++) {
		ck = cr->cfr_key;
		if (ck->ck_set == NULL ||
		    memcmp(ck->ck_var, new + cr->cfr_off, ck->ck_size) == 0)
			continue;
		if (ck->ck_flags & CONF_RELOAD)
			memcpy(ck->ck_var, new + cr->cfr_off, ck->ck_size);
		else
			log_notice("%s: a change requires a restart",
			    ck->ck_name);
	}
}

unsigned int
conf_reload(void)
{
	const struct conf_module *cm;
	char *new = malloc(conf_nbytes);
	unsigned int i, n = 0;
	void (*fn)(void);

	if (new == NULL) {
		log_warn("settings");
		return 1;
	}
	memcpy(new, conf_start, conf_nbytes);
	for (cm = conf_modules; cm->cm_keys != NULL; cm++)
		if (cm->cm_begin != NULL)
			cm->cm_begin();
	for (i = 0; i < conf_nfiles; i++)
		n += conf_file(conf_files[i], new, 1);
	if (conf_nfiles == 0)
		n = conf_file(DT_CONF, new, 0);
	if (n == 0)
		conf_apply(new);
	for (cm = conf_modules; cm->cm_keys != NULL; cm++) {
		fn = n != 0 ? cm->cm_abort : cm->cm_commit;
		if (fn != NULL)
			fn();
	}
	free(new);
	return n;
}
