/* SPDX-License-Identifier: ISC */
/*
 * Structs and functions shared by the files of the tprof device: its only
 * session, with counters, buffers and statistics; backends.
 *
 * Letters: I constant after open; c control thread; w the worker that runs the
 * current operation; L by tprof_mtx; d data thread; a atomic.
 */
#ifndef DAEMON_TPROF_TPROF_SOFTC_H
#define DAEMON_TPROF_TPROF_SOFTC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include <dev/tprof/tprof_ioctl.h>

#include "bpf/tprof_shared.h"
#include "daemon/access/audit.h"
#include "daemon/device/block_sender.h"
#include "daemon/device/cdevsw.h"
#include "daemon/device/peer_thread.h"
#include "daemon/device/ring.h"
#include "daemon/device/session_sums.h"
#include "wire/sample.h"

struct reason;

#define TPROF_MAX_BUF		  100	/* waiting for the reader */
#define TPROF_MAX_SAMPLES_PER_BUF 10000 /* minimum capacity */
#define TPROF_KICK_MSECS	  125	/* interval of passes over a CPU */

/* Samples of one CPU that wait for the reader. */
struct tprof_buf {
	STAILQ_ENTRY(tprof_buf) b_list;
	uint32_t b_used;
	uint32_t b_cpu;
	uint64_t b_time; /* when it was read from the ring */
	struct wire_tprof_sample b_data[];
};

STAILQ_HEAD(tprof_bufs, tprof_buf);

/* A counter, on all CPUs. */
struct tprof_counter {
	int tcr_configured;	      /* [w] */
	int tcr_running;	      /* [w] */
	struct tprof_param tcr_param; /* [w] */
	uint64_t tcr_period;	      /* [w] 0: takes no samples */
	/* [w] by CPU, -1: not running there; a command's is the first */
	int *tcr_events;
	int *tcr_links;	      /* [w] likewise; links of the program */
	uint64_t *tcr_counts; /* [w] by CPU, counts of closed events */
};

/* The device, which has at most one session. */
struct tprof_softc {
	int tps_isopen;			/* [c] */
	int tps_closing;		/* [c] client disconnected, close in
				    * progress */
	struct op_queue *tps_queue;	/* [c] operations */
	char tps_endnote[WIRE_MAXNOTE]; /* [c] reason of a forced stop, or
					     * "" */
	atomic_uchar *tps_cpudue;	/* [a] by CPU: it changed */
	struct peer tps_peer;		/* [I] */
	struct audit tps_audit;		/* [c] also of the command */
	struct audit_sums tps_sums;	/* [c] totals of the closing session */
	struct stream *tps_stream;	/* [I] */
	uint32_t tps_gen;		/* [I] generation of the session */
	struct tprof_counter tps_counters[TPROF_MAXCOUNTERS];
	/*
	 * [w] child of the peer whose command is counted; th_tid 0: all CPUs
	 * are
	 */
	struct peer_thread tps_command;
	uint32_t tps_profiling;	 /* [w] counters that are taking samples */
	atomic_uint tps_running; /* [a] running counters, set by w */
	uint32_t tps_run;	 /* [w] number of the run */
	struct rings tps_rings;	 /* [w] created at the first START */
	uint64_t tps_charged;	 /* [w] bytes charged to the limits */
	atomic_int tps_hasrings; /* [a] the data thread may use tps_rings */
	atomic_int tps_due;	 /* [a] a pass is requested */
	atomic_int tps_begun;	 /* [a] a run has begun: tprof_cost_limit.c */
	uint32_t tps_stoprun;	 /* [L] run that is ending, 0: none */
	uint32_t tps_endrun;	 /* [L] run whose END is due, 0: none */
	char tps_note[WIRE_MAXNOTE]; /* [L] why the daemon stopped it, or "" */
	int tps_noteend;	     /* [L] the note precedes an END */
	struct tprof_stat tps_stat;  /* [L] */
	uint64_t tps_summed[NSUM];   /* [L] counts already in sums */
	uint64_t tps_read;	     /* [L] */
	struct tprof_bufs tps_list;  /* [d] oldest first */
	unsigned int tps_nbuf;	     /* [d] */
	uint64_t *tps_overflow;	     /* [d] by CPU, already in tps_stat */
	struct block_sender tps_block;	 /* [d] */
	struct tprof_buf *tps_sending;	 /* [d] buffer in tps_block, or NULL */
	struct wire_tprof_end tps_end;	 /* [d] END in tps_block */
	char tps_sentnote[WIRE_MAXNOTE]; /* [d] note in tps_block */
};

