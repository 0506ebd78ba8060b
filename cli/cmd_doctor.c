/* SPDX-License-Identifier: ISC */
/*
 * dt doctor: what works on this machine, what is missing, and how to get it. It
 * tries only what other subcommands do, and changes nothing on the machine.
 */
#include <err.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "cli/opts/cmd.h"
#include "cli/out/out.h"

static const struct {
	const char *key, *title;
	const struct doctor_check *checks;
} doctor_sections[] = {
	{ "daemon", "The daemon", doctor_daemon },
	{ "user", "This user", doctor_user },
	{ "kernel", "The kernel", doctor_kernel },
	{ "providers", "Providers of probes", doctor_provs },
	{ "tried", "Trial", doctor_tried },
};

#define NSECTIONS (sizeof(doctor_sections) / sizeof(doctor_sections[0]))

static void
doctor_section(struct doctor *doc, const char *key, const char *title,
    const struct doctor_check *dc)
{
	size_t i = doc->do_nchecks;

	for (; dc->dc_name != NULL; dc++)
		dc->dc_fn(doc, dc);
	for (; i < doc->do_nchecks; i++) {
		doc->do_checks[i].ox_section = key;
		doc->do_checks[i].ox_title = title;
	}
}

static int
doctor_works(const struct trial *tr)
{
	int i, works = tr->tr_isopen;

	for (i = 0; i < TRIAL_NPROBES; i++)
		works &= tr->tr_probes[i].ol_works;
	return works;
}

static int
doctor_run(struct opts *opts)
{
	static struct doctor doc;
	struct out_doctor od = { .od_release = DT_RELEASE };
	struct out out;
	size_t i;
	int error;

	doctor_facts(&doc.do_facts);
	doc.do_trial = trial_run();
	doc.do_works = doctor_works(doc.do_trial);
	for (i = 0; i < NSECTIONS; i++)
		doctor_section(&doc, doctor_sections[i].key,
		    doctor_sections[i].title, doctor_sections[i].checks);
	od.od_works = doc.do_works;
	od.od_checks = doc.do_checks;
	od.od_nchecks = doc.do_nchecks;
	od.od_trials = doc.do_trial->tr_probes;
	od.od_ntrials = TRIAL_NPROBES;
	out_open(&out, opts, NULL);
	out_doctor(&out, &od);
	if ((error = out_close(&out)) != 0)
		errx(1, "output: %s", strerror(error));
	return doc.do_works ? 0 : 1;
}

static const struct opt doctor_opts[] = {
	OPT_ROW_VERBOSE("print the purpose of each check, too"),
	{ 'j', "json", NULL, "print JSON, one object", OPT_FLAG,
	    OPT(o_print.opi_json) },
	{ 0 },
};

const struct cmd cmd_doctor = {
	.cmd_name = "doctor",
	.cmd_args = "[-v] [-j]",
	.cmd_what = "report missing requirements and how to meet them",
	.cmd_run = doctor_run,
	.cmd_opts = doctor_opts,
	.cmd_examples = "  # check this machine\n"
			"  dt doctor\n"
			"  # print the purpose of each check, too\n"
			"  dt doctor -v\n"
			"  # print JSON, for programs\n"
			"  dt doctor -j\n",
};
