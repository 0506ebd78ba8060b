/* SPDX-License-Identifier: ISC */
/*
 * struct dt, the handle, which the files of libdt share.  Only the file named
 * after a part accesses that part's fields.
 *
 * I: constant after dt_open(); r: only the reading thread (dt_next(),
 * dt_read()); own lock: the part has a mutex.  Lock order: probe, ksym or
 * names, ctl.  The locks of ledger and error are leaves.
 */
#ifndef LIB_HANDLE_H
#define LIB_HANDLE_H

#include <libdt.h>
#include "wire/wire.h"

#include "lib/agg.h"
#include "lib/ctl.h"
#include "lib/fail.h"
#include "lib/kcov.h"
#include "lib/ksym.h"
#include "lib/private_dtd.h"
#include "lib/probe.h"
#include "lib/run_end.h"
#include "lib/session_sums.h"
#include "lib/stream.h"
#include "lib/sym_cache.h"
#include "lib/tprof.h"

struct dt_device;

struct dt {
	const struct dt_device *h_device; /* [I] device of the session */
	struct dt_stream h_stream;	  /* [r] data socket, decoding */
	struct dt_tprof h_tprof;   /* [r] data of tprof, except tp_started */
	struct dt_kcov h_kcov;	   /* [own lock] records of kcov */
	struct dt_ctl h_ctl;	   /* [own lock] control socket */
	struct dt_probes h_probes; /* [own lock] descriptions of probes */
	struct dt_ksyms h_ksyms;   /* [own lock] the kernel's symbols */
	struct dt_names h_names;   /* [own lock] symbols of processes */
	struct dt_aggrows h_agg;   /* one thread at a time */
	struct dt_ends h_ends;	   /* [own lock] the last ledger */
	struct dt_session_sums h_sums; /* [own lock] sums over all sessions */
	struct dt_errtext h_err;       /* [own lock] message of dt_error() */
	struct dt_private h_private;   /* [I] the private dtd */
	unsigned int h_rights;	       /* [I] RIGHT_* */
	/* [I] version of the daemon */
	char h_release[sizeof(((struct wire_opened *)0)->wp_release)];
};

#endif /* LIB_HANDLE_H */
