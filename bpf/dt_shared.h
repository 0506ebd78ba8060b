/* SPDX-License-Identifier: ISC */
/*
 * Session table and related memory shared by the daemon and the BPF programs.
 * Included by bpf/ and daemon/dt/.  Layout and constants only; the programs'
 * maps are declared elsewhere.
 *
 * Letters: D: written by the daemon before the session's bit is set in any
 * mask, then constant until the grace period after the bit is cleared; B:
 * written by BPF; *: written by both, atomically.
 */
#ifndef BPF_DT_SHARED_H
#define BPF_DT_SHARED_H

#include <linux/types.h>

#include "bpf/dt_agg_table.h"
#include "bpf/dt_cond_table.h"
#include "bpf/unwind_shared.h"
#include <dt/evt.h>
#include <dt/read.h>

#define DT_MAXSESS   128 /* sessions of the device at a time */
#define DT_MASKWORDS (DT_MAXSESS / 64)
#define DT_CACHELINE 64

/* ses_flags */
#define DT_SESS_SELF   0x1  /* excludes no process */
#define DT_SESS_KADDR  0x2  /* may see kernel addresses */
#define DT_SESS_FOLLOW 0x4  /* follows processes and their descendants */
#define DT_SESS_CGROUP 0x8  /* restricted to a cgroup and its descendants */
#define DT_SESS_OWN    0x10 /* of its owner's processes only, see dt_owner */
#define DT_SESS_TICKS  0x20 /* with OWN: ticks may still report any process */
#define DT_SESS_USTACK 0x40 /* a probe records user stacks */
#define DT_SESS_TABLE  0x80 /* user stacks by unwind tables */

/* Restrictions that few sessions have; one branch tests for all of them. */
#define DT_SESS_BOUNDS (DT_SESS_CGROUP | DT_SESS_OWN)

/*
 * Unknown level: a client in a cgroup namespace cannot see a cgroup's absolute
 * depth.
 */
#define DT_CGROUP_ANYLEVEL 0xffffffff
#define DT_CGROUP_MAXLEVEL 64 /* levels searched if the level is unknown */

/* Process and thread ids in one word. */
#define DT_ID(pid, tid) ((__u64)(pid) << 32 | (tid))

/*
 * One session.  Its filter has a value and a mask for each property: a hit
 * passes if no masked bit differs from the value.  The test is therefore one
 * branch, and everything that it reads is in the first cache line.
 */
struct dt_sess {
	__u64 ses_id;	    /* [D] filter: DT_ID of process, thread */
	__u64 ses_idmask;   /* [D] mask of ses_id */
	__u64 ses_comm[2];  /* [D] filter: thread name, NUL padded */
	__u64 ses_commmask; /* [D] mask of each word of ses_comm */
	__u64 ses_uid;	    /* [D] filter: real user id */
	__u64 ses_uidmask;  /* [D] mask of ses_uid */
	__u32 ses_flags;    /* [D] DT_SESS_* */
	__u32 ses_gen;	    /* [D] generation, repeated in link cookies */
	__u32 ses_armed;    /* [*] the data thread sleeps and wants a wake-up */
	__u32 ses_mode;	    /* [D] DT_MODE_* */
	__u64 ses_nsid; /* [D] filter: DT_ID in ses_nsinum; replaces ses_id */
	__u64 ses_nsidmask; /* [D] mask of ses_nsid */
	__u32 ses_nsinum;   /* [D] pid namespace (inode), 0: initial */
	__u32 ses_nslevel;  /* [D] depth of that namespace */
	__u64 ses_period;   /* [D] period of the profile clock, ns */
	__u64 ses_cgroup;   /* [D] cgroup id, with DT_SESS_CGROUP */
	__u32 ses_cglevel;  /* [D] level of ses_cgroup or DT_CGROUP_ANYLEVEL */
	__u32 ses_run;	    /* [D] run number, part of the keys of pairs */
	__u32 ses_level;    /* [D] lowest enum dt_level that is excluded */
	__u32 ses_pad;
};

_Static_assert(sizeof(struct dt_sess) == 2 * DT_CACHELINE, "dt_open");

