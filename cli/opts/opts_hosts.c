/* SPDX-License-Identifier: ISC */
/* Options of subcommands that can run on other machines. */
#include <stddef.h>
#include <string.h>

#include "cli/opts/cmd.h"
#include "cli/opts/opts.h"

#define HOSTS_MAX 64

/* Returns whether a name is in a list of names, before the word itself. */
static int
hosts_isbefore(const char *list, const char *word, size_t len)
{
	size_t n;

	for (; list < word; list += n + 1) {
		n = strcspn(list, ",");
		if (n == len && memcmp(list, word, len) == 0)
			return 1;
	}
	return 0;
}

static const char *
hosts_word(const char *list, const char *word, size_t len)
{
	size_t i;

	if (len == 0)
		return "should be machines with a comma between: web1,root@web2";
	if (word[0] == '-')
		return "should be names of machines, which begin with no '-'";
	for (i = 0; i < len; i++)
		if ((unsigned char)word[i] <= ' ' || word[i] == 0x7f)
			return "should be names of machines, without blanks";
	return hosts_isbefore(list, word, len) ? "names a machine twice" : NULL;
}

static const char *
hosts_set(struct opts *o, const char *arg)
{
	const char *bad, *word = arg;
	unsigned int n;
	size_t len;

	/* opts_scan() has stored the last one */
	if (o->o_hosts.ohs_names != NULL &&
	    strcmp(o->o_hosts.ohs_names, arg) != 0)
		return "may be given only once; names have commas between";
	for (n = 1;; n++, word += len + 1) {
		len = strcspn(word, ",");
		if ((bad = hosts_word(arg, word, len)) != NULL)
			return bad;
		if (word[len] == '\0')
			break;
	}
	o->o_hosts.ohs_names = arg;
	return n <= HOSTS_MAX ? NULL : "is more than 64 machines";
}

static const char *
hosts_set_ssh(struct opts *o, const char *arg)
{
	(void)o;
	return *arg == '\0' ? "should be a command, such as 'ssh -p 2222'"
			    : NULL;
}

const char *
opts_check_hosts(const struct opts *o)
{
	if (o->o_hosts.ohs_names == NULL)
		return o->o_hosts.ohs_ssh != NULL
		    ? "--ssh is for other machines: -H HOST"
		    : NULL;
	if (o->o_print.opi_prometheus != NULL)
		return "--prometheus is for this machine; it excludes -H";
	if (o->o_socket != NULL)
		return "--socket is a socket of this machine; it excludes -H";
	return NULL;
}

const struct opt opts_hosts[] = {
	OPT_GROUP("Other machines"),
	{ 'H', "host", "HOST,HOST",
	    "run on these machines by ssh, and merge the answers", OPT_STRING,
	    OPT(o_hosts.ohs_names), .opt_check = hosts_set },
	{ 0, "ssh", "COMMAND",
	    "start ssh by this command: 'ssh -p 2222' (or $DT_SSH)", OPT_STRING,
	    OPT(o_hosts.ohs_ssh), .opt_check = hosts_set_ssh },
	{ 0 },
};
