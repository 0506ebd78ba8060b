/* SPDX-License-Identifier: ISC */
/*
 * Protocol between dtd and its clients: messages on the control socket and
 * blocks on the data socket.  Fixed-width types in native byte order, without
 * pointers.  Defines the bytes only; PROTOCOL.md specifies the exchange.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

#include <dt/evt.h>

#define WIRE_VERSION	1
#define WIRE_MAXMSG	65536 /* header and payload of a message */
#define WIRE_MAXPAYLOAD (WIRE_MAXMSG - sizeof(struct wire_hdr))

/*
 * A message: this header, then wh_length bytes.  A reply repeats the command
 * and the tag of its request. wh_command is WIRE_OPEN, WIRE_MMAP, or the number
 * of an ioctl, which is never below 0x20000000.
 */
struct wire_hdr {
	uint32_t wh_version; /* WIRE_VERSION */
	uint32_t wh_command;
	uint32_t wh_tag;      /* chosen by the client, returned unchanged */
	uint32_t wh_error;    /* reply: errno; request: 0 */
	uint32_t wh_length;   /* bytes that follow the header */
	uint32_t wh_reserved; /* 0; payloads begin at a multiple of 8 */
};

#define WIRE_OPEN 1 /* first message of a connection */

/* Request WIRE_OPEN; carries descriptors of the pid and user namespaces. */
struct wire_open {
	uint32_t wo_flags; /* WIRE_OPEN_* */
	uint32_t wo_mode;  /* DT_MODE_* */
};

#define WIRE_OPEN_ORDERED 0x1 /* sends low water even while no events occur */
#define WIRE_OPEN_BATCHED 0x2 /* sends events in batches */

/* Reply to WIRE_OPEN; carries the data socket. */
struct wire_opened {
	int64_t wp_clockoff; /* CLOCK_REALTIME - MONOTONIC, ns */
	uint32_t wp_ncpu;    /* possible CPUs of the machine */
	uint32_t wp_rights;  /* RIGHT_* of the client */
	char wp_release[64]; /* version of the daemon */
};

#define WIRE_MMAP 2 /* kcov: request a descriptor of its memory */

