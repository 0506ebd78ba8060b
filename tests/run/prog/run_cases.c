/* SPDX-License-Identifier: ISC */
/*
 * Runs the cases of .t files (run_case.h describes them): sets up a folder and,
 * if needed, a service, runs the steps, checks their results, and checks that
 * nothing is left behind.  A case that cannot run here is skipped with the
 * reason.
 *
 * This is C and not a shell script, because guests of tests/vm need 0.1 s for
 * an exec.  A run as root has its own mount namespace, in which /run/dt is the
 * folder of the case: dt(1) finds the case's service there, never the
 * machine's.
 */
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/run_case.h"
#include "tests/run/prog/run_check.h"
#include "tests/run/prog/run_clean.h"
#include "tests/run/prog/run_feature.h"
#include "tests/run/prog/run_peer.h"

#define RUN_SOCKETS "/run/dt" /* of DTDEVNAME */

enum verdict {
	PASS,
	FAIL,
	SKIP
};

static const char *const verdicts[] = { "PASS", "FAIL", "SKIP" };

static const char *label = "here";
static const char *filter;
static const char *again;  /* text of a result file, see -s */
static const char *failed; /* text of a result file, see -r */
static FILE *results;
static int coreonly, listonly, skipsonly, keep;
static int alone = -1;		  /* -a */
static unsigned int part, nparts; /* -p; 0 parts: all cases */
static char treedir[80];	  /* of run_reachable(), "" if none */
static unsigned int counts[3];

/*
 * Steps and checks
 */

static int
run_sh(struct run *r, const struct step *sp)
{
	int status, late;
	pid_t pid;

	if ((pid = fork()) == 0) {
		run_child(r);
		run_redirect(0, "/dev/null", O_RDONLY);
		run_redirect(1, ".stdout", O_WRONLY | O_CREAT | O_TRUNC);
		run_redirect(2, ".stderr", O_WRONLY | O_CREAT | O_TRUNC);
		execl("/bin/sh", "sh", "-c", sp->sp_text, (char *)NULL);
		err(127, "/bin/sh");
	}
	setpgid(pid, pid);
	late = run_wait(pid, run_deadline(r), &status) == -1;
	r->r_out = case_slurp(run_path(r, ".stdout"));
	r->r_err = case_slurp(run_path(r, ".stderr"));
	if (late)
		run_fail(r, "no end after %d s", r->r_case->tc_timeout * slow);
	else if (status != sp->sp_status)
		run_fail(r, "status %d, expected %d", status, sp->sp_status);
	return late || status != sp->sp_status ? -1 : 0;
}

static void
run_check(struct run *r, const struct check *ck)
{
	static const char *const names[] = {
		[CHECK_OUT] = "OUT",
		[CHECK_NOOUT] = "NOOUT",
		[CHECK_ERR] = "ERR",
		[CHECK_NOERR] = "NOERR",
		[CHECK_EXPECT] = "EXPECT",
	};
	int ok = 0;

	switch (ck->ck_kind) {
	case CHECK_OUT:
		ok = run_matches(ck->ck_text, r->r_out);
		break;
	case CHECK_NOOUT:
		ok = !run_matches(ck->ck_text, r->r_out);
		break;
	case CHECK_ERR:
		ok = run_matches(ck->ck_text, r->r_err);
		break;
	case CHECK_NOERR:
		ok = !run_matches(ck->ck_text, r->r_err);
		break;
	case CHECK_EXPECT:
		ok = run_words(ck->ck_text, r->r_out);
		break;
	}
	if (!ok)
		run_fail(r, "not so: %s %s", names[ck->ck_kind], ck->ck_text);
}

/* Returns whether the case continues. */
static int
run_step(struct run *r, const struct step *sp)
{
	unsigned int i;
	int before = r->r_failed, ok;

	if (sp->sp_kind == STEP_STOP) {
		run_service_end(r);
		return !r->r_failed;
	}
	ok = sp->sp_kind == STEP_ASK ? run_ask(r, sp) : run_sh(r, sp);
	for (i = 0; i < sp->sp_nchecks && ok == 0; i++)
		run_check(r, &sp->sp_checks[i]);
	if (r->r_failed && !before) {
		printf("    in: %s\n", sp->sp_text);
		run_excerpt("stdout", r->r_out);
		run_excerpt("stderr", r->r_err);
		run_reason(*r->r_err != '\0' ? r->r_err : r->r_out);
	}
	free(r->r_out);
	free(r->r_err);
	r->r_out = r->r_err = NULL;
	return !r->r_failed;
}

