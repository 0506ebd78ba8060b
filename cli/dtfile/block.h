/* SPDX-License-Identifier: ISC */
/*
 * Recordings: the blocks of a .dt file, written by `dt record -o`, read by
 * `dt report`.  This header tells the format, and docs/recording.md in words
 * that need no C; block_*.c is the only code that knows it.
 *
 * A file is a sequence of blocks, nothing between them.  A block is a struct
 * block_hdr, bh_length bytes of content, and zeros up to the next multiple of
 * 8.  Numbers are in the byte order of the machine that recorded, and every
 * struct below starts at a multiple of 8 of the file.
 *
 *	bh_type		BLOCK_*; a reader skips a type that it doesn't know
 *	bh_version	1; a reader skips a version that it doesn't know,
 *			but for the first block, which it refuses
 *	bh_length	bytes of content, BLOCK_MAXLEN at most
 *	bh_sum		CRC-32 (that of zlib, gzip and PNG) over the twelve
 *			bytes before bh_sum, the content, and the zeros
 *
 * The first block is BLOCK_HEAD; its type is the magic number of the file,
 * and, read backwards, tells a recording of the other byte order.  Content:
 *
 *	BLOCK_HEAD	struct block_head; once, first
 *	BLOCK_PROBE	a probe: struct block_probe_hdr, bp_nargs bytes with
 *			the flags of each argument (DTAN_*), then strings,
 *			each ended by a NUL: provider, function, name; type
 *			and name of each argument.  Stands before all of the
 *			probe's records
 *	BLOCK_CLOCK	int64_t: nanoseconds to add to the time of all records
 *			that follow, for CLOCK_REALTIME.  Before the first
 *			record, and again when the clock was set; where records
 *			of before and after that are mixed, there may be many
 *	BLOCK_KSYM	names of kernel addresses, as many as there are: struct
 *			block_ksym_hdr, bk_namelen bytes without NUL, zeros up
 *			to a multiple of 8.  Stands before the records that
 *			have these addresses in a stack; not all have a name
 *	BLOCK_DATA	records as evt.h has them, in the order in which they
 *			were delivered, which is that of time for each CPU,
 *			but not between CPUs: each behind a struct
 *			block_rec_hdr.  The length of a record is a multiple
 *			of 8
 *	BLOCK_PASS	uint64_t: all records whose time is less stand before
 *			this block, so a reader that sorts may hand them out.
 *			One that comes later all the same is late
 *	BLOCK_FILE	what descriptors meant when the records that follow were
 *			made, as many as there are: struct block_file_hdr,
 *			bx_pathlen bytes without NUL, zeros up to a multiple
 *			of 8.  Calls that are recorded change it since
 *	BLOCK_CGROUP	paths of cgroups, as many as there are: struct
 *			block_cgroup_hdr, bg_pathlen bytes without NUL, zeros
 *			up to a multiple of 8
 *	BLOCK_MAPS	code that processes had mapped, as much as there is:
 *			struct block_map_hdr, bm_pathlen bytes without NUL,
 *			zeros up to a multiple of 8.  Stands before the records
 *			of such a process that have a user stack; not all of
 *			them are known
 *	BLOCK_USYM	names of code in files: struct block_usym_hdr,
 *			bu_funclen and bu_filelen bytes without NUL, zeros up
 *			to a multiple of 8.  Several of one place are functions
 *			that were inlined there, the innermost first
 *	BLOCK_STOP	struct block_stop: the file ends before the recording
 *			did.  Nothing follows but BLOCK_LEDGER, and not even
 *			that if the recording goes on in the next file
 *	BLOCK_LEDGER	struct dt_ledger; once, last.  A longer one is of a
 *			later version that counts more
 *
 * A file without BLOCK_LEDGER, and without a BLOCK_STOP that says that the
 * recording goes on in the next file, is of a recording that was cut off, or
 * that still goes on; its whole blocks can be read.
 *
 * A recording is foreign input to who reads it: lengths are tested before
 * contents, nothing is allocated by a number of the file but the content of
 * one block, and that as far as the file has it.  What the reader does not test
 * is the inside of a record: dt_decode() of libdt does.
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

#define BLOCK_VERSION 1
#define BLOCK_MAXLEN  (1U << 20)

struct block_hdr {
	uint32_t bh_type;
	uint32_t bh_version;
	uint32_t bh_length;
	uint32_t bh_sum;
};

struct block_head {
	int64_t bf_start; /* CLOCK_REALTIME, ns: of the recording, the same in
			     all its files */
	uint32_t bf_ncpu; /* CPUs of the machine */
	uint32_t bf_part; /* which file of the recording it is, from 0 */
	char bf_host[64]; /* of uname(2), NUL padded */
	char bf_release[64];
	char bf_machine[16];
	char bf_writer[32]; /* program and version that recorded */
};

