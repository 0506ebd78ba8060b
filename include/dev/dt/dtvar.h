/* SPDX-License-Identifier: ISC */
/*
 * The interface of the dt device, after dt(4) of OpenBSD: numbers, structs
 * and flags carry its names, so that a program written for it compiles.
 * Names and stacks are longer here than there (DTNAMESIZE, STACKTRACE_MAX,
 * DTMAXCOMLEN), and what Linux adds has numbers from 64 up.
 *
 * The ioctls are carried out by dt_ioctl() of libdt.h, which tells for each
 * what it wants, gives and refuses; dt(4) has the same for reading.
 */
#ifndef DEV_DT_DTVAR_H
#define DEV_DT_DTVAR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "cond.h"

#define DTDEVNAME      "/run/dt/dt" /* where the service listens */

#define DTNAMESIZE     64 /* names, NUL included */
#define DTMAXCOMLEN    24 /* comm, NUL included */
#define DTMAXFUNCARGS  10 /* arguments of an event */
#define DTMAXARGTYPES  DTMAXFUNCARGS
#define STACKTRACE_MAX 127 /* frames of a stack */

struct stacktrace {
	unsigned int st_count;		/* valid entries of st_pc */
	uint64_t st_pc[STACKTRACE_MAX]; /* innermost first */
};

/* What dt_read() gives, always whole. */
struct dt_evt {
	unsigned int dtev_pbn; /* probe that was hit */
	unsigned int dtev_cpu;
	pid_t dtev_pid;		       /* process */
	pid_t dtev_tid;		       /* thread */
	struct timespec dtev_tsp;      /* CLOCK_REALTIME of the hit */
	struct stacktrace dtev_kstack; /* with DTEVT_KSTACK */
	struct stacktrace dtev_ustack; /* with DTEVT_USTACK */
	char dtev_comm[DTMAXCOMLEN];   /* DTEVT_EXECNAME */
	union {
		int64_t E_entry[DTMAXFUNCARGS]; /* DTEVT_FUNCARGS */
		struct {
			int64_t __retval[2];
			int __error;
		} E_return;
	} _args;
#define dtev_args   _args.E_entry	    /* arguments of an entry */
#define dtev_retval _args.E_return.__retval /* [0]: value, -1 if failed */
#define dtev_error  _args.E_return.__error  /* errno if failed */
};

/* What an event shall carry beside pbn, cpu, pid, tid and time. */
#define DTEVT_EXECNAME (1 << 0) /* name of the process */
#define DTEVT_USTACK   (1 << 1) /* user stack */
#define DTEVT_KSTACK   (1 << 2) /* kernel stack */
#define DTEVT_FUNCARGS (1 << 3) /* arguments */
/* of Linux */
#define DTEVT_WHO     (1 << 8)	/* user, parent, cgroup */
#define DTEVT_STRINGS (1 << 9)	/* paths, and argv of execve */
#define DTEVT_MEMORY  (1 << 10) /* structs that arguments point to */
#define DTEVT_DATA    (1 << 11) /* the first bytes of what is read, written */
#define DTEVT_PATHS   (1 << 12) /* of descriptors and working directories */

struct dtioc_probe_info {
	uint32_t dtpi_pbn;  /* number of the probe */
	uint8_t dtpi_nargs; /* its arguments */
	char dtpi_prov[DTNAMESIZE];
	char dtpi_func[DTNAMESIZE];
	char dtpi_name[DTNAMESIZE];
	uint8_t dtpi_flags; /* DTPI_*, of Linux */
};

#define DTPI_LATER 0x1 /* how many arguments it has, DTIOCGARGS tells */

struct dtioc_probe {
	size_t dtpr_size; /* bytes: in of the array, out of all */
	struct dtioc_probe_info *dtpr_probes;
};

struct dtioc_arg_info {
	uint32_t dtai_pbn;
	uint8_t dtai_argn; /* 0 is the first */
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
	uint64_t dtrq_nsecs;	/* period of profile and interval */
};

