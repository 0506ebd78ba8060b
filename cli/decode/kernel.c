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
#include "kernel_names.h"

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
