/* SPDX-License-Identifier: ISC */
/*
 * Numbers of bytes: of system calls the list below states it for results, and
 * the type for arguments, also for fields of tracepoints.  Functions have types
 * with other meanings: the size_t of fread(3) is a number of elements, too.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/decode/nbytes.h"

/* Calls that return a number of bytes, in the order of strcmp(3). */
static const char *const nbytes_calls[] = {
	"copy_file_range",
	"fgetxattr",
	"flistxattr",
	"getcwd",
	"getdents",
	"getdents64",
	"getrandom",
	"getxattr",
	"getxattrat",
	"lgetxattr",
	"listxattr",
	"listxattrat",
	"llistxattr",
	"mq_timedreceive",
	"mq_timedreceive_time64",
	"msgrcv",
	"pread64",
	"preadv",
	"preadv2",
	"process_madvise",
	"process_vm_readv",
	"process_vm_writev",
	"pwrite64",
	"pwritev",
	"pwritev2",
	"read",
	"readlink",
	"readlinkat",
	"readv",
	"recv",
	"recvfrom",
	"recvmsg",
	"send",
	"sendfile",
	"sendfile64",
	"sendmsg",
	"sendto",
	"splice",
	"tee",
	"vmsplice",
	"write",
	"writev",
};

/* Arguments of other types: call and name. */
static const char *const nbytes_args[][2] = {
	{ "mmap", "len" },
	{ "mmap2", "len" },
	{ "mremap", "old_len" },
	{ "mremap", "new_len" },
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static int
nbytes_compare(const void *key, const void *entry)
{
	return strcmp(key, *(const char *const *)entry);
}

int
nbytes_ret(const struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;

	return (pi->dtpi_flags & DTPI_CALL) != 0 &&
	    bsearch(pi->dtpi_func, nbytes_calls, N(nbytes_calls),
		sizeof(nbytes_calls[0]), nbytes_compare) != NULL;
}

int
nbytes_arg(const struct probe *pr, unsigned int argn)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	const char *name = pr->pr_desc.pd_names[argn].dtan_name;
	const char *type = pr->pr_desc.pd_types[argn].dtai_argtype;
	size_t i;

	if ((pi->dtpi_flags & (DTPI_CALL | DTPI_FIELDS)) == 0)
		return 0;
	if (strcmp(type, "size_t") == 0 || strcmp(type, "compat_size_t") == 0)
		return strcmp(name, "vlen") != 0; /* of process_madvise(2) */
	for (i = 0; i < N(nbytes_args); i++)
		if (strcmp(pi->dtpi_func, nbytes_args[i][0]) == 0 &&
		    strcmp(name, nbytes_args[i][1]) == 0)
			return 1;
	return 0;
}
