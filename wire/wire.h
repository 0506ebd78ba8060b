/* SPDX-License-Identifier: ISC */
/*
 * What dtd and its clients say to each other: frames on the control socket
 * and blocks on the data socket.  Fixed-width types, byte order of the
 * machine, no pointer.  PROTOCOL.md tells the whole; this file has the bytes.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdint.h>

#include <dev/dt/dtvar.h>

#include "evt.h"

#define WIRE_VERSION	1
#define WIRE_MAXFRAME	65536 /* header and payload */
#define WIRE_MAXPAYLOAD (WIRE_MAXFRAME - sizeof(struct wire_hdr))

/*
 * A frame: this header, then wh_length bytes.  A reply carries the command
 * and the tag of its request.  Commands are WIRE_OPEN, or the number of an
 * ioctl, which is never below 0x20000000.
 */
struct wire_hdr {
	uint32_t wh_version; /* WIRE_VERSION */
	uint32_t wh_command;
	uint32_t wh_tag;      /* the client's, returned as it was */
	uint32_t wh_error;    /* reply: errno; request: 0 */
	uint32_t wh_length;   /* bytes that follow */
	uint32_t wh_reserved; /* 0; payloads begin at a multiple of 8 */
};

#define WIRE_OPEN 1 /* first frame of a connection */

/* WIRE_OPEN, with the pid and the user namespace as descriptors. */
struct wire_open {
	uint32_t wo_flags; /* WIRE_OPEN_* */
	uint32_t wo_mode;  /* DT_MODE_* */
};

#define WIRE_OPEN_ORDERED 0x1 /* wants low water also when idle */

/* Its reply, with the data socket as descriptor. */
struct wire_opened {
	int64_t wp_clockoff; /* CLOCK_REALTIME - MONOTONIC, ns */
	uint32_t wp_ncpu;    /* CPUs that may ever come */
	uint32_t wp_rights;  /* RIGHT_* of this client */
	char wp_release[64]; /* version of the daemon */
};

/* A block of the data socket: this header, then wb_nbytes bytes. */
struct wire_block {
	uint32_t wb_kind; /* WIRE_BLOCK_* */
	uint32_t wb_cpu;  /* of WIRE_BLOCK_DATA */
	uint32_t wb_nbytes;
	uint32_t wb_reserved; /* 0 */
	uint64_t wb_lowwater; /* CLOCK_MONOTONIC, ns */
};

#define WIRE_BLOCK_DATA	 1 /* ring content of one CPU */
#define WIRE_BLOCK_PASS	 2 /* all CPUs are sent up to lowwater */
#define WIRE_BLOCK_CLOCK 3 /* int64_t, new wp_clockoff since lowwater */
#define WIRE_BLOCK_END	 4 /* struct dt_ledger, after RECORD 0 */
#define WIRE_BLOCK_NOTE	 5 /* text: why dtd stopped, before END */

#define WIRE_MAXBLOCK	 (4U << 20) /* wb_nbytes */
#define WIRE_MAXNOTE	 200	    /* of a NOTE, padded with NULs */

/*
 * Payloads of the ioctls whose struct has a pointer: lists travel in pages.
 * The others carry the struct of dev/dt/dtvar.h as it is.
 */
struct wire_page {	   /* request: DTIOCGPLIST */
	uint32_t wg_first; /* index of the first wanted entry */
	uint32_t wg_max;   /* at most so many */
};

struct wire_list {	   /* reply: a page of a list */
	uint32_t wl_total; /* entries of the whole list */
	uint32_t wl_count; /* entries that follow */
};

struct wire_args {	 /* request: DTIOCGARGS, DTIOCGARGNAMES */
	uint32_t wa_pbn; /* reply: wire_list, dtioc_arg*_info */
	uint32_t wa_reserved;
};

#define WIRE_MAXPATTERN 256

struct wire_lookup {	   /* request: DTIOCLOOKUP */
	uint32_t wk_first; /* as in wire_page */
	uint32_t wk_max;
	char wk_pattern[WIRE_MAXPATTERN]; /* NUL terminated */
};

#define WIRE_MAXSYM 512 /* pcs in a request */

struct wire_sym {	 /* request: DTIOCSYM; wy_npcs u64 follow */
	uint32_t wy_pid; /* 0: kernel addresses */
	uint32_t wy_npcs;
	uint64_t wy_time; /* CLOCK_MONOTONIC of the hit */
};

/*
 * Reply: wire_list, then wl_count of these, then their strings.  One address
 * may have several frames (inlined functions), innermost first; one without
 * a name has a frame with wf_func 0.
 */
struct wire_frame {
	uint32_t wf_pc;	    /* index of the address asked for */
	uint32_t wf_func;   /* strings: offset from the end of the */
	uint32_t wf_module; /* frames plus one; 0 is none */
	uint32_t wf_file;
	uint32_t wf_line;
	uint32_t wf_inlined;	/* 1 if inlined into the next frame */
	uint64_t wf_offset;	/* of the address in its function */
	uint8_t wf_buildid[20]; /* of the module, 0 if unknown */
	uint32_t wf_buildidlen;
};

_Static_assert(sizeof(struct wire_hdr) == 24, "frame header");
_Static_assert(sizeof(struct wire_block) == 24, "block header");
_Static_assert(sizeof(struct wire_opened) == 80, "reply to open");
_Static_assert(sizeof(struct wire_frame) == 56, "frame of a stack");

#endif /* WIRE_WIRE_H */
