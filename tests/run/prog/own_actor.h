/* SPDX-License-Identifier: ISC */
/*
 * Processes of all kinds that can run next to a user's own, for own.c.  Each
 * sets its credentials, executes this program again (which makes it dumpable,
 * unless the opposite is tested), and makes calls on request.  Its events are
 * known by its name.
 */
#ifndef OWN_ACTOR_H
#define OWN_ACTOR_H

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define USER	 65534 /* owner of the session */
#define OTHER	 65533
#define CALLS	 20

#define ACTOR_FD 3 /* of an actor that was executed */

/* Copies of this program that differ in owner and mode. */
enum copy {
	COPY_PLAIN,
	COPY_SETUID,	 /* of root */
	COPY_SETOTHER,	 /* of the other user */
	COPY_SETGID,	 /* of the other's group */
	COPY_UNREADABLE, /* not readable, only executable */
	NCOPY
};

static const struct {
	const char *name;
	uid_t uid;
	gid_t gid;
	mode_t mode;
} copies[NCOPY] = {
	[COPY_PLAIN] = { "plain", 0, 0, 0755 },
	[COPY_SETUID] = { "setuid", 0, 0, 04755 },
	[COPY_SETOTHER] = { "setother", OTHER, OTHER, 04755 },
	[COPY_SETGID] = { "setgid", 0, OTHER, 02755 },
	[COPY_UNREADABLE] = { "unreadable", 0, 0, 0711 },
};

static char copy_dir[PROG_PATH];

static char *
copy_path(enum copy which, char *path, size_t size)
{
	snprintf(path, size, "%.100s/%s", copy_dir, copies[which].name);
	return path;
}

static void
copies_make(const char *dir)
{
	char path[PROG_PATH + 16], cmd[PROG_PATH + 64];
	int i;

	snprintf(copy_dir, sizeof(copy_dir), "%s", dir);
	for (i = 0; i < NCOPY; i++) {
		snprintf(cmd, sizeof(cmd), "cp /proc/%d/exe %s", getpid(),
		    copy_path(i, path, sizeof(path)));
		if (system(cmd) != 0 ||
		    chown(path, copies[i].uid, copies[i].gid) == -1 ||
		    chmod(path, copies[i].mode) == -1)
			err(1, "%s", path);
	}
}

static void
copies_remove(void)
{
	char path[PROG_PATH + 16];
	int i;

	for (i = 0; i < NCOPY; i++)
		(void)unlink(copy_path(i, path, sizeof(path)));
}

static void
actor_calls(void)
{
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

static void actor_exec(int sock, enum copy, const char *name);
static void become(uid_t uid, gid_t gid);

/*
 * Sends "ready", then makes calls for each byte; some bytes also make it
 * execute or fork.
 */
static void
actor_serve(int sock, const char *name)
{
	char byte;

	prctl(PR_SET_NAME, name);
	prog_tell(sock, 'r');
	while ((byte = prog_hear(sock)) > 0) {
		actor_calls();
		if (byte == 'x') /* executes a program that is not the user's */
			actor_exec(sock, COPY_SETUID, "border-suid");
		if (byte == 'b') { /* returns to a program that is */
			become(USER, USER);
			actor_exec(sock, COPY_PLAIN, "border");
		}
		if (byte == 'f' && fork() == 0) {
			actor_calls();
			_exit(0);
		}
		while (wait(NULL) > 0)
			;
		prog_tell(sock, 'd');
	}
	_exit(0);
}

static void
actor_exec(int sock, enum copy which, const char *name)
{
	char path[PROG_PATH + 16];
	int fd = fcntl(sock, F_DUPFD, ACTOR_FD + 1);

	if (fd == -1 || dup2(fd, ACTOR_FD) == -1)
		err(1, "dup2");
	execl(copy_path(which, path, sizeof(path)), "own", "actor", name,
	    copy_dir, NULL);
	err(1, "%s", path);
}

static void
become(uid_t uid, gid_t gid)
{
	if (setgroups(0, NULL) == -1 || setresgid(gid, gid, gid) == -1 ||
	    setresuid(uid, uid, uid) == -1)
		err(1, "no way to become user %u", (unsigned)uid);
}

static void
write_file(pid_t pid, const char *file, const char *text)
{
	char path[64];
	int fd = open(prog_proc(path, sizeof(path), pid, file), O_WRONLY);

	if (fd == -1 || write(fd, text, strlen(text)) == -1)
		err(1, "%s", path);
	close(fd);
}

/*
 * The kinds, each a function that does not return.
 */

static void
as_user(int sock)
{
	become(USER, USER);
	actor_exec(sock, COPY_PLAIN, "user");
}

static void
as_border(int sock)
{
	become(USER, USER);
	actor_exec(sock, COPY_PLAIN, "border");
}

static void
as_root(int sock)
{
	actor_exec(sock, COPY_PLAIN, "root");
}

static void
as_other(int sock)
{
	become(OTHER, OTHER);
	actor_exec(sock, COPY_PLAIN, "other");
}

static void
as_group(int sock)
{
	become(USER, OTHER);
	actor_exec(sock, COPY_PLAIN, "group");
}

/* It was root, and keeps root's memory image. */
static void
as_changed(int sock)
{
	become(USER, USER);
	actor_serve(sock, "changed");
}

static void
as_setuid(int sock)
{
	become(USER, USER);
	actor_exec(sock, COPY_SETUID, "setuid");
}

/* A set-user-ID program that has dropped its privilege; see "give-up". */
static void
as_gaveup(int sock)
{
	become(USER, USER);
	actor_exec(sock, COPY_SETUID, "gaveup");
}

static void
as_setother(int sock)
{
	become(USER, USER);
	actor_exec(sock, COPY_SETOTHER, "setother");
}

static void
as_setgid(int sock)
{
	become(USER, USER);
	actor_exec(sock, COPY_SETGID, "setgid");
}

static void
as_unreadable(int sock)
{
	become(USER, USER);
	actor_exec(sock, COPY_UNREADABLE, "unreadable");
}

static void
as_undumpable(int sock)
{
	become(USER, USER);
	actor_exec(sock, COPY_PLAIN, "undumpable");
}

/* With a capability from root, which its programs keep. */
static void
as_capable(int sock)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct caps[2] = { 0 };

	if (setgroups(0, NULL) == -1 || setresgid(USER, USER, USER) == -1 ||
	    prctl(PR_SET_KEEPCAPS, 1) == -1 ||
	    setresuid(USER, USER, USER) == -1)
		err(1, "setresuid");
	caps[0].permitted = caps[0].effective = caps[0].inheritable = 1U
	    << CAP_NET_RAW;
	if (syscall(SYS_capset, &head, caps) == -1 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_RAW, 0, 0) ==
		-1)
		err(1, "capset");
	actor_exec(sock, COPY_PLAIN, "capable");
}

