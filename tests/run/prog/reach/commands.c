/* SPDX-License-Identifier: ISC */
/*
 * The commands that reach tests: those of the daemon's own table, which is
 * linked into it.
 */
#include <err.h>
#include <stdio.h>

#include "daemon/device/cdevsw.h"
#include "tests/run/prog/reach/reach.h"

static const struct {
	uint32_t num;
	const char *name;
} names[] = {
#define NAME(n) \
	{ \
		(uint32_t)(n), #n \
	}
	NAME(WIRE_OPEN),
	NAME(DTIOCGPLIST),
	NAME(DTIOCGSTATS),
	NAME(DTIOCRECORD),
	NAME(DTIOCPRBENABLE),
	NAME(DTIOCPRBDISABLE),
	NAME(DTIOCGARGS),
	NAME(DTIOCGETAUXBASE),
	NAME(DTIOCSELF),
	NAME(DTIOCLOOKUP),
	NAME(DTIOCSFILTER),
	NAME(DTIOCSBUDGET),
	NAME(DTIOCSMAXBUDGET),
	NAME(DTIOCGFULLSTAT),
	NAME(DTIOCGPROVS),
	NAME(DTIOCSYM),
	NAME(DTIOCGARGNAMES),
	NAME(DTIOCGSTATS_V1),
	NAME(DTIOCPRBENABLE_V1),
	NAME(DTIOCPRBDISABLE_V1),
	NAME(DTIOCNOLIMIT),
	NAME(DTIOCSPATH),
	NAME(DTIOCSCONDITION),
	NAME(DTIOCSPAIR),
	NAME(DTIOCSAGG),
	NAME(DTIOCSREADS),
	NAME(DTIOCAGGSNAP),
	NAME(DTIOCGAGG),
	NAME(DTIOCGMAPS),
	NAME(DTIOCSYMFILE),
	NAME(DTIOCGSTACK),
	NAME(DTIOCGPENDING),
	NAME(DTIOCPASS),
	NAME(DTIOCTHREADS),
	NAME(DTIOCGTHREADS),
	NAME(DTIOCFILE),
	NAME(DTIOCGSTALL),
	NAME(DTIOCGSUMS),
	NAME(DTIOCRDVNODE),
	NAME(DTIOCGKSYMS),
	NAME(DTIOCGADDR),
	NAME(UNKNOWN),
#undef NAME
};

struct command commands[MAXCMDS];
size_t ncommands;

static void
command_add(uint32_t num, size_t min, size_t max)
{
	struct command *cm = &commands[ncommands++];
	size_t i;

	if (ncommands > MAXCMDS)
		errx(1, "more than %d commands", MAXCMDS);
	cm->cm_num = num;
	cm->cm_min = min;
	cm->cm_max = max;
	/* a command without a name here is tested as well */
	snprintf(cm->cm_name, sizeof(cm->cm_name), "'%c' %u, %u bytes",
	    num >> 8 & 0xff, num & 0xff, num >> 16 & 0x1fff);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].num == num)
			snprintf(cm->cm_name, sizeof(cm->cm_name), "%s",
			    names[i].name);
}

void
commands_init(void)
{
	const struct cdevsw *dev = devices[0];
	size_t i;

	command_add(WIRE_OPEN, sizeof(struct wire_open),
	    sizeof(struct wire_open));
	for (i = 0; i < dev->d_nioctls; i++)
		command_add(dev->d_ioctls[i].id_cmd, dev->d_ioctls[i].id_inmin,
		    dev->d_ioctls[i].id_inmax);
	command_add(UNKNOWN, 0, MAXPAYLOAD);
}

struct command *
command_find(uint32_t num)
{
	size_t i;

	for (i = 0; i < ncommands; i++)
		if (commands[i].cm_num == num)
			return &commands[i];
	return &commands[ncommands - 1]; /* unknown */
}
