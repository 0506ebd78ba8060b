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
#include "daemon/device/grace.h"
#include "daemon/kcov/kcov_funcs.h"
#include "daemon/kcov/kcov_softc.h"
#include "wire/kcov.h"

static void
call_run(void *arg)
{
	struct kcov_dev *kd = arg;

	kd->kd_queue.oq_error = kd->kd_fn(kd, kd->kd_queue.oq_call);
}

/* What the journal tells of it: the functions, each choice once. */
static void
call_audit(struct kcov_dev *kd)
{
	const char *globs = kd->kd_set->kse_globs;

	if (kd->kd_isaudited || kd->kd_queue.oq_error != 0 ||
	    (kd->kd_queue.oq_call->ic_cmd != KIOENABLE &&
		kd->kd_queue.oq_call->ic_cmd != KIOENABLETHREAD))
		return;
	kd->kd_isaudited = 1;
	if (kd->kd_mode & KCOV_MODE_USER)
		globs = "user";
	else if (globs[0] == '\0')
		globs = "default";
	audit_probe(&kd->kd_audit, kcov_cdevsw.d_name, globs, "entry");
}

static void
call_done(void *arg)
{
	struct kcov_dev *kd = arg;

	call_audit(kd);
	op_queue_done(&kd->kd_queue, kd->kd_queue.oq_error);
}

static int
do_setbufsize(struct kcov_dev *kd, struct ioctl_call *ic)
{
	uint64_t nentries;

	memcpy(&nentries, ic->ic_in, sizeof(nentries));
	return kd_init(kd, nentries, &ic->ic_reason);
}

static int
do_enable(struct kcov_dev *kd, struct ioctl_call *ic)
{
	struct wire_kcov_enable we;
	struct peer_thread th;
	int error;

	memcpy(&we, ic->ic_in, sizeof(we));
	error = peer_thread_own(&kd->kd_peer, we.we_tid, &th, &ic->ic_reason);
	if (error != 0)
		return error;
	pthread_mutex_lock(&kcov_mtx);
	error = kd_enable(kd, we.we_mode, &th, 0, &ic->ic_reason);
	pthread_mutex_unlock(&kcov_mtx);
	return error;
}

static int
do_enablethread(struct kcov_dev *kd, struct ioctl_call *ic)
{
	struct kio_thread kt;
	struct peer_thread th;
	int error;

	memcpy(&kt, ic->ic_in, sizeof(kt));
	error = peer_thread_other(&kd->kd_peer, kt.kt_tid, &th, &ic->ic_reason);
	if (error != 0)
		return error;
	pthread_mutex_lock(&kcov_mtx);
	error = kd_enable(kd, kt.kt_mode, &th, 1, &ic->ic_reason);
	pthread_mutex_unlock(&kcov_mtx);
	return error;
}

/* Who is not of the process is not the thread that enabled. */
static int
do_disable(struct kcov_dev *kd, struct ioctl_call *ic)
{
	struct wire_kcov_disable wd;
	struct peer_thread th = { 0 };
	int error, isatwork = 0;

	memcpy(&wd, ic->ic_in, sizeof(wd));
	(void)peer_thread_own(&kd->kd_peer, wd.wd_tid, &th, &ic->ic_reason);
	pthread_mutex_lock(&kcov_mtx);
	error = kd_disable(kd, &th, &isatwork, &ic->ic_reason);
	pthread_mutex_unlock(&kcov_mtx);
	if (isatwork)
		grace();
	return error;
}

static int
do_remoteattach(struct kcov_dev *kd, struct ioctl_call *ic)
{
	struct kio_remote_attach ra;
	int error;

	memcpy(&ra, ic->ic_in, sizeof(ra));
	pthread_mutex_lock(&kcov_mtx);
	error = kd_remote_attach(kd, &ra);
	pthread_mutex_unlock(&kcov_mtx);
	return error;
}

/* Globs of dt have a colon between a function and what it does. */
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

/* EBUSY it is enabled; EINVAL these are no globs. */
static int
do_setfuncs(struct kcov_dev *kd, struct ioctl_call *ic)
{
	struct kcov_set *ks = NULL;
	struct kio_funcs kf;
	int error;

	memcpy(&kf, ic->ic_in, sizeof(kf));
	pthread_mutex_lock(&kcov_mtx);
	kd_settle(kd);
	if (kd->kd_state == KCOV_STATE_TRACE)
		error = EBUSY;
	else if ((error = globs_check(&kf, &ic->ic_reason)) == 0 &&
	    (ks = kcov_set_get(kf.kf_globs)) == NULL)
		error = ENOMEM;
	if (error == 0) {
		kcov_set_put(kd->kd_set);
		kd->kd_set = ks;
	}
	pthread_mutex_unlock(&kcov_mtx);
	return error;
}