/* In the user's own user namespace, as its root. */
static void
as_nsroot(int sock)
{
	become(USER, USER);
	if (prctl(PR_SET_DUMPABLE, 1) == -1 || unshare(CLONE_NEWUSER) == -1)
		err(1, "unshare");
	write_file(getpid(), "setgroups", "deny");
	write_file(getpid(), "gid_map", "0 65534 1");
	write_file(getpid(), "uid_map", "0 65534 1");
	actor_exec(sock, COPY_PLAIN, "nsroot");
}

/* In the user's own user namespace, under the same number. */
static void
as_nsuser(int sock)
{
	become(USER, USER);
	if (prctl(PR_SET_DUMPABLE, 1) == -1 || unshare(CLONE_NEWUSER) == -1)
		err(1, "unshare");
	write_file(getpid(), "setgroups", "deny");
	write_file(getpid(), "gid_map", "65534 65534 1");
	write_file(getpid(), "uid_map", "65534 65534 1");
	actor_exec(sock, COPY_PLAIN, "nsuser");
}

/*
 * In a namespace that root created, like a container that maps the user's
 * number.
 */
static void
as_container(int sock)
{
	int go[2], status;
	char byte = 'g';
	pid_t pid;

	if (pipe(go) == -1 || (pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) { /* has the right to map users */
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		write_file(getppid(), "uid_map", "0 0 65536");
		write_file(getppid(), "gid_map", "0 0 65536");
		_exit(0);
	}
	if (unshare(CLONE_NEWUSER) == -1 || write(go[1], &byte, 1) != 1 ||
	    waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "no user namespace");
	become(USER, USER);
	actor_exec(sock, COPY_PLAIN, "container");
}

/* In a pid namespace, as its first process. */
static void
as_pidns(int sock)
{
	pid_t pid;
	int status;

	if (unshare(CLONE_NEWPID) == -1 || (pid = fork()) == -1)
		err(1, "unshare");
	if (pid == 0) {
		become(USER, USER);
		actor_exec(sock, COPY_PLAIN, "pidns");
	}
	close(sock);
	waitpid(pid, &status, 0);
	_exit(status != 0);
}

/* Runs a program of the table; executed programs begin here. */
static void
actor_main(const char *name)
{
	if (strcmp(name, "gaveup") == 0)
		become(USER, USER);
	if (strcmp(name, "undumpable") == 0)
		(void)prctl(PR_SET_DUMPABLE, 0);
	if (strstr(name, "suid") != NULL || strcmp(name, "setuid") == 0)
		if (geteuid() != 0)
			errx(1, "%s: programs cannot be set-user-ID here",
			    copy_dir);
	actor_serve(ACTOR_FD, name);
}

#endif /* OWN_ACTOR_H */
