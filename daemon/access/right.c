/* SPDX-License-Identifier: ISC */
/* Parses the rights of the configuration and grants them to peers. */
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "daemon/access/limit.h"
#include "daemon/access/owner.h"
#include "daemon/access/peer.h"
#include "daemon/access/right.h"
#include "daemon/base/conf_key.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "wire/rights.h"

enum whom {
	WHOM_USER,
	WHOM_GROUP,
	WHOM_EVERYBODY
};

/* A grant of the configuration. */
struct grant {
	STAILQ_ENTRY(grant) gr_entry;
	enum whom gr_whom;
	uint32_t gr_id; /* of the user or group */
	unsigned int gr_rights;
};

STAILQ_HEAD(grants, grant);

static struct grants grants = STAILQ_HEAD_INITIALIZER(grants); /* in use */
static struct grants fresh = STAILQ_HEAD_INITIALIZER(fresh);

/* The configuration's names of rights, and the rights that each includes. */
static const struct {
	const char *name;
	unsigned int rights;
} right_words[] = {
	{ "list", RIGHT_LIST },
	{ "stats", RIGHT_STATS | RIGHT_LIST },
	{ "profile", RIGHT_PROFILE | RIGHT_LIST },
	{ "trace-own", RIGHT_TRACE_OWN | RIGHT_LIST },
	{ "trace-all", RIGHT_ALL & ~RIGHT_ADMIN },
	{ "admin", RIGHT_ALL },
};

#define NWORDS (sizeof(right_words) / sizeof(right_words[0]))

/* A value that is being parsed. */
struct scan {
	const char *scn_value, *scn_at;
	const char *scn_word; /* the current word */
	size_t scn_len;
	char *scn_why;
	size_t scn_whylen;
};

/* Writes an error about the current word. */
static int
scan_fail(struct scan *sn, const char *what)
{
	snprintf(sn->scn_why, sn->scn_whylen, "%zu: %s",
	    (size_t)(sn->scn_word - sn->scn_value) + 1, what);
	return -1;
}

/* Reads the next word or comma; its length is 0 at the end. */
static void
scan_next(struct scan *sn)
{
	const char *p = sn->scn_at;

	while (isspace((unsigned char)*p))
		p++;
	sn->scn_word = p;
	if (*p == ',')
		p++;
	else
		while (*p != '\0' && *p != ',' && !isspace((unsigned char)*p))
			p++;
	sn->scn_len = p - sn->scn_word;
	sn->scn_at = p;
}

static int
scan_is(const struct scan *sn, const char *word)
{
	return strlen(word) == sn->scn_len &&
	    memcmp(word, sn->scn_word, sn->scn_len) == 0;
}

/* Parses right names separated by commas, and the word after them. */
static int
scan_rights(struct scan *sn, unsigned int *rights)
{
	size_t i;

	*rights = 0;
	do {
		scan_next(sn);
		for (i = 0; i < NWORDS; i++)
			if (scan_is(sn, right_words[i].name))
				break;
		if (i == NWORDS)
			return scan_fail(sn,
			    "not a right: list, stats, profile, trace-own, "
			    "trace-all or admin");
		*rights |= right_words[i].rights;
		scan_next(sn);
	} while (scan_is(sn, ","));
	return 0;
}

/* Parses a numeric id; -1 is invalid. */
static int
scan_number(const struct scan *sn, uint32_t *id)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)sn->scn_word[0]))
		return -1;
	errno = 0;
	n = strtoull(sn->scn_word, &end, 10);
	if (errno != 0 || end != sn->scn_at || n >= UINT32_MAX)
		return -1;
	*id = n;
	return 0;
}

/* Looks up a user or group by name or number. */
static int
scan_id(struct scan *sn, enum whom whom, uint32_t *id)
{
	const struct passwd *pw;
	const struct group *gr;
	char name[256];

	if (sn->scn_len == 0 || sn->scn_len >= sizeof(name))
		return scan_fail(sn, "expected a name or a number");
	memcpy(name, sn->scn_word, sn->scn_len);
	name[sn->scn_len] = '\0';
	if (whom == WHOM_USER && (pw = getpwnam(name)) != NULL)
		*id = pw->pw_uid;
	else if (whom == WHOM_GROUP && (gr = getgrnam(name)) != NULL)
		*id = gr->gr_gid;
	else if (scan_number(sn, id) != 0)
		return scan_fail(sn,
		    whom == WHOM_USER ? "no such user" : "no such group");
	return 0;
}

