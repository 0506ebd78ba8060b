/* SPDX-License-Identifier: ISC */
/*
 * Calls about the kernel itself: modules, kexec, reboot, its log, BPF, perf,
 * seccomp, io_uring, landlock, random numbers.
 */
#include <fcntl.h>

#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/kexec.h>
#include <linux/landlock.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <linux/seccomp.h>

#include "cli/decode/flag_names.h"

#ifndef KEXEC_UPDATE_ELFCOREHDR
#define KEXEC_UPDATE_ELFCOREHDR 0x00000004 /* Linux 6.6 */
#endif
#ifndef KEXEC_FILE_DEBUG
#define KEXEC_FILE_DEBUG 0x00000008 /* Linux 6.8 */
#endif
#ifndef LANDLOCK_CREATE_RULESET_ERRATA
#define LANDLOCK_CREATE_RULESET_ERRATA (1U << 1) /* Linux 6.15 */
#endif

static const struct arg_name module_list[] = {
	ARG_BIT(MODULE_INIT_IGNORE_MODVERSIONS),
	ARG_BIT(MODULE_INIT_IGNORE_VERMAGIC),
	ARG_BIT(MODULE_INIT_COMPRESSED_FILE)
};
static const struct arg_names module_names = ARG_NAMES(module_list);

static const struct arg_name delmodule_list[] = { ARG_BIT(O_NONBLOCK),
	ARG_BIT(O_TRUNC) };
static const struct arg_names delmodule_names = ARG_NAMES(delmodule_list);

static const struct arg_name kexec_list[] = {
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_DEFAULT, "KEXEC_ARCH_DEFAULT"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_386, "KEXEC_ARCH_386"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_68K, "KEXEC_ARCH_68K"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_PARISC, "KEXEC_ARCH_PARISC"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_X86_64, "KEXEC_ARCH_X86_64"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_PPC, "KEXEC_ARCH_PPC"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_PPC64, "KEXEC_ARCH_PPC64"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_IA_64, "KEXEC_ARCH_IA_64"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_ARM, "KEXEC_ARCH_ARM"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_S390, "KEXEC_ARCH_S390"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_SH, "KEXEC_ARCH_SH"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_MIPS_LE, "KEXEC_ARCH_MIPS_LE"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_MIPS, "KEXEC_ARCH_MIPS"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_AARCH64, "KEXEC_ARCH_AARCH64"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_RISCV, "KEXEC_ARCH_RISCV"),
	ARG_NAME(KEXEC_ARCH_MASK, KEXEC_ARCH_LOONGARCH, "KEXEC_ARCH_LOONGARCH"),
	ARG_NAME(KEXEC_ON_CRASH, KEXEC_ON_CRASH, "KEXEC_ON_CRASH"),
	ARG_NAME(KEXEC_PRESERVE_CONTEXT, KEXEC_PRESERVE_CONTEXT,
	    "KEXEC_PRESERVE_CONTEXT"),
	ARG_NAME(KEXEC_UPDATE_ELFCOREHDR, KEXEC_UPDATE_ELFCOREHDR,
	    "KEXEC_UPDATE_ELFCOREHDR")
};
static const struct arg_names kexec_names = ARG_NAMES(kexec_list);

static const struct arg_name kexecfile_list[] = { ARG_BIT(KEXEC_FILE_UNLOAD),
	ARG_BIT(KEXEC_FILE_ON_CRASH), ARG_BIT(KEXEC_FILE_NO_INITRAMFS),
	ARG_BIT(KEXEC_FILE_DEBUG) };
static const struct arg_names kexecfile_names = ARG_NAMES(kexecfile_list);

static const struct arg_name magic_list[] = { ARG_IS(LINUX_REBOOT_MAGIC1),
	ARG_IS(LINUX_REBOOT_MAGIC2), ARG_IS(LINUX_REBOOT_MAGIC2A),
	ARG_IS(LINUX_REBOOT_MAGIC2B), ARG_IS(LINUX_REBOOT_MAGIC2C) };
static const struct arg_names magic_names = ARG_NAMES(magic_list);

static const struct arg_name reboot_list[] = { ARG_IS(LINUX_REBOOT_CMD_RESTART),
	ARG_IS(LINUX_REBOOT_CMD_HALT), ARG_IS(LINUX_REBOOT_CMD_CAD_ON),
	ARG_IS(LINUX_REBOOT_CMD_CAD_OFF), ARG_IS(LINUX_REBOOT_CMD_POWER_OFF),
	ARG_IS(LINUX_REBOOT_CMD_RESTART2), ARG_IS(LINUX_REBOOT_CMD_SW_SUSPEND),
	ARG_IS(LINUX_REBOOT_CMD_KEXEC) };
static const struct arg_names reboot_names = ARG_NAMES(reboot_list);

