/* SPDX-License-Identifier: ISC */
/*
 * The compact record: written into a ring by BPF programs, forwarded unparsed
 * by the daemon, and returned by libdt.  Included by bpf/, daemon/, lib/ and,
 * installed as dt/evt.h, by clients.
 *
 * A record is a struct dt_rec, followed by sections in the order of their flag
 * bits.  All fields are in native byte order, and every section is a multiple
 * of 8 bytes long, so that each u64 is aligned.  Readers skip a record of
 * unknown kind by its length.
 */
#ifndef WIRE_EVT_H
#define WIRE_EVT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* dr_kind */
#define DT_REC_EVENT 1 /* a probe was hit */
#define DT_REC_KEYED 2 /* the same; a __u64, the key, follows all sections */

/* dr_flags: the sections that follow, in this order */
#define DT_REC_ARGS	 0x01 /* __u64 for each declared argument */
#define DT_REC_RETVAL	 0x02 /* struct dt_rec_ret */
#define DT_REC_COMM	 0x04 /* char [DT_REC_COMMLEN], NUL padded */
#define DT_REC_WHO	 0x08 /* struct dt_rec_who */
#define DT_REC_KSTACK	 0x10 /* struct dt_rec_stack */
#define DT_REC_USTACK	 0x20 /* struct dt_rec_stack */
#define DT_REC_STRINGS	 0x40 /* struct dt_rec_strings */
#define DT_REC_DURATION	 0x80 /* struct dt_rec_duration */

#define DT_REC_COMMLEN	 16    /* TASK_COMM_LEN of Linux */
#define DT_REC_NARGS	 24    /* arguments; struct dt_evt has fewer */
#define DT_REC_MAXFRAMES 127   /* frames, the kernel's limit */
#define DT_REC_MAXPATH	 4096  /* bytes of a string: PATH_MAX of Linux */
#define DT_REC_MAXMEMORY 512   /* bytes of a struct, or an array of structs */
#define DT_REC_MAXDATA	 32    /* bytes of data read or written */
#define DT_REC_STRBYTES	 16384 /* bytes of the section of strings */

struct dt_rec {
	__u16 dr_length; /* bytes, header and sections */
	__u8 dr_kind;	 /* DT_REC_EVENT or DT_REC_KEYED */
	__u8 dr_flags;	 /* sections that follow */
	__u32 dr_pbn;	 /* number of the probe */
	__u64 dr_time;	 /* CLOCK_MONOTONIC at the hit, ns */
	__u32 dr_pid;	 /* process (Linux: tgid) */
	__u32 dr_tid;	 /* thread (Linux: pid) */
};

#ifndef __bpf__
static inline int
dt_rec_isevent(const struct dt_rec *rec)
{
	return rec->dr_kind == DT_REC_EVENT || rec->dr_kind == DT_REC_KEYED;
}
#endif

/*
 * Return value.  A failed call has drr_retval -1 and its errno; 512 to 516 are
 * ERESTART*.
 */
struct dt_rec_ret {
	__s64 drr_retval;
	__u32 drr_error;
	__u32 drr_pad;
};

/* The thread's owner. */
struct dt_rec_who {
	__u64 drw_cgroup; /* id in the cgroup v2 hierarchy */
	__u32 drw_uid;	  /* real user id in the initial user namespace */
	__u32 drw_ppid;	  /* parent process; 0: none visible to this client */
};

/* Why a stack has no further frames, where the kernel reports it. */
enum dt_stack_end {
	DT_STACK_ENDED = 0, /* the unwinder found no further frame */
	DT_STACK_LIMIT,	    /* DT_REC_MAXFRAMES, or more than a copy has */
	DT_STACK_NOMM,	    /* the thread has no user memory */
	DT_STACK_DENIED,    /* the client may not see these addresses */
	DT_STACK_ERRNO,	    /* the kernel refused, with drs_error */
	DT_STACK_BUSY,	    /* the scratch of this CPU was in use */
	/* of stacks with DT_STACK_TABLE */
	DT_STACK_NOTABLE, /* no table has the code, nor a frame pointer */
	DT_STACK_FAULT,	  /* memory of the stack could not be read */
	DT_STACK_RULE,	  /* the table has an unsupported rule */
	DT_STACK_NOMAP,	  /* the address is in no mapping */
	DT_STACK_PENDING, /* the table is being built */
	DT_STACK_EVICTED, /* the table was removed: memory is limited */
};

