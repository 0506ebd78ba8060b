/* SPDX-License-Identifier: ISC */
/*
 * Builds the path of an open file of the current process, or of its working
 * directory, as readlink(2) of /proc/self/fd/N or /proc/self/cwd returns it in
 * that process.  Runs in tp_btf programs of system calls.
 *
 * No BPF helper for this is available to all program types, so the names are
 * read from the dentries, last name first, without locks.  The path of a file
 * that is renamed at the same moment may mix old and new names.
 */
#ifndef BPF_DT_FILE_BPF_H
#define BPF_DT_FILE_BPF_H

#include "bpf/dt_strings.bpf.h"

#define FILE_AT_FDCWD	  (-100)
#define FILE_EBADF	  9
#define FILE_ENAMETOOLONG 36
#define FILE_EOPNOTSUPP	  95

/*
 * Each name takes at least 2 bytes with its '/', and each mount point one more
 * round; 512 rounds are for mount points.
 */
#define FILE_MAXROUNDS (DT_FILE_END / 2 + 512)
#define FILE_NAMEMAX   255
#define FILE_DELETED   10 /* length of " (deleted)" */

/* s_magic of file systems whose files are outside of the tree */
#define FILE_SOCKFS  0x534f434b
#define FILE_PIPEFS  0x50495045
#define FILE_ANONFS  0x09041934
#define FILE_NSFS    0x6e736673
#define FILE_PIDFS   0x50494446
#define FILE_DMABUFS 0x444d4142

/* Reads a field of a struct of the kernel; a failed read yields 0. */
#define FILE_READ(to, type, addr, field) \
	do { \
		__u64 _from = (addr); \
		bpf_core_read(to, sizeof(*(to)), \
		    &((struct type *)_from)->field); \
	} while (0)

/*
 * Finds the file of a descriptor, or the working directory for FILE_AT_FDCWD.
 * Returns 0 if there is none.
 */
static __always_inline int
file_find(struct dt_fileway *fw, int fd)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 *from = &fw->fw_parent;

	fw->fw_at.fp_dentry = 0;
	if (fd == FILE_AT_FDCWD) {
		bpf_core_read(from, sizeof(*from), &task->fs);
		FILE_READ(&fw->fw_at, fs_struct, *from, pwd);
		return fw->fw_at.fp_dentry != 0;
	}
	bpf_core_read(from, sizeof(*from), &task->files);
	FILE_READ(from, files_struct, *from, fdt);
	FILE_READ((__u32 *)&fw->fw_data[0], fdtable, *from, max_fds);
	if ((__u32)fd >= (__u32)fw->fw_data[0])
		return 0;
	FILE_READ(from, fdtable, *from, fd);
	bpf_probe_read_kernel(from, sizeof(*from),
	    (void *)(*from + 8ULL * (__u32)fd));
	if (*from != 0)
		FILE_READ(&fw->fw_at, file, *from, f_path);
	return fw->fw_at.fp_dentry != 0;
}

/* Prepends '/' and the name to the text.  Returns 0 if it does not fit. */
static __always_inline int
file_prepend(struct dt_fileway *fw)
{
	__u32 pos = *(volatile __u32 *)&fw->fw_start,
	      len = fw->fw_hashlen >> 32;

	if (len > FILE_NAMEMAX || pos > DT_FILE_END || pos < len + 1)
		return 0;
	pos -= len;
	barrier_var(pos);
	pos &= DT_FILE_END - 1;
	bpf_probe_read_kernel(fw->fw_text + pos, len, (void *)fw->fw_name);
	pos--;
	barrier_var(pos);
	pos &= DT_FILE_END - 1;
	fw->fw_text[pos] = '/';
	fw->fw_start = pos;
	return 1;
}

/*
 * Moves to the directory on which the current mount is mounted.  Returns 1 at
 * the root of all mounts.
 */
