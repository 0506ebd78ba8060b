/* SPDX-License-Identifier: ISC */
/*
 * Structs about files and file systems: stat and related calls, directories,
 * locks.
 */
#include <sys/statvfs.h>

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/stat.h>

#include "cli/decode/mem.h"
#include "mem_file_names.h"

/*
 * stat(2).  x86-64 has its own layout, other machines share another; the length
 * distinguishes them.
 */
#define STAT_X86_64 144

static void
file_put_mode(struct buf *b, uint64_t mode)
{
	uint64_t rest = mode & ~(uint64_t)S_IFMT;
	const struct arg_name *an;
	int any = 0;

	if ((an = arg_name_of(&type_names, mode & S_IFMT)) != NULL) {
		buf_mem(b, an->an_name, an->an_len);
		any = 1;
	} else
		rest = mode;
	rest = arg_put_bits(b, &special_names, rest, &any);
	if (any)
		buf_c(b, '|');
	arg_put_oct(b, rest, 3);
}

static void
file_mode_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	file_put_mode(b, mem_uint(m, 0, mt->mt_size));
}

static const struct mem_type mem_mode16 = { file_mode_put, 2, NULL };

/* For a device, prints its number in place of its size. */
static void
file_stat_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	int isx86 = m->m_true == STAT_X86_64;
	uint64_t mode = mem_uint(m, isx86 ? 24 : 16, 4);
	uint64_t dev = mem_uint(m, isx86 ? 40 : 32, 8);

	(void)mt;
	buf_str(b, "{st_mode=");
	file_put_mode(b, mode);
	if ((mode & S_IFMT) == S_IFCHR || (mode & S_IFMT) == S_IFBLK) {
		buf_str(b, ", st_rdev=makedev(");
		buf_hex(b, (dev >> 8 & 0xfff) | (dev >> 32 & ~0xfffULL));
		buf_str(b, ", ");
		buf_hex(b, (dev & 0xff) | (dev >> 12 & 0xffffff00));
		buf_c(b, ')');
	} else {
		buf_str(b, ", st_size=");
		buf_s64(b, mem_int(m, 48, 8));
	}
	buf_str(b, ", ...}");
}

static const struct mem_type mem_stat = { file_stat_put, 56, NULL };

static const struct mem_type mem_attributes = MEM_FLAGS(8, attributes_names);
static const struct mem_type mem_statxmask = MEM_FLAGS(4, arg_names_statxmask);

static const struct mem_field statx_list[] = {
	{ "stx_mask", 0, &mem_statxmask },
	{ "stx_attributes", 8, &mem_attributes },
	{ "stx_mode", 28, &mem_mode16 },
	{ "stx_size", 40, &mem_u64 },
};
static const struct mem_struct statx_fields = MEM_FIELDS(statx_list, 1);
static const struct mem_type mem_statx = MEM_STRUCT(48, statx_fields);

/*
 * statfs(2)
 */
static const struct mem_type mem_magic = MEM_ENUM(8, magic_names);

static const struct mem_type mem_mountflags = MEM_FLAGS(8, mountflags_names);

static const struct mem_type mem_fsidval = MEM_ARRAY(mem_x32);

static void
file_fsid_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	struct mem val = *m;

	val.m_len = val.m_true = mt->mt_size;
	buf_str(b, "{val=");
	mem_put(b, &val, &mem_fsidval);
	buf_c(b, '}');
}

static const struct mem_type mem_fsid = { file_fsid_put, 8, NULL };

static const struct mem_field statfs_list[] = {
	{ "f_type", 0, &mem_magic },
	{ "f_bsize", 8, &mem_u64 },
	{ "f_blocks", 16, &mem_u64 },
	{ "f_bfree", 24, &mem_u64 },
	{ "f_bavail", 32, &mem_u64 },
	{ "f_files", 40, &mem_u64 },
	{ "f_ffree", 48, &mem_u64 },
	{ "f_fsid", 56, &mem_fsid },
	{ "f_namelen", 64, &mem_u64 },
	{ "f_frsize", 72, &mem_u64 },
	{ "f_flags", 80, &mem_mountflags },
};
static const struct mem_struct statfs_fields = MEM_FIELDS(statfs_list, 0);
static const struct mem_type mem_statfs = MEM_STRUCT(88, statfs_fields);

/*
 * openat2(2)
 */

/* A mode is valid only for a call that creates a file. */
static void
file_openhow_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	uint64_t flags = mem_uint(m, 0, 8), mode = mem_uint(m, 8, 8);

	(void)mt;
	buf_str(b, "{flags=");
	arg_put_flags(b, arg_names_of(&arg_names_open, m->m_ac), flags);
	if (mode != 0 || (flags & O_CREAT) != 0) {
		buf_str(b, ", mode=");
		arg_put_oct(b, mode, 3);
	}
	buf_str(b, ", resolve=");
	arg_put_flags(b, &resolve_names, mem_uint(m, 16, 8));
	buf_c(b, '}');
}

