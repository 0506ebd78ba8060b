/* SPDX-License-Identifier: ISC */
/*
 * Arguments and result of the kernel's functions, as its BTF has them, that
 * of modules included.  It is read when somebody asks; any thread that may
 * wait for the kernel.
 */
#ifndef DAEMON_KERNEL_FUNC_PROTO_H
#define DAEMON_KERNEL_FUNC_PROTO_H

#include <stdint.h>

#include <dev/dt/dtvar.h>

#define FUNC_PROTO_NARGS 6 /* that registers carry */

struct func_proto {
	uint8_t fpr_nargs;
	uint8_t fpr_args[FUNC_PROTO_NARGS]; /* DT_KARG_* */
	uint8_t fpr_ret;		    /* the same, or DT_KRET_* */
	uint8_t fpr_hastext;		    /* an argument points to text */
};

/* The same for people; "" is void. */
struct func_proto_text {
	char fpt_type[FUNC_PROTO_NARGS][DTNAMESIZE];
	char fpt_name[FUNC_PROTO_NARGS][DTNAMESIZE];
	char fpt_ret[DTNAMESIZE];
};

/*
 * A function whose types are not known has six arguments of 64 bits, and so
 * has its result.  kt may be NULL.
 */
void func_proto_get(const char *symbol, const char *module, struct func_proto *,
    struct func_proto_text *kt);
/* The number of a function of the kernel itself in its BTF; 0: it has none. */
uint32_t func_proto_btfid(const char *symbol);
/* Whether a struct of the kernel itself has this member. */
int func_proto_hasmember(const char *structure, const char *member);
/* c: before all others.  An errno. */
int func_proto_init(void);
/* Somebody has use for the types, and has not any more: they may go then, but
 * not at once. */
void func_proto_hold(void);
void func_proto_drop(void);
/* Modules have come or gone. */
void func_proto_forget(void);

#endif /* DAEMON_KERNEL_FUNC_PROTO_H */
