/* SPDX-License-Identifier: ISC */
/* A probe as the client knows it: the daemon's description, prepared for
 * printing. */
#ifndef CLI_BASE_PROBE_H
#define CLI_BASE_PROBE_H

#include <libdt.h>

#include "cli/base/machine.h"
#include "cli/base/val.h"

struct arg_call;
struct arg_kind;

/* A probe, prepared for printing: an argument without a name is argN.
 * Constant once made. */
struct probe {
	struct dt_probe_desc pr_desc;
	char pr_full[3 * DTNAMESIZE]; /* prov:func:name */
	char pr_call[2 * DTNAMESIZE]; /* as a line shows it */
	enum val_class pr_args[DT_REC_NARGS];
	enum val_class pr_ret;
	enum machine pr_machine; /* whose numbers they are */
	int pr_isvoid;		 /* a return that returns nothing */
	/* kind.h; NULL: by class */
	const struct arg_kind *pr_kinds[DT_REC_NARGS];
	const struct arg_kind *pr_retkind;
	/* which arguments mean something; NULL: all */
	int (*pr_shown)(const struct arg_call *, unsigned int argn);
};

#endif /* CLI_BASE_PROBE_H */