struct dtioc_stat {
	uint64_t dtst_readevt;	/* events read */
	uint64_t dtst_dropevt;	/* events dropped */
	uint64_t dtst_skiptick; /* clock ticks skipped */
	uint64_t dtst_recurevt; /* recursive events dropped */
};

/*
 * The request of the older interface, and its statistics.  DTIOCPRBENABLE,
 * DTIOCPRBDISABLE and DTIOCGSTATS have them under the same number; their
 * lengths tell them apart.  A program that was written for it finds them under
 * their old names when it is compiled with -DDT_V1.
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

/* What is recorded of a probe: all, unless both of the first two are set. */
struct dt_filter {
	uint32_t dtf_operand;  /* DT_OP_* */
	uint32_t dtf_variable; /* DT_FV_* */
	uint32_t dtf_value;    /* process or thread */
};

struct dtioc_req_v1 {
	uint32_t dtrq_pbn;
	struct dt_filter dtrq_filter;
	uint32_t dtrq_rate;	/* Hz, of a clock; it was said to be ticks */
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
	pid_t dtga_pid;		    /* in */
	unsigned long dtga_auxbase; /* out: base of ld.so, or 0 */
};

/*
 * Linux additions.
 */

/* Kernel-side filter of an open; a field counts if its bit is in dtfi_set. */
struct dtioc_filter {
	uint32_t dtfi_set;	   /* DTFI_* */
	uint32_t dtfi_pid;	   /* process */
	uint32_t dtfi_tid;	   /* thread */
	uint32_t dtfi_uid;	   /* real user id */
	char dtfi_comm[16];	   /* name, NUL padded; 15 characters */
	uint64_t dtfi_cgroup;	   /* id of a cgroup v2, and those below it */
	uint32_t dtfi_cgrouplevel; /* its depth; the root has 0; DTFI_ANYLEVEL:
				    * is not known */
	uint32_t dtfi_reserved;
};

#define DTFI_PID      0x1
#define DTFI_TID      0x2
#define DTFI_UID      0x4
#define DTFI_COMM     0x8
#define DTFI_CHILDREN 0x10 /* dtfi_pid and all that descend from it */
#define DTFI_CGROUP   0x20
#define DTFI_ONEXEC   0x40 /* dtfi_pid from its next execve(2) on */

#define DTFI_ANYLEVEL UINT32_MAX

/*
 * Kernel-side filter by path: leaves out calls of which all paths, and the
 * files of all descriptors, are known to begin otherwise.  Paths with "." and
 * "..", unreadable ones, and calls without any path or descriptor pass; and so
 * do chdir, fchdir, chroot and close_range.  Entry and return are tested by
 * their own strings.
 */
struct dtioc_path {
	char dtph_prefix[256]; /* NUL padded; "": no filter */
};

/* What a hit of an enabled probe has to fulfil; before RECORD. */
struct dtioc_condition {
	uint32_t dtcn_pbn;
	uint32_t dtcn_reserved;
	struct dt_cond dtcn_cond; /* co_ninsn 0: nothing any more */
};

#define DTPA_NKEYS 2

/* dtpa_flags: events have a struct dt_rec_first, and what the arguments of the
 * first hit point to.  All pairs of a session have it, or none. */
#define DTPA_FIRST 0x1

/*
 * Two enabled probes that become one event when both were hit with the same
 * keys: one of dtpa_to, with the arguments of dtpa_from and the time between
 * them.  A probe is in one pair at most.  Before RECORD.
 */
struct dtioc_pair {
	uint32_t dtpa_from; /* pbn */
	uint32_t dtpa_to;
	uint32_t dtpa_nkeys; /* 1 to DTPA_NKEYS */
	uint32_t dtpa_flags; /* DTPA_* */
	struct dt_opd dtpa_fromkey[DTPA_NKEYS];
	struct dt_opd dtpa_tokey[DTPA_NKEYS];
	uint64_t dtpa_min; /* ns; what is shorter is no event */
};

