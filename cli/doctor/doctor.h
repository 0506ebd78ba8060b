/* SPDX-License-Identifier: ISC */
/*
 * dt doctor: what this machine and user can do, what is missing, and how to get
 * it.  A check is a row in the table of its section; each result is a line.
 * The trial (doctor_trial.h) runs first: if recording works, the checks report
 * facts and no warnings.
 */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/doctor/doctor_trial.h"
#include "cli/out/out.h"

#define DOCTOR_MAXCHECKS 64

/* State of the socket DTDEVNAME. */
enum doctor_service {
	SERVICE_NONE,	/* no socket */
	SERVICE_DEAD,	/* no process accepts connections */
	SERVICE_CLOSED, /* access denied to this user */
	SERVICE_THERE,
	SERVICE_FULL, /* exists, but refuses connections at the moment */
};

/* Modes of lockdown, in the kernel's order. */
enum doctor_lockdown {
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
	LOCKDOWN_UNKNOWN, /* not reported by the kernel, probably none */
};

/* Facts that the advice depends on. */
struct facts {
	uid_t fa_uid;
	uint64_t fa_caps;	 /* effective capabilities */
	int fa_userns, fa_pidns; /* 1: not the initial one */
	int fa_seccomp;		 /* 1: a filter is active */
	int fa_btf;		 /* 1: available */
	int fa_old;		 /* 1: kernel before 6.1 */
	int fa_dtdenv;		 /* 1: $DT_DTD is set */
	int fa_paranoid;	 /* kernel.perf_event_paranoid */
	enum doctor_lockdown fa_lockdown;
	enum doctor_service fa_service;
};

/* As <linux/capability.h> numbers them. */
#define DOCTOR_CAP(fa, cap) (((fa)->fa_caps >> (cap)) & 1)

struct doctor {
	struct facts do_facts;
	const struct trial *do_trial; /* has ended */
	int do_works;		      /* everything that was tried */
	struct out_check do_checks[DOCTOR_MAXCHECKS];
	size_t do_nchecks;
};

struct doctor_section;

struct doctor_check {
	const char *dc_name; /* stable: a key in JSON */
	void (*dc_fn)(struct doctor *, const struct doctor_check *);
	const char *dc_for; /* purpose, NULL: obvious */
};

/* Tables of the sections, terminated by zeros. */
extern const struct doctor_check doctor_daemon[];
extern const struct doctor_check doctor_user[];
extern const struct doctor_check doctor_kernel[];
extern const struct doctor_check doctor_provs[];
extern const struct doctor_check doctor_tried[];

/* Fills *fa. */
void doctor_facts(struct facts *fa);

/*
 * Adds a line.  advice: how to get what is missing, or NULL.  A warning of a
 * check becomes a fact if everything that was tried works.
 */
void doctor_add(struct doctor *, const struct doctor_check *, enum out_verdict,
    const char *advice, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/*
 * Reads the first line of a file without its newline.  Returns 0, or -1 with
 * errno.
 */
int doctor_read(const char *path, char *line, size_t size);

/*
 * Returns advice on a failure: errno of dt_open() (isopen 0), or of a request
 * on the session.  Never NULL.
 */
const char *doctor_advice(const struct facts *, int error, int isopen);

#endif /* CLI_DOCTOR_DOCTOR_H */
