/* SPDX-License-Identifier: ISC */
/*
 * Declarations shared by the files of the dt device: sessions and their enabled
 * probes. Probes and providers are in dt_provider.h.
 *
 * Letters: I constant after open; c control thread, or the one worker that runs
 * a command of this session, never both at once; d data thread; b written by
 * BPF; a atomic; o released by dt_softc_free().
 */
#ifndef DAEMON_DT_DT_SOFTC_H
#define DAEMON_DT_DT_SOFTC_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include <dev/dt/dtvar.h>

#include "bpf/dt_hit.h"
#include "bpf/dt_shared.h"
#include "daemon/access/audit.h"
#include "daemon/device/cdevsw.h"
#include "daemon/dt/dt_hottest.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_provider.h"
#include "daemon/inspect/inspect.h"
#include "daemon/kernel/load_error.h"
#include <dt/evt.h>
#include "daemon/device/block_sender.h"
#include "daemon/device/ring.h"
#include "wire/wire.h"

struct dt_softc;
struct interval_clock;
struct kprobe_run;
struct dt_lookup;
struct dt_pairs;
struct proc_view;

/* Why a recording is stopped: cost in millionths of the machine. */
struct dt_limit_why {
	const char *lw_setting;	  /* name of the limit */
	uint64_t lw_limit;	  /* value of the setting */
	uint64_t lw_cost;	  /* cost that the limit applies to */
	uid_t lw_person;	  /* user with the largest part of the cost */
	uint64_t lw_part;	  /* that part, including lw_cpu */
	uint64_t lw_cpu;	  /* CPU time of commands and symbol lookups */
	unsigned int lw_nsession; /* sessions of the user; 0: limit of one
				   * session */
};

/*
 * One enabled probe of one session (the BSD original's name; not a control
 * block).
 */
struct dt_pcb {
	TAILQ_ENTRY(dt_pcb)
	dp_snext;			    /* [c] list of the session's
					     * probes */
	struct dt_probe *dp_dtp;	    /* [I] */
	struct dt_req dp_req;		    /* [c] constant while it records */
	struct dt_cond *dp_cond;	    /* [co] condition to set when
					     * enabled */
	struct dt_pcb *dp_other;	    /* [c] other probe of its pair,
					     * or NULL */
	uint64_t dp_nsecs;		    /* [I] clock period, 0: no clock */
	int *dp_links;			    /* [co] one per CPU, -1 if none */
	struct interval_clock *dp_interval; /* [c] while it records */
	int dp_started;			    /* [c] */
	uid_t dp_person;     /* [I] user charged in the limit of probes */
	uint64_t dp_missed0; /* [c] of its own program, at start */
};

TAILQ_HEAD(dt_pcb_list, dt_pcb);

/* The part of a ring that is in the block being sent. */
struct dt_span {
	struct cpuring *spn_ring; /* the ring; NULL: none */
	unsigned long spn_nbytes; /* bytes of the ring in the block */
	uint64_t spn_nrec;
};

/* Hooks that all sessions share; one bit of ds_hooks each. */
enum dt_hook {
	DT_HOOK_SYS_ENTRY,
	DT_HOOK_SYS_RETURN,
	DT_HOOK_FORK,	    /* fork of followed processes */
	DT_HOOK_EXEC,	    /* exec of awaited processes */
	DT_HOOK_FREE,	    /* free of a process; detached last */
	DT_HOOK_TRACEPOINT, /* attached by its provider */
	DT_NHOOK
};

#define DT_NSLOW 8 /* with more, use own threads */