static const struct mem_type mem_openhow = { file_openhow_put, 24, NULL };

/* Directory entries: their number */
#define DIRENT_RECLEN 16 /* offset of an entry's length */

static void
file_dirents_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	unsigned int n = 0;
	uint64_t len;
	struct mem m;

	(void)ak;
	arg_put_ptr(b, v);
	if (!mem_return(ac, argn, &m) || m.m_len < m.m_true)
		return;
	for (; m.m_len > 0; n++) {
		len = mem_uint(&m, DIRENT_RECLEN, 2);
		if (len == 0 || len > m.m_len)
			return;
		m = mem_at(&m, len);
	}
	buf_printf(b, " /* %u entries */", n);
}

/* sendfile(2) changes it; others only read it. */
static void
file_offset_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	struct mem m, after;

	(void)ak;
	if (!mem_entry(ac, argn, &m)) {
		arg_put_ptr(b, v);
		return;
	}
	buf_c(b, '[');
	mem_put(b, &m, &mem_s64);
	buf_c(b, ']');
	if (!mem_return(ac, argn, &after) ||
	    mem_uint(&m, 0, 8) == mem_uint(&after, 0, 8))
		return;
	buf_str(b, " => [");
	mem_put(b, &after, &mem_s64);
	buf_c(b, ']');
}

/*
 * Locks
 */
static const struct mem_type mem_locktype = MEM_ENUM(2, locktype_names);
static const struct mem_type mem_whence = MEM_ENUM(2, arg_names_whence);

static const struct mem_field flock_list[] = {
	{ "l_type", 0, &mem_locktype },
	{ "l_whence", 2, &mem_whence },
	{ "l_start", 8, &mem_s64 },
	{ "l_len", 16, &mem_s64 },
	{ "l_pid", 24, &mem_s32 },
};
static const struct mem_struct setlk_fields = { flock_list, 4, 0 };
static const struct mem_struct getlk_fields = { flock_list, 5, 0 };
static const struct mem_type mem_setlk = MEM_STRUCT(24, setlk_fields);
static const struct mem_type mem_getlk = MEM_STRUCT(28, getlk_fields);

static const struct mem_cmd fcntl_list[] = {
	{ F_SETLK, MEM_IN, &mem_setlk },
	{ F_SETLKW, MEM_IN, &mem_setlk },
	{ F_GETLK, MEM_OUT, &mem_getlk },
	{ F_OFD_SETLK, MEM_IN, &mem_setlk },
	{ F_OFD_SETLKW, MEM_IN, &mem_setlk },
	{ F_OFD_GETLK, MEM_OUT, &mem_getlk },
};
static const struct mem_cmds fcntl_cmds = MEM_CMDS(fcntl_list, 1, UINT64_MAX,
    ARG_OP(arg_ops_fcntl));

static const struct arg_row file_rows[] = {
	{ "stat fstat lstat newfstatat", "statbuf", NULL, ARG_OUT(mem_stat) },
	{ "statx", "buffer", NULL, ARG_OUT(mem_statx) },
	{ "statfs fstatfs", "buf", "struct statfs *", ARG_OUT(mem_statfs) },
	{ "openat2", "how", NULL, ARG_IN(mem_openhow) },
	{ "getdents64", "dirent", NULL, ARG_FUNC(file_dirents_text) },
	{ "getdents", "dirent", NULL, ARG_FUNC(file_dirents_text) },
	{ "getcwd", "buf", NULL, ARG_TEXT },
	{ "readlink readlinkat", "buf", NULL, ARG_TEXT },
	{ "pipe pipe2", "fildes", NULL, ARG_MADE },
	{ "sendfile", "offset", NULL, ARG_FUNC(file_offset_text) },
	{ "splice copy_file_range", "off_in", NULL,
	    ARG_FUNC(file_offset_text) },
	{ "splice copy_file_range", "off_out", NULL,
	    ARG_FUNC(file_offset_text) },
	{ "fcntl", "arg", NULL, ARG_CMDS(fcntl_cmds) },
	{ "read pread64 write pwrite64", "buf", NULL, ARG_DATA },
	{ "getxattr lgetxattr fgetxattr", "value", NULL, ARG_DATA },
	{ "setxattr lsetxattr fsetxattr", "value", NULL, ARG_DATA },
};

const struct arg_table arg_table_mem_file = ARG_TABLE(file_rows);
