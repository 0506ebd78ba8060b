/* SPDX-License-Identifier: ISC */
/*
 * Kinds of arguments: how the number of an argument or result is formatted. The
 * kinds of a probe's arguments are found once, when the probe is added
 * (name_cache_add_probe()), in the tables of cli/decode/; printing then costs an
 * indirect call per argument.
 *
 * The text follows strace(1), without its comments: flags by name, with unnamed
 * bits after them in hex; a value without a name in hex; 0 for no flags, NULL
 * for a null pointer.  Functions append to a buffer and do not depend on the
 * output format; they neither allocate nor fail.
 */
#ifndef CLI_DECODE_KIND_H
#define CLI_DECODE_KIND_H

#include <stddef.h>
#include <stdint.h>

#include "cli/decode/args.h"

/*
 * A name of bits or of a value.  Flags: names that match under their mask are
 * printed in table order, and their mask is then removed; so a name with
 * several bits precedes its parts, and a field of values is one mask with
 * several names.  Values: the mask is not used.
 */
struct arg_name {
	uint64_t an_mask;
	uint64_t an_value;
	const char *an_name;
	size_t an_len; /* length of the name, which saves a strlen(3) */
};

#define ARG_NAME(mask, value, name) \
	{ \
		(mask), (value), (name), sizeof(name) - 1 \
	}
#define ARG_IS(x) ARG_NAME(0, x, #x)

/* A table of names. */
struct arg_names {
	const struct arg_name *ns_list;
	size_t ns_n;
	const char *ns_zero; /* flags: text for no bits; NULL: "0" */
	/* values on arm64 if they differ, or NULL */
	const struct arg_names *ns_arm64;
};

/* For tables that the build makes from lists (names.awk). */
#define ARG_NAMES(list, zero, arm64) \
	{ \
		(list), sizeof(list) / sizeof((list)[0]), (zero), (arm64) \
	}

/*
 * A kind.  Its function receives the value in the width of the argument's type,
 * zero-extended (an int is signed after a cast to int32_t); a result is
 * sign-extended to 64 bits.  argn is ARG_RET for a result; arg_value() returns
 * the other arguments of the call.
 */
struct arg_kind {
	void (*ak_text)(struct buf *, const struct arg_call *,
	    unsigned int argn, uint64_t value, const struct arg_kind *);
	const void *ak_table; /* for the function: usually a struct arg_names */
	/* names of values, if ak_table does not contain them; or NULL */
	const struct arg_names *ak_names;
};

#define ARG_RET ((unsigned int)-1)

/* Initializers for tables. */
#define ARG_KIND(text, table) \
	(&(const struct arg_kind){ (text), (table), NULL })
#define ARG_FLAGS(names) ARG_KIND(arg_flags_text, &(names))
#define ARG_ENUM(names)	 ARG_KIND(arg_enum_text, &(names))
#define ARG_NOTE(names)	 ARG_KIND(arg_note_enum_text, &(names))
#define ARG_FUNC(text)	 ARG_KIND((text), NULL)
#define ARG_FUNC_NAMES(text, names) \
	(&(const struct arg_kind){ (text), NULL, &(names) })

/*
 * Assigns a kind to arguments.  The first matching row counts.  Calls: names
 * separated by blanks, "*" for all; 32-bit calls are found with and without
 * their suffix (fcntl64, futex_time64, setuid32).  Name: as in val_classify();
 * "*fd" matches any name that ends in fd; "=" is the result.  Type: as the
 * kernel spells it, or a suffix after *; NULL: any.
 */
struct arg_row {
	const char *ar_calls;
	const char *ar_name;
	const char *ar_type;
	const struct arg_kind *ar_kind;
};

/*
 * Arguments that are in use only for some values of others: of fcntl(2) it
 * depends on the command.  The function returns whether an argument is in use
 * and is printed.
 */
typedef int arg_shown_fn(const struct arg_call *, unsigned int argn);

struct arg_show {
	const char *as_calls;
	arg_shown_fn *as_fn;
};

/* Tables of one file of cli/decode/; kind_find.c lists them. */
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

/*
 * kind_find.c: arguments of system calls: returns NULL for an unknown one; name
 * "=" is the result.
 */
