/* SPDX-License-Identifier: ISC */
/*
 * What dtd and its symbolizer say to each other, over a SOCK_SEQPACKET
 * socketpair.  dtd sends a request with the descriptor of a file and offsets
 * into it; the worker answers with frames, in one message or several, and may
 * ask for other files before (their debug information, by name), each of which
 * dtd answers with a descriptor or an errno.
 *
 * Foreign files go through a second socketpair, the channel, because only a
 * helper process of dtd opens them for reading.  The helper sends each in a
 * message of 8 bytes, the serial (uint64_t, host byte order), with one
 * descriptor.  The request or answer with the same sr_serial follows after that.
 * Files in the channel with other serials belong to cancelled requests, and are
 * dropped.
 *
 * The worker reads what anybody may have written, so all that it says is
 * foreign to dtd: a length is tested before content, an index before use, and a
 * string ends inside of its message.
 */
#ifndef WIRE_SYMBOLIZER_H
#define WIRE_SYMBOLIZER_H

#include <stdint.h>

#define SYMREQ_FD	  3	/* the worker's end of the socket, */
#define SYMREQ_CHANNEL_FD 4	/* and of the channel, receiving only */
#define SYMREQ_MAXPCS	  4096	/* addresses in a request */
#define SYMREQ_MAXMSG	  65536 /* bytes of a message */
#define SYMREQ_NAME	  1024	/* of a function or file, with its NUL */
#define SYMREQ_BUILDID	  64	/* bytes of a build id, at most */

enum symreq_type {
	SYMREQ_NAMES = 1, /* offsets into an ELF file; with its descriptor; none
			     is fine, its build id is in the answer */
	SYMREQ_JIT,	  /* addresses in a perf map; with its descriptor */
	SYMREQ_FILE,	  /* the answer to SYMREP_ASK; descriptor if no error */
};

#define SYMREQ_LINES 0x1 /* sr_flags: files, lines and inlined functions, too */

/* sr_npcs addresses follow, uint64_t, ascending. */
struct symreq {
	uint32_t sr_type;
	uint32_t sr_flags;
	uint32_t sr_error; /* SYMREQ_FILE: why there is none; EAGAIN: yet, so
			      that the worker keeps nothing of the file */
	uint32_t sr_npcs;
	uint64_t sr_id;	 /* the same file has the same one */
	uint64_t sr_gen; /* and another one of these when it has changed */
	uint32_t sr_buildidlen;
	uint8_t sr_buildid[SYMREQ_BUILDID]; /* that it has to have; or 0 */
	uint32_t sr_msecs;  /* time limit: the worker ends soon after it */
	uint64_t sr_serial; /* of the file in the channel; 0: the descriptor
				comes with this message, or there is none */
};

enum symrep_type {
	SYMREP_FRAMES = 1,
	SYMREP_ASK,
};

enum symrep_how {
	SYMREP_BYID = 1, /* the debug file of this build id */
	SYMREP_BYLINK,	 /* of this name, beside the file or in debug folders */
	SYMREP_ALT,	 /* what the debug file shares with others (dwz) */
};

struct symrep_ask {
	uint32_t sa_type;
	uint32_t sa_how;
	uint32_t sa_nth; /* the one after so many that were not it */
	uint32_t sa_buildidlen;
	uint8_t sa_buildid[SYMREQ_BUILDID];
	char sa_name[SYMREQ_NAME];
};

struct symrep {
	uint32_t sp_type;
	uint32_t sp_error;
	uint32_t sp_last; /* no more of this answer */
	uint32_t sp_nframes;
	uint32_t sp_nbytes;	/* of strings, behind the frames */
	uint32_t sp_buildidlen; /* in the last message; 0: the file has none */
	uint8_t sp_buildid[SYMREQ_BUILDID];
};

#define SYMREP_NONAME UINT32_MAX

/*
 * A frame, innermost first when an address has several.  All frames of one
 * address are in order, and addresses ascend.
 */
struct symrep_frame {
	uint32_t sp_pc;	  /* index of the address */
	uint32_t sp_func; /* where its name is in the strings, or NONAME */
	uint32_t sp_file; /* the same */
	uint32_t sp_line;
	uint64_t sp_start; /* of the function */
	uint64_t sp_end;
	uint64_t sp_from; /* from here, */
	uint64_t sp_to;	  /* to before this, without lines, it is the same */
	uint32_t sp_inlined;
	uint32_t sp_pad;
};

_Static_assert(sizeof(struct symreq) == 112, "symreq");
_Static_assert(sizeof(struct symrep) == 88, "symrep");
_Static_assert(sizeof(struct symrep_frame) == 56, "symrep_frame");
_Static_assert(sizeof(struct symreq) + SYMREQ_MAXPCS * sizeof(uint64_t) <=
	SYMREQ_MAXMSG,
    "a request is one message");

#endif /* WIRE_SYMBOLIZER_H */
