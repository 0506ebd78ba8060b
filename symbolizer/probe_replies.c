/* SPDX-License-Identifier: ISC */
/* Collects sites, arguments and strings of a reply, and sends them in messages. */
#include <string.h>
#include <sys/uio.h>

#include "symbolizer/probe_replies.h"
#include "symbolizer/requests.h"

#define MAXSITES   512
#define MAXARGS	   128
#define MAXSTRINGS (34 << 10)
#define MAXTEXT	   256 /* names of arguments and types are cut here */

static struct {
	struct probe_sink rep_sink;
	struct probe_site rep_sites[MAXSITES];
	struct probe_arg rep_args[MAXARGS];
	char rep_strings[MAXSTRINGS];
	uint32_t rep_nsites, rep_nargs, rep_nbytes;
	uint32_t rep_ismore;
} rep;

_Static_assert(sizeof(struct symrep_probes) + sizeof(rep.rep_sites) +
	    sizeof(rep.rep_args) + sizeof(rep.rep_strings) <=
	SYMREQ_MAXMSG,
    "a reply is one message");
_Static_assert(2 * SYMREQ_NAME + 3 * MAXTEXT * PROBE_ARGS_MAX <= MAXSTRINGS &&
	PROBE_ARGS_MAX <= MAXARGS,
    "a site is in one message");

void
probe_replies_flush(void)
{
	struct symrep_probes head = { .sps_type = SYMREP_PROBES,
		.sps_nsites = rep.rep_nsites,
		.sps_nargs = rep.rep_nargs,
		.sps_nbytes = rep.rep_nbytes,
		.sps_more = rep.rep_ismore };
	struct iovec iov[] = { { &head, sizeof(head) },
		{ rep.rep_sites, rep.rep_nsites * sizeof(*rep.rep_sites) },
		{ rep.rep_args, rep.rep_nargs * sizeof(*rep.rep_args) },
		{ rep.rep_strings, rep.rep_nbytes } };

	proto_send(iov, 4);
	rep.rep_nsites = rep.rep_nargs = rep.rep_nbytes = 0;
}

/* Returns the string's offset plus one, 0 for NULL. */
static uint32_t
put_string(const char *s, size_t max)
{
	uint32_t at = rep.rep_nbytes;
	size_t n;

	if (s == NULL)
		return 0;
	n = strnlen(s, max - 1);
	memcpy(rep.rep_strings + at, s, n);
	rep.rep_strings[at + n] = '\0';
	rep.rep_nbytes += n + 1;
	return at + 1;
}

static void
put_arg(const struct found_arg *fa)
{
	struct probe_arg *pa = &rep.rep_args[rep.rep_nargs++];

	*pa = fa->fa_arg;
	pa->pra_name = put_string(fa->fa_name, MAXTEXT);
	pa->pra_type = put_string(fa->fa_type, MAXTEXT);
	pa->pra_why = put_string(fa->fa_why, MAXTEXT);
}

static void
put(struct probe_sink *sink, const struct found_site *fo)
{
	struct probe_site *ps;
	unsigned int i, n = fo->fo_site.psi_nargs;

	(void)sink;
	if (rep.rep_nsites == MAXSITES || rep.rep_nargs + n > MAXARGS ||
	    rep.rep_nbytes + 2 * SYMREQ_NAME + 3 * MAXTEXT * n > MAXSTRINGS)
		probe_replies_flush();
	ps = &rep.rep_sites[rep.rep_nsites++];
	*ps = fo->fo_site;
	ps->psi_name = put_string(fo->fo_name, SYMREQ_NAME);
	ps->psi_more = put_string(fo->fo_more, SYMREQ_NAME);
	for (i = 0; i < n; i++)
		put_arg(&fo->fo_args[i]);
}

static void
more(struct probe_sink *sink)
{
	(void)sink;
	rep.rep_ismore = 1;
}

struct probe_sink *
probe_replies_begin(void)
{
	rep.rep_nsites = rep.rep_nargs = rep.rep_nbytes = rep.rep_ismore = 0;
	rep.rep_sink = (struct probe_sink){ put, more };
	return &rep.rep_sink;
}
