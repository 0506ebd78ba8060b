/* SPDX-License-Identifier: ISC */
/*
 * Commands, structs and flags of the dt device, with the names that dt(4) of
 * OpenBSD uses, so that programs written for it compile.  Some sizes are
 * larger here (DTNAMESIZE, STACKTRACE_MAX, DTMAXCOMLEN).  Linux additions have
 * command numbers from 64 up.
 *
 * dt_ioctl() of libdt.h carries out the commands; its comment and dt(4) list
 * arguments and errors.
 */
#ifndef DEV_DT_DTVAR_H
#define DEV_DT_DTVAR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <dt/cond.h>
#include <dt/evt.h>
#include <dt/read.h>

#define DTDEVNAME      "/run/dt/dt" /* socket of the service */

#define DTNAMESIZE     64	    /* bytes of a name, NUL included */
#define DTMAXCOMLEN    24	    /* bytes of a thread's name, NUL included */
#define DTMAXFUNCARGS  10	    /* arguments in a struct dt_evt */
#define DTMAXARGTYPES  DT_REC_NARGS /* types that DTIOCGARGS returns */
#define STACKTRACE_MAX 127	    /* frames of a stack */

struct stacktrace {
	unsigned int st_count;		/* number of frames in st_pc */
	uint64_t st_pc[STACKTRACE_MAX]; /* innermost first */
};

/* An event as returned by dt_read(), which never cuts one. */
struct dt_evt {
	unsigned int dtev_pbn; /* number of the probe that was hit */
	unsigned int dtev_cpu;
	pid_t dtev_pid;		       /* process */
	pid_t dtev_tid;		       /* thread */
	struct timespec dtev_tsp;      /* CLOCK_REALTIME of the hit */
	struct stacktrace dtev_kstack; /* with DTEVT_KSTACK */
	struct stacktrace dtev_ustack; /* with DTEVT_USTACK */
	char dtev_comm[DTMAXCOMLEN];   /* with DTEVT_EXECNAME */
	union {
		int64_t E_entry[DTMAXFUNCARGS]; /* with DTEVT_FUNCARGS */
		struct {
			int64_t __retval[2];
			int __error;
		} E_return;
	} _args;
#define dtev_args   _args.E_entry	    /* arguments of an entry */
#define dtev_retval _args.E_return.__retval /* [0]: value, -1 on failure */
#define dtev_error  _args.E_return.__error  /* errno on failure */
};

/* Optional parts of an event; pbn, cpu, pid, tid and time are always there. */
#define DTEVT_EXECNAME (1 << 0) /* name of the thread */
#define DTEVT_USTACK   (1 << 1) /* user stack */
#define DTEVT_KSTACK   (1 << 2) /* kernel stack */
#define DTEVT_FUNCARGS (1 << 3) /* arguments */
/* their names, for the format %b of printf(9) */
#define DTEVT_FLAG_BITS \
	"\020" \
	"\001EXECNAME" \
	"\002USTACK" \
	"\003KSTACK" \
	"\004FUNCARGS"
/* Linux additions */
#define DTEVT_WHO     (1 << 8)	/* user, parent process, cgroup */
#define DTEVT_STRINGS (1 << 9)	/* paths, and argv of execve */
#define DTEVT_MEMORY  (1 << 10) /* structs that arguments point to */
#define DTEVT_DATA    (1 << 11) /* the first bytes of data read or written */
#define DTEVT_PATHS   (1 << 12) /* paths of descriptors, working directories */
#define DTEVT_UTABLE  (1 << 13) /* user stacks by unwind tables */
#define DTEVT_READS   (1 << 14) /* memory, as DTIOCSREADS then states */
/*
 * Text that argument n of a function or static probe points to, whatever its
 * type, n below DTEVT_NTEXTS; and text that the returned value points to.
 */
#define DTEVT_TEXT(n) (UINT64_C(1) << (32 + (n)))
#define DTEVT_NTEXTS  12
#define DTEVT_RETTEXT (UINT64_C(1) << 63)

struct dtioc_probe_info {
	uint32_t dtpi_pbn;  /* number of the probe */
	uint8_t dtpi_nargs; /* number of arguments */
	char dtpi_prov[DTNAMESIZE];
	char dtpi_func[DTNAMESIZE];
	char dtpi_name[DTNAMESIZE];
	uint8_t dtpi_flags; /* DTPI_* (Linux) */
	uint8_t dtpi_unit;  /* of DTPI_CLOCK: DTPI_NSECS or DTPI_EVENTS */
	uint8_t dtpi_regs;  /* enum dt_read_regs, for DTIOCSREADS */
};

#define DTPI_LATER   0x01 /* from DTIOCLOOKUP: DTIOCGARGS has the arguments */
#define DTPI_CALL    0x02 /* a system call */
#define DTPI_COMPAT  0x04 /* of a 32-bit program */
#define DTPI_FUNC    0x08 /* a kernel function */
#define DTPI_FIELDS  0x10 /* arguments are fields of an event */
#define DTPI_RECORD  0x20 /* fields of a record, named SUBSYSTEM:NAME */
#define DTPI_CLOCK   0x40 /* a clock, whose period the request sets */
#define DTPI_ANYTASK 0x80 /* hits are not filtered by process */
#define DTPI_NSECS   0	  /* dtpi_unit: the unit of dtrq_nsecs */
#define DTPI_EVENTS  1	  /* events of a counter */

