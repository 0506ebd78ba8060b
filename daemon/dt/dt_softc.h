/* SPDX-License-Identifier: ISC */
/*
 * What the files of the dt device share: opens, and what is enabled in them.
 * Probes and providers: dt_provider.h.
 *
 * Letters: I constant after open; c control thread, or the one worker that a
 * command of this open has been handed to, never both at once; d data thread; b
 * written by BPF; a atomic; o released by dt_softc_free().
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
#include "daemon/device/op_queue.h"
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
	uint64_t lw_cost;	  /* of what it limits */
	uid_t lw_person;	  /* user with the largest part of that */
	uint64_t lw_part;	  /* this part, including lw_cpu */
	uint64_t lw_cpu;	  /* CPU time for commands and names */
	unsigned int lw_nsession; /* the user's; 0: limit of one session */
};

/* One enabled probe of one open (the seed's name: it has no control block). */
struct dt_pcb {
	TAILQ_ENTRY(dt_pcb) dp_snext;	    /* [c] the open's list */
	struct dt_probe *dp_dtp;	    /* [I] */
	struct dt_req dp_req;		    /* [c] constant while it records */
	struct dt_cond *dp_cond;	    /* [co] for when it is enabled */
	struct dt_pcb *dp_other;	    /* [c] of its pair, or NULL */
	uint64_t dp_nsecs;		    /* [I] period, 0 for no clock */
	int *dp_links;			    /* [co] one a CPU, -1 where none */
	struct interval_clock *dp_interval; /* [c] while it records */
	int dp_started;			    /* [c] */
	uid_t dp_person;     /* [I] whom the limit of probes counts */
	uint64_t dp_missed0; /* [c] of a program of its own, at start */
};

TAILQ_HEAD(dt_pcb_list, dt_pcb);

/* What of a ring is in the block that is being sent. */
struct dt_span {
	struct cpuring *spn_ring; /* it comes from; NULL: from none */
	unsigned long spn_nbytes; /* of the ring it uses */
	uint64_t spn_nrec;
};

/* Hooks that all opens share; a bit of ds_hooks each. */
enum dt_hook {
	DT_HOOK_SYS_ENTRY,
	DT_HOOK_SYS_RETURN,
	DT_HOOK_FORK,	    /* of followed processes */
	DT_HOOK_EXEC,	    /* of awaited processes */
	DT_HOOK_FREE,	    /* detached behind it */
	DT_HOOK_TRACEPOINT, /* attached by its provider */
	DT_NHOOK
};

#define DT_NSLOW 8 /* above, commands of the open have threads of their own */

/* One open of the dt device. */
struct dt_softc {
	TAILQ_ENTRY(dt_softc) ds_entry; /* [c] all opens */
	struct op_queue ds_queue;	/* [c] what is done to it */
	atomic_uchar *ds_cpudue;	/* [ao] by CPU: came or went */
	unsigned int ds_slot;		/* [I] in the table of opens */
	unsigned int ds_gen;		/* [I] generation of the slot */
	struct peer ds_peer;		/* [I] */
	struct audit ds_audit;		/* [c] */
	struct stream *ds_stream;	/* [Io] */
	uint32_t ds_mode;		/* [I] DT_MODE_* */
	int ds_ordered;			/* [I] wants low water */
	struct dt_pcb_list ds_pcbs;	/* [co] enabled probes */
	struct dt_pcb *ds_pcb;		/* [c] the one being enabled */
	uint64_t *ds_enabled;	       /* [co] a bit a pbn that is in ds_pcbs */
	uint32_t ds_nbits;	       /* [c] of it */
	int ds_recording;	       /* [c] */
	int ds_self;		       /* [c] DTIOCSELF */
	struct dtioc_filter ds_filter; /* [c] */
	struct dtioc_path ds_path;     /* [c] */
	struct dt_pairs *ds_pairs;     /* [co] NULL: it has no pairs */
	uint64_t ds_budget;	       /* [c] bytes of all rings */
	uint64_t ds_maxbudget;	       /* [c] to which they may grow, or 0 */
	uint64_t ds_charged;	       /* [c] of the limits */
	struct rings ds_rings;	       /* [co] made before ds_hasrings */
	atomic_int ds_hasrings;	       /* [a] data thread may look */
	unsigned int ds_hooks;	       /* [c] 1 << enum dt_hook, in use */
	uint64_t ds_missed0[DT_NHOOK]; /* [c] at start */
	uint64_t ds_missed[DT_NTALLY]; /* [c] of runs that ended */
	int ds_missed_unknown;	       /* [c] */
	int ds_returns_unknown;	       /* [c] and calls that wait use it up */
	atomic_uint ds_runs;	       /* [a] starts that succeeded */