/* One session of the dt device. */
struct dt_softc {
	TAILQ_ENTRY(dt_softc) ds_entry; /* [c] list of all sessions */
	struct op_queue *ds_queue;	/* [c] operations on the session */
	atomic_uchar *ds_cpudue;	/* [ao] by CPU: it changed */
	unsigned int ds_slot;		/* [I] session slot */
	unsigned int ds_gen;		/* [I] generation of the slot */
	struct peer ds_peer;		/* [I] */
	struct audit ds_audit;		/* [c] */
	struct stream *ds_stream;	/* [Io] */
	uint32_t ds_mode;		/* [I] DT_MODE_* */
	int ds_ordered;			/* [I] wants low water */
	struct dt_pcb_list ds_pcbs;	/* [co] enabled probes */
	struct dt_pcb *ds_pcb;		/* [c] probe being enabled */
	uint64_t *ds_enabled;		/* [co] one bit per pbn in ds_pcbs */
	uint32_t ds_nbits;		/* [c] size of ds_enabled */
	int ds_recording;		/* [c] */
	int ds_self;			/* [c] DTIOCSELF */
	struct dtioc_filter ds_filter;	/* [c] */
	struct dtioc_path ds_path;	/* [c] */
	struct dt_pairs *ds_pairs;	/* [co] NULL: no pairs */
	uint64_t ds_budget;		/* [c] bytes of all rings */
	uint64_t ds_maxbudget;		/* [c] limit of growth, 0: none */
	uint64_t ds_charged;		/* [c] bytes charged to limits */
	struct rings ds_rings;		/* [co] made before ds_hasrings */
	atomic_int ds_hasrings;		/* [a] data thread may read them */
	unsigned int ds_hooks;		/* [c] 1 << enum dt_hook, in use */
	uint64_t ds_missed0[DT_NHOOK];	/* [c] at start */
	uint64_t ds_missed[DT_NTALLY];	/* [c] sum of earlier runs */
	int ds_missed_unknown;		/* [c] */
	int ds_returns_unknown;		/* [c] missed returns, see dt_stat.c */
	atomic_uint ds_runs;		/* [a] starts that succeeded */

	/* numbering of processes, and following */
	uint32_t ds_kpid;	/* [c] peer in the initial pid namespace */
	uint32_t ds_nsinum;	/* [c] its pid namespace, 0: the initial one */
	uint32_t ds_nslevel;	/* [c] depth of that namespace */
	uint64_t ds_ns;		/* [c] address of the namespace; 0: dtd's */
	int ds_following;	/* [c] uses the hooks of dt_follow.c */
	uint64_t ds_unfollowed; /* [c] besides those that BPF counts */
	/* cost: dt_cost.c, dt_cost_limit.c */
	TAILQ_ENTRY(dt_softc) ds_costed; /* [c] recording sessions */
	int ds_iscosted;		 /* [c] it is in that list */
	uint64_t ds_progs;     /* [c] kinds of programs it keeps attached */
	int ds_hasstacks;      /* [c] a probe records stacks */
	uint64_t ds_costsum;   /* [c] sum of this run's windows */
	uint64_t ds_ncosts;    /* [c] number of those windows */
	uint64_t ds_bill;      /* [c] cost in the last window */
	uint64_t ds_billother; /* [c] without hits of named processes */
	unsigned int ds_overs; /* [c] a bit per window, 1: over */
	struct dt_limit_why ds_why; /* [c] why it is stopped */
	int ds_nolimit;		    /* [c] DTIOCNOLIMIT */
	atomic_int ds_limited;	    /* [a] the daemon stopped this run */
	atomic_int ds_ended;	    /* [a] dtd is exiting */
	char ds_note[WIRE_MAXNOTE]; /* [c] reason; d after ds_stopped */
	struct dt_hottest ds_votes; /* [a] d votes, c reads */
	/* kernel functions */
	struct kprobe_run *ds_kset; /* [c] while it records */
	size_t ds_nslow;	    /* [c] probes that are slow to attach */
	size_t ds_ntp;		    /* [c] tracepoints, also slow to attach */
	atomic_int ds_cancel;	    /* [a] the client has disconnected */
	struct dt_lookup *ds_found; /* [co] look-up being read page by page */
	struct dt_probe *ds_asked;  /* [c] probe whose arguments are
				     * requested */
	void *ds_reread;	    /* [co] result of pvl_reread */
	int ds_hastypes;	    /* [c] it holds the types of func_proto.c */
	int ds_sumsfd;		    /* [co] socket of a client of sums, or -1 */
	/* symbols: dt_sym.c */
	int ds_symheld;		      /* [c] processes are followed for it */
	uint64_t ds_symused;	      /* [c] last use of that, ns */
	int ds_ksymheld;	      /* [c] it holds the kernel's symbols */
	struct proc_view *ds_view;    /* [co] snapshot being listed, or NULL */
	struct wire_syms ds_viewhead; /* [c] head of its reply */
	uint32_t ds_viewpid;	      /* [c] pid that ds_view describes */
	uint64_t ds_viewtime;	      /* [c] time that ds_view describes */

