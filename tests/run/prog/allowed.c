/* SPDX-License-Identifier: ISC */
/*
 * allowed
 *
 * Rights: for each right, each command of dt and kcov, each provider, and each
 * way of enabling kcov is EPERM or not as a table here states; tprof, which has
 * one right for all commands, likewise.  The commands are those of the daemon's
 * own tables, which are linked into this program: a new command without a row
 * here is a failure.  A second table assigns rights to clients: by user, by
 * group, by supplementary groups, in user namespaces.
 *
 * A command is sent without its payload: EPERM comes before the check of the
 * length, so no command is carried out.
 */
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <sys/kcov.h>

#include "daemon/device/cdevsw.h"
#include "tests/run/prog/raw.h"

#define R_LIST	(RIGHT_LIST)
#define R_STATS (RIGHT_STATS | RIGHT_LIST)
#define R_PROF	(RIGHT_PROFILE | RIGHT_LIST)
#define R_OWN	(RIGHT_TRACE_OWN | RIGHT_LIST)
#define R_ALL	(RIGHT_ALL & ~RIGHT_ADMIN)
#define R_ADMIN RIGHT_ALL

/* One user per right, in this order; each letter in a cell is for one user. */
#define NRIGHTS	   6
#define FIRST_USER 61000
#define GROUP	   61100 /* gets STATS from the configuration */
#define GROUPS	   61101 /* gets PROFILE and TRACE_OWN */

static const char conf[] = "trace-own-despite-lsm = yes\n"
			   "allow = list to user 61000\n"
			   "allow = stats to user 61001\n"
			   "allow = profile to user 61002\n"
			   "allow = trace-own to user 61003\n"
			   "allow = trace-all to user 61004\n"
			   "allow = admin to user 61005\n"
			   "allow = stats to user 61006\n"
			   "allow = profile to user 61006\n"
			   "allow = stats to group 61100\n"
			   "allow = profile, trace-own to group 61101\n";

static const char *const right_names[NRIGHTS] = { "list", "stats", "profile",
	"trace-own", "trace-all", "admin" };

/* y: allowed, -: EPERM; list, stats, profile, trace-own, trace-all, admin */
struct command {
	uint32_t cmd;
	const char *name, *may;
};

static const struct command commands[] = {
	{ DTIOCGPLIST, "DTIOCGPLIST", "yyyyyy" },
	{ DTIOCGSTATS, "DTIOCGSTATS", "yyyyyy" },
	{ DTIOCGSTATS_V1, "DTIOCGSTATS_V1", "yyyyyy" },
	{ DTIOCRECORD, "DTIOCRECORD", "--yyyy" },
	{ DTIOCPRBENABLE, "DTIOCPRBENABLE", "--yyyy" },
	{ DTIOCPRBENABLE_V1, "DTIOCPRBENABLE_V1", "--yyyy" },
	{ DTIOCPRBDISABLE, "DTIOCPRBDISABLE", "--yyyy" },
	{ DTIOCPRBDISABLE_V1, "DTIOCPRBDISABLE_V1", "--yyyy" },
	{ DTIOCGARGS, "DTIOCGARGS", "yyyyyy" },
	{ DTIOCGETAUXBASE, "DTIOCGETAUXBASE", "----yy" },
	{ DTIOCSELF, "DTIOCSELF", "yyyyyy" },
	{ DTIOCLOOKUP, "DTIOCLOOKUP", "yyyyyy" },
	{ DTIOCSFILTER, "DTIOCSFILTER", "yyyyyy" },
	{ DTIOCSBUDGET, "DTIOCSBUDGET", "yyyyyy" },
	{ DTIOCSMAXBUDGET, "DTIOCSMAXBUDGET", "yyyyyy" },
	{ DTIOCGFULLSTAT, "DTIOCGFULLSTAT", "yyyyyy" },
	{ DTIOCGPROVS, "DTIOCGPROVS", "yyyyyy" },
	{ DTIOCSYM, "DTIOCSYM", "--yyyy" },
	{ DTIOCGARGNAMES, "DTIOCGARGNAMES", "yyyyyy" },
	{ DTIOCNOLIMIT, "DTIOCNOLIMIT", "-----y" },
	{ DTIOCSPATH, "DTIOCSPATH", "yyyyyy" },
	{ DTIOCSCONDITION, "DTIOCSCONDITION", "--yyyy" },
	{ DTIOCSPAIR, "DTIOCSPAIR", "--yyyy" },
	{ DTIOCSAGG, "DTIOCSAGG", "--yyyy" },
	{ DTIOCSREADS, "DTIOCSREADS", "----yy" },
	{ DTIOCAGGSNAP, "DTIOCAGGSNAP", "--yyyy" },
	{ DTIOCGAGG, "DTIOCGAGG", "--yyyy" },
	{ DTIOCGMAPS, "DTIOCGMAPS", "--yyyy" },
	{ DTIOCSYMFILE, "DTIOCSYMFILE", "-----y" },
	{ DTIOCFILE, "DTIOCFILE", "---yyy" },
	{ DTIOCGSTACK, "DTIOCGSTACK", "--yyyy" },
	{ DTIOCGPENDING, "DTIOCGPENDING", "--yyyy" },
	{ DTIOCPASS, "DTIOCPASS", "--yyyy" },
	{ DTIOCTHREADS, "DTIOCTHREADS", "----yy" },
	{ DTIOCGTHREADS, "DTIOCGTHREADS", "----yy" },
	{ DTIOCGSTALL, "DTIOCGSTALL", "-y--yy" },
	{ DTIOCGSUMS, "DTIOCGSUMS", "-y--yy" },
	{ DTIOCRDVNODE, "DTIOCRDVNODE", "----yy" },
	{ DTIOCGKSYMS, "DTIOCGKSYMS", "--y-yy" },
	{ DTIOCGADDR, "DTIOCGADDR", "----yy" },
};

