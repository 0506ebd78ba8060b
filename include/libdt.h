/* SPDX-License-Identifier: ISC */
/*
 * libdt: access to the devices dt, tprof and kcov of dtd.
 *
 * A handle represents one session of a device.  If the service runs, dt_open()
 * connects to it; otherwise it starts a private dtd, which serves this handle
 * alone and exits with it.  dt_ioctl() lists and enables probes.  dt_next()
 * returns events as compact records without copying, dt_read() as struct
 * dt_evt, like read(2) of /dev/dt.
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
 * On failure, functions return -1 (or NULL) and set errno.  They never print
 * or end the process.  Several threads may use a handle: any thread may send
 * commands while one thread reads.  dt_next() and dt_read() take no lock and
 * are for one thread at a time; since a record is valid until the next read,
 * readers that share a handle need a lock around both.  Strings and records
 * that a function returns are valid until the next call of the functions in
 * its comment.
 */
#ifndef LIBDT_H
#define LIBDT_H

#include <stdint.h>
#include <sys/types.h>

#include <dev/dt/dtvar.h>
#include <dev/tprof/tprof_ioctl.h>
#include <sys/kcov.h>
#include <dt/evt.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dt;

/* Flags of dt_open() */
#define DT_OPEN_PRIVATE 0x1 /* always start a private dtd */
#define DT_OPEN_SERVICE 0x2 /* never start a private dtd */
#define DT_OPEN_ORDERED \
	0x4		    /* dt_next, dt_read return events in the order
				   of their time, a few milliseconds late */
#define DT_OPEN_VERBOSE 0x8 /* a private dtd logs its actions to stderr */
#define DT_OPEN_LOWWATER \
	0x10 /* events are returned at once, as without ORDERED;
		dt_lowwater() returns how far all CPUs are */
#define DT_OPEN_BATCHED \
	0x20 /* events arrive in batches, up to 50 ms late, which takes dtd
		and the client less CPU time; an older dtd sends them at once */

/*
 * Opens a device.  path is its socket, NULL for DTDEVNAME; paths whose last
 * part is tprof or kcov are those devices.  Only if no service listens there
 * (ENOENT, ECONNREFUSED), a private dtd is started: $DT_DTD, else the one in
 * the folder of the executable, else the installed one.  A refusal by the
 * service never starts a private dtd.
 * Errors: EPERM (the daemon refuses: allowdt=no, or namespaces that are not the
 * client's), EMFILE (the daemon has no session or descriptor left), ENFILE,
 * ENOMEM (the daemon is out of these), EPROTONOSUPPORT (the daemon has another
 * version of the protocol), ENOENT (no service, and no dtd found), ECHILD (the
 * private dtd exited at once), EPIPE (the daemon closed the connection), EPROTO
 * (its reply is invalid), EINVAL (flags), ENAMETOOLONG (path), errors of
 * socket(2), connect(2), fork(2), execve(2).  For tprof also: EBUSY (it is
 * open), EPERM (without the right PROFILE).
 * Semantics: open(2) of dt(4), tprof(4), kcov(4).
 */
struct dt *dt_open(const char *path, int flags);

/* Stops recording and closes the handle; unread events count as dropped.  NULL
 * is permitted.  A private dtd has exited when this returns.  No other thread
 * may be in a function of this handle, including dt_next(). */
void dt_close(struct dt *dt);

/*
 * Maps the memory of kcov, shared: nbytes from offset on, for PROT_READ and
 * PROT_WRITE as mmap(2).  Returns NULL on failure: EINVAL (no memory yet, see
 * KIOSETBUFSIZE; nbytes is 0; offset is not a multiple of the page size; or a
 * page does not begin before the last entry: as on OpenBSD, an array of one
 * entry, or of 512 and one, cannot be mapped whole), ENODEV (another device),
 * errors of mmap(2).  The mapping ends by munmap(2), and outlives dt_close().
 */
void *dt_mmap(struct dt *dt, size_t nbytes, int prot, off_t offset);

