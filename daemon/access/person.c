/* SPDX-License-Identifier: ISC */
/* Reads /etc/subuid into a table of ranges and searches it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/access/person.h"

#define PERSON_MAXFILE	(4 << 20) /* bytes */
#define PERSON_MAXRANGE 65536
#define PERSON_BLOCK	65536 /* user ids of a typical container */

struct range {
	uint32_t ra_first;
	uint32_t ra_n; /* user ids */
	uid_t ra_person;
};

/* Control thread only. */
static struct range *ranges;
static size_t nranges;

/* Parses a decimal 32-bit number and nothing else. */
static int
parse_number(const char *s, uint32_t *n)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -1;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno != 0 || *end != '\0' || v > UINT32_MAX)
		return -1;
	*n = v;
	return 0;
}

/* Parses a user name or number.  ENOENT: no such user. */
static int
parse_user(const char *s, uid_t *uid)
{
	const struct passwd *pw = *s != '\0' ? getpwnam(s) : NULL;
	uint32_t n;

	if (pw != NULL)
		*uid = pw->pw_uid;
	else if (parse_number(s, &n) == 0)
		*uid = n;
	else
		return ENOENT;
	return 0;
}

/* Splits "user:first:count".  EINVAL: the line has another form. */
static int
parse_range(char *line, struct range *ra)
{
	char *name = strsep(&line, ":"), *first = strsep(&line, ":");

	if (line == NULL || parse_number(first, &ra->ra_first) != 0 ||
	    parse_number(line, &ra->ra_n) != 0)
		return EINVAL;
	if (ra->ra_n == 0)
		return ENOENT;
	/* ends at the largest user id */
	if (ra->ra_first != 0 && ra->ra_n > -ra->ra_first)
		ra->ra_n = -ra->ra_first;
	if (parse_user(name, &ra->ra_person) != 0)
		return ENOENT;
	if (ra->ra_person == 0)
		ra->ra_person = ra->ra_first;
	return 0;
}

/* Parses all lines.  Returns the number of malformed lines. */
static int
parse_ranges(char *text, struct range *new, size_t *np)
{
	char *line;
	int error, nbad = 0;

	*np = 0;
	while ((line = strsep(&text, "\n")) != NULL) {
		if (*line == '\0' || *line == '#')
			continue;
		error = *np < PERSON_MAXRANGE ? parse_range(line, &new[*np])
					      : EINVAL;
		*np += error == 0;
		nbad += error == EINVAL;
	}
	return nbad;
}

/* Returns the file's text, which the caller frees, or NULL with errno. */
static char *
read_text(const char *path)
{
	struct stat st;
	char *text = NULL;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd == -1)
		return errno == ENOENT ? strdup("") : NULL;
	if (fstat(fd, &st) == 0 &&
	    (!S_ISREG(st.st_mode) || st.st_size > PERSON_MAXFILE))
		errno = EFBIG;
	else if ((text = calloc(1, st.st_size + 1)) != NULL &&
	    (n = read(fd, text, st.st_size)) == -1) {
		free(text);
		text = NULL;
	}
	close(fd);
	return text;
}

int
person_read(const char *path)
{
	struct range *new = calloc(PERSON_MAXRANGE, sizeof(*new)), *fit;
	char *text = read_text(path);
	int nbad = -1;

	if (new != NULL && text != NULL) {
		nbad = parse_ranges(text, new, &nranges);
		if ((fit = realloc(new, (nranges + 1) * sizeof(*new))) != NULL)
			new = fit;
		free(ranges);
		ranges = new;
		new = NULL;
	}
	free(new);
	free(text);
	return nbad;
}

uid_t
person_of(uid_t uid)
{
	size_t i;

	for (i = 0; uid != 0 && i < nranges; i++)
		if (uid - ranges[i].ra_first < ranges[i].ra_n)
			return ranges[i].ra_person;
	return uid;
}

uid_t
person_of_owner(uid_t uid, uid_t owner)
{
	uid_t person = person_of(uid);

	if (owner == (uid_t)-1)
		return person;
	if (owner != 0)
		return person_of(owner);
	if (person != uid || uid < PERSON_BLOCK)
		return person;
	return uid - uid % PERSON_BLOCK;
}