	/* owned by the data thread */
	struct block_sender ds_block;  /* [d] */
	struct dt_span ds_span;	       /* [d] its part of a ring */
	unsigned int ds_lastcpu;       /* [d] CPU served last */
	unsigned int ds_clockgen;      /* [d] generation of ds_clockoff */
	int64_t ds_clockoff;	       /* [d] payload of a CLOCK block */
	struct dt_ledger ds_end;       /* [d] payload of an END block */
	char ds_endnote[WIRE_MAXNOTE]; /* [d] payload of a NOTE block */
	unsigned int ds_noted;	       /* [d] ds_runs when the note was sent */
	int ds_behind;		       /* [d] rings have more than was sent */
	uint64_t ds_oldest;	       /* [d] oldest record then, ns; 0:
				        * unknown */
	int ds_passdue;		       /* [d] low water is older than the
				        * data */
	uint64_t ds_lastdata;	       /* [d] time data was last found, ns */
	uint64_t ds_passed;	       /* [d] low water sent last */
	uint64_t ds_awake;	       /* [d] records since the thread slept */
	uint64_t ds_stallfired; /* [d] hits when the client last stalled */
	int ds_armed;		/* [d] ses_armed was set, not yet cleared */
	unsigned int ds_wakes;	/* [d] wake-ups in this millisecond */
	uint64_t ds_wakesince;	/* [d] start of this millisecond, ns */
	atomic_uint ds_tallies; /* [a] one bit per tally that it enabled */
	/* [a] records that the socket took; records of a disconnected client */
	atomic_uint_fast64_t ds_read[DT_NTALLY];
	atomic_uint_fast64_t ds_discarded[DT_NTALLY];
	atomic_int ds_stopped; /* [a] drain the rings, then send END */
};

/*
 * Returns whether the session may see only its owner's processes; clocks are
 * exempt for clients with PROFILE.
 */
static inline int
dt_softc_islimited(const struct dt_softc *sc)
{
	return (sc->ds_peer.pr_rights & RIGHT_TRACE_ALL) == 0;
}

/*
 * Returns whether the session records processes that its owner has named, or
 * only the owner's: these bear the cost of their hits. Process 1 with its
 * descendants counts as the whole machine.
 */
static inline int
dt_softc_isnamed(const struct dt_softc *sc)
{
	const struct dtioc_filter *fi = &sc->ds_filter;

	if (dt_softc_islimited(sc) &&
	    (sc->ds_peer.pr_rights & RIGHT_PROFILE) == 0)
		return 1;
	return (fi->dtfi_set & DTFI_TID) != 0 ||
	    ((fi->dtfi_set & DTFI_PID) != 0 && fi->dtfi_pid != 1);
}

/*
 * Returns whether operations take long because many probes are attached; they
 * then have threads of their own.
 */
static inline int
dt_softc_isslow(const struct dt_softc *sc)
{
	return sc->ds_nslow + sc->ds_ntp > DT_NSLOW;
}

/* dt_dev.c */
extern const struct cdevsw dt_cdevsw;
extern unsigned int dt_ncpu;			    /* possible CPUs */
extern unsigned int dt_nopen;			    /* [c] sessions */
unsigned int dt_sessions_of(uid_t);		    /* c */
void dt_softcs_each(void (*fn)(struct dt_softc *)); /* c: all sessions */
/* Charges bytes for rings to the limits: ENOMEM with a text. */
int dt_charge(struct dt_softc *, uint64_t nbytes, struct reason *);
void dt_uncharge(struct dt_softc *);