/*
 * A case
 */

static int
run_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Makes a temporary folder that every user can search. */
static void
run_mkdtemp(char *dir, size_t size, const char *name)
{
	const char *tmp = getenv("TMPDIR");

	/* short: the path of a socket has 107 characters */
	snprintf(dir, size, "%s/%s-XXXXXX",
	    tmp != NULL && strlen(tmp) < 60 ? tmp : "/tmp", name);
	if (mkdtemp(dir) == NULL || chmod(dir, 0755) == -1)
		err(1, "%s", dir);
}

static void
run_begin(struct run *r)
{
	int kind;

	run_mkdtemp(r->r_dir, sizeof(r->r_dir), "dt-run");
	if (mkdir(run_path(r, "run"), 0755) == -1)
		err(1, "%s", r->r_dir);
	fclose(fopen(run_path(r, "ask.err"), "we"));
	if (feature_has_mounts &&
	    mount(run_path(r, "run"), RUN_SOCKETS, NULL, MS_BIND, NULL) == -1)
		err(1, RUN_SOCKETS);
	setenv("T", r->r_dir, 1);
	unsetenv("ASK_DIR");
	if (r->r_case->tc_service != NULL)
		setenv("ASK_DIR", run_path(r, "run"), 1);
	for (kind = 0; kind < CLEAN_NKINDS; kind++)
		r->r_ids[kind] = clean_last(kind);
	r->r_askin = r->r_askout = -1;
}

static void
run_end(struct run *r)
{
	char text[128];
	pid_t pid;

	run_ask_end(r);
	run_service_end(r);
	if (clean_processes(RUN_LEFTOVERS * slow * 1000, &pid, text,
		sizeof(text)) == -1)
		run_fail(r, "process %d (%s) is left", (int)pid, text);
	if (geteuid() == 0 &&
	    clean_objects(r->r_ids, RUN_LEFTOVERS * slow * 1000, text,
		sizeof(text)) == -1)
		run_fail(r, "%s", text);
	if (feature_has_mounts)
		umount2(RUN_SOCKETS, MNT_DETACH);
	if (!keep || !r->r_failed)
		nftw(r->r_dir, run_unlink, 16, FTW_DEPTH | FTW_PHYS);
	else
		printf("    kept: %s\n", r->r_dir);
}

static int
run_case(const struct testcase *tc)
{
	struct run *r = calloc(1, sizeof(*r));
	unsigned int i;
	int failed;

	if (r == NULL)
		err(1, NULL);
	r->r_case = tc;
	run_begin(r);
	if (tc->tc_service != NULL)
		run_service(r);
	for (i = 0; i < tc->tc_nsteps && !r->r_failed; i++)
		if (!run_step(r, &tc->tc_steps[i]))
			break;
	run_end(r);
	failed = r->r_failed;
	free(r);
	return failed;
}

/* Returns whether an earlier result file has this case with this verdict. */
static int
run_was(const char *text, const char *file, const char *name, enum verdict v)
{
	char *key;
	int found;

	if (text == NULL)
		return 0;
	if (asprintf(&key, "\t%s\t%s\t%s\t", file, name, verdicts[v]) == -1)
		err(1, NULL);
	found = strstr(text, key) != NULL;
	free(key);
	return found;
}

/*
 * Returns whether a case belongs to the part of -p, by a hash (FNV-1a) of its
 * name.
 */
static int
run_is_in_part(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return nparts == 0 || (hash >> 16) % nparts == part - 1;
}

/*
 * A CORE case that was skipped elsewhere runs in each part: it may need what only
 * one of the kernels has.
 */
static int
run_is_for_guest(const char *file, const struct testcase *tc)
{
	int skipped = run_was(again, file, tc->tc_name, SKIP);

	if (!tc->tc_core && !skipped)
		return 0;
	return (tc->tc_core && skipped) || run_is_in_part(tc->tc_name);
}

