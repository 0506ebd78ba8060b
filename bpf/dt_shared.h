/* SPDX-License-Identifier: ISC */
/*
 * The table of opens and what hangs on it: memory that the daemon and the
 * BPF programs share.  Included by bpf/ and by daemon/dt/.
 *
 * Letters: D written by the daemon before the open is in any mask, then
 * constant until the grace period after it left the masks; B written by BPF;
 * * written by both, atomically.
 */
#ifndef BPF_DT_SHARED_H
#define BPF_DT_SHARED_H

#include <linux/types.h>

#include "bpf/dt_cond_table.h"
#include <dt/evt.h>

#define DT_MAXOPEN   128 /* opens of the device at once */
#define DT_MASKWORDS (DT_MAXOPEN / 64)
#define DT_CACHELINE 64

/* do_flags */
#define DT_OPEN_SELF   0x1  /* leaves out nobody */
#define DT_OPEN_KADDR  0x2  /* may see addresses of the kernel */
#define DT_OPEN_FOLLOW 0x4  /* of some processes and their descendants */
#define DT_OPEN_CGROUP 0x8  /* of a cgroup and those below it */
#define DT_OPEN_OWN    0x10 /* of its owner's own processes, see dt_owner */
#define DT_OPEN_TICKS  0x20 /* but its clocks may tell of anybody */
#define DT_OPEN_USTACK 0x40 /* a probe wants stacks of users */

/* What most opens do not ask, and so is asked behind one branch. */
#define DT_OPEN_BOUNDS (DT_OPEN_CGROUP | DT_OPEN_OWN)

/* Who is in a namespace of cgroups does not know how deep these are. */
#define DT_CGROUP_ANYLEVEL 0xffffffff
#define DT_CGROUP_MAXLEVEL 64 /* that is looked at then */

/* Process and thread in one word. */
#define DT_ID(pid, tid) ((__u64)(pid) << 32 | (tid))

/*
 * One open.  Its filter is a value and a mask for each thing that is looked
 * at: a hit passes if it differs from the value in no bit of the mask.  So the
 * test is one branch, and the first line of the cache has all of it.
 */
struct dt_open {
	__u64 do_id;	   /* [D] DT_ID of process, thread */
	__u64 do_idmask;   /* [D] */
	__u64 do_comm[2];  /* [D] name, NUL padded */
	__u64 do_commmask; /* [D] */
	__u64 do_uid;	   /* [D] real user id */
	__u64 do_uidmask;  /* [D] */
	__u32 do_flags;	   /* [D] DT_OPEN_* */
	__u32 do_gen;	   /* [D] generation; a link's cookie has it */
	__u32 do_armed;	   /* [*] the data thread sleeps: wake it */
	__u32 do_mode;	   /* [D] DT_MODE_* */
	__u64
	    do_nsid; /* [D] DT_ID as this namespace counts; do_id is not used */
	__u64 do_nsidmask; /* [D] */
	__u32 do_nsinum;   /* [D] pid namespace, 0: the initial one */
	__u32 do_nslevel;  /* [D] its depth */
	__u64 do_period;   /* [D] of its profile clock, ns */
	__u64 do_cgroup;   /* [D] id, with DT_OPEN_CGROUP */
	__u32 do_cglevel;  /* [D] its depth, DT_CGROUP_ANYLEVEL */
	__u32 do_run;	   /* [D] number of its run: keys of pairs have it */
	__u32 do_level;	   /* [D] leaves out processes from this level on */
	__u32 do_pad;
};

_Static_assert(sizeof(struct dt_open) == 2 * DT_CACHELINE, "dt_open");

/*
 * Who has opened, for an open with DT_OPEN_OWN; ids as the initial user
 * namespace has them.  All of it is as it was at the open.
 */