/*
 * Credentials of the client of a session with DT_SESS_OWN, as of its open.  Ids
 * are in the initial user namespace.
 */
struct dt_owner {
	__u64 ow_caps;	 /* [D] permitted capabilities */
	__u32 ow_uid;	 /* [D] real, effective and saved user id */
	__u32 ow_gid;	 /* [D] real, effective and saved group id */
	__u32 ow_userns; /* [D] inode of the user namespace */
	__u32 ow_pad;
};

/*
 * Key and value of the map dt_owned: processes whose stacks a session with
 * DT_SESS_OWN has recorded.  Between od_first and od_last the process was the
 * owner's, so its code may be symbolized.  After an exec the entry describes
 * the new program only.  The pid and the address of an mm_struct are reused,
 * so od_start and od_exec identify the program.
 */
struct dt_ownedkey {
	__u32 ok_slot;
	__u32 ok_gen; /* ses_gen of the session */
	__u32 ok_pid; /* process id in the initial namespace */
	__u32 ok_pad;
};

struct dt_owned {
	__u64 od_first; /* [B] time of the first hit */
	__u64 od_last;	/* [B] time of the last hit */
	__u64 od_start; /* [B] start_time of the process */
	__u64 od_exec;	/* [B] self_exec_id of the hit's thread */
};

#define DT_NOWNED 4096 /* LRU: the map evicts the longest unused entry */

/*
 * Privilege levels of processes in the map dt_excluded.  A session excludes
 * its own level and all above, and records clients with fewer rights.  Two
 * recording clients therefore never record each other, which would turn each
 * read into events of the other.
 *
 * t_excluded is a bit set by the low bits of the process id; a clear bit saves
 * the map lookup.
 */
enum dt_level {
	DT_LEVEL_USER,	/* records only its own processes, or ticks */
	DT_LEVEL_ALL,	/* has the right TRACE_ALL */
	DT_LEVEL_ADMIN, /* has the right ADMIN */
	DT_LEVEL_DTD,	/* dtd and its symbolizer */
	DT_NLEVEL
};

#define DT_EXCLUDE_WORDS     64
#define DT_EXCLUDE_WORD(pid) (((pid) >> 6) & (DT_EXCLUDE_WORDS - 1))
#define DT_EXCLUDE_BIT(pid)  (1ULL << ((pid)&63))

/*
 * Rows of t_bypid, selected by the low bits of the process id.  A row has the
 * sessions without a process filter, and the sessions whose filter names a
 * process with these bits.  All other sessions are skipped without a test.
 */
#define DT_BYPID 256

struct dt_table {
	__u64 t_bypid[DT_BYPID][DT_MASKWORDS]; /* [*] sessions by process */
	struct dt_sess t_sess[DT_MAXSESS];
	__u64 t_excluded[DT_EXCLUDE_WORDS]; /* [*] process ids, as bits */
	__u64 t_follow[DT_MASKWORDS];	/* [*] sessions with DT_SESS_FOLLOW */
	__u64 t_forking[DT_MASKWORDS];	/* [*] sessions that follow children */
	__u64 t_awaiting[DT_MASKWORDS]; /* [*] sessions that await an exec */
	__u64 t_own[DT_MASKWORDS];	/* [*] sessions with DT_SESS_OWN */
	struct dt_owner t_owner[DT_MAXSESS]; /* [D] of t_own */
	__u32 t_nsinum;	 /* [D] dtd's pid namespace (inode), 0: initial */
	__u32 t_nslevel; /* [D] depth of that namespace */
	__u64 t_seed;	 /* [D] secret, random, of hashes that clients see */
};

/*
 * Ledger counters of a session on one CPU, at [slot * ncpu + cpu] of the
 * counter map of the provider's object (enum dt_tally).
 */