/* Probes whose provider:func:name matches a glob, see dt(4). */
struct dtioc_lookup {
	const char *dtlk_pattern;
	size_t dtlk_size; /* as dtpr_size */
	struct dtioc_probe_info *dtlk_probes;
};

/* What names of code take: of the whole daemon, so far or now. */
struct dtioc_symstat {
	/* who follows processes */
	uint64_t dtss_nprocs; /* known now, those included that ended */
	uint64_t dtss_nended; /* of them, these have */
	uint64_t dtss_nmaps;  /* code that they have mapped, or had */
	uint64_t dtss_nfiles; /* the files of that, */
	uint64_t dtss_nopen;  /* and those of them that are open */
	uint64_t dtss_followbytes;
	uint64_t dtss_followcpu; /* ns */
	uint64_t dtss_nevents;	 /* of the kernel */
	uint64_t dtss_nlost;	 /* events that the kernel had no room for */
	/* names that are kept */
	uint64_t dtss_cachebytes;
	uint64_t dtss_cachefiles;
	uint64_t dtss_asked;  /* addresses */
	uint64_t dtss_hits;   /* of them, known already */
	uint64_t dtss_evicts; /* files forgotten for want of room */
	/* the symbolizers, which read files */
	uint64_t dtss_requests; /* addresses they looked up */
	uint64_t dtss_starts;
	uint64_t dtss_deaths;	/* over a file */
	uint64_t dtss_timeouts; /* killed over a file */
	uint64_t dtss_badfiles; /* that are not asked again */
	uint64_t dtss_pid;	/* of the one used last, 0: none runs */
	/* the kernel's names */
	uint64_t dtss_ksyms;  /* in memory */
	uint64_t dtss_kreads; /* of the table */
	uint64_t dtss_kgone;  /* of what was unloaded, in memory */
};

/* Everything that the device counts for this open. */
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
	uint64_t dtfs_ringbytes; /* of the largest ring, 0: none yet */
	uint32_t dtfs_nrings;
	uint32_t dtfs_nenabled; /* probes */
	uint32_t dtfs_recording;
	uint32_t dtfs_nopen; /* opens of the device, this included */
	/* millionths of the machine's CPU time; UINT64_MAX: not known */
	uint64_t dtfs_cost;	 /* of all programs, measured last */
	uint64_t dtfs_costrun;	 /* mean of this open's run */
	uint64_t dtfs_costlimit; /* this open is stopped above; 0: never */
	struct dtioc_symstat dtfs_sym;
};

/*
 * How long the daemon's threads that must not wait were away at most since it
 * started, in nanoseconds: the longest pass, by the clock and by the thread's
 * own time on a CPU, and the longest time between two passes that were due.
 */
struct dtioc_stall {
	uint64_t dtsl_control; /* answers commands */
	uint64_t dtsl_controlcpu;
	uint64_t dtsl_data; /* sends events */
	uint64_t dtsl_datacpu;
	uint64_t dtsl_datagap;
};

/* Whether a provider works here, and why not. */
struct dtioc_prov_info {
	char dtpv_name[DTNAMESIZE];
	uint32_t dtpv_nprobes;
	uint32_t dtpv_available; /* 0 or 1 */
	char dtpv_reason[192];	 /* if not, or a remark */
};

struct dtioc_prov {
	size_t dtpo_size; /* as dtpr_size */
	struct dtioc_prov_info *dtpo_provs;
};

/* Names of arguments, beside the types that DTIOCGARGS gives. */
struct dtioc_argname_info {
	uint32_t dtan_pbn;
	uint8_t dtan_argn;
	uint8_t dtan_flags; /* DTAN_* */
	char dtan_name[DTNAMESIZE];
};