static const struct arg_name syslog_list[] = { ARG_NAME(0, 0,
						   "SYSLOG_ACTION_CLOSE"),
	ARG_NAME(0, 1, "SYSLOG_ACTION_OPEN"),
	ARG_NAME(0, 2, "SYSLOG_ACTION_READ"),
	ARG_NAME(0, 3, "SYSLOG_ACTION_READ_ALL"),
	ARG_NAME(0, 4, "SYSLOG_ACTION_READ_CLEAR"),
	ARG_NAME(0, 5, "SYSLOG_ACTION_CLEAR"),
	ARG_NAME(0, 6, "SYSLOG_ACTION_CONSOLE_OFF"),
	ARG_NAME(0, 7, "SYSLOG_ACTION_CONSOLE_ON"),
	ARG_NAME(0, 8, "SYSLOG_ACTION_CONSOLE_LEVEL"),
	ARG_NAME(0, 9, "SYSLOG_ACTION_SIZE_UNREAD"),
	ARG_NAME(0, 10, "SYSLOG_ACTION_SIZE_BUFFER") };
static const struct arg_names syslog_names = ARG_NAMES(syslog_list);

/* The last entry is from Linux 6.9. */
static const struct arg_name bpf_list[] = { ARG_IS(BPF_MAP_CREATE),
	ARG_IS(BPF_MAP_LOOKUP_ELEM), ARG_IS(BPF_MAP_UPDATE_ELEM),
	ARG_IS(BPF_MAP_DELETE_ELEM), ARG_IS(BPF_MAP_GET_NEXT_KEY),
	ARG_IS(BPF_PROG_LOAD), ARG_IS(BPF_OBJ_PIN), ARG_IS(BPF_OBJ_GET),
	ARG_IS(BPF_PROG_ATTACH), ARG_IS(BPF_PROG_DETACH),
	ARG_IS(BPF_PROG_TEST_RUN), ARG_IS(BPF_PROG_GET_NEXT_ID),
	ARG_IS(BPF_MAP_GET_NEXT_ID), ARG_IS(BPF_PROG_GET_FD_BY_ID),
	ARG_IS(BPF_MAP_GET_FD_BY_ID), ARG_IS(BPF_OBJ_GET_INFO_BY_FD),
	ARG_IS(BPF_PROG_QUERY), ARG_IS(BPF_RAW_TRACEPOINT_OPEN),
	ARG_IS(BPF_BTF_LOAD), ARG_IS(BPF_BTF_GET_FD_BY_ID),
	ARG_IS(BPF_TASK_FD_QUERY), ARG_IS(BPF_MAP_LOOKUP_AND_DELETE_ELEM),
	ARG_IS(BPF_MAP_FREEZE), ARG_IS(BPF_BTF_GET_NEXT_ID),
	ARG_IS(BPF_MAP_LOOKUP_BATCH), ARG_IS(BPF_MAP_LOOKUP_AND_DELETE_BATCH),
	ARG_IS(BPF_MAP_UPDATE_BATCH), ARG_IS(BPF_MAP_DELETE_BATCH),
	ARG_IS(BPF_LINK_CREATE), ARG_IS(BPF_LINK_UPDATE),
	ARG_IS(BPF_LINK_GET_FD_BY_ID), ARG_IS(BPF_LINK_GET_NEXT_ID),
	ARG_IS(BPF_ENABLE_STATS), ARG_IS(BPF_ITER_CREATE),
	ARG_IS(BPF_LINK_DETACH), ARG_IS(BPF_PROG_BIND_MAP),
	ARG_NAME(0, 36, "BPF_TOKEN_CREATE") };
static const struct arg_names bpf_names = ARG_NAMES(bpf_list);

static const struct arg_name perf_list[] = { ARG_BIT(PERF_FLAG_FD_NO_GROUP),
	ARG_BIT(PERF_FLAG_FD_OUTPUT), ARG_BIT(PERF_FLAG_PID_CGROUP),
	ARG_BIT(PERF_FLAG_FD_CLOEXEC) };
static const struct arg_names perf_names = ARG_NAMES(perf_list);

static const struct arg_name seccomp_list[] = { ARG_IS(SECCOMP_SET_MODE_STRICT),
	ARG_IS(SECCOMP_SET_MODE_FILTER), ARG_IS(SECCOMP_GET_ACTION_AVAIL),
	ARG_IS(SECCOMP_GET_NOTIF_SIZES) };
static const struct arg_names seccomp_names = ARG_NAMES(seccomp_list);

