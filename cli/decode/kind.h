/* SPDX-License-Identifier: ISC */
/*
 * Kinds of arguments: what turns the number of an argument, or of a result,
 * into text.  A probe finds the kinds of its arguments once, when it is made
 * (names_add_probe()), in the tables of cli/decode/; after that a line costs a
 * call by pointer for each argument.
 *
 * Text is as strace(1) has it, but for comments: flags by name, and what has
 * no name in hex behind them; a value without a name in hex; 0 for no flags,
 * NULL for no pointer.  Functions append to a buffer and know nothing of
 * lines; they neither allocate nor fail.
 */
#ifndef CLI_DECODE_KIND_H
#define CLI_DECODE_KIND_H

#include <stddef.h>
#include <stdint.h>

#include "cli/decode/args.h"

/*
 * A name of bits or of a value.  Of flags: those that match under their mask
 * are printed in the order of the table and their mask is done, so what has
 * several bits goes before its parts, and one field of values is a mask
 * with several names.  Of a value: the mask is not used.
 */
struct arg_name {
	uint64_t an_mask;
	uint64_t an_value;
	const char *an_name;
	size_t an_len; /* of the name: no strlen(3) a line */
};

#define ARG_NAME(mask, value, name) \
	{ \
		(mask), (value), (name), sizeof(name) - 1 \
	}
#define ARG_BIT(x)	   ARG_NAME(x, x, #x)
#define ARG_FIELD(mask, x) ARG_NAME(mask, x, #x)
#define ARG_IS(x)	   ARG_NAME(0, x, #x)

/* All names of something. */
struct arg_names {
	const struct arg_name *ns_list;
	size_t ns_n;
	const char *ns_zero; /* flags: what none of them is; NULL: "0" */
	/* arm64's, if they are others there; or NULL */
	const struct arg_names *ns_arm64;
};

#define ARG_NAMES(list) ARG_NAMES_ZERO(list, NULL)
#define ARG_NAMES_ZERO(list, zero) \
	{ \
		(list), sizeof(list) / sizeof((list)[0]), (zero), NULL \
	}
/* The same names, of other values on arm64. */
#define ARG_NAMES_BOTH(x86, arm64) \
	{ \
		(x86), sizeof(x86) / sizeof((x86)[0]), NULL, \
		    &(const struct arg_names)ARG_NAMES(arm64) \
	}

/*
 * A kind.  Its function gets the value as wide as the argument's type is, with
 * zeros above (an int cast to int32_t has its sign); a result is sign-extended
 * to 64 bits.  argn is ARG_RET for a result; the other arguments of the call
 * are arg_value()'s.
 */
struct arg_kind {
	void (*ak_text)(struct buf *, const struct arg_call *,
	    unsigned int argn, uint64_t value, const struct arg_kind *);
	const void *ak_table; /* the function's: struct arg_names mostly */
	/* names of values, if the function has them otherwise; or NULL */
	const struct arg_names *ak_names;
};

#define ARG_RET ((unsigned int)-1)

/* For the rows of a table. */
#define ARG_KIND(text, table) \
	(&(const struct arg_kind){ (text), (table), NULL })
#define ARG_FLAGS(names) ARG_KIND(arg_flags_text, &(names))
#define ARG_ENUM(names)	 ARG_KIND(arg_enum_text, &(names))
#define ARG_NOTE(names)	 ARG_KIND(arg_note_enum_text, &(names))
#define ARG_FUNC(text)	 ARG_KIND((text), NULL)
#define ARG_FUNC_NAMES(text, names) \
	(&(const struct arg_kind){ (text), NULL, &(names) })

/*
 * What an argument is.  The first row that fits counts.  Calls: names with a
 * blank between, "*" for all of them; calls of 32 bits are found with and
 * without their ending (fcntl64, futex_time64, setuid32).  Name: as in
 * val_classify(), "*fd" is any ending; "=" is the result.  Type: in the words
 * of the kernel, its ending if it begins with *; NULL: any.
 */
struct arg_row {
	const char *ar_calls;
	const char *ar_name;
	const char *ar_type;
	const struct arg_kind *ar_kind;
};

/*
 * Which arguments a call has depends on others: of fcntl(2) on the command.
 * The function says whether an argument means something and is shown.
 */
typedef int arg_shown_fn(const struct arg_call *, unsigned int argn);

struct arg_show {
	const char *as_calls;
	arg_shown_fn *as_fn;
};

/* What a file of cli/decode/ knows; find.c has the list of them. */
struct arg_table {
	const struct arg_row *at_rows;
	size_t at_nrows;
	const struct arg_show *at_shows;
	size_t at_nshows;
};

#define ARG_TABLE(rows) \
	{ \
		(rows), sizeof(rows) / sizeof((rows)[0]), NULL, 0 \
	}
