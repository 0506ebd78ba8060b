/* SPDX-License-Identifier: ISC */
/*
 * Parses /proc/PID/maps.  The kernel writes a newline in a path as \012; this
 * is decoded, so that the path is the same as in the side-band.
 */
#include <string.h>
#include <sys/sysmacros.h>

#include "daemon/procs/proc_maps.h"

/* Parses a number of base 10 or 16, and the character after it. */
static int
proc_maps_number(const char **pp, const char *end, unsigned int base,
    char after, uint64_t *v)
{
	const char *p = *pp;
	unsigned int digit, n = 0;

	for (*v = 0; p < end; p++, n++) {
		if (*p >= '0' && *p <= '9')
			digit = *p - '0';
		else if (base == 16 && *p >= 'a' && *p <= 'f')
			digit = *p - 'a' + 10;
		else
			break;
		if (n == 20)
			return 0;
		*v = *v * base + digit;
	}
	if (n == 0 || p == end || *p != after)
		return 0;
	*pp = p + 1;
	return 1;
}

static void
proc_maps_parse(const char *p, const char *end, struct sideband_event *se)
{
	uint64_t start, stop, off, major, minor, ino;
	const char *prot;

	if (!proc_maps_number(&p, end, 16, '-', &start) ||
	    !proc_maps_number(&p, end, 16, ' ', &stop) || end - p < 5)
		return;
	prot = p;
	p += 5;
	if (prot[2] != 'x' || prot[4] != ' ' ||
	    !proc_maps_number(&p, end, 16, ' ', &off) ||
	    !proc_maps_number(&p, end, 16, ':', &major) ||
	    !proc_maps_number(&p, end, 16, ' ', &minor) || start >= stop)
		return;
	/* after the inode: blanks and a path, or just a newline */
	if (!proc_maps_number(&p, end, 10, ' ', &ino)) {
		if (!proc_maps_number(&p, end, 10, '\n', &ino))
			return;
		p--;
	}
	while (p < end && *p == ' ')
		p++;
	se->se_type = SIDEBAND_MMAP;
	se->se_start = start;
	se->se_end = stop;
	se->se_off = off;
	se->se_id.ii_dev = makedev(major, minor);
	se->se_id.ii_ino = ino;
	se->se_id.ii_path = p;
	se->se_id.ii_pathlen = end - 1 - p;
}

size_t
proc_maps_line(const char *text, size_t nbytes, struct sideband_event *se)
{
	const char *nl = memchr(text, '\n', nbytes);

	memset(se, 0, sizeof(*se));
	if (nl == NULL)
		return 0;
	proc_maps_parse(text, nl + 1, se);
	return nl + 1 - text;
}