static const struct arg_name filter_list[] = {
	ARG_BIT(SECCOMP_FILTER_FLAG_TSYNC), ARG_BIT(SECCOMP_FILTER_FLAG_LOG),
	ARG_BIT(SECCOMP_FILTER_FLAG_SPEC_ALLOW),
	ARG_BIT(SECCOMP_FILTER_FLAG_NEW_LISTENER),
	ARG_BIT(SECCOMP_FILTER_FLAG_TSYNC_ESRCH),
	ARG_BIT(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
};
static const struct arg_names filter_names = ARG_NAMES(filter_list);

static const struct arg_name grnd_list[] = { ARG_BIT(GRND_NONBLOCK),
	ARG_BIT(GRND_RANDOM), ARG_BIT(GRND_INSECURE) };
static const struct arg_names grnd_names = ARG_NAMES(grnd_list);

static const struct arg_name enter_list[] = { ARG_BIT(IORING_ENTER_GETEVENTS),
	ARG_BIT(IORING_ENTER_SQ_WAKEUP), ARG_BIT(IORING_ENTER_SQ_WAIT),
	ARG_BIT(IORING_ENTER_EXT_ARG), ARG_BIT(IORING_ENTER_REGISTERED_RING),
	ARG_NAME(0x20, 0x20, "IORING_ENTER_ABS_TIMER"),
	ARG_NAME(0x40, 0x40, "IORING_ENTER_EXT_ARG_REG") };
static const struct arg_names enter_names = ARG_NAMES(enter_list);

/* Entries from 26 on are from Linux 6.8 to 6.15. */
static const struct arg_name uring_list[] = { ARG_IS(IORING_REGISTER_BUFFERS),
	ARG_IS(IORING_UNREGISTER_BUFFERS), ARG_IS(IORING_REGISTER_FILES),
	ARG_IS(IORING_UNREGISTER_FILES), ARG_IS(IORING_REGISTER_EVENTFD),
	ARG_IS(IORING_UNREGISTER_EVENTFD), ARG_IS(IORING_REGISTER_FILES_UPDATE),
	ARG_IS(IORING_REGISTER_EVENTFD_ASYNC), ARG_IS(IORING_REGISTER_PROBE),
	ARG_IS(IORING_REGISTER_PERSONALITY),
	ARG_IS(IORING_UNREGISTER_PERSONALITY),
	ARG_IS(IORING_REGISTER_RESTRICTIONS),
	ARG_IS(IORING_REGISTER_ENABLE_RINGS), ARG_IS(IORING_REGISTER_FILES2),
	ARG_IS(IORING_REGISTER_FILES_UPDATE2), ARG_IS(IORING_REGISTER_BUFFERS2),
	ARG_IS(IORING_REGISTER_BUFFERS_UPDATE),
	ARG_IS(IORING_REGISTER_IOWQ_AFF), ARG_IS(IORING_UNREGISTER_IOWQ_AFF),
	ARG_IS(IORING_REGISTER_IOWQ_MAX_WORKERS),
	ARG_IS(IORING_REGISTER_RING_FDS), ARG_IS(IORING_UNREGISTER_RING_FDS),
	ARG_IS(IORING_REGISTER_PBUF_RING), ARG_IS(IORING_UNREGISTER_PBUF_RING),
	ARG_IS(IORING_REGISTER_SYNC_CANCEL),
	ARG_IS(IORING_REGISTER_FILE_ALLOC_RANGE),
	ARG_NAME(0, 26, "IORING_REGISTER_PBUF_STATUS"),
	ARG_NAME(0, 27, "IORING_REGISTER_NAPI"),
	ARG_NAME(0, 28, "IORING_UNREGISTER_NAPI"),
	ARG_NAME(0, 29, "IORING_REGISTER_CLOCK"),
	ARG_NAME(0, 30, "IORING_REGISTER_CLONE_BUFFERS"),
	ARG_NAME(0, 31, "IORING_REGISTER_SEND_MSG_RING"),
	ARG_NAME(0, 32, "IORING_REGISTER_ZCRX_IFQ"),
	ARG_NAME(0, 33, "IORING_REGISTER_RESIZE_RINGS"),
	ARG_NAME(0, 34, "IORING_REGISTER_MEM_REGION") };
static const struct arg_names uring_names = ARG_NAMES(uring_list);

static const struct arg_name landlock_list[] = {
	ARG_BIT(LANDLOCK_CREATE_RULESET_VERSION),
	ARG_BIT(LANDLOCK_CREATE_RULESET_ERRATA)
};
static const struct arg_names landlock_names = ARG_NAMES(landlock_list);

/* The second entry is from Linux 6.7. */
static const struct arg_name rule_list[] = { ARG_IS(LANDLOCK_RULE_PATH_BENEATH),
	ARG_NAME(0, 2, "LANDLOCK_RULE_NET_PORT") };
static const struct arg_names rule_names = ARG_NAMES(rule_list);

/* From Linux 6.15. */
static const struct arg_name restrict_list[] = {
	ARG_NAME(0x1, 0x1, "LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF"),
	ARG_NAME(0x2, 0x2, "LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON"),
	ARG_NAME(0x4, 0x4, "LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF")
};
static const struct arg_names restrict_names = ARG_NAMES(restrict_list);

/* IORING_REGISTER_USE_REGISTERED_RING|IORING_REGISTER_BUFFERS */
static void
kernel_uring_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const uint64_t registered = 1U << 31; /* Linux 6.3 */

	(void)ac;
	(void)argn;
	(void)ak;
	if (v & registered)
		buf_str(b, "IORING_REGISTER_USE_REGISTERED_RING|");
	arg_put_enum(b, &uring_names, v & ~registered);
}

