/* SPDX-License-Identifier: ISC */
/*
 * The states of a session and their errors, in the order of the BSD original:
 * NONE has no memory, READY has memory, TRACE records for a thread (or, remote,
 * for a process) until DISABLE or until it ends.  Checks that the original does
 * not have come last.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/access/peer.h"
#include "daemon/access/right.h"
#include "daemon/base/reason.h"
#include "daemon/kcov/kcov_softc.h"

pthread_mutex_t kcov_mtx = PTHREAD_MUTEX_INITIALIZER;
struct kcov_devs kcov_devs = TAILQ_HEAD_INITIALIZER(kcov_devs);

/*
 * Stops recording; a program may still run for the session.  isgone: a program
 * removed the key, which another session may have taken.
 */
static void
kd_disarm(struct kcov_dev *kd, int hasexited)
{
	if (!kd->kd_isarmed)
		return;
	kd->kd_missed = kd_missed(kd);
	kd->kd_isarmed = 0;
	if (!hasexited)
		kcov_key_del(kd->kd_key);
	kcov_bit_del(kd->kd_key);
	kcov_row(kd->kd_slot)->kcl_set = 0;
	kcov_set_stop(kd->kd_set);
}

/* Returns to the state READY. */
static void
kd_end(struct kcov_dev *kd, int hasexited)
{
	kd_disarm(kd, hasexited);
	kd->kd_state = KCOV_STATE_READY;
	kd->kd_mode = KCOV_MODE_NONE;
	kd->kd_byother = 0;
	kd->kd_ischild = 0;
	kd->kd_thread.th_tid = 0;
	free(kd->kd_stopped);
	kd->kd_stopped = NULL;
}

/* Reads what programs stored about the thread: its end, or its new id. */
static void
kd_hear(struct kcov_dev *kd)
{
	uint64_t old = kd->kd_key;
	uint32_t tid;

	if (!kd->kd_isarmed || kd->kd_isremote)
		return;
	tid = __atomic_load_n(&kcov_row(kd->kd_slot)->kcl_tid,
	    __ATOMIC_ACQUIRE);
	if (tid == (uint32_t)kd->kd_thread.th_tid)
		return;
	if (tid == 0) {
		kd_end(kd, 1);
		return;
	}
	kd->kd_key = tid;
	kcov_bit_del(old);
	if (peer_thread_get(tid, &kd->kd_thread) != 0)
		kd_end(kd, 0);
}

/*
 * A thread that is exiting counts as ended, since other processes may have been
 * notified of it.
 */
void
kd_settle(struct kcov_dev *kd)
{
	kd_hear(kd);
	if (kd->kd_state == KCOV_STATE_TRACE && kd->kd_thread.th_tid != 0 &&
	    !peer_thread_lives(&kd->kd_thread))
		kd_end(kd, 0);
}

/* Returns whether a session is enabled for the thread, which exists. */
static int
thread_busy(const struct peer_thread *th)
{
	struct kcov_dev *kd;

	TAILQ_FOREACH(kd, &kcov_devs, kd_entry) {
		kd_hear(kd);
		if (kd->kd_state == KCOV_STATE_TRACE &&
		    peer_thread_same(&kd->kd_thread, th))
			return 1;
	}
	return kcov_dying_has(th);
}

int
kd_init(struct kcov_dev *kd, uint64_t nentries, struct reason *rs)
{
	int error;

	/* no other operation changes the state NONE */
	if (kd->kd_state != KCOV_STATE_NONE)
		return EBUSY;
	if (nentries == 0 || nentries > KCOV_BUF_MAX)
		return EINVAL;
	if ((error = kcov_buf_make(kd, nentries, rs)) != 0)
		return error;
	pthread_mutex_lock(&kcov_mtx);
	kd->kd_state = KCOV_STATE_READY;
	pthread_mutex_unlock(&kcov_mtx);
	return 0;
}

/*
 * ENABLE
 */

/* Checks whether this client and this machine can record the kernel. */
static int
kernel_check(const struct kcov_dev *kd, int mode, struct reason *rs)
{
	const char *why;
	int error;

	if (mode == KCOV_MODE_TRACE_CMP)
		return reason_fail(rs, EOPNOTSUPP,
		    "only instrumented programs report comparisons: "
		    "KCOV_MODE_USER");
	error = right_check(&kd->kd_peer, RIGHT_TRACE_ALL, NULL, rs);
	if (error != 0)
		return error;
	if (!kd->kd_isarray)
		return reason_fail(rs, EPERM,
		    "the kernel lets this daemon make no BPF maps");
	if (!peer_pidns_initial())
		return reason_fail(rs, EOPNOTSUPP,
		    "dtd is not in the initial pid namespace, whose numbers "
		    "programs see");
	if (kcov_method(&why) == NULL)
		return reason_fail(rs, EOPNOTSUPP, "%s", why);
	return 0;
}

static int
mode_check(const struct kcov_dev *kd, int mode, struct reason *rs)
{
	int what = mode & ~KCOV_MODE_USER;

	if (what != KCOV_MODE_TRACE_PC && what != KCOV_MODE_TRACE_CMP)
		return EINVAL;
	if ((mode & KCOV_MODE_USER) == 0)
		return kernel_check(kd, mode, rs);
	if (kd->kd_isremote)
		return reason_fail(rs, EOPNOTSUPP,
		    "a process that is attached has the kernel's records only");
	return 0;
}