struct block_probe_hdr {
	uint32_t bp_pbn;
	uint8_t bp_nargs;	/* DT_REC_NARGS at most */
	uint8_t bp_reserved[3]; /* 0 */
};

struct block_ksym_hdr {
	uint64_t bk_pc;
	uint64_t bk_offset; /* of bk_pc from the start of bk_name */
	uint32_t bk_namelen;
	uint32_t bk_reserved; /* 0 */
};

struct block_file_hdr {
	uint32_t bx_pid;
	int32_t bx_fd; /* -100: the working directory */
	uint32_t bx_pathlen;
	uint32_t bx_reserved; /* 0 */
};

struct block_cgroup_hdr {
	uint64_t bg_id;
	uint32_t bg_pathlen;
	uint32_t bg_reserved; /* 0 */
};

struct block_map_hdr {
	uint64_t bm_from; /* CLOCK_MONOTONIC, ns: the process had it from then
			     until a later bm_from of the same pid; all of the
			     same pid and time are what it had */
	uint64_t bm_start;
	uint64_t bm_end;
	uint64_t bm_offset; /* of bm_start in the file */
	uint64_t bm_file;   /* the same number: the same file */
	uint32_t bm_pid;
	uint8_t bm_kind; /* BLOCK_MAP_* */
	uint8_t bm_buildidlen;
	uint16_t bm_pathlen;
	uint8_t bm_buildid[24]; /* of the file; 0 behind its length */
};

#define BLOCK_MAP_FILE 0
#define BLOCK_MAP_VDSO 1
#define BLOCK_MAP_ANON 2 /* no file */

struct block_usym_hdr {
	uint64_t bu_file;   /* bm_file */
	uint64_t bu_place;  /* offset in the file, or with bu_pid the address */
	uint64_t bu_offset; /* of it in the function */
	uint32_t bu_pid;    /* of code without a file; else 0 */
	uint32_t bu_line;   /* 0: not known */
	uint16_t bu_funclen;
	uint16_t bu_filelen; /* path of the source; 0: not known */
	uint8_t bu_isinlined;
	uint8_t bu_reserved[3]; /* 0 */
};

/* Why a file ends before the recording does: bs_why */
#define BLOCK_STOP_NEXT	 1 /* it goes on in the next file */
#define BLOCK_STOP_SIZE	 2 /* it had the size that was allowed */
#define BLOCK_STOP_ERROR 3 /* it could not be written any more: bs_errno */

struct block_stop {
	uint32_t bs_why;
	uint32_t bs_errno;     /* Linux' number, or 0 */
	uint64_t bs_written;   /* events that this file has */
	uint64_t bs_unwritten; /* that came after it was full, in no file */
};

struct block_rec_hdr {
	uint32_t br_length; /* of the record, as its dr_length */
	uint32_t br_cpu;
};

/* A probe as it is handed in and out; strings are the caller's, or live until
 * the next block_next(). */
struct block_probe {
	uint32_t pb_pbn;
	unsigned int pb_nargs;
	const char *pb_prov;
	const char *pb_func;
	const char *pb_name;
	struct {
		const char *type;
		const char *name;
		uint8_t flags;
	} pb_args[DT_REC_NARGS];
};

/* Code of a process, and the name of a place in it, as they are handed in and
 * out; strings are cut to what a block holds. */
struct block_map {
	struct block_map_hdr bm_hdr;
	char bm_path[4096]; /* NUL terminated */
};

