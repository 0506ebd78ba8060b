/* SPDX-License-Identifier: ISC */
/*
 * For tests and fuzzers of the client: the probe of a system call, described as
 * the daemon does.  Links with daemon/kernel/syscalls.o.
 */
#ifndef TEST_PROBE_SYSCALL_H
#define TEST_PROBE_SYSCALL_H

#include <string.h>

#include "cli/sym/name_cache.h"
#include "daemon/kernel/syscalls.h"

/* name: entry or return.  Returns NULL if there is no such call here. */
static inline const struct probe *
probe_syscall(struct name_cache *names, enum syscall_abi abi, const char *call,
    const char *name)
{
	int nr = syscall_lookup(abi, call), isreturn = name[0] == 'r';
	const struct syscall_desc *sd;
	struct dt_probe_desc pd = { 0 };
	unsigned int i;

	if (nr == -1)
		return NULL;
	sd = syscall_desc(abi, nr);
	/* one per machine that may have made the recording */
	pd.pd_info.dtpi_pbn = 1 +
	    ((names->nm_machine * 10000 + nr) * SYSCALL_NABI + abi) * 2 +
	    isreturn;
	pd.pd_info.dtpi_nargs = isreturn ? 0 : sd->nargs;
	strcpy(pd.pd_info.dtpi_prov,
	    abi == SYSCALL_ABI_64 ? "syscall" : "syscall32");
	pd.pd_info.dtpi_flags = DTPI_CALL |
	    (abi == SYSCALL_ABI_64 ? 0 : DTPI_COMPAT);
	strcpy(pd.pd_info.dtpi_func, call);
	strcpy(pd.pd_info.dtpi_name, name);
	for (i = 0; i < pd.pd_info.dtpi_nargs; i++) {
		strcpy(pd.pd_types[i].dtai_argtype, sd->args[i].type);
		strcpy(pd.pd_names[i].dtan_name, sd->args[i].name);
		pd.pd_names[i].dtan_flags = sd->args[i].is_path ? DTAN_PATH : 0;
	}
	name_cache_add_probe(names, &pd);
	return name_cache_probe(names, pd.pd_info.dtpi_pbn);
}

#endif /* TEST_PROBE_SYSCALL_H */
