/* SPDX-License-Identifier: ISC */
/*
 * prctl(2) and arch_prctl(2), and the capabilities.
 */
#include <linux/capability.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>

#include "cli/decode/flag_names.h"
#include "prctl_names.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65 /* Linux 6.3, as the next */
#define PR_GET_MDWE 66
#endif
#ifndef PR_SET_MEMORY_MERGE
#define PR_SET_MEMORY_MERGE 67 /* Linux 6.4, as the next */
#define PR_GET_MEMORY_MERGE 68
#endif
#ifndef PR_RISCV_V_SET_CONTROL
#define PR_RISCV_V_SET_CONTROL 69 /* Linux 6.5, as the next */
#define PR_RISCV_V_GET_CONTROL 70
#endif
#ifndef PR_GET_SHADOW_STACK_STATUS
#define PR_GET_SHADOW_STACK_STATUS  74 /* Linux 6.13, as the next two */
#define PR_SET_SHADOW_STACK_STATUS  75
#define PR_LOCK_SHADOW_STACK_STATUS 76
#endif
#ifndef PR_FUTEX_HASH
#define PR_FUTEX_HASH 78 /* Linux 6.16 */
#endif
#ifndef PR_GET_AUXV
#define PR_GET_AUXV 0x41555856 /* Linux 6.4 */
#endif

/* -1: any process. */
static void
prctl_ptracer_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	if (v == UINT64_MAX)
		buf_str(b, "PR_SET_PTRACER_ANY");
	else
		buf_s64(b, (int64_t)v);
}

