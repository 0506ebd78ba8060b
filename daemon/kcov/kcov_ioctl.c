/* SPDX-License-Identifier: ISC */
/*
 * The ioctls of kcov: one row and one function each.  Each may block in the
 * kernel or on kcov_mtx, so they run on workers; those that attach run on a
 * separate thread.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/device/grace_period.h"
#include "daemon/kcov/kcov_funcs.h"
#include "daemon/kcov/kcov_softc.h"
#include "wire/kcov.h"

static int
do_setbufsize(struct op *op)
{
	const uint64_t *nentries = op->op_arg;

	return kd_init(op->op_sc, *nentries, &op->op_reason);
}

/*
 * Finds the calling thread.  After fork(2) it may be a child's, which has a copy
 * of the socket.
 */
static int
caller_find(struct op *op, uint32_t tid, struct peer_thread *th, int *ischild)
{
	const struct kcov_dev *kd = op->op_sc;
	int error;

	error = peer_thread_own(&kd->kd_peer, tid, th, &op->op_reason);
	*ischild = error == ESRCH;
	if (*ischild)
		error = peer_thread_other(&kd->kd_peer, tid, th,
		    &op->op_reason);
	return error;
}

static int
do_enable(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;
	struct wire_kcov_enable we = { 0 };
	struct kd_enabling ke = { 0 };
	int error;

	memcpy(&we, op->op_arg, op->op_arglen);
	ke.ken_mode = we.wke_mode;
	ke.ken_sock = we.wke_sock;
	error = caller_find(op, we.wke_tid, &ke.ken_thread, &ke.ken_ischild);
	if (error != 0)
		return error;
	pthread_mutex_lock(&kcov_mtx);
	error = kd_enable(kd, &ke, &op->op_reason);
	pthread_mutex_unlock(&kcov_mtx);
	return error;
}

static int
do_enablethread(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;
	const struct kio_thread *kt = op->op_arg;
	struct kd_enabling ke = { .ken_mode = kt->kt_mode, .ken_byother = 1 };
	int error;

	error = peer_thread_other(&kd->kd_peer, kt->kt_tid, &ke.ken_thread,
	    &op->op_reason);
	if (error != 0)
		return error;
	pthread_mutex_lock(&kcov_mtx);
	error = kd_enable(kd, &ke, &op->op_reason);
	pthread_mutex_unlock(&kcov_mtx);
	return error;
}

/* A thread that is not found cannot be the one that enabled. */
static int
do_disable(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;
	const struct wire_kcov_disable *wd = op->op_arg;
	struct peer_thread th = { 0 };
	int error, isatwork = 0, ischild;

	(void)caller_find(op, wd->wd_tid, &th, &ischild);
	pthread_mutex_lock(&kcov_mtx);
	error = kd_disable(kd, &th, &isatwork, &op->op_reason);
	pthread_mutex_unlock(&kcov_mtx);
	if (isatwork)
		grace_period();
	return error;
}

static int
do_remoteattach(struct op *op)
{
	int error;

	pthread_mutex_lock(&kcov_mtx);
	error = kd_remote_attach(op->op_sc, op->op_arg);
	pthread_mutex_unlock(&kcov_mtx);
	return error;
}

/* Rejects globs of dt, which have a colon between function and event. */
static int
globs_check(const struct kio_funcs *kf, struct reason *rs)
{
	if (memchr(kf->kf_globs, '\0', sizeof(kf->kf_globs)) == NULL)
		return reason_fail(rs, EINVAL, "the globs have no end");
	if (strchr(kf->kf_globs, ':') != NULL)
		return reason_fail(rs, EINVAL,
		    "a function is named without a colon, as vfs_read or "
		    "vfs_*");
	return kfuncs_check(kf->kf_globs, rs);
}

/* EBUSY: enabled; EINVAL: malformed globs. */
static int
do_setfuncs(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;
	struct kcov_set *ks = NULL;
	const struct kio_funcs *kf = op->op_arg;
	int error;

	pthread_mutex_lock(&kcov_mtx);
	kd_settle(kd);
	if (kd->kd_state == KCOV_STATE_TRACE)
		error = EBUSY;
	else if ((error = globs_check(kf, &op->op_reason)) == 0 &&
	    (ks = kcov_set_get(kf->kf_globs)) == NULL)
		error = ENOMEM;
	if (error == 0) {
		kcov_set_put(kd->kd_set);
		kd->kd_set = ks;
	}
	pthread_mutex_unlock(&kcov_mtx);
	return error;
}

