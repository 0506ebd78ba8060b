/* SPDX-License-Identifier: ISC */
/* The file in which an administrator defines a metric. */
#ifndef EXPORTER_METRIC_FILE_H
#define EXPORTER_METRIC_FILE_H

#include <stddef.h>

/* Keys of a file, in the order of the table in metric_file.c. */
enum metric_key {
	METRIC_HELP,
	METRIC_TYPE,
	METRIC_PROBE,
	METRIC_FROM,
	METRIC_TO,
	METRIC_KEY,
	METRIC_CONDITION,
	METRIC_LABELS,
	METRIC_VALUE,
	METRIC_SERIES,
	METRIC_NKEYS
};

#define METRIC_MAXLABELS 3
#define METRIC_MAXARGS	 96 /* arguments of dt(1), and NULL */

struct metric_file {
	char *mf_path;
	char *mf_base;		       /* name of the file without .conf */
	char *mf_values[METRIC_NKEYS]; /* NULL: not given */
	unsigned int mf_lines[METRIC_NKEYS]; /* where they are */
};

/*
 * Reads a file.  Returns NULL after it has logged each mistake with file, line
 * and column.
 */
struct metric_file *metric_file_read(const char *path);
void metric_file_free(struct metric_file *);

/* Writes the name of the metric. */
void metric_file_name(const struct metric_file *, char *name, size_t size);
/* Returns whether both count the same. */
int metric_file_same(const struct metric_file *, const struct metric_file *);
/*
 * Fills args with the arguments of dt(1).  They point into the file and into
 * buf; socket is dtd's.
 */
void metric_file_args(const struct metric_file *, const char *socket,
    char *args[METRIC_MAXARGS], char *buf, size_t size);
/* Returns the line that an error of dt(1) is about. */
unsigned int metric_file_line(const struct metric_file *, const char *error);

#endif /* EXPORTER_METRIC_FILE_H */