/* Only commands that read have a buffer, and only one has a level. */
static int
syslog_shown(const struct arg_call *ac, unsigned int argn)
{
	uint64_t type = arg_value(ac, 0);

	return argn == 0 || (type >= 2 && type <= 4) || type == 8 || type > 10;
}

/* Only one command has a text. */
static int
reboot_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn != 3 ||
	    arg_value(ac, 2) == (uint32_t)LINUX_REBOOT_CMD_RESTART2;
}

/* Formats the result of a command of bpf(2). */
static void
kernel_bpfret_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	static const uint64_t fds = 1ULL << BPF_MAP_CREATE |
	    1ULL << BPF_PROG_LOAD | 1ULL << BPF_OBJ_GET |
	    1ULL << BPF_PROG_GET_FD_BY_ID | 1ULL << BPF_MAP_GET_FD_BY_ID |
	    1ULL << BPF_RAW_TRACEPOINT_OPEN | 1ULL << BPF_BTF_LOAD |
	    1ULL << BPF_BTF_GET_FD_BY_ID | 1ULL << BPF_LINK_CREATE |
	    1ULL << BPF_LINK_GET_FD_BY_ID | 1ULL << BPF_ENABLE_STATS |
	    1ULL << BPF_ITER_CREATE;
	uint64_t cmd = arg_value(ac, 0);

	(void)argn;
	(void)ak;
	if (ac->ac_entry != NULL && cmd < 64 && (fds >> cmd & 1) != 0)
		arg_put_fd(b, ac, (int32_t)v);
	else
		buf_s64(b, (int64_t)v);
}

static const struct arg_row kernel_rows[] = {
	{ "finit_module", "flags", NULL, ARG_FLAGS(module_names) },
	{ "delete_module", "flags", NULL, ARG_FLAGS(delmodule_names) },
	{ "kexec_load", "flags", NULL, ARG_FLAGS(kexec_names) },
	{ "kexec_file_load", "flags", NULL, ARG_FLAGS(kexecfile_names) },
	{ "reboot", "magic1", NULL, ARG_ENUM(magic_names) },
	{ "reboot", "magic2", NULL, ARG_ENUM(magic_names) },
	{ "reboot", "cmd", NULL, ARG_ENUM(reboot_names) },
	{ "syslog", "type", NULL, ARG_ENUM(syslog_names) },
	{ "bpf", "cmd", NULL, ARG_ENUM(bpf_names) },
	{ "bpf", "=", NULL, ARG_FUNC(kernel_bpfret_text) },
	{ "perf_event_open", "flags", NULL, ARG_FLAGS(perf_names) },
	{ "seccomp", "op", NULL, ARG_ENUM(seccomp_names) },
	{ "seccomp", "flags", NULL, ARG_FLAGS(filter_names) },
	{ "getrandom", "flags", NULL, ARG_FLAGS(grnd_names) },
	{ "io_uring_enter", "flags", NULL, ARG_FLAGS(enter_names) },
	{ "io_uring_register", "opcode", NULL, ARG_FUNC(kernel_uring_text) },
	{ "landlock_create_ruleset", "flags", NULL, ARG_FLAGS(landlock_names) },
	{ "landlock_add_rule", "rule_type", NULL, ARG_ENUM(rule_names) },
	{ "landlock_restrict_self", "flags", NULL, ARG_FLAGS(restrict_names) },
	{ "iopl", "level", NULL, ARG_FUNC(arg_int_text) },
	{ "ioperm", "from", NULL, ARG_FUNC(arg_hex_text) },
	{ "ioperm", "num", NULL, ARG_FUNC(arg_hex_text) },
	{ "sethostname setdomainname", "len", NULL, ARG_FUNC(arg_uint_text) },
	{ "io_uring_setup landlock_create_ruleset perf_event_open", "=", NULL,
	    ARG_FUNC(arg_fd_text) },
};

static const struct arg_show kernel_shows[] = {
	{ "syslog", syslog_shown },
	{ "reboot", reboot_shown },
};

const struct arg_table arg_table_kernel = ARG_TABLE_SHOW(kernel_rows,
    kernel_shows);