/* The daemon has no row for MMAP: without memory there is nothing to map. */
static const struct command kcov_commands[] = {
	{ KIOSETBUFSIZE, "KIOSETBUFSIZE", "yyyyyy" },
	{ KIOENABLE, "KIOENABLE", "yyyyyy" },
	{ KIODISABLE, "KIODISABLE", "yyyyyy" },
	{ KIOREMOTEATTACH, "KIOREMOTEATTACH", "yyyyyy" },
	{ KIOENABLETHREAD, "KIOENABLETHREAD", "yyyyyy" },
	{ KIOSETFUNCS, "KIOSETFUNCS", "----yy" },
	{ KIOGETPRICE, "KIOGETPRICE", "----yy" },
	{ KIOGETSTAT, "KIOGETSTAT", "yyyyyy" },
	{ KIONOLIMIT, "KIONOLIMIT", "-----y" },
};

/* The modes of enabling: KIOENABLE checks the right itself. */
static const struct {
	int mode;
	const char *name, *may;
} kcov_modes[] = {
	{ KCOV_MODE_TRACE_PC, "kcov of the kernel", "----yy" },
	{ KCOV_MODE_TRACE_PC | KCOV_MODE_USER, "kcov of a program", "yyyyyy" },
	{ KCOV_MODE_TRACE_CMP | KCOV_MODE_USER, "kcov of its comparisons",
	    "yyyyyy" },
};

static const struct {
	const char *probe, *may;
} probes[] = {
	{ "syscall:getpid:entry", "---yyy" },
	{ "syscall32:getpid:entry", "---yyy" },
	{ "profile:hz:97", "--yyyy" },
	{ "interval:hz:1", "--yyyy" },
	{ "tracepoint:sched:sched_switch", "----yy" },
	{ "rawtracepoint:*sched_switch*", "----yy" },
	{ "kprobe:vfs_read:entry", "----yy" },
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))
#define NKCOV	  (sizeof(kcov_commands) / sizeof(kcov_commands[0]))
#define NMODES	  (sizeof(kcov_modes) / sizeof(kcov_modes[0]))
#define NPROBES	  (sizeof(probes) / sizeof(probes[0]))

/* tprof requires PROFILE to open, and has no command for other users. */
static const char tprof_may[] = "--y-yy";

extern const struct cdevsw dt_cdevsw, tprof_cdevsw, kcov_cdevsw;

static struct prog_dtd dtd;
static unsigned int ncells, nbad;

/* Symbols that the daemon links from main.c; they are never called. */
void
dev_opened(void)
{
}

void
dev_closed(void)
{
}

static void
cell(const char *what, const char *who, int got, int want)
{
	ncells++;
	if (got == want)
		return;
	nbad++;
	printf("%s, %s: %#x, expected %#x\n", what, who, got, want);
}

static void
become(uid_t uid, gid_t gid, const gid_t *gids, size_t n)
{
	if (setgroups(n, gids) == -1 || setresgid(gid, gid, gid) == -1 ||
	    setresuid(uid, uid, uid) == -1 || prctl(PR_SET_DUMPABLE, 1) == -1)
		err(1, "no way to become user %u", (unsigned)uid);
}