struct dt_owner {
	__u64 ow_caps;	 /* [D] permitted capabilities */
	__u32 ow_uid;	 /* [D] real, effective and saved */
	__u32 ow_gid;	 /* [D] the same */
	__u32 ow_userns; /* [D] inode of the user namespace */
	__u32 ow_pad;
};

/*
 * A process that an open with DT_OPEN_OWN has recorded stacks of, in the map
 * dt_owned: between the two it was the owner's own, and may be named.  A process
 * that has executed another program in between has an entry for the last one
 * only.  Neither the pid nor the address of an mm_struct identifies a program,
 * since both are reused: the start of the process and its count of executions do.
 */
struct dt_ownedkey {
	__u32 ok_slot;
	__u32 ok_gen; /* do_gen */
	__u32 ok_pid; /* in the initial namespace */
	__u32 ok_pad;
};

struct dt_owned {
	__u64 od_first; /* [B] times of hits */
	__u64 od_last;	/* [B] */
	__u64 od_start; /* [B] start_time of the process */
	__u64 od_exec;	/* [B] self_exec_id of its threads */
};

#define DT_NOWNED 4096 /* the longest unused one makes room */

/*
 * Processes that are left out, as a set of bits by the low bits of the
 * process id: a clear bit answers without a look into the map dt_excluded.
 *
 * The map has the level of each process.  A session leaves out its own level and
 * all above, and records clients with fewer rights.  So no two recording clients
 * see each other, which would turn each read into events of the other.
 */
enum dt_level {
	DT_LEVEL_USER,	/* own processes, or ticks */
	DT_LEVEL_ALL,	/* right TRACE_ALL */
	DT_LEVEL_ADMIN, /* right ADMIN */
	DT_LEVEL_DTD,	/* dtd and its symbolizer */
	DT_NLEVEL
};

#define DT_EXCLUDE_WORDS     64
#define DT_EXCLUDE_WORD(pid) (((pid) >> 6) & (DT_EXCLUDE_WORDS - 1))
#define DT_EXCLUDE_BIT(pid)  (1ULL << ((pid)&63))

/*
 * Which opens a process may concern, by the low bits of its number: all that
 * have no filter for a process, and those whose filter names one with these
 * bits.  The others are not even looked at.
 */
#define DT_BYPID 256

struct dt_table {
	__u64 t_bypid[DT_BYPID][DT_MASKWORDS]; /* [*] */
	struct dt_open t_open[DT_MAXOPEN];
	__u64 t_excluded[DT_EXCLUDE_WORDS]; /* [*] */
	__u64 t_follow[DT_MASKWORDS];	    /* [*] opens with DT_OPEN_FOLLOW */
	__u64 t_forking[DT_MASKWORDS];	/* [*] sessions that follow children */
	__u64 t_awaiting[DT_MASKWORDS]; /* [*] sessions that await an exec */
	__u64 t_own[DT_MASKWORDS];	/* [*] opens with DT_OPEN_OWN */
	struct dt_owner t_owner[DT_MAXOPEN]; /* of these */
};

/*
 * Counters of an open on one CPU, at [slot * ncpu + cpu] of the map that its
 * object has for that (enum dt_tally); see dt_ledger.
 */
struct dt_count {
	__u64 dc_fired;	     /* [B] */
	__u64 dc_dropped;    /* [B] no room in the ring, or no ring */
	__u64 dc_recursed;   /* [B] */
	__u64 dc_excluded;   /* [B] */
	__u64 dc_compat;     /* [B] */
	__u64 dc_unfollowed; /* [B] */
	__u64 dc_unpaired;   /* [B] */
	__u64 dc_pad[1];

	/* a line of its own: the clock, see dt_clock.bpf.h */
	__u64 dc_base;	    /* [B] up to where it is accounted for; 0: closed */
	__u64 dc_idle0;	    /* [*] idle time of the CPU by then, ns */
	__u64 dc_skiptick;  /* [*] */
	__u64 dc_idle;	    /* [*] */
	__u64 dc_unknown;   /* [*] missing, but whether idle is not known */
	__u64 dc_idleticks; /* [*] ticks that came while it was idle */
	__u64 dc_pad2[2];
};