struct dt_count {
	__u64 dc_fired;	     /* [B] hits that passed, without dc_counted */
	__u64 dc_dropped;    /* [B] hits without space in a ring */
	__u64 dc_recursed;   /* [B] hits lost because the scratch was in use */
	__u64 dc_excluded;   /* [B] hits of excluded processes */
	__u64 dc_compat;     /* [B] 32-bit system calls not recorded */
	__u64 dc_unfollowed; /* [B] children that could not be followed */
	__u64 dc_unpaired;   /* [B] first hits that could not be kept */
	__u64 dc_mapfull;    /* [B] hits whose key did not fit into the table */

	__u64 dc_counted; /* [B] hits in rows of the table */
	__u64 dc_hitpbn;  /* [B] probe of one of the last DT_AGG_VOTE */

	/* The profile clock, with dc_counted in its own cache line. */
	__u64 dc_base;	    /* [B] time accounted for; 0: clock closed */
	__u64 dc_idle0;	    /* [*] idle time of the CPU at dc_base, ns */
	__u64 dc_skiptick;  /* [*] periods skipped while the CPU was busy */
	__u64 dc_idle;	    /* [*] periods skipped while the CPU was idle */
	__u64 dc_unknown;   /* [*] periods skipped, idle or not is unknown */
	__u64 dc_idleticks; /* [*] ticks that interrupted the idle thread */
};

_Static_assert(sizeof(struct dt_count) == 2 * DT_CACHELINE, "dt_count");

/* A CPU's number of programs in progress; has a cache line. */
struct dt_inside {
	__u64 din_n; /* [B] */
	__u64 din_pad[DT_CACHELINE / 8 - 1];
};

/*
 * Sessions that follow a process, the value of the map dt_followed.  The key
 * is the address of the process's signal_struct: unlike a process id, the
 * kernel does not reuse it before sched_process_free is reported.
 */
struct dt_follow {
	__u64 fo_mask[DT_MASKWORDS]; /* [*] sessions that follow it */
	/* [*] sessions that follow it from its next exec on */
	__u64 fo_await[DT_MASKWORDS];
};

/* A session's settings for one probe. */
struct dt_req {
	__u8 rq_evtflags; /* DT_EVT_*, of the flags that the provider allows */
	__u8 rq_bits;	  /* DT_REQ_* */
	__u16 rq_cond;	  /* index in dt_conds; 0: no condition */
	union {
		__u16 rq_pairno; /* the session's number of its pair */
		/* without a pair: row of dt_reads; 0: none */
		__u16 rq_reads;
	};
	__u8 rq_pair; /* the pair's DT_PAIRDESC(), with DT_REQ_FROM or _TO */
	__u8 rq_agg;  /* DT_REQ_AGG_*; 0: an event for each hit */
};

_Static_assert(sizeof(struct dt_req) == 8, "dt_req");

#define DT_NCOUNTER    32 /* probes of the counter provider, a power of two */

#define DT_REQ_NAMES   0x01 /* a filter names one process: not excluded */
#define DT_REQ_PATHS   0x02 /* the session's path filter applies to this call */
#define DT_REQ_FROM    0x04 /* first probe of a pair: kept, produces no event */
#define DT_REQ_TO      0x08 /* second probe of a pair: an event with a first */
#define DT_REQ_LONG    0x10 /* the record always takes the slow path */
#define DT_REQ_KEEP    0x20 /* the pair keeps a struct dt_keep */
#define DT_REQ_FILES   0x40 /* DTEVT_PATHS, which has no bit in rq_evtflags */
#define DT_REQ_NUMBERS 0x80 /* with rq_agg: it needs struct dt_hit only */

#define DT_REQ_PAIR    (DT_REQ_FROM | DT_REQ_TO)

/* rq_agg */
#define DT_REQ_AGG_NO	  0x7f /* the DT_AGGDESC() plus one */
#define DT_REQ_AGG_RECORD 0x80 /* the key contains parts of the record */

#define DT_REQ_SCRATCH	  (DT_REQ_PATHS | DT_REQ_PAIR | DT_REQ_LONG | DT_REQ_FILES)

/* rq_evtflags: flags of DTEVT_* packed into a byte. */
#define DT_EVT_EXECNAME 0x01
#define DT_EVT_USTACK	0x02
#define DT_EVT_KSTACK	0x04
#define DT_EVT_FUNCARGS 0x08
/* The flags from DTEVT_WHO (1 << 8) up. */
#define DT_EVT_WHO     0x10
#define DT_EVT_STRINGS 0x20
#define DT_EVT_MEMORY  0x40
#define DT_EVT_DATA    0x80

