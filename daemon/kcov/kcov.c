/* SPDX-License-Identifier: ISC */
/*
 * The kcov device: records the kernel functions that a thread enters, as a list
 * in memory that the client maps.  Ioctls and states follow the BSD original
 * (kcov_dev.c).  There, compiler instrumentation reports each basic block;
 * here, a program is attached to functions' entries (kcov_set.c,
 * bpf/kcov.bpf.c), which works on any kernel.  Userland programs record their
 * own coverage; for them the device has only states.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/device/session_slot.h"
#include "daemon/device/stream.h"
#include "daemon/kcov/kcov_softc.h"
#include "daemon/kernel/attach.h"

static unsigned char taken[KCOV_MAXOPEN];
static struct slots slots = { .slt_taken = taken, .slt_n = KCOV_MAXOPEN };

static int
kcov_init(void)
{
	int error;

	kcov_sums_init();
	if ((error = kcov_sets_init()) != 0)
		return error;
	return kcov_cost_limit_init();
}

/* Opens with the mode 0 only: EOPNOTSUPP. */
static int
kcov_open(struct op *op, const struct peer *pr, struct stream *st, void **scp)
{
	const struct wire_open *wo = op->op_arg;
	struct kcov_dev *kd;
	int error;

	if (wo->wo_mode != 0)
		return EOPNOTSUPP;
	if ((kd = calloc(1, sizeof(*kd))) == NULL)
		return ENOMEM;
	error = slot_take(&slots, pr->peer_person, &kd->kd_slot,
	    &op->op_reason);
	if (error != 0) {
		free(kd);
		return error;
	}
	kd->kd_peer = *pr;
	kd->kd_stream = st;
	kd->kd_buf = -1;
	pthread_mutex_lock(&kcov_mtx);
	if ((kd->kd_set = kcov_set_get("")) != NULL)
		TAILQ_INSERT_TAIL(&kcov_devs, kd, kd_entry);
	pthread_mutex_unlock(&kcov_mtx);
	if (kd->kd_set == NULL) {
		slot_give(&slots, pr->peer_person, kd->kd_slot);
		free(kd);
		return ENOMEM;
	}
	audit_open(&kd->kd_audit, pr);
	log_info("kcov %u: process %d of user %u", kd->kd_slot,
	    (int)pr->peer_pid, (unsigned)pr->peer_uid);
	*scp = kd;
	return 0;
}

static int
kcov_close_run(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;
	struct kcov_entry *kl;

	pthread_mutex_lock(&kcov_mtx);
	kd_close(kd);
	kcov_set_put(kd->kd_set);
	pthread_mutex_unlock(&kcov_mtx);
	kcov_buf_free(kd);
	/* no program uses the entry: clear it for the next session */
	if ((kl = kcov_row(kd->kd_slot)) != NULL)
		memset(kl, 0, sizeof(*kl));
	stream_free(kd->kd_stream);
	return 0;
}

static int
kcov_close_done(struct op *op, int error)
{
	struct kcov_dev *kd = op->op_sc;
	const struct audit_sums as = {
		.aus_fired = kd->kd_summed[SUM_FIRED],
		.aus_read = kd->kd_summed[SUM_READ],
		.aus_dropped = kd->kd_summed[SUM_DROPPED],
	};

	audit_close(&kd->kd_audit, &kd->kd_peer, kcov_cdevsw.d_name,
	    kd->kd_slot, &as);
	slot_give(&slots, kd->kd_peer.peer_person, kd->kd_slot);
	slots.slt_nclosing--;
	free(kd->kd_stopped);
	free(kd);
	return error;
}

static int
kcov_close(struct op *op)
{
	struct kcov_dev *kd = op->op_sc;

	atomic_store(&kd->kd_isclosing, 1);
	return op_later(op, kcov_close_run, kcov_close_done, 0);
}

static void
kcov_hangup(void *sc)
{
	struct kcov_dev *kd = sc;

	slots.slt_nclosing++;
	atomic_store(&kd->kd_cancel, 1);
	kcov_set_wake();
}

/* EINVAL: there is no memory yet. */
static int
kcov_mmap(void *sc, int *fdp, uint64_t *nbytes)
{
	const struct kcov_dev *kd = sc;

	if (kd->kd_buf == -1)
		return EINVAL;
	if ((*fdp = fcntl(kd->kd_buf, F_DUPFD_CLOEXEC, 0)) == -1)
		return errno;
	*nbytes = (uint64_t)kd->kd_nentries * KCOV_ENTRY_SIZE;
	return 0;
}

const struct cdevsw kcov_cdevsw = {
	.d_name = "kcov",
	.d_init = kcov_init,
	.d_open = kcov_open,
	.d_hangup = kcov_hangup,
	.d_close = kcov_close,
	.d_fini = attach_fini,
	.d_ioctls = kcov_ioctls,
	.d_nioctls = KCOV_NIOCTLS,
	.d_sums = kcov_sums,
	.d_mmap = kcov_mmap,
};