/* dt_dev.c: c */
int dt_drain_open(void *); /* d_drain */

/* dt_hotplug.c: a CPU, or DEV_CPU_ALL, came online or went offline. */
void dt_cpu_changed(struct dt_softc *, unsigned int cpu);

/* dt_ioctl.c: the table of requests */
#define DT_NIOCTLS 27
extern const struct ioctl_desc dt_ioctls[DT_NIOCTLS];

/* dt_list.c */
int dt_ioctl_list_probes(struct op *);
int dt_ioctl_lookup(struct op *);
int dt_ioctl_get_args(struct op *);
int dt_ioctl_get_provs(struct op *);
void dt_probe_info(const struct dt_probe *, struct dtioc_probe_info *);

/* dt_lookup.c: probes that are created when they are looked up */
/* Returns whether a pattern names such a provider. */
int dt_lookup_wants(const char *pattern);
int dt_lookup_lookup(struct op *);
int dt_lookup_args(struct op *, struct dt_probe *);
void dt_lookup_free(struct dt_lookup *);

/* dt_settings.c: settings of a session */
int dt_ioctl_self(struct op *);
int dt_ioctl_set_filter(struct op *);
int dt_ioctl_set_path(struct op *);
int dt_ioctl_set_budget(struct op *);
int dt_ioctl_set_maxbudget(struct op *);
int dt_ioctl_nolimit(struct op *);

/* dt_pcb.c */
int dt_ioctl_probe_enable(struct op *);
int dt_ioctl_probe_disable(struct op *);
/*
 * Implements ENABLE and DISABLE of both versions. The condition, or NULL, is
 * the filter of version 1; bits: DT_REQ_*.
 */
int dt_pcb_enable(struct op *, const struct dtioc_req *, const struct dt_cond *,
    uint8_t bits);
int dt_pcb_disable(struct op *, uint32_t pbn);
void dt_pcb_free(struct dt_pcb *);
struct dt_pcb *dt_pcb_find(struct dt_softc *, uint32_t pbn);
/* Converts DTEVT_* to the byte that BPF uses, DT_EVT_*. */
uint8_t dt_pcb_evtflags(uint64_t);
void dt_pcb_purge(struct dt_softc *);
/* Sets the period of a clock: EINVAL if it is out of bounds. */
int dt_pcb_period(struct dt_pcb *, const struct dtioc_req *);

/* dt_cond.c: conditions of enabled probes */
int dt_ioctl_set_condition(struct op *);
/*
 * Replaces the probe's condition: EINVAL with a text, ENOSPC. Only while it
 * does not record.
 */
int dt_cond_set(struct dt_pcb *, const struct dt_cond *, struct reason *);

/* dt_cond_check.c */
/* Checks a condition and compiles it for the programs. */
int dt_cond_check(const struct dt_probe *, const struct dt_cond *,
    struct dt_cond_entry *, struct reason *);
/* Checks an operand: EINVAL with a text. */
int dt_cond_look(const struct dt_probe *, const struct dt_opd *,
    struct dt_look *, struct reason *);
/*
 * For pva_operand of functions and calls: nargs arguments, how their text is
 * read, and whether there is a result.
 */
int dt_look_call(const struct dt_opd *, unsigned int nargs, int hasresult,
    enum dt_look_how text, struct dt_look *);

/* For pva_operand: a member of struct dt_hit. */
#define DT_LOOK_AT(lo, how, member) \
	((lo)->lo_how = (how), (lo)->lo_off = offsetof(struct dt_hit, member))

/* dt_cond_table.c: c: entries that programs evaluate; the maps exist */
/*
 * Returns an entry with this content, shared by all users of the same: ENOSPC.
 */
int dt_cond_table_get(uid_t, const struct dt_cond_entry *, uint16_t *line,
    struct reason *);