struct dtioc_probe {
	size_t dtpr_size; /* in: bytes of the array; out: of the whole list */
	struct dtioc_probe_info *dtpr_probes;
};

struct dtioc_arg_info {
	uint32_t dtai_pbn;
	uint8_t dtai_argn; /* from 0 */
	char dtai_argtype[DTNAMESIZE];
};

struct dtioc_arg {
	uint32_t dtar_pbn;
	size_t dtar_size; /* as dtpr_size */
	struct dtioc_arg_info *dtar_args;
};

struct dtioc_req {
	uint32_t dtrq_pbn;
	uint32_t __unused1;
	uint64_t dtrq_evtflags; /* DTEVT_* */
	uint64_t dtrq_nsecs;	/* period of a clock, ns, or of a counter */
};

struct dtioc_stat {
	uint64_t dtst_readevt;	/* events read */
	uint64_t dtst_dropevt;	/* events dropped */
	uint64_t dtst_skiptick; /* clock ticks skipped */
	uint64_t dtst_recurevt; /* recursive events dropped */
};

/*
 * Request and statistics of the older interface.  The older commands share the
 * numbers of DTIOCPRBENABLE, DTIOCPRBDISABLE and DTIOCGSTATS and differ in the
 * length of the argument.  -DDT_V1 gives the structs their old names.
 */
enum dt_operand {
	DT_OP_NONE,
	DT_OP_EQ,
	DT_OP_NE
};

enum dt_filtervar {
	DT_FV_NONE,
	DT_FV_PID,
	DT_FV_TID
};

/* Filter of a probe.  All hits pass unless operand and variable are set. */
struct dt_filter {
	uint32_t dtf_operand;  /* DT_OP_* */
	uint32_t dtf_variable; /* DT_FV_* */
	uint32_t dtf_value;    /* number of a process or thread */
};

struct dtioc_req_v1 {
	uint32_t dtrq_pbn;
	struct dt_filter dtrq_filter;
	uint32_t dtrq_rate;	/* of a clock, Hz (documented there as ticks) */
	uint64_t dtrq_evtflags; /* DTEVT_* */
};

struct dtioc_stat_v1 {
	uint64_t dtst_readevt; /* events read */
	uint64_t dtst_dropevt; /* events dropped */
};

#define DTIOCGSTATS_V1	   DT_IOR('D', 2, struct dtioc_stat_v1)
#define DTIOCPRBENABLE_V1  DT_IOW('D', 4, struct dtioc_req_v1)
#define DTIOCPRBDISABLE_V1 DT_IOW('D', 5, struct dtioc_req_v1)

struct dtioc_getaux {
	pid_t dtga_pid;		    /* in: process */
	unsigned long dtga_auxbase; /* out: base address of ld.so, or 0 */
};

/* The file that a process has mapped as code at an address. */
struct dtioc_rdvn {
	pid_t dtrv_pid;	   /* in: process */
	int dtrv_fd;	   /* out: the file, read-only and close-on-exec */
	char *dtrv_va;	   /* in: address in the process */
	char *dtrv_offset; /* out: of dtrv_start in the file */
	char *dtrv_start;  /* out: begin of the mapping */
	size_t dtrv_len;   /* out: bytes of the file */
};
#define dtioc_rdvnode dtioc_rdvn

/*
 * Linux additions.
 */

/* Kernel-side filter of a session: fields whose bit is in dtfi_set. */
struct dtioc_filter {
	uint32_t dtfi_set;	   /* DTFI_* */
	uint32_t dtfi_pid;	   /* process */
	uint32_t dtfi_tid;	   /* thread */
	uint32_t dtfi_uid;	   /* real user id */
	char dtfi_comm[16];	   /* name, at most 15 bytes, NUL padded */
	uint64_t dtfi_cgroup;	   /* id of a cgroup v2; includes descendants */
	uint32_t dtfi_cgrouplevel; /* depth of the cgroup, root 0, or
				    * DTFI_ANYLEVEL: unknown */
	uint32_t dtfi_reserved;
};

#define DTFI_PID      0x1
#define DTFI_TID      0x2
#define DTFI_UID      0x4
#define DTFI_COMM     0x8
#define DTFI_CHILDREN 0x10 /* dtfi_pid and its descendants */
#define DTFI_CGROUP   0x20
#define DTFI_ONEXEC   0x40 /* dtfi_pid from its next execve(2) on */

#define DTFI_ANYLEVEL UINT32_MAX

/*
 * Kernel-side filter by path.  A call fails it if all its paths, and the files
 * of all its descriptors, are known to begin otherwise.  Paths with "." and
 * "..", unreadable paths, and calls without a path or descriptor pass; chdir,
 * fchdir, chroot and close_range always pass.  Entry and return are tested by
 * their own strings.
 */
