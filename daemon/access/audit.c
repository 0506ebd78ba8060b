/* SPDX-License-Identifier: ISC */
/* Formats the audit message of a session. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "daemon/access/audit.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"

#define AUDIT_DIGITS 24
#define MORE	     "..." /* ends a name that is too long by itself */

/*
 * Makes client-supplied text one printable word, since journalctl(1) would hide
 * a message with other bytes.
 */
static void
audit_word(char *s, char space)
{
	for (; *s != '\0'; s++)
		if (*s == ' ')
			*s = space;
		else if (*s < ' ' || *s > '~')
			*s = '?';
}

void
audit_open(struct audit *au, const struct peer *pr)
{
	memset(au, 0, sizeof(*au));
	au->au_since = clock_monotonic();
	snprintf(au->au_comm, sizeof(au->au_comm), "%s", pr->peer_comm);
	audit_word(au->au_comm, '?');
}

void
audit_probe(struct audit *au, const char *prov, const char *func,
    const char *name)
{
	size_t len = strlen(au->au_probes), room = sizeof(au->au_probes) - len;
	int n;

	if (au->au_n++ > au->au_named) /* an earlier name did not fit */
		return;
	n = snprintf(au->au_probes + len, room, "%s%s:%s:%s",
	    len == 0 ? "" : " ", prov, func, name);
	if (n >= 0 && (size_t)n >= room && len == 0)
		strcpy(au->au_probes + room - sizeof(MORE), MORE);
	else if (n < 0 || (size_t)n >= room) {
		au->au_probes[len] = '\0';
		return;
	}
	audit_word(au->au_probes + (len == 0 ? 0 : len + 1), ',');
	au->au_named++;
}

/* The fields, whose values are in auf_text until they are sent. */
struct audit_fields {
	struct log_field auf_fields[16];
	char auf_text[16][AUDIT_DIGITS];
	size_t auf_n;
};

static void
audit_text(struct audit_fields *af, const char *name, const char *value)
{
	af->auf_fields[af->auf_n++] = (struct log_field){ name, value };
}

static void
audit_u64(struct audit_fields *af, const char *name, uint64_t value)
{
	char *text = af->auf_text[af->auf_n];

	snprintf(text, AUDIT_DIGITS, "%" PRIu64, value);
	audit_text(af, name, text);
}

void
audit_close(const struct audit *au, const struct peer *pr, const char *device,
    unsigned int number, const struct audit_sums *as)
{
	uint64_t msecs = (clock_monotonic() - au->au_since) / 1000000;
	struct audit_fields af = { .auf_n = 0 };
	char more[32] = "", counted[32] = "";

	if (conf.cf_private)
		return;
	if (au->au_n > au->au_named)
		snprintf(more, sizeof(more), " and %u more",
		    au->au_n - au->au_named);
	audit_text(&af, "DT_DEVICE", device);
	audit_u64(&af, "DT_OPEN", number);
	audit_u64(&af, "DT_PID", pr->peer_pid);
	audit_u64(&af, "DT_UID", pr->peer_uid);
	audit_text(&af, "DT_COMM", au->au_comm);
	audit_u64(&af, "DT_NPROBES", au->au_n);
	audit_text(&af, "DT_PROBES", au->au_probes);
	audit_u64(&af, "DT_MSECS", msecs);
	audit_u64(&af, "DT_FIRED", as->aus_fired);
	audit_u64(&af, "DT_READ", as->aus_read);
	audit_u64(&af, "DT_DROPPED", as->aus_dropped);
	audit_u64(&af, "DT_RECURSED", as->aus_recursed);
	audit_u64(&af, "DT_COUNTED", as->aus_counted);
	audit_u64(&af, "DT_MAPFULL", as->aus_mapfull);
	if (as->aus_counted != 0)
		snprintf(counted, sizeof(counted), ", %" PRIu64 " counted",
		    as->aus_counted);
	log_event(LOG_INFO, LOG_ID_CLOSE, af.auf_fields, af.auf_n,
	    "%s (%d) of user %u had %s for %" PRIu64 ".%03" PRIu64
	    " s: %" PRIu64 " read, %" PRIu64 " dropped%s; %s%s",
	    au->au_comm[0] != '\0' ? au->au_comm : "process", (int)pr->peer_pid,
	    (unsigned)pr->peer_uid, device, msecs / 1000, msecs % 1000,
	    as->aus_read, as->aus_dropped, counted,
	    au->au_n == 0 ? "no probe" : au->au_probes, more);
}