#define DTAN_PATH     0x1 /* points to a path in the process */
#define DTAN_SIGNED   0x2 /* a number, whatever its type is called */
#define DTAN_UNSIGNED 0x4
#define DTAN_MORE     0x8 /* further fields, which are not recorded */

struct dtioc_argname {
	uint32_t dtan_pbn;
	size_t dtan_size; /* as dtpr_size */
	struct dtioc_argname_info *dtan_names;
};

/* One frame of a symbolized address; strings are part of the same buffer. */
struct dtioc_frame {
	uint32_t dtfr_pc;      /* index of the address asked for */
	uint32_t dtfr_line;    /* 0 if unknown */
	uint32_t dtfr_inlined; /* 1: inlined into the next frame */
	uint32_t dtfr_buildidlen;
	uint8_t dtfr_buildid[24];
	uint64_t dtfr_offset;	 /* of the address in the function */
	uint64_t dtfr_fileoff;	 /* in the module, if that is a file */
	const char *dtfr_func;	 /* NULL if unknown */
	const char *dtfr_module; /* file, or kernel module, or NULL */
	const char *dtfr_file;	 /* NULL if unknown */
	uint32_t dtfr_why;	 /* DTFR_*: why dtfr_func is NULL */
	uint32_t dtfr_error;	 /* the errno behind that, or 0 */
};

/* Why a frame has no function. */
#define DTFR_NAMED   0 /* it has one */
#define DTFR_NOSYM   1 /* no symbol there */
#define DTFR_NOPROC  2 /* the process is not known, or was not then */
#define DTFR_NOMAP   3 /* it had no code there at that time */
#define DTFR_NOFILE  4 /* its file could not be opened: dtfr_error */
#define DTFR_OTHER   5 /* another file is there now */
#define DTFR_NOTELF  6 /* its file is none that has symbols */
#define DTFR_WORKER  7 /* reading its file failed, or took too long */
#define DTFR_ANON    8 /* code without a file, and nobody tells its names */
#define DTFR_DENIED  9 /* not this client's to know */
#define DTFR_NREASON 10

struct dtioc_sym {
	pid_t dtsy_pid; /* 0: addresses of the kernel */
	uint32_t dtsy_npcs;
	uint64_t dtsy_time; /* CLOCK_MONOTONIC of the hit, ns; 0: now */
	const uint64_t *dtsy_pcs;
	size_t dtsy_size;      /* bytes of the buffer: in; used: out */
	void *dtsy_buf;	       /* struct dtioc_frame[], strings */
	uint32_t dtsy_nframes; /* out */
	uint32_t dtsy_flags;   /* DTSY_* */
	/* out: from when to when the process had this code there (ns), and a
	 * number that changes when that does */
	uint64_t dtsy_from;
	uint64_t dtsy_until;
	uint64_t dtsy_gen;
};

#define DTSY_LINES 0x1 /* source lines, and functions that were inlined */

/* Code that a process has mapped; the path is part of the same buffer. */
struct dtioc_map {
	uint64_t dtmp_start;
	uint64_t dtmp_end;
	uint64_t dtmp_offset; /* of start in the file */
	uint64_t dtmp_file;   /* number of the file, never used again */
	uint32_t dtmp_kind;   /* DTMP_* */
	uint32_t dtmp_buildidlen;
	uint8_t dtmp_buildid[24];
	const char *dtmp_path; /* as the process saw it */
};

#define DTMP_FILE 0
#define DTMP_VDSO 1
#define DTMP_ANON 2 /* no file */

/* All code that a process had mapped at a time. */
struct dtioc_maps {
	pid_t dtms_pid;
	uint32_t dtms_nmaps; /* out */
	uint64_t dtms_time;  /* as dtsy_time */
	size_t dtms_size;    /* bytes of the buffer: in; used: out */
	void *dtms_buf;	     /* struct dtioc_map[], paths */
	uint64_t dtms_from;  /* as dtsy_from */
	uint64_t dtms_until;
	uint64_t dtms_gen;
};