	/* whose numbers are told, and who is followed */
	uint32_t ds_kpid;	/* [c] peer in the initial pid namespace */
	uint32_t ds_nsinum;	/* [c] its pid namespace, 0: the initial one */
	uint32_t ds_nslevel;	/* [c] depth of that */
	uint64_t ds_ns;		/* [c] address of the namespace; 0: dtd's */
	int ds_following;	/* [c] uses the hooks of dt_follow.c */
	uint64_t ds_unfollowed; /* [c] beside those that BPF counts */
	/* what it costs: dt_cost.c, dt_cost_limit.c */
	TAILQ_ENTRY(dt_softc) ds_costed; /* [c] opens that record */
	int ds_iscosted;		 /* [c] it is among them */
	uint64_t ds_progs;     /* [c] kinds of programs it keeps attached */
	int ds_hasstacks;      /* [c] a probe has */
	uint64_t ds_costsum;   /* [c] of the windows of this run */
	uint64_t ds_ncosts;    /* [c] their number */
	uint64_t ds_bill;      /* [c] of the last window */
	uint64_t ds_billother; /* [c] without hits of named processes */
	unsigned int ds_overs; /* [c] windows: a bit each, 1: too much */
	struct dt_limit_why ds_why; /* [c] why it is stopped */
	int ds_nolimit;		    /* [c] DTIOCNOLIMIT */
	atomic_int ds_limited;	    /* [a] the daemon stopped this run */
	atomic_int ds_ended;	    /* [a] since it ends itself */
	char ds_note[WIRE_MAXNOTE]; /* [c] why; d after ds_stopped */
	struct dt_hottest ds_votes; /* [a] d votes, c asks */
	/* functions of the kernel */
	struct kprobe_run *ds_kset; /* [c] while it records */
	size_t ds_nslow;	    /* [c] probes that take long to attach */
	size_t ds_ntp;		    /* [c] tracepoints, which do, too */
	atomic_int ds_cancel;	    /* [a] nobody waits for the command */
	struct dt_lookup *ds_found; /* [co] look-up that is paged over */
	struct dt_probe *ds_asked;  /* [c] whose arguments */
	void *ds_reread;	    /* [co] of prov_reread */
	int ds_hastypes;	    /* [c] it holds the types of func_proto.c */
	int ds_sumsfd;		    /* [co] of who asks for sums, or -1 */
	/* names: dt_sym.c */
	int ds_symheld;		   /* [c] processes are followed for it */
	uint64_t ds_symused;	   /* [c] last time that was of use, ns */
	int ds_ksymheld;	   /* [c] the kernel's names are kept for it */
	struct proc_view *ds_view; /* [co] list that is paged over, or NULL */
	struct wire_syms ds_viewhead; /* [c] its head */
	uint32_t ds_viewpid;	      /* [c] whose it is, */
	uint64_t ds_viewtime;	      /* [c] and of when */

	/* the data thread's */
	struct block_sender ds_block;  /* [d] */
	struct dt_span ds_span;	       /* [d] of it */
	unsigned int ds_lastcpu;       /* [d] ring that was served last */
	unsigned int ds_clockgen;      /* [d] of the offset it knows */
	int64_t ds_clockoff;	       /* [d] payload of a CLOCK block */
	struct dt_ledger ds_end;       /* [d] payload of an END block */
	char ds_endnote[WIRE_MAXNOTE]; /* [d] payload of a NOTE block */
	unsigned int ds_noted;	       /* [d] ds_runs when it was sent */
	int ds_behind;		       /* [d] rings have more than was sent */
	uint64_t ds_oldest;	       /* [d] record then, ns; 0: not known */
	int ds_passdue;		       /* [d] low water is behind the data */
	uint64_t ds_lastdata;	       /* [d] when data was found, ns */
	uint64_t ds_passed;	       /* [d] low water that was told last */
	uint64_t ds_awake;	       /* [d] records since the thread slept */
	uint64_t ds_stallfired; /* [d] hits when the client last stalled */
	int ds_armed;		/* [d] ses_armed was set, not yet cleared */
	unsigned int ds_wakes;	/* [d] so often in a millisecond, */
	uint64_t ds_wakesince;	/* [d] which began then, ns */
	atomic_uint ds_tallies; /* [a] a bit each of what it has enabled */
	/* [a] records that the socket took, and those for a dead client */
	atomic_uint_fast64_t ds_read[DT_NTALLY];
	atomic_uint_fast64_t ds_discarded[DT_NTALLY];
	atomic_int ds_stopped; /* [a] drain, then END */
};

