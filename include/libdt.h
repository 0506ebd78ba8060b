/* SPDX-License-Identifier: ISC */
/*
 * libdt: the devices dt and tprof, from a program.
 *
 * A handle stands for an open of the device.  With the service running,
 * dt_open() connects to it; without, it starts a private dtd that serves
 * this handle alone and ends with it.  Probes are listed and enabled by
 * dt_ioctl(), events come by dt_next() (compact records, nothing copied) or
 * dt_read() (struct dt_evt, as read(2) of /dev/dt gives them).
 *
 *	struct dt *dt = dt_open(NULL, 0);
 *	struct dtioc_req rq = { .dtrq_pbn = pbn };
 *	struct dt_event ev;
 *	int on = 1;
 *
 *	dt_ioctl(dt, DTIOCPRBENABLE, &rq);
 *	dt_ioctl(dt, DTIOCRECORD, &on);
 *	while (dt_next(dt, &ev, -1) == 1)
 *		printf("%u\n", ev.ev_rec->dr_pid);
 *
 * Functions return -1 (or NULL) with errno set when they fail, print nothing
 * and never end the process.  A handle may be used by several threads: any of
 * them may ask at any time, while one of them reads.  dt_next() and dt_read()
 * are for one thread at a time and take no lock: a record lives until the
 * next read, so two readers need a lock of their own around both.  The
 * strings and records that a function returns live until the next call named
 * in its comment.
 */
#ifndef LIBDT_H
#define LIBDT_H

#include <stdint.h>
#include <sys/types.h>

#include <dev/dt/dtvar.h>
#include <dev/tprof/tprof_ioctl.h>
#include <sys/kcov.h>
#include "evt.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dt;

/* Flags of dt_open() */
#define DT_OPEN_PRIVATE 0x1 /* always a private dtd, never the service */
#define DT_OPEN_SERVICE 0x2 /* never a private dtd */
#define DT_OPEN_ORDERED \
	0x4		    /* dt_next, dt_read give events in the order
				   of their time, a few milliseconds late */
#define DT_OPEN_VERBOSE 0x8 /* a private dtd says what it does on stderr */
#define DT_OPEN_LOWWATER \
	0x10 /* events come at once, as without ORDERED, and
		dt_lowwater() tells how far all CPUs are */

/*
 * Opens a device.  path: its socket, NULL for DTDEVNAME; TPROFDEVNAME is that
 * of tprof, and so is every path whose last part is tprof.  Only when nobody
 * listens there (ENOENT, ECONNREFUSED) a private dtd is started: $DT_DTD,
 * else the one beside the executable, else the installed one.  After a
 * refusal it never is.
 * Errors: EPERM (the daemon refuses: allowdt=no, or another user namespace
 * than told), EMFILE (the daemon has no open or descriptor left), ENFILE,
 * ENOMEM (it lacks what the errno tells), EPROTONOSUPPORT (it speaks another
 * version), ENOENT (no service and no dtd was found), ECHILD (the private dtd
 * ended at once), EPIPE (the daemon hung up), EPROTO (its reply makes no
 * sense), EINVAL (flags), ENAMETOOLONG (path), those of socket(2), connect(2),
 * fork(2), execve(2).  Of tprof also: EBUSY (somebody has it open), EPERM (the
 * right PROFILE lacks).
 * Semantics: open(2) of dt(4), tprof(4).
 */
struct dt *dt_open(const char *path, int flags);

/* Ends recording and closes; what was not read counts as dropped.  NULL is
 * fine.  A private dtd has ended when this returns.  No other thread may be
 * in a function of this handle, dt_next() included. */
void dt_close(struct dt *dt);

/*
 * Maps the memory of kcov, shared: nbytes from offset on, for PROT_READ and
 * PROT_WRITE as mmap(2).  NULL: EINVAL there is none yet (KIOSETBUFSIZE),
 * nbytes is 0, offset is not of a page, or not all pages begin before the last
 * entry (as in the seed: one entry, or 512 and one, cannot be mapped whole);
 * ENODEV another device; those of mmap(2).  munmap(2) ends it, dt_close() does
 * not.
 */
void *dt_mmap(struct dt *dt, size_t nbytes, int prot, off_t offset);

/* A new close-on-exec descriptor of that memory, to be mapped by another
 * process, or -1; *nentries (unless NULL): how many of KCOV_ENTRY_SIZE. */
int dt_mmap_fd(struct dt *dt, size_t *nentries);

/* The descriptor to poll(2) for POLLIN; dt_next and dt_read read from it.
 * Records may be buffered in the handle: poll only after dt_next() gave 0, or
 * dt_read() ETIMEDOUT. */
