/* SPDX-License-Identifier: ISC */
/* System V IPC: shared memory, semaphores, messages. */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "cli/decode/flag_names.h"
#include "ipc_names.h"

#ifndef SHM_HUGE_SHIFT
#define SHM_HUGE_SHIFT 26
#define SHM_HUGE_MASK  0x3f
#endif
#define IPC_64 0x100 /* newer structs, on some architectures */

/* IPC_CREAT|0600 */
static void
ipc_get_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	uint64_t rest, huge = 0;
	int any = 0;

	(void)ac;
	(void)argn;
	if (ak->ak_table == &shmget_names) {
		huge = v >> SHM_HUGE_SHIFT & SHM_HUGE_MASK;
		v &= ~((uint64_t)SHM_HUGE_MASK << SHM_HUGE_SHIFT);
	}
	rest = arg_put_bits(b, ak->ak_table, v & ~UINT64_C(0777), &any);
	arg_put_rest(b, rest, any);
	if (huge != 0) {
		if (any || rest != 0)
			buf_c(b, '|');
		buf_u64(b, huge);
		buf_str(b, "<<SHM_HUGE_SHIFT");
	}
	if (any || rest != 0 || huge != 0)
		buf_c(b, '|');
	arg_put_oct(b, v & 0777, 3);
}

static void
ipc_key_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	if (v == IPC_PRIVATE)
		buf_str(b, "IPC_PRIVATE");
	else
		buf_hex(b, v);
}

static void
ipc_cmd_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	if (v & IPC_64)
		buf_str(b, "IPC_64|");
	arg_put_enum(b, ak->ak_table, v & ~(uint64_t)IPC_64);
}

static const struct arg_row ipc_rows[] = {
	{ "shmget semget msgget", "key", NULL, ARG_FUNC(ipc_key_text) },
	{ "shmget", "shmflg", NULL, ARG_KIND(ipc_get_text, &shmget_names) },
	{ "semget", "semflg", NULL, ARG_KIND(ipc_get_text, &get_names) },
	{ "msgget", "msgflg", NULL, ARG_KIND(ipc_get_text, &get_names) },
	{ "shmat", "shmflg", NULL, ARG_FLAGS(shmat_names) },
	{ "msgsnd msgrcv", "msgflg", NULL, ARG_FLAGS(msg_names) },
	{ "shmctl", "cmd", NULL, ARG_KIND(ipc_cmd_text, &shmctl_names) },
	{ "semctl", "cmd", NULL, ARG_KIND(ipc_cmd_text, &semctl_names) },
	{ "semctl", "arg", NULL, ARG_FUNC(arg_ptr_text) },
	{ "msgctl", "cmd", NULL, ARG_KIND(ipc_cmd_text, &msgctl_names) },
};

const struct arg_table arg_table_ipc = ARG_TABLE(ipc_rows);