struct dtioc_path {
	char dtph_prefix[256]; /* NUL padded; "": no filter */
};

/* Condition on hits of an enabled probe; set before RECORD. */
struct dtioc_condition {
	uint32_t dtcn_pbn;
	uint32_t dtcn_reserved;
	struct dt_cond dtcn_cond; /* co_ninsn 0: removes the condition */
};

/*
 * Reads of memory at hits of a probe that was enabled with DTEVT_READS; set
 * before RECORD.  Results are strings of the event with DT_STR_READ.
 */
struct dtioc_reads {
	uint32_t dtrd_pbn;
	uint32_t dtrd_nreads;			/* 0: removes the reads */
	struct dt_read dtrd_reads[DT_READ_MAX]; /* unused ones are 0 */
};

/* Looks up a symbol of the kernel, or of the file of a uprobe or usdt probe. */
struct dtioc_addr {
	uint32_t dtad_pbn;   /* in: a probe; 0: the kernel */
	uint32_t dtad_size;  /* out: bytes of the variable; 0: unknown */
	int64_t dtad_addr;   /* out; of a file: from the program counter */
	char dtad_name[256]; /* in: NUL padded */
};

#define DTPA_NKEYS 2

/* dtpa_flags: events have a struct dt_rec_first and the memory that arguments
 * of the first hit point to.  All pairs of a session have this flag or none. */
#define DTPA_FIRST 0x1

/*
 * Joins two enabled probes: hits of both with the same keys become one event of
 * dtpa_to, with the arguments of dtpa_from and the time between the hits.  A
 * probe is in at most one pair.  Set before RECORD.
 */
struct dtioc_pair {
	uint32_t dtpa_from;  /* pbn of the first probe */
	uint32_t dtpa_to;    /* pbn of the second probe */
	uint32_t dtpa_nkeys; /* 1 to DTPA_NKEYS */
	uint32_t dtpa_flags; /* DTPA_* */
	struct dt_opd dtpa_fromkey[DTPA_NKEYS];
	struct dt_opd dtpa_tokey[DTPA_NKEYS];
	uint64_t dtpa_min; /* minimum duration of an event, ns */
};

/*
 * Counts the hits of an enabled probe by key, in place of events.  Set before
 * RECORD, and after the probe's pair.  All counting probes of a session
 * share a table of rows, and rows with equal keys.
 */
#define DTAG_NKEYS  4 /* parts of a key */
#define DTAG_NWORDS 5 /* words of all parts: a thread's name has two */

struct dtioc_agg {
	uint32_t dtag_pbn;
	uint32_t dtag_nkeys; /* 0 to DTAG_NKEYS */
	struct dt_opd dtag_keys[DTAG_NKEYS];
	struct dt_opd dtag_value; /* DT_OPD_NONE: hits have no value */
	uint32_t dtag_flags;	  /* DTAG_* */
	uint32_t dtag_hist;	  /* DTAG_PLAIN, DTAG_LOG or DTAG_LINEAR */
	uint32_t dtag_sub;     /* LOG: 2^sub buckets per power of two, 0 to 6 */
	uint32_t dtag_nsteps;  /* LINEAR: buckets; one more at each end */
	int64_t dtag_min;      /* LINEAR: begin of the first */
	uint64_t dtag_step;    /* LINEAR: size of each */
	uint32_t dtag_maxrows; /* rows of the table, 0: DTAG_ROWS; as the first
				* request of the session states it */
	uint32_t dtag_divisor; /* of each value, an unsigned number; 0: none */
};

/* dtag_flags */
#define DTAG_OKONLY 0x1 /* failed calls have no value */
/*
 * The key has the owner, the stacks and the strings that the hit's record has,
 * too: the flags DTEVT_* of the probe select them.  Rows have a hash in place of
 * the parts, in their first word.  The first hit of a key is an event with this
 * hash, after which hits are counted.
 */
#define DTAG_RECORD 0x2

/* dtag_hist: rows of one key */
#define DTAG_PLAIN    0 /* one */
#define DTAG_LOG      1 /* one per bucket, by powers of two */
#define DTAG_LINEAR   2 /* one per bucket of equal size */

#define DTAG_ROWS     16384   /* default of dtag_maxrows */
#define DTAG_MAXROWS  1048576 /* maximum of dtag_maxrows */
#define DTAG_MAXSTEPS 65536   /* maximum of dtag_nsteps */
#define DTAG_MAXSUB   6	      /* maximum of dtag_sub */

/*
 * Begins a snapshot: the counts since the last one, of all CPUs, for DTIOCGAGG.
 */
struct dtioc_aggsnap {
	uint64_t dtas_time;    /* CLOCK_MONOTONIC, ns */
	uint64_t dtas_mapfull; /* all hits so far whose key did not fit */
};

/* A row of a snapshot. */
struct dtioc_aggrow {
	uint64_t dtrw_words[DTAG_NWORDS]; /* the parts of the key, in order */
	uint64_t dtrw_bucket;		  /* see dt_agg_bucket() */
	uint64_t dtrw_cpu;
	uint64_t dtrw_count;
	int64_t dtrw_sum; /* with dtrw_bucket not 0: of the values */
	int64_t dtrw_min;
	int64_t dtrw_max;
};

