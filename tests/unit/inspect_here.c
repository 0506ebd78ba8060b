/* SPDX-License-Identifier: ISC */
/*
 * Inspectors for unit tests: operations run in the program itself, so a file
 * that hangs would hang the test.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemon/inspect/inspect.h"
#include "daemon/inspect/inspector.h"

static inspect_fn *const ops[INSPECT_NOPS] = {
	[INSPECT_PROC] = inspect_proc,
	[INSPECT_FIND] = inspect_find,
	[INSPECT_STAT] = inspect_stat_op,
	[INSPECT_OPEN] = inspect_open_op,
	[INSPECT_JITMAP] = inspect_jitmap,
	[INSPECT_READ] = inspect_read,
	[INSPECT_DEBUG] = inspect_debug,
};

static _Thread_local struct inspect_query *asked;

int
inspect_piece(const struct inspect_call *ic __attribute__((unused)),
    const void *piece, size_t len)
{
	asked->ia_piece(asked->ia_arg, piece, len);
	return 0;
}

int
inspect_next(struct inspect_call *ic, pid_t pid __attribute__((unused)),
    uid_t uid __attribute__((unused)), const void *piece, size_t len)
{
	return len > 0 ? inspect_piece(ic, piece, len) : 0;
}

int
inspect_isstuck(uint64_t key __attribute__((unused)))
{
	return 0;
}

/*
 * The operation closes the descriptors that it adds; those passed in stay the
 * caller's.
 */
int
inspect(struct inspect_query *ia)
{
	static _Thread_local _Alignas(8) uint8_t in[INSPECT_MAXMSG + 1];
	static _Thread_local _Alignas(8) uint8_t out[INSPECT_MAXMSG];
	struct inspect_call ic = { .icc_pid = ia->ia_pid,
		.icc_in = in,
		.icc_inlen = ia->ia_inlen,
		.icc_out = out,
		.icc_nfds = ia->ia_nfds };
	int error;

	if (ops[ia->ia_op] == NULL)
		return ENOSYS;
	asked = ia;
	if (ia->ia_inlen > 0)
		memcpy(in, ia->ia_in, ia->ia_inlen);
	in[ia->ia_inlen] = '\0';
	memcpy(ic.icc_fds, ia->ia_fds, sizeof(ic.icc_fds));
	error = ops[ia->ia_op](&ic);
	while (ic.icc_nfds > ia->ia_nfds)
		close(ic.icc_fds[--ic.icc_nfds]);
	ia->ia_outlen = ic.icc_outlen < ia->ia_outmax ? ic.icc_outlen
						      : ia->ia_outmax;
	if (ia->ia_outlen > 0)
		memcpy(ia->ia_out, out, ia->ia_outlen);
	memcpy(ia->ia_outfds, ic.icc_outfds, sizeof(ia->ia_outfds));
	ia->ia_noutfds = ic.icc_noutfds;
	return error;
}
