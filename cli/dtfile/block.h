/* SPDX-License-Identifier: ISC */
/*
 * Recordings: the blocks of a file, written by `dt record -o` and `dt kcov -o`
 * and read by `dt report`.  This header defines the format; docs/recording.md
 * describes it without C.  Only block_*.c reads and writes it.
 *
 * A file is a sequence of blocks without gaps.  A block is a struct block_hdr,
 * bh_length bytes of content, and zeros up to the next multiple of 8.  Numbers
 * are in the byte order of the recording machine, and every struct below starts
 * at a multiple of 8 of the file.
 *
 *	bh_type		BLOCK_*; readers skip unknown types
 *	bh_version	1; readers skip unknown versions, but refuse a first
 *			block of unknown version
 *	bh_length	bytes of content, at most BLOCK_MAXLEN
 *	bh_sum		CRC-32 (as in zlib, gzip and PNG) over the twelve bytes
 *			before bh_sum, the content, and the zeros
 *
 * The first block is BLOCK_HEAD.  Its type is the magic number of the file;
 * with its bytes reversed, it identifies a recording in the other byte order.
 * Contents:
 *
 *	BLOCK_HEAD	struct block_head; once, first
 *	BLOCK_PROBE	a probe: struct block_probe_hdr, bp_nargs bytes with
 *			the flags of each argument (DTAN_*), then strings,
 *			each terminated by a NUL: provider, function, name;
 *			type and name of each argument.  Precedes all records
 *			of the probe
 *	BLOCK_CLOCK	int64_t: nanoseconds to add to the time of all records
 *			that follow, for CLOCK_REALTIME.  Precedes the first
 *			record, and is repeated when the clock is set; while
 *			records from before and after that are mixed, there
 *			may be many
 *	BLOCK_KSYM	kernel symbols: any number of struct block_ksym_hdr,
 *			bk_namelen bytes without NUL, and zeros up to a
 *			multiple of 8.  Precedes the records with these
 *			addresses in a stack; symbols may be missing
 *	BLOCK_DATA	records in the format of evt.h, each after a struct
 *			block_rec_hdr, in the order of delivery: sorted by
 *			time for each CPU, but not between CPUs.  The length
 *			of a record is a multiple of 8
 *	BLOCK_PASS	uint64_t: all records with a lower time precede this
 *			block, so a reader that sorts may output them.  A
 *			later record with a lower time is late
 *	BLOCK_FILE	paths of descriptors as of the records that follow:
 *			any number of struct block_file_hdr, bx_pathlen bytes
 *			without NUL, and zeros up to a multiple of 8.
 *			Recorded calls change them from then on
 *	BLOCK_CGROUP	paths of cgroups: any number of struct
 *			block_cgroup_hdr, bg_pathlen bytes without NUL, and
 *			zeros up to a multiple of 8
 *	BLOCK_MAPS	executable mappings of processes: any number of struct
 *			block_map_hdr, bmh_pathlen bytes without NUL, and zeros
 *			up to a multiple of 8.  Precedes the process's records
 *			with a user stack; mappings may be missing
 *	BLOCK_USYM	symbols of code in files: any number of struct
 *			block_usym_hdr, buh_funclen and buh_filelen bytes
 *			without NUL, and zeros up to a multiple of 8.  Several
 *			of one place are inlined functions, innermost first
 *	BLOCK_STOP	struct block_stop: the file ends before the recording.
 *			Only BLOCK_LEDGER may follow, and nothing if the
 *			recording continues in the next file
 *	BLOCK_LEDGER	struct dt_ledger; once, last.  A longer one is from a
 *			later version with more counters
 *
 *	BLOCK_PLACE	code that dt kcov reached: any number of struct
 *			block_place_hdr, bpl_textlen bytes with the names of
 *			function, module and source file, each terminated by a
 *			NUL ("": none), and zeros up to a multiple of 8
 *	BLOCK_KCOV	struct block_kcov: the counters of dt kcov; once, last,
 *			in place of BLOCK_LEDGER
 *
 * A file without BLOCK_LEDGER or BLOCK_KCOV, and without a BLOCK_STOP that
 * refers to the next file, is from a recording that was cut off or is still in
 * progress; its complete blocks can be read.
 *
 * A recording is untrusted input: lengths are checked before contents, and the
 * only allocation is the content of one block, of fixed size.  The reader does
 * not check the inside of a record; dt_decode() of libdt does.
 */