_Static_assert(sizeof(struct dt_count) == 2 * DT_CACHELINE, "dt_count");

/*
 * The opens that follow a process, in the map dt_followed.  Its key is the
 * address of the process' signal_struct: unlike its number, that is not used
 * again before the kernel has told that the process is gone.
 */
struct dt_follow {
	__u64 fo_mask[DT_MASKWORDS]; /* [*] */
	/* [*] sessions that follow it from its next exec on */
	__u64 fo_await[DT_MASKWORDS];
};

/* What an open asked of one probe. */
struct dt_req {
	__u8 dr_evtflags; /* DTEVT_* that the provider allows */
	__u8 dr_bits;	  /* DT_REQ_* */
	__u16 dr_cond;	  /* line of dt_conds; 0: no condition */
	__u16 dr_pair;	  /* line of dt_pairdescs, with DT_REQ_FROM or _TO */
	__u16 dr_pairno;  /* the open's own number of that pair */
};

_Static_assert(sizeof(struct dt_req) == 8, "dt_req");

#define DT_REQ_NAMES   0x01 /* a filter wants one process: it is not left out */
#define DT_REQ_PATHS   0x02 /* the open's filter by path looks at this call */
#define DT_REQ_FROM    0x04 /* first of a pair: is kept, and no event */
#define DT_REQ_TO      0x08 /* second of a pair: an event only if it has one */
#define DT_REQ_LONG    0x10 /* the record takes the long way, whatever is in it */
#define DT_REQ_KEEP    0x20 /* of a pair that keeps a struct dt_keep */
#define DT_REQ_FILES   0x40 /* DTEVT_PATHS, for which dr_evtflags has no bit */

#define DT_REQ_PAIR    (DT_REQ_FROM | DT_REQ_TO)
#define DT_REQ_SCRATCH (DT_REQ_PATHS | DT_REQ_PAIR | DT_REQ_LONG | DT_REQ_FILES)

/* dr_evtflags: the low bits of DTEVT_*, in a byte */
#define DT_EVT_EXECNAME 0x01
#define DT_EVT_USTACK	0x02
#define DT_EVT_KSTACK	0x04
#define DT_EVT_FUNCARGS 0x08
/* DTEVT_WHO and so on: from 1 << 8 up */
#define DT_EVT_WHO     0x10
#define DT_EVT_STRINGS 0x20
#define DT_EVT_MEMORY  0x40
#define DT_EVT_DATA    0x80

/* DT_REQ_FILES, in one word with the flags above. */
#define DT_WANT_FILES 0x100

/* The long way into a ring is for these. */
#define DT_EVT_FETCH (DT_EVT_STRINGS | DT_EVT_MEMORY | DT_EVT_DATA)
#define DT_EVT_LONG  (DT_EVT_KSTACK | DT_EVT_USTACK | DT_EVT_WHO | DT_EVT_FETCH)

/*
 * Whether a quick program serves such a request of such an open, as far as it
 * can read what was hit: that looks at nothing but the open's filter by process
 * and thread.
 */
static inline int
dt_isquick(const struct dt_open *o, const struct dt_req *r)
{
	return ((o->do_flags & ~(__u32)(DT_OPEN_SELF | DT_OPEN_KADDR)) |
		   o->do_nsinum | r->dr_cond | (r->dr_evtflags & DT_EVT_LONG) |
		   (r->dr_bits & DT_REQ_SCRATCH)) == 0 &&
	    (o->do_uidmask | o->do_commmask) == 0;
}

/*
 * A pair of probes.  The open's own number of it makes its keys different from
 * those of other pairs; pairs with the same keys and the same least duration
 * have the same line of dt_pairdescs, at DT_PAIRDESC(slot, n).
 */
