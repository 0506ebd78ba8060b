/* SPDX-License-Identifier: ISC */
/*
 * The view of block devices.  The kernel keeps these counts anyway, in
 * /proc/diskstats, so no probe is enabled.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/top/top.h"

#define DISKS_SECTOR 512 /* bytes, of all devices */

enum disks_field {
	DISKS_READS,
	DISKS_RMERGED,
	DISKS_RSECTORS,
	DISKS_RMSECS,
	DISKS_WRITES,
	DISKS_WMERGED,
	DISKS_WSECTORS,
	DISKS_WMSECS,
	DISKS_PENDING,
	DISKS_BUSY, /* ms */
	DISKS_NFIELDS,
};

struct disks_device {
	unsigned long long dkd_fields[DISKS_NFIELDS];
	int dkd_iswhole;
};

static void
disks_open(struct top_run *tp)
{
	if ((tp->top_state = calloc(1, sizeof(struct hash))) == NULL)
		err(1, NULL);
}

static void
disks_close(struct top_run *tp)
{
	hash_free(tp->top_state);
	free(tp->top_state);
}

/* Returns whether it is a device, not a partition. */
static int
disks_iswhole(const char *name)
{
	char path[128], *p;

	snprintf(path, sizeof(path), "/sys/block/%.64s", name);
	for (p = path + strlen("/sys/block/"); *p != '\0'; p++)
		if (*p == '/') /* as in cciss/c0d0 */
			*p = '!';
	return access(path, F_OK) == 0;
}

static void
disks_row(struct top_run *tp, const char *name, const unsigned long long *now,
    const unsigned long long *old, double secs)
{
	struct top_row *r = top_add(tp, name);
	unsigned long long d[DISKS_NFIELDS];
	unsigned int i;

	/* less: the device is a new one */
	for (i = 0; i < DISKS_NFIELDS; i++)
		d[i] = now[i] >= old[i] ? now[i] - old[i] : 0;
	r->tow_nums[0] = (d[DISKS_READS] + d[DISKS_WRITES]) / secs;
	r->tow_nums[1] = d[DISKS_RSECTORS] * (double)DISKS_SECTOR / secs;
	r->tow_nums[2] = d[DISKS_WSECTORS] * (double)DISKS_SECTOR / secs;
	if (d[DISKS_READS] + d[DISKS_WRITES] > 0)
		r->tow_nums[3] = (d[DISKS_RMSECS] + d[DISKS_WMSECS]) * 1e6 /
		    (d[DISKS_READS] + d[DISKS_WRITES]);
	r->tow_nums[4] = now[DISKS_PENDING];
	r->tow_nums[5] = d[DISKS_BUSY] / secs / 10;
}

/* Reads a line: major, minor, name, fields. */
static void
disks_line(struct top_run *tp, const char *line, double secs)
{
	unsigned long long f[DISKS_NFIELDS];
	struct disks_device *dd;
	struct hash_entry *e;
	char name[64];

	if (sscanf(line,
		"%*u %*u %63s %llu %llu %llu %llu %llu %llu %llu %llu %llu "
		"%llu",
		name, &f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6], &f[7],
		&f[8], &f[9]) != 1 + DISKS_NFIELDS)
		return;
	e = hash_get(tp->top_state, name, strlen(name));
	if ((dd = e->he_ptr) == NULL) {
		if ((e->he_ptr = dd = calloc(1, sizeof(*dd))) == NULL)
			err(1, NULL);
		dd->dkd_iswhole = disks_iswhole(name);
		memcpy(dd->dkd_fields, f, sizeof(f));
	}
	/* many unused loop devices may exist */
	if (dd->dkd_iswhole && f[DISKS_READS] + f[DISKS_WRITES] > 0)
		disks_row(tp, name, f, dd->dkd_fields, secs);
	memcpy(dd->dkd_fields, f, sizeof(f));
}

static void
disks_read(struct top_run *tp, double secs)
{
	FILE *fp = fopen("/proc/diskstats", "re");
	char line[512];

	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL)
		disks_line(tp, line, secs);
	if (fp != NULL)
		fclose(fp);
}

const struct top_view top_disks = {
	.tov_name = "disks",
	.tov_key = '6',
	.tov_what = "block devices, of all processes",
	.tov_label = "DEVICE",
	.tov_columns = {
	    { "IO/s", TOP_NUMBER, 0, 8 },
	    { "READ/s", TOP_BYTES, 1, 7 },
	    { "WRITE/s", TOP_BYTES, 2, 7 },
	    { "MEAN", TOP_NSECS, 3, 7 },
	    { "QUEUE", TOP_NUMBER, 4, 6 },
	    { "%BUSY", TOP_PERCENT, 5, 6 },
	},
	.tov_sort = 5,
	.tov_open = disks_open,
	.tov_close = disks_close,
	.tov_read = disks_read,
};