static const struct arg_op prctl_list[] = {
	{ ARG_IS(PR_SET_PDEATHSIG), 0x1, { ARG_FUNC(arg_sig_text) }, NULL },
	{ ARG_IS(PR_GET_PDEATHSIG), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PR_GET_DUMPABLE), 0, { NULL }, ARG_NOTE(dump_names) },
	{ ARG_IS(PR_SET_DUMPABLE), 0x1, { ARG_ENUM(dump_names) }, NULL },
	{ ARG_IS(PR_GET_UNALIGN), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PR_SET_UNALIGN), 0x1, { ARG_FLAGS(unalign_names) }, NULL },
	{ ARG_IS(PR_GET_KEEPCAPS), 0, { NULL }, NULL },
	{ ARG_IS(PR_SET_KEEPCAPS), 0x1, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_FPEMU), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PR_SET_FPEMU), 0x1, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_FPEXC), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PR_SET_FPEXC), 0x1, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_TIMING), 0, { NULL }, NULL },
	{ ARG_IS(PR_SET_TIMING), 0x1, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_SET_NAME), 0x1, { ARG_FUNC(arg_str_text) }, NULL },
	{ ARG_IS(PR_GET_NAME), 0x1, { ARG_FUNC(arg_str_text) }, NULL },
	{ ARG_IS(PR_GET_ENDIAN), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PR_SET_ENDIAN), 0x1, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_SECCOMP), 0, { NULL }, NULL },
	{ ARG_IS(PR_SET_SECCOMP), 0x3,
	    { ARG_ENUM(seccomp_names), ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PR_CAPBSET_READ), 0x1, { ARG_ENUM(arg_names_cap) }, NULL },
	{ ARG_IS(PR_CAPBSET_DROP), 0x1, { ARG_ENUM(arg_names_cap) }, NULL },
	{ ARG_IS(PR_GET_TSC), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PR_SET_TSC), 0x1, { ARG_ENUM(tsc_names) }, NULL },
	{ ARG_IS(PR_GET_SECUREBITS), 0, { NULL },
	    ARG_KIND(arg_note_flags_text, &secbit_names) },
	{ ARG_IS(PR_SET_SECUREBITS), 0x1, { ARG_FLAGS(secbit_names) }, NULL },
	{ ARG_IS(PR_SET_TIMERSLACK), 0x1, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_TIMERSLACK), 0, { NULL }, NULL },
	{ ARG_IS(PR_TASK_PERF_EVENTS_DISABLE), 0, { NULL }, NULL },
	{ ARG_IS(PR_TASK_PERF_EVENTS_ENABLE), 0, { NULL }, NULL },
	{ ARG_IS(PR_MCE_KILL), 0xf, { ARG_ENUM(mce_names) }, NULL },
	{ ARG_IS(PR_MCE_KILL_GET), 0xf, { NULL }, ARG_NOTE(mcepolicy_names) },
	{ ARG_IS(PR_SET_MM), 0xf, { ARG_ENUM(mm_names) }, NULL },
	{ ARG_IS(PR_SET_CHILD_SUBREAPER), 0x1, { ARG_FUNC(arg_uint_text) },
	    NULL },
	{ ARG_IS(PR_GET_CHILD_SUBREAPER), 0x1, { ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PR_SET_NO_NEW_PRIVS), 0xf, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_NO_NEW_PRIVS), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_GET_TID_ADDRESS), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PR_SET_THP_DISABLE), 0xf, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_THP_DISABLE), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_MPX_ENABLE_MANAGEMENT), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_MPX_DISABLE_MANAGEMENT), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_SET_FP_MODE), 0x1, { NULL }, NULL },
	{ ARG_IS(PR_GET_FP_MODE), 0, { NULL }, NULL },
	{ ARG_IS(PR_CAP_AMBIENT), 0xf,
	    { ARG_ENUM(ambient_names), ARG_ENUM(arg_names_cap) }, NULL },
	{ ARG_IS(PR_SVE_SET_VL), 0x1, { NULL }, NULL },
	{ ARG_IS(PR_SVE_GET_VL), 0, { NULL }, NULL },
	{ ARG_IS(PR_GET_SPECULATION_CTRL), 0x1, { ARG_ENUM(spec_names) },
	    ARG_KIND(arg_note_flags_text, &specset_names) },
	{ ARG_IS(PR_SET_SPECULATION_CTRL), 0x3,
	    { ARG_ENUM(spec_names), ARG_FLAGS(specset_names) }, NULL },
	{ ARG_IS(PR_PAC_RESET_KEYS), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_SET_TAGGED_ADDR_CTRL), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_GET_TAGGED_ADDR_CTRL), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_SET_IO_FLUSHER), 0xf, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_IO_FLUSHER), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_SET_SYSCALL_USER_DISPATCH), 0xf,
	    { ARG_ENUM(dispatch_names), NULL, NULL, ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PR_PAC_SET_ENABLED_KEYS), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_PAC_GET_ENABLED_KEYS), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_SCHED_CORE), 0xf,
	    { ARG_ENUM(core_names), ARG_FUNC(arg_int_text),
		ARG_ENUM(pidtype_names), ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PR_SME_SET_VL), 0x1, { NULL }, NULL },
	{ ARG_IS(PR_SME_GET_VL), 0, { NULL }, NULL },
	{ ARG_IS(PR_SET_MDWE), 0xf, { ARG_FLAGS(mdwe_names) }, NULL },
	{ ARG_IS(PR_GET_MDWE), 0xf, { NULL },
	    ARG_KIND(arg_note_flags_text, &mdwe_names) },
	{ ARG_IS(PR_SET_MEMORY_MERGE), 0xf, { ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_GET_MEMORY_MERGE), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_RISCV_V_SET_CONTROL), 0x1, { NULL }, NULL },
	{ ARG_IS(PR_RISCV_V_GET_CONTROL), 0, { NULL }, NULL },
	{ ARG_IS(PR_GET_SHADOW_STACK_STATUS), 0xf, { ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PR_SET_SHADOW_STACK_STATUS), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_LOCK_SHADOW_STACK_STATUS), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_FUTEX_HASH), 0xf, { NULL }, NULL },
	{ ARG_IS(PR_GET_AUXV), 0xf,
	    { ARG_FUNC(arg_ptr_text), ARG_FUNC(arg_uint_text) }, NULL },
	{ ARG_IS(PR_SET_PTRACER), 0x1, { ARG_FUNC(prctl_ptracer_text) }, NULL },
	{ ARG_IS(PR_SET_VMA), 0xf,
	    { ARG_ENUM(vma_names), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_uint_text), ARG_FUNC(arg_str_text) },
	    NULL },
};
const struct arg_ops arg_ops_prctl = ARG_OPS(prctl_list, 0, UINT64_MAX);

