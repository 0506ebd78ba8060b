/* SPDX-License-Identifier: ISC */
/* System V IPC: shared memory, semaphores, messages. */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "cli/decode/flag_names.h"

#ifndef SHM_HUGE_SHIFT
#define SHM_HUGE_SHIFT 26
#define SHM_HUGE_MASK  0x3f
#endif
#define IPC_64 0x100 /* newer structs, on some architectures */

static const struct arg_name get_list[] = { ARG_BIT(IPC_CREAT),
	ARG_BIT(IPC_EXCL), ARG_BIT(IPC_NOWAIT) };
static const struct arg_names get_names = ARG_NAMES(get_list);

static const struct arg_name shmget_list[] = { ARG_BIT(IPC_CREAT),
	ARG_BIT(IPC_EXCL), ARG_BIT(SHM_HUGETLB), ARG_BIT(SHM_NORESERVE) };
static const struct arg_names shmget_names = ARG_NAMES(shmget_list);

static const struct arg_name shmat_list[] = { ARG_BIT(SHM_RDONLY),
	ARG_BIT(SHM_RND), ARG_BIT(SHM_REMAP), ARG_BIT(SHM_EXEC) };
static const struct arg_names shmat_names = ARG_NAMES(shmat_list);

static const struct arg_name msg_list[] = { ARG_BIT(MSG_NOERROR),
	ARG_BIT(MSG_EXCEPT), ARG_BIT(MSG_COPY), ARG_BIT(IPC_NOWAIT) };
static const struct arg_names msg_names = ARG_NAMES(msg_list);

static const struct arg_name shmctl_list[] = { ARG_IS(IPC_RMID),
	ARG_IS(IPC_SET), ARG_IS(IPC_STAT), ARG_IS(IPC_INFO), ARG_IS(SHM_LOCK),
	ARG_IS(SHM_UNLOCK), ARG_IS(SHM_STAT), ARG_IS(SHM_INFO),
	ARG_IS(SHM_STAT_ANY) };
static const struct arg_names shmctl_names = ARG_NAMES(shmctl_list);

static const struct arg_name semctl_list[] = { ARG_IS(IPC_RMID),
	ARG_IS(IPC_SET), ARG_IS(IPC_STAT), ARG_IS(IPC_INFO), ARG_IS(GETPID),
	ARG_IS(GETVAL), ARG_IS(GETALL), ARG_IS(GETNCNT), ARG_IS(GETZCNT),
	ARG_IS(SETVAL), ARG_IS(SETALL), ARG_IS(SEM_STAT), ARG_IS(SEM_INFO),
	ARG_IS(SEM_STAT_ANY) };
static const struct arg_names semctl_names = ARG_NAMES(semctl_list);

static const struct arg_name msgctl_list[] = { ARG_IS(IPC_RMID),
	ARG_IS(IPC_SET), ARG_IS(IPC_STAT), ARG_IS(IPC_INFO), ARG_IS(MSG_STAT),
	ARG_IS(MSG_INFO), ARG_IS(MSG_STAT_ANY) };
static const struct arg_names msgctl_names = ARG_NAMES(msgctl_list);

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
