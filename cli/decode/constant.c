/* SPDX-License-Identifier: ISC */
/*
 * Looks up values by name, for conditions.  Constants of an argument's own kind
 * precede all others.
 */
#include <fcntl.h>
#include <string.h>

#include "cli/decode/constant.h"
#include "cli/decode/flag_names.h"

/* Tables that no kind has as its table: the function of the kind uses them. */
static const struct arg_names *const constant_more[] = {
	&arg_names_open,
	&arg_names_clone,
	&arg_names_clock,
	&arg_names_rlimit,
	&arg_names_family,
	&arg_names_socktype,
	&arg_names_msg,
	&arg_names_prot,
	&arg_names_at,
	&arg_names_statxmask,
	&arg_names_mountattr,
	&arg_names_sched,
	&arg_names_cap,
	&arg_names_whence,
};

static const struct arg_ops *const constant_ops[] = {
	&arg_ops_fcntl,
	&arg_ops_futex,
	&arg_ops_prctl,
	&arg_ops_keyctl,
	&arg_ops_ptrace,
};

static const struct arg_kind constant_dirfd = {
	.ak_text = arg_dirfd_text,
};
static const struct arg_kind constant_sig = { .ak_text = arg_sig_text };

#define N(array)	  (sizeof(array) / sizeof((array)[0]))

#define CONSTANT_NSIGNALS 64

typedef int constant_each_fn(const void *table, constant_fn *, void *arg);

static int
constant_names(const void *table, constant_fn *fn, void *arg)
{
	const struct arg_names *ns = arg_names_on(table, MACHINE_HERE);
	size_t i;

	if (ns->ns_zero != NULL && fn(arg, ns->ns_zero, 0))
		return 1;
	for (i = 0; i < ns->ns_n; i++)
		if (fn(arg, ns->ns_list[i].an_name, ns->ns_list[i].an_value))
			return 1;
	return 0;
}

static int
constant_op(const void *table, constant_fn *fn, void *arg)
{
	const struct arg_ops *os = table;
	size_t i;

	if (os->aos_own[MACHINE_HERE] != NULL &&
	    constant_op(os->aos_own[MACHINE_HERE], fn, arg))
		return 1;
	for (i = 0; i < os->aos_n; i++)
		if (fn(arg, os->aos_list[i].ao_name.an_name,
			os->aos_list[i].ao_name.an_value))
			return 1;
	return 0;
}

static int
constant_signals(const void *table, constant_fn *fn, void *arg)
{
	const char *name;
	unsigned int i;

	(void)table;
	for (i = 1; i <= CONSTANT_NSIGNALS; i++)
		if ((name = arg_signame(i)) != NULL && fn(arg, name, i))
			return 1;
	return 0;
}

static int
constant_at(const void *table, constant_fn *fn, void *arg)
{
	(void)table;
	return fn(arg, "AT_FDCWD", (uint64_t)AT_FDCWD);
}

/* Tables by function. */
static const struct {
	void (*text)(struct buf *, const struct arg_call *, unsigned int,
	    uint64_t, const struct arg_kind *);
	constant_each_fn *each;
} constant_kinds[] = {
	{ arg_flags_text, constant_names },
	{ arg_enum_text, constant_names },
	{ arg_note_flags_text, constant_names },
	{ arg_note_enum_text, constant_names },
	{ arg_op_text, constant_op },
	{ arg_sig_text, constant_signals },
	{ arg_note_sig_text, constant_signals },
	{ arg_dirfd_text, constant_at },
};

int
arg_constant_each(const struct arg_kind *ak, constant_fn *fn, void *arg)
{
	size_t i;

	if (ak->ak_names != NULL)
		return constant_names(ak->ak_names, fn, arg);
	for (i = 0; i < N(constant_kinds); i++)
		if (ak->ak_text == constant_kinds[i].text)
			return constant_kinds[i].each(ak->ak_table, fn, arg);
	return 0;
}

/* A kind in a row of the tables of kind_find.c. */
struct constant_row {
	constant_fn *cr_fn;
	void *cr_arg;
};

static int
constant_row(void *arg, const struct arg_row *ar)
{
	const struct constant_row *cr = arg;

	return arg_constant_each(ar->ar_kind, cr->cr_fn, cr->cr_arg);
}

int
arg_constant_all(constant_fn *fn, void *arg)
{
	struct constant_row cr = { fn, arg };
	size_t i;

	for (i = 0; i < N(constant_more); i++)
		if (constant_names(constant_more[i], fn, arg))
			return 1;
	for (i = 0; i < N(constant_ops); i++)
		if (constant_op(constant_ops[i], fn, arg))
			return 1;
	return arg_constant_each(&constant_sig, fn, arg) ||
	    arg_constant_each(&constant_dirfd, fn, arg) ||
	    arg_find_each(constant_row, &cr);
}