/* Whether the open may see its owner's processes only; but for the clocks of
 * who has PROFILE. */
static inline int
dt_softc_islimited(const struct dt_softc *sc)
{
	return (sc->ds_peer.pr_rights & RIGHT_TRACE_ALL) == 0;
}

/*
 * Whether the open records processes that its owner has named, or only the
 * owner's: these bear what their hits cost.  Process 1 with its descendants is
 * the whole machine.
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

/* dt_dev.c */
extern const struct cdevsw dt_cdevsw;
extern unsigned int dt_ncpu;	    /* CPUs that may ever come */
extern unsigned int dt_nopen;	    /* [c] opens */
unsigned int dt_sessions_of(uid_t); /* c */
void dt_softcs_each(void (*fn)(struct dt_softc *)); /* c: all opens */
/* Takes bytes for rings out of the limits: ENOMEM with a text. */
int dt_charge(struct dt_softc *, uint64_t nbytes, char *text);
void dt_uncharge(struct dt_softc *);

/* dt_dev.c: c */
int dt_drain_open(void *); /* d_drain */

/*
 * dt_call.c: c: turns of an open (op_queue.h); all of it may take long if the
 * open has attached much.
 */
int dt_call_later(struct dt_softc *, struct ioctl_call *, void (*run)(void *),
    void (*done)(void *));
/* For what may take seconds in any case. */
int dt_call_alone(struct dt_softc *, struct ioctl_call *, void (*run)(void *),
    void (*done)(void *));
/* In a job. */
void dt_job_run(struct dt_softc *, void (*run)(void *), void (*done)(void *));
/* d_hold */
int dt_call_hold(void *, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *);

/* dt_hotplug.c: a CPU, or DEV_CPU_ALL, came or went. */
void dt_cpu_changed(struct dt_softc *, unsigned int cpu);

/* dt_ioctl.c: the table of commands */
#define DT_NIOCTLS 27
extern const struct ioctl_desc dt_ioctls[DT_NIOCTLS];

/* dt_list.c */
int dt_ioctl_list_probes(void *, struct ioctl_call *);
int dt_ioctl_lookup(void *, struct ioctl_call *);
int dt_ioctl_get_args(void *, struct ioctl_call *);
int dt_ioctl_get_provs(void *, struct ioctl_call *);
void dt_probe_info(const struct dt_probe *, struct dtioc_probe_info *);

/* dt_lookup.c: lists of probes that are made when they are looked up */
/* Whether a pattern is for such a provider. */
int dt_lookup_wants(const char *pattern);
int dt_lookup_lookup(struct dt_softc *, struct ioctl_call *);
int dt_lookup_args(struct dt_softc *, struct dt_probe *, struct ioctl_call *);
void dt_lookup_free(struct dt_lookup *);

/* dt_settings.c: settings of an open */
int dt_ioctl_self(void *, struct ioctl_call *);
int dt_ioctl_set_filter(void *, struct ioctl_call *);
int dt_ioctl_set_path(void *, struct ioctl_call *);
int dt_ioctl_set_budget(void *, struct ioctl_call *);
int dt_ioctl_set_maxbudget(void *, struct ioctl_call *);
int dt_ioctl_nolimit(void *, struct ioctl_call *);

/* dt_pcb.c */
int dt_ioctl_probe_enable(void *, struct ioctl_call *);
int dt_ioctl_probe_disable(void *, struct ioctl_call *);
/*
 * What ENABLE and DISABLE of either interface do.  The older one's filter is a
 * condition, or NULL; bits: DT_REQ_*.
 */
int dt_pcb_enable(struct dt_softc *, struct ioctl_call *,
    const struct dtioc_req *, const struct dt_cond *, uint8_t bits);
int dt_pcb_disable(struct dt_softc *, struct ioctl_call *, uint32_t pbn);
void dt_pcb_free(struct dt_pcb *);
struct dt_pcb *dt_pcb_find(struct dt_softc *, uint32_t pbn);
/* DTEVT_* as the byte that BPF knows them by, DT_EVT_*. */
uint8_t dt_pcb_evtflags(uint64_t);
void dt_pcb_purge(struct dt_softc *);
/* The period of a clock: EINVAL if it is out of bounds. */
int dt_pcb_period(struct dt_pcb *, const struct dtioc_req *);

/* dt_cond.c: conditions of enabled probes */
int dt_ioctl_set_condition(void *, struct ioctl_call *);
/* Gives the probe this condition instead of what it had: EINVAL with a text,
 * ENOSPC.  Only while it does not record. */