/* DT_REQ_FILES in one word with the flags above. */
#define DT_WANT_FILES 0x100

/* Flags whose records have a variable length and take the slow path. */
#define DT_EVT_FETCH (DT_EVT_STRINGS | DT_EVT_MEMORY | DT_EVT_DATA)
#define DT_EVT_LONG  (DT_EVT_KSTACK | DT_EVT_USTACK | DT_EVT_WHO | DT_EVT_FETCH)

/*
 * Returns whether a fast program can filter the hits of a request: only by
 * process, thread and followed processes.
 */
static inline int
dt_isplain(const struct dt_sess *o, const struct dt_req *r)
{
	const __u32 flags = DT_SESS_SELF | DT_SESS_KADDR | DT_SESS_FOLLOW;

	return ((o->ses_flags & ~flags) | o->ses_nsinum | r->rq_cond |
		   (r->rq_evtflags & DT_EVT_LONG) |
		   (r->rq_bits & DT_REQ_SCRATCH)) == 0 &&
	    (o->ses_uidmask | o->ses_commmask) == 0;
}

/*
 * Return whether a fast program can emit a session's hits, or count them.  The
 * caller tests whether the fast program can read the probe's fields.
 */
static inline int
dt_isquick(const struct dt_sess *o, const struct dt_req *r)
{
	return r->rq_agg == 0 && dt_isplain(o, r);
}

static inline int
dt_isquick_count(const struct dt_sess *o, const struct dt_req *r)
{
	return r->rq_agg != 0 && (r->rq_bits & DT_REQ_NUMBERS) != 0 &&
	    dt_isplain(o, r);
}

/*
 * A row of dt_reads: the reads of a request.  Equal rows of sessions are one.
 * mrd_reserved has DT_READ_USER: a program has passed the address, so only its
 * memory is read.
 */
#define DT_READ_USER 0x1
#define DT_NREADROWS 128 /* row 0 is unused */

struct dt_readrow {
	__u64 rdr_n;			      /* [D] reads in use */
	struct dt_read rdr_read[DT_READ_MAX]; /* [D] */
};

/*
 * A pair of probes.  The session's number of the pair keeps the keys of its
 * pairs apart.  Pairs with the same keys and minimum duration share a row of
 * dt_pairdescs, at DT_PAIRDESC(slot, n).
 */
#define DT_PAIR_NKEYS	     2	/* = DTPA_NKEYS */
#define DT_PAIR_NDESCS	     32 /* for each session */
#define DT_PAIRDESC(slot, n) ((slot)*DT_PAIR_NDESCS + (n))

struct dt_pairdesc {
	__u64 pds_min;				  /* [D] minimum duration, ns */
	__u64 pds_nkeys;			  /* [D] keys in use */
	struct dt_look pds_key[2][DT_PAIR_NKEYS]; /* [D] of first, second hit */
	__u64 pds_thread; /* [D] all bits: both hits are of one thread */
};

/* Key and value of a session's table of first hits, in the map dt_pairs. */
struct dt_pairkey {
	__u64 pk_value[DT_PAIR_NKEYS];
	__u32 pk_pair; /* the session's number of the pair */
	__u32 pk_run; /* ses_run, so that entries of earlier runs never match */
};

#define DT_FIRST_ARGS 6 /* as in struct dt_hit */
#define DT_FIRST_MORE 6 /* those after them */

struct dt_first {
	__u64 fst_time;
	__u32 fst_tid; /* thread whose exit ends the entry; 0: none */
	__u32 fst_pbn;
	__u32 fst_nargs; /* of fst_args and fst_more */
	__u32 fst_pad;
	__u64 fst_args[DT_FIRST_ARGS];
	__u64 fst_more[DT_FIRST_MORE]; /* of user functions and static probes */
};