static __always_inline long
file_leave_mount(struct dt_fileway *fw)
{
	__u64 here = fw->fw_at.fp_mnt -
	    bpf_core_field_offset(struct mount, mnt);

	FILE_READ(&fw->fw_parent, mount, here, mnt_parent);
	if (fw->fw_parent == here || fw->fw_parent == 0)
		return 1;
	FILE_READ(&fw->fw_at.fp_dentry, mount, here, mnt_mountpoint);
	fw->fw_at.fp_mnt = fw->fw_parent +
	    bpf_core_field_offset(struct mount, mnt);
	FILE_READ(&fw->fw_mntroot, vfsmount, fw->fw_at.fp_mnt, mnt_root);
	return 0;
}

/*
 * Prepends one name to the text.  Returns 1 at the end.  All state is in the
 * scratch, because the stack is small at this call depth.
 */
static long
file_round(__u32 i __attribute__((unused)), void *arg)
{
	struct dt_scratch *s = *(struct dt_scratch **)arg;
	struct dt_fileway *fw = &s->scr_file;
	__u64 dentry = fw->fw_at.fp_dentry;

	if (dentry == fw->fw_root.fp_dentry &&
	    fw->fw_at.fp_mnt == fw->fw_root.fp_mnt)
		return fw->fw_isdone = 1;
	if (dentry == fw->fw_mntroot)
		return fw->fw_isdone = file_leave_mount(fw);
	FILE_READ(&fw->fw_parent, dentry, dentry, d_parent);
	if (fw->fw_parent == dentry || fw->fw_parent == 0)
		return fw->fw_isdone = 1; /* not in the tree */
	FILE_READ(&fw->fw_hashlen, dentry, dentry, d_name.hash_len);
	FILE_READ(&fw->fw_name, dentry, dentry, d_name.name);
	fw->fw_at.fp_dentry = fw->fw_parent;
	return !file_prepend(fw);
}

/* Builds the text of a file in the directory tree.  Returns an errno. */
static __always_inline int
file_walk(struct dt_scratch *s)
{
	struct dt_fileway *fw = &s->scr_file;
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 *from = &fw->fw_parent;

	bpf_core_read(from, sizeof(*from), &task->fs);
	FILE_READ(&fw->fw_root, fs_struct, *from, root);
	FILE_READ(from, dentry, fw->fw_at.fp_dentry, d_hash.pprev);
	fw->fw_start = DT_FILE_END;
	if (*from == 0 && fw->fw_at.fp_dentry != fw->fw_mntroot) {
		fw->fw_start = DT_FILE_END - FILE_DELETED;
		__builtin_memcpy(fw->fw_text + DT_FILE_END - FILE_DELETED,
		    " (deleted)", FILE_DELETED);
	}
	fw->fw_isdone = 0;
	bpf_loop(FILE_MAXROUNDS, file_round, &s, 0);
	if (!fw->fw_isdone)
		return FILE_ENAMETOOLONG;
	if (fw->fw_start == DT_FILE_END) { /* the root has no name */
		fw->fw_start = DT_FILE_END - 1;
		fw->fw_text[DT_FILE_END - 1] = '/';
	}
	fw->fw_len = DT_FILE_END - fw->fw_start;
	return fw->fw_len < DT_REC_MAXPATH ? 0 : FILE_ENAMETOOLONG;
}

/* Formats numbers and names in fw_data.  Returns the length with a NUL. */
#define FILE_PRINT(fw, format) \
	({ \
		static const char _format[] = format; \
		bpf_snprintf((char *)(fw)->fw_text + DT_FILE_END, \
		    DT_FILE_MORE, _format, (fw)->fw_data, \
		    sizeof((fw)->fw_data)); \
	})
#define FILE_PRINT1(fw, format) \
	({ \
		static const char _format[] = format; \
		bpf_snprintf((char *)(fw)->fw_text + DT_FILE_END, \
		    DT_FILE_MORE, _format, (fw)->fw_data, \
		    sizeof((fw)->fw_data[0])); \
	})