static int
prctl_shown(const struct arg_call *ac, unsigned int argn)
{
	return arg_op_shown(&arg_ops_prctl, ac, argn);
}

/*
 * A call of x86, whose header exists only there.  The names are used on all
 * machines, as a recording may come from x86.
 */
#define ARCH_SET_GS		  0x1001
#define ARCH_SET_FS		  0x1002
#define ARCH_GET_FS		  0x1003
#define ARCH_GET_GS		  0x1004
#define ARCH_GET_CPUID		  0x1011
#define ARCH_SET_CPUID		  0x1012
#define ARCH_GET_XCOMP_SUPP	  0x1021
#define ARCH_GET_XCOMP_PERM	  0x1022
#define ARCH_REQ_XCOMP_PERM	  0x1023
#define ARCH_GET_XCOMP_GUEST_PERM 0x1024
#define ARCH_REQ_XCOMP_GUEST_PERM 0x1025
#define ARCH_MAP_VDSO_X32	  0x2001
#define ARCH_MAP_VDSO_32	  0x2002
#define ARCH_MAP_VDSO_64	  0x2003
#define ARCH_GET_UNTAG_MASK	  0x4001
#define ARCH_ENABLE_TAGGED_ADDR	  0x4002
#define ARCH_GET_MAX_TAG_BITS	  0x4003
#define ARCH_FORCE_TAGGED_SVA	  0x4004
#define ARCH_SHSTK_ENABLE	  0x5001
#define ARCH_SHSTK_DISABLE	  0x5002
#define ARCH_SHSTK_LOCK		  0x5003
#define ARCH_SHSTK_UNLOCK	  0x5004
#define ARCH_SHSTK_STATUS	  0x5005

static const struct arg_op arch_list[] = {
	{ ARG_IS(ARCH_SET_GS), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(ARCH_SET_FS), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(ARCH_GET_FS), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(ARCH_GET_GS), 0x1, { ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(ARCH_GET_CPUID), 0, { NULL }, NULL },
	{ ARG_IS(ARCH_SET_CPUID), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_GET_XCOMP_SUPP), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_GET_XCOMP_PERM), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_REQ_XCOMP_PERM), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_GET_XCOMP_GUEST_PERM), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_REQ_XCOMP_GUEST_PERM), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_MAP_VDSO_X32), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_MAP_VDSO_32), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_MAP_VDSO_64), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_GET_UNTAG_MASK), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_ENABLE_TAGGED_ADDR), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_GET_MAX_TAG_BITS), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_SHSTK_ENABLE), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_SHSTK_DISABLE), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_SHSTK_LOCK), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_SHSTK_UNLOCK), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_SHSTK_STATUS), 0x1, { NULL }, NULL },
	{ ARG_IS(ARCH_FORCE_TAGGED_SVA), 0, { NULL }, NULL },
};
static const struct arg_ops arch_ops = ARG_OPS(arch_list, 0, UINT64_MAX);

static int
arch_shown(const struct arg_call *ac, unsigned int argn)
{
	return arg_op_shown(&arch_ops, ac, argn);
}

static const struct arg_row prctl_rows[] = {
	{ "arch_prctl", "option", NULL, ARG_OP(arch_ops) },
	{ "arch_prctl", "arg2", NULL, ARG_OP(arch_ops) },
	{ "prctl", "option", NULL, ARG_OP(arg_ops_prctl) },
	{ "prctl", "arg2", NULL, ARG_OP(arg_ops_prctl) },
	{ "prctl", "arg3", NULL, ARG_OP(arg_ops_prctl) },
	{ "prctl", "arg4", NULL, ARG_OP(arg_ops_prctl) },
	{ "prctl", "arg5", NULL, ARG_OP(arg_ops_prctl) },
	{ "prctl", "=", NULL, ARG_OP(arg_ops_prctl) },
};

static const struct arg_show prctl_shows[] = {
	{ "arch_prctl", arch_shown },
	{ "prctl", prctl_shown },
};

const struct arg_table arg_table_prctl = ARG_TABLE_SHOW(prctl_rows,
    prctl_shows);