/* Names of a file's code, whoever runs it. */
struct dtioc_symfile {
	const char *dtsf_path;	     /* absolute */
	const uint8_t *dtsf_buildid; /* what it has to be, or NULL */
	uint32_t dtsf_buildidlen;
	uint32_t dtsf_noffs;
	const uint64_t *dtsf_offs; /* in the file */
	size_t dtsf_size;	   /* as dtsy_size */
	void *dtsf_buf;		   /* as dtsy_buf */
	uint32_t dtsf_nframes;	   /* out */
	uint32_t dtsf_flags;	   /* DTSY_* */
};

/*
 * A number of what dtd does for everybody: dt_sums_read() of libdt.h gives them
 * all.  Unknown ones are to be skipped.
 */
struct dtioc_sum {
	uint32_t dtsm_what; /* DTSM_* */
	uint32_t dtsm_pad;
	char dtsm_device[16]; /* "dt", or "" for the daemon as a whole */
	char dtsm_name[40];   /* what the comment says, else "" */
	uint64_t dtsm_value;
};

/*
 * Of all opens, those that are gone included, since dtd started.  Name: the
 * provider, or "syscall+syscall32" for calls of opens that record both.
 */
#define DTSM_FIRED    1 /* see struct dt_ledger in evt.h */
#define DTSM_READ     2
#define DTSM_DROPPED  3
#define DTSM_RECURSED 4
#define DTSM_MISSED   5 /* known when a run has ended */
#define DTSM_EXCLUDED 6
#define DTSM_SKIPTICK 7
/* Of a device */
#define DTSM_OPENS     16 /* now; name: "UID RIGHT", for the rest "other RIGHT" */
#define DTSM_RECORDING 17 /* opens that do, now */
#define DTSM_RINGBYTES 18 /* of all rings, now */
#define DTSM_RINGUSED  19 /* of them, not yet taken by clients */
#define DTSM_RINGFILL  20 /* of the fullest ring, millionths */
#define DTSM_BRAKED    21 /* runs that were stopped for what they cost */
#define DTSM_COST      22 /* of the programs, measured last: dtfs_cost */
#define DTSM_COSTLIMIT 23 /* millionths, 0: none */
#define DTSM_PROGRAMS  24 /* of the kinds that are attached, now */
#define DTSM_PROGNSECS 25 /* CPU time, by samples; name: the kind of program */
#define DTSM_REFUSED   26 /* name: why */
/* Of struct dtioc_symstat */
#define DTSM_SYMPROCS	 40 /* now */
#define DTSM_SYMFOLLOW	 41 /* bytes, now */
#define DTSM_SYMEVENTS	 42
#define DTSM_SYMLOST	 43
#define DTSM_SYMBYTES	 44 /* of the cache, now */
#define DTSM_SYMFILES	 45 /* in the cache, now */
#define DTSM_SYMASKED	 46
#define DTSM_SYMHITS	 47
#define DTSM_SYMEVICTS	 48
#define DTSM_SYMSTARTS	 49
#define DTSM_SYMDEATHS	 50
#define DTSM_SYMTIMEOUTS 51
#define DTSM_SYMHUNG	 52 /* symbolizers that were killed and do not exit, now */
/* Of the process dtd */
#define DTSM_STARTED  64 /* CLOCK_REALTIME, s */
#define DTSM_CPUNSECS 65
#define DTSM_RSS      66 /* bytes, now */
#define DTSM_VSIZE    67 /* bytes, now */
#define DTSM_THREADS  68 /* now */
#define DTSM_MAXFDS   69
#define DTSM_ASKED    70 /* times that somebody has read these numbers, */
#define DTSM_ASKEDCPU 71 /* and the CPU time that dtd took for that, ns */
/* Of inspectors, the processes that look at others' processes and files for dtd */
#define DTSM_INSPRUNNING  80 /* now */
#define DTSM_INSPSTUCK	  81 /* of these, hung in what they look at */
#define DTSM_INSPASKS	  82 /* requests */
#define DTSM_INSPTIMEOUTS 83 /* requests without a reply in time */
#define DTSM_INSPREFUSED  84 /* requests refused, as an inspector hangs there */

