/* SPDX-License-Identifier: ISC */
/* DTIOCGETAUXBASE: where a process has its ELF interpreter, by its auxv. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dt_softc.h"

#define AUXV_MAX 64 /* entries; Linux has about 20 */

int
dt_ioctl_get_auxbase(void *arg __attribute__((unused)), struct ioctl_call *ic)
{
	struct dtioc_getaux *out = ic->ic_out;
	Elf64_auxv_t auxv[AUXV_MAX];
	char path[64];
	ssize_t n;
	size_t i;
	int fd;

	memcpy(out, ic->ic_in, sizeof(*out));
	out->dtga_auxbase = 0;
	if (out->dtga_pid <= 0)
		return ESRCH;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)out->dtga_pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? ESRCH : errno;
	n = read(fd, auxv, sizeof(auxv));
	if (n == -1) {
		n = errno;
		close(fd);
		return n;
	}
	close(fd);
	for (i = 0; i < n / sizeof(auxv[0]); i++)
		if (auxv[i].a_type == AT_BASE)
			out->dtga_auxbase = auxv[i].a_un.a_val;
	ic->ic_outlen = sizeof(*out);
	return 0;
}