/* Returns a new close-on-exec descriptor of that memory, for a mapping in
 * another process, or -1.  Stores the number of entries of KCOV_ENTRY_SIZE in
 * *nentries unless that is NULL. */
int dt_mmap_fd(struct dt *dt, size_t *nentries);

/* Returns the descriptor to poll(2) for POLLIN; dt_next and dt_read read from
 * it.  The handle may have buffered records: poll only after dt_next() has
 * returned 0, or dt_read() has failed with ETIMEDOUT. */
int dt_fd(const struct dt *dt);

/* Returns a sentence with details about the last failure of this handle or,
 * with NULL, of dt_open() in this thread; never NULL.  The string is valid
 * until the thread's next dt_error(). */
const char *dt_error(const struct dt *dt);

/* Returns the RIGHT_* bits (dev/dt/dtvar.h) that the daemon grants. */
unsigned int dt_rights(const struct dt *dt);

/* Returns 1 if a private dtd serves this handle, else 0. */
int dt_is_private(const struct dt *dt);

/* Returns the release of the daemon, "0.1"; valid until dt_close().  The daemon
 * supplies this text: escape it before printing it to a terminal. */
const char *dt_release(const struct dt *dt);

/*
 * Fills path with the program that dt_open() would start as a private dtd,
 * whether that exists or not (NUL terminated), and returns 0, or -1 with
 * ENAMETOOLONG.
 */
int dt_daemon_path(char *path, size_t size);