int dt_cond_set(struct dt_pcb *, const struct dt_cond *, char *text);

/* dt_cond_check.c */
/* Tests a condition and makes what the programs evaluate of it. */
int dt_cond_check(const struct dt_probe *, const struct dt_cond *,
    struct dt_cond_entry *, char *text);
/* Tests an operand: EINVAL with a text. */
int dt_cond_look(const struct dt_probe *, const struct dt_opd *,
    struct dt_look *, char *text);
/* For prov_operand of what is called: so many arguments, whose texts are read
 * in this way, and maybe a result. */
int dt_look_call(const struct dt_opd *, unsigned int nargs, int hasresult,
    enum dt_look_how text, struct dt_look *);

/* For prov_operand: a member of struct dt_hit. */
#define DT_LOOK_AT(lo, how, member) \
	((lo)->lo_how = (how), (lo)->lo_off = offsetof(struct dt_hit, member))

/* dt_cond_table.c: c: lines that programs evaluate; the maps exist */
/* A line with this content, shared with who has the same: ENOSPC. */
int dt_cond_table_get(uid_t, const struct dt_cond_entry *, uint16_t *line,
    char *text);
void dt_cond_table_put(uint16_t line); /* no program looks; 0 is fine */

/* dt_pair.c: pairs of enabled probes */
int dt_ioctl_set_pair(void *, struct ioctl_call *);
/* Ends the pair of a probe, if it is in one; neither of the two records. */
void dt_pair_part(struct dt_softc *, struct dt_pcb *);
void dt_pair_start(struct dt_softc *); /* before its probes start */
/* w: forgets all firsts; no program runs for the open. */
void dt_pair_stop(struct dt_softc *);
void dt_pair_tick(struct dt_softc *);  /* c: now and then, while it records */
void dt_pair_close(struct dt_softc *); /* w */
void dt_pair_free(struct dt_softc *);  /* c: after close */

/* dt_compat_v1.c: the older requests and statistics */
int dt_ioctl_probe_enable_v1(void *, struct ioctl_call *);
int dt_ioctl_probe_disable_v1(void *, struct ioctl_call *);
int dt_ioctl_get_stats_v1(void *, struct ioctl_call *);

/* dt_record.c */
int dt_ioctl_record(void *, struct ioctl_call *);
/* Stops all probes and waits until no program runs for this open; what
 * remains is to let go of the hooks.  Worker. */
void dt_record_stop(struct dt_softc *);

/* dt_stat.c */
int dt_ioctl_get_stats(void *, struct ioctl_call *);
int dt_ioctl_get_fullstat(void *, struct ioctl_call *);
int dt_ioctl_get_stall(void *, struct ioctl_call *);
/* Adds what is counted of one kind; and all that is known now.  Any thread. */
void dt_ledger_add(const struct dt_softc *, enum dt_tally, struct dt_ledger *);
void dt_ledger_sum(const struct dt_softc *, struct dt_ledger *);
void dt_ledger_start(struct dt_softc *); /* worker */
void dt_ledger_stop(struct dt_softc *);	 /* worker */

/* dt_sums.c: sums over all opens */
int dt_ioctl_get_sums(void *, struct ioctl_call *);
void dt_sums_init(void);	       /* the providers are known */
void dt_sums(struct sums *);	       /* d_sums */
void dt_sums_add(struct dt_softc *);   /* c */
void dt_sums_start(struct dt_softc *); /* w: before it records */
/* w: its ledger is complete; before its rings go */
void dt_sums_del(struct dt_softc *);
void dt_sums_hangup(struct dt_softc *); /* c: nobody asks any more */
void dt_sums_limited(void);

/* dt_stream.c */
enum stream_state dt_stream(void *, struct stream *);
int dt_stalled(void *);
/* What is left in the rings and will not be sent counts as dropped.  Only
 * after the stream has ended. */
void dt_stream_discard(struct dt_softc *);

/* dt_cost.c */
/* A program was loaded, and the descriptor stays.  Who has a probe of prov (or
 * NULL), or one of these hooks (bits), keeps it attached.  Any thread. */
void dt_cost_watch(int fd, const struct dt_provider *prov, unsigned int hooks);
/* An open records, and does not any more (fine if it did not).  c */
void dt_cost_add(struct dt_softc *);
void dt_cost_del(struct dt_softc *);
/* Fills dtfs_cost*.  c */
void dt_cost_tell(const struct dt_softc *, struct dtioc_fullstat *);

