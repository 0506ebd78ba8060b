/* SPDX-License-Identifier: ISC */
/* Writes the vdso to a memory file. */
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/kernel/vdso.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int fd = -1;

/* Copies up to the section headers, which linkers put at the end. */
static void
copy(void)
{
	const ElfW(Ehdr) *eh = (const void *)getauxval(AT_SYSINFO_EHDR);
	ssize_t size;

	if (eh == NULL)
		return;
	size = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;
	if ((fd = memfd_create("vdso", MFD_CLOEXEC)) == -1)
		return;
	if (write(fd, eh, size) != size) {
		close(fd);
		fd = -1;
	}
}

int
vdso_fd(void)
{
	(void)pthread_once(&once, copy);
	return fd;
}