/*
 * Carries out a command of dev/dt/dtvar.h; arg points to the struct of its
 * number.  Semantics and errors: ioctl(2) of dt(4):
 *
 *  DTIOCGPLIST	lists all probes, ascending by number.  dtpr_size in: bytes of
 *		the array, 0 to query the size; out: bytes of the whole list.
 *		ENOSPC: the array is too small, entries that fit were written;
 *		EFAULT.
 *  DTIOCGARGS	lists the types of a probe's arguments.  EINVAL: no such probe;
 *		ENOSPC; EFAULT.
 *  DTIOCGSTATS, DTIOCGSTATS_V1 return four or two sums of the ledger.
 *  DTIOCRECORD	1 starts: EBUSY already recording, ENOENT no probe is enabled;
 *		0 stops: never fails; unread events remain readable.
 *  DTIOCPRBENABLE enables a probe.  ENOENT no such probe, EPERM without the
 *		right for its provider, EEXIST already enabled, EBUSY recording,
 *		EMFILE too many probes, EINVAL period not in 200 us to 2^32-1 s,
 *		ENOMEM; the kernel's errno if it refuses the programs.
 *  DTIOCPRBENABLE_V1 the same with the filter and rate of the older
 *		interface.  EINVAL, before all others: no such filter;
 *		EOPNOTSUPP: the rate of a clock is 0 or above 100 Hz.
 *  DTIOCPRBDISABLE, DTIOCPRBDISABLE_V1 disable a probe, also while recording.
 *		ENOENT not enabled.
 *  DTIOCRDVNODE opens the file that a process has mapped at an address.  ESRCH,
 *		ENOENT no code of a file there, ESTALE, EACCES the client may not
 *		read it, EAGAIN, EMFILE.
 *  DTIOCGETAUXBASE returns the base address of ld.so in a process.  ESRCH,
 *		EOPNOTSUPP, from a private dtd EACCES.
 *  DTIOCSELF	1: also record dtd and its clients.  EBUSY recording.
 *  DTIOCLOOKUP	lists the probes that match a glob; as DTIOCGPLIST.
 *  DTIOCSFILTER sets the filter.  EINVAL unknown bits, EBUSY recording.
 *  DTIOCSBUDGET sets the bytes of all rings.  EINVAL, EBUSY the rings exist.
 *  DTIOCSMAXBUDGET sets the bytes up to which rings grow.  EINVAL, EBUSY
 *		likewise.
 *  DTIOCGFULLSTAT returns the whole ledger and further statistics.
 *  DTIOCGPROVS	lists the providers and whether they are available.
 *  DTIOCSYM	resolves addresses.  dtsy_size 0 queries the size.  ENOSPC;
 *		EINVAL no address, or a buffer that is not aligned for struct
 *		dtioc_frame; EPERM.
 *  DTIOCGARGNAMES lists the names of arguments; as DTIOCGARGS.
 *  DTIOCSPAIR	joins two enabled probes to one event.  ENOENT one is not
 *		enabled, EBUSY recording, EEXIST one is in a pair, EINVAL they
 *		cannot be a pair, ENOSPC too many.
 *  DTIOCSPATH	sets the filter by path.  EINVAL no NUL, or no '/' at the
 *		start; EBUSY recording.
 *  DTIOCSCONDITION sets the condition of an enabled probe.  ENOENT not enabled,
 *		EBUSY recording, EINVAL not a condition (dt_error() returns the
 *		reason), ENOSPC too many different conditions.
 *  DTIOCSREADS	sets the memory that is read at hits of an enabled probe.  ENOENT
 *		not enabled, EBUSY recording, EINVAL not a read of this probe
 *		(dt_error() returns the reason), ENOSPC too many different ones.
 *  DTIOCGMAPS	lists the code that a process had mapped.  dtms_size 0 queries
 *		the size.  ESRCH unknown process; ENOSPC; EINVAL as DTIOCSYM;
 *		EPERM.
 *  DTIOCFILE	announces a program, whose probes can be looked up then;
 *		dt_lookup() does so.  EBADF it is not open for reading, EINVAL
 *		not a regular file, ENOSPC too many.
 *  DTIOCSYMFILE resolves offsets in a file; as DTIOCSYM.  EINVAL the path is
 *		not absolute.
 *  DTIOCGSTACK	returns the frames of a user stack with DT_STACK_COPIED, by
 *		unwind tables.  EAGAIN: they are not found yet; the daemon gives
 *		up after a second, and then returns those that it found.  ENOENT:
 *		no such copy: it was fetched before, or dropped, since a session
 *		keeps a limited number.
 *  DTIOCSAGG	counts hits of an enabled probe by key, in place of events.
 *		ENOENT not enabled, EBUSY recording, EEXIST it counts already,
 *		EINVAL not an aggregation of this probe (dt_error() returns the
 *		reason), ENOSPC too many different ones, ENOMEM a limit.
 *  DTIOCGPENDING returns how many first hits of pairs wait.
 *  DTIOCAGGSNAP begins a snapshot of the counts.  ENOENT no probe counts, EBUSY
 *		rows of the last snapshot are left.
 *  DTIOCGAGG	returns further rows of the snapshot; see dt_agg_next().  ENOENT,
 *		ENOSPC the array is too small, EFAULT.
 *  DTIOCPASS	requests low water, see dt_passed() and dt_lowwater().  EINVAL
 *		the handle has neither DT_OPEN_ORDERED nor DT_OPEN_LOWWATER.
 *  DTIOCTHREADS takes a snapshot of threads.  EINVAL too many processes or
 *		names, E2BIG, EACCES the kernel refuses the program.
 *  DTIOCGTHREADS returns further threads of it.  ENOSPC the buffer is too small,
 *		EINVAL it is not aligned, EFAULT.
 *  DTIOCNOLIMIT 1: lifts the cost limit.  EBUSY recording.
 *  DTIOCGSTALL	returns the longest delays of the daemon's threads.
 *  DTIOCGSUMS	use dt_sums_open().
 *  DTIOCGKSYMS	open /dev/ksyms of dt/compat.h.
 *  DTIOCSREADS	sets what memory hits of a probe read.  ENOENT the probe is not
 *		enabled, EBUSY recording, EINVAL (dt_error() returns the reason),
 *		ENOSPC too many different ones.
 *  DTIOCGADDR	returns the address of a symbol.  ENOENT, EINVAL, EPERM the
 *		kernel hides its addresses, EAGAIN.
 *
 * Every command: ENOTTY unknown (checked first), EPERM without the right,
 * EFAULT arg or an array is NULL, EIO or EPIPE the daemon has exited, EPROTO
 * its reply is invalid.  Never EINTR: an interrupted call continues.
 */
