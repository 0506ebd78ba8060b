/* SPDX-License-Identifier: ISC */
/*
 * Options for pairs of probes: slow calls, and the time from one probe to
 * another.
 */
#include "cli/opts/opts.h"
#include "cli/opts/pair_key.h"

static const char *
opts_set_slower(struct opts *o, const char *arg)
{
	o->o_isslower = 1;
	return opts_latency(arg, &o->o_slower) == -1
	    ? "should be a time with its unit, as 1ms, 200us or 0.5s"
	    : NULL;
}

static const char *
opts_set_probe(const char **probe, const char *arg)
{
	if (*probe != NULL)
		return "may be given only once";
	*probe = arg;
	return *arg == '\0' ? "should be a probe" : NULL;
}

static const char *
opts_set_from(struct opts *o, const char *arg)
{
	return opts_set_probe(&o->o_from, arg);
}

static const char *
opts_set_to(struct opts *o, const char *arg)
{
	return opts_set_probe(&o->o_to, arg);
}

static const char *
opts_set_key(struct opts *o, const char *arg)
{
	struct pair_key_name kn[DTPA_NKEYS];

	o->o_key = arg;
	return pair_key_parse(arg, kn) == 0
	    ? "should be what both have, as tid or dev,sector; or as pid=next"
	    : NULL;
}

const char *
opts_check_pair(const struct opts *o)
{
	if ((o->o_from == NULL) != (o->o_to == NULL))
		return "--from and --to belong together";
	if (o->o_from != NULL && o->o_key == NULL)
		return "--from and --to need --key: what both hits have, as "
		       "tid";
	if (o->o_from == NULL && o->o_key != NULL)
		return "--key is for --from and --to";
	return NULL;
}

const struct opt opts_pairs[] = {
	{ 0, "slower", "TIME", opts_set_slower,
	    "only calls that take so long, as 1ms or 200us" },
	{ 0, "from", "PROBE", opts_set_from, "the time from this probe ..." },
	{ 0, "to", "PROBE", opts_set_to, "... to this one" },
	{ 0, "key", "FIELD,FIELD", opts_set_key,
	    "what both have, as tid, dev,sector or pid=next_pid" },
	{ 0 }
};
