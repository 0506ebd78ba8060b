/* SPDX-License-Identifier: ISC */
/*
 * Structs and functions shared by the files of the kcov device: sessions with
 * their states and memory, traced threads, sets of functions.
 *
 * Letters: I constant after open; c control thread; K by kcov_mtx, which
 * workers take; q by the current operation, of which a session has one at a
 * time; a atomic; b written by BPF; o released by kcov_free().
 */
#ifndef DAEMON_KCOV_KCOV_SOFTC_H
#define DAEMON_KCOV_KCOV_SOFTC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include <sys/kcov.h>

#include "bpf/kcov_shared.h"
#include "daemon/access/audit.h"
#include "daemon/device/cdevsw.h"
#include "daemon/device/peer_thread.h"
#include "daemon/device/session_sums.h"
#include "daemon/kernel/attach.h"

struct reason;

/* States, as in the BSD original except DYING, which kcov_dying.c replaces. */
enum kcov_state {
	KCOV_STATE_NONE,  /* no memory */
	KCOV_STATE_READY, /* has memory, no thread is traced */
	KCOV_STATE_TRACE, /* enabled, or being enabled */
};

/* A set of functions and its links, shared by sessions with the same globs. */
struct kcov_set {
	LIST_ENTRY(kcov_set) kse_entry; /* [K] */
	char kse_globs[KIO_FUNCS_LEN];	/* [I] */
	uint32_t kse_number;		/* [I] cookie of its links */
	unsigned int kse_nopen;		/* [K] sessions that use it */
	unsigned int kse_nactive;	/* [K] enabled sessions among these */
	int kse_isbusy;			/* [K] a thread is attaching */
	atomic_int kse_isattached;	/* [K] written */
	size_t kse_nfuncs;		/* [K] or the attaching thread: attached
					 * functions */
	int64_t kse_idle;		/* [K] since when no session is
					 * enabled */
	struct attach_links kse_links;	/* [K] or the attaching thread */
};

/* A session. */
struct kcov_dev {
	TAILQ_ENTRY(kcov_dev) kd_entry; /* [K] */
	unsigned int kd_slot;		/* [I] index in the BPF tables */
	struct peer kd_peer;		/* [I] */
	struct stream *kd_stream;	/* [I] never carries data */
	struct audit kd_audit;		/* [c] */
	int kd_isaudited;		/* [c] kd_audit names the functions */
	atomic_int kd_cancel;		/* [a] the client has disconnected */
	atomic_int kd_isclosing;	/* [c] written: it has been closed */
	enum kcov_state kd_state;	/* [K] */
	int kd_mode;			/* [K] mode of KIOENABLE; 0: disabled */
	int kd_isarmed;			/* [K] the BPF tables contain it */
	int kd_ishooked; /* [K] holds the programs of exit and exec */
	int kd_byother;	 /* [K] KIOENABLETHREAD enabled it */
	int kd_ischild;	 /* [K] for a child of the process that opened it */
	int kd_nolimit;	 /* [K] KIONOLIMIT */
	double kd_bill;	 /* [K] part of the functions, last window */
	char *
	    /* [K] why the cost limit stopped it; allocated, or NULL */
	    kd_stopped;
	uint64_t kd_nstopped; /* [K] number of such stops */
	int kd_isremote;      /* [K] KIOREMOTEATTACH: the whole process */
	struct peer_thread kd_thread; /* [K] traced thread */
	uint64_t kd_key;	      /* [K] key in kcov_threads, while armed */
	struct kcov_set *kd_set;      /* [K] never NULL */
	int kd_buf;		      /* [qo] descriptor of the memory; -1:
				       * none */
	int kd_isarray;		      /* [q] the memory is a BPF map */
	int kd_isinserted;	      /* [q] and is in kcov_bufs */
	uint32_t kd_nentries;	      /* [q] */
	uint64_t kd_charged;	      /* [qo] bytes charged to the limits */
	uint64_t kd_missed;  /* [K] value while disarmed, see kd_missed() */
	uint64_t kd_missed0; /* [K] the program's count when armed */
	uint64_t kd_summed[NSUM]; /* [K] counts already in sums */
};

TAILQ_HEAD(kcov_devs, kcov_dev);

extern pthread_mutex_t kcov_mtx;
extern struct kcov_devs kcov_devs; /* [K] */

/* kcov.c */
extern const struct cdevsw kcov_cdevsw;

/* kcov_ioctl.c */
#define KCOV_NIOCTLS 9
extern const struct ioctl_desc kcov_ioctls[KCOV_NIOCTLS];