/* Returns further rows of the snapshot, which it then forgets; none: all were
 * returned. */
struct dtioc_aggrows {
	size_t dtgr_size; /* in: bytes of the array, DTAG_PAGE rows at least;
			   * out: used */
	struct dtioc_aggrow *dtgr_rows;
};

#define DTAG_PAGE 744 /* rows returned at once */

/*
 * The frames of a stack that was copied, by unwind tables.  drs_how is
 * DT_STACK_TABLE.
 */
struct dtioc_stack {
	uint32_t dtsk_copy; /* in: drs_copy of the event */
	uint32_t dtsk_reserved;
	struct dt_rec_stack dtsk_stack;	     /* out */
	uint64_t dtsk_pcs[DT_REC_MAXFRAMES]; /* out: dtsk_stack.drs_count */
};

/*
 * Takes a snapshot of threads for DTIOCGTHREADS: of those that pass all tests.
 * Does not include dtd and its client, unless DTIOCSELF is set.
 */
#define DTTH_NPIDS  32 /* processes by number */
#define DTTH_NNAMES 16 /* and by name */

struct dtioc_threads {
	uint32_t dtth_npids; /* with the next one 0: all processes */
	uint32_t dtth_nnames;
	uint32_t dtth_pids[DTTH_NPIDS];
	char dtth_names[DTTH_NNAMES][16]; /* NUL padded */
	char dtth_comm[16];   /* name of the thread, NUL padded; "": any */
	char dtth_states[16]; /* letters of states, NUL padded; "": all */
	uint32_t dtth_flags;  /* DTTH_* */
	uint32_t dtth_count;  /* out: threads */
	uint64_t dtth_time;   /* out: CLOCK_MONOTONIC, ns */
};

#define DTTH_USTACK 0x1 /* with user stacks */

/* A thread.  All lengths are multiples of 8. */
struct dtioc_thread {
	uint32_t dtti_length; /* bytes of this struct and of the addresses */
	uint32_t dtti_pid;
	uint32_t dtti_tid;
	uint32_t dtti_cpu;     /* on which it runs, or ran last */
	uint64_t dtti_nsecs;   /* in this state; UINT64_MAX: unknown */
	char dtti_comm[16];    /* name of the thread */
	char dtti_process[16]; /* name of the process */
	uint8_t dtti_state;    /* letter, as in /proc/PID/stat */
	uint8_t dtti_flags;    /* DTTI_* */
	uint8_t dtti_reserved[6];
	struct dt_rec_stack dtti_kstack;
	struct dt_rec_stack dtti_ustack;
	/* then the addresses of the kernel stack, then of the user stack */
};

#define DTTI_ONCPU   0x1 /* it runs at this moment */
#define DTTI_KTHREAD 0x2 /* it has no user memory */
#define DTTI_BARE    0x4 /* it has no stacks: it runs, or has exited */

/* Returns further threads of the snapshot, which it then forgets; none: all
 * were returned. */
struct dtioc_threadlist {
	size_t dttl_size; /* in: bytes of the buffer, DTTI_PAGE at least; out:
			   * used */
	void *dttl_buf;	  /* of struct dtioc_thread, aligned to 8 */
};

#define DTTI_PAGE 65536

/*
 * Announces a program or library, whose probes can be looked up from then on as
 * uprobe:@ID:FUNCTION:entry, uprobe:@ID:FUNCTION:return and
 * usdt:@ID:PROVIDER:NAME.  dt_lookup() does it for the path in a pattern.
 */
struct dtioc_file {
	int dtfl_fd;	  /* in: a regular file, open for reading */
	uint32_t dtfl_id; /* out: its number in this session */
	char dtfl_path
	    [1024]; /* in: the file's path; probes have its last part */
};

#define DTFL_MAX 1024 /* files of a session */

/* Probes whose provider:func:name matches a glob, see dt(4). */
struct dtioc_lookup {
	const char *dtlk_pattern;
	size_t dtlk_size; /* as dtpr_size */
	struct dtioc_probe_info *dtlk_probes;
};

/* Cost of symbols in the whole daemon: current values and sums. */
struct dtioc_symstat {
	/* following processes */
	uint64_t dtss_nprocs;	   /* known processes, including exited ones */
	uint64_t dtss_nended;	   /* known processes that have exited */
	uint64_t dtss_nmaps;	   /* their code mappings, current and former */
	uint64_t dtss_nfiles;	   /* files of these mappings */
	uint64_t dtss_nopen;	   /* files of these that are open */
	uint64_t dtss_followbytes; /* memory */
	uint64_t dtss_followcpu;   /* CPU time, ns */
	uint64_t dtss_nevents;	   /* kernel events received */
	uint64_t dtss_nlost;	   /* kernel events lost, buffer full */
	/* cache of symbols */
	uint64_t dtss_cachebytes; /* bytes in the cache */
	uint64_t dtss_cachefiles; /* files in the cache */
	uint64_t dtss_asked;	  /* addresses requested */
	uint64_t dtss_hits;	  /* addresses found in the cache */
	uint64_t dtss_evicts;	  /* files evicted, cache full */
	/* symbolizers, the processes that read files */
	uint64_t dtss_requests; /* addresses looked up */
	uint64_t dtss_starts;	/* processes started */
	uint64_t dtss_deaths;	/* crashes while reading a file */
	uint64_t dtss_timeouts; /* kills while reading a file */
	uint64_t dtss_badfiles; /* files that are not read again */
	uint64_t dtss_pid;	/* the one used last, 0: none runs */
	/* kernel symbols */
	uint64_t dtss_ksyms;  /* functions in memory */
	uint64_t dtss_kreads; /* reads of the kernel's table */
	uint64_t dtss_kgone;  /* unloaded functions in memory */
};