int dt_fd(const struct dt *dt);

/* A sentence about the last failure of this handle (or, with NULL, of
 * dt_open() in this thread) that tells more than errno, never NULL.  It lives
 * until the thread's next dt_error(). */
const char *dt_error(const struct dt *dt);

/* RIGHT_* bits (dev/dt/dtvar.h) that the daemon gave to this client. */
unsigned int dt_rights(const struct dt *dt);

/* 1 if a private dtd serves this handle, else 0. */
int dt_is_private(const struct dt *dt);

/* The release of the daemon as it tells it, "0.1"; lives until dt_close().
 * It is the daemon's text: escape it before it gets onto a terminal. */
const char *dt_release(const struct dt *dt);

/*
 * The program that dt_open() starts as a private dtd, whether it is there or
 * not: fills path (NUL terminated) and returns 0, or -1 with ENAMETOOLONG.
 */
int dt_daemon_path(char *path, size_t size);

/*
 * Carries out a command of dev/dt/dtvar.h; arg is a pointer to the struct
 * of its number.  Semantics and errors: ioctl(2) of dt(4):
 *
 *  DTIOCGPLIST	all probes, ascending by number.  dtpr_size in: bytes of the
 *		array, 0 to ask for the size; out: bytes of all.  ENOSPC: the
 *		array was too small, what fits was written; EFAULT.
 *  DTIOCGARGS	types of a probe's arguments.  EINVAL: no such probe; ENOSPC;
 *		EFAULT.
 *  DTIOCGSTATS, DTIOCGSTATS_V1 sums of the ledger, four or two of them.
 *  DTIOCRECORD	1 starts: EBUSY already recording, ENOENT nothing is enabled;
 *		0 stops: never fails; events that were not read stay readable.
 *  DTIOCPRBENABLE enables a probe for this open.  ENOENT no such probe, EPERM
 *		the right for this provider lacks, EEXIST it is enabled, EBUSY
 *		recording, EINVAL period out of 200 us to 2^32-1 s, ENOMEM; the
 *		kernel's own errno where it refuses the provider's programs.
 *  DTIOCPRBENABLE_V1 the same with the filter and rate of the older
 *		interface.  EINVAL, first of all: no such filter; EOPNOTSUPP: a
 *		clock's rate is 0 or above 100 Hz.
 *  DTIOCPRBDISABLE, DTIOCPRBDISABLE_V1 forgets it, also while recording: ENOENT not enabled.
 *  DTIOCGETAUXBASE base address of a process' ld.so: ESRCH, EACCES.
 *  DTIOCSELF	1: record also dtd and its clients.  EBUSY while recording.
 *  DTIOCLOOKUP	the probes that a glob matches; as DTIOCGPLIST.
 *  DTIOCSFILTER the open's filter.  EINVAL unknown bits, EBUSY recording.
 *  DTIOCSBUDGET bytes of all rings.  EINVAL, EBUSY once rings exist.
 *  DTIOCSMAXBUDGET bytes to which rings may grow.  EINVAL, EBUSY likewise.
 *  DTIOCGFULLSTAT the whole ledger.
 *  DTIOCGPROVS	the providers and whether they work here.
 *  DTIOCSYM	names of addresses.  dtsy_size 0 asks for the size.  ENOSPC;
 *		EINVAL no address, or a buffer that is not aligned for struct
 *		dtioc_frame; EPERM.
 *  DTIOCGARGNAMES names of arguments; as DTIOCGARGS.
 *  DTIOCSPAIR	two enabled probes become one event.  ENOENT one is not enabled,
 *		EBUSY recording, EEXIST one is in a pair, EINVAL they make none,
 *		ENOSPC too many.
 *  DTIOCSPATH	the open's filter by path.  EINVAL no NUL, or no '/' at its
 *		begin; EBUSY while recording.
 *  DTIOCSCONDITION what a hit of an enabled probe has to fulfil.  ENOENT it is
 *		not enabled, EBUSY recording, EINVAL not a condition (dt_error()
 *		says why), ENOSPC there are too many different ones.
 *  DTIOCGMAPS	code that a process had mapped.  dtms_size 0 asks for the size.
 *		ESRCH not known; ENOSPC; EINVAL as DTIOCSYM; EPERM.
 *  DTIOCSYMFILE names of a file's code; as DTIOCSYM.  EINVAL the path is not
 *		absolute.
 *  DTIOCNOLIMIT 1: never stopped for what it costs.  EBUSY while recording.
 *  DTIOCGSUMS	dt_sums_open().
 *
 * Every command: ENOTTY unknown (tested first), EPERM the right lacks,
 * EFAULT arg or an array is NULL, EIO or EPIPE the daemon is gone, EPROTO its
 * reply makes no sense.  Never EINTR: a call that a signal interrupts goes on.
 */
