/* SPDX-License-Identifier: ISC */
/*
 * What the files of the kcov device share: opens with their states and memory,
 * threads that are traced, sets of functions.
 *
 * Letters: I constant after open; c control thread; K by kcov_mtx, which
 * workers take; q by the command under way, of which an open has one at a time;
 * a atomic; b written by BPF; o released by kcov_free().
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
#include "daemon/device/op_queue.h"
#include "daemon/device/peer_thread.h"
#include "daemon/device/sums.h"
#include "daemon/kernel/attach.h"

/* The seed's; what it calls DYING is no open any more, see kcov_dying.c. */
enum kcov_state {
	KCOV_STATE_NONE,  /* no memory */
	KCOV_STATE_READY, /* memory, nobody is traced */
	KCOV_STATE_TRACE, /* it is enabled, or about to be */
};

/* Functions that opens with the same globs share, and what attaches to them. */
struct kcov_set {
	LIST_ENTRY(kcov_set) kse_entry; /* [K] */
	char kse_globs[KIO_FUNCS_LEN];	/* [I] */
	uint32_t kse_number;		/* [I] links have it as their cookie */
	unsigned int kse_nopen;		/* [K] opens that have it */
	unsigned int kse_nactive;	/* [K] of them, enabled */
	int kse_isbusy;			/* [K] a thread attaches */
	int kse_isattached;		/* [K] */
	size_t kse_nfuncs;		/* [K] or by who attaches: as many */
	int64_t kse_idle;		/* [K] since when nobody is enabled */
	struct attach_links kse_links;	/* [K] or by who attaches */
};

/* An open. */
struct kcov_dev {
	TAILQ_ENTRY(kcov_dev) kd_entry; /* [K] */
	unsigned int kd_slot;	  /* [I] its line, and its memory's place */
	struct peer kd_peer;	  /* [I] */
	struct stream *kd_stream; /* [I] nothing ever comes */
	struct audit kd_audit;	  /* [c] */
	int kd_isaudited;	  /* [c] of these functions */
	struct op_queue kd_queue; /* [c] what is done to it */
	int (*kd_fn)(struct kcov_dev *, struct ioctl_call *); /* [q] */
	atomic_int kd_cancel;	  /* [a] the client has gone */
	enum kcov_state kd_state; /* [K] */
	int kd_mode;		  /* [K] of KIOENABLE; 0: disabled */
	int kd_isarmed;		  /* [K] programs know of it */
	int kd_ishooked;	  /* [K] keeps the programs of exit and exec */
	int kd_byother;		  /* [K] KIOENABLETHREAD enabled it */
	int kd_isclosing;	  /* [K] the client has closed it */
	int kd_nolimit;		  /* [K] KIONOLIMIT */
	double kd_bill; /* [K] functions that it pays for, of the last window */
	char *
	    /* [K] by the cost limit, and why; to be freed, or NULL */
	    kd_stopped;
	uint64_t kd_nstopped; /* [K] so often */
	int kd_isremote;      /* [K] KIOREMOTEATTACH: the whole process */
	struct peer_thread kd_thread; /* [K] who is traced */
	uint64_t kd_key;	      /* [K] of kcov_threads, while armed */
	struct kcov_set *kd_set;      /* [K] never NULL */
	int kd_buf;		      /* [qo] memory; -1: none */
	int kd_isarray;		      /* [q] it is a map, for programs */
	int kd_isinserted;	      /* [q] and in kcov_bufs */
	uint32_t kd_nentries;	      /* [q] */
	uint64_t kd_charged;	      /* [qo] bytes of it, out of the limits */
	uint64_t kd_missed;	/* [K] while it is not armed, see kd_missed() */
	uint64_t kd_missed0;	/* [K] the program's, when it had none */
	uint64_t kd_told[NSUM]; /* [K] what of the open is in sums */
};

TAILQ_HEAD(kcov_devs, kcov_dev);

extern pthread_mutex_t kcov_mtx;
extern struct kcov_devs kcov_devs; /* [K] */

/* kcov.c */
extern const struct cdevsw kcov_cdevsw;

/* kcov_ioctl.c */
#define KCOV_NIOCTLS 9
extern const struct ioctl_desc kcov_ioctls[KCOV_NIOCTLS];

