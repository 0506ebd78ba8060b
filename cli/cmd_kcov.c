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
	struct kcov_opts *ko = (struct kcov_opts *)o;
	size_t n = strlen(ko->kco_globs);

	if (*arg == '\0' || strchr(arg, ' ') != NULL)
		return "should be the name of a function, or a glob";
	if (n + 1 + strlen(arg) >= sizeof(ko->kco_globs))
		return "is too long: all globs together have at most 999 "
		       "characters";
	snprintf(ko->kco_globs + n, sizeof(ko->kco_globs) - n, "%s%s",
	    n > 0 ? " " : "", arg);
	return NULL;
}

static const char *
kcov_check_diff(struct opts *o, const char *arg)
{
	(void)o;
	return *arg == '\0' ? "should be a file of dt kcov -o" : NULL;
}

static const char *
kcov_check_file(struct opts *o, const char *arg)
{
	o->o_file.ofi_kind = FILE_KCOV;
	if (strcmp(arg, "-") == 0)
		return "should be the name of a file";
	return opts_check_name(o, arg);
}

static const char *
kcov_check(const struct opts *o)
{
	const struct kcov_opts *ko = (const struct kcov_opts *)o;

	if (o->o_command == NULL)
		return "needs a command after --";
	if (ko->kco_globs[0] != '\0' && ko->kco_code == KCOV_PROGRAM)
		return "-f selects functions of the kernel, --user the "
		       "command's own code";
	if (ko->kco_cmp &&
	    (ko->kco_globs[0] != '\0' || ko->kco_code == KCOV_KERNEL))
		return "--cmp prints comparisons of the command's own code; "
		       "the kernel would have to be instrumented";
	return NULL;
}

static const struct opt kcov_opts[] = {
	OPT_GROUP("Code"),
	{ 'f', "func", "GLOB",
	    "select functions of the kernel, such as 'vfs_*'", OPT_CALL,
	    .opt_check = kcov_set_func },
	{ 0, "kernel", NULL, "record the kernel's code, for any command",
	    OPT_FLAG, OPT_OF(struct kcov_opts, kco_code), KCOV_KERNEL },
	{ 0, "user", NULL, "record the command's code, built with libdtkcov",
	    OPT_FLAG, OPT_OF(struct kcov_opts, kco_code), KCOV_PROGRAM },
	{ 0, "cmp", NULL, "record comparisons in the command's code", OPT_FLAG,
	    OPT_OF(struct kcov_opts, kco_cmp) },
	OPT_GROUP("Output"),
	{ 0, "order", NULL, "sort by first use, not by count", OPT_FLAG,
	    OPT_OF(struct kcov_opts, kco_order) },
	{ 0, "diff", "FILE", "print differences from the run in FILE (of -o)",
	    OPT_STRING, OPT_OF(struct kcov_opts, kco_diff),
	    .opt_check = kcov_check_diff },
	OPT_ROW_VERBOSE("with --diff: print common code, too"),
	OPT_ROW_TOP("print at most N rows"),
	OPT_ROW_OUTPUT("FILE", "write a recording, for --diff and dt report",
	    kcov_check_file),
	OPT_ROW_JSON,
	OPT_ROW_STRICT("exit with status 3 if records were lost"),
	OPT_GROUP("Limits"),
	OPT_ROW_FORCE,
	OPT_ROW_NOLIMIT,
	{ 0 },
};

const struct cmd cmd_kcov = {
	.cmd_name = "kcov",
	.cmd_args = "[-f GLOB] [--cmp] [--order] [--diff FILE] -- COMMAND",
	.cmd_what = "print the functions that a command reaches",
	.cmd_run = kcov_run,
	.cmd_size = sizeof(struct kcov_opts),
	.cmd_opts = kcov_opts,
	.cmd_flags = CMD_COMMAND,
	.cmd_check = kcov_check,
	.cmd_examples =
	    "  # print the functions of the kernel that a command reaches\n"
	    "  dt kcov -- cat /etc/hostname\n"
	    "  # print functions of the file system by first use\n"
	    "  dt kcov -f 'vfs_*' --order -- cat /etc/hostname\n"
	    "  # print the differences of two runs\n"
	    "  dt kcov -o before.kcov -- cat /etc/hostname\n"
	    "  dt kcov --diff before.kcov -- cat /proc/uptime\n",
};