int dt_ioctl(struct dt *dt, unsigned long cmd, void *arg);

/* A record and what its sections say; absent ones are NULL or 0. */
struct dt_event {
	const struct dt_rec *ev_rec;
	unsigned int ev_cpu;
	unsigned int ev_nargs; /* entries of ev_args */
	const uint64_t *ev_args;
	const struct dt_rec_ret *ev_ret;
	const char *ev_comm; /* NUL terminated */
	const struct dt_rec_who *ev_who;
	const struct dt_rec_stack *ev_kstack; /* its pcs: DT_STACK_PCS() */
	const struct dt_rec_stack *ev_ustack;
	const struct dt_rec_strings *ev_strings;
	/* of the second of a pair (DTIOCSPAIR): ns since the first, and the
	 * number of that probe, whose arguments ev_args are */
	const uint64_t *ev_duration;
	uint32_t ev_first;
	/* dr_time as CLOCK_REALTIME was then, also if it was set since; for
	 * a tenth of a second (mostly a millisecond) after that, as before */
	struct timespec ev_realtime;
};

#define DT_STACK_PCS(st) ((const uint64_t *)((st) + 1))

/*
 * What the arguments of an event point to, one after the other: the first
 * with NULL, then the one behind.  NULL: there is no (other) one.  Its bytes,
 * drt_length of them and without a NUL, are at DT_STRING_BYTES(); it lives as
 * long as the event.
 */
const struct dt_rec_string *
dt_string(const struct dt_event *ev, const struct dt_rec_string *before);

/* The thread of the first hit of a pair that was made with DTPA_FIRST, or NULL.
 * Lives as long as the event. */
const struct dt_rec_first *dt_first(const struct dt_event *ev);

#define DT_STRING_BYTES(s) ((const char *)((s) + 1))

/*
 * The next record.  timeout: milliseconds, -1 waits without end, 0 does not
 * wait.  Returns 1: *ev is filled, its pointers live until the next call of
 * dt_next, dt_read or dt_close; 0: nothing within the time; -1: errno EINTR
 * (a signal came while waiting), ENODATA (recording was stopped, maybe by the
 * daemon, see dt_note(), and all has been read; once; dt_ledger() is final
 * now), EPIPE (the daemon is gone),
 * EPROTO (the stream makes no sense), ENOMEM.  The first record of a probe
 * that no list has told yet asks the daemon for it, as dt_ioctl() does.
 *
 * With DT_OPEN_ORDERED records are kept until all older ones have come, in at
 * most 64 MB of memory; beyond that the older half is delivered at once.  A
 * record that comes after younger ones were delivered is delivered at once
 * and counted, see dt_late().
 */
int dt_next(struct dt *dt, struct dt_event *ev, int timeout);

/*
 * As read(2) of /dev/dt: fills buf with whole struct dt_evt, as many as are
 * there and fit, at least one.  Returns bytes; 0 once when recording was
 * stopped and all is read; -1: EMSGSIZE nbytes is less than one event, EINTR,
 * ETIMEDOUT nothing came within timeout (as above), EPIPE, EPROTO.
 */
ssize_t dt_read(struct dt *dt, void *buf, size_t nbytes, int timeout);

/*
 * Of an open of tprof: dt_read() is read(2) of /dev/tprof, a stream of
 * tprof_sample_t that may cut one.  It waits until nbytes are there, or all
 * that was sampled has been read, and then gives what there is; 0: nothing
 * runs, and nothing is left.  When the time is over or a signal comes it gives
 * what it has, or fails as above.  dt_ioctl() takes the commands of
 * dev/tprof/tprof_ioctl.h; dt_next() and what is about events is not for it.
 *
 * dt_tprof_next() gives samples one by one, with their times.  1: *ts is
 * filled; 0: nothing within the time; -1: ENODATA, all has been read; EINTR,
 * EPIPE, EPROTO, ENOMEM.  Who uses both finds the rest of a cut sample in
 * dt_read() only.
 *
 * Where it is ENODATA (or dt_read() 0) and TPROF_IOC_STOP was not asked for,
 * dt_note() tells why: samples cost too much, or dtd ends.  Also of an open
 * that only counts: its counts stay as they were.
 */
struct dt_tprof_sample {
	tprof_sample_t ts_sample;
	uint64_t ts_time; /* CLOCK_MONOTONIC, ns */
};