/*
 * Value of a table in the map of maps dt_keeps, for sessions that record the
 * first hit's thread (DTPA_FIRST). keep_text is a section of strings, read at
 * the first hit and cut to what fits.
 */
#define DT_KEEP_TEXT 128

struct dt_keep {
	struct dt_first keep_first;
	struct dt_rec_first keep_who;
	__u64 keep_ntext; /* bytes used in keep_text, a multiple of 8 */
	__u8 keep_text[DT_KEEP_TEXT];
};

/*
 * Scratch memory for records of variable length, one per CPU, shared by all
 * objects.  It holds every section at its maximum length and one more string,
 * because a read needs its full buffer before the string's length is known.
 */
#define DT_STACK_BYTES (8 + 8 * 127) /* 127 = DT_REC_MAXFRAMES */
#define DT_HEAD_BYTES \
	(24 + 8 * 24 + 3 * 16 + 2 * DT_STACK_BYTES) /* before the strings */
/* sections of a pair, after the strings */
#define DT_PAIR_BYTES \
	(sizeof(struct dt_rec_first) + sizeof(struct dt_rec_duration))
/* DT_REC_STRBYTES + 8 + DT_REC_MAXPATH follow the head. */
#define DT_SCRATCH_SIZE (DT_HEAD_BYTES + 16384 + 8 + 4096)
#define DT_MORE_BYTES	1024

/*
 * The path of a file under construction, written from its last name to its
 * first, so that it ends at DT_FILE_END.  A relative name, or the text of a
 * file outside of any directory, begins at DT_FILE_END.
 */
#define DT_FILE_END  4096 /* a power of 2 */
#define DT_FILE_MORE (DT_MORE_BYTES + 8)

struct dt_filepath {  /* layout of struct path */
	__u64 fp_mnt; /* address of a struct vfsmount */
	__u64 fp_dentry;
};

struct dt_fileway {
	struct dt_filepath fw_at;   /* [B] position: next name to prepend */
	struct dt_filepath fw_root; /* [B] root directory of the process */
	__u64 fw_mntroot; /* [B] root dentry of the mount fw_at.fp_mnt */
	__u64 fw_parent;  /* [B] parent dentry of fw_at */
	__u64 fw_hashlen; /* [B] struct qstr of the name: length and hash */
	__u64 fw_name;	  /* [B] address of the name's bytes */
	__u64 fw_magic;	  /* [B] magic of a special file system, else 0 */
	__u64 fw_data[2]; /* [B] arguments of bpf_snprintf() */
	__u32 fw_start;	  /* [B] offset of the text in fw_text */
	__u32 fw_len;	  /* [B] length of the text */
	__u64 fw_isdone;  /* [B] the walk has reached the root */
	__u8 fw_text[DT_FILE_END + DT_FILE_MORE]; /* [B] the text */
};

struct dt_scratch {
	__u32 scr_busy;	   /* [B] in use by a program on this CPU */
	__u32 scr_off;	   /* [B] offset passed through memory by dt_forget() */
	__u32 scr_pos;	   /* [B] offset of the next string */
	__u32 scr_left;	   /* [B] bytes left for strings */
	__u32 scr_nstr;	   /* [B] strings in the record */
	__u32 scr_strings; /* [B] offset of their section */
	__u32 scr_entry;   /* [B] FETCH_ENTRY() of the current vector */
	__u64 scr_addr;	   /* [B] address of the vector's next pointer */
	__u32 scr_size;	 /* [B] size of a pointer; bytes left of all buffers */
	__u32 scr_count; /* [B] pointers that were counted, not followed */
	__u8 scr_buf[DT_SCRATCH_SIZE];	   /* [B] the record */
	__u64 scr_more[DT_MORE_BYTES / 8]; /* [B] inspected, not recorded */
	struct dt_keep scr_keep;	   /* [B] first hit of a pair */
	__u64 scr_raw;		     /* [B] h_raw of the other hit of a pair */
	__u64 scr_regs;		     /* [B] address of the registers; 0: none */
	struct dt_fileway scr_file;  /* [B] path under construction */
	struct unwind_walk scr_walk; /* [B] user stack that is unwound */
	struct unwind_recent scr_recent[UNWIND_NRECENT]; /* [B] by offset */
	/* the rest: of a record that is a key (bpf/dt_agg_record.bpf.h) */
	struct dt_aggkey scr_key; /* [B] */
	__s64 scr_value;	  /* [B] */
	__u32 scr_keyed;	  /* [B] offset of the sections of the key */
	__u32 scr_iscopied;	  /* [B] dtd has yet to find its user stack */
};

