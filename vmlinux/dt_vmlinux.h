/* SPDX-License-Identifier: ISC */
/*
 * The kernel types that bpf/ needs, and of those only the fields that are
 * read.  Kept by hand: offsets come from the running kernel's BTF when an
 * object is loaded (CO-RE), so order and what is left out do not matter, but
 * names and types must be the kernel's.  `make check-vmlinux` compares each
 * field with the BTF of the machine it runs on.
 */
#ifndef DT_VMLINUX_H
#define DT_VMLINUX_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), \
    apply_to = record)

typedef struct {
	__u32 val;
} kuid_t;

typedef struct {
	__u32 val;
} kgid_t;

/* An array of two words up to Linux 6.2, with the same bytes. */
typedef struct {
	__u64 val;
} kernel_cap_t;

struct proc_ns_operations {
	const char *name;
};

struct ns_common {
	const struct proc_ns_operations *ops;
	unsigned int inum;
};

struct user_namespace {
	struct user_namespace *parent;
	kuid_t owner;
	struct ns_common ns;
};

struct cred {
	kuid_t uid;
	kgid_t gid;
	kuid_t suid;
	kgid_t sgid;
	kuid_t euid;
	kgid_t egid;
	kernel_cap_t cap_permitted;
	struct user_namespace *user_ns;
};

struct thread_info {
	unsigned long flags;
	__u32 cpu;
#if defined(__TARGET_ARCH_x86)
	__u32 status;
#elif defined(__TARGET_ARCH_arm64)
	__u64 preempt_count;
#endif
};

struct xol_area {
	unsigned long vaddr;	/* where returns lead whose call is probed */
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	unsigned long flags;
	unsigned long start_stack;
	struct uprobes_state uprobes_state;	/* with CONFIG_UPROBES */
	unsigned long saved_auxv[];	/* its length differs */
};

/* Since Linux 6.18. */
typedef struct {
	unsigned long __mm_flags[1];
} mm_flags_t;

struct mm_struct___words {
	mm_flags_t flags;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct xa_node {
	unsigned char shift;
	void *slots[64]; /* 16 on small kernels */
};

struct xarray {
	void *xa_head;
};

struct idr {
	struct xarray idr_rt;
};

struct pid_namespace {
	struct idr idr;
	struct ns_common ns;
};

/* A number, and the namespace that it counts in. */
struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct hlist_head tasks[4];	/* by enum pid_type */
	struct upid numbers[];		/* level + 1, the initial one first */
};

#define PIDTYPE_PID  0			/* enum pid_type */
#define PIDTYPE_TGID 1

struct signal_struct {
	int nr_threads;
	struct pid *pids[4];
};

struct qstr {
	__u64 hash_len;
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct dentry;

struct dentry_operations {
	char * (*d_dname)(struct dentry *, char *, int);
};

struct super_block {
	unsigned long s_magic;
};

struct inode {
	unsigned long i_ino;
	void *i_private;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	const struct dentry_operations *d_op;
	struct super_block *d_sb;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

/* Read as a whole: all fields, in the kernel's order. */
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct fs_struct {
	struct path root;
	struct path pwd;
};

typedef __kernel_size_t size_t;

struct thread_struct {
#if defined(__TARGET_ARCH_x86)
	unsigned long fsbase;
#elif defined(__TARGET_ARCH_arm64)
	struct {
		unsigned long tp_value;
	} uw;
#endif
};

/* The run queue of a CPU, and its clocks. */
struct rq {
	__u64 clock;
	__u64 clock_task;
};

struct cfs_rq {
	struct rq *rq;	/* with CONFIG_FAIR_GROUP_SCHED */
};

struct sched_entity {
	__u64 exec_start;
	struct cfs_rq *cfs_rq;	/* with CONFIG_FAIR_GROUP_SCHED */
};

/* With CONFIG_SCHED_INFO. */
struct sched_info {
	long long unsigned int last_arrival;
	long long unsigned int last_queued;
};

/* A call whose return is probed: the kernel has replaced its return address. */
struct return_instance {
	unsigned long stack;		/* stack pointer at its entry */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;	/* of an outer call, or the same */
};

struct uprobe_task {
	struct return_instance *return_instances;
};

struct arch_uprobe;

/* Since Linux 6.11. */
struct uprobe_task___hit {
	struct arch_uprobe *auprobe;	/* hit right now */
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int on_cpu;
	struct sched_entity se;
	struct sched_info sched_info;
	int exit_state;
	struct mm_struct *mm;
	unsigned int in_execve: 1;	/* execve(2) is in progress */
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct pid *thread_pid;
	struct hlist_node pid_links[4];	/* by enum pid_type */
	struct task_struct *group_leader;
	struct signal_struct *signal;
	struct fs_struct *fs;
	struct files_struct *files;
	__u64 start_time;
	__u64 parent_exec_id;		/* the parent's, as of the fork */
	__u64 self_exec_id;		/* executions before this one */
	const struct cred *real_cred;
	char comm[16];
	struct uprobe_task *utask;	/* NULL: it has hit no uprobe */
	unsigned long sas_ss_sp;	/* alternate stack of signals */
	size_t sas_ss_size;
	struct thread_struct thread;
};

typedef __s64 ktime_t;

struct tick_sched {
	ktime_t idle_sleeptime;
	ktime_t iowait_sleeptime;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long bp;
	unsigned long bx;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	__u64 regs[31];
	__u64 orig_x0;
	__s32 syscallno;
};
#else
#error "this architecture has no registers here yet"
#endif

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct sock_cgroup_data {
	struct cgroup *cgroup;
};

struct sock {
	struct sock_cgroup_data sk_cgrp_data;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 seq_num;
};

/* What a program gets that looks at all tasks; NULL at the end. */
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

/* What a perf_event program gets; its content is not read. */
struct bpf_perf_event_data;

#pragma clang attribute pop

#endif /* DT_VMLINUX_H */