static int
scan_whom(struct scan *sn, struct grant *gr)
{
	if (!scan_is(sn, "to"))
		return scan_fail(sn, "expected 'to', or a comma");
	scan_next(sn);
	if (scan_is(sn, "everybody"))
		gr->gr_whom = WHOM_EVERYBODY;
	else if (scan_is(sn, "user"))
		gr->gr_whom = WHOM_USER;
	else if (scan_is(sn, "group"))
		gr->gr_whom = WHOM_GROUP;
	else
		return scan_fail(sn, "expected user, group or everybody");
	if (gr->gr_whom != WHOM_EVERYBODY) {
		scan_next(sn);
		if (scan_id(sn, gr->gr_whom, &gr->gr_id) != 0)
			return -1;
	}
	scan_next(sn);
	return sn->scn_len == 0 ? 0 : scan_fail(sn, "unexpected text");
}

int
right_allow(const char *value, char *why, size_t len)
{
	struct scan sn = { .scn_value = value,
		.scn_at = value,
		.scn_why = why,
		.scn_whylen = len };
	struct grant gr = { 0 }, *new;

	if (scan_rights(&sn, &gr.gr_rights) != 0 || scan_whom(&sn, &gr) != 0)
		return -1;
	if ((new = malloc(sizeof(*new))) == NULL)
		return scan_fail(&sn, strerror(ENOMEM));
	*new = gr;
	STAILQ_INSERT_TAIL(&fresh, new, gr_entry);
	return 0;
}

const struct conf_key right_keys[] = {
	{ .ck_name = "allow", .ck_say = right_allow, .ck_flags = CONF_RELOAD },
	{ .ck_name = NULL },
};

static void
grants_free(struct grants *gs)
{
	struct grant *gr;

	while ((gr = STAILQ_FIRST(gs)) != NULL) {
		STAILQ_REMOVE_HEAD(gs, gr_entry);
		free(gr);
	}
}

void
right_begin(void)
{
	grants_free(&fresh);
}

void
right_abort(void)
{
	grants_free(&fresh);
}

/* Adds the rights of the predefined groups, if these exist. */
static void
right_defaults(void)
{
	static const char *const values[] = { "trace-all to group dt",
		"stats to group dt-stats" };
	char why[128];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (right_allow(values[i], why, sizeof(why)) != 0)
			log_debug("%s: %s", values[i], why);
}

void
right_commit(void)
{
	right_defaults();
	grants_free(&grants);
	STAILQ_CONCAT(&grants, &fresh);
}

static int
grant_is(const struct grant *gr, uid_t uid, const gid_t *gids, size_t ngids)
{
	size_t i;

	if (gr->gr_whom == WHOM_USER)
		return gr->gr_id == uid;
	for (i = 0; i < ngids; i++)
		if (gr->gr_id == gids[i])
			return 1;
	return 0;
}

unsigned int
right_find(uid_t uid, const gid_t *gids, size_t ngids, int own_userns)
{
	const struct grant *gr;
	unsigned int rights = RIGHT_LIST;

	if (uid == 0 && own_userns)
		return RIGHT_ALL;
	STAILQ_FOREACH(gr, &grants, gr_entry)
		if (gr->gr_whom == WHOM_EVERYBODY ||
		    (own_userns && grant_is(gr, uid, gids, ngids)))
			rights |= gr->gr_rights;
	return rights;
}

int
right_grant(struct peer *pr, int sock, int own_userns,
    const struct inspect_client *ic)
{
	gid_t *gids;
	size_t ngids;
	int error;

	if (ic == NULL) {
		pr->peer_rights = RIGHT_ALL;
		return 0;
	}
	if ((error = peer_groups(pr, sock, &gids, &ngids)) != 0)
		return error;
	pr->peer_rights = right_find(pr->peer_uid, gids, ngids, own_userns);
	if ((pr->peer_rights & (RIGHT_TRACE_OWN | RIGHT_TRACE_ALL)) ==
		RIGHT_TRACE_OWN &&
	    !owner_admit(pr, sock, gids, ngids, own_userns, ic))
		pr->peer_rights &= ~RIGHT_TRACE_OWN;
	free(gids);
	return 0;
}

int
right_check(const struct peer *pr, unsigned int rights, const char *what,
    struct reason *rs)
{
	int hasnoown = (rights & RIGHT_TRACE_OWN) && pr->peer_noown[0] != '\0';
	char who[80], names[100] = "";

	if (pr->peer_rights & rights)
		return 0;
	if (what != NULL)
		snprintf(who, sizeof(who), "%s need", what);
	else
		snprintf(who, sizeof(who), "user %u lacks",
		    (unsigned)pr->peer_uid);
	rights_text(rights, " or ", names, sizeof(names));
	limit_refused(REFUSED_RIGHTS);
	return reason_fail(rs, EPERM, "%s the right %s%s%s", who, names,
	    hasnoown ? "; TRACE_OWN: " : "", hasnoown ? pr->peer_noown : "");
}