/* Puts cost, and what the programs took.  Any thread. */
void dt_cost_sums(struct sums *);

/* dt_pcb.c: w.  The data thread sees rings when ds_hasrings is set; those
 * that it sees are freed after its stream only. */
int dt_rings_alloc(struct dt_softc *);
void dt_rings_free(struct dt_softc *);
/* Bytes of one ring that a budget for all CPUs gives. */
size_t dt_ring_size(uint64_t budget);

/* dt_hook.c: w, but for dt_hook_set_prog */
struct bpf_program;
#define DT_HOOK_NPROG 32
const char *dt_hook_name(enum dt_hook); /* constant; any thread */
void dt_hook_set_prog(enum dt_hook, struct bpf_program *);
/* One more program of a hook that its provider attaches; stays loaded. */
void dt_hook_add_prog(enum dt_hook, int fd);
/* The kernel does not count what it skips of this hook. */
void dt_hook_set_uncounted(enum dt_hook);
/* Attaches if nobody has yet; sets the bit in ds_hooks. */
int dt_hook_get(struct dt_softc *, enum dt_hook);
/* Detaches those of the bits that nobody uses any more. */
void dt_hook_put(unsigned int bits);
/* Hits that the kernel skipped so far; -1: it does not count them. */
int64_t dt_hook_missed(enum dt_hook);

/* dt_prov_profile_idle.c: how long each CPU has been idle, ns; nsecs has
 * dt_ncpu. */
int dt_idle_read(uint64_t *nsecs);
uint64_t dt_idle_unit(void); /* it comes in multiples of this */

/* dt_exclude.c: processes that are left out, by their numbers in the initial
 * namespace. */
#define EXCLUDE_MAX (2 * DT_MAXSESS + INSPECT_MAX + 2)
int dt_exclude_add(uint32_t kpid, enum dt_level);
void dt_exclude_del(uint32_t kpid, enum dt_level);
/* The daemon, its inspectors, and those that come and go: errno. */
int dt_exclude_daemon(void);
void dt_exclude_forget(void); /* the map is gone */

/* dt_pidns.c: the client's pid namespace; w */
/* Finds out the namespace of the client. */
int dt_pidns_resolve(struct dt_softc *, char *text);
/* The number in dtd's namespace of a process that a client in another one
 * named: ESRCH. */
int dt_pidns_local(struct dt_softc *, pid_t pid, pid_t *local);
/* AT_BASE of a process that the client named, 0: none.  ESRCH, or the kernel
 * refuses the program. */
int dt_pidns_auxbase(struct dt_softc *, pid_t pid, uint64_t *base);

/* dt_follow.c: a process and its descendants; w */
/* Returns whether the session records only processes that it follows. */
int dt_follow_isneeded(const struct dt_softc *);
/* Loads the programs, if the open is to follow; start does it, if need be. */
int dt_follow_load(const struct dt_softc *, char *text);
/* Before the probes start; does nothing for an open that follows nobody. */
int dt_follow_start(struct dt_softc *, char *text);
/* No more children, before a grace period; and behind it, nobody. */
void dt_follow_halt(struct dt_softc *);
void dt_follow_stop(struct dt_softc *);

/* dt_prov_syscall_abi32.c: whether this kernel runs system calls of 32-bit
 * programs. */
int dt_has_abi32(void);

/* dt_auxbase.c */
int dt_ioctl_get_auxbase(void *, struct ioctl_call *);

/* dt_sym.c: names of code */
int dt_ioctl_sym(void *, struct ioctl_call *);
int dt_ioctl_get_maps(void *, struct ioctl_call *);
int dt_ioctl_symfile(void *, struct ioctl_call *);

/* dt_sym_follow.c */
/* w: processes are followed from ENABLE on, so that RECORD need not wait. */
void dt_sym_enable(struct dt_softc *);
/* c: what names take was of use to this open; and a look whether it is. */
void dt_sym_used(struct dt_softc *);
void dt_sym_tick(struct dt_softc *);
/* w: before probes start: those who record stacks will want names. */
void dt_sym_start(struct dt_softc *);
void dt_sym_close(struct dt_softc *);	  /* w */
void dt_sym_stat(struct dtioc_symstat *); /* w */
void dt_sym_cpu(unsigned int cpu);	  /* c: it came or went */

/* dt_sym_trim.c: c: names were asked for: what they took goes in a while. */
int dt_sym_trim_init(void);
void dt_sym_trim_ask(void);
/* w: the symbolizer, if one runs, is left out of recordings. */
void dt_sym_trim_leave(void);

#endif /* DAEMON_DT_DT_SOFTC_H */