extern struct tprof_softc tprof_softc;
extern pthread_mutex_t tprof_mtx;
extern pthread_cond_t tprof_cv; /* signalled when tps_stoprun becomes 0 */

extern unsigned int tprof_ncpu; /* possible CPUs */

/*
 * A source of counts.  Functions are called on the worker, except the first
 * two, and return 0 or an errno, some with a reason.
 */
struct tprof_backend {
	const char *tb_name;
	/* Returns TPROF_IDENT_*; NONE: unavailable on this machine. */
	uint32_t (*tb_ident)(void);
	uint32_t (*tb_ncounters)(void);
	/* Returns the rate of the cycles event, per second. */
	uint64_t (*tb_estimate_freq)(void);
	/* Checks that the event is supported. */
	int (*tb_valid)(const struct tprof_param *, struct reason *);
	/* Returns the default period of an event. */
	uint64_t (*tb_period)(const struct tprof_param *);
	/*
	 * Returns the minimum rate of samples on each CPU, per second; 0:
	 * depends on load.
	 */
	uint64_t (*tb_rate)(const struct tprof_param *, uint64_t period);
	/*
	 * Returns a descriptor that counts on this CPU, not yet enabled; or
	 * -errno.
	 */
	int (*tb_open)(const struct tprof_param *, unsigned int cpu,
	    uint64_t period);
	/*
	 * The same for a command that this thread will execute, without
	 * samples; it enables itself.
	 */
	int (*tb_open_command)(const struct tprof_param *, pid_t tid);
};

/*
 * tprof.c: turns regular passes of the data thread over all CPUs on or off. Any
 * thread.
 */
void tprof_callout_set(int on);
/* Requests a stop of all counters, of which the stream reports note.  c */
void tprof_end(const char *note);

/* tprof_backend.c: returns NULL if there is none. */
const struct tprof_backend *tprof_backend_get(void);

/* tprof_load.c: the program and its maps */
int tprof_load(struct reason *);
int tprof_progfd(void);
int tprof_ringsfd(void);
int tprof_noringfd(void);
struct tprof_count *tprof_count(unsigned int cpu);
/* Sets the program's parameters. */
void tprof_program_set(uint32_t gen, uint32_t nsinum, uint32_t nslevel,
    uint32_t half);

/* tprof_counter.c: w */
int tprof_configure(const struct tprof_param *, struct reason *);
int tprof_counter_start(struct tprof_counter *, struct reason *);
void tprof_counter_stop(struct tprof_counter *);
/* ENODEV and ENXIO satisfy tprof_is_offline(). */
int tprof_counter_start_cpu(struct tprof_counter *, unsigned int cpu);
void tprof_counter_stop_cpu(struct tprof_counter *, unsigned int cpu);
int tprof_is_offline(int error);
void tprof_counter_free(struct tprof_counter *);
uint64_t tprof_counter_read(const struct tprof_counter *, unsigned int cpu);

/* tprof_start.c: w */
/* Starts the counters of the mask. */
int tprof_start(uint32_t mask, struct reason *);
void tprof_stop(uint32_t mask);
/* A CPU came online or went offline. */
void tprof_cpu_restart(unsigned int cpu);
/* Stops all counters, and the stream reports why; does nothing if none runs. */
void tprof_stop_noted(const char *note);
uint32_t tprof_running(void); /* mask of running counters */
/* Frees what START created; the stream has ended. */
void tprof_release(void);

/* tprof_stream.c */
enum stream_state tprof_stream(void *, struct stream *);
int tprof_stalled(void *);
/* The stream has ended: discards its buffers. */
void tprof_clear(void);

/* tprof_session_sums.c */
void tprof_sums_init(void);
void tprof_sums(struct sums *); /* d_sums */
/*
 * w: settles the sums after the last sample, before the statistics are reset.
 */
void tprof_sums_close(void);

/*
 * tprof_cost_limit.c: control thread, every TPROF_KICK_MSECS while samples are
 * taken; isfirst: a run has begun.
 */
void tprof_cost_limit_tick(int isfirst);
uint64_t tprof_cost_limit_stops(void); /* so far; any thread */
/* w: returns EINVAL if this rate per CPU and second would be stopped. */
int tprof_cost_limit_refuses(uint64_t rate, struct reason *);

/* tprof.c */
extern const struct cdevsw tprof_cdevsw;

/* tprof_ioctl.c */
#define TPROF_NIOCTLS 11
extern const struct ioctl_desc tprof_ioctls[TPROF_NIOCTLS];

#endif /* DAEMON_TPROF_TPROF_SOFTC_H */