int dt_tprof_next(struct dt *dt, struct dt_tprof_sample *ts, int timeout);

/* The ledger as the END block told it.  Returns 0, or -1 with EAGAIN while
 * no END has been read since the last DTIOCRECORD 1. */
int dt_ledger(const struct dt *dt, struct dt_ledger *ledger);

/*
 * Why the daemon stopped this run by itself, since tracing cost more of the
 * machine than it may: a sentence for people, which names the probe.  NULL
 * while there is nothing to tell; as dt_ledger(), known when dt_next() has
 * given ENODATA (or dt_read() 0), and forgotten with the next DTIOCRECORD 1,
 * until when the string lives.  A run that was stopped so has
 * DT_LEDGER_STOPPED in the flags of its ledger.  DTIOCRECORD 0 behind it
 * succeeds, and DTIOCRECORD 1 starts again; DTIOCNOLIMIT before that lifts
 * the limit.
 */
const char *dt_note(const struct dt *dt);

/*
 * Sums over all opens, those that are gone included, and what the daemon has
 * just now: struct dtioc_sum of dev/dt/dtvar.h.  Asks for a socket of its own,
 * where any number of dt_sums_read() are answered, whatever else the daemon has
 * to do.  Asking for it again is fine.  Returns 0, or -1: EPERM (the right
 * STATS), EMFILE (too many ask), EBUSY (this open has one, through another
 * handle), those of dt_ioctl().
 */
int dt_sums_open(struct dt *dt);

/*
 * Fills list with at most n sums (DTSM_MAX are enough) and returns how many there
 * are.  timeout as dt_next().  The sums are of the time of the call.  -1: EBADF
 * (no dt_sums_open() has succeeded), ENOSPC (there are more; n are filled),
 * ETIMEDOUT, EPIPE (the daemon is gone), EPROTO (its answer makes no sense).
 */
int dt_sums_read(struct dt *dt, struct dtioc_sum *list, size_t n, int timeout);

/* With DT_OPEN_LOWWATER, for the thread that reads: all records whose dr_time
 * is less have been delivered by dt_next(), as far as the daemon can tell, so
 * whoever keeps records to sort them may let those go.  0: none is known. */
uint64_t dt_lowwater(const struct dt *dt);

/* Records that were delivered after younger ones (DT_OPEN_ORDERED only). */
uint64_t dt_late(const struct dt *dt);

/*
 * Names the sections of a record that has nbytes or less, and is aligned to
 * 8.  nargs: how many arguments its probe declares.  Neither the CPU nor the
 * clock is in a record: ev_cpu and ev_realtime become 0.  Returns 0, or -1
 * with EBADMSG when the record contradicts itself or is of another kind than
 * DT_REC_EVENT (EINVAL: not aligned); then *ev is as it was.  Nothing outside
 * of nbytes is ever touched.
 */
int dt_decode(const void *rec, size_t nbytes, unsigned int nargs,
    struct dt_event *ev);

/* Fills a struct dt_evt from a decoded record. */
void dt_widen(const struct dt_event *ev, struct dt_evt *evt);

/* What dt_probe() tells of a probe; owned by the handle, until dt_close. */
struct dt_probe_desc {
	struct dtioc_probe_info pd_info;
	struct dtioc_arg_info pd_types[DT_REC_NARGS];
	struct dtioc_argname_info pd_names[DT_REC_NARGS];
};

/* The description of a probe by number (asked once, then remembered), or
 * NULL with errno ENOENT, or as dt_ioctl(). */
const struct dt_probe_desc *dt_probe(struct dt *dt, uint32_t pbn);

/* All probes that a glob PROVIDER:FUNC:NAME matches.  Missing parts count as
 * "*" ("syscall:openat" means both its probes).  Returns their number and an
 * array for free(3), or -1 with errno: ENOENT there is none, ENAMETOOLONG, as
 * dt_ioctl(). */
ssize_t
dt_lookup(struct dt *dt, const char *pattern, struct dtioc_probe_info **infop);

/*
 * The kernel's name of an address: func and its offset, remembered by the
 * handle.  Returns the name, or NULL if there is none (ENOENT) or this client
 * may not know it (EPERM).  The string lives until dt_close().  offset may be
 * NULL.
 */
const char *dt_ksym(struct dt *dt, uint64_t pc, uint64_t *offset);

/* Names for many kernel addresses at once, so that dt_ksym() of each answers
 * from memory.  Returns 0 or -1. */
int dt_ksym_prefetch(struct dt *dt, const uint64_t *pcs, size_t npcs);