/* The complete statistics of a session. */
struct dtioc_fullstat {
	uint64_t dtfs_fired; /* see struct dt_ledger in evt.h */
	uint64_t dtfs_read;
	uint64_t dtfs_dropped;
	uint64_t dtfs_recursed;
	uint64_t dtfs_missed;
	uint64_t dtfs_excluded;
	uint64_t dtfs_skiptick;
	uint64_t dtfs_idle;
	uint64_t dtfs_compat;
	uint64_t dtfs_unfollowed;
	uint64_t dtfs_runs;
	uint64_t dtfs_mode;
	uint64_t dtfs_counted;
	uint64_t dtfs_mapfull;
	uint64_t dtfs_flags; /* DT_LEDGER_* */
	uint64_t dtfs_unpaired;
	uint64_t dtfs_ringbytes; /* bytes of the largest ring, 0: none yet */
	uint32_t dtfs_nrings;	 /* number of rings */
	uint32_t dtfs_nenabled;	 /* enabled probes */
	uint32_t dtfs_recording; /* 1 while recording */
	uint32_t dtfs_nopen; /* sessions of the device, including this one */
	/* costs: millionths of the machine's CPU time; UINT64_MAX: unknown */
	uint64_t dtfs_cost;	 /* all programs, measured last */
	uint64_t dtfs_costrun;	 /* mean of this session's last run */
	uint64_t dtfs_costlimit; /* stops this session; 0: no limit */
	struct dtioc_symstat dtfs_sym;
};

/* Longest delays in the daemon's threads since it started, ns. */
struct dtioc_stall {
	uint64_t dtsl_control;	  /* longest pass of the control thread */
	uint64_t dtsl_controlcpu; /* longest CPU time of such a pass */
	uint64_t dtsl_data;	  /* longest pass of the data thread */
	uint64_t dtsl_datacpu;	  /* longest CPU time of such a pass */
	uint64_t dtsl_datagap; /* longest time between two passes with data */
};

/* A provider, and the reason if it is unavailable. */
struct dtioc_prov_info {
	char dtpv_name[DTNAMESIZE];
	uint32_t dtpv_nprobes;
	uint32_t dtpv_available; /* 0 or 1 */
	char dtpv_reason[192];	 /* if unavailable; otherwise a remark or "" */
};

struct dtioc_prov {
	size_t dtpo_size; /* as dtpr_size */
	struct dtioc_prov_info *dtpo_provs;
};

/* Name of an argument; DTIOCGARGS returns the types. */
struct dtioc_argname_info {
	uint32_t dtan_pbn;
	uint8_t dtan_argn;
	uint8_t dtan_flags; /* DTAN_* */
	char dtan_name[DTNAMESIZE];
};

#define DTAN_PATH     0x1  /* points to a path in the process */
#define DTAN_SIGNED   0x2  /* a signed number, whatever its type's name */
#define DTAN_UNSIGNED 0x4  /* an unsigned number */
#define DTAN_MORE     0x8  /* further fields follow and are not recorded */
#define DTAN_NOVALUE  0x10 /* cannot be read: its value is 0 */

struct dtioc_argname {
	uint32_t dtan_pbn;
	size_t dtan_size; /* as dtpr_size */
	struct dtioc_argname_info *dtan_names;
};

/* A frame of a symbolized address; strings are in the same buffer. */
struct dtioc_frame {
	uint32_t dtfr_pc;      /* index of the address in the request */
	uint32_t dtfr_line;    /* 0 if unknown */
	uint32_t dtfr_inlined; /* 1: inlined into the next frame */
	uint32_t dtfr_buildidlen;
	uint8_t dtfr_buildid[24];
	uint64_t dtfr_offset;	 /* of the address in the function */
	uint64_t dtfr_fileoff;	 /* offset in the module, if that is a file */
	const char *dtfr_func;	 /* function, NULL if unknown */
	const char *dtfr_module; /* file, or kernel module, or NULL */
	const char *dtfr_file;	 /* source file, NULL if unknown */
	uint32_t dtfr_why;	 /* DTFR_*: why dtfr_func is NULL */
	uint32_t dtfr_error;	 /* errno of dtfr_why, or 0 */
};