int dt_ioctl(struct dt *dt, unsigned long cmd, void *arg);

/* A record and pointers to its sections; missing sections are NULL or 0. */
struct dt_event {
	const struct dt_rec *ev_rec;
	unsigned int ev_cpu;
	unsigned int ev_nargs; /* entries of ev_args */
	const uint64_t *ev_args;
	const struct dt_rec_ret *ev_ret;
	const char *ev_comm; /* NUL terminated */
	const struct dt_rec_who *ev_who;
	const struct dt_rec_stack *ev_kstack; /* frames: DT_STACK_PCS() */
	const struct dt_rec_stack *ev_ustack;
	const struct dt_rec_strings *ev_strings;
	/* in the second hit of a pair (DTIOCSPAIR): ns since the first hit, and
	 * the number of the first probe, to which ev_args belong */
	const uint64_t *ev_duration;
	uint32_t ev_first;
	/* dr_time by CLOCK_REALTIME at the hit, even if that was set later;
	 * for up to 0.1 s (mostly 1 ms) after a change, by the old setting */
	struct timespec ev_realtime;
	/* with DTAG_RECORD, of the first event of a key: the first word of the
	 * rows that count later hits */
	const uint64_t *ev_key;
};

#define DT_STACK_PCS(st) ((const uint64_t *)((st) + 1))

/*
 * Iterates over the memory that arguments of an event point to: returns the
 * first string if before is NULL, else the string after it; NULL at the end.
 * DT_STRING_BYTES() are its drt_length bytes, without a NUL.  The string is
 * valid as long as the event.
 */
const struct dt_rec_string *
dt_string(const struct dt_event *ev, const struct dt_rec_string *before);

/* Returns the thread of the first hit of a pair made with DTPA_FIRST, or NULL.
 * Valid as long as the event. */
const struct dt_rec_first *dt_first(const struct dt_event *ev);

#define DT_STRING_BYTES(s) ((const char *)((s) + 1))

/*
 * Returns the next record.  timeout: milliseconds, -1 waits without limit, 0
 * does not wait.  Returns 1: *ev is filled, its pointers are valid until the
 * next call of dt_next, dt_read or dt_close; 0: no event in time; -1: EINTR (a
 * signal arrived while waiting), ENODATA (recording has stopped, possibly by
 * the daemon, see dt_note(), and all events were returned; reported once, and
 * dt_ledger() is final now), EPIPE (the daemon has exited), EPROTO (the stream
 * is invalid), ENOMEM.  The first record of a probe that no list has contained
 * yet makes the function query the daemon, as dt_ioctl() does.
 *
 * With DT_OPEN_ORDERED, records are buffered until all older ones have arrived,
 * in at most 64 MB of memory; beyond that the older half is returned at once.
 * A record that arrives after younger ones were returned is returned at once
 * and counted, see dt_late().
 */
int dt_next(struct dt *dt, struct dt_event *ev, int timeout);

/*
 * Reads what is available into memory, up to max bytes altogether, and does not
 * wait.  dt_next() returns it later.  A client that computes or waits for long
 * between two events calls it meanwhile, so that the rings of the daemon stay
 * empty.  Returns the bytes that this call has read; 0: there were none, max is
 * reached, or the stream has ended.
 * dt_fd() does not become readable for what was read ahead: wait for it only
 * after dt_next() has returned 0.  Only for the thread that calls dt_next().
 */
size_t dt_readahead(struct dt *dt, size_t max);