#ifndef CLI_DTFILE_BLOCK_H
#define CLI_DTFILE_BLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <dt/evt.h>

#define BLOCK_HEAD    0x0a525444U /* "DTR\n" on x86-64 and arm64 */
#define BLOCK_PROBE   1
#define BLOCK_CLOCK   2
#define BLOCK_KSYM    3
#define BLOCK_DATA    4
#define BLOCK_LEDGER  5
#define BLOCK_FILE    6
#define BLOCK_CGROUP  7
#define BLOCK_PASS    8
#define BLOCK_STOP    9
#define BLOCK_MAPS    10
#define BLOCK_USYM    11
#define BLOCK_PLACE   12
#define BLOCK_KCOV    13

#define BLOCK_VERSION 1
#define BLOCK_MAXLEN  (1U << 20)
#define BLOCK_MAXPATH 4095 /* longer paths are cut */

struct block_hdr {
	uint32_t bh_type;
	uint32_t bh_version;
	uint32_t bh_length;
	uint32_t bh_sum;
};

struct block_head {
	/*
	 * CLOCK_REALTIME, ns, of the recording's start; the same in all its
	 * files
	 */
	int64_t bf_start;
	uint32_t bf_ncpu; /* CPUs of the machine */
	uint32_t bf_part; /* index of this file in the recording, from 0 */
	char bf_host[64]; /* from uname(2), NUL padded */
	char bf_release[64];
	char bf_machine[16];
	char bf_writer[32]; /* program and version that wrote the file */
	char bf_boot[40];   /* boot id, as text; "": unknown (older files) */
};

/* Bytes of a head without bf_boot, the shortest one. */
#define BLOCK_HEADMIN offsetof(struct block_head, bf_boot)

struct block_probe_hdr {
	uint32_t bp_pbn;
	uint8_t bp_nargs;	/* at most DT_REC_NARGS */
	uint8_t bp_flags;	/* DTPI_*; 0 in older files */
	uint8_t bp_reserved[2]; /* 0 */
};

struct block_ksym_hdr {
	uint64_t bk_pc;
	uint64_t bk_offset; /* offset of bk_pc in the function */
	uint32_t bk_namelen;
	uint32_t bk_reserved; /* 0 */
};

struct block_file_hdr {
	uint32_t bx_pid;
	int32_t bx_fd; /* -100 (AT_FDCWD): the working directory */
	uint32_t bx_pathlen;
	uint32_t bx_reserved; /* 0 */
};

struct block_cgroup_hdr {
	uint64_t bg_id;
	uint32_t bg_pathlen;
	uint32_t bg_reserved; /* 0 */
};

struct block_map_hdr {
	/*
	 * CLOCK_MONOTONIC, ns.  Entries of one pid and time are the mappings
	 * of the process from then until a later bmh_from of that pid.
	 */
	uint64_t bmh_from;
	uint64_t bmh_start;
	uint64_t bmh_end;
	uint64_t bmh_offset; /* offset of bmh_start in the file */
	uint64_t bmh_file;   /* identifies the file */
	uint32_t bmh_pid;
	uint8_t bmh_kind; /* BLOCK_MAP_* */
	uint8_t bmh_buildidlen;
	uint16_t bmh_pathlen;
	uint8_t bmh_buildid[24]; /* build id of the file, padded with 0 */
};

#define BLOCK_MAP_FILE 0
#define BLOCK_MAP_VDSO 1
#define BLOCK_MAP_ANON 2 /* not a file */

struct block_usym_hdr {
	uint64_t buh_file; /* bmh_file of the mapping */
	uint64_t
	    buh_place; /* offset in the file, or with buh_pid the address */
	uint64_t buh_offset; /* offset of buh_place in the function */
	uint32_t buh_pid;    /* process, for code without a file; else 0 */
	uint32_t buh_line;   /* 0: unknown */
	uint16_t buh_funclen;
	uint16_t buh_filelen; /* path of the source; 0: unknown */
	uint8_t buh_isinlined;
	uint8_t buh_reserved[3]; /* 0 */
};

