/* SPDX-License-Identifier: ISC */
/* Opens and reads files of tracefs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/kernel/tracefs.h"

#define TRACEFS_SUPER 0x74726163 /* linux/magic.h: TRACEFS_MAGIC */
#define TRACEFS_STEP  16384	 /* bytes that a buffer grows by */

static const char *const tracefs_dirs[] = { "/sys/kernel/tracing",
	"/sys/kernel/debug/tracing" };

static pthread_mutex_t tracefs_mtx = PTHREAD_MUTEX_INITIALIZER;
static int tracefs_fd = -1; /* root of tracefs; by tracefs_mtx */

/* Opens a folder if it is the root of a tracefs, not an empty mount point. */
static int
tracefs_open(const char *dir, int *fdp)
{
	struct statfs sf;
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return errno;
	if (fstatfs(fd, &sf) == -1 || sf.f_type != TRACEFS_SUPER) {
		close(fd);
		return ENODEV;
	}
	*fdp = fd;
	return 0;
}

/* Mounts tracefs in no namespace; closing the descriptor unmounts it. */
static int
tracefs_mount(int *fdp)
{
	int fs = syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), fd, error;

	if (fs == -1)
		return errno;
	fd = -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
		    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC |
			MOUNT_ATTR_NODEV);
	error = errno;
	close(fs);
	if (fd == -1)
		return error;
	log_debug("tracefs is mounted for dtd alone");
	*fdp = fd;
	return 0;
}

/* Finds tracefs once.  Tries again after a failure: it may be mounted later. */
static int
tracefs_root(int *fdp)
{
	size_t i;
	int error = 0;

	pthread_mutex_lock(&tracefs_mtx);
	for (i = 0; i < sizeof(tracefs_dirs) / sizeof(tracefs_dirs[0]) &&
	     tracefs_fd == -1;
	     i++)
		error = tracefs_open(tracefs_dirs[i], &tracefs_fd);
	if (tracefs_fd == -1)
		error = tracefs_mount(&tracefs_fd);
	*fdp = tracefs_fd;
	pthread_mutex_unlock(&tracefs_mtx);
	return *fdp == -1 ? error : 0;
}

/* Reads a whole file; files of the kernel report no length. */
static int
tracefs_slurp(int fd, char **textp, size_t *lenp)
{
	size_t have = 0, size = 0;
	char *text = NULL, *p;
	ssize_t n;

	do {
		if (size - have < TRACEFS_STEP / 2) {
			size += size + TRACEFS_STEP;
			if ((p = realloc(text, size + 1)) == NULL) {
				free(text);
				return ENOMEM;
			}
			text = p;
		}
		if ((n = read(fd, text + have, size - have)) == -1) {
			n = errno;
			free(text);
			return n;
		}
		have += n;
	} while (n > 0);
	text[have] = '\0';
	*textp = text;
	*lenp = have;
	return 0;
}

int
tracefs_read(const char *path, char **textp, size_t *lenp)
{
	int root, fd, error;

	if ((error = tracefs_root(&root)) != 0)
		return error;
	if ((fd = openat(root, path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno;
	error = tracefs_slurp(fd, textp, lenp);
	close(fd);
	return error;
}

void
tracefs_early(void)
{
	int root;

	(void)tracefs_root(&root);
}