/*
 * With DT_OPEN_ORDERED: returns 1 if dt_next() has returned all events with a
 * dr_time up to time (CLOCK_MONOTONIC, ns), except for late ones; also if no
 * event can follow, since recording has not begun, has stopped, or the stream
 * has failed.  Returns 0 if such events may still follow.  Then the daemon has
 * received a request: dt_fd() becomes readable some milliseconds later, and
 * after dt_next() has returned 0 again, so may dt_passed() 1.  It sends one
 * request for a time, however often it is called, and none for a later time
 * than now.
 * -1: EINVAL the handle lacks DT_OPEN_ORDERED, ENOTTY the daemon is older; as
 * dt_ioctl().  Only for the thread that calls dt_next().
 */
int dt_passed(struct dt *dt, uint64_t time);

/*
 * Like read(2) of /dev/dt: fills buf with every whole struct dt_evt that is
 * available and fits, at least one.  Returns bytes; 0 once when recording has
 * stopped and all events were returned; -1: EMSGSIZE nbytes is less than one
 * event, EINTR, ETIMEDOUT no event within timeout (as above), EPIPE, EPROTO.
 */
ssize_t dt_read(struct dt *dt, void *buf, size_t nbytes, int timeout);

/*
 * For tprof, dt_read() is read(2) of /dev/tprof: a stream of tprof_sample_t
 * that may cut one.  It waits until nbytes are available, or all samples of a
 * finished run were returned, and then returns the bytes that it has; 0: no
 * counter takes samples and none are left.  After the timeout or a signal it
 * returns the bytes that it has, or fails as above.  dt_ioctl() takes the
 * commands of dev/tprof/tprof_ioctl.h; functions for events do not apply.
 *
 * dt_tprof_next() returns samples one by one, with their times.  1: *ts is
 * filled; 0: no sample in time; -1: ENODATA, all were returned; EINTR, EPIPE,
 * EPROTO, ENOMEM.  After dt_read() has cut a sample, only dt_read() returns the
 * rest of it.
 *
 * If ENODATA (or dt_read() 0) arrives without TPROF_IOC_STOP, dt_note() returns
 * the reason: samples cost too much, or dtd exits.  This applies also to a
 * session that only counts; its counts keep their values.
 */
struct dt_tprof_sample {
	tprof_sample_t ts_sample;
	uint64_t ts_time; /* CLOCK_MONOTONIC, ns */
};

int dt_tprof_next(struct dt *dt, struct dt_tprof_sample *ts, int timeout);

/* Returns the ledger of the END block: 0, or -1 with EAGAIN while no END has
 * been read since the last DTIOCRECORD 1. */
int dt_ledger(const struct dt *dt, struct dt_ledger *ledger);

/*
 * Returns a sentence with the reason why the daemon stopped this run by itself
 * because of its cost; it names the probe.  Otherwise returns NULL.  Like
 * dt_ledger(), it is available when dt_next() has returned ENODATA (or
 * dt_read() 0), and valid until the next DTIOCRECORD 1.  The ledger of such a
 * run has DT_LEDGER_STOPPED in its flags.  A later DTIOCRECORD 0 succeeds, and
 * DTIOCRECORD 1 starts again; DTIOCNOLIMIT before that lifts the limit.
 */
const char *dt_note(const struct dt *dt);

/*
 * Returns the next row of the snapshot that DTIOCAGGSNAP has begun.  Rows of one
 * key on several CPUs, or in several buckets, are separate.  Returns 1: *row is
 * filled; 0: all rows were returned; -1: as dt_ioctl().  One thread at a time.
 */
int dt_agg_next(struct dt *dt, struct dtioc_aggrow *row);

/*
 * Stores the smallest and the largest value that a bucket of this aggregation
 * contains; the first and the last bucket of DTAG_LINEAR are open.  Returns 1,
 * or 0 for hits without a value.
 */
int dt_agg_bucket(const struct dtioc_agg *agg, uint64_t bucket, int64_t *first,
    int64_t *last);

/*
 * Requests a socket for sums over all sessions, including closed ones, and for
 * the current state of the daemon: struct dtioc_sum of dev/dt/dtvar.h.  It
 * serves any number of dt_sums_read() calls, independent of other work of the
 * daemon.  A second call succeeds without effect.  Returns 0, or -1: EPERM (the
 * right STATS), EMFILE (too many clients), EBUSY (this session has a socket,
 * through another handle), errors of dt_ioctl().
 */