static int
do_getprice(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;
	struct kio_price kp = { 0 };
	int error;

	error = kcov_set_price(kd->kd_set->kse_globs, &kp, &op->op_reason);
	if (error != 0)
		return error;
	kp.kp_attached = kcov_set_isattached(kd->kd_set);
	return op_reply(op, &kp, sizeof(kp));
}

static int
do_getstat(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;
	struct kio_stat ks = { 0 };
	const struct kcov_entry *kl;

	pthread_mutex_lock(&kcov_mtx);
	kd_settle(kd);
	if ((kl = kcov_row(kd->kd_slot)) != NULL) {
		ks.ks_recorded = __atomic_load_n(&kl->kcl_recorded,
		    __ATOMIC_RELAXED);
		ks.ks_dropped = __atomic_load_n(&kl->kcl_dropped,
		    __ATOMIC_RELAXED);
		ks.ks_interrupt = __atomic_load_n(&kl->kcl_interrupt,
		    __ATOMIC_RELAXED);
		ks.ks_missed = kd_missed(kd);
		ks.ks_stopped = kd->kd_nstopped;
	}
	pthread_mutex_unlock(&kcov_mtx);
	return op_reply(op, &ks, sizeof(ks));
}

static int
do_nolimit(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;
	const int32_t *on = op->op_arg;

	pthread_mutex_lock(&kcov_mtx);
	kd->kd_nolimit = *on != 0;
	pthread_mutex_unlock(&kcov_mtx);
	return 0;
}

/*
 * Requests with a long or an audited operation
 */

/* Returns whether enabling attaches functions, which takes seconds. */
static int
enable_islong(const struct kcov_dev *kd, const struct op *op)
{
	const int32_t *mode = op->op_arg; /* the first field of both */

	return (*mode & KCOV_MODE_USER) == 0 &&
	    !kcov_set_isattached(kd->kd_set);
}

/* Names the functions in the audit message, each choice once. */
static int
enable_done(struct op *op, int error)
{
	struct kcov_dev *kd = op->op_sc;
	const char *globs = kd->kd_set->kse_globs;

	if (kd->kd_isaudited || error != 0)
		return error;
	kd->kd_isaudited = 1;
	if (kd->kd_mode & KCOV_MODE_USER)
		globs = "user";
	else if (globs[0] == '\0')
		globs = "default";
	audit_probe(&kd->kd_audit, kcov_cdevsw.d_name, globs, "entry");
	return 0;
}

static int
kcov_enable(struct op *op)
{
	return op_later(op, do_enable, enable_done,
	    enable_islong(op->op_sc, op));
}

static int
kcov_enablethread(struct op *op)
{
	return op_later(op, do_enablethread, enable_done,
	    enable_islong(op->op_sc, op));
}

static int
kcov_setfuncs(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;

	kd->kd_isaudited = 0;
	return op_later(op, do_setfuncs, NULL, 0);
}

/* The kernel's lists of functions take seconds. */
static int
kcov_getprice(struct op *op)
{
	return op_later(op, do_getprice, NULL, 1);
}

/*
 * Functions of the kernel require the right to record them, since a search
 * through all of them takes a second.
 */
#define ROW(cmd, rights, in, fn, run) \
	{ \
		cmd, rights, (in), (in), fn, run, \
	}

const struct ioctl_desc kcov_ioctls[KCOV_NIOCTLS] = {
	ROW(KIOSETBUFSIZE, RIGHT_LIST, sizeof(uint64_t), NULL, do_setbufsize),
	{ KIOENABLE, RIGHT_LIST, WIRE_KCOV_ENABLE_MIN,
	    sizeof(struct wire_kcov_enable), kcov_enable, NULL },
	ROW(KIODISABLE, RIGHT_LIST, sizeof(struct wire_kcov_disable), NULL,
	    do_disable),
	ROW(KIOREMOTEATTACH, RIGHT_LIST, sizeof(struct kio_remote_attach), NULL,
	    do_remoteattach),
	ROW(KIOENABLETHREAD, RIGHT_LIST, sizeof(struct kio_thread),
	    kcov_enablethread, NULL),
	ROW(KIOSETFUNCS, RIGHT_TRACE_ALL, sizeof(struct kio_funcs),
	    kcov_setfuncs, NULL),
	ROW(KIOGETPRICE, RIGHT_TRACE_ALL, 0, kcov_getprice, NULL),
	ROW(KIOGETSTAT, RIGHT_LIST, 0, NULL, do_getstat),
	ROW(KIONOLIMIT, RIGHT_ADMIN, sizeof(int32_t), NULL, do_nolimit),
};
