/* SPDX-License-Identifier: ISC */
/*
 * dt kcov: prints the kernel functions that a command reaches, or for an
 * instrumented command the places in its own code.
 */
#include <stdio.h>
#include <string.h>

#include "cli/kcov/kcov.h"
#include "cli/opts/cmd.h"

static const char *
kcov_set_func(struct opts *o, const char *arg)
{
	size_t n = strlen(o->o_globs);

	if (*arg == '\0' || strchr(arg, ' ') != NULL)
		return "should be the name of a function, or a glob";
	if (n + 1 + strlen(arg) >= sizeof(o->o_globs))
		return "is too much: all globs together have 999 characters";
	snprintf(o->o_globs + n, sizeof(o->o_globs) - n, "%s%s",
	    n > 0 ? " " : "", arg);
	return NULL;
}

static const char *
kcov_set_cmp(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_cmp = 1;
	return NULL;
}

static const char *
kcov_set_user(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_kcov = KCOV_PROGRAM;
	return NULL;
}

static const char *
kcov_set_kernel(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_kcov = KCOV_KERNEL;
	return NULL;
}

static const char *
kcov_set_order(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_order = 1;
	return NULL;
}

static const char *
kcov_set_diff(struct opts *o, const char *arg)
{
	o->o_diff = arg;
	return *arg == '\0' ? "should be a file of dt kcov -o" : NULL;
}

static const char *
kcov_set_force(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_force = 1;
	return NULL;
}

static const char *
kcov_set_nolimit(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_nolimit = 1;
	return NULL;
}

static const char *
kcov_set_file(struct opts *o, const char *arg)
{
	o->o_filekind = FILE_KCOV;
	if (strcmp(arg, "-") == 0)
		return "should be the name of a file";
	return opts_set_file(o, arg);
}

static const char *
kcov_check(const struct opts *o)
{
	if (o->o_command == NULL)
		return "needs a command behind --";
	if (o->o_globs[0] != '\0' && o->o_kcov == KCOV_PROGRAM)
		return "-f is for functions of the kernel, --user for the "
		       "command's own code";
	if (o->o_cmp && (o->o_globs[0] != '\0' || o->o_kcov == KCOV_KERNEL))
		return "--cmp is for the command's own code: what the kernel "
		       "compares, only its compiler could tell";
	return NULL;
}

static int
kcov_main(struct opts *o)
{
	return kcov_run(o);
}

static const struct opt kcov_opts[] = {
	{ 'f', "func", "GLOB", kcov_set_func,
	    "these functions of the kernel, as 'vfs_*'" },
	{ 0, "kernel", NULL, kcov_set_kernel,
	    "the kernel's code, whatever the command is made for" },
	{ 0, "user", NULL, kcov_set_user,
	    "the command's own code, made with libdtkcov" },
	{ 0, "cmp", NULL, kcov_set_cmp,
	    "what the command's own code compares" },
	{ 0, "order", NULL, kcov_set_order,
	    "in the order in which they were first reached" },
	{ 0, "diff", "FILE", kcov_set_diff,
	    "what differs from the run that -o FILE was of" },
	{ 'v', "verbose", NULL, opts_set_verbose,
	    "with --diff: also what both have reached" },
	{ 0, "top", "N", opts_set_top, "print so many rows" },
	{ 'o', "output", "FILE", kcov_set_file,
	    "write a recording, for --diff and dt report" },
	{ 'j', "json", NULL, opts_set_json, "print JSON, one object a line" },
	{ 0, "strict", NULL, opts_set_strict,
	    "exit with status 3 when records were lost" },
	{ 0, "force", NULL, kcov_set_force,
	    "attach to more than 1,000 functions of the kernel" },
	{ 0, "no-limit", NULL, kcov_set_nolimit,
	    "go on, whatever that takes of the machine; right ADMIN" },
	{ 0 }
};

const struct cmd cmd_kcov = {
	.cmd_name = "kcov",
	.cmd_args = "[-f GLOB] [--cmp] [--order] [--diff FILE] -- COMMAND",
	.cmd_what = "functions that a command reaches",
	.cmd_run = kcov_main,
	.cmd_opts = kcov_opts,
	.cmd_flags = CMD_COMMAND,
	.cmd_check = kcov_check,
	.cmd_examples =
	    "  # functions of the kernel that a command reaches\n"
	    "  dt kcov -- cat /etc/hostname\n"
	    "  # those of a kind, in the order in which they are reached\n"
	    "  dt kcov -f 'vfs_*' --order -- cat /etc/hostname\n"
	    "  # what another run reaches, and the first did not\n"
	    "  dt kcov -o before.kcov -- cat /etc/hostname\n"
	    "  dt kcov --diff before.kcov -- cat /proc/uptime\n",
};
