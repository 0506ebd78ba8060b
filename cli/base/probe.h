/* SPDX-License-Identifier: ISC */
/* The client's description of a probe: the daemon's, prepared for printing. */
#ifndef CLI_BASE_PROBE_H
#define CLI_BASE_PROBE_H

#include <libdt.h>

#include "cli/base/machine.h"
#include "cli/base/val.h"

struct arg_call;
struct arg_kind;

/*
 * A probe, prepared for printing; an argument without a name is argN. Constant
 * after its initialization.
 */
struct probe {
	struct dt_probe_desc pr_desc;
	char pr_full[3 * DTNAMESIZE]; /* prov:func:name */
	char pr_call[2 * DTNAMESIZE]; /* as printed with an event */
	enum val_class pr_args[DT_REC_NARGS];
	enum val_class pr_ret;
	enum machine pr_machine; /* machine whose numbers the probe uses */
	int pr_isvoid;		 /* return without a value */
	int pr_hasargs;		 /* printed with parentheses */
	/* kind.h; NULL: printed by class */
	const struct arg_kind *pr_kinds[DT_REC_NARGS];
	const struct arg_kind *pr_retkind;
	/* returns which arguments are in use; NULL: all */
	int (*pr_shown)(const struct arg_call *, unsigned int argn);
};

#endif /* CLI_BASE_PROBE_H */