/* Why a frame has no function. */
#define DTFR_NAMED   0 /* the frame has a function */
#define DTFR_NOSYM   1 /* no symbol at the address */
#define DTFR_NOPROC  2 /* process unknown, or unknown at that time */
#define DTFR_NOMAP   3 /* no code mapped at the address at that time */
#define DTFR_NOFILE  4 /* the file could not be opened: dtfr_error */
#define DTFR_OTHER   5 /* the path leads to another file now */
#define DTFR_NOTELF  6 /* the file has no format with symbols */
#define DTFR_WORKER  7 /* reading the file failed or took too long */
#define DTFR_ANON    8 /* code without a file or published symbols */
#define DTFR_DENIED  9 /* this client may not see it */
#define DTFR_NREASON 10

struct dtioc_sym {
	pid_t dtsy_pid; /* 0: kernel addresses */
	uint32_t dtsy_npcs;
	uint64_t dtsy_time; /* CLOCK_MONOTONIC of the hit, ns; 0: now */
	const uint64_t *dtsy_pcs;
	size_t dtsy_size;      /* in: bytes of the buffer; out: used */
	void *dtsy_buf;	       /* struct dtioc_frame[], strings */
	uint32_t dtsy_nframes; /* out */
	uint32_t dtsy_flags;   /* DTSY_* */
	/* out: time range in which the process had this code (ns), and a
	 * generation that changes with the code */
	uint64_t dtsy_from;
	uint64_t dtsy_until;
	uint64_t dtsy_gen;
};

#define DTSY_LINES 0x1 /* source lines and inlined functions */

/* A mapping of code; the path is in the same buffer. */
struct dtioc_map {
	uint64_t dtmp_start;
	uint64_t dtmp_end;
	uint64_t dtmp_offset; /* of start in the file */
	uint64_t dtmp_file;   /* number of the file, never reused */
	uint32_t dtmp_kind;   /* DTMP_* */
	uint32_t dtmp_buildidlen;
	uint8_t dtmp_buildid[24];
	const char *dtmp_path; /* as the process saw it */
};

#define DTMP_FILE 0
#define DTMP_VDSO 1
#define DTMP_ANON 2 /* no file */

/* All mappings of code of a process at a time. */
struct dtioc_maps {
	pid_t dtms_pid;
	uint32_t dtms_nmaps; /* out */
	uint64_t dtms_time;  /* as dtsy_time */
	size_t dtms_size;    /* in: bytes of the buffer; out: used */
	void *dtms_buf;	     /* struct dtioc_map[], paths */
	uint64_t dtms_from;  /* as dtsy_from */
	uint64_t dtms_until;
	uint64_t dtms_gen;
};

/* Resolves offsets in a file, independent of any process. */
struct dtioc_symfile {
	const char *dtsf_path;	     /* absolute */
	const uint8_t *dtsf_buildid; /* required build id, or NULL */
	uint32_t dtsf_buildidlen;
	uint32_t dtsf_noffs;
	const uint64_t *dtsf_offs; /* offsets in the file */
	size_t dtsf_size;	   /* as dtsy_size */
	void *dtsf_buf;		   /* as dtsy_buf */
	uint32_t dtsf_nframes;	   /* out */
	uint32_t dtsf_flags;	   /* DTSY_* */
};

/*
 * A number about the work of dtd for all sessions, from dt_sums_read().
 * Readers skip unknown kinds.
 */
struct dtioc_sum {
	uint32_t dtsm_what; /* DTSM_* */
	uint32_t dtsm_pad;
	char dtsm_device[16]; /* "dt", or "" for the whole daemon */
	char dtsm_name[40];   /* as the comment of the kind states, else "" */
	uint64_t dtsm_value;
};

/*
 * Sums over all sessions, including closed ones, since dtd started.  Name: the
 * provider, or "syscall+syscall32" for calls of sessions that record both.
 */