#define DT_PAIR_NKEYS	     2	/* as DTPA_NKEYS */
#define DT_PAIR_NDESCS	     32 /* of an open */
#define DT_PAIRDESC(slot, n) ((slot)*DT_PAIR_NDESCS + (n))

struct dt_pairdesc {
	__u64 pd_min;				 /* [D] ns */
	__u64 pd_nkeys;				 /* [D] */
	struct dt_look pd_key[2][DT_PAIR_NKEYS]; /* [D] of first and second */
	__u64 pd_thread; /* [D] all bits: both hits are of one thread */
};

/* Key and value of an open's table of firsts, in the map of maps dt_pairs. */
struct dt_pairkey {
	__u64 pk_value[DT_PAIR_NKEYS];
	__u32 pk_pair; /* number */
	__u32 pk_run;  /* do_run: what an earlier run has left is not found */
};

struct dt_first {
	__u64 fi_time;
	__u32 fi_tid; /* whose end is the end of this; 0: nobody's */
	__u32 fi_pbn;
	__u32 fi_nargs;
	__u32 fi_pad;
	__u64 fi_args[6];
};

/*
 * The value of a session that records the first hit's thread (DTPA_FIRST), in
 * the map of maps dt_keeps.  The texts of the first hit are a section of
 * strings, cut to what fits.
 */
#define DT_KEEP_TEXT 128

struct dt_keep {
	struct dt_first kp_first;
	struct dt_rec_first kp_who;
	__u64 kp_ntext; /* bytes of kp_text, a multiple of 8 */
	__u8 kp_text[DT_KEEP_TEXT];
};

/*
 * A place for records of unknown length, one a CPU, shared by all objects.  It
 * has room for all sections at their longest, and one string beyond: a read
 * needs it before it is known how much of the string fits.
 */
#define DT_STACK_BYTES (8 + 8 * 127) /* DT_REC_MAXFRAMES */
#define DT_HEAD_BYTES \
	(24 + 8 * 24 + 3 * 16 + 2 * DT_STACK_BYTES) /* before the strings */
#define DT_SCRATCH_SIZE (DT_HEAD_BYTES + 16384 + 8 + 4096) /* DT_REC_STRBYTES */
#define DT_MORE_BYTES	1024

/*
 * The path of a file under construction (bpf/dt_file.bpf.h), from its last
 * name to its first: it ends at DT_FILE_END.  A relative name follows there, or
 * the text of a file that is in no directory.
 */
#define DT_FILE_END  4096 /* a power of 2 */
#define DT_FILE_MORE (DT_MORE_BYTES + 8)

struct dt_filepath {  /* as the kernel's struct path is */
	__u64 fp_mnt; /* struct vfsmount */
	__u64 fp_dentry;
};

struct dt_fileway {
	struct dt_filepath fw_at;   /* [B] of the next name */
	struct dt_filepath fw_root; /* [B] the process' root directory */
	__u64 fw_mntroot;	    /* [B] dentry of the root of fw_at.fp_mnt */
	__u64 fw_parent;	    /* [B] dentry of the folder of fw_at */
	__u64 fw_hashlen; /* [B] struct qstr: length of its name and hash, */
	__u64 fw_name;	  /* [B] and its bytes */
	__u64 fw_magic;	  /* [B] of its file system, if that is special */
	__u64 fw_data[2]; /* [B] numbers and names to print */
	__u32 fw_start;	  /* [B] where the text begins in fw_text */
	__u32 fw_len;	  /* [B] length of the text */
	__u64 fw_isdone;  /* [B] it has reached the root */
	__u8 fw_text[DT_FILE_END + DT_FILE_MORE]; /* [B] */
};

