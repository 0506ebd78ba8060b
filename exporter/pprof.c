/* SPDX-License-Identifier: ISC */
/*
 * Profiles of the machine.  A client is identified by its socket's
 * credentials, and must be root, this user, or a member of a configured group.
 * dt(1) makes the profile with the rights of this program.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exporter/pprof.h"
#include "exporter/spawn.h"

#define PPROF_SECONDS	 30 /* the default of other pprof servers */
#define PPROF_MAXSECONDS 300
#define PPROF_MAXRUNS	 2 /* simultaneous profiles */
#define PPROF_MAXBYTES	 (64 << 20)
#define PPROF_MAXGROUPS	 16
#define PPROF_PATH	 "/profile.pb.gz"

/* A run of dt(1) and the folder for its output. */
struct run {
	char folder[64];
	char file[80];
	char said[80]; /* file for its standard error */
	pid_t pid;
};

static gid_t groups[PPROF_MAXGROUPS];
static int ngroups;
static const char *program;
static const char *callgraph; /* NULL: the default of dt(1) */
static atomic_int nruns;

void
pprof_allow(const char *group)
{
	const struct group *gr = getgrnam(group);

	if (gr == NULL)
		errx(2, "%s: no such group", group);
	if (ngroups == PPROF_MAXGROUPS)
		errx(2, "%s: more than %d groups", group, PPROF_MAXGROUPS);
	groups[ngroups++] = gr->gr_gid;
}

void
pprof_start(const char *dt, const char *how)
{
	callgraph = how;
	program = dt != NULL ? dt : DT_LIBEXEC_DT;
	if (access(program, X_OK) == -1)
		err(1, "%s", program);
}

/* Access */

static int
is_allowed(gid_t gid)
{
	int i;

	for (i = 0; i < ngroups; i++)
		if (groups[i] == gid)
			return 1;
	return 0;
}

/* Checks the peer's user and groups, as of its connect(2). */
static int
peer_allowed(int sock)
{
	static const socklen_t max = 65536 * sizeof(gid_t);
	struct ucred uc;
	socklen_t len = sizeof(uc), i;
	gid_t *gids;
	int ok;

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &uc, &len) == -1)
		return 0;
	if (uc.uid == 0 || uc.uid == geteuid() || is_allowed(uc.gid))
		return 1;
	if ((gids = malloc(max)) == NULL)
		return 0;
	len = max;
	ok = getsockopt(sock, SOL_SOCKET, SO_PEERGROUPS, gids, &len) == 0;
	for (i = 0; ok == 1 && i < len / sizeof(gid_t); i++)
		if (is_allowed(gids[i]))
			ok = 2;
	free(gids);
	return ok == 2;
}

/* Runs */

static int
run_spawn(struct run *rn, char **argv)
{
	int fds[3] = { -1, -1, -1 }, error;

	fds[2] = open(rn->said, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fds[2] == -1)
		return errno;
	error = spawn_program(program, argv, fds, &rn->pid);
	close(fds[2]);
	return error;
}

static int
run_start(struct run *rn, unsigned int seconds)
{
	const char *tmp = getenv("TMPDIR");
	char duration[16];

	snprintf(rn->folder, sizeof(rn->folder), "%.40s/dt-pprof.XXXXXX",
	    tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(rn->folder) == NULL)
		return errno;
	snprintf(rn->file, sizeof(rn->file), "%s" PPROF_PATH, rn->folder);
	snprintf(rn->said, sizeof(rn->said), "%s/stderr", rn->folder);
	snprintf(duration, sizeof(duration), "%u", seconds);
	char *argv[] = { "dt", "profile", "-d", duration, "-o", rn->file, NULL,
		(char *)callgraph, NULL };

	if (callgraph != NULL)
		argv[6] = "--call-graph";
	return run_spawn(rn, argv);
}

/*
 * Waits for the exit of dt(1), and kills it if the client disconnects.  Returns
 * its status.
 */
static int
run_wait(const struct run *rn, int sock)
{
	struct pollfd pfds[2] = { { .events = POLLIN },
		{ .fd = sock, .events = POLLRDHUP } };
	int status;

	pfds[0].fd = syscall(SYS_pidfd_open, rn->pid, 0);
	while (pfds[0].fd != -1 && poll(pfds, 2, -1) >= 0 &&
	    pfds[0].revents == 0 && pfds[1].revents == 0)
		;
	if (pfds[0].fd == -1 || pfds[0].revents == 0)
		(void)kill(rn->pid, SIGKILL);
	if (pfds[0].fd != -1)
		close(pfds[0].fd);
	while (waitpid(rn->pid, &status, 0) == -1)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Reads a file of at most PPROF_MAXBYTES; NULL if that fails. */
static char *
slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	char *p = NULL;

	if (f == NULL)
		return NULL;
	if (fstat(fileno(f), &st) == 0 && st.st_size <= PPROF_MAXBYTES &&
	    (p = malloc(st.st_size + 1)) != NULL) {
		*len = fread(p, 1, st.st_size, f);
		p[*len] = '\0';
	}
	fclose(f);
	return p;
}

/* Sends the error message of dt(1). */
static void
run_failed(const struct run *rn, struct http_reply *hr)
{
	size_t len;
	char *said = slurp(rn->said, &len);

	http_error(hr, 503, "no profile: %s",
	    said != NULL && len != 0 ? said : "dt failed\n");
	free(said);
}

static void
run_clean(const struct run *rn)
{
	if (rn->folder[0] == '\0')
		return;
	(void)unlink(rn->file);
	(void)unlink(rn->said);
	(void)rmdir(rn->folder);
}

static void
run_profile(int sock, unsigned int seconds, struct http_reply *hr)
{
	struct run rn = { .pid = -1 };
	int error, status;

	if ((error = run_start(&rn, seconds)) != 0)
		http_error(hr, 503, "no profile: %s\n", strerror(error));
	else {
		status = run_wait(&rn, sock);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
		    (hr->hr_body = slurp(rn.file, &hr->hr_len)) != NULL) {
			hr->hr_type = "application/octet-stream";
			hr->hr_file = "profile";
		} else
			run_failed(&rn, hr);
	}
	run_clean(&rn);
}

void
pprof_page(struct MHD_Connection *mc, struct http_reply *hr)
{
	const char *value = http_query(mc, "seconds");
	long seconds = PPROF_SECONDS;
	char *end;

	if (!peer_allowed(http_socket(mc))) {
		http_error(hr, 403, "this user may not make profiles\n");
		return;
	}
	if (value != NULL) {
		seconds = strtol(value, &end, 10);
		if (*value == '\0' || *end != '\0' || seconds < 1 ||
		    seconds > PPROF_MAXSECONDS) {
			http_error(hr, 400, "seconds: must be from 1 to %d\n",
			    PPROF_MAXSECONDS);
			return;
		}
	}
	if (atomic_fetch_add(&nruns, 1) >= PPROF_MAXRUNS)
		http_error(hr, 503, "%d profiles are in progress already\n",
		    PPROF_MAXRUNS);
	else
		run_profile(http_socket(mc), seconds, hr);
	atomic_fetch_sub(&nruns, 1);
}
