/* SPDX-License-Identifier: ISC */
/* Sets the process title in the memory of argv. */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "daemon/base/proctitle.h"

/*
 * ps(1) shows the memory of the arguments.  If the text extends into the
 * environment, which follows, the kernel shows that part too.
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