struct dt_scratch {
	__u32 ds_busy;		      /* [B] in use by a program on this CPU */
	__u32 ds_off;		      /* [B] see dt_forget in dt_emit.bpf.h */
	__u32 ds_pos;		      /* [B] where the next string goes */
	__u32 ds_left;		      /* [B] bytes for it and those behind */
	__u32 ds_nstr;		      /* [B] strings that are in */
	__u32 ds_entry;		      /* [B] of a vector: see dt_fetch.bpf.h */
	__u64 ds_addr;		      /* [B] of its next pointer */
	__u32 ds_size;		      /* [B] of a pointer; of all buffers */
	__u32 ds_count;		      /* [B] of pointers that were not read */
	__u8 ds_buf[DT_SCRATCH_SIZE]; /* [B] */
	__u64 ds_more[DT_MORE_BYTES / 8]; /* [B] what is looked at only */
	struct dt_keep ds_keep;		  /* [B] first hit of a pair */
	struct dt_fileway ds_file;	  /* [B] */
};

/*
 * How to get what an argument of a call points to: a line of DT_NFETCH for each
 * call and direction, ended by DT_FETCH_NONE.
 */
#define DT_NFETCH 8

enum dt_fetch_how {
	DT_FETCH_NONE,
	DT_FETCH_PATH,	 /* a string */
	DT_FETCH_VECTOR, /* pointers to strings, then NULL */
	DT_FETCH_FIXED,	 /* df_max bytes */
	DT_FETCH_ARGLEN, /* args[df_lenarg] * df_unit bytes */
	DT_FETCH_RETLEN, /* return value * df_unit, at most as ARGLEN */
	DT_FETCH_PTRLEN, /* (__u32 that args[df_lenarg] points to) * df_unit */
	DT_FETCH_COUNT,	 /* of a vector: only how many there are */
	DT_FETCH_FILE,	 /* the path of a descriptor */
	DT_FETCH_CWD,	 /* the working directory of a path */
	DT_FETCH_IOVEC,	 /* what args[df_lenarg] iovecs point to */
	DT_FETCH_MSGIOV, /* the same, of a msghdr */
	DT_FETCH_MSGVEC, /* the iovecs of a msghdr */
};

/*
 * df_lenarg is the argument with the length.  In rows of paths it is the
 * descriptor of the path's directory; in rows of descriptors and working
 * directories, the path that begins there.  DT_FETCH_NOARG: none.
 */
struct dt_fetch {
	__u8 df_argn;	/* which argument */
	__u8 df_how;	/* enum dt_fetch_how */
	__u8 df_lenarg; /* another argument, see above */
	__u8 df_flags;	/* DT_STR_* that it gets */
	__u8 df_bits;	/* DT_FETCH_* */
	__u8 df_pad;
	__u16 df_want; /* DT_EVT_*, DT_WANT_FILES */
	__u16 df_unit; /* bytes of an element */
	__u16 df_max;  /* most bytes to read */
};

#define DT_FETCH_NOARG 0xff

/* df_bits */
#define DT_FETCH_OK	0x01 /* of an entry, or a call that succeeded */
#define DT_FETCH_FAILED 0x02 /* of a call that failed */
#define DT_FETCH_LEN32	0x04 /* the length is a register's lower half */
#define DT_FETCH_PTR32	0x08 /* pointers in memory have 4 bytes */
#define DT_FETCH_ISPATH 0x10 /* the filter by path looks at it */

struct dt_fetches {
	struct dt_fetch fe_row[DT_NFETCH];
};

/* A path's beginning, as the filter compares it: words, and which bits of
 * them count. */
#define DT_PREFIX_BYTES 256 /* of struct dtioc_path */
#define DT_PREFIX_WORDS (DT_PREFIX_BYTES / 8)

struct dt_prefix {
	__u64 px_text[DT_PREFIX_WORDS];
	__u64 px_mask[DT_PREFIX_WORDS];
};

/*
 * A lookup of a thread by its number in a pid namespace.  Each lookup is under a
 * lock of dtd.  B: filled by the program; numbers count in dtd's namespace, 0:
 * none.
 */
