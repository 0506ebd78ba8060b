/* SPDX-License-Identifier: ISC */
/*
 * The tprof device: samples of the program counter, taken by counters of
 * events.  Commands and structs are NetBSD's, of both of its interfaces: with
 * one counter (ABI 4; structs and commands that end in _V4 here) and with
 * several.  Which one a command is of is told by its number.  A program for the
 * older one defines TPROF_ABI as 4 before it includes this, and has the names
 * without _V4.  See tprof(4).
 */
#ifndef DEV_TPROF_TPROF_IOCTL_H
#define DEV_TPROF_TPROF_IOCTL_H

#include <stdint.h>

#include <dev/dt/dtvar.h> /* how commands are numbered */

#define TPROFDEVNAME	  "/run/dt/tprof"

#define TPROF_VERSION	  4 /* of both */
#define TPROF_MAXCOUNTERS 32

struct tprof_info {
	uint32_t ti_version; /* TPROF_VERSION */
	uint32_t ti_ident;   /* TPROF_IDENT_* */
};

/* What counts. */
#define TPROF_IDENT_NONE	  0
#define TPROF_IDENT_INTEL_GENERIC 1
#define TPROF_IDENT_AMD_GENERIC	  2
#define TPROF_IDENT_ARMV8_GENERIC 3
#define TPROF_IDENT_ARMV7_GENERIC 4
/* Linux: nothing but the kernel itself; hardware of another kind */
#define TPROF_IDENT_SOFTWARE 64
#define TPROF_IDENT_OTHER    65

/*
 * On Linux an event is what perf_event_open(2) calls config, and its unit what
 * that calls type: PERF_TYPE_SOFTWARE and so on.
 */
struct tprof_param_v4 {
	uint64_t p_event;
	uint64_t p_unit;
	uint64_t p_flags; /* TPROF_PARAM_KERN, TPROF_PARAM_USER */
};

struct tprof_param {
	uint32_t p_counter; /* 0 to TPROF_IOC_GETNCOUNTERS - 1 */
	uint32_t p__unused;
	uint64_t p_event;
	uint64_t p_unit;
	uint64_t p_flags;  /* TPROF_PARAM_* */
	uint64_t p_value;  /* what it begins to count from */
	uint64_t p_value2; /* as p_flags has it */
};

#define TPROF_PARAM_KERN    0x1 /* counts in the kernel */
#define TPROF_PARAM_USER    0x2 /* in programs */
#define TPROF_PARAM_PROFILE 0x4 /* takes samples; else it only counts */

/* Bits 60 to 63: p_value2 sets how often a sample is taken. */
#define TPROF_PARAM_VALUE2_MASK 0xf000000000000000ULL
/* 2^32 / N, if the event comes N times as seldom as cycles: so there are about
 * as many samples as of those.  0: N is 1 */
#define TPROF_PARAM_VALUE2_SCALE 0x1000000000000000ULL
/* at each so many; 0: at each */
#define TPROF_PARAM_VALUE2_TRIGGERCOUNT 0x2000000000000000ULL

struct tprof_counts {
	uint32_t c_cpu;	      /* in: which */
	uint32_t c_ncounters; /* out, as all that follows */
	uint32_t c_runningmask;
	uint32_t c__unused;
	uint64_t c_count[TPROF_MAXCOUNTERS];
};

/* All samples that were taken are in ts_sample, ts_overflow and
 * ts_dropbuf_sample together. */
struct tprof_stat {
	uint64_t ts_sample;	    /* to be read, or read */
	uint64_t ts_overflow;	    /* lost: a CPU's buffer was full */
	uint64_t ts_buf;	    /* buffers that were handed over */
	uint64_t ts_emptybuf;	    /* and those with nothing in them */
	uint64_t ts_dropbuf;	    /* lost: too many had not been read */
	uint64_t ts_dropbuf_sample; /* samples in these */
};

/* What read(2) gives: a stream of these, which it may cut anywhere. */
typedef struct {
	uint32_t s_pid;
	uint32_t s_lwpid;
	uint32_t s_cpuid;
	uint32_t s_flags; /* TPROF_SAMPLE_* */
	uint64_t s_pc;
} tprof_sample_t;

#define TPROF_SAMPLE_INKERNEL	  0x1 /* s_pc is the kernel's */
#define TPROF_SAMPLE_COUNTER_MASK 0xff000000U
#define TPROF_SAMPLE_COUNTER(s)	  ((s)->s_flags >> 24)

/* Linux: samples that were taken, as the program that takes them counts. */
struct tprof_taken {
	uint64_t tt_taken;
	uint64_t tt_read;     /* accepted by the reader's socket */
	uint64_t tt_excluded; /* of processes out of the reader's namespace */
};

#define TPROF_IOC_GETINFO	  DT_IOR('T', 1, struct tprof_info)
#define TPROF_IOC_START_V4	  DT_IOW('T', 2, struct tprof_param_v4)
#define TPROF_IOC_STOP_V4	  DT_IO('T', 3)
#define TPROF_IOC_GETSTAT	  DT_IOR('T', 4, struct tprof_stat)
#define TPROF_IOC_GETNCOUNTERS	  DT_IOR('T', 5, uint32_t)
#define TPROF_IOC_CONFIGURE_EVENT DT_IOW('T', 6, struct tprof_param)
#define TPROF_IOC_GETCOUNTS	  DT_IOWR('T', 7, struct tprof_counts)
#define TPROF_IOC_GETTAKEN	  DT_IOR('T', 64, struct tprof_taken)
/* Linux: a child, whose command is counted instead of all CPUs; 0: these */
#define TPROF_IOC_SETCOMMAND DT_IOW('T', 65, uint32_t)

#if defined(TPROF_ABI) && TPROF_ABI == 4
#define TPROF_IOC_START TPROF_IOC_START_V4
#define TPROF_IOC_STOP	TPROF_IOC_STOP_V4
typedef struct tprof_param_v4 tprof_param_t;
#else
#define TPROF_IOC_START DT_IOW('T', 2, uint32_t) /* mask of counters */
#define TPROF_IOC_STOP	DT_IOW('T', 3, uint32_t)
typedef struct tprof_param tprof_param_t;
#endif
typedef struct tprof_counts tprof_counts_t;

#endif /* DEV_TPROF_TPROF_IOCTL_H */
