/* SPDX-License-Identifier: ISC */
/* Interprets the ends of stacks, which evt.h lists. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <dt/evt.h>
#include "cli/base/val.h"
#include "cli/sym/stack.h"
#include "wire/stack_end.h"

/* Text by enum dt_stack_end; a later daemon may have more values. */
static const struct {
	const char *kernel, *user;
} stack_ends[STACK_NENDS] = {
	[DT_STACK_NOMM] = { "no kernel stack",
	    "no user memory: a kernel thread, or it "
	    "is ending" },
	[DT_STACK_DENIED] = { "no kernel addresses for this "
			      "user",
	    "no user addresses for this user" },
	[DT_STACK_ERRNO] = { "no kernel stack", "no user stack" },
	[DT_STACK_BUSY] = { "no kernel stack: another event on "
			    "this CPU was being recorded",
	    "no user stack: another event on this CPU "
	    "was being recorded" },
	[DT_STACK_NOTABLE] = { NULL, "no unwind table, and no frame pointer" },
	[DT_STACK_FAULT] = { NULL, "memory of the stack could not be read" },
	[DT_STACK_RULE] = { NULL,
	    "the unwind table has a rule that dt does not support" },
	[DT_STACK_NOMAP] = { NULL, "the return address is in no mapping" },
	[DT_STACK_PENDING] = { NULL, "the unwind table was not ready" },
	[DT_STACK_EVICTED] = { NULL,
	    "the unwind table was evicted: its memory is limited" },
};

const char *
stack_end_word(unsigned int end)
{
	if (end == DT_STACK_ENDED)
		return NULL;
	return end < STACK_NENDS ? stack_end_names[end] : "unknown";
}

void
stack_end_text(struct buf *b, int iskernel, unsigned int end,
    unsigned int count, unsigned int error)
{
	const char *name = val_errname(error);

	if (end == DT_STACK_ENDED)
		return;
	if (end == DT_STACK_LIMIT)
		buf_printf(b, "[%u frames: limit]", count);
	else if (end >= STACK_NENDS)
		buf_printf(b, "[ended for reason %u]", end);
	else if (end == DT_STACK_ERRNO && name != NULL)
		buf_printf(b, "[%s: %s]",
		    iskernel ? stack_ends[end].kernel : stack_ends[end].user,
		    name);
	else if (end == DT_STACK_ERRNO && error != 0)
		buf_printf(b, "[%s: errno %u]",
		    iskernel ? stack_ends[end].kernel : stack_ends[end].user,
		    error);
	else
		buf_printf(b, "[%s]",
		    iskernel ? stack_ends[end].kernel : stack_ends[end].user);
}

uint64_t
stack_pc(const uint64_t *pcs, unsigned int i)
{
	return i == 0 ? pcs[i] : pcs[i] - 1;
}

int
stack_istracing(const char *func)
{
	static const char *const prefixes[] = { "__bpf_trace_", "__traceiter_",
		"bpf_trampoline_" };
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(func, prefixes[i], strlen(prefixes[i])) == 0)
			return 1;
	return 0;
}

/*
 * Complete stacks.  A start is recognized by its symbol, so a program without
 * symbols has none.
 */

/*
 * Starts of programs and threads, in C libraries and in languages with their
 * own threads.
 */
static const char *const stack_starts[] = {
	"_start",
	"_dl_start_user", /* glibc's ld.so, before the program */
	"_dlstart",	  /* musl */
	"clone",
	"clone3",
	"__clone",
	"__clone3",
	"__clone_internal",
	"runtime.goexit", /* Go */
	"runtime.goexit.abi0",
	NULL,
};

/* Functions of libc that call the program's code. */
static const char *const stack_libc_starts[] = {
	STACK_CALLS_MAIN,
	"__libc_start_main",
	"__libc_start_main_impl",
	"libc_start_main_stage2", /* musl */
	"start_thread",
	NULL,
};

/* Starts of kernel threads and CPUs. */
static const char *const stack_kstarts[] = {
	"ret_from_fork_asm",
	"ret_from_fork",
	"common_startup_64",
	"secondary_startup_64",
	"secondary_startup_64_no_verify",
	"__secondary_switched",
	"__primary_switched",
	NULL,
};

static int
stack_isin(const char *const *starts, const char *func)
{
	for (; func != NULL && *starts != NULL; starts++) {
		if (strcmp(*starts, func) == 0)
			return 1;
	}
	return 0;
}

int
stack_is_libc_start(const char *func)
{
	return stack_isin(stack_libc_starts, func);
}

int
stack_is_start(const char *func)
{
	return stack_isin(stack_starts, func) || stack_is_libc_start(func);
}

static const char *
stack_why(const struct stack_end *se)
{
	static char why[64];
	const char *name;

	if (se->se_isunmapped && se->se_end != DT_STACK_PENDING)
		return "address in no code mapping";
	switch (se->se_end) {
	case DT_STACK_ENDED:
		if (se->se_count == 0)
			return "no frame";
		return se->se_func == NULL && se->se_noname != NULL
		    ? se->se_noname
		    : "no frame pointer";
	case DT_STACK_LIMIT:
		snprintf(why, sizeof(why), "limit of %u frames", se->se_count);
		return why;
	case DT_STACK_NOMM:
		return "no user memory";
	case DT_STACK_DENIED:
		return "not allowed";
	case DT_STACK_ERRNO:
		if ((name = val_errname(se->se_error)) != NULL)
			snprintf(why, sizeof(why), "error %s", name);
		else
			snprintf(why, sizeof(why), "error %u", se->se_error);
		return why;
	case DT_STACK_BUSY:
		return "scratch memory in use";
	case DT_STACK_NOTABLE:
		return "no unwind table";
	default:
		if (se->se_end < STACK_NENDS)
			return stack_end_names[se->se_end];
		snprintf(why, sizeof(why), "reason %u", se->se_end);
		return why;
	}
}

/*
 * Returns whether the kernel stack is cut: the frames that lead to the user
 * stack are then missing; of a hidden one, inner frames are missing.
 */
static int
stack_has_gap(const struct stack_end *kernel)
{
	return kernel != NULL &&
	    (kernel->se_end == DT_STACK_LIMIT ||
		kernel->se_end == DT_STACK_ERRNO ||
		kernel->se_end == DT_STACK_BUSY);
}

const char *
stack_incomplete(const struct stack_end *kernel, const struct stack_end *user)
{
	static char why[80];

	if (user->se_end == DT_STACK_NOMM && kernel != NULL) {
		if (stack_isin(stack_kstarts, kernel->se_func))
			return NULL;
		if (kernel->se_end != DT_STACK_ENDED) {
			snprintf(why, sizeof(why), "kernel: %s",
			    stack_why(kernel));
			return why;
		}
	}
	if (user->se_how == DT_STACK_TABLE) {
		if (user->se_end != DT_STACK_ENDED &&
		    !(user->se_end == DT_STACK_NOTABLE &&
			stack_isin(stack_starts, user->se_func)))
			return stack_why(user);
	} else {
		if (!stack_is_start(user->se_func))
			return stack_why(user);
		if (user->se_ishidden)
			return "no frame pointer in libc";
	}
	if (!stack_has_gap(kernel))
		return NULL;
	snprintf(why, sizeof(why), "kernel: %s", stack_why(kernel));
	return why;
}