static void
commands_try(const char *path, const struct command *c, size_t n, int right)
{
	struct raw rw = { .rw_sock = -1, .rw_data = -1 };
	int error;

	if ((error = raw_open(&rw, path)) != 0)
		errx(1, "open of %s: %s", path, strerror(error));
	for (; n > 0; n--, c++) {
		error = raw_call(&rw, c->cmd, NULL, 0);
		cell(c->name, right_names[right], error == EPERM,
		    c->may[right] == '-');
	}
	raw_close(&rw);
}

/* Enables each provider's probe; skips providers missing here. */
static void
probes_try(int right)
{
	struct dt *dt = prog_open(&dtd, 0);
	struct dtioc_req rq = { .dtrq_nsecs = 1000000000 };
	struct dtioc_probe_info *info;
	size_t i;
	int error;

	for (i = 0; i < NPROBES; i++) {
		if (dt_lookup(dt, probes[i].probe, &info) < 1)
			continue;
		rq.dtrq_pbn = info[0].dtpi_pbn;
		free(info);
		error = dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1 ? errno : 0;
		cell(probes[i].probe, right_names[right], error == EPERM,
		    probes[i].may[right] == '-');
	}
	dt_close(dt);
}

/* Every user may allocate memory and map it. */
static void
kcov_memory(struct dt *dt, int right)
{
	unsigned long nentries = 64;
	int fd;

	cell("memory of kcov", right_names[right],
	    dt_ioctl(dt, KIOSETBUFSIZE, &nentries), 0);
	cell("mmap of kcov", right_names[right],
	    (fd = dt_mmap_fd(dt, NULL)) != -1, 1);
	if (fd != -1)
		close(fd);
}

static void
kcov_try(int right)
{
	struct kio_funcs kf = { "vfs_mkdir" };
	char path[PROG_PATH + 16];
	struct dt *dt;
	int error, mode;
	size_t i;

	snprintf(path, sizeof(path), "%s/kcov", dtd.pd_dir);
	commands_try(path, kcov_commands, NKCOV, right);
	if ((dt = dt_open(path, DT_OPEN_SERVICE)) == NULL)
		errx(1, "kcov: %s", dt_error(NULL));
	kcov_memory(dt, right);
	(void)dt_ioctl(dt, KIOSETFUNCS, &kf); /* attached at once */
	for (i = 0; i < NMODES; i++) {
		mode = kcov_modes[i].mode;
		error = dt_ioctl(dt, KIOENABLE, &mode) == -1 ? errno : 0;
		cell(kcov_modes[i].name, right_names[right], error == EPERM,
		    kcov_modes[i].may[right] == '-');
		if (error == 0)
			(void)dt_ioctl(dt, KIODISABLE, NULL);
	}
	dt_close(dt);
}

struct tprof_open {
	char path[PROG_PATH + 16];
	struct raw raw;
	int error;
};

/* tprof has one session at a time, and a close takes a moment. */
static int
tprof_opened(void *arg)
{
	struct tprof_open *to = arg;

	to->error = raw_open(&to->raw, to->path);
	if (to->error != 0)
		raw_close(&to->raw);
	return to->error != EBUSY;
}

static void
tprof_try(int right)
{
	struct tprof_open to = { .raw = { .rw_sock = -1, .rw_data = -1 } };
	const struct ioctl_desc *id = tprof_cdevsw.d_ioctls;
	char name[32];
	size_t i;

	snprintf(to.path, sizeof(to.path), "%s/tprof", dtd.pd_dir);
	prog_wait(tprof_opened, &to, "the end of the last open of tprof");
	cell("open of tprof", right_names[right], to.error == EPERM,
	    tprof_may[right] == '-');
	if (to.error != 0)
		return;
	for (i = 0; i < tprof_cdevsw.d_nioctls; i++) {
		snprintf(name, sizeof(name), "command %#x of tprof",
		    id[i].id_cmd);
		cell(name, "the table", id[i].id_rights, RIGHT_PROFILE);
		cell(name, right_names[right],
		    raw_call(&to.raw, id[i].id_cmd, NULL, 0) == EPERM, 0);
	}
	raw_close(&to.raw);
}

static void
rights_check(const char *who, unsigned int want)
{
	struct dt *dt = prog_open(&dtd, 0);

	cell("rights", who, dt_rights(dt), want);
	dt_close(dt);
}

