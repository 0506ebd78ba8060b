/* SPDX-License-Identifier: ISC */
/* Explains why the kernel refuses programs, where the errno does not. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/kernel/load_error.h"

#define REFUSED_BTF	 "/sys/kernel/btf/vmlinux"
#define REFUSED_LOCKDOWN "/sys/kernel/security/lockdown"

/* lockdown=confidentiality forbids programs to read kernel memory. */
int
dt_is_locked_down(void)
{
	FILE *f = fopen(REFUSED_LOCKDOWN, "re");
	char line[128] = "";

	if (f == NULL)
		return 0;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	return strstr(line, "[confidentiality]") != NULL;
}

const char *
dt_refused(int error)
{
	if (access(REFUSED_BTF, R_OK) == -1)
		return "it does not report its types: there is no " REFUSED_BTF
		       " (CONFIG_DEBUG_INFO_BTF)";
	if (dt_is_locked_down())
		return "it is locked down (confidentiality)";
	return strerror(error);
}
