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

#define KPROTO_NARGS 6 /* that registers carry */

struct kproto {
	uint8_t kp_nargs;
	uint8_t kp_args[KPROTO_NARGS]; /* DT_KARG_* */
	uint8_t kp_ret;		       /* the same, or DT_KRET_* */
	uint8_t kp_hastext;	       /* an argument points to text */
};

/* The same for people; "" is void. */
struct kproto_text {
	char kt_type[KPROTO_NARGS][DTNAMESIZE];
	char kt_name[KPROTO_NARGS][DTNAMESIZE];
	char kt_ret[DTNAMESIZE];
};

/*
 * A function whose types are not known has six arguments of 64 bits, and so
 * has its result.  kt may be NULL.
 */
void kproto_get(const char *symbol, const char *module, struct kproto *,
    struct kproto_text *kt);
/* The number of a function of the kernel itself in its BTF; 0: it has none. */
uint32_t kproto_btfid(const char *symbol);
/* Whether a struct of the kernel itself has this member. */
int kproto_hasmember(const char *structure, const char *member);
/* c: before all others.  An errno. */
int kproto_init(void);
/* Somebody has use for the types, and has not any more: they may go then, but
 * not at once. */
void kproto_hold(void);
void kproto_drop(void);
/* Modules have come or gone. */
void kproto_forget(void);

#endif /* DAEMON_KERNEL_FUNC_PROTO_H */
