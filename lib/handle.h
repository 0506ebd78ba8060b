/* SPDX-License-Identifier: ISC */
/*
 * struct dt, the handle: what the files of libdt share.  Each part belongs
 * to the file of its name, which alone looks inside.
 *
 * I: constant after dt_open(); r: only the thread that reads (dt_next,
 * dt_read); other letters name the lock that guards a part.  Locks are
 * taken in the order probe, ksym or names, ctl; those of ledger and error are
 * leaves.
 */
#ifndef LIB_HANDLE_H
#define LIB_HANDLE_H

#include <libdt.h>
#include "wire/wire.h"

#include "lib/child.h"
#include "lib/ctl.h"
#include "lib/fail.h"
#include "lib/kcov.h"
#include "lib/ksym.h"
#include "lib/ledger.h"
#include "lib/probe.h"
#include "lib/stream.h"
#include "lib/sums.h"
#include "lib/sym_cache.h"
#include "lib/tprof.h"

struct dt_device;

struct dt {
	const struct dt_device *h_device; /* [I] what it is an open of */
	struct dt_stream h_stream;	  /* [r] data socket, decoding */
	struct dt_tprof h_tprof;     /* [r] the same of tprof, but tp_started */
	struct dt_kcov h_kcov;	     /* [own lock] of kcov: its records */
	struct dt_ctl h_ctl;	     /* [own lock] control socket */
	struct dt_probes h_probes;   /* [own lock] what probes are called */
	struct dt_ksyms h_ksyms;     /* [own lock] the kernel's symbols */
	struct dt_names h_names;     /* [own lock] those of processes */
	struct dt_ends h_ends;	     /* [own lock] the last ledger */
	struct dt_asksums h_asksums; /* [own lock] sums over all opens */
	struct dt_errtext h_err;     /* [own lock] for dt_error() */
	struct dt_child h_child;     /* [I] the private dtd */
	unsigned int h_rights;	     /* [I] RIGHT_* */
	/* [I] the daemon's */
	char h_release[sizeof(((struct wire_opened *)0)->wp_release)];
};

#endif /* LIB_HANDLE_H */