/* bs_why: why the file ends before the recording */
#define BLOCK_STOP_NEXT	 1 /* continues in the next file */
#define BLOCK_STOP_SIZE	 2 /* maximum size reached */
#define BLOCK_STOP_ERROR 3 /* write error: bs_errno */

struct block_stop {
	uint32_t bs_why;
	uint32_t bs_errno;   /* errno of Linux, or 0 */
	uint64_t bs_written; /* events in this file */
	/* events after the end of the file, in no file */
	uint64_t bs_unwritten;
};

struct block_place_hdr {
	uint64_t bpl_count;  /* records of the place */
	uint64_t bpl_first;  /* number of its first record, from 1 */
	uint64_t bpl_offset; /* offset in the function, if there is no line */
	uint64_t bpl_arg1;   /* operands of a comparison */
	uint64_t bpl_arg2;
	uint32_t bpl_line; /* 0: unknown */
	uint32_t bpl_textlen;
	uint8_t bpl_iscmp;	 /* is a comparison */
	uint8_t bpl_type;	 /* of a comparison: KCOV_CMP_* */
	uint8_t bpl_reserved[6]; /* 0 */
};

/* bkc_flags */
#define BLOCK_KCOV_CMP	1 /* places are comparisons */
#define BLOCK_KCOV_USER 2 /* the program's own code: only the first three */
#define BLOCK_KCOV_LATE 4 /* and records may have been lost */
#define BLOCK_KCOV_GONE 8 /* the daemon exited: only the first three */

struct block_kcov {
	uint64_t bkc_read;     /* records read */
	uint64_t bkc_nothers;  /* of places beyond the capacity */
	uint64_t bkc_nfull;    /* times that the memory was full */
	uint64_t bkc_recorded; /* as in struct kio_stat */
	uint64_t bkc_dropped;
	uint64_t bkc_interrupt;
	uint64_t bkc_missed;
	uint64_t bkc_stopped;
	uint32_t bkc_flags;    /* BLOCK_KCOV_* */
	uint32_t bkc_reserved; /* 0 */
};

struct block_rec_hdr {
	uint32_t br_length; /* length of the record, as in dr_length */
	uint32_t br_cpu;
};

/*
 * A probe.  Strings belong to the caller when writing, and live until the next
 * block_next() when reading.
 */
struct block_probe {
	uint32_t pb_pbn;
	unsigned int pb_nargs;
	uint8_t pb_flags; /* DTPI_* */
	const char *pb_prov;
	const char *pb_func;
	const char *pb_name;
	struct {
		const char *type;
		const char *name;
		uint8_t flags;
	} pb_args[DT_REC_NARGS];
};

/*
 * A mapping of a process, and a symbol in it.  Strings are cut to what a block
 * can hold.
 */
struct block_map {
	struct block_map_hdr bm_hdr;
	char bm_path[4096]; /* NUL terminated */
};

struct block_usym {
	struct block_usym_hdr bu_hdr;
	char bu_func[4096];
	char bu_srcfile[4096]; /* "": unknown */
};

/* A place.  Strings as in struct block_probe; "": none. */
struct block_place {
	struct block_place_hdr bl_hdr;
	const char *bl_func;
	const char *bl_module;
	const char *bl_srcfile;
};

/*
 * Writing.  The caller's function writes all bytes or returns -1; it always
 * receives complete blocks.  After a failure, the writer writes nothing more,
 * and block_flush() and block_end() return -1.
 *
 * Records, symbols and paths are collected until a block is full or
 * block_flush() is called, which writes them by one call of the function,
 * symbols first as the format requires.  Nothing else is buffered: before
 * writing a block that must follow the collected ones (a clock, a changed path,
 * the end), the caller calls block_flush().  block_writer_alloc() returns NULL
 * with ENOMEM.
 */
struct block_writer;

struct block_writer *
block_writer_alloc(int (*)(void *, const struct iovec *, int), void *);
void block_writer_free(struct block_writer *); /* NULL is allowed */
void block_head(struct block_writer *, const struct block_head *);
/* Fills in the machine, the writer, and the present time as the start. */
void block_head_init(struct block_head *);
void block_probe(struct block_writer *, const struct block_probe *);
void block_clock(struct block_writer *, int64_t);
void block_ksym(struct block_writer *, uint64_t, const char *, uint64_t);
void block_file(struct block_writer *, uint32_t pid, int fd, const char *path);
void block_cgroup(struct block_writer *, uint64_t id, const char *path);
/* Lengths in the headers are ignored; the strings' lengths are used. */
void block_maps(struct block_writer *, const struct block_map_hdr *,
    const char *path);