/* How user frames were found. */
enum dt_stack_how {
	DT_STACK_FP = 0, /* by frame pointers; ENDED: their chain ends */
	DT_STACK_TABLE,	 /* by unwind tables; ENDED: the first frame of all */
	/*
	 * By frame pointers, since tables were not ready, and drs_end is
	 * PENDING.  The daemon has a copy of the stack: DTIOCGSTACK returns its
	 * frames by unwind tables.
	 */
	DT_STACK_COPIED,
};

struct dt_rec_stack {
	__u16 drs_count; /* frames that follow, __u64 each */
	__u8 drs_end;	 /* enum dt_stack_end */
	__u8 drs_how;	 /* enum dt_stack_how */
	union {
		__u32 drs_error; /* errno with DT_STACK_ERRNO, else 0 */
		__u32 drs_copy;	 /* with DT_STACK_COPIED: its number */
	};
	/* __u64 pcs[drs_count], innermost first */
};

/* Followed by drz_count struct dt_rec_string. */
struct dt_rec_strings {
	__u32 drz_count;
	__u32 drz_nbytes; /* bytes of all strings including their headers */
};

/*
 * Memory that an argument points to: drt_length bytes without NUL, padded to a
 * multiple of 8.  Unreadable memory has length 0 and an errno.
 *
 * With DT_STR_FILE, the path of the file to which the argument, a descriptor,
 * referred at the hit.  If the argument is AT_FDCWD, or a relative path
 * without a directory descriptor, the path of the working directory.
 */
struct dt_rec_string {
	__u8 drt_argn;	   /* index of the argument */
	__u8 drt_flags;	   /* DT_STR_* */
	__u16 drt_error;   /* errno if the memory could not be read */
	__u16 drt_length;  /* bytes that follow */
	__u16 drt_truelen; /* length before cutting; 65535: at least */
};

#define DT_STR_RETURN 0x01 /* read when the call returned */
#define DT_STR_MEMORY 0x02 /* not text: a struct, or an array of structs */
#define DT_STR_DATA   0x04 /* not text: data read or written */
/*
 * Reached through a second pointer: an element of a vector of strings (argv),
 * a buffer of a vector (DATA), or the iovecs of a message (MEMORY).
 */
#define DT_STR_VECTOR 0x08
#define DT_STR_MORE   0x10 /* no bytes: drt_truelen more elements follow */
#define DT_STR_FILE   0x20 /* path of a descriptor, or the working directory */
#define DT_STR_READ   0x40 /* result of read drt_argn (DTIOCSREADS) */

/* drt_argn of the text that the returned value points to */
#define DT_STR_RETVAL 0xff

/* A string without any of these flags is text. */
#define DT_STR_KINDS \
	(DT_STR_MEMORY | DT_STR_DATA | DT_STR_VECTOR | DT_STR_MORE | \
	    DT_STR_FILE | DT_STR_READ)

/*
 * Section of the second hit of a pair.  The record has the first hit's
 * arguments, drd_nargs of them regardless of what the probe declares.  It is
 * the last section, so readers can find it from the record's end.
 */
struct dt_rec_duration {
	__u64 drd_nsecs; /* time between the two hits */
	__u32 drd_first; /* number of the first probe */
	__u32 drd_nargs; /* number of DT_REC_ARGS, or 0; and DT_PAIR_FIRST */
};

/* Flag in drd_nargs: a struct dt_rec_first precedes this section. */
#define DT_PAIR_FIRST 0x80000000

/* The thread of the first hit of a pair, with DTPA_FIRST. */
struct dt_rec_first {
	__u32 drf_pid; /* process */
	__u32 drf_tid; /* thread */
	__u32 drf_cpu;
	__u32 drf_pad;
	struct dt_rec_who drf_who;
	char drf_comm[DT_REC_COMMLEN];
};