/*
 * Formats a namespace: the name of its type, for example "net", and its inode.
 */
static __always_inline long
file_namespace(struct dt_fileway *fw)
{
	__u64 *p = &fw->fw_parent;

	FILE_READ(&fw->fw_data[1], inode, *p, i_ino);
	FILE_READ(p, inode, *p, i_private);
	FILE_READ(p, ns_common, *p, ops);
	FILE_READ(&fw->fw_data[0], proc_ns_operations, *p, name);
	return FILE_PRINT(fw, "%s:[%lu]");
}

/*
 * Formats the text of a file outside of any directory, by its file system.
 * Returns its length with a NUL, or a negative errno.
 */
__noinline int
dt_file_special(struct dt_scratch *s)
{
	struct dt_fileway *fw;
	__u64 dentry;

	if (s == NULL)
		return -FILE_EOPNOTSUPP;
	fw = &s->scr_file;
	dentry = fw->fw_at.fp_dentry;
	FILE_READ(&fw->fw_parent, dentry, dentry, d_inode);
	FILE_READ(&fw->fw_data[0], inode, fw->fw_parent, i_ino);
	switch (fw->fw_magic) {
	case FILE_SOCKFS:
		return FILE_PRINT1(fw, "socket:[%lu]");
	case FILE_PIPEFS:
		return FILE_PRINT1(fw, "pipe:[%lu]");
	case FILE_NSFS:
		return file_namespace(fw);
	case FILE_DMABUFS:
		return -FILE_EOPNOTSUPP; /* the name is in struct dma_buf */
	}
	FILE_READ(&fw->fw_data[0], dentry, dentry, d_name.name);
	if (fw->fw_magic == FILE_ANONFS)
		return FILE_PRINT1(fw, "anon_inode:%s");
	if (fw->fw_magic != FILE_PIDFS)
		return FILE_PRINT1(fw, "/%s (deleted)");
	__builtin_memcpy(fw->fw_text + DT_FILE_END, "anon_inode:[pidfd]", 19);
	return 19;
}

/* Returns whether a file generates its own text, and then sets fw_magic. */
static __always_inline int
file_isspecial(struct dt_fileway *fw)
{
	__u64 dentry = fw->fw_at.fp_dentry, *p = &fw->fw_magic;

	FILE_READ(p, dentry, dentry, d_op);
	if (*p == 0 || dentry == fw->fw_mntroot)
		return 0;
	FILE_READ(p, dentry_operations, *p, d_dname);
	if (*p == 0)
		return 0;
	FILE_READ(p, dentry, dentry, d_sb);
	FILE_READ(p, super_block, *p, s_magic);
	return 1;
}

/*
 * Builds the path of a descriptor of the current process, or of its working
 * directory for FILE_AT_FDCWD, in scr_file: fw_len bytes at fw_start, which is
 * DT_FILE_END for a file outside of any directory.  Returns an errno, EBADF if
 * the descriptor is not open.
 */
__noinline int
dt_file_path(struct dt_scratch *s, int fd)
{
	struct dt_fileway *fw;
	int n;

	if (s == NULL)
		return FILE_EBADF;
	fw = &s->scr_file;
	if ((fd < 0 && fd != FILE_AT_FDCWD) || !file_find(fw, fd))
		return FILE_EBADF;
	FILE_READ(&fw->fw_mntroot, vfsmount, fw->fw_at.fp_mnt, mnt_root);
	if (!file_isspecial(fw))
		return file_walk(s);
	n = dt_file_special(s);
	if (n <= 0)
		return n == 0 ? FILE_EOPNOTSUPP : -n;
	fw->fw_start = DT_FILE_END;
	fw->fw_len = n - 1;
	return n <= DT_FILE_MORE ? 0 : FILE_ENAMETOOLONG;
}

#endif /* BPF_DT_FILE_BPF_H */
