/* SPDX-License-Identifier: ISC */
/* The name of a forked process, see proctitle.h. */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "daemon/base/proctitle.h"

/*
 * ps(1) shows the memory where the arguments were.  The kernel follows a text
 * that goes on into the environment, which lies behind it.
 */
void
proctitle(char **argv, const char *title, const char *comm)
{
	char *start = argv[0], *end = argv[0], **p;

	for (p = argv; *p != NULL; p++)
		end = *p + strlen(*p) + 1;
	for (p = environ; p != NULL && *p != NULL; p++)
		if (*p == end)
			end = *p + strlen(*p) + 1;
	memset(start, 0, end - start);
	snprintf(start, end - start, "%s", title);
	(void)prctl(PR_SET_NAME, comm, 0, 0, 0);
}