/*
 * How to read what an argument of a system call points to: DT_NFETCH rows for
 * each call and direction, terminated by DT_FETCH_NONE.
 */
#define DT_NFETCH 8

enum dt_fetch_how {
	DT_FETCH_NONE,
	DT_FETCH_PATH,	 /* a string */
	DT_FETCH_VECTOR, /* pointers to strings, then NULL */
	DT_FETCH_FIXED,	 /* fet_max bytes */
	DT_FETCH_ARGLEN, /* args[fet_lenarg] * fet_unit bytes */
	DT_FETCH_RETLEN, /* return value * fet_unit bytes, at most as ARGLEN */
	DT_FETCH_PTRLEN, /* (__u32 at args[fet_lenarg]) * fet_unit bytes */
	DT_FETCH_COUNT,	 /* a vector: only its number of pointers */
	DT_FETCH_FILE,	 /* the path of a descriptor */
	DT_FETCH_CWD,	 /* the working directory of a path */
	DT_FETCH_IOVEC,	 /* the bytes that args[fet_lenarg] iovecs point to */
	DT_FETCH_MSGIOV, /* the same for the iovecs of a msghdr */
	DT_FETCH_MSGVEC, /* the iovecs of a msghdr themselves */
};

/*
 * fet_lenarg is the argument with the length.  For a path, it is the descriptor
 * of the path's directory.  For a descriptor or a working directory, it is the
 * path that is relative to it.  DT_FETCH_NOARG: none.
 */
struct dt_fetch {
	__u8 fet_argn;	 /* argument to read */
	__u8 fet_how;	 /* enum dt_fetch_how */
	__u8 fet_lenarg; /* related argument, see above */
	__u8 fet_flags;	 /* DT_STR_* of the resulting string */
	__u8 fet_bits;	 /* DT_FETCH_* */
	__u8 fet_pad;
	__u16 fet_want; /* DT_EVT_* or DT_WANT_FILES that request the row */
	__u16 fet_unit; /* bytes of an element */
	__u16 fet_max;	/* maximum bytes to read */
};

#define DT_FETCH_NOARG 0xff

/* fet_bits */
#define DT_FETCH_OK	0x01 /* of an entry or a call that succeeded */
#define DT_FETCH_FAILED 0x02 /* of a call that failed */
#define DT_FETCH_LEN32	0x04 /* the length is the lower half of its register */
#define DT_FETCH_PTR32	0x08 /* pointers in memory have 4 bytes */
#define DT_FETCH_ISPATH 0x10 /* the path filter inspects it */

struct dt_fetches {
	struct dt_fetch fe_row[DT_NFETCH];
};

/*
 * A path prefix as the filter compares it: words of text and a mask of the bits
 * that count.
 */
#define DT_PREFIX_BYTES 256 /* size in struct dtioc_path */
#define DT_PREFIX_WORDS (DT_PREFIX_BYTES / 8)

struct dt_prefix {
	__u64 px_text[DT_PREFIX_WORDS];
	__u64 px_mask[DT_PREFIX_WORDS];
};

/*
 * Query for a thread by its number in a pid namespace, serialized by a lock in
 * dtd.  B: filled in by the program; numbers are in dtd's namespace, 0 if
 * none.
 */
