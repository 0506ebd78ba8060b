/* SPDX-License-Identifier: ISC */
/*
 * Reads credentials of a process from /proc.
 *
 * Files in /proc of a process that is not dumpable belong to root of its user
 * namespace, else to its user.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/inspect/proccred.h"

#define STATUS_TEXT 8192 /* bytes; long lists of groups are in it */

/* Returns the text after a word that begins a line. */
static const char *
status_word(const char *text, const char *word)
{
	const char *p = strstr(text, word);

	return p != NULL ? p + strlen(word) : NULL;
}

/*
 * Parses a line of real, effective, saved and file system id.  Returns whether
 * the first three are equal, -1 if there is no such line.
 */
static int
status_ids(const char *text, const char *word, unsigned int *id)
{
	const char *p = status_word(text, word);
	unsigned int effective, saved;

	if (p == NULL || sscanf(p, "%u %u %u", id, &effective, &saved) != 3)
		return -1;
	return *id == effective && *id == saved;
}

int
proccred_parse(const char *text, uid_t owner, struct proccred *pc)
{
	const char *caps = status_word(text, "\nCapPrm:");
	const char *nonew = status_word(text, "\nNoNewPrivs:");
	const char *seccomp = status_word(text, "\nSeccomp:");
	int uids, gids;

	memset(pc, 0, sizeof(*pc));
	uids = status_ids(text, "\nUid:", &pc->pc_uid);
	gids = status_ids(text, "\nGid:", &pc->pc_gid);
	if (uids == -1 || gids == -1 || caps == NULL)
		return EINVAL;
	pc->pc_isone = uids && gids;
	pc->pc_caps = strtoull(caps, NULL, 16);
	pc->pc_dumpable = pc->pc_uid != 0 && pc->pc_uid == owner;
	/* kernels without seccomp have no such line */
	pc->pc_sandboxed = nonew == NULL || strtoul(nonew, NULL, 10) != 0 ||
	    (seccomp != NULL && strtoul(seccomp, NULL, 10) != 0);
	return 0;
}

int
proccred_read(const char *who, struct proccred *pc)
{
	char path[64], text[STATUS_TEXT];
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/status", who);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? ESRCH : errno;
	n = fstat(fd, &st) == -1 ? -1 : read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return ESRCH; /* it has just ended */
	text[n] = '\0';
	return proccred_parse(text, st.st_uid, pc);
}
