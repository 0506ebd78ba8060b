/* SPDX-License-Identifier: ISC */
/*
 * Protocol between dtd and its symbolizer, over a SOCK_SEQPACKET socketpair.
 * dtd sends a request with a file's descriptor and offsets in it.  The worker
 * replies with frames, in one or several messages; or with the unwind table of
 * each page, and a message without frames.  Before that it may request
 * other files (debug files, by name); dtd replies to each request with a
 * descriptor or an errno.
 *
 * Untrusted files are sent through a second socketpair, the channel, because
 * only an inspector process opens them for reading.  It sends each file in a
 * message of 8 bytes, the serial (uint64_t, host byte order), with one
 * descriptor.  The request or reply with the same srq_serial follows.  Files
 * in the channel with other serials belong to cancelled requests and are
 * closed.
 *
 * The worker reads untrusted files, so dtd does not trust its messages: a
 * length is checked before content, an index before use, and a string must end
 * within its message.
 */
#ifndef WIRE_SYMBOLIZER_H
#define WIRE_SYMBOLIZER_H

#include <stdint.h>

#include "wire/wire.h"

#define SYMREQ_FD	  3 /* the worker's end of the socket */
#define SYMREQ_CHANNEL_FD 4 /* the worker's end of the channel, receive only */
#define SYMREQ_MAXPCS	  4096	/* addresses in a request */
#define SYMREQ_MAXMSG	  65536 /* maximum size of a message */
#define SYMREQ_NAME	  1024	/* size of a name, with its NUL */
#define SYMREQ_BUILDID	  64	/* maximum size of a build id */

enum symreq_type {
	/*
	 * Offsets in an ELF file, with its descriptor.  Without any offsets,
	 * the reply has only the build id.
	 */
	SYMREQ_NAMES = 1,
	SYMREQ_JIT, /* addresses in a perf map, with its descriptor */
	/* pages of an ELF file (wire/unwind.h), with its descriptor */
	SYMREQ_UNWIND,
	/* reply to SYMREP_FIND; with a descriptor unless it has an error */
	SYMREQ_FILE,
	/* a query for places to probe (wire/file_probe.h), with the file */
	SYMREQ_PROBES,
};

#define SYMREQ_LINES \
	0x1 /* srq_flags: also files, lines and inlined functions */

/*
 * Followed by srq_npcs addresses, uint64_t, ascending; SYMREQ_PROBES: by a query
 * of this size.
 */
struct symreq {
	uint32_t srq_type;
	uint32_t srq_flags;
	/*
	 * SYMREQ_FILE: why there is no file; with EAGAIN it is not available
	 * yet, and the worker caches nothing of it
	 */
	uint32_t srq_error;
	uint32_t srq_npcs;
	uint64_t srq_id;  /* identifies the file */
	uint64_t srq_gen; /* changes when the file changes */
	uint32_t srq_buildidlen;
	/* required build id, unless its length is 0 */
	uint8_t srq_buildid[SYMREQ_BUILDID];
	uint32_t srq_msecs; /* time limit; the worker exits soon after it */
	/*
	 * serial of the file in the channel; 0: the descriptor is in this
	 * message, or there is none
	 */
	uint64_t srq_serial;
};

enum symrep_type {
	SYMREP_FRAMES = 1,
	SYMREP_FIND,
	SYMREP_TABLE,
	SYMREP_PROBES,
};

enum symrep_how {
	SYMREP_BYID = 1, /* debug file by build id */
	SYMREP_BYLINK,	 /* by name, next to the file or in debug directories */
	SYMREP_ALT,	 /* shared part of debug files (dwz) */
};

struct symrep_find {
	uint32_t sa_type;
	uint32_t sa_how;
	uint32_t sa_nth; /* number of earlier candidates that did not match */
	uint32_t sa_buildidlen;
	uint8_t sa_buildid[SYMREQ_BUILDID];
	char sa_name[SYMREQ_NAME];
};

/* Followed by struct wire_frame[], struct symrep_span[] and strings. */
struct symrep {
	uint32_t srp_type;
	uint32_t srp_error;
	uint32_t srp_last;    /* the last message of this reply */
	uint32_t srp_nframes; /* and as many spans */
	uint32_t srp_nbytes;  /* size of the strings */
	/* set in the last message; 0: the file has none */
	uint32_t srp_buildidlen;
	uint8_t srp_buildid[SYMREQ_BUILDID];
};

/*
 * Addresses with the same frame, except for its wf_offset and without lines:
 * from ssp_from to before ssp_to.  Frames of an address are innermost first,
 * and addresses ascend.  The worker sets wf_pc, wf_func, wf_file, wf_line,
 * wf_offset and WIRE_FRAME_INLINED; dtd takes no other member from it.
 */
struct symrep_span {
	uint64_t ssp_from;
	uint64_t ssp_to;
};

/*
 * A page's table, or a part of it: followed by bytes of its rows and then its
 * rules, from byte srt_at on.  Parts and pages are in order.
 */
struct symrep_table {
	uint32_t srt_type;
	uint32_t srt_page;   /* index in the request */
	uint32_t srt_nrows;  /* 0: the page has no table */
	uint32_t srt_nrules; /* at most UNWIND_MAXROWS and UNWIND_MAXRULES */
	uint32_t srt_at;
	uint32_t srt_nbytes;
};

_Static_assert(sizeof(struct symreq) == 112, "symreq");
_Static_assert(sizeof(struct symrep) == 88, "symrep");
_Static_assert(sizeof(struct symrep_span) == 16, "symrep_span");
_Static_assert(sizeof(struct symrep_table) == 24, "symrep_table");
_Static_assert(sizeof(struct symreq) + SYMREQ_MAXPCS * sizeof(uint64_t) <=
	SYMREQ_MAXMSG,
    "a request is one message");

#endif /* WIRE_SYMBOLIZER_H */
