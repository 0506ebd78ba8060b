/* SPDX-License-Identifier: ISC */
/*
 * The compact record: what a BPF program writes into a ring, what the daemon
 * forwards without looking into it, and what libdt hands to its clients.
 * Included by bpf/, daemon/, lib/ and, installed as dt/evt.h, by clients.
 *
 * A record is a struct dt_rec, then sections in the order of their flag
 * bits.  All fields are in the byte order of the machine, every section is a
 * multiple of 8 bytes long, so that a reader never meets an unaligned u64.
 * A record of an unknown kind is skipped by its length.
 */
#ifndef WIRE_EVT_H
#define WIRE_EVT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define DT_REC_EVENT 1 /* dr_kind: a probe was hit */

/* dr_flags: the sections that follow, in this order */
#define DT_REC_ARGS	 0x01 /* __u64 for each declared argument */
#define DT_REC_RETVAL	 0x02 /* struct dt_rec_ret */
#define DT_REC_COMM	 0x04 /* char [DT_REC_COMMLEN], NUL padded */
#define DT_REC_WHO	 0x08 /* struct dt_rec_who */
#define DT_REC_KSTACK	 0x10 /* struct dt_rec_stack */
#define DT_REC_USTACK	 0x20 /* struct dt_rec_stack */
#define DT_REC_STRINGS	 0x40 /* struct dt_rec_strings */
#define DT_REC_DURATION	 0x80 /* struct dt_rec_duration */

#define DT_REC_COMMLEN	 16    /* Linux' TASK_COMM_LEN */
#define DT_REC_NARGS	 24    /* arguments; struct dt_evt has fewer */
#define DT_REC_MAXFRAMES 127   /* the kernel's limit of a stack */
#define DT_REC_MAXPATH	 4096  /* bytes of a string: Linux' PATH_MAX */
#define DT_REC_MAXMEMORY 512   /* of a struct, or an array of them */
#define DT_REC_MAXDATA	 32    /* of what is read or written */
#define DT_REC_STRBYTES	 16384 /* of the section of strings */

struct dt_rec {
	__u16 dr_length; /* bytes, header and sections */
	__u8 dr_kind;	 /* DT_REC_EVENT */
	__u8 dr_flags;	 /* sections that follow */
	__u32 dr_pbn;	 /* number of the probe */
	__u64 dr_time;	 /* CLOCK_MONOTONIC at the hit, ns */
	__u32 dr_pid;	 /* process (Linux: tgid) */
	__u32 dr_tid;	 /* thread (Linux: pid) */
};

/* A failed call has drr_retval -1 and the errno; 512 to 516 are ERESTART*. */
struct dt_rec_ret {
	__s64 drr_retval;
	__u32 drr_error;
	__u32 drr_pad;
};

/* Whose thread it was. */
struct dt_rec_who {
	__u64 drw_cgroup; /* id of the cgroup v2 */
	__u32 drw_uid;	  /* real user id, as the initial namespace has it */
	__u32 drw_ppid;	  /* its parent; 0: none that this client may know */
};

/* Why a stack ended where it ended, as far as the kernel tells. */
enum dt_stack_end {
	DT_STACK_ENDED = 0, /* the unwinder found no further frame */
	DT_STACK_LIMIT,	    /* DT_REC_MAXFRAMES were found */
	DT_STACK_NOMM,	    /* the thread has no user memory */
	DT_STACK_DENIED,    /* this client may not see such addresses */
	DT_STACK_ERRNO,	    /* the kernel refused: drs_error tells */
	DT_STACK_BUSY,	    /* the scratch of this CPU was in use */
};

struct dt_rec_stack {
	__u16 drs_count; /* frames that follow, __u64 each */
	__u8 drs_end;	 /* enum dt_stack_end */
	__u8 drs_pad;
	__u32 drs_error; /* errno with DT_STACK_ERRNO, else 0 */
			 /* __u64 pcs[drs_count], innermost first */
};

/* Followed by drz_count struct dt_rec_string. */
struct dt_rec_strings {
	__u32 drz_count;
	__u32 drz_nbytes; /* of all strings, their headers included */
};

/*
 * What an argument points to, as far as it was read: drt_length bytes without
 * NUL, padded to a multiple of 8.  Memory that could not be read has length 0
 * and an errno.
 *
 * With DT_STR_FILE it is the path of the file that the argument, a descriptor,
 * referred to at the hit; of the working directory if the argument is
 * AT_FDCWD, or a relative path that no directory descriptor belongs to.
 */
