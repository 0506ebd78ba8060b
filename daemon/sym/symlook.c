/* SPDX-License-Identifier: ISC */
/* What /proc tells of a process, see symlook.h. */
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/symlook.h"
#include "sym/symproc_impl.h"
#include "sym/symroot.h"
#include "sym/symtab.h"

#define SYMLOOK_TEXT 4096 /* bytes; what we look for is in the first 500 */

struct look {
	uid_t lo_uid;
	uint8_t lo_nnums;
	struct symnum lo_nums[SYMTAB_LEVEL];
	struct symroot *lo_root;
};

/* The text of /proc/PID/status, or of nothing. */
static void
look_read(uint32_t pid, char *text, size_t size)
{
	char path[32];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) != -1) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
}

/* What stands behind a word at the beginning of a line. */
static const char *
look_word(const char *text, const char *word)
{
	const char *p = strstr(text, word);

	return p != NULL ? p + strlen(word) : NULL;
}

static void
look_numbers(struct look *lo, const char *p)
{
	unsigned long v;
	char *end;

	while (lo->lo_nnums < SYMTAB_LEVEL) {
		while (*p == '\t' || *p == ' ')
			p++;
		v = strtoul(p, &end, 10);
		if (end == p)
			return;
		lo->lo_nums[lo->lo_nnums++].nu_pid = v;
		p = end;
	}
}

/* Which namespaces these are: the own one, and its parents. */
static void
look_nsinums(struct look *lo, uint32_t pid)
{
	char path[32];
	struct stat sb;
	int i, fd, up;

	snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	for (i = lo->lo_nnums - 1; i >= 0 && fd != -1; i--) {
		if (fstat(fd, &sb) == 0)
			lo->lo_nums[i].nu_nsinum = sb.st_ino;
		up = i > 0 ? ioctl(fd, NS_GET_PARENT) : -1;
		close(fd);
		fd = up;
	}
	if (fd != -1)
		close(fd);
}

static int
look_ask(struct look *lo, uint32_t pid)
{
	char text[SYMLOOK_TEXT];
	const char *p;

	memset(lo, 0, sizeof(*lo));
	look_read(pid, text, sizeof(text));
	if ((p = look_word(text, "\nUid:")) == NULL)
		return 0;
	lo->lo_uid = strtoul(p, NULL, 10);
	if ((p = look_word(text, "\nNSpid:")) != NULL)
		look_numbers(lo, p);
	if (lo->lo_nnums > 1)
		look_nsinums(lo, pid);
	lo->lo_root = symroot_of(pid);
	return 1;
}

static void
look_enter(struct symproc *sp, struct look *lo)
{
	size_t nbytes = lo->lo_nnums * sizeof(lo->lo_nums[0]);

	sp->sp_uid = lo->lo_uid;
	if (sp->sp_nnums == 0 && lo->lo_nnums > 0 &&
	    (sp->sp_nums = malloc(nbytes)) != NULL) {
		memcpy(sp->sp_nums, lo->lo_nums, nbytes);
		sp->sp_nnums = lo->lo_nnums;
		symtab_charge(nbytes);
	}
	if (lo->lo_root != NULL) {
		symroot_put(sp->sp_root);
		sp->sp_root = lo->lo_root;
		lo->lo_root = NULL;
	}
}

/* Whether it lives, and has not been looked at. */
static int
look_isdue(uint32_t pid)
{
	struct symproc *sp;
	int isdue;

	symtab_lock();
	sp = symtab_find(pid, UINT64_MAX);
	isdue = sp != NULL && sp->sp_end == 0 && !sp->sp_waslooked;
	symtab_unlock();
	return isdue;
}

struct pids {
	uint32_t *pi_pids;
	size_t pi_n;
};

static int
pids_add(struct symproc *sp, void *arg)
{
	struct pids *pi = arg;
	uint32_t *pids;

	if (sp->sp_end != 0 || sp->sp_waslooked)
		return 0;
	if (pi->pi_n % 256 == 0) {
		pids = realloc(pi->pi_pids, (pi->pi_n + 256) * sizeof(*pids));
		if (pids == NULL)
			return 1;
		pi->pi_pids = pids;
	}
	pi->pi_pids[pi->pi_n++] = sp->sp_pid;
	return 0;
}

void
symproc_lookall(void)
{
	struct pids pi = { NULL, 0 };
	size_t i;

	symtab_lock();
	(void)symtab_each(pids_add, &pi);
	symtab_unlock();
	for (i = 0; i < pi.pi_n; i++)
		symlook(pi.pi_pids[i]);
	free(pi.pi_pids);
}

void
symlook(uint32_t pid)
{
	struct symproc *sp;
	struct look lo;

	if (!look_isdue(pid) || !look_ask(&lo, pid))
		return;
	symtab_lock();
	sp = symtab_find(pid, UINT64_MAX);
	if (sp != NULL && sp->sp_end == 0) {
		look_enter(sp, &lo);
		sp->sp_waslooked = 1;
	}
	symtab_unlock();
	symroot_put(lo.lo_root);
}