void block_usym(struct block_writer *, const struct block_usym_hdr *,
    const char *func, const char *file);
/* bpl_textlen is ignored, too. */
void block_place(struct block_writer *, const struct block_place *);
void block_record(struct block_writer *, uint32_t, const struct dt_rec *);
/* Sets the low water, which is written after the records of a flush. */
void block_pass(struct block_writer *, uint64_t lowwater);
int block_flush(struct block_writer *);
/* Writes the last blocks of the file; either may be NULL. */
int block_end(struct block_writer *, const struct block_stop *,
    const struct dt_ledger *);
/* The same for a run of dt kcov. */
int block_end_kcov(struct block_writer *, const struct block_kcov *);
/* Discards collected blocks and a failure. */
void block_discard(struct block_writer *);
/*
 * block_full() returns whether block_record() would have to flush before a
 * record of the given length.  block_pending() returns the bytes that
 * block_flush() would write.
 */
int block_full(const struct block_writer *, size_t);
size_t block_pending(const struct block_writer *);
/* Calls a function for each collected record. */
void block_each(const struct block_writer *,
    void (*)(void *, const struct dt_rec *), void *);

/* Result of block_next(): the type, and the member for it. */
struct block_item {
	uint32_t bi_type; /* BLOCK_* */
	const struct block_head *bi_head;
	struct block_probe bi_probe;
	int64_t bi_clock;
	struct {
		uint64_t pc;
		uint64_t offset;
		char name[256]; /* NUL terminated, cut */
	} bi_ksym;
	struct {
		uint32_t pid;
		int fd;
		char path[4096]; /* NUL terminated, cut */
	} bi_file;
	struct {
		uint64_t id;
		char path[4096]; /* the same */
	} bi_cgroup;
	struct block_map bi_map;
	struct block_usym bi_usym;
	struct block_place bi_place;
	struct block_kcov bi_kcov;
	const struct dt_rec *bi_rec; /* dr_length bytes */
	uint32_t bi_cpu;
	uint64_t bi_lowwater;
	struct block_stop bi_stop;
	struct dt_ledger bi_ledger;
};

/*
 * Reading.  The caller's function is like read(2).  block_next() returns 1 and
 * an item; 0 at the end of the file, where block_damage() returns NULL, or a
 * text if there was no ledger; or -1 if the file is damaged, where
 * block_damage() returns a text and block_offset() the offset of the block in
 * the file.  Further calls after 0 or -1 return the same.
 */
struct block_reader;

struct block_reader *
block_reader_alloc(ssize_t (*)(void *, void *, size_t), void *);
void block_reader_free(struct block_reader *); /* NULL is allowed */
int block_next(struct block_reader *, struct block_item *);
const char *block_damage(const struct block_reader *);
uint64_t block_offset(const struct block_reader *);

_Static_assert(sizeof(struct block_hdr) == 16, "block header");
_Static_assert(sizeof(struct block_head) == 232, "head block");
_Static_assert(BLOCK_HEADMIN == 192, "head block of older files");
_Static_assert(sizeof(struct block_probe_hdr) == 8, "probe block");
_Static_assert(sizeof(struct block_ksym_hdr) == 24, "name block");
_Static_assert(sizeof(struct block_file_hdr) == 16, "file block");
_Static_assert(sizeof(struct block_cgroup_hdr) == 16, "cgroup block");
_Static_assert(sizeof(struct block_map_hdr) == 72, "map block");
_Static_assert(sizeof(struct block_usym_hdr) == 40, "name block");
_Static_assert(sizeof(struct block_place_hdr) == 56, "place block");
_Static_assert(sizeof(struct block_kcov) == 72, "kcov block");
_Static_assert(sizeof(struct block_rec_hdr) == 8, "record header");
_Static_assert(sizeof(struct block_stop) == 24, "stop block");

#endif /* CLI_DTFILE_BLOCK_H */