#define ARG_TABLE_SHOW(rows, shows) \
	{ \
		(rows), sizeof(rows) / sizeof((rows)[0]), (shows), \
		    sizeof(shows) / sizeof((shows)[0]) \
	}

/* find.c: NULL if nothing is known; name "=" is the result. */
const struct arg_kind *arg_find(const char *prov, const char *call,
    const char *name, const char *type);
arg_shown_fn *arg_find_shown(const char *prov, const char *call);
/* Calls fn for all rows until it returns not 0, which is returned then. */
int arg_find_each(int (*fn)(void *, const struct arg_row *), void *);

/* field.c: of a tracepoint's field; flags: DTAN_*.  NULL: a number. */
const struct arg_kind *arg_field(const char *subsys, const char *name,
    const char *type, unsigned int flags);

/* value.c: functions of kinds that many share */
void arg_flags_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_enum_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
/* Results: the number, and behind it in parentheses what it means: flags, if
 * it isn't 0, and a value if it has a name. */
void arg_note_flags_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_note_enum_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_fd_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void arg_dirfd_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_ptr_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void arg_str_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void arg_argv_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_mode_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_hex_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void arg_oct_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void arg_int_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void arg_uint_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_long_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);

/* signal.c */
void arg_sig_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void arg_note_sig_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
/* proc.c: -1 leaves it as it is */
void arg_uid_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);

/* ioctl.c: requests; and the argument of those that take a number */
void arg_ioctl_cmd_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_ioctl_arg_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_put_ioctl(struct buf *, uint32_t);

/* op.c: calls that are many, by an option */

/* One option: which of the arguments behind it mean something, bit 0 is the
 * first, and what they are. */
struct arg_op {
	struct arg_name ao_name;
	unsigned int ao_args;
	const struct arg_kind *ao_kinds[4]; /* NULL: hex */
	const struct arg_kind *ao_ret;	    /* NULL: decimal */
};

/* All of them.  What they don't have has all arguments, in hex. */
struct arg_ops {
	const struct arg_op *aos_list;
	size_t aos_n;
	unsigned int aos_argn; /* which argument is the option */
	uint64_t aos_mask;     /* its bits that say which */
	/* what only one architecture has, by enum machine; or NULL */
	const struct arg_ops *aos_own[MACHINE_N];
};

#define ARG_OPS(list, argn, mask) \
	{ \
		(list), sizeof(list) / sizeof((list)[0]), (argn), (mask), \
		{ \
			NULL \
		} \
	}
#define ARG_OPS_OWN(list, argn, mask, x86, arm64) \
	{ \
		(list), sizeof(list) / sizeof((list)[0]), (argn), (mask), \
		{ \
			&(x86), &(arm64) \
		} \
	}
/* For a row of the option, of an argument behind it, or of the result. */
#define ARG_OP(ops) ARG_KIND(arg_op_text, &(ops))

void arg_op_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
const struct arg_op *
arg_op_find(const struct arg_ops *, const struct arg_call *);
int arg_op_shown(const struct arg_ops *, const struct arg_call *,
    unsigned int argn);

/*
 * Parts of them, for kinds that put together more.
 */

/* An argument of the entry, as wide as its type; 0: there was no entry. */
uint64_t arg_value(const struct arg_call *, unsigned int argn);
/* The text that was read for an argument: entry's, or if that is missing the
 * return's.  NULL: none that could be read. */
const struct dt_rec_string *
arg_string(const struct arg_call *, unsigned int argn);
/* The names as the machine of a call has them; as a machine has them. */
const struct arg_names *
arg_names_of(const struct arg_names *, const struct arg_call *);
const struct arg_names *arg_names_on(const struct arg_names *, enum machine);
/* The names of the bits, then what is left in hex. */
void arg_put_flags(struct buf *, const struct arg_names *, uint64_t);
/* The same; returns what is left instead, and sets *any if a name was put. */
uint64_t
arg_put_bits(struct buf *, const struct arg_names *, uint64_t, int *any);
/* | and what is left in hex, if something is. */
void arg_put_rest(struct buf *, uint64_t, int any);
/* The name of the value; or hex. */
void arg_put_enum(struct buf *, const struct arg_names *, uint64_t);
/* NULL if there is none. */
const struct arg_name *arg_name_of(const struct arg_names *, uint64_t);
void arg_put_fd(struct buf *, const struct arg_call *, int fd);
void arg_put_dirfd(struct buf *, const struct arg_call *, int fd);
void arg_put_sig(struct buf *, unsigned int);
/* 0644; 0 has one digit only if width is 1. */
void arg_put_oct(struct buf *, uint64_t, int width);
void arg_put_hex(struct buf *, uint64_t); /* 0x1f, but 0 */
void arg_put_ptr(struct buf *, uint64_t); /* hex, or NULL */
/* "quoted", with ... behind if it was cut. */
void arg_put_str(struct buf *, const char *, size_t, int cut);

#endif /* CLI_DECODE_KIND_H */