static int
run_is_wanted(const char *file, const struct testcase *tc)
{
	char *name;
	int wanted;

	if (coreonly && !run_is_for_guest(file, tc))
		return 0;
	if (alone != -1 && alone != tc->tc_alone)
		return 0;
	if (failed != NULL && !run_was(failed, file, tc->tc_name, FAIL))
		return 0;
	if (filter == NULL)
		return 1;
	if (asprintf(&name, "%s: %s", file, tc->tc_name) == -1)
		err(1, NULL);
	wanted = fnmatch(filter, name, 0) == 0 || strstr(name, filter) != NULL;
	free(name);
	return wanted;
}

static enum verdict
run_verdict(const struct testcase *tc, const char **why)
{
	if ((*why = feature_missing(tc->tc_needs)) != NULL)
		return SKIP;
	if (skipsonly)
		return PASS;
	if (!run_case(tc))
		return PASS;
	*why = reason;
	return FAIL;
}

static int64_t
run_msecs(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/*
 * Reports a case that passed or was skipped; a failed case has printed itself.
 */
static void
run_tell(const struct testcase *tc, enum verdict v, const char *why,
    int64_t msecs)
{
	counts[v]++;
	if (v != FAIL)
		printf("%s %s: %s%s%s\n", verdicts[v], current, tc->tc_name,
		    why != NULL ? ": " : "", why != NULL ? why : "");
	fflush(stdout);
	if (results == NULL)
		return;
	fprintf(results, "%s\t%s\t%s\t%s\t%s\t%lld\n", label, current,
	    tc->tc_name, verdicts[v], why != NULL ? why : "", (long long)msecs);
	fflush(results);
}

static void
run_file(const char *path)
{
	struct testfile tf;
	const struct testcase *tc;
	const char *slash = strrchr(path, '/'), *why;
	enum verdict v;
	unsigned int i;
	int64_t start;

	case_read(&tf, path);
	current = slash != NULL ? slash + 1 : path;
	for (i = 0; i < tf.tf_ncases; i++) {
		tc = &tf.tf_cases[i];
		if (!run_is_wanted(current, tc))
			continue;
		if (listonly) {
			printf("%s\t%s\n", current, tc->tc_name);
			continue;
		}
		start = run_msecs();
		v = run_verdict(tc, &why);
		if (skipsonly && v != SKIP)
			continue;
		run_tell(tc, v, why, run_msecs() - start);
	}
	case_free(&tf);
}

/*
 * Makes our own mount namespace, with a folder for the case's sockets, and with
 * tracefs, which is not mounted on a machine without systemd.
 */
static void
run_mounts(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) == -1 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		return;
	if (mkdir(RUN_SOCKETS, 0755) == -1 && errno != EEXIST)
		return;
	/* without tracefs in the kernel, cases that need it are skipped */
	if (access("/sys/kernel/tracing/events", F_OK) == -1)
		(void)mount("tracefs", "/sys/kernel/tracing", "tracefs", 0,
		    NULL);
	feature_has_mounts = 1;
}

/*
 * Returns a path by which every user can reach the folder dir.  Cases execute
 * programs as other users, who may not search a clone's parent folder of mode
 * 0700 (/root).  Without a mount namespace the path is dir itself: then no case
 * changes its user.
 */
static char *
run_reachable(const char *dir, const char *name)
{
	char *path;

	if (!feature_has_mounts)
		return strdup(dir);
	if (*treedir == '\0')
		run_mkdtemp(treedir, sizeof(treedir), "dt-tree");
	if (asprintf(&path, "%s/%s", treedir, name) == -1)
		err(1, NULL);
	if (mkdir(path, 0755) == -1 ||
	    mount(dir, path, NULL, MS_BIND | MS_REC, NULL) == -1)
		err(1, "mounting %s at %s", dir, path);
	return path;
}

/* Removes the folder of run_reachable(). */
static void
run_unreachable(void)
{
	static const char *const names[] = { "build", "tree" };
	char path[sizeof(treedir) + 8];

	for (size_t i = 0; i < 2 && *treedir != '\0'; i++) {
		snprintf(path, sizeof(path), "%s/%s", treedir, names[i]);
		if (umount2(path, MNT_DETACH) == -1 || rmdir(path) == -1)
			err(1, "%s", path);
	}
	if (*treedir != '\0' && rmdir(treedir) == -1)
		err(1, "%s", treedir);
}