int dt_sums_open(struct dt *dt);

/*
 * Fills list with at most n sums (DTSM_MAX entries suffice) of the time of the
 * call and returns their number.  timeout as for dt_next().  -1: EBADF (no
 * dt_sums_open() has succeeded), ENOSPC (there are more; n are filled),
 * ETIMEDOUT, EPIPE (the daemon has exited), EPROTO (its reply is invalid).
 */
int dt_sums_read(struct dt *dt, struct dtioc_sum *list, size_t n, int timeout);

/* With DT_OPEN_LOWWATER, for the thread that reads: dt_next() has returned all
 * records with a smaller dr_time, except late ones, so a client that sorts
 * records may output these.  0: unknown. */
uint64_t dt_lowwater(const struct dt *dt);

/* Returns the number of records that were returned after younger ones (only
 * with DT_OPEN_ORDERED). */
uint64_t dt_late(const struct dt *dt);

/*
 * Finds the sections of a record of at most nbytes that is aligned to 8.
 * nargs: number of arguments of its probe.  A record contains neither the CPU
 * nor the clock: ev_cpu and ev_realtime become 0.  Returns 0, or -1 with
 * EBADMSG if the record contradicts itself or is not an event
 * (EINVAL: not aligned); then *ev is unchanged.  Accesses only the nbytes
 * bytes.
 */
int dt_decode(const void *rec, size_t nbytes, unsigned int nargs,
    struct dt_event *ev);

/* Converts a decoded record to a struct dt_evt. */
void dt_widen(const struct dt_event *ev, struct dt_evt *evt);

/* Description of a probe; owned by the handle, valid until dt_close. */
struct dt_probe_desc {
	struct dtioc_probe_info pd_info;
	struct dtioc_arg_info pd_types[DT_REC_NARGS];
	struct dtioc_argname_info pd_names[DT_REC_NARGS];
};

/* Returns the description of a probe by number, from the daemon or the handle's
 * cache, or NULL with errno ENOENT or as dt_ioctl(). */
const struct dt_probe_desc *dt_probe(struct dt *dt, uint32_t pbn);

/* Looks up the probes that match a glob PROVIDER:FUNC:NAME.  Missing parts
 * count as "*" ("syscall:openat" matches both of its probes).  Returns their
 * number and an array for free(3), or -1: ENOENT none matches, ENAMETOOLONG, as
 * dt_ioctl(). */
ssize_t
dt_lookup(struct dt *dt, const char *pattern, struct dtioc_probe_info **infop);

/*
 * Returns the symbol of a kernel address and its offset in that function, which
 * the handle caches, or NULL: ENOENT no symbol, EPERM this client may not see
 * it.  The string is valid until dt_close(). offset may be NULL.
 */
const char *dt_ksym(struct dt *dt, uint64_t pc, uint64_t *offset);

/* Resolves many kernel addresses in one request, so that dt_ksym() finds them
 * in the cache.  Returns 0 or -1. */
int dt_ksym_prefetch(struct dt *dt, const uint64_t *pcs, size_t npcs);

/* A function at an address, or the reason why none is known. */
struct dt_frame {
	size_t df_pc;		   /* index of the address in the request */
	const char *df_func;	   /* demangled; NULL: unknown, see df_why */
	uint64_t df_offset;	   /* of the address in the function if there
				* is one, else in the file */
	const char *df_module;	   /* path of the file as the process saw it,
				* "[vdso]", kernel module; NULL: none */
	const uint8_t *df_buildid; /* of the file; NULL: unknown */
	unsigned int df_buildidlen;
	const char *df_file; /* source; NULL: unknown, or not requested */
	unsigned int df_line;
	int df_inlined;	     /* into the next frame of this address */
	unsigned int df_why; /* DTFR_* of dev/dt/dtvar.h */
	int df_error;	     /* errno of df_why, or 0 */
	uint64_t df_fileoff; /* offset of the address in the file */
};