/* The rights that a client gets; each row is a separate process. */

static void
who_root(void)
{
	rights_check("root", R_ADMIN);
}

static void
who_nobody(void)
{
	become(61999, 61999, NULL, 0);
	rights_check("somebody else", R_LIST);
}

static void
who_two(void)
{
	become(61006, 61006, NULL, 0);
	rights_check("a user of two lines", R_STATS | R_PROF);
}

static void
who_group(void)
{
	become(61999, GROUP, NULL, 0);
	rights_check("a group", R_STATS);
}

static void
who_groups(void)
{
	const gid_t gids[] = { 5, GROUP, 6, GROUPS };

	become(61999, 61999, gids, 4);
	rights_check("groups", R_STATS | R_PROF | R_OWN);
}

/* With different real and effective ids, ownership is ambiguous. */
static void
who_mixed(void)
{
	if (setresuid(61999, 61003, 61003) == -1 ||
	    prctl(PR_SET_DUMPABLE, 1) == -1)
		err(1, "setresuid");
	rights_check("who is two users", R_LIST);
}

static void
who_undumpable(void)
{
	become(61003, 61003, NULL, 0);
	if (prctl(PR_SET_DUMPABLE, 0) == -1)
		err(1, "prctl");
	/*
	 * This also hides the client's namespaces unless the daemon may read
	 * them.
	 */
	rights_check("who is not dumpable", R_LIST);
}

static void
map_write(const char *file, const char *text)
{
	char path[64];
	int fd = open(prog_proc(path, sizeof(path), getpid(), file), O_WRONLY);

	if (fd == -1 || write(fd, text, strlen(text)) == -1)
		err(1, "%s", path);
	close(fd);
}

static void
who_nsroot(void)
{
	if (unshare(CLONE_NEWUSER) == -1)
		err(1, "unshare");
	map_write("uid_map", "0 0 1");
	rights_check("root of a user namespace", R_LIST);
}

static void
who_nsuser(void)
{
	become(61005, 61005, NULL, 0);
	if (unshare(CLONE_NEWUSER) == -1)
		err(1, "unshare");
	map_write("uid_map", "61005 61005 1");
	rights_check("a user in a user namespace", R_LIST);
}

static void (*const whos[])(void) = { who_root, who_nobody, who_two, who_group,
	who_groups, who_mixed, who_undumpable, who_nsroot, who_nsuser };

#define NWHOS (sizeof(whos) / sizeof(whos[0]))

/* Runs one case: a right, or a row of whos after the rights. */
static void
user_run(int sock __attribute__((unused)), void *arg)
{
	unsigned int n = *(unsigned int *)arg;

	if (n < NRIGHTS) {
		become(FIRST_USER + n, FIRST_USER + n, NULL, 0);
		commands_try(dtd.pd_sock, commands, NCOMMANDS, n);
		probes_try(n);
		kcov_try(n);
		tprof_try(n);
	} else
		whos[n - NRIGHTS]();
	printf("%u cells\n", ncells);
	if (nbad != 0)
		errx(1, "%u cells differ", nbad);
}

/* Compares the rows of the device with the table, in both directions. */
static void
table_check(const struct cdevsw *dev, const struct command *c, size_t n)
{
	size_t i, j;

	for (i = 0; i < dev->d_nioctls; i++) {
		for (j = 0; j < n; j++)
			if (c[j].cmd == dev->d_ioctls[i].id_cmd)
				break;
		if (j == n)
			errx(1, "command %#x of %s is in no table",
			    dev->d_ioctls[i].id_cmd, dev->d_name);
	}
	if (dev->d_nioctls != n)
		errx(1, "a command in the table of %s is none", dev->d_name);
}

int
main(int argc, char **argv __attribute__((unused)))
{
	struct prog_child user;
	unsigned int i;

	if (argc != 1)
		errx(2, "usage: allowed");
	prog_init("allowed", PROG_DEADLINE);
	table_check(&dt_cdevsw, commands, NCOMMANDS);
	table_check(&kcov_cdevsw, kcov_commands, NKCOV);
	prog_dtd_start(&dtd, conf);
	for (i = 0; i < NRIGHTS + NWHOS; i++) {
		prog_child_start(&user, user_run, &i);
		prog_child_end(&user);
	}
	prog_dtd_stop(&dtd);
	printf("allowed: as the tables say\n");
	return 0;
}
