/* SPDX-License-Identifier: ISC */
/*
 * Commands and structs of the tprof device, which samples the program counter
 * when event counters overflow; see tprof(4).  They follow both interfaces of
 * NetBSD: with one counter (ABI 4; names end in _V4 here) and with several.
 * The command number selects the interface.  A program for the older one
 * defines TPROF_ABI as 4 before including this file and omits _V4.
 */
#ifndef DEV_TPROF_TPROF_IOCTL_H
#define DEV_TPROF_TPROF_IOCTL_H

#include <stdint.h>

#include <dev/dt/dtvar.h> /* numbering of commands */

#define TPROFDEVNAME	  "/run/dt/tprof"

#define TPROF_VERSION	  4 /* of both interfaces */
#define TPROF_MAXCOUNTERS 32

struct tprof_info {
	uint32_t ti_version; /* TPROF_VERSION */
	uint32_t ti_ident;   /* TPROF_IDENT_* */
};

/* The hardware or software that counts. */
#define TPROF_IDENT_NONE	  0
#define TPROF_IDENT_INTEL_GENERIC 1
#define TPROF_IDENT_AMD_GENERIC	  2
#define TPROF_IDENT_ARMV8_GENERIC 3
#define TPROF_IDENT_ARMV7_GENERIC 4
/* Linux additions */
#define TPROF_IDENT_SOFTWARE 64 /* counters of the kernel only */
#define TPROF_IDENT_OTHER    65 /* other hardware */

/*
 * On Linux an event is the config of perf_event_open(2), and its unit the type,
 * for example PERF_TYPE_SOFTWARE.
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
	uint64_t p_value;  /* initial count */
	uint64_t p_value2; /* sampling rate, selected by p_flags */
};

#define TPROF_PARAM_KERN    0x1 /* count in the kernel */
#define TPROF_PARAM_USER    0x2 /* count in programs */
#define TPROF_PARAM_PROFILE 0x4 /* take samples; otherwise only count */

/* Bits 60 to 63 select the meaning of p_value2. */
#define TPROF_PARAM_VALUE2_MASK 0xf000000000000000ULL
/* 2^32 / N for an event N times as rare as cycles: about as many samples as for
 * cycles.  0 means 2^32. */
#define TPROF_PARAM_VALUE2_SCALE 0x1000000000000000ULL
/* Number of events per sample; 0 means 1. */
#define TPROF_PARAM_VALUE2_TRIGGERCOUNT 0x2000000000000000ULL

/* c_cpu is the argument, the other fields are the result. */
struct tprof_counts {
	uint32_t c_cpu;
	uint32_t c_ncounters;	/* number of counters */
	uint32_t c_runningmask; /* running counters */
	uint32_t c__unused;
	uint64_t c_count[TPROF_MAXCOUNTERS];
};

/* The number of samples taken is the sum of ts_sample, ts_overflow and
 * ts_dropbuf_sample. */
struct tprof_stat {
	uint64_t ts_sample;	    /* samples in buffers, read or unread */
	uint64_t ts_overflow;	    /* samples lost: ring full, or skipped */
	uint64_t ts_buf;	    /* buffers taken from rings */
	uint64_t ts_emptybuf;	    /* times that a ring was empty */
	uint64_t ts_dropbuf;	    /* buffers dropped: too many were unread */
	uint64_t ts_dropbuf_sample; /* samples in the dropped buffers */
};

/* Element of the stream that read(2) returns and may cut anywhere. */
typedef struct {
	uint32_t s_pid;
	uint32_t s_lwpid;
	uint32_t s_cpuid;
	uint32_t s_flags; /* TPROF_SAMPLE_* */
	uint64_t s_pc;
} tprof_sample_t;

#define TPROF_SAMPLE_INKERNEL	  0x1 /* s_pc is a kernel address */
#define TPROF_SAMPLE_COUNTER_MASK 0xff000000U
#define TPROF_SAMPLE_COUNTER(s)	  ((s)->s_flags >> 24)

/* Linux: counts of the BPF program that takes samples. */
struct tprof_taken {
	uint64_t tt_taken;    /* samples */
	uint64_t tt_read;     /* samples accepted by the reader's socket */
	uint64_t tt_excluded; /* hits outside the reader's pid namespace */
};

#define TPROF_IOC_GETINFO	  DT_IOR('T', 1, struct tprof_info)
#define TPROF_IOC_START_V4	  DT_IOW('T', 2, struct tprof_param_v4)
#define TPROF_IOC_STOP_V4	  DT_IO('T', 3)
#define TPROF_IOC_GETSTAT	  DT_IOR('T', 4, struct tprof_stat)
#define TPROF_IOC_GETNCOUNTERS	  DT_IOR('T', 5, uint32_t)
#define TPROF_IOC_CONFIGURE_EVENT DT_IOW('T', 6, struct tprof_param)
#define TPROF_IOC_GETCOUNTS	  DT_IOWR('T', 7, struct tprof_counts)
#define TPROF_IOC_GETTAKEN	  DT_IOR('T', 64, struct tprof_taken)
/* Linux: a child to count from its next exec on; 0: count all CPUs */
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