/* The thread that a session is enabled for, and the mode. */
struct kd_enabling {
	struct peer_thread ken_thread;
	int ken_mode;
	int ken_byother;   /* by KIOENABLETHREAD */
	int ken_ischild;   /* a child of the process that opened the session */
	uint32_t ken_sock; /* as in wire_kcov_enable */
};

/*
 * kcov_dev.c: states.  Called with K, except the first, which takes it; errors
 * are checked in the original's order.
 */
int kd_init(struct kcov_dev *, uint64_t nentries, struct reason *);
int kd_enable(struct kcov_dev *, const struct kd_enabling *, struct reason *);
/*
 * *isatwork: programs may still run, since the traced thread is not the
 * caller.  ECANCELED with a text: it had been stopped, and is disabled now.
 */
int kd_disable(struct kcov_dev *, const struct peer_thread *caller,
    int *isatwork, struct reason *);
/*
 * Stops recording until the session is disabled, which reports why.  Returns
 * whether it was recording.
 */
int kd_stop(struct kcov_dev *, const char *why);
int kd_remote_attach(struct kcov_dev *, const struct kio_remote_attach *);
/* Returns hits of all threads that the kernel skipped while it was armed. */
uint64_t kd_missed(const struct kcov_dev *);
/* Detects that the traced thread has ended or has another id. */
void kd_settle(struct kcov_dev *);
/*
 * Closes the session of a disconnected client.  Nothing is recorded after it
 * returns.
 */
void kd_close(struct kcov_dev *);

/*
 * kcov_dying.c
 */
/*
 * Records, with K, that a session was closed while it traced this thread, which
 * counts as enabled until it ends, as in the BSD original.
 */
void kcov_dying_add(const struct peer_thread *);
int kcov_dying_has(const struct peer_thread *);

/*
 * kcov_buf.c: memory
 */
/*
 * Creates the memory, as a BPF map if client and dtd have the rights for that.
 * Returns an errno with a text.
 */
int kcov_buf_make(struct kcov_dev *, uint32_t nentries, struct reason *);
/*
 * Makes the memory available to programs; waits for a grace period the first
 * time.
 */
int kcov_buf_insert(struct kcov_dev *);
/*
 * Frees the memory; no program uses it after the return.  Accepts half-built
 * objects.
 */
void kcov_buf_free(struct kcov_dev *);

/*
 * kcov_load.c: programs.  The first KIOENABLE loads them; the functions below
 * require that.
 */
int kcov_load(const struct attach_method *, struct reason *);
int kcov_progfd(void);
int kcov_bufsfd(void);
struct kcov_entry *kcov_row(unsigned int slot); /* NULL before kcov_load() */
uint64_t kcov_prog_missed(void);
/* Adds a traced thread to the programs' tables, with K.  Returns errno. */
int kcov_key_add(uint64_t key, unsigned int slot);
void kcov_key_del(uint64_t key);
void kcov_bit_del(uint64_t key); /* keeps the bit of an armed session */
/* K: attach and detach the programs of exit and exec. */
int kcov_hooks_get(struct reason *);
void kcov_hooks_put(void);

/*
 * kcov_set.c
 */
/* Returns the best method on this kernel, or NULL with *why. */
const struct attach_method *kcov_method(const char **why);
/* K: returns the set of these globs with one more user; NULL: out of memory. */
struct kcov_set *kcov_set_get(const char *globs);
/* K: drops one user; NULL is fine. */
void kcov_set_put(struct kcov_set *);
/*
 * Attaches the set, with K, which is released meanwhile.  Returns 0 if it is
 * attached, or an errno such as ECANCELED.
 */
int
kcov_set_start(struct kcov_set *, const atomic_int *cancel, struct reason *);
void kcov_set_stop(struct kcov_set *); /* K */
/*
 * Hands the links to detach.c at once; no session of the set is enabled.  K, or
 * the attaching thread.
 */
void kcov_set_letgo(struct kcov_set *);
/* Wakes threads that wait for a set, to check for cancellation. */
void kcov_set_wake(void);
/* Estimates the cost of KIOENABLE.  Worker. */
int kcov_set_price(const char *globs, struct kio_price *, struct reason *);
int kcov_set_isattached(const struct kcov_set *);
int kcov_sets_init(void);

/* kcov_cost_limit.c */
int kcov_cost_limit_init(void);
void kcov_cost_limit_start(void);     /* K: a set is enabled */
uint64_t kcov_cost_limit_stops(void); /* so far; any thread */

/* kcov_default.c: the functions of "" */
const char *kcov_default_globs(const struct attach_method *);

/* kcov_session_sums.c */
void kcov_sums_init(void);
void kcov_sums(struct sums *); /* d_sums */
/* K: adds the counts of a session to its sums. */
void kcov_sums_settle(struct kcov_dev *);

#endif /* DAEMON_KCOV_KCOV_SOFTC_H */