struct dt_nsquery {
	__u64 nq_ns;	   /* address of the namespace; 0: of dtd's own */
	__u32 nq_level;	   /* depth of the namespace */
	__u32 nq_inum;	   /* inode of the namespace; ESRCH if it has another */
	__u32 nq_number;   /* of the thread, in that namespace */
	__u32 nq_auxv;	   /* nq_auxbase is wanted, too */
	__u32 nq_found;	   /* [B] the fields below are valid */
	__u32 nq_kpid;	   /* [B] process, in the initial namespace */
	__u32 nq_tid;	   /* [B] thread */
	__u32 nq_pid;	   /* [B] process */
	__u32 nq_parent;   /* [B] parent process */
	__u32 nq_nthreads; /* [B] of the process */
	__u32 nq_exits;	   /* [B] the thread has begun to exit */
	__u64 nq_start;	   /* [B] when the thread started, ns */
	__u64 nq_ownns;	   /* [B] address of the thread's innermost namespace */
	__u32 nq_ownlevel; /* [B] depth of that namespace */
	__u32 nq_owninum;  /* [B] inode of that namespace */
	__u64 nq_auxbase;  /* [B] AT_BASE of the process; 0: none */
};

#define DT_NS_RAN 1 /* the program returns it */

/*
 * A search for descendants of a process, by a pass over all tasks.  Each pass is
 * under a lock of dtd.
 */
struct dt_followquery {
	__u32 fq_slot;
	__u32 fq_pid;	 /* the process whose descendants are followed */
	__u32 fq_level;	 /* in this namespace */
	__u32 fq_inum;	 /* 0: the initial one */
	__u32 fq_onexec; /* the process alone, and it is awaited */
	__u32 fq_nadded; /* [B] */
	__u32 fq_nlost;	 /* [B] no room for them */
};

/* Cookie of a link that belongs to one open: slot, generation, flags, pbn. */
#define DT_COOKIE(slot, gen, evtflags, pbn) \
	((__u64)(slot) << 56 | (__u64)((gen)&0xffff) << 40 | \
	    (__u64)(evtflags) << 32 | (pbn))
#define DT_COOKIE_SLOT(c)     ((__u32)((c) >> 56))
#define DT_COOKIE_GEN(c)      ((__u32)((c) >> 40) & 0xffff)
#define DT_COOKIE_EVTFLAGS(c) ((__u32)((c) >> 32) & 0xff)
#define DT_COOKIE_PBN(c)      ((__u32)(c))

/*
 * The table of the providers syscall and syscall32: a line a call, at its
 * number, and behind those of 64-bit programs the calls of 32-bit ones, at
 * DT_SYS_32 + number.
 */
#define DT_SYS_NUMBERS 512 /* of an ABI */
#define DT_SYS_32      DT_SYS_NUMBERS
#define DT_NSYSCALL    (2 * DT_SYS_NUMBERS) /* lines, a power of two */
#define DT_SYS_ENTRY   0
#define DT_SYS_RETURN  1
#define DT_SYS_PAIR    2 /* what a return is to fetch that has its entry */

struct dt_systable {
	/* opens that want this call; set and cleared by RECORD */
	__u64 sy_mask[2][DT_NSYSCALL][DT_MASKWORDS]; /* [*] */
	/* opens that want 64-bit calls, and count others as missing */
	__u64 sy_any[DT_MASKWORDS];   /* [*] */
	__u32 sy_pbn[2][DT_NSYSCALL]; /* [D] */
	__u8 sy_nargs[DT_NSYSCALL];   /* [D] */
	__u8 sy_isexec[DT_NSYSCALL];  /* [D] execve and execveat: 1 */
	struct dt_req sy_req[DT_MAXOPEN][2][DT_NSYSCALL]; /* [D] */
	struct dt_fetches sy_fetch[3][DT_NSYSCALL];	  /* [D] */
	struct dt_prefix sy_prefix[DT_MAXOPEN];		  /* [D] */
};

#endif /* BPF_DT_SHARED_H */
