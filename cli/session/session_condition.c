/* SPDX-License-Identifier: ISC */
/* --if: compiles and sets the condition of each probe of a session. */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/refusal.h"
#include "cli/session/session.h"

void
session_cond_bad(const struct session *ss, const struct cond_error *er)
{
	struct buf b;

	buf_init(&b, STDERR_FILENO);
	buf_str(&b, "dt: --if: ");
	cond_error_text(&b, er, ss->ss_opts->o_select.ose_if);
	(void)buf_flush(&b);
	exit(1);
}

void
session_cond_open(struct session *ss)
{
	const struct cond_node *cn;
	struct cond_error er;

	if (ss->ss_opts->o_select.ose_if == NULL)
		return;
	if ((ss->ss_cond = malloc(sizeof(*ss->ss_cond))) == NULL)
		err(1, NULL);
	if (cond_parse(ss->ss_cond, ss->ss_opts->o_select.ose_if, &er) == -1)
		session_cond_bad(ss, &er);
	if ((cn = cond_uses(ss->ss_cond, "duration")) != NULL &&
	    !ss->ss_opts->o_pair.opa_isslower &&
	    ss->ss_opts->o_pair.opa_from == NULL) {
		cond_fail(&er, cn->cn_begin, cn->cn_end,
		    "a hit has no duration; use --slower or --from");
		session_cond_bad(ss, &er);
	}
}

void
session_cond_close(struct session *ss)
{
	free(ss->ss_cond);
	ss->ss_cond = NULL;
}

const struct probe *
session_cond_entry(struct session *ss, const struct dtioc_probe_info *pi)
{
	struct dtioc_probe_info *found;
	const struct probe *pr = NULL;
	char name[3 * DTNAMESIZE];

	if (strcmp(pi->dtpi_name, "return") != 0)
		return name_cache_probe(&ss->ss_names, pi->dtpi_pbn);
	snprintf(name, sizeof(name), "%s:%s:entry", pi->dtpi_prov,
	    pi->dtpi_func);
	if (dt_lookup(ss->ss_dt, name, &found) < 1)
		return NULL;
	pr = name_cache_probe(&ss->ss_names, found[0].dtpi_pbn);
	free(found);
	return pr;
}

/* pid may be the process or an argument: prints a note once. */
static void
session_cond_note(struct session *ss, const struct probe *pr)
{
	const char *name = cond_shadowed(ss->ss_cond, pr);

	if (name == NULL || ss->ss_condnoted ||
	    ss->ss_opts->o_select.ose_npids > 1) /* the condition of -p */
		return;
	ss->ss_condnoted = 1;
	warnx("--if: %s is the thread's; the argument of %s is args.%s", name,
	    pr->pr_full, name);
}

int
session_cond_make(struct session *ss, const struct dtioc_probe_info *pi,
    int hasreturn, struct dt_cond *co)
{
	const struct probe *pr = name_cache_probe(&ss->ss_names, pi->dtpi_pbn);
	const struct probe *entry = session_cond_entry(ss, pi);
	const struct cond_node *cn;
	struct cond_error er;
	int r;

	if (pr == NULL)
		refusal_ioctl(ss->ss_dt, "--if");
	if (entry != NULL)
		session_cond_note(ss, entry);
	r = cond_compile(ss->ss_cond, pr, entry, co, &er);
	if (r == -1)
		session_cond_bad(ss, &er);
	if (r != COND_LATER || hasreturn)
		return r;
	if ((cn = cond_uses(ss->ss_cond, "retval")) == NULL)
		cn = cond_uses(ss->ss_cond, "errno");
	cond_fail(&er, cn->cn_begin, cn->cn_end,
	    "not available at %s; use %s:%s:return, or the call %s:%s",
	    pr->pr_full, pi->dtpi_prov, pi->dtpi_func, pi->dtpi_prov,
	    pi->dtpi_func);
	session_cond_bad(ss, &er);
}

int
session_cond_islater(struct session *ss, const struct dtioc_probe_info *entry)
{
	const struct probe *pr;
	struct cond_error er;
	struct dt_cond co;

	if (ss->ss_cond == NULL)
		return 0;
	pr = name_cache_probe(&ss->ss_names, entry->dtpi_pbn);
	return pr != NULL &&
	    cond_compile(ss->ss_cond, pr, pr, &co, &er) == COND_LATER;
}

void
session_cond_set(struct session *ss, const struct dtioc_probe_info *pi,
    const struct dt_cond *co)
{
	struct dtioc_condition cn = {
		.dtcn_pbn = pi->dtpi_pbn,
		.dtcn_cond = *co,
	};
	char what[3 * DTNAMESIZE + 8];

	if (dt_ioctl(ss->ss_dt, DTIOCSCONDITION, &cn) == 0)
		return;
	snprintf(what, sizeof(what), "--if: %s:%s:%s", pi->dtpi_prov,
	    pi->dtpi_func, pi->dtpi_name);
	refusal_ioctl(ss->ss_dt, what);
}