static void
run_env(const char *argv0)
{
	char exe[PATH_MAX], dtd[PATH_MAX + 8], *build, *cwd, *path, *top;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		err(1, "%s", argv0);
	exe[n] = '\0';
	/* build/tests/run_cases */
	build = run_reachable(dirname(dirname(exe)), "build");
	if (asprintf(&path, "%s:%s/tests:%s", build, build, getenv("PATH")) ==
	    -1)
		err(1, NULL);
	setenv("PATH", path, 1);
	free(path);
	snprintf(dtd, sizeof(dtd), "%s/dtd", build);
	setenv("DT_DTD", dtd, 0);
	if ((cwd = getcwd(NULL, 0)) == NULL)
		err(1, "getcwd");
	top = run_reachable(cwd, "tree");
	setenv("S", top, 1);
	/* dt looks for share next to build, which is elsewhere here */
	if (asprintf(&path, "%s/share/dt/tools", top) == -1)
		err(1, NULL);
	setenv("DT_TOOLS", path, 1);
	free(path);
	free(top);
	free(cwd);
	setenv("B", build, 1);
	free(build);
	setenv("LC_ALL", "C", 1);
	setenv("TERM", "dumb", 1);
	unsetenv("NO_COLOR");
}

static void __attribute__((noreturn)) run_usage(void)
{
	fprintf(stderr,
	    "usage: run_cases [-CKln] [-a 0|1] [-k label] [-o results] "
	    "[-f filter] [-r results] [-s results] [-p n/parts] [-x factor] "
	    "file.t ...\n"
	    "  -C  only CORE cases, and with -s those that were skipped\n"
	    "  -K  keep the folder of a case that failed\n"
	    "  -l  only list the cases: file, name\n"
	    "  -n  run nothing, report what would be skipped\n"
	    "  -a  only cases that run beside others (0), or alone (1)\n"
	    "  -k  name of this kernel, in the results\n"
	    "  -o  append to this file: label, file, case, verdict, reason, "
	    "ms\n"
	    "  -f  only cases whose 'file: name' has this, or matches it\n"
	    "  -r  only cases that failed in these results\n"
	    "  -s  results of an earlier run elsewhere\n"
	    "  -p  with -C: only part n of so many, and CORE cases of -s\n"
	    "  -x  all limits of time are so many times longer\n");
	exit(2);
}

int
main(int argc, char **argv)
{
	int ch;

	while ((ch = getopt(argc, argv, "CKlna:k:o:f:p:r:s:x:")) != -1) {
		switch (ch) {
		case 'C':
			coreonly = 1;
			break;
		case 'K':
			keep = 1;
			break;
		case 'l':
			listonly = 1;
			break;
		case 'n':
			skipsonly = 1;
			break;
		case 'a':
			alone = atoi(optarg) != 0;
			break;
		case 'p':
			if (sscanf(optarg, "%u/%u", &part, &nparts) != 2 ||
			    part < 1 || part > nparts)
				run_usage();
			break;
		case 'k':
			label = optarg;
			break;
		case 'o':
			if ((results = fopen(optarg, "ae")) == NULL)
				err(1, "%s", optarg);
			break;
		case 'f':
			filter = optarg;
			break;
		case 'r':
			failed = case_slurp(optarg);
			break;
		case 's':
			again = case_slurp(optarg);
			break;
		case 'x':
			slow = atoi(optarg) > 0 ? atoi(optarg) : 1;
			setenv("SLOW", optarg, 1); /* for bounds of cases */
			break;
		default:
			run_usage();
		}
	}
	if (optind == argc)
		run_usage();
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!listonly)
		run_mounts();
	run_env(argv[0]);
	for (; optind < argc; optind++)
		run_file(argv[optind]);
	run_unreachable();
	if (!listonly)
		printf("%u passed, %u failed, %u skipped\n", counts[PASS],
		    counts[FAIL], counts[SKIP]);
	return counts[FAIL] > 0;
}