static int
do_getprice(struct kcov_dev *kd, struct ioctl_call *ic)
{
	struct kio_price kp = { 0 };
	int error;

	error = kcov_set_price(kd->kd_set->kse_globs, &kp, &ic->ic_reason);
	if (error != 0)
		return error;
	kp.kp_attached = kcov_set_isattached(kd->kd_set);
	memcpy(ic->ic_out, &kp, sizeof(kp));
	ic->ic_outlen = sizeof(kp);
	return 0;
}

static int
do_getstat(struct kcov_dev *kd, struct ioctl_call *ic)
{
	struct kio_stat ks = { 0 };
	const struct kcov_entry *kl;

	pthread_mutex_lock(&kcov_mtx);
	kd_settle(kd);
	if ((kl = kcov_line(kd->kd_slot)) != NULL) {
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
	memcpy(ic->ic_out, &ks, sizeof(ks));
	ic->ic_outlen = sizeof(ks);
	return 0;
}

static int
do_nolimit(struct kcov_dev *kd, struct ioctl_call *ic)
{
	int32_t on;

	memcpy(&on, ic->ic_in, sizeof(on));
	pthread_mutex_lock(&kcov_mtx);
	kd->kd_nolimit = on != 0;
	pthread_mutex_unlock(&kcov_mtx);
	return 0;
}

/*
 * Rows
 */

static const struct {
	uint32_t cmd;
	int (*fn)(struct kcov_dev *, struct ioctl_call *);
} calls[KCOV_NIOCTLS] = {
	{ KIOSETBUFSIZE, do_setbufsize },
	{ KIOENABLE, do_enable },
	{ KIODISABLE, do_disable },
	{ KIOREMOTEATTACH, do_remoteattach },
	{ KIOENABLETHREAD, do_enablethread },
	{ KIOSETFUNCS, do_setfuncs },
	{ KIOGETPRICE, do_getprice },
	{ KIOGETSTAT, do_getstat },
	{ KIONOLIMIT, do_nolimit },
};

/* Whether the kernel will take seconds: for its lists of functions, or to
 * attach.  Both ways of enabling begin with the mode. */
static int
is_long(const struct kcov_dev *kd, const struct ioctl_call *ic)
{
	int32_t mode;

	if (ic->ic_cmd == KIOGETPRICE)
		return 1;
	if (ic->ic_cmd != KIOENABLE && ic->ic_cmd != KIOENABLETHREAD)
		return 0;
	memcpy(&mode, ic->ic_in, sizeof(mode));
	return (mode & KCOV_MODE_USER) == 0 && !kcov_set_isattached(kd->kd_set);
}

static int
kcov_call(void *sc, struct ioctl_call *ic)
{
	struct kcov_dev *kd = sc;
	size_t i = 0;

	while (calls[i].cmd != ic->ic_cmd)
		i++;
	if (ic->ic_cmd == KIOSETFUNCS)
		kd->kd_isaudited = 0;
	kd->kd_fn = calls[i].fn;
	return op_queue_call(&kd->kd_queue, ic, call_run, call_done,
	    is_long(kd, ic));
}

/* Functions of the kernel are for who may record them: to look through all of
 * them takes a second. */
#define ROW(cmd, rights, in) \
	{ \
		cmd, rights, (in), (in), kcov_call, \
	}

const struct ioctl_desc kcov_ioctls[KCOV_NIOCTLS] = {
	ROW(KIOSETBUFSIZE, RIGHT_LIST, sizeof(uint64_t)),
	ROW(KIOENABLE, RIGHT_LIST, sizeof(struct wire_kcov_enable)),
	ROW(KIODISABLE, RIGHT_LIST, sizeof(struct wire_kcov_disable)),
	ROW(KIOREMOTEATTACH, RIGHT_LIST, sizeof(struct kio_remote_attach)),
	ROW(KIOENABLETHREAD, RIGHT_LIST, sizeof(struct kio_thread)),
	ROW(KIOSETFUNCS, RIGHT_TRACE_ALL, sizeof(struct kio_funcs)),
	ROW(KIOGETPRICE, RIGHT_TRACE_ALL, 0),
	ROW(KIOGETSTAT, RIGHT_LIST, 0),
	ROW(KIONOLIMIT, RIGHT_ADMIN, sizeof(int32_t)),
};