struct block_usym {
	struct block_usym_hdr bu_hdr;
	char bu_func[4096];
	char bu_srcfile[4096]; /* "": not known */
};

/*
 * Writing.  The caller gives a function that writes all of it, or returns -1;
 * it is always given whole blocks.  After a failure the writer writes nothing
 * more, and block_flush() and block_end() return -1.  Records, names and paths
 * are collected until a block is full or block_flush() is called: names first,
 * as the format wants it, all by one call of the function.  Nothing else is
 * buffered: what of that must stand behind what was collected (a clock, a path
 * that changed, the end) is preceded by block_flush(), by the caller.
 * block_writer_alloc() returns NULL with ENOMEM.
 */
struct block_writer;

struct block_writer *
block_writer_alloc(int (*)(void *, const struct iovec *, int), void *);
void block_writer_free(struct block_writer *); /* NULL is fine */
void block_head(struct block_writer *, const struct block_head *);
void block_probe(struct block_writer *, const struct block_probe *);
void block_clock(struct block_writer *, int64_t);
void block_ksym(struct block_writer *, uint64_t, const char *, uint64_t);
void block_file(struct block_writer *, uint32_t pid, int fd, const char *path);
void block_cgroup(struct block_writer *, uint64_t id, const char *path);
/* The lengths in the headers are those of the strings, whatever they say. */
void block_maps(struct block_writer *, const struct block_map_hdr *,
    const char *path);
void block_usym(struct block_writer *, const struct block_usym_hdr *,
    const char *func, const char *file);
void block_record(struct block_writer *, uint32_t, const struct dt_rec *);
/* Goes out with the next flush that has records, behind them. */
void block_pass(struct block_writer *, uint64_t lowwater);
int block_flush(struct block_writer *);
/* The last blocks of the file; either may be NULL. */
int block_end(struct block_writer *, const struct block_stop *,
    const struct dt_ledger *);
/* Forgets what was collected, and a failure. */
void block_discard(struct block_writer *);
/* Whether block_record() would have to flush before a record of so many
 * bytes; how many bytes block_flush() would write. */
int block_full(const struct block_writer *, size_t);
size_t block_pending(const struct block_writer *);
/* Each record that was collected. */
void block_each(const struct block_writer *,
    void (*)(void *, const struct dt_rec *), void *);

/* What block_next() found; the member of bi_type is filled. */
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
	const struct dt_rec *bi_rec; /* dr_length bytes */
	uint32_t bi_cpu;
	uint64_t bi_lowwater;
	struct block_stop bi_stop;
	struct dt_ledger bi_ledger;
};

/*
 * Reading.  The caller gives a function as read(2): bytes, 0 at the end, -1
 * with errno.  block_next() returns 1 and an item; 0 at the end of the file
 * (block_damage() is NULL then, or tells that there was no ledger); or -1
 * when the file is damaged there: block_damage() says in words how, and
 * block_offset() where, as the offset of the block from the start.  After 0
 * or -1 it returns the same again.
 */
struct block_reader;

struct block_reader *
block_reader_alloc(ssize_t (*)(void *, void *, size_t), void *);
void block_reader_free(struct block_reader *); /* NULL is fine */
int block_next(struct block_reader *, struct block_item *);
const char *block_damage(const struct block_reader *);
uint64_t block_offset(const struct block_reader *);

_Static_assert(sizeof(struct block_hdr) == 16, "block header");
_Static_assert(sizeof(struct block_head) == 192, "head block");
_Static_assert(sizeof(struct block_probe_hdr) == 8, "probe block");
_Static_assert(sizeof(struct block_ksym_hdr) == 24, "name block");
_Static_assert(sizeof(struct block_file_hdr) == 16, "file block");
_Static_assert(sizeof(struct block_cgroup_hdr) == 16, "cgroup block");
_Static_assert(sizeof(struct block_map_hdr) == 72, "map block");
_Static_assert(sizeof(struct block_usym_hdr) == 40, "name block");
_Static_assert(sizeof(struct block_rec_hdr) == 8, "record header");
_Static_assert(sizeof(struct block_stop) == 24, "stop block");

#endif /* CLI_DTFILE_BLOCK_H */