/* kcov_dev.c: states.  K but for the first, which takes it; errors are in
 * their order. */
int kd_init(struct kcov_dev *, uint64_t nentries, char *text);
int kd_enable(struct kcov_dev *, int mode, const struct peer_thread *,
    int byother, char *text);
/* *isatwork: programs may be, for who is traced is not who calls.  ECANCELED,
 * with a text: it was stopped before, and is disabled now. */
int kd_disable(struct kcov_dev *, const struct peer_thread *caller,
    int *isatwork, char *text);
/* Records nothing any more until it is disabled, which tells why; whether it
 * did before. */
int kd_stop(struct kcov_dev *, const char *why);
int kd_remote_attach(struct kcov_dev *, const struct kio_remote_attach *);
/* Hits that the kernel skipped while it was armed, of all threads. */
uint64_t kd_missed(const struct kcov_dev *);
/* Has the thread ended, or got another number? */
void kd_settle(struct kcov_dev *);
/* Nothing is recorded any more when this returns; the client has gone. */
void kd_close(struct kcov_dev *);

/*
 * kcov_dying.c
 */
/* K: an open was closed while it traced this thread, which has one enabled
 * until it ends, as in the seed. */
void kcov_dying_add(const struct peer_thread *);
int kcov_dying_has(const struct peer_thread *);

/*
 * kcov_buf.c: memory
 */
/* Makes it; for programs, too, unless the client may not have that, or dtd
 * itself.  An errno, with a text. */
int kcov_buf_make(struct kcov_dev *, uint32_t nentries, char *text);
/* Programs find it from now on; waits for a grace period the first time. */
int kcov_buf_insert(struct kcov_dev *);
/* No program has it when this returns.  NULL-safe in all parts. */
void kcov_buf_free(struct kcov_dev *);

/*
 * kcov_load.c: programs.  They are loaded by the first who enables, and kept;
 * what is below is for who has seen that.
 */
int kcov_load(const struct attach_method *, char *text);
int kcov_progfd(void);
int kcov_bufsfd(void);
struct kcov_entry *kcov_line(unsigned int slot); /* NULL before kcov_load() */
uint64_t kcov_prog_missed(void);
/* K: who is traced, into the programs' tables.  An errno. */
int kcov_key_add(uint64_t key, unsigned int slot);
void kcov_key_del(uint64_t key);
void kcov_bit_del(uint64_t key); /* who is armed keeps his */
/* K: the programs of exit and exec. */
int kcov_hooks_get(char *text);
void kcov_hooks_put(void);

/*
 * kcov_set.c
 */
/* The best way of this kernel, or NULL, and *why. */
const struct attach_method *kcov_method(const char **why);
/* K: the set of these globs, with one more open; NULL: no memory. */
struct kcov_set *kcov_set_get(const char *globs);
/* K: one open less; NULL is fine. */
void kcov_set_put(struct kcov_set *);
/* K, which is released meanwhile: attached when it returns 0.  ECANCELED. */
int kcov_set_start(struct kcov_set *, const atomic_int *cancel, char *text);
void kcov_set_stop(struct kcov_set *); /* K */
/* K, or who attaches: its links, at once; none of its opens is enabled. */
void kcov_set_letgo(struct kcov_set *);
/* Who waits for a set looks whether he still has to. */
void kcov_set_wake(void);
/* What KIOENABLE would do; w. */
int kcov_set_price(const char *globs, struct kio_price *, char *text);
int kcov_set_isattached(const struct kcov_set *); /* takes K */
int kcov_sets_init(void);
void kcov_sets_fini(void);

/* kcov_cost_limit.c */
int kcov_cost_limit_init(void);
void kcov_cost_limit_start(void);     /* K: a set is in use */
uint64_t kcov_cost_limit_stops(void); /* so far; any thread */

/* kcov_default.c: what "" stands for */
const char *kcov_default_globs(const struct attach_method *);

/* kcov_sums.c */
void kcov_sums_init(void);
void kcov_sums(struct sums *); /* d_sums */
/* K: what the open has counted until now. */
void kcov_sums_settle(struct kcov_dev *);

#endif /* DAEMON_KCOV_KCOV_SOFTC_H */
