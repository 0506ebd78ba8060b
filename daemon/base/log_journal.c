/* SPDX-License-Identifier: ISC */
/*
 * Sends messages with fields to the journal.  A field may contain any bytes, so
 * a foreign name cannot forge another field.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/log_journal.h"
#include "daemon/base/sdlib.h"

#define JOURNAL_FIELDS 24 /* per message */
#define JOURNAL_BYTES  4096

/* MESSAGE_ID: for journalctl(1) and catalogs; an id never changes. */
static const struct {
	const char *name;
	const char *id;
} journal_ids[] = {
	{ LOG_ID_CLOSE, "a9f42f8be01345cebbdc9bf976c2212f" },
};

/* A message under construction. */
struct journal {
	struct iovec jn_iov[JOURNAL_FIELDS];
	int jn_n;
	size_t jn_len; /* used bytes of jn_buf */
	char jn_buf[JOURNAL_BYTES];
};

/* Adds a field, or omits it if the buffer is full. */
static void
journal_add(struct journal *jn, const char *name, const char *value)
{
	size_t nname = strlen(name), nvalue = strlen(value);
	char *p = jn->jn_buf + jn->jn_len;

	if (jn->jn_n == JOURNAL_FIELDS ||
	    nname + 1 + nvalue > sizeof(jn->jn_buf) - jn->jn_len)
		return;
	memcpy(p, name, nname);
	p[nname] = '=';
	memcpy(p + nname + 1, value, nvalue);
	jn->jn_iov[jn->jn_n].iov_base = p;
	jn->jn_iov[jn->jn_n++].iov_len = nname + 1 + nvalue;
	jn->jn_len += nname + 1 + nvalue;
}

static int
journal_send(int level, const char *id, const struct log_field *fields,
    size_t n, const char *text)
{
	struct journal jn = { .jn_n = 0 };
	char digit[12];
	size_t i;

	snprintf(digit, sizeof(digit), "%d", level);
	journal_add(&jn, "MESSAGE", text);
	journal_add(&jn, "PRIORITY", digit);
	journal_add(&jn, "SYSLOG_IDENTIFIER", "dtd");
	for (i = 0;
	     id != NULL && i < sizeof(journal_ids) / sizeof(journal_ids[0]);
	     i++)
		if (strcmp(journal_ids[i].name, id) == 0)
			journal_add(&jn, "MESSAGE_ID", journal_ids[i].id);
	if (id != NULL)
		journal_add(&jn, "DT_EVENT", id);
	for (i = 0; i < n; i++)
		journal_add(&jn, fields[i].lf_name, fields[i].lf_value);
	return sdlib()->sl_journal_sendv(jn.jn_iov, jn.jn_n) < 0 ? -1 : 0;
}

/*
 * Returns whether stderr is the stream that the manager connected to the
 * journal.
 */
static int
is_journal(void)
{
	const char *env = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return env != NULL && sscanf(env, "%llu:%llu", &dev, &ino) == 2 &&
	    fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev &&
	    st.st_ino == ino;
}

void
log_journal_init(void)
{
	if (sdlib() != NULL && is_journal())
		log_sink_set(journal_send);
}