/*
 * Header of each record in a BPF ring, and thus on the data socket.  The two
 * high bits of the length belong to the kernel.
 */
struct dt_ringhdr {
	__u32 rh_len;	/* bytes of the record, and the two bits */
	__u32 rh_pgoff; /* private to the kernel */
};

#define DT_RING_BUSY	(1U << 31) /* not yet committed */
#define DT_RING_DISCARD (1U << 30) /* not a record: skip */
#define DT_RING_LEN(l)	((l) & ~(DT_RING_BUSY | DT_RING_DISCARD))
/* Length of header and record, up to the next header. */
#define DT_RING_SPAN(l) ((DT_RING_LEN(l) + 8U + 7U) & ~7U)

/* Modes of a session.  It is opened with the first. */
#define DT_MODE_EVENTS	  0 /* an event for each hit */
#define DT_MODE_AGGREGATE 1 /* hits of some probes, or of all, are counted */

/*
 * The ledger of a session, which accounts for every hit.  When the session has
 * stopped, dl_fired == dl_read + dl_dropped + dl_recursed + dl_counted +
 * dl_mapfull.
 */
struct dt_ledger {
	__u64 dl_fired;	   /* hits that matched the session's filters */
	__u64 dl_read;	   /* accepted completely by the data socket */
	__u64 dl_dropped;  /* ring full, or client disconnected */
	__u64 dl_recursed; /* within another hit */
	/* The following are not part of the equation. */
	__u64 dl_missed;     /* hits that the kernel skipped */
	__u64 dl_excluded;   /* hits of the daemon and its clients */
	__u64 dl_skiptick;   /* missing clock ticks */
	__u64 dl_idle;	     /* missing ticks of idle CPUs, not a loss */
	__u64 dl_compat;     /* 32-bit system calls not recorded */
	__u64 dl_unfollowed; /* descendants that could not be followed */
	__u64 dl_runs;	     /* successful RECORD 1 */
	__u64 dl_mode;	     /* DT_MODE_* of the session */
	__u64 dl_counted;    /* in the equation: hits counted by key */
	__u64 dl_mapfull;    /* the same: hits whose key did not fit */
	__u64 dl_flags;	     /* DT_LEDGER_* */
	__u64 dl_unpaired;   /* first hits whose table was full */
};

#define DT_LEDGER_MISSED_UNKNOWN 0x1 /* the kernel does not count missed hits */
#define DT_LEDGER_FINAL		 0x2 /* the equation holds */
#define DT_LEDGER_STOPPED	 0x4 /* by dtd, because of its cost */
#define DT_LEDGER_NEWEST	 0x8 /* in a file: of the newest events only */
#define DT_LEDGER_ENDED		 0x10 /* stopped by dtd because dtd ended */
/*
 * Returns of functions may have been skipped because the kernel had no memory
 * to track the call, which this kernel does not count.  Set together with
 * MISSED_UNKNOWN.
 */
#define DT_LEDGER_RETURNS_UNKNOWN 0x20
/* Unwind tables were requested, but user stacks are by frame pointers. */
#define DT_LEDGER_NOTABLES 0x40
/* with STOPPED: not because of its cost, but because a probed file changed */
#define DT_LEDGER_CHANGED 0x80

#ifndef __cplusplus
_Static_assert(sizeof(struct dt_rec) == 24, "record header");
_Static_assert(sizeof(struct dt_rec_ret) == 16, "return section");
_Static_assert(sizeof(struct dt_rec_who) == 16, "who section");
_Static_assert(sizeof(struct dt_rec_stack) == 8, "stack section");
_Static_assert(sizeof(struct dt_rec_string) == 8, "string section");
_Static_assert(sizeof(struct dt_rec_duration) == 16, "duration section");
_Static_assert(sizeof(struct dt_rec_first) == 48, "section of the first hit");
_Static_assert(sizeof(struct dt_ledger) == 128, "ledger");
#endif

#endif /* WIRE_EVT_H */