struct dt_rec_string {
	__u8 drt_argn;	   /* which argument of the call */
	__u8 drt_flags;	   /* DT_STR_* */
	__u16 drt_error;   /* errno if the memory could not be read */
	__u16 drt_length;  /* bytes that follow */
	__u16 drt_truelen; /* that there were; 65535: so many, or more */
};

#define DT_STR_RETURN 0x01 /* read when the call returned */
#define DT_STR_MEMORY 0x02 /* no text: a struct, or an array of them */
#define DT_STR_DATA   0x04 /* no text: what is read or written */
#define DT_STR_VECTOR \
	0x08		 /* behind a second pointer: an element of a vector
			      * of strings (argv), or of buffers (DATA), or the
			      * iovecs of a message (MEMORY) */
#define DT_STR_MORE 0x10 /* no bytes: drt_truelen more elements follow */
#define DT_STR_FILE 0x20 /* path of a descriptor, or the working directory */

/* A string without any of these flags is the text that an argument points to. */
#define DT_STR_KINDS \
	(DT_STR_MEMORY | DT_STR_DATA | DT_STR_VECTOR | DT_STR_MORE | \
	    DT_STR_FILE)

/*
 * A record of the second of a pair of probes: its arguments, drd_nargs of them
 * whatever the probe declares, are those of the first.  As the last section it
 * is found from the record's end.
 */
struct dt_rec_duration {
	__u64 drd_nsecs; /* between the two hits */
	__u32 drd_first; /* number of the first probe */
	__u32 drd_nargs; /* of DT_REC_ARGS, 0 without them; DT_PAIR_FIRST */
};

#define DT_PAIR_FIRST \
	0x80000000 /* in drd_nargs: a struct dt_rec_first is
				  * before this section */

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
 * What stands before each record in a BPF ring, and so on the data socket.
 * The two high bits of the length belong to the kernel.
 */
struct dt_ringhdr {
	__u32 rh_len;	/* bytes of the record | the two bits */
	__u32 rh_pgoff; /* the kernel's own */
};

#define DT_RING_BUSY	(1U << 31) /* not yet committed */
#define DT_RING_DISCARD (1U << 30) /* no record: skip */
#define DT_RING_LEN(l)	((l) & ~(DT_RING_BUSY | DT_RING_DISCARD))
/* Header and record, as far as the next header. */
#define DT_RING_SPAN(l) ((DT_RING_LEN(l) + 8U + 7U) & ~7U)

/* What an open makes of its hits.  An open is of one mode for all its life;
 * a daemon that does not have it refuses. */
#define DT_MODE_EVENTS	  0 /* a record each */
#define DT_MODE_AGGREGATE 1 /* counts, sums, histograms by key, in maps */

/*
 * The ledger of one open: what became of every hit.  When the open has
 * stopped, dl_fired == dl_read + dl_dropped + dl_recursed, or in aggregate
 * mode dl_counted + dl_mapfull + dl_recursed.
 */
struct dt_ledger {
	__u64 dl_fired;	   /* hits that matched the open's filters */
	__u64 dl_read;	   /* accepted whole by the data socket */
	__u64 dl_dropped;  /* ring full, or the client went away */
	__u64 dl_recursed; /* scratch was in use by an outer hit */
	/* outside of the equation */
	__u64 dl_missed;     /* hits that the kernel itself skipped */
	__u64 dl_excluded;   /* hits of the daemon and its clients */
	__u64 dl_skiptick;   /* clock ticks that did not come */
	__u64 dl_idle;	     /* and those of idle CPUs, which are no loss */
	__u64 dl_compat;     /* 32-bit system calls not recorded */
	__u64 dl_unfollowed; /* descendants that could not be followed */
	__u64 dl_runs;	     /* RECORD 1 that have succeeded */
	__u64 dl_mode;	     /* DT_MODE_* */
	__u64 dl_counted;    /* aggregate: entered into the maps */
	__u64 dl_mapfull;    /* aggregate: no room for another key */
	__u64 dl_flags;	     /* DT_LEDGER_* */
	__u64 dl_unpaired;   /* firsts of pairs that found no room */
};

#define DT_LEDGER_MISSED_UNKNOWN 0x1  /* the kernel does not count them */
#define DT_LEDGER_FINAL		 0x2  /* the equation holds */
#define DT_LEDGER_STOPPED	 0x4  /* by dtd, as it cost too much */
#define DT_LEDGER_NEWEST	 0x8  /* in a file: of the newest events only */
#define DT_LEDGER_ENDED		 0x10 /* by dtd, as it was to end itself */
/* Returns of functions may have been skipped for want of a place to keep them,
 * which this kernel does not count.  Comes with MISSED_UNKNOWN. */
#define DT_LEDGER_RETURNS_UNKNOWN 0x20

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
