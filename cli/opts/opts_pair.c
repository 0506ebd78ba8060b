/* SPDX-License-Identifier: ISC */
/*
 * Options for pairs of probes: slow calls, and the time from one probe to
 * another.
 */
#include "cli/opts/opts.h"
#include "cli/opts/pair_key.h"

static const char *
opts_check_slower(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_pair.opa_isslower = 1;
	return NULL;
}

static const char *
opts_check_probe(const char *probe, const char *arg)
{
	if (probe != NULL)
		return "may be given only once";
	return *arg == '\0' ? "should be a probe" : NULL;
}

static const char *
opts_check_from(struct opts *o, const char *arg)
{
	return opts_check_probe(o->o_pair.opa_from, arg);
}

static const char *
opts_check_to(struct opts *o, const char *arg)
{
	return opts_check_probe(o->o_pair.opa_to, arg);
}

static const char *
opts_check_key(struct opts *o, const char *arg)
{
	struct pair_key_name kn[DTPA_NKEYS];

	(void)o;
	return pair_key_parse(arg, kn) == 0
	    ? "should be values common to both hits, for example tid, "
	      "dev,sector or pid=next_pid"
	    : NULL;
}

const char *
opts_check_pair(const struct opts *o)
{
	const struct opts_pair *oa = &o->o_pair;

	if ((oa->opa_from == NULL) != (oa->opa_to == NULL))
		return "--from and --to belong together";
	if (oa->opa_from != NULL && oa->opa_key == NULL)
		return "--from and --to need --key, values common to both hits, "
		       "for example tid";
	if (oa->opa_from == NULL && oa->opa_key != NULL)
		return "--key needs --from and --to";
	return NULL;
}

const struct opt opts_pairs[] = {
	OPT_GROUP("Time between two hits"),
	{ 0, "slower", "TIME",
	    "select calls that take at least TIME, such as 1ms", OPT_LATENCY,
	    OPT(o_pair.opa_slower), .opt_check = opts_check_slower },
	{ 0, "from", "PROBE", "measure the time from this probe", OPT_STRING,
	    OPT(o_pair.opa_from), .opt_check = opts_check_from },
	{ 0, "to", "PROBE", "measure the time to this probe", OPT_STRING,
	    OPT(o_pair.opa_to), .opt_check = opts_check_to },
	{ 0, "key", "FIELD,FIELD",
	    "pair hits with equal values: tid, or pid=next_pid", OPT_STRING,
	    OPT(o_pair.opa_key), .opt_check = opts_check_key },
	{ 0 },
};