/* Lets programs record for the session.  Called with K. */
static int
kd_arm(struct kcov_dev *kd, uint32_t sock, struct reason *rs)
{
	struct kcov_entry *kl = kcov_row(kd->kd_slot);
	int error;

	if (!kd->kd_ishooked && (error = kcov_hooks_get(rs)) != 0)
		return error;
	kd->kd_ishooked = 1;
	kd->kd_key = kd->kd_isremote
	    ? KCOV_KEY_PROCESS | (uint32_t)kd->kd_peer.peer_pid
	    : (uint32_t)kd->kd_thread.th_tid;
	kl->kcl_nmemb = kd->kd_nentries - 1;
	kl->kcl_tid = kd->kd_thread.th_tid;
	kl->kcl_sock = sock;
	kl->kcl_set = kd->kd_set->kse_number;
	kd->kd_missed0 = kcov_prog_missed() - kd->kd_missed;
	if ((error = kcov_key_add(kd->kd_key, kd->kd_slot)) != 0) {
		kl->kcl_set = 0;
		return error;
	}
	kd->kd_isarmed = 1;
	return 0;
}

/* Does the slow part, which affects this session only, without K. */
static int
kd_prepare(struct kcov_dev *kd, struct reason *rs)
{
	const char *why;
	int error;

	pthread_mutex_unlock(&kcov_mtx);
	if ((error = kcov_load(kcov_method(&why), rs)) == 0)
		error = kcov_buf_insert(kd);
	pthread_mutex_lock(&kcov_mtx);
	return error;
}

/*
 * Attaches the functions and arms the session.  Called with K, which is
 * released meanwhile.
 */
static int
kd_start(struct kcov_dev *kd, uint32_t sock, struct reason *rs)
{
	int error;

	if ((error = kd_prepare(kd, rs)) != 0)
		return error;
	error = kcov_set_start(kd->kd_set, &kd->kd_cancel, rs);
	if (error != 0)
		return error;
	if ((error = kd_arm(kd, sock, rs)) != 0) {
		kcov_set_stop(kd->kd_set);
		return error;
	}
	/* a program reports the end of the thread from now on */
	if (kd->kd_thread.th_tid != 0 && !peer_thread_lives(&kd->kd_thread))
		error = ESRCH;
	return error;
}

int
kd_enable(struct kcov_dev *kd, const struct kd_enabling *ke, struct reason *rs)
{
	int error;

	if (thread_busy(&ke->ken_thread))
		return EBUSY;
	kd_settle(kd);
	if (kd->kd_state == KCOV_STATE_TRACE &&
	    kd->kd_ischild != ke->ken_ischild)
		return reason_fail(rs, EBUSY, "%s of this process has it",
		    kd->kd_ischild ? "a child" : "the parent");
	if (kd->kd_state != KCOV_STATE_READY)
		return ENXIO;
	if ((error = mode_check(kd, ke->ken_mode, rs)) != 0)
		return error;
	/* the thread is taken from here on, also while K is released */
	kd->kd_state = KCOV_STATE_TRACE;
	kd->kd_mode = ke->ken_mode;
	kd->kd_byother = ke->ken_byother;
	kd->kd_ischild = ke->ken_ischild;
	if (!kd->kd_isremote)
		kd->kd_thread = ke->ken_thread;
	if ((ke->ken_mode & KCOV_MODE_USER) == 0 &&
	    (error = kd_start(kd, ke->ken_sock, rs)) != 0)
		kd_end(kd, 0);
	return error;
}

int
kd_stop(struct kcov_dev *kd, const char *why)
{
	/* it is not armed yet while kd_start() prepares it */
	if (!kd->kd_isarmed)
		return 0;
	kd_settle(kd);
	if (!kd->kd_isarmed)
		return 0;
	kd_disarm(kd, 0);
	kd->kd_nstopped++;
	kd->kd_stopped = strdup(why);
	return 1;
}

int
kd_disable(struct kcov_dev *kd, const struct peer_thread *caller, int *isatwork,
    struct reason *rs)
{
	int isfree, error = 0;

	kd_settle(kd);
	isfree = kd->kd_isremote || kd->kd_byother;
	if (!isfree && !peer_thread_same(&kd->kd_thread, caller))
		return EPERM;
	if (kd->kd_state != KCOV_STATE_TRACE)
		return ENXIO;
	*isatwork = isfree && kd->kd_isarmed;
	if (kd->kd_stopped != NULL) {
		reason_set(rs, "it was stopped before: %s", kd->kd_stopped);
		error = ECANCELED;
	}
	kd_end(kd, 0);
	return error;
}

int
kd_remote_attach(struct kcov_dev *kd, const struct kio_remote_attach *ra)
{
	const struct kcov_dev *other;

	kd_settle(kd);
	if (kd->kd_state != KCOV_STATE_READY)
		return ENXIO;
	if (ra->subsystem != KCOV_REMOTE_COMMON)
		return EINVAL;
	TAILQ_FOREACH(other, &kcov_devs, kd_entry)
		if (other->kd_isremote && !other->kd_isclosing &&
		    other->kd_peer.peer_pid == kd->kd_peer.peer_pid)
			return EBUSY;
	kd->kd_isremote = 1;
	return 0;
}

uint64_t
kd_missed(const struct kcov_dev *kd)
{
	return kd->kd_isarmed ? kcov_prog_missed() - kd->kd_missed0
			      : kd->kd_missed;
}

void
kd_close(struct kcov_dev *kd)
{
	kd_settle(kd);
	if (kd->kd_state == KCOV_STATE_TRACE && kd->kd_thread.th_tid != 0)
		kcov_dying_add(&kd->kd_thread);
	kd_disarm(kd, 0);
	if (kd->kd_ishooked)
		kcov_hooks_put();
	kcov_sums_settle(kd);
	TAILQ_REMOVE(&kcov_devs, kd, kd_entry);
}