struct wire_mmapped { /* reply to WIRE_MMAP */
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

#define WIRE_BLOCK_DATA	 1 /* contents of one CPU's ring */
#define WIRE_BLOCK_PASS	 2 /* all CPUs have been sent up to wb_lowwater */
#define WIRE_BLOCK_CLOCK 3 /* int64_t: new wp_clockoff since wb_lowwater */
#define WIRE_BLOCK_END	 4 /* struct dt_ledger, after RECORD 0 */
#define WIRE_BLOCK_NOTE	 5 /* text: why dtd stopped the session, before END */

#define WIRE_MAXBLOCK	 (4U << 20) /* maximum of wb_nbytes */
#define WIRE_MAXNOTE	 200	    /* size of a NOTE, padded with NULs */

/*
 * Payloads of the ioctls whose struct has a pointer; lists are transferred in
 * pages.  All other ioctls carry the struct of dev/dt/dtvar.h.
 */
struct wire_page {	   /* request DTIOCGPLIST */
	uint32_t wg_first; /* index of the first entry to return */
	uint32_t wg_max;   /* maximum number of entries to return */
};

struct wire_list {	   /* reply: one page of a list */
	uint32_t wl_total; /* entries of the whole list */
	uint32_t wl_count; /* entries that follow */
};

struct wire_args {	 /* request DTIOCGARGS, DTIOCGARGNAMES */
	uint32_t wa_pbn; /* reply: wire_list, dtioc_arg*_info */
	uint32_t wa_reserved;
};

#define WIRE_MAXPATTERN 256

struct wire_lookup {	   /* request DTIOCLOOKUP */
	uint32_t wk_first; /* as in wire_page */
	uint32_t wk_max;
	char wk_pattern[WIRE_MAXPATTERN]; /* NUL terminated */
};

#define WIRE_MAXSYM 512 /* maximum of wy_npcs */

struct wire_sym {	 /* request DTIOCSYM; wy_npcs u64 follow */
	uint32_t wy_pid; /* 0: kernel addresses */
	uint32_t wy_npcs;
	uint64_t wy_time;  /* CLOCK_MONOTONIC of the hit, 0: now */
	uint32_t wy_flags; /* DTSY_* */
	uint32_t wy_reserved;
};

/*
 * Reply: this header, then ws_count of wire_frame (DTIOCGMAPS: wire_map), then
 * their strings.  If ws_count is less than ws_total, the rest did not fit.
 */
struct wire_syms {
	uint32_t ws_total;
	uint32_t ws_count;
	uint64_t ws_from;  /* period in which the process had */
	uint64_t ws_until; /* this code at these addresses */
	uint64_t ws_gen;   /* changes whenever the code changes */
};

/*
 * A frame of an address.  Inlined functions give an address several frames,
 * innermost first; an address without a symbol has one frame with wf_func 0.
 */
struct wire_frame {
	uint32_t wf_pc;	    /* index of the requested address */
	uint32_t wf_func;   /* strings: offset from the end of */
	uint32_t wf_module; /* the frames plus one; 0: none */
	uint32_t wf_file;
	uint32_t wf_line;
	uint32_t wf_flags;  /* WIRE_FRAME_* */
	uint64_t wf_offset; /* of the address in its function */
	/* of the address in its module, if that is a file */
	uint64_t wf_fileoff;
	uint8_t wf_buildid[20]; /* of the module, 0 if unknown */
	uint32_t wf_buildidlen;
	uint32_t wf_why;   /* DTFR_* */
	uint32_t wf_error; /* errno for wf_why, or 0 */
};

/* Returns a string by its offset plus one, NULL for 0. */
static inline const char *
wire_string(const char *strings, uint32_t at)
{
	return at == 0 ? NULL : strings + at - 1;
}

#define WIRE_FRAME_INLINED 0x1 /* inlined into the next frame */
#define WIRE_FRAME_PASSING 0x2 /* the code there may get another symbol */
#define WIRE_FRAME_ALL	   0x3

struct wire_maps { /* request DTIOCGMAPS */
	uint32_t wms_pid;
	uint32_t wms_reserved;
	uint64_t wms_time;  /* like wy_time */
	uint32_t wms_first; /* like in wire_page */
	uint32_t wms_max;
};

struct wire_map { /* entry of a reply */
	uint64_t wmp_start;
	uint64_t wmp_end;
	uint64_t wmp_offset;
	uint64_t wmp_file; /* identifies the file */
	uint32_t wmp_kind; /* DTMP_* */
	uint32_t wmp_path; /* like wf_module */
	uint8_t wmp_buildid[20];
	uint32_t wmp_buildidlen;
};

#define WIRE_MAXPATH 4096

/*
 * Request DTIOCFILE, with one descriptor, which is open for reading.  The reply
 * is the file's number, a u32.
 */
struct wire_file {
	char wfl_path[1024]; /* NUL padded */
};

/* Request DTIOCSYMFILE; wx_noffs u64 follow, then the path without a NUL. */
struct wire_symfile {
	uint32_t wx_noffs; /* at most WIRE_MAXSYM */
	uint32_t wx_flags; /* DTSY_* */
	uint8_t wx_buildid[20];
	uint32_t wx_buildidlen; /* 0: any build id */
	uint32_t wx_pathlen;	/* less than WIRE_MAXPATH */
	uint32_t wx_reserved;
};

/* Reply to DTIOCRDVNODE carries an O_PATH descriptor of the file. */
struct wire_rdvnode { /* request and reply */
	uint32_t wrv_pid;
	uint32_t wrv_reserved; /* 0 */
	uint64_t wrv_va;     /* request: address; reply: begin of the mapping */
	uint64_t wrv_offset; /* reply: of that in the file; request: 0 */
};

struct wire_ksyms {	   /* request DTIOCGKSYMS */
	uint64_t wks_from; /* lowest address */
};

/*
 * Reply: this header, then wkl_count of wire_ksym in ascending order, then their
 * names, each with its NUL.  No two begin at the same address.
 */
struct wire_ksyms_page {
	uint64_t wkl_next; /* wks_from of the next page; 0: there is none */
	uint32_t wkl_count;
	uint32_t wkl_reserved;
};

struct wire_ksym {
	uint64_t wkm_start;
	uint32_t wkm_size;
	uint32_t wkm_name; /* offset in the names */
};

/*
 * Reply to DTIOCGSUMS carries a SOCK_SEQPACKET socket.  On it, a message of 8
 * bytes, a number, requests the sums; the reply is one message.
 */
struct wire_sums {
	uint64_t wu_tag;     /* number sent in the request */
	uint32_t wu_count;   /* number of struct dtioc_sum that follow */
	uint32_t wu_entsize; /* size of each */
};

_Static_assert(sizeof(struct wire_sums) == 16, "sums");
_Static_assert(sizeof(struct dtioc_sum) == 72, "sum");
_Static_assert(sizeof(struct wire_hdr) == 24, "message header");
_Static_assert(sizeof(struct wire_block) == 24, "block header");
_Static_assert(sizeof(struct wire_opened) == 80, "reply to open");
_Static_assert(sizeof(struct wire_sym) == 24, "request of names");
_Static_assert(sizeof(struct wire_syms) == 32, "reply with names");
_Static_assert(sizeof(struct wire_frame) == 72, "frame of a stack");
_Static_assert(sizeof(struct wire_maps) == 24, "request of mappings");
_Static_assert(sizeof(struct wire_map) == 64, "mapping");
_Static_assert(sizeof(struct wire_rdvnode) == 24, "request of a file");
_Static_assert(sizeof(struct wire_ksyms_page) == 16, "reply with functions");
_Static_assert(sizeof(struct wire_ksym) == 16, "kernel function");
_Static_assert(sizeof(struct wire_symfile) == 40, "request of a file's names");

#endif /* WIRE_WIRE_H */