struct dt_frames {
	size_t df_n;
	const struct dt_frame *df_frames; /* ascending by df_pc; frames of an
					   * address innermost first */
};

#define DT_SYM_LINES 0x1 /* source, line, inlined functions */

/*
 * Resolves addresses of one process as of a time: nsecs is dr_time of the
 * record that contains them (CLOCK_MONOTONIC, ns), or 0: now.  pid 0: kernel
 * addresses.  Each address gets at least one frame.  The handle caches symbols
 * in at most about 64 MB, for all times at which the process had the same code.
 * Requests are cheapest with many addresses of one process.
 *
 * All frames of a stack except the first are return addresses.  Subtract 1 from
 * these, so that a call at the end of a function is not attributed to the next
 * function.
 *
 * dtd follows processes from the first ENABLE of a session with user stacks, or
 * its first request for symbols, until that session is closed, or neither
 * records nor requests symbols for the seconds of names-idle in dtd.conf(5).
 * Mappings that had disappeared before are unknown.
 *
 * Returns 0 and fills *frames; dt_frames_free() releases it with its strings,
 * dt_close() does not.  An address without a symbol is not a failure: df_why
 * has the reason.  -1: EINVAL flags, or pid is negative; EFAULT; EPERM without
 * the right, or, with pid 0, the kernel hides its addresses (dt_error() names
 * the setting); ENOMEM; EIO, EPIPE, EPROTO as dt_ioctl().  Semantics: DTIOCSYM
 * of dt(4).
 */
int dt_symbolize(struct dt *dt, pid_t pid, uint64_t nsecs, const uint64_t *pcs,
    size_t npcs, unsigned int flags, struct dt_frames *frames);

/* Releases *frames; NULL and a zeroed struct are permitted. */
void dt_frames_free(struct dt_frames *frames);

/* A mapping of code. */
struct dt_mapping {
	uint64_t dm_start;
	uint64_t dm_end;
	uint64_t dm_offset; /* of start in the file */
	uint64_t dm_fileid; /* from the daemon; never reused for another file */
	unsigned int dm_kind;	   /* DTMP_* of dev/dt/dtvar.h */
	const char *dm_path;	   /* as the process saw it */
	const uint8_t *dm_buildid; /* NULL: unknown */
	unsigned int dm_buildidlen;
};

/* Valid from dm_from until dm_until; dm_gen changes with the code. */
struct dt_mappings {
	size_t dm_n;
	const struct dt_mapping *dm_maps; /* ascending */
	uint64_t dm_from;
	uint64_t dm_until;
	uint64_t dm_gen;
};

/*
 * Returns all mappings of code of a process at a time, as in dt_symbolize().
 * Returns 0 and fills *maps, which dt_mappings_free() releases; -1: ESRCH the
 * process is unknown, or was unknown at that time; EINVAL pid is not positive;
 * EPERM this client may not see it; ENOMEM; as dt_ioctl().
 */
int
dt_mappings(struct dt *dt, pid_t pid, uint64_t nsecs, struct dt_mappings *maps);
void dt_mappings_free(struct dt_mappings *maps);

/*
 * Resolves offsets in a file, independent of any process, as a recording needs
 * it.  path is absolute.  If len is not 0, buildid is what the file must have;
 * if it differs, the debug file with that build id is used, and if that is
 * missing, frames have DTFR_OTHER.  Nothing is cached: resolve many offsets at
 * once.  The daemon opens the file, so this requires a private daemon or the
 * right ADMIN.  Returns as dt_symbolize(), and EINVAL path is not absolute or
 * too long.
 */
int dt_symbolize_file(struct dt *dt, const char *path, const uint8_t *buildid,
    unsigned int len, const uint64_t *offsets, size_t n, unsigned int flags,
    struct dt_frames *frames);

#ifdef __cplusplus
}
#endif

#endif /* LIBDT_H */