/* A function at an address, or why none is known there. */
struct dt_frame {
	size_t df_pc;	       /* index of the address asked for */
	const char *df_func;   /* demangled; NULL: unknown, see df_why */
	uint64_t df_offset;    /* of the address: in the function if there is
				* one, else in the file */
	const char *df_module; /* path of the file as the process saw it,
				* "[vdso]", kernel module; NULL: none */
	const uint8_t *df_buildid; /* of the file; NULL: not known */
	unsigned int df_buildidlen;
	const char *df_file; /* source; NULL: unknown, or not asked */
	unsigned int df_line;
	int df_inlined;	     /* into the next frame of this address */
	unsigned int df_why; /* DTFR_* of dev/dt/dtvar.h */
	int df_error;	     /* the errno behind that, or 0 */
	uint64_t df_fileoff; /* of the address in the file */
};

struct dt_frames {
	size_t df_n;
	const struct dt_frame *df_frames; /* ascending by df_pc, of one
					   * address innermost first */
};

#define DT_SYM_LINES 0x1 /* source and line, and what was inlined */

/*
 * Names addresses of one process as they were at a time: nsecs is dr_time of
 * the record they come from (CLOCK_MONOTONIC, ns), or 0: now.  pid 0: those of
 * the kernel.  Each address gets one frame at least.  What was asked once is
 * remembered by the handle, in at most some 64 MB, for all times when the
 * process had the same code there; an address is cheapest when it is asked
 * for together with others of its process.
 *
 * Return addresses: the frames of a stack behind its first are the
 * instructions that come next.  Ask for them less 1, so that a call at the end
 * of a function is not taken for the one behind it.
 *
 * Who is followed: processes are, from the RECORD 1 of any open that records
 * user stacks, or the first question, until that open is closed.  What was
 * mapped and gone before is not known.
 *
 * Returns 0 and fills *frames, to be freed by dt_frames_free(), which also
 * ends the life of its strings; dt_close() does not.  An address that has no
 * name is no failure: df_why tells.  -1: EINVAL flags, or pid is negative;
 * EFAULT; EPERM the right lacks, or, with pid 0, the kernel hides its addresses
 * (dt_error() says which setting does); ENOMEM; EIO, EPIPE, EPROTO as
 * dt_ioctl().  Semantics: DTIOCSYM of dt(4).
 */
int dt_symbolize(struct dt *dt, pid_t pid, uint64_t nsecs, const uint64_t *pcs,
    size_t npcs, unsigned int flags, struct dt_frames *frames);

/* NULL, and what no function has filled but is 0, are fine. */
void dt_frames_free(struct dt_frames *frames);

/* Code that a process has mapped. */
struct dt_mapping {
	uint64_t dm_start;
	uint64_t dm_end;
	uint64_t dm_offset;	   /* of start in the file */
	uint64_t dm_fileid;	   /* of the daemon's; not used for another */
	unsigned int dm_kind;	   /* DTMP_* of dev/dt/dtvar.h */
	const char *dm_path;	   /* as the process saw it */
	const uint8_t *dm_buildid; /* NULL: not known */
	unsigned int dm_buildidlen;
};

/* dm_from to dm_until: it was so then; dm_gen differs when its code does. */
struct dt_mappings {
	size_t dm_n;
	const struct dt_mapping *dm_maps; /* ascending */
	uint64_t dm_from;
	uint64_t dm_until;
	uint64_t dm_gen;
};

/*
 * All code that a process had mapped at a time, as in dt_symbolize().  Returns
 * 0, and *maps is to be freed by dt_mappings_free(); -1: ESRCH the process is not
 * known, or was not then; EINVAL pid is not positive; EPERM not this client's
 * to know; ENOMEM; as dt_ioctl().
 */
int
dt_mappings(struct dt *dt, pid_t pid, uint64_t nsecs, struct dt_mappings *maps);
void dt_mappings_free(struct dt_mappings *maps);

/*
 * Names by offsets in a file, whoever runs it, as a recording has them: path
 * is absolute, and buildid, if len is not 0, what the file must have: if it
 * has not, its debug file is looked for, and else frames come with DTFR_OTHER.
 * Nothing is remembered: ask for many at once.  The daemon opens the file, so
 * this is for the client of a private daemon, and for who has the right ADMIN.
 * Returns as dt_symbolize(), and EINVAL path is not absolute or too long.
 */
int dt_symbolize_file(struct dt *dt, const char *path, const uint8_t *buildid,
    unsigned int len, const uint64_t *offsets, size_t n, unsigned int flags,
    struct dt_frames *frames);

#ifdef __cplusplus
}
#endif

#endif /* LIBDT_H */
