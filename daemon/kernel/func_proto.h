/* SPDX-License-Identifier: ISC */
/*
 * Argument and result types of functions of the kernel and its modules, from
 * BTF, which is read on demand.  For threads that may block in the kernel.
 */
#ifndef DAEMON_KERNEL_FUNC_PROTO_H
#define DAEMON_KERNEL_FUNC_PROTO_H

#include <stdint.h>

#include <dev/dt/dtvar.h>

#define FUNC_PROTO_NARGS 6 /* passed in registers */

struct func_proto {
	uint8_t fpr_nargs;
	uint8_t fpr_args[FUNC_PROTO_NARGS]; /* DT_KARG_* */
	uint8_t fpr_ret;		    /* the same, or DT_KRET_* */
};

/* The same as text; "" is void. */
struct func_proto_text {
	char fpt_type[FUNC_PROTO_NARGS][DTNAMESIZE];
	char fpt_name[FUNC_PROTO_NARGS][DTNAMESIZE];
	char fpt_ret[DTNAMESIZE];
};

/*
 * Describes a function.  Without known types it has six arguments and a result
 * of 64 bits.  kt may be NULL.
 */
void func_proto_get(const char *symbol, const char *module, struct func_proto *,
    struct func_proto_text *kt);
/* Returns the BTF id of a function of the kernel itself; 0: none. */
uint32_t func_proto_btfid(const char *symbol);
/* Returns whether a struct of the kernel itself has this member. */
int func_proto_hasmember(const char *structure, const char *member);
/* c: to be called first.  Returns errno. */
int func_proto_init(void);
/* Hold and release the types; unused types are freed after a while. */
void func_proto_hold(void);
void func_proto_drop(void);
/* Modules were loaded or unloaded. */
void func_proto_forget(void);

#endif /* DAEMON_KERNEL_FUNC_PROTO_H */