#define DTSM_FIRED    1 /* see struct dt_ledger in evt.h */
#define DTSM_READ     2
#define DTSM_DROPPED  3
#define DTSM_RECURSED 4
#define DTSM_MISSED   5 /* counted when a run ends */
#define DTSM_EXCLUDED 6
#define DTSM_SKIPTICK 7
#define DTSM_COUNTED  8
#define DTSM_MAPFULL  9
/* A device; "now" marks current values, all others are sums */
#define DTSM_OPENS     16 /* sessions now; name: "UID RIGHT" or "other RIGHT" */
#define DTSM_RECORDING 17 /* recording sessions, now */
#define DTSM_RINGBYTES 18 /* bytes of all rings, now */
#define DTSM_RINGUSED  19 /* unread bytes in all rings, now */
#define DTSM_RINGFILL  20 /* fill of the fullest ring, millionths, now */
#define DTSM_BRAKED    21 /* runs stopped by a cost limit */
#define DTSM_COST      22 /* cost of all programs: dtfs_cost */
#define DTSM_COSTLIMIT 23 /* millionths, 0: no limit */
#define DTSM_PROGRAMS  24 /* kinds of programs that are attached, now */
#define DTSM_PROGNSECS 25 /* sampled CPU time; name: the kind of program */
#define DTSM_REFUSED   26 /* refused requests; name: the reason */
/* Symbols, as in struct dtioc_symstat */
#define DTSM_SYMPROCS	 40 /* now */
#define DTSM_SYMFOLLOW	 41 /* bytes, now */
#define DTSM_SYMEVENTS	 42
#define DTSM_SYMLOST	 43
#define DTSM_SYMBYTES	 44 /* bytes of the cache, now */
#define DTSM_SYMFILES	 45 /* files in the cache, now */
#define DTSM_SYMASKED	 46
#define DTSM_SYMHITS	 47
#define DTSM_SYMEVICTS	 48
#define DTSM_SYMSTARTS	 49
#define DTSM_SYMDEATHS	 50
#define DTSM_SYMTIMEOUTS 51
#define DTSM_SYMHUNG	 52 /* symbolizers that do not exit when killed, now */
/* Unwind tables */
#define DTSM_UNWPAGES  54 /* tables of pages, now */
#define DTSM_UNWPROCS  55 /* processes whose mappings are used, now */
#define DTSM_UNWBYTES  56 /* bytes of tables and mappings, now */
#define DTSM_UNWMEMORY 57 /* bytes of memory for them, now */
#define DTSM_UNWMISSES 58 /* requests of programs for tables and mappings */
#define DTSM_UNWBUILT  59 /* tables */
#define DTSM_UNWFAILED 60 /* tables and processes that could not be read */
#define DTSM_UNWEVICTS 61 /* tables that were removed for others */
#define DTSM_UNWFULL   62 /* tables for which there was no memory */
#define DTSM_UNWNSECS  63 /* time waited for tables, ns */
/* The process dtd */
#define DTSM_STARTED  64 /* CLOCK_REALTIME, s */
#define DTSM_CPUNSECS 65 /* CPU time, ns */
#define DTSM_RSS      66 /* bytes, now */
#define DTSM_VSIZE    67 /* bytes, now */
#define DTSM_THREADS  68 /* now */
#define DTSM_MAXFDS   69 /* limit of descriptors */
#define DTSM_ASKED    70 /* requests for these numbers */
#define DTSM_ASKEDCPU 71 /* CPU time of dtd for these requests, ns */
/* Inspectors, the processes that examine other processes and files for dtd */
#define DTSM_INSPRUNNING  80 /* inspectors, now */
#define DTSM_INSPSTUCK	  81 /* hanging inspectors, now */
#define DTSM_INSPASKS	  82 /* requests */
#define DTSM_INSPTIMEOUTS 83 /* requests without a reply in time */
#define DTSM_INSPREFUSED  84 /* requests refused: an inspector hangs there */
/* Copies of stacks, for which unwind tables were not ready */
#define DTSM_UNWCOPIES	90 /* that dtd received */
#define DTSM_UNWLOST	91 /* that were dropped, or did not fit into memory */
#define DTSM_UNWWALKED	92 /* walked */
#define DTSM_UNWGIVENUP 93 /* walked although a table was missing */
/* User stacks by unwind tables; name: "complete", or why there are no more */
#define DTSM_UNWSTACKS 94

#define DTSM_MAX       512 /* most entries of a reply */

/* Rights of a client: dt_rights(). */
#define RIGHT_LIST	0x01 /* lists of probes, the client's statistics */
#define RIGHT_STATS	0x02 /* sums over all sessions */
#define RIGHT_PROFILE	0x04 /* clock probes, tprof */
#define RIGHT_TRACE_OWN 0x08 /* recording the client's own processes */
#define RIGHT_TRACE_ALL 0x10 /* recording everything */
#define RIGHT_ADMIN	0x20 /* lifting cost limits, symbols of any file */
#define RIGHT_TRACE	(RIGHT_PROFILE | RIGHT_TRACE_OWN | RIGHT_TRACE_ALL)
#define RIGHT_ALL	0x3f

/* Command numbers, as the BSDs encode them on all machines. */
#define DT_IOC_VOID  0x20000000UL
#define DT_IOC_OUT   0x40000000UL
#define DT_IOC_IN    0x80000000UL
#define DT_IOC_INOUT (DT_IOC_IN | DT_IOC_OUT)
#define DT_IOC(dir, group, nr, len) \
	((dir) | (((unsigned long)(len)&0x1fff) << 16) | \
	    ((unsigned long)(group) << 8) | (nr))
#define DT_IO(g, n)	 DT_IOC(DT_IOC_VOID, g, n, 0)
#define DT_IOR(g, n, t)	 DT_IOC(DT_IOC_OUT, g, n, sizeof(t))
#define DT_IOW(g, n, t)	 DT_IOC(DT_IOC_IN, g, n, sizeof(t))
#define DT_IOWR(g, n, t) DT_IOC(DT_IOC_INOUT, g, n, sizeof(t))