void dt_cond_table_put(uint16_t line); /* no program reads it; 0 is fine */

/* dt_pair.c: pairs of enabled probes */
int dt_ioctl_set_pair(struct op *);
/* Dissolves the probe's pair, if any; neither probe records. */
void dt_pair_part(struct dt_softc *, struct dt_pcb *);
void dt_pair_start(struct dt_softc *); /* before its probes start */
/* w: removes all first hits; no program runs for the session. */
void dt_pair_stop(struct dt_softc *);
void dt_pair_tick(struct dt_softc *);  /* c: periodically, while it records */
void dt_pair_close(struct dt_softc *); /* w */
void dt_pair_free(struct dt_softc *);  /* c: after close */

/* dt_compat_v1.c: requests and statistics of version 1 */
int dt_ioctl_probe_enable_v1(struct op *);
int dt_ioctl_probe_disable_v1(struct op *);
int dt_ioctl_get_stats_v1(struct op *);

/* dt_record.c */
int dt_ioctl_record(struct op *);
/*
 * Stops all probes and waits until no program runs for this session; the hooks
 * remain to be released. Worker.
 */
void dt_record_stop(struct dt_softc *);

/* dt_stat.c */
int dt_ioctl_get_stats(struct op *);
int dt_ioctl_get_fullstat(struct op *);
int dt_ioctl_get_stall(struct op *);
/*
 * Adds the counters of one tally; dt_ledger_sum() adds all known now. Any
 * thread.
 */
void dt_ledger_add(const struct dt_softc *, enum dt_tally, struct dt_ledger *);
void dt_ledger_sum(const struct dt_softc *, struct dt_ledger *);
void dt_ledger_start(struct dt_softc *); /* worker */
void dt_ledger_stop(struct dt_softc *);	 /* worker */

/* dt_sums.c: sums over all sessions */
int dt_ioctl_get_sums(struct op *);
void dt_sums_init(void);	       /* after the providers are known */
void dt_sums(struct sums *);	       /* d_sums */
void dt_sums_add(struct dt_softc *);   /* c */
void dt_sums_start(struct dt_softc *); /* w: before it records */
/* w: its ledger is complete; before its rings go */
void dt_sums_del(struct dt_softc *);
void dt_sums_hangup(struct dt_softc *); /* c: the client of sums disconnected */
void dt_sums_limited(void);

/* dt_stream.c */
enum stream_state dt_stream(void *, struct stream *);
int dt_stalled(void *);
/*
 * Counts what is left in the rings as dropped. Only after the stream has ended.
 */
void dt_stream_discard(struct dt_softc *);

/* dt_cost.c */
/*
 * Registers a loaded program; the descriptor stays open. Sessions with a probe
 * of prov (if not NULL), or with one of these hooks (bits), keep it attached.
 * Any thread.
 */
void dt_cost_watch(int fd, const struct dt_provider *prov, unsigned int hooks);
/* A session starts recording; it stops (no effect if it did not record). c */
void dt_cost_add(struct dt_softc *);
void dt_cost_del(struct dt_softc *);
/* Fills dtfs_cost*.  c */
void dt_cost_tell(const struct dt_softc *, struct dtioc_fullstat *);

/* Stores cost and run time of the programs. Any thread. */
void dt_cost_sums(struct sums *);

/*
 * dt_pcb.c: w. The data thread reads rings once ds_hasrings is set; those are
 * freed only after its stream has ended.
 */
int dt_rings_alloc(struct dt_softc *);
void dt_rings_free(struct dt_softc *);
/* Returns the size of one ring for a budget of all CPUs. */
size_t dt_ring_size(uint64_t budget);