const struct arg_kind *
arg_find(const char *call, const char *name, const char *type);
arg_shown_fn *arg_find_shown(const char *call);
/*
 * Calls fn for all rows until it returns a value other than 0, which is the
 * result.
 */
int arg_find_each(int (*fn)(void *, const struct arg_row *), void *);

/* tracepoint_field.c: kind of the field; flags: DTAN_*.  NULL: a number. */
const struct arg_kind *arg_field(const char *subsys, const char *name,
    const char *type, unsigned int flags);

/* kind_text.c: functions for common kinds */
void arg_flags_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_enum_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
/*
 * Results: the number, followed by its meaning in parentheses: flags if it is
 * not 0, a value if it has a name.
 */
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
/* proc.c: prints -1 as it is */
void arg_uid_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);

/* ioctl.c: arguments of requests that take a number; names of requests */
void arg_ioctl_arg_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
void arg_put_ioctl(struct buf *, uint32_t);

/* option.c: calls with an option argument */

/*
 * An option: bits of the following arguments that are in use (bit 0 is the
 * first), and their kinds.
 */
struct arg_op {
	struct arg_name ao_name;
	unsigned int ao_args;
	const struct arg_kind *ao_kinds[4]; /* NULL: hex */
	const struct arg_kind *ao_ret;	    /* NULL: decimal */
};

/* All options of a call.  An unknown option uses all arguments, in hex. */
struct arg_ops {
	const struct arg_op *aos_list;
	size_t aos_n;
	unsigned int aos_argn; /* index of the option argument */
	uint64_t aos_mask;     /* bits of it that select the option */
	/* options of one architecture only, by enum machine; or NULL */
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
/* Kind for a row of the option, of an argument after it, or of the result. */
#define ARG_OP(ops) ARG_KIND(arg_op_text, &(ops))

void arg_op_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
const struct arg_op *
arg_op_find(const struct arg_ops *, const struct arg_call *);
int arg_op_shown(const struct arg_ops *, const struct arg_call *,
    unsigned int argn);

/* Building blocks for kinds. */

/*
 * Returns an argument of the entry in the width of its type; 0 without an
 * entry.
 */
uint64_t arg_value(const struct arg_call *, unsigned int argn);
/*
 * Returns the text read for an argument at the entry, or if that is missing at
 * the return.  NULL: none could be read.
 */
const struct dt_rec_string *
arg_string(const struct arg_call *, unsigned int argn);
/* Returns the names for the machine of a call, or for a given machine. */
const struct arg_names *
arg_names_of(const struct arg_names *, const struct arg_call *);
const struct arg_names *arg_names_on(const struct arg_names *, enum machine);
/* Prints the names of the bits, then the other bits in hex. */
void arg_put_flags(struct buf *, const struct arg_names *, uint64_t);
/* The same, but returns the other bits; sets *any if a name was printed. */
uint64_t
arg_put_bits(struct buf *, const struct arg_names *, uint64_t, int *any);
/* Prints | and the other bits in hex, if there are any. */
void arg_put_rest(struct buf *, uint64_t, int any);
/* Prints the name of the value, or the value in hex. */
void arg_put_enum(struct buf *, const struct arg_names *, uint64_t);
/* Returns NULL if the value has no name. */
const struct arg_name *arg_name_of(const struct arg_names *, uint64_t);
void arg_put_fd(struct buf *, const struct arg_call *, int fd);
void arg_put_dirfd(struct buf *, const struct arg_call *, int fd);
void arg_put_sig(struct buf *, unsigned int);
/* A siginfo_t, of which the first nbytes, at least 12, are known. */
void arg_put_siginfo(struct buf *, const void *, size_t nbytes);
/* Octal, for example 0644; 0 has one digit only if width is 1. */
void arg_put_oct(struct buf *, uint64_t, int width);
void arg_put_hex(struct buf *, uint64_t); /* hex such as 0x1f, but 0 */
void arg_put_ptr(struct buf *, uint64_t); /* hex, or NULL */
/* "quoted", followed by ... if it was cut. */
void arg_put_str(struct buf *, const char *, size_t, int cut);
void arg_put_string(struct buf *, const struct dt_rec_string *);

#endif /* CLI_DECODE_KIND_H */