#define DTIOCGPLIST	 DT_IOWR('D', 1, struct dtioc_probe)
#define DTIOCGSTATS	 DT_IOR('D', 2, struct dtioc_stat)
#define DTIOCRECORD	 DT_IOW('D', 3, int)
#define DTIOCPRBENABLE	 DT_IOW('D', 4, struct dtioc_req)
#define DTIOCPRBDISABLE	 DT_IOW('D', 5, struct dtioc_req)
#define DTIOCGARGS	 DT_IOWR('D', 6, struct dtioc_arg)
#define DTIOCGETAUXBASE	 DT_IOWR('D', 7, struct dtioc_getaux)
#define DTIOCRDVNODE	 DT_IOWR('D', 8, struct dtioc_rdvn)

#define DTIOCSELF	 DT_IOW('D', 64, int) /* include dtd and clients */
#define DTIOCLOOKUP	 DT_IOWR('D', 65, struct dtioc_lookup)
#define DTIOCSFILTER	 DT_IOW('D', 66, struct dtioc_filter)
#define DTIOCSBUDGET	 DT_IOW('D', 67, uint64_t) /* bytes of rings */
#define DTIOCGFULLSTAT	 DT_IOR('D', 68, struct dtioc_fullstat)
#define DTIOCGPROVS	 DT_IOWR('D', 69, struct dtioc_prov)
#define DTIOCSYM	 DT_IOWR('D', 70, struct dtioc_sym)
#define DTIOCGARGNAMES	 DT_IOWR('D', 71, struct dtioc_argname)
#define DTIOCNOLIMIT	 DT_IOW('D', 72, int) /* lift the cost limit */
#define DTIOCSPATH	 DT_IOW('D', 73, struct dtioc_path)
#define DTIOCSCONDITION	 DT_IOW('D', 74, struct dtioc_condition)
#define DTIOCSPAIR	 DT_IOW('D', 75, struct dtioc_pair)
#define DTIOCGMAPS	 DT_IOWR('D', 76, struct dtioc_maps)
#define DTIOCSYMFILE	 DT_IOWR('D', 77, struct dtioc_symfile)
#define DTIOCSMAXBUDGET	 DT_IOW('D', 79, uint64_t) /* bytes when grown */
#define DTIOCGSTACK	 DT_IOWR('D', 80, struct dtioc_stack)
#define DTIOCSAGG	 DT_IOW('D', 81, struct dtioc_agg)
#define DTIOCAGGSNAP	 DT_IOR('D', 82, struct dtioc_aggsnap)
#define DTIOCGAGG	 DT_IOWR('D', 83, struct dtioc_aggrows)
#define DTIOCGPENDING	 DT_IOR('D', 84, uint64_t) /* waiting first hits */
#define DTIOCTHREADS	 DT_IOWR('D', 85, struct dtioc_threads)
#define DTIOCGTHREADS	 DT_IOWR('D', 86, struct dtioc_threadlist)
#define DTIOCFILE	 DT_IOWR('D', 87, struct dtioc_file)
#define DTIOCSREADS	 DT_IOW('D', 88, struct dtioc_reads)
#define DTIOCPASS	 DT_IO('D', 89) /* low water of now, for dt_passed() */
#define DTIOCGSTALL	 DT_IOR('D', 98, struct dtioc_stall)
#define DTIOCGSUMS	 DT_IO('D', 90) /* for dt_sums_open() */
#define DTIOCGKSYMS	 DT_IO('D', 91) /* for /dev/ksyms of dt/compat.h */
#define DTIOCGADDR	 DT_IOWR('D', 92, struct dtioc_addr)

#ifndef __cplusplus
_Static_assert(sizeof(struct dtioc_probe_info) == 200, "dtioc_probe_info");
_Static_assert(sizeof(struct dtioc_arg_info) == 72, "dtioc_arg_info");
_Static_assert(sizeof(struct dtioc_req) == 24, "dtioc_req");
_Static_assert(sizeof(struct dtioc_stat) == 32, "dtioc_stat");
_Static_assert(sizeof(struct dtioc_stack) == 1032, "dtioc_stack");
_Static_assert(sizeof(struct dtioc_agg) == 88, "dtioc_agg");
_Static_assert(sizeof(struct dtioc_reads) == 648, "dtioc_reads");
_Static_assert(sizeof(struct dtioc_addr) == 272, "dtioc_addr");
_Static_assert(sizeof(struct dtioc_aggrow) == 88, "dtioc_aggrow");
_Static_assert(sizeof(struct dtioc_threads) == 440, "dtioc_threads");
_Static_assert(sizeof(struct dtioc_thread) == 80, "dtioc_thread");
_Static_assert(sizeof(struct dtioc_req_v1) == 32, "dtioc_req_v1");
_Static_assert(sizeof(struct dtioc_stat_v1) == 16, "dtioc_stat_v1");
_Static_assert(sizeof(struct dtioc_rdvn) == 40, "dtioc_rdvn");
_Static_assert(sizeof(struct dt_evt) == 2184, "dt_evt");
#endif

#ifdef DT_V1 /* changes the numbers, too, since they use these names */
#define dtioc_req    dtioc_req_v1
#define dtioc_stat   dtioc_stat_v1
#define dtev_sysargs dtev_args
#endif

#endif /* DEV_DT_DTVAR_H */