#define DTSM_MAX      512 /* numbers at once, at most */

/* What a client may do: dt_rights(), and the daemon's table of commands. */
#define RIGHT_LIST	0x01 /* probes, one's own statistics */
#define RIGHT_STATS	0x02 /* sums over all opens */
#define RIGHT_PROFILE	0x04 /* clock probes */
#define RIGHT_TRACE_OWN 0x08 /* one's own processes */
#define RIGHT_TRACE_ALL 0x10 /* everything */
#define RIGHT_ADMIN	0x20 /* lift the limit of cost */
#define RIGHT_TRACE	(RIGHT_PROFILE | RIGHT_TRACE_OWN | RIGHT_TRACE_ALL)
#define RIGHT_ALL	0x3f

/*
 * Command numbers in the BSD encoding, whatever this system's own is:
 * direction, length of the argument, group, number.
 */
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

#define DTIOCSELF	 DT_IOW('D', 64, int) /* record oneself, too */
#define DTIOCLOOKUP	 DT_IOWR('D', 65, struct dtioc_lookup)
#define DTIOCSFILTER	 DT_IOW('D', 66, struct dtioc_filter)
#define DTIOCSBUDGET	 DT_IOW('D', 67, uint64_t) /* bytes of rings */
#define DTIOCGFULLSTAT	 DT_IOR('D', 68, struct dtioc_fullstat)
#define DTIOCGPROVS	 DT_IOWR('D', 69, struct dtioc_prov)
#define DTIOCSYM	 DT_IOWR('D', 70, struct dtioc_sym)
#define DTIOCGARGNAMES	 DT_IOWR('D', 71, struct dtioc_argname)
#define DTIOCNOLIMIT	 DT_IOW('D', 72, int) /* whatever it costs */
#define DTIOCSPATH	 DT_IOW('D', 73, struct dtioc_path)
#define DTIOCSCONDITION	 DT_IOW('D', 74, struct dtioc_condition)
#define DTIOCSPAIR	 DT_IOW('D', 75, struct dtioc_pair)
#define DTIOCGMAPS	 DT_IOWR('D', 76, struct dtioc_maps)
#define DTIOCSYMFILE	 DT_IOWR('D', 77, struct dtioc_symfile)
#define DTIOCSMAXBUDGET	 DT_IOW('D', 79, uint64_t) /* bytes of grown rings */
#define DTIOCGSTALL	 DT_IOR('D', 98, struct dtioc_stall)
#define DTIOCGSUMS	 DT_IO('D', 90) /* for dt_sums_open() */

#ifndef __cplusplus
_Static_assert(sizeof(struct dtioc_probe_info) == 200, "dtioc_probe_info");
_Static_assert(sizeof(struct dtioc_arg_info) == 72, "dtioc_arg_info");
_Static_assert(sizeof(struct dtioc_req) == 24, "dtioc_req");
_Static_assert(sizeof(struct dtioc_stat) == 32, "dtioc_stat");
_Static_assert(sizeof(struct dtioc_path) == 256, "dtioc_path");
_Static_assert(sizeof(struct dtioc_req_v1) == 32, "dtioc_req_v1");
_Static_assert(sizeof(struct dtioc_stat_v1) == 16, "dtioc_stat_v1");
_Static_assert(sizeof(struct dt_evt) == 2184, "dt_evt");
#endif

#ifdef DT_V1 /* the numbers follow, since they name the structs */
#define dtioc_req  dtioc_req_v1
#define dtioc_stat dtioc_stat_v1
#endif

#endif /* DEV_DT_DTVAR_H */
