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

#include <dt/evt.h>

#define WIRE_VERSION	1
#define WIRE_MAXFRAME	65536 /* header and payload */
#define WIRE_MAXPAYLOAD (WIRE_MAXFRAME - sizeof(struct wire_hdr))

/*
 * A frame: this header, then wh_length bytes.  A reply carries the command
 * and the tag of its request.  Commands are WIRE_OPEN, WIRE_MMAP, or the number
 * of an ioctl, which is never below 0x20000000.
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

#define WIRE_MMAP 2 /* of kcov: its memory, as a descriptor */

struct wire_mmapped { /* its reply */
	uint64_t wm_nbytes;
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
	uint64_t wy_time;  /* CLOCK_MONOTONIC of the hit, 0: now */
	uint32_t wy_flags; /* DTSY_* */
	uint32_t wy_reserved;
};

/*
 * Reply: this, then ws_count of wire_frame (DTIOCGMAPS: wire_map), then their
 * strings.  Fewer than ws_total: there was no room for the others.
 */
struct wire_syms {
	uint32_t ws_total;
	uint32_t ws_count;
	uint64_t ws_from;  /* the process had this code there then, */
	uint64_t ws_until; /* and this long */
	uint64_t ws_gen;   /* differs when its code does */
};

/*
 * One address may have several frames (inlined functions), innermost first;
 * one without a name has a frame with wf_func 0.
 */
struct wire_frame {
	uint32_t wf_pc;	    /* index of the address asked for */
	uint32_t wf_func;   /* strings: offset from the end of the */
	uint32_t wf_module; /* frames plus one; 0 is none */
	uint32_t wf_file;
	uint32_t wf_line;
	uint32_t wf_flags;	/* WIRE_FRAME_* */
	uint64_t wf_offset;	/* of the address in its function */
	uint64_t wf_fileoff;	/* in its module, if that is a file */
	uint8_t wf_buildid[20]; /* of the module, 0 if unknown */
	uint32_t wf_buildidlen;
	uint32_t wf_why;   /* DTFR_* */
	uint32_t wf_error; /* errno behind that, or 0 */
};

#define WIRE_FRAME_INLINED 0x1 /* into the next frame */
#define WIRE_FRAME_PASSING 0x2 /* the code there may get another name */
#define WIRE_FRAME_ALL	   0x3

struct wire_maps { /* request: DTIOCGMAPS */
	uint32_t wm_pid;
	uint32_t wm_reserved;
	uint64_t wm_time;  /* as wy_time */
	uint32_t wm_first; /* as in wire_page */
	uint32_t wm_max;
};

struct wire_map { /* reply: an entry */
	uint64_t wm_start;
	uint64_t wm_end;
	uint64_t wm_offset;
	uint64_t wm_file; /* number of the file */
	uint32_t wm_kind; /* DTMP_* */
	uint32_t wm_path; /* as wf_module */
	uint8_t wm_buildid[20];
	uint32_t wm_buildidlen;
};

#define WIRE_MAXPATH 4096

/* Request: DTIOCSYMFILE; wx_noffs u64 follow, then the path, without a NUL. */
struct wire_symfile {
	uint32_t wx_noffs; /* at most WIRE_MAXSYM */
	uint32_t wx_flags; /* DTSY_* */
	uint8_t wx_buildid[20];
	uint32_t wx_buildidlen; /* 0: any file */
	uint32_t wx_pathlen;	/* less than WIRE_MAXPATH */
	uint32_t wx_reserved;
};

/*
 * The socket that comes with the reply to DTIOCGSUMS keeps messages apart
 * (SOCK_SEQPACKET).  A message of 8 bytes, a number, asks for the sums; the
 * answer is one message.
 */
struct wire_sums {
	uint64_t wu_tag;     /* the number that was sent */
	uint32_t wu_count;   /* of struct dtioc_sum that follow */
	uint32_t wu_entsize; /* bytes of each */
};

_Static_assert(sizeof(struct wire_sums) == 16, "sums");
_Static_assert(sizeof(struct dtioc_sum) == 72, "sum");
_Static_assert(sizeof(struct wire_hdr) == 24, "frame header");
_Static_assert(sizeof(struct wire_block) == 24, "block header");
_Static_assert(sizeof(struct wire_opened) == 80, "reply to open");
_Static_assert(sizeof(struct wire_sym) == 24, "request of names");
_Static_assert(sizeof(struct wire_syms) == 32, "reply with names");
_Static_assert(sizeof(struct wire_frame) == 72, "frame of a stack");
_Static_assert(sizeof(struct wire_maps) == 24, "request of mappings");
_Static_assert(sizeof(struct wire_map) == 64, "mapping");
_Static_assert(sizeof(struct wire_symfile) == 40, "request of a file's names");

#endif /* WIRE_WIRE_H */
