/* SPDX-License-Identifier: ISC */
/*
 * The kcov device: which code a thread has reached.  Commands, modes and the
 * layout of the memory are OpenBSD's; what Linux adds has numbers of 64 and
 * above.  See kcov(4).
 */
#ifndef SYS_KCOV_H
#define SYS_KCOV_H

#include <stdint.h>
#include <sys/types.h>

#include <dev/dt/dtvar.h> /* how commands are numbered */

#define KCOVDEVNAME	"/run/dt/kcov"

#define KCOV_BUF_MAX	(256UL << 10) /* entries, of KCOV_ENTRY_SIZE */
#define KCOV_ENTRY_SIZE 8

/*
 * The memory is an array of 64-bit entries.  The first counts the records
 * behind it, and is the program's to reset.  A record that finds no room is
 * dropped and does not count.
 *
 * KCOV_MODE_TRACE_PC: a record is one entry, the address.
 * KCOV_MODE_TRACE_CMP: four: type, both operands, address.
 */
#define KCOV_MODE_NONE	    0
#define KCOV_MODE_TRACE_PC  1
#define KCOV_MODE_TRACE_CMP 2

/* Linux, beside a mode: nothing is recorded of the kernel; what does is the
 * program, made with -fsanitize-coverage and libdtkcov.a. */
#define KCOV_MODE_USER 0x100

/* A comparison's type: a constant is the first operand; log2 of their bytes. */
#define KCOV_CMP_CONST	   0x1
#define KCOV_CMP_SIZE(x)   ((x) << 1)

#define KCOV_REMOTE_COMMON 0

struct kio_remote_attach {
	int subsystem; /* KCOV_REMOTE_COMMON */
	int id;	       /* means nothing */
};

/* Linux: enables a thread other than the caller: of the same process, or the
 * only one of its child. */
struct kio_thread {
	int32_t kt_mode;
	int32_t kt_tid; /* as the caller's pid namespace has it */
};

#define KIO_FUNCS_LEN 1000

/* Linux: the kernel's functions whose entries are recorded. */
struct kio_funcs {
	/* globs, with spaces between them; "": the default, see kcov(4) */
	char kf_globs[KIO_FUNCS_LEN];
};

#define KCOV_METHOD_NONE   0
#define KCOV_METHOD_MULTI  1 /* kprobe.multi: any number */
#define KCOV_METHOD_KPROBE 2 /* one by one: KCOV_KPROBE_MAX */

#define KCOV_KPROBE_MAX	   128

/* Linux: what KIOENABLE would attach to, and its price. */
struct kio_price {
	uint32_t kp_nfuncs;   /* functions that the globs name */
	uint32_t kp_method;   /* KCOV_METHOD_* */
	uint32_t kp_attached; /* they are attached already */
	uint32_t kp_attachms; /* about how long that takes else */
	uint64_t kp_total;    /* functions that could be named here */
};

/* Linux: since KIOSETBUFSIZE. */
struct kio_stat {
	uint64_t ks_recorded;  /* records in the memory, or that were there */
	uint64_t ks_dropped;   /* the memory was full */
	uint64_t ks_interrupt; /* left out: in an interrupt */
	uint64_t ks_missed;    /* the kernel could not run the program */
	uint64_t ks_stopped; /* so often the service stopped it: see kcov(4) */
};

#define KIOSETBUFSIZE	DT_IOW('K', 1, unsigned long)
#define KIOENABLE	DT_IOW('K', 2, int)
#define KIODISABLE	DT_IO('K', 3)
#define KIOREMOTEATTACH DT_IOW('K', 4, struct kio_remote_attach)
#define KIOENABLETHREAD DT_IOW('K', 64, struct kio_thread)
#define KIOSETFUNCS	DT_IOW('K', 65, struct kio_funcs)
#define KIOGETPRICE	DT_IOR('K', 66, struct kio_price)
#define KIOGETSTAT	DT_IOR('K', 67, struct kio_stat)
#define KIONOLIMIT	DT_IOW('K', 68, int) /* Linux: cost-limit does not hold */

#endif /* SYS_KCOV_H */
