/* SPDX-License-Identifier: ISC */
/*
 * Commands and structs of the kcov device, which records the code that a thread
 * reaches; see kcov(4).  Commands, modes and the layout of the memory are
 * OpenBSD's.  Linux additions have numbers from 64 up.
 */
#ifndef SYS_KCOV_H
#define SYS_KCOV_H

#include <stdint.h>
#include <sys/types.h>

#include <dev/dt/dtvar.h> /* numbering of commands */

#define KCOVDEVNAME	"/run/dt/kcov"

#define KCOV_BUF_MAX	(512UL << 10) /* entries of KCOV_ENTRY_SIZE */
#define KCOV_ENTRY_SIZE 8	      /* bytes */

/*
 * The memory is an array of 64-bit entries.  The first entry counts the records
 * that follow; the program resets it.  A record that does not fit is dropped
 * and not counted.
 *
 * KCOV_MODE_TRACE_PC: a record is one entry, the address.
 * KCOV_MODE_TRACE_CMP: a record is four entries: type, operands, address.
 */
#define KCOV_MODE_NONE	    0
#define KCOV_MODE_TRACE_PC  1
#define KCOV_MODE_TRACE_CMP 2

/* Linux: flag of a mode.  The program records itself, compiled with
 * -fsanitize-coverage and linked with libdtkcov.a, instead of the kernel. */
#define KCOV_MODE_USER 0x100

/* Type of a comparison */
#define KCOV_CMP_CONST	   0x1	      /* the first operand is a constant */
#define KCOV_CMP_SIZE(x)   ((x) << 1) /* operands of 2^x bytes */

#define KCOV_REMOTE_COMMON 0

struct kio_remote_attach {
	int subsystem; /* KCOV_REMOTE_COMMON */
	int id;	       /* ignored */
};

/* Linux: enables another thread of the same process, or the only thread of a
 * child. */
struct kio_thread {
	int32_t kt_mode;
	int32_t kt_tid; /* in the caller's pid namespace */
};

#define KIO_FUNCS_LEN 1000

/* Linux: the kernel functions whose entries are recorded. */
struct kio_funcs {
	/* globs separated by spaces; "": the default set, see kcov(4) */
	char kf_globs[KIO_FUNCS_LEN];
};

#define KCOV_METHOD_NONE   0
#define KCOV_METHOD_MULTI  1 /* kprobe.multi: any number of functions */
#define KCOV_METHOD_KPROBE 2 /* single kprobes: at most KCOV_KPROBE_MAX */

#define KCOV_KPROBE_MAX	   128

/* Linux: the functions that KIOENABLE would attach to, and their price. */
struct kio_price {
	uint32_t kp_nfuncs;   /* functions that the globs match */
	uint32_t kp_method;   /* KCOV_METHOD_* */
	uint32_t kp_attached; /* 1: the functions are attached already */
	uint32_t kp_attachms; /* estimated time to attach, ms */
	uint64_t kp_total;    /* functions that globs can match here */
};

/* Linux: counts since KIOSETBUFSIZE. */
struct kio_stat {
	uint64_t ks_recorded;  /* records, including those reset since */
	uint64_t ks_dropped;   /* records dropped, memory full */
	uint64_t ks_interrupt; /* hits skipped in interrupts */
	uint64_t ks_missed;    /* hits missed by the kernel */
	uint64_t ks_stopped;   /* times that the service stopped the session */
};

#define KIOSETBUFSIZE	DT_IOW('K', 1, unsigned long)
#define KIOENABLE	DT_IOW('K', 2, int)
#define KIODISABLE	DT_IO('K', 3)
#define KIOREMOTEATTACH DT_IOW('K', 4, struct kio_remote_attach)
#define KIOENABLETHREAD DT_IOW('K', 64, struct kio_thread)
#define KIOSETFUNCS	DT_IOW('K', 65, struct kio_funcs)
#define KIOGETPRICE	DT_IOR('K', 66, struct kio_price)
#define KIOGETSTAT	DT_IOR('K', 67, struct kio_stat)
#define KIONOLIMIT	DT_IOW('K', 68, int) /* Linux: lift cost limits */

#endif /* SYS_KCOV_H */