struct dt_nsquery {
	__u64 nq_ns;	   /* address of the namespace; 0: dtd's namespace */
	__u32 nq_level;	   /* depth of the namespace */
	__u32 nq_inum;	   /* inode of the namespace; ESRCH if it differs */
	__u32 nq_number;   /* thread number to find, in that namespace */
	__u32 nq_auxv;	   /* nq_auxbase is requested */
	__u32 nq_found;	   /* [B] the fields below are valid */
	__u32 nq_kpid;	   /* [B] process, in the initial namespace */
	__u32 nq_tid;	   /* [B] thread */
	__u32 nq_pid;	   /* [B] process */
	__u32 nq_parent;   /* [B] parent process */
	__u32 nq_nthreads; /* [B] threads of the process */
	__u32 nq_exits;	   /* [B] the thread has begun to exit */
	__u64 nq_start;	   /* [B] start time of the thread, ns */
	__u64 nq_ownns;	   /* [B] address of the thread's innermost namespace */
	__u32 nq_ownlevel; /* [B] depth of that namespace */
	__u32 nq_owninum;  /* [B] inode of that namespace */
	__u64 nq_auxbase;  /* [B] AT_BASE of the process; 0: none */
};

#define DT_NS_RAN 1 /* return value of a run of the program */

/*
 * Query for the descendants of a process, by a pass over all tasks.  Each pass
 * is serialized by a lock in dtd.
 */
struct dt_followquery {
	__u32 fq_slot;
	__u32 fq_pid;	 /* process whose descendants are followed */
	__u32 fq_level;	 /* depth of the namespace of fq_pid */
	__u32 fq_inum;	 /* inode of that namespace, 0: the initial one */
	__u32 fq_onexec; /* only the process itself, awaiting its exec */
	__u32 fq_nadded; /* [B] processes added */
	__u32 fq_nlost;	 /* [B] processes that did not fit into dt_followed */
};

/* Cookie of a link of one session: slot, generation, flags, probe. */
#define DT_COOKIE(slot, gen, evtflags, pbn) \
	((__u64)(slot) << 56 | (__u64)((gen)&0xffff) << 40 | \
	    (__u64)(evtflags) << 32 | (pbn))
#define DT_COOKIE_SLOT(c)     ((__u32)((c) >> 56))
#define DT_COOKIE_GEN(c)      ((__u32)((c) >> 40) & 0xffff)
#define DT_COOKIE_EVTFLAGS(c) ((__u32)((c) >> 32) & 0xff)
#define DT_COOKIE_PBN(c)      ((__u32)(c))

/*
 * The table of the providers syscall and syscall32: one row per call, at the
 * call's number; calls of 32-bit programs are at DT_SYS_32 + number.  A session
 * is served by the plain programs, or by those that walk unwind tables, which
 * are loaded and attached for the first session that needs them.
 */
#define DT_SYS_NUMBERS 512 /* for each ABI */
#define DT_SYS_32      DT_SYS_NUMBERS
#define DT_NSYSCALL    (2 * DT_SYS_NUMBERS) /* rows, a power of two */
#define DT_SYS_ENTRY   0
#define DT_SYS_RETURN  1
#define DT_SYS_PAIR    2 /* of the return of a pair whose entry was recorded */

struct dt_systable {
	/*
	 * Sessions that want a call, set and cleared by RECORD: of the plain
	 * programs, and of those with unwind tables.
	 */
	__u64 sys_mask[2][2][DT_NSYSCALL][DT_MASKWORDS]; /* [*] */
	/* sessions of 64-bit calls, which count 32-bit calls as missing */
	__u64 sys_any[2][DT_MASKWORDS]; /* [*] */
	/*
	 * Sessions with records that need the scratch, whose hits the short
	 * programs pass on.  Set before the first bit in sys_mask.
	 */
	__u64 sys_long[DT_MASKWORDS];  /* [D] */
	__u32 sys_pbn[2][DT_NSYSCALL]; /* [D] */
	__u8 sys_nargs[DT_NSYSCALL];   /* [D] */
	__u8 sys_isexec[DT_NSYSCALL];  /* [D] execve and execveat: 1 */
	struct dt_req sys_req[DT_MAXSESS][2][DT_NSYSCALL]; /* [D] */
	struct dt_fetches sys_fetch[3][DT_NSYSCALL];	   /* [D] */
	struct dt_prefix sys_prefix[DT_MAXSESS];	   /* [D] */
};

#endif /* BPF_DT_SHARED_H */
