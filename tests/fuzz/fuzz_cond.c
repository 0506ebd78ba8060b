/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes conditions: expressions of users, and structs of clients.
 *
 * An input: a byte that selects one of the probes below, or with its upper bit
 * announces a struct dt_cond instead of an expression.  The daemon must accept
 * every compiled expression.  The BPF programs must evaluate an accepted
 * condition like the client does, and must terminate.  An error message must fit the
 * expression, and be safe for a terminal.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cond_eval.h"

#include "cli/cond/cond.h"
#include "tests/unit/probe_syscall.h"

#define INPUT_ISCOND 0x80
#define INPUT_RETURN 0x40

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *const calls[] = { "openat", "close", "kill", "renameat2",
	"mmap", "socket", "ioctl", "getpid" };

#define NCALLS (sizeof(calls) / sizeof(calls[0]))

static struct name_cache names;

static const struct probe *
fuzz_probe(const char *call, int isreturn)
{
	return probe_syscall(&names, SYSCALL_ABI_64, call,
	    isreturn ? "return" : "entry");
}

/*
 * Checks that both evaluate an accepted condition equally.  Returns whether the
 * hit passes.
 */
static int
fuzz_eval(const struct dt_cond *co, int mustaccept)
{
	static const char text[] = "/etc/passwd";
	struct dt_hit h = {
		.h_pid = 1,
		.h_tid = 2,
		.h_uid = 1000,
		.h_args = { (uintptr_t)text, (uintptr_t)text, 0, 7,
		    0xffffffffffffff9c, 0xffffffff80000000 },
		.h_ret = { .drr_retval = -1, .drr_error = 2 },
		.h_duration = 1500000,
	};
	struct reason why;
	int passes;

	memcpy(h.h_comm, "make", 5);
	if ((passes = eval_bpf(co, &h, &why)) == -1) {
		if (mustaccept ||
		    strnlen(why.rsn_text, sizeof(why)) == sizeof(why))
			abort();
		return 0;
	}
	if (passes != eval_client(co, &h))
		abort();
	return passes;
}

/* The parts tested at entry and at return pass both only if the whole does. */
static void
fuzz_parts(const struct cond_expr *ce, const char *call, unsigned int texts,
    int passes)
{
	const struct probe *entry = fuzz_probe(call, 0);
	struct cond_error er;
	struct dt_cond early, late;

	if (cond_compile_part(ce, COND_EARLY | texts, entry, entry, &early,
		&er) != 0 ||
	    cond_compile_part(ce, COND_LATE | texts, fuzz_probe(call, 1), entry,
		&late, &er) != 0)
		abort();
	if (fuzz_eval(&early, 1) && fuzz_eval(&late, 1) && !passes)
		abort();
}

static void
fuzz_error(const struct cond_error *er, const char *text)
{
	struct buf b;
	size_t i;

	if (er->er_begin > er->er_end || er->er_end > strlen(text))
		abort();
	buf_init(&b, -1);
	cond_error_text(&b, er, text);
	for (i = 0; i < b.b_len; i++)
		if (((uint8_t)b.b_data[i] < ' ' && b.b_data[i] != '\n' &&
			b.b_data[i] != '\t') ||
		    b.b_data[i] == 0x7f)
			abort(); /* a terminal's escape */
	buf_free(&b);
}

static void
fuzz_text(const char *text, const char *call, int isreturn)
{
	static struct cond_expr ce;
	const struct probe *entry = fuzz_probe(call, 0);
	struct cond_error er;
	struct dt_cond co;
	int passes;

	if (cond_parse(&ce, text, &er) == -1) {
		fuzz_error(&er, text);
		return;
	}
	cond_shadowed(&ce, entry);
	if (cond_compile(&ce, isreturn ? fuzz_probe(call, 1) : entry, entry,
		&co, &er) == -1)
		fuzz_error(&er, text);
	else {
		passes = fuzz_eval(&co, 1);
		if (isreturn) {
			fuzz_parts(&ce, call, 0, passes);
			fuzz_parts(&ce, call, COND_TEXTS, passes);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dt_cond co = { 0 };
	char *text;

	if (size < 1 || size > 4096)
		return 0;
	if (names.nm_probes.ha_slots == NULL)
		name_cache_init(&names, NULL);
	if (data[0] & INPUT_ISCOND) {
		memcpy(&co, data + 1,
		    size - 1 < sizeof(co) ? size - 1 : sizeof(co));
		fuzz_eval(&co, 0);
		return 0;
	}
	/* of its exact size, for the sanitizer */
	if ((text = strndup((const char *)data + 1, size - 1)) == NULL)
		abort();
	fuzz_text(text, calls[(data[0] & ~INPUT_RETURN) % NCALLS],
	    data[0] & INPUT_RETURN);
	free(text);
	return 0;
}
