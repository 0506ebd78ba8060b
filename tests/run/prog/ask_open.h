/* SPDX-License-Identifier: ISC */
/* Steps of ask.c that open, close, and issue any ioctl. */
#ifndef ASK_OPEN_H
#define ASK_OPEN_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/testdev/testdev.h"
#include <libdt.h>

#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_name.h"

static struct dt *
ask_dt(const char *device, int flags)
{
	const char *dir = getenv("ASK_DIR");
	char path[128];

	if (dir == NULL)
		return dt_open(NULL, flags | DT_OPEN_PRIVATE);
	snprintf(path, sizeof(path), "%s/%s", dir, device);
	return dt_open(path, flags | DT_OPEN_SERVICE);
}

/* A connection counts until its close has completed, shortly after the call. */
#define OPEN_RETRIES 1000
#define OPEN_PAUSE   10000 /* us */

/*
 * open [DEVICE] [ordered] [batched] [soon] [flags=N]; soon: retries while at the
 * limit
 */
static void
ask_open(struct handle *h, const struct words *w, struct answer *an)
{
	int flags = name_optnum(w, "flags", 0);
	const char *device = "dt";
	int tries = name_has(w, "soon") ? OPEN_RETRIES : 0;

	if (name_has(w, "ordered"))
		flags |= DT_OPEN_ORDERED;
	if (name_has(w, "batched"))
		flags |= DT_OPEN_BATCHED;
	if (name_has(w, "test"))
		device = "test";
	if (h->h_dt != NULL)
		errx(2, "handle %s is open", h->h_name);
	h->h_total = h->h_run = h->h_nrows = 0;
	hits_clear(&h->h_hits);
	while ((h->h_dt = ask_dt(device, flags)) == NULL && errno == EMFILE &&
	    tries-- > 0)
		usleep(OPEN_PAUSE);
	ask_say_result(an, h->h_dt == NULL ? -1 : 0);
}

/* openmany N: opens N sessions; prints how many succeeded, and the errno. */
static void
ask_openmany(struct handle *h, const struct words *w, struct answer *an)
{
	int i, n = name_num(name_word(w, 1));
	char name[16];

	(void)h;
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		h = ask_handle(name);
		if ((h->h_dt = ask_dt("dt", 0)) == NULL) {
			ask_say(an, "%d:%s", i, name_errno(errno));
			return;
		}
	}
	ask_say(an, "%d", n);
}

static void
ask_close(struct handle *h, const struct words *w, struct answer *an)
{
	(void)w;
	dt_close(h->h_dt);
	h->h_dt = NULL;
	ask_say(an, "0");
}

static void
ask_rights(struct handle *h, const struct words *w, struct answer *an)
{
	(void)w;
	ask_say(an, "%#x", dt_rights(h->h_dt));
}

static void
ask_private(struct handle *h, const struct words *w, struct answer *an)
{
	(void)w;
	ask_say(an, "%d", dt_is_private(h->h_dt));
}

/* error: prints dt_error() with underscores for blanks. */
static void
ask_error(struct handle *h, const struct words *w, struct answer *an)
{
	(void)w;
	ask_append(an, dt_error(h->h_dt));
}

static const struct {
	const char *name;
	unsigned long cmd;
} ask_commands[] = {
	{ "GPLIST", DTIOCGPLIST },
	{ "GSTATS", DTIOCGSTATS },
	{ "RECORD", DTIOCRECORD },
	{ "ENABLE", DTIOCPRBENABLE },
	{ "DISABLE", DTIOCPRBDISABLE },
	{ "GARGS", DTIOCGARGS },
	{ "GETAUXBASE", DTIOCGETAUXBASE },
	{ "SELF", DTIOCSELF },
	{ "LOOKUP", DTIOCLOOKUP },
	{ "SFILTER", DTIOCSFILTER },
	{ "SBUDGET", DTIOCSBUDGET },
	{ "SMAXBUDGET", DTIOCSMAXBUDGET },
	{ "GFULLSTAT", DTIOCGFULLSTAT },
	{ "GSTACK", DTIOCGSTACK },
	{ "GPENDING", DTIOCGPENDING },
	{ "PASS", DTIOCPASS },
	{ "THREADS", DTIOCTHREADS },
	{ "GTHREADS", DTIOCGTHREADS },
	{ "GSTALL", DTIOCGSTALL },
	{ "GPROVS", DTIOCGPROVS },
	{ "SYM", DTIOCSYM },
	{ "GMAPS", DTIOCGMAPS },
	{ "SYMFILE", DTIOCSYMFILE },
	{ "FILE", DTIOCFILE },
	{ "GSUMS", DTIOCGSUMS },
	{ "RDVNODE", DTIOCRDVNODE },
	{ "GKSYMS", DTIOCGKSYMS },
	{ "GADDR", DTIOCGADDR },
	{ "GARGNAMES", DTIOCGARGNAMES },
	{ "GSTATS_V1", DTIOCGSTATS_V1 },
	{ "ENABLE_V1", DTIOCPRBENABLE_V1 },
	{ "DISABLE_V1", DTIOCPRBDISABLE_V1 },
	{ "NOLIMIT", DTIOCNOLIMIT },
	{ "SPATH", DTIOCSPATH },
	{ "SCONDITION", DTIOCSCONDITION },
	{ "SPAIR", DTIOCSPAIR },
	{ "SAGG", DTIOCSAGG },
	{ "SREADS", DTIOCSREADS },
	{ "AGGSNAP", DTIOCAGGSNAP },
	{ "GAGG", DTIOCGAGG },
	{ "TESTECHO", TESTIOCECHO },
	{ "TESTLATER", TESTIOCLATER },
	{ "TESTSEND", TESTIOCSEND },
	{ "TESTADMIN", TESTIOCADMIN },
};

#define ASK_NCOMMANDS (sizeof(ask_commands) / sizeof(ask_commands[0]))

static unsigned long
ask_command(const char *name)
{
	size_t i;

	for (i = 0; i < ASK_NCOMMANDS; i++)
		if (strcmp(ask_commands[i].name, name) == 0)
			return ask_commands[i].cmd;
	return name_num(name);
}

/*
 * ioctl COMMAND|NUMBER [null] [int=N] [hex=BYTES] [fill=BYTE] [same]: any
 * ioctl; the argument is zeros by default.  same: prints 1 if the argument came
 * back unchanged, else 0.
 */
static void
ask_ioctl(struct handle *h, const struct words *w, struct answer *an)
{
	static uint8_t arg[8192], before[8192];
	const char *hex = name_opt(w, "hex"), *num = name_opt(w, "int");
	unsigned long cmd = ask_command(name_word(w, 1));
	int r, v;

	memset(arg, name_optnum(w, "fill", 0), sizeof(arg));
	if (hex != NULL)
		name_hex(hex, arg, sizeof(arg));
	if (num != NULL) {
		v = name_num(num);
		memcpy(arg, &v, sizeof(v));
	}
	memcpy(before, arg, sizeof(arg));
	r = dt_ioctl(h->h_dt, cmd, name_has(w, "null") ? NULL : arg);
	if (r == 0 && name_has(w, "same"))
		ask_say(an, "%d", memcmp(arg, before, sizeof(arg)) == 0);
	else
		ask_say_result(an, r);
}

#endif /* ASK_OPEN_H */
