/* SPDX-License-Identifier: ISC */
/*
 * Journal entries of a session.  Its client chooses its own name, and the
 * functions that kcov records.  Whatever these are, the fields are ours, each
 * occurs once, and the line for readers is text.
 *
 * The input: the name of a process, then names of probes, separated by zero
 * bytes.
 */
#include <sys/prctl.h>
#include <sys/stat.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/access/audit.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/base/log_journal.h"
#include "daemon/base/sdlib.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct conf conf; /* of daemon/base/conf.c */

static unsigned int nmessages;

static void
wrong(const char *what, const struct iovec *iov)
{
	fprintf(stderr, "fuzz_journal: %s: %.*s\n", what, (int)iov->iov_len,
	    (const char *)iov->iov_base);
	abort();
}

/* Returns the length of NAME in "NAME=VALUE". */
static size_t
check_name(const struct iovec *iov)
{
	const char *p = iov->iov_base, *eq = memchr(p, '=', iov->iov_len);
	size_t len = eq == NULL ? 0 : eq - p;

	if (len == 0 || strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != len)
		wrong("no name", iov);
	return len;
}

/* Checks that a text is safe for a terminal; journalctl(1) prints it. */
static void
check_text(const struct iovec *iov)
{
	const char *p = iov->iov_base;
	size_t i;

	for (i = 0; i < iov->iov_len; i++)
		if (p[i] < ' ' || p[i] > '~')
			wrong("a character", iov);
}

static int
hear(const struct iovec *iov, int n)
{
	static const char message[] = "MESSAGE=", comm[] = "DT_COMM=";
	size_t len;
	int i, k;

	nmessages++;
	for (i = 0; i < n; i++) {
		len = check_name(&iov[i]);
		for (k = 0; k < i; k++)
			if (memcmp(iov[k].iov_base, iov[i].iov_base, len + 1) ==
			    0)
				wrong("a name again", &iov[i]);
		if (strncmp(iov[i].iov_base, comm, sizeof(comm) - 1) == 0 &&
		    memchr(iov[i].iov_base, ' ', iov[i].iov_len) != NULL)
			wrong("two words", &iov[i]);
		check_text(&iov[i]);
	}
	if (strncmp(iov[0].iov_base, message, sizeof(message) - 1) != 0)
		wrong("no text", &iov[0]);
	return 0;
}

/* Symbols of daemon/base/sdlib.c. */
const struct sdlib *
sdlib(void)
{
	static const struct sdlib lib = { .sl_journal_sendv = hear };

	return &lib;
}

static void
start(void)
{
	struct stat st;
	char stream[64];

	if (fstat(STDERR_FILENO, &st) == -1)
		abort();
	snprintf(stream, sizeof(stream), "%llu:%llu",
	    (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	log_journal_init();
}

/* Returns the text up to a zero byte, or the end; *len: length of the rest. */
static const char *
next(char **p, size_t *len)
{
	char *s = *p;
	size_t n = strnlen(s, *len);

	*p += n + (n < *len);
	*len -= n + (n < *len);
	return s;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct peer pr = { .peer_pid = getpid(), .peer_uid = UINT32_MAX };
	const struct audit_sums as = { UINT64_MAX, UINT64_MAX, UINT64_MAX,
		UINT64_MAX, UINT64_MAX, UINT64_MAX };
	static int started;
	struct audit au;
	const char *names[3];
	char *copy, *p;

	if (!started++)
		start();
	if ((copy = malloc(len + 1)) == NULL)
		return 0;
	memcpy(copy, data, len);
	copy[len] = '\0';
	p = copy;
	(void)prctl(PR_SET_NAME, next(&p, &len));
	audit_open(&au, &pr);
	while (len > 0) {
		names[0] = next(&p, &len);
		names[1] = next(&p, &len);
		names[2] = next(&p, &len);
		audit_probe(&au, names[0], names[1], names[2]);
	}
	nmessages = 0;
	audit_close(&au, &pr, "dt", UINT32_MAX, &as);
	if (nmessages != 1)
		abort();
	free(copy);
	return 0;
}
