/* SPDX-License-Identifier: ISC */
/*
 * ptrace(2).
 */
#include <linux/elf.h>
#include <linux/ptrace.h>

#include "cli/decode/flag_names.h"
#include "ptrace_names.h"

#ifndef PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG
#define PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG 0x4210 /* Linux 6.4 */
#define PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG 0x4211
#endif
#ifndef PTRACE_SET_SYSCALL_INFO
#define PTRACE_SET_SYSCALL_INFO 0x4212 /* Linux 6.16 */
#endif

/* <asm/ptrace.h> has only the requests of its architecture. */
#ifndef PTRACE_SYSEMU
#define PTRACE_SYSEMU		 31
#define PTRACE_SYSEMU_SINGLESTEP 32
#endif
#ifndef PTRACE_SINGLEBLOCK
#define PTRACE_GETREGS	       12
#define PTRACE_SETREGS	       13
#define PTRACE_GETFPREGS       14
#define PTRACE_SETFPREGS       15
#define PTRACE_GETFPXREGS      18
#define PTRACE_SETFPXREGS      19
#define PTRACE_OLDSETOPTIONS   21
#define PTRACE_GET_THREAD_AREA 25
#define PTRACE_SET_THREAD_AREA 26
#define PTRACE_ARCH_PRCTL      30
#define PTRACE_SINGLEBLOCK     33
#endif
#ifndef PTRACE_PEEKMTETAGS
#define PTRACE_PEEKMTETAGS 33
#define PTRACE_POKEMTETAGS 34
#endif

static const struct arg_op x86_list[] = {
	{ ARG_IS(PTRACE_GETREGS), 0x5,
	    { ARG_FUNC(arg_int_text), NULL, ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PTRACE_SETREGS), 0x5,
	    { ARG_FUNC(arg_int_text), NULL, ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PTRACE_GETFPREGS), 0x5,
	    { ARG_FUNC(arg_int_text), NULL, ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PTRACE_SETFPREGS), 0x5,
	    { ARG_FUNC(arg_int_text), NULL, ARG_FUNC(arg_ptr_text) }, NULL },
	{ ARG_IS(PTRACE_GETFPXREGS), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SETFPXREGS), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_GET_THREAD_AREA), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SET_THREAD_AREA), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_OLDSETOPTIONS), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FLAGS(option_names) },
	    NULL },
	{ ARG_IS(PTRACE_ARCH_PRCTL), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_hex_text) },
	    NULL },
	{ ARG_IS(PTRACE_SINGLEBLOCK), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_sig_text) },
	    NULL },
};
static const struct arg_ops x86_ops = ARG_OPS(x86_list, 0, UINT64_MAX);

static const struct arg_op arm64_list[] = {
	{ ARG_IS(PTRACE_PEEKMTETAGS), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_POKEMTETAGS), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
};
static const struct arg_ops arm64_ops = ARG_OPS(arm64_list, 0, UINT64_MAX);

static const struct arg_op ptrace_list[] = {
	{ ARG_IS(PTRACE_TRACEME), 0, { NULL }, NULL },
	{ ARG_IS(PTRACE_PEEKTEXT), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_PEEKDATA), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_NAME(0, PTRACE_PEEKUSR, "PTRACE_PEEKUSER"), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_POKETEXT), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_hex_text) },
	    NULL },
	{ ARG_IS(PTRACE_POKEDATA), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_hex_text) },
	    NULL },
	{ ARG_NAME(0, PTRACE_POKEUSR, "PTRACE_POKEUSER"), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_hex_text) },
	    NULL },
	{ ARG_IS(PTRACE_CONT), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_sig_text) },
	    NULL },
	{ ARG_IS(PTRACE_SINGLESTEP), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_sig_text) },
	    NULL },
	{ ARG_IS(PTRACE_DETACH), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_sig_text) },
	    NULL },
	{ ARG_IS(PTRACE_SYSCALL), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_sig_text) },
	    NULL },
	{ ARG_IS(PTRACE_KILL), 0x1, { ARG_FUNC(arg_int_text) }, NULL },
	{ ARG_IS(PTRACE_ATTACH), 0x1, { ARG_FUNC(arg_int_text) }, NULL },
	{ ARG_IS(PTRACE_INTERRUPT), 0x1, { ARG_FUNC(arg_int_text) }, NULL },
	{ ARG_IS(PTRACE_LISTEN), 0x1, { ARG_FUNC(arg_int_text) }, NULL },
	{ ARG_IS(PTRACE_SYSEMU), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_sig_text) },
	    NULL },
	{ ARG_IS(PTRACE_SYSEMU_SINGLESTEP), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_sig_text) },
	    NULL },
	{ ARG_IS(PTRACE_SETOPTIONS), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FLAGS(option_names) },
	    NULL },
	{ ARG_IS(PTRACE_SEIZE), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FLAGS(option_names) },
	    NULL },
	{ ARG_IS(PTRACE_GETEVENTMSG), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_GETSIGINFO), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SETSIGINFO), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_GETREGSET), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_ENUM(note_names),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SETREGSET), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_ENUM(note_names),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_PEEKSIGINFO), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_GETSIGMASK), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SETSIGMASK), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SECCOMP_GET_FILTER), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SECCOMP_GET_METADATA), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_GET_SYSCALL_INFO), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_GET_RSEQ_CONFIGURATION), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_ptr_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
	{ ARG_IS(PTRACE_SET_SYSCALL_INFO), 0x7,
	    { ARG_FUNC(arg_int_text), ARG_FUNC(arg_uint_text),
		ARG_FUNC(arg_ptr_text) },
	    NULL },
};
const struct arg_ops arg_ops_ptrace = ARG_OPS_OWN(ptrace_list, 0, UINT64_MAX,
    x86_ops, arm64_ops);

static int
ptrace_shown(const struct arg_call *ac, unsigned int argn)
{
	return arg_op_shown(&arg_ops_ptrace, ac, argn);
}

static const struct arg_row ptrace_rows[] = {
	{ "ptrace", "request", NULL, ARG_OP(arg_ops_ptrace) },
	{ "ptrace", "addr", NULL, ARG_OP(arg_ops_ptrace) },
	{ "ptrace", "data", NULL, ARG_OP(arg_ops_ptrace) },
};

static const struct arg_show ptrace_shows[] = { { "ptrace", ptrace_shown } };

const struct arg_table arg_table_ptrace = ARG_TABLE_SHOW(ptrace_rows,
    ptrace_shows);