/* dt_hook.c: w, except dt_hook_set_prog */
struct bpf_program;
struct reason;
#define DT_HOOK_NPROG 32
const char *dt_hook_name(enum dt_hook); /* constant; any thread */
void dt_hook_set_prog(enum dt_hook, struct bpf_program *);
/* Adds a program of a hook that its provider attaches; it stays loaded. */
void dt_hook_add_prog(enum dt_hook, int fd);
/* Marks a hook whose skipped hits the kernel does not count. */
void dt_hook_set_uncounted(enum dt_hook);
/* Attaches the hook unless it is attached; sets its bit in ds_hooks. */
int dt_hook_get(struct dt_softc *, enum dt_hook);
/* Detaches those hooks of the mask that no session uses any more. */
void dt_hook_put(unsigned int bits);
/* Returns the hits that the kernel skipped so far; -1: not counted. */
int64_t dt_hook_missed(enum dt_hook);

/*
 * dt_prov_profile_idle.c: stores the idle time of each CPU in ns; nsecs has
 * dt_ncpu elements.
 */
int dt_idle_read(uint64_t *nsecs);
uint64_t dt_idle_unit(void); /* granularity of that time, ns */

/* dt_exclude.c: excluded processes, by pid in the initial namespace */
#define EXCLUDE_MAX (2 * DT_MAXSESS + INSPECT_MAX + 2)
int dt_exclude_add(uint32_t kpid, enum dt_level);
void dt_exclude_del(uint32_t kpid, enum dt_level);
/* Excludes the daemon and its inspectors, present and future: errno. */
int dt_exclude_daemon(void);
void dt_exclude_forget(void); /* the map has been freed */

/* dt_pidns.c: the client's pid namespace; w */
/* Determines the namespace of the client. */
int dt_pidns_resolve(struct dt_softc *, struct reason *);
/* Converts a pid from the client's namespace to dtd's: ESRCH. */
int dt_pidns_local(struct dt_softc *, pid_t pid, pid_t *local);
/*
 * Stores AT_BASE of a process that the client named, 0: none. ESRCH, or the
 * errno with which the kernel refuses the program.
 */
int dt_pidns_auxbase(struct dt_softc *, pid_t pid, uint64_t *base);

/* dt_follow.c: a process and its descendants; w */
/* Returns whether the session records only processes that it follows. */
int dt_follow_isneeded(const struct dt_softc *);
/*
 * Loads the programs if the session follows processes; start loads them if
 * necessary.
 */
int dt_follow_load(const struct dt_softc *, struct reason *);
/* Called before the probes start; no effect if the session follows none. */
int dt_follow_start(struct dt_softc *, struct reason *);
/*
 * halt stops adding children, before a grace period; stop removes all processes
 * after it.
 */
void dt_follow_halt(struct dt_softc *);
void dt_follow_stop(struct dt_softc *);

/*
 * dt_prov_syscall_abi32.c: whether this kernel runs system calls of 32-bit
 * programs.
 */
int dt_has_abi32(void);

/* dt_auxbase.c */
int dt_ioctl_get_auxbase(struct op *);

/* dt_sym.c: symbols */
int dt_ioctl_sym(struct op *);
int dt_ioctl_get_maps(struct op *);
int dt_ioctl_symfile(struct op *);

/* dt_sym_follow.c */
/* w: follows processes from ENABLE on, so that RECORD need not wait. */
void dt_sym_enable(struct dt_softc *);
/* c: notes that the session used symbols; tick releases what is unused. */
void dt_sym_used(struct dt_softc *);
void dt_sym_tick(struct dt_softc *);
/* w: before probes start: sessions that record stacks will need symbols. */
void dt_sym_start(struct dt_softc *);
void dt_sym_close(struct dt_softc *);	  /* w */
void dt_sym_stat(struct dtioc_symstat *); /* w */
void dt_sym_cpu(unsigned int cpu);	  /* c: it came online or went
					   * offline */

/*
 * dt_sym_trim.c: c: after symbol requests, releases their memory after a delay.
 */
int dt_sym_trim_init(void);
void dt_sym_trim_ask(void);
/* w: excludes the symbolizer, if one runs, from recordings. */
void dt_sym_trim_leave(void);

#endif /* DAEMON_DT_DT_SOFTC_H */
