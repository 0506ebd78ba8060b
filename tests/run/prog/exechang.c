/* SPDX-License-Identifier: ISC */
/*
 * exechang [CONF]
 *
 * A process hangs in execve(2), because a file of it is on a FUSE file system
 * that does not reply.  It is the command of tprof; the service, with this line
 * of configuration, gives up in time and opens other counters.  DTIOCGETAUXBASE
 * of the process gets a reply.
 */
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <linux/fuse.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/run/prog/tprof.h"

#define LIMIT 5 /* s; ten times the service's wait, and a slow machine */

static char mnt[PROG_PATH + 16];

/*
 * The file system: a folder, and a file of any name
 */

static void
fuse_reply(int dev, const struct fuse_in_header *in, int error, const void *out,
    size_t len)
{
	char buf[256];
	struct fuse_out_header oh = { .len = sizeof(oh) + len,
		.error = error,
		.unique = in->unique };

	memcpy(buf, &oh, sizeof(oh));
	if (len > 0)
		memcpy(buf + sizeof(oh), out, len);
	(void)write(dev, buf, oh.len); /* fails if the process was killed */
}

static struct fuse_attr
fuse_attr_of(uint64_t node)
{
	return (struct fuse_attr){ .ino = node,
		.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0755,
		.nlink = 1 };
}

/* Replies, except to FLUSH, which the test waits for. */
static void
fuse_answer(int dev, const struct fuse_in_header *in, int sock)
{
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_write = 4096 };
	const struct fuse_entry_out entry = { .nodeid = 2,
		.entry_valid = 100,
		.attr_valid = 100,
		.attr = fuse_attr_of(2) };
	const struct fuse_attr_out attr = { .attr_valid = 100,
		.attr = fuse_attr_of(in->nodeid) };
	const struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		fuse_reply(dev, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		fuse_reply(dev, in, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		fuse_reply(dev, in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		fuse_reply(dev, in, 0, &opened, sizeof(opened));
		break;
	case FUSE_FLUSH:
		prog_tell(sock, 'f');
		break;
	case FUSE_FORGET:
		break;
	default:
		fuse_reply(dev, in, -ENOSYS, NULL, 0);
	}
}

static void
fuse_run(int sock, void *arg)
{
	static _Alignas(8) char buf[FUSE_MIN_READ_BUFFER + 4096];
	int dev = *(int *)arg;

	while (read(dev, buf, sizeof(buf)) > 0)
		fuse_answer(dev, (struct fuse_in_header *)buf, sock);
}

/*
 * Closes dev in the caller, so that the end of the server closes the file
 * system.
 */
static void
fuse_start(struct prog_child *server)
{
	char options[64];
	int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	snprintf(mnt, sizeof(mnt), "%s/mnt", dtd.pd_dir);
	snprintf(options, sizeof(options),
	    "fd=%d,rootmode=40000,user_id=0,group_id=0", dev);
	if (dev == -1 || mkdir(mnt, 0755) == -1 || unshare(CLONE_NEWNS) == -1 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
	    mount("test", mnt, "fuse", 0, options) == -1)
		err(1, "FUSE");
	prog_child_start(server, fuse_run, &dev);
	close(dev);
}

/*
 * The command
 */

static void
command_run(int sock, void *arg)
{
	char path[PROG_PATH + 32];

	(void)arg;
	snprintf(path, sizeof(path), "%s/file", mnt);
	if (open(path, O_RDONLY | O_CLOEXEC) == -1)
		err(1, "%s", path);
	prog_tell(sock, 'o');
	(void)prog_hear(sock);
	execl("/bin/true", "true", NULL);
	err(1, "true");
}

static void
command_start(struct dt *dt, struct prog_child *command)
{
	uint32_t pid;

	prog_child_start(command, command_run, NULL);
	if (prog_hear(command->pc_sock) != 'o')
		errx(1, "the command does not open its file");
	pid = command->pc_pid;
	want(dt, TPROF_IOC_SETCOMMAND, &pid, 0, "SETCOMMAND");
	prog_tell(command->pc_sock, 'x');
}

/*
 * Some kernels, for example 6.1, release the lock earlier and allow the open.
 */
static void
start_hung(struct dt *dt)
{
	uint32_t mask = 1;
	int error = dt_ioctl(dt, TPROF_IOC_START, &mask) == 0 ? 0 : errno;

	if (error == 0)
		stop(dt);
	else
		same(error, ETIMEDOUT, "START while it hangs");
	check(error == 0 || strstr(dt_error(dt), "too long") != NULL,
	    "START is answered");
}

int
main(int argc, char **argv)
{
	struct prog_child server, command;
	struct dtioc_getaux ga = { 0 };
	uint32_t mask = 1, none = 0;
	struct dt *dt, *other;
	int64_t since;

	prog_init("exechang", 2 * PROG_DEADLINE);
	prog_dtd_start(&dtd, argc > 1 ? argv[1] : NULL);
	dt = device_open();
	configure(dt, 0, PERF_COUNT_SW_PAGE_FAULTS, 1, ALL);
	fuse_start(&server);
	command_start(dt, &command);
	if (prog_hear(server.pc_sock) != 'f')
		errx(1, "the command does not hang");
	since = prog_now();
	other = prog_open(&dtd, 0);
	ga.dtga_pid = command.pc_pid;
	want(other, DTIOCGETAUXBASE, &ga, 0, "GETAUXBASE of it");
	dt_close(other);
	start_hung(dt);
	want(dt, TPROF_IOC_SETCOMMAND, &none, 0, "SETCOMMAND 0");
	want(dt, TPROF_IOC_START, &mask, 0, "START of all CPUs");
	check(prog_now() - since < LIMIT * INT64_C(1000000000), "in time");
	stop(dt);
	dt_close(dt);
	kill(server.pc_pid, SIGKILL);
	waitpid(server.pc_pid, NULL, 0);
	prog_child_end(&command);
	(void)umount2(mnt, MNT_DETACH);
	(void)rmdir(mnt);
	prog_dtd_stop(&dtd);
	return 0;
}
