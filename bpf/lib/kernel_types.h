/* SPDX-License-Identifier: GPL-2.0 */
/* The few kernel types we read, with only the fields we read. Offsets are put right by CO-RE when
 * the program is loaded, so neither their place nor the rest of the struct matters here. */
#pragma once

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0

/* From the UAPI headers: numbers, so they never change. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_F_NO_PREALLOC = 1 << 0,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_F_INNER_MAP = 1 << 12,
	BPF_F_USER_STACK = 1 << 8,
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_RB_AVAIL_DATA = 0,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	EEXIST = 17,
	EBADF = 9,
	EISDIR = 21,
	ENOTEMPTY = 39,
	S_IFMT = 0170000,
	S_IFREG = 0100000,
	AT_REMOVEDIR = 0x200,
};

#ifndef WICK_NATIVE
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

struct ns_common {
	unsigned int inum;
};
struct pid_namespace {
	struct ns_common ns;
};
struct mnt_namespace {
	struct ns_common ns;
};
struct nsproxy {
	struct mnt_namespace *mnt_ns;
};
struct gendisk {
	int major;
	int first_minor;
};
struct request_queue {
	struct gendisk *disk;
};
struct block_device {
	u32 bd_dev;
};
struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	u64 __sector;
	struct block_device *part;
	u64 alloc_time_ns;
	u64 start_time_ns;
};
struct inode {
	u16 i_mode;
	unsigned long i_ino;
	s64 i_size;
};
struct address_space {
	struct inode *host;
};
struct folio {
	struct address_space *mapping;
	unsigned long index;
	unsigned long _head_1;	      /* since 6.2 */
	unsigned long __head;	      /* before */
	unsigned int _nr_pages;	      /* since 6.15 */
	unsigned int _folio_nr_pages; /* before */
};
struct qstr {
	u64 hash_len;
	u32 len;
	const unsigned char *name;
};
struct nameidata {
	struct qstr last;
};
struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};
struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
};
struct vfsmount {
	struct dentry *mnt_root;
};
struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};
struct file {
	unsigned int f_mode;
	unsigned int f_flags;
	struct address_space *f_mapping;
	struct path f_path;
	struct inode *f_inode;
};
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};
struct files_struct {
	struct fdtable *fdt;
};
struct kiocb {
	struct file *ki_filp;
	s64 ki_pos;
};
struct iov_iter {
	unsigned long count;
};
struct vm_area_struct {
	struct file *vm_file;
};
struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
};
struct file_ra_state {
	unsigned int size;
};
struct readahead_control {
	struct address_space *mapping;
	unsigned long _index;
};
struct net {
	struct ns_common ns;
};
typedef struct {
	struct net *net;
} possible_net_t;
struct net_device {
	int ifindex;
	possible_net_t nd_net;
};
struct sk_buff {
	struct net_device *dev;
	unsigned int len;
	u16 queue_mapping;
};
struct task_io_accounting {
	u64 syscr;
};
struct kernfs_node {
	u64 id;
};
struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup *ancestors[1];
};
struct css_set {
	struct cgroup *dfl_cgrp;
};
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
struct thread_info {
	u32 status;
};
struct mm_struct {
	unsigned long end_code;
	unsigned long start_stack;
};
typedef struct {
	int counter;
} atomic_t;
struct signal_struct {
	atomic_t live;
};
struct thread_struct {
	unsigned long fsbase;
};
typedef struct {
	unsigned int val;
} kuid_t;
struct cred {
	kuid_t uid;
};
struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
};
struct cfs_bandwidth {
	u64 throttled_time;
};
struct task_group {
	struct task_group *parent;
	struct cfs_bandwidth cfs_bandwidth;
};
struct sched_entity {
	u64 sum_exec_runtime;
};
struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int on_cpu;
	int exit_state;
	unsigned in_iowait : 1;
	const struct cred *cred;
	char comm[16];
	int pid;
	int tgid;
	u64 start_time;
	u64 start_boottime;
	u64 self_exec_id;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct nsproxy *nsproxy;
	struct files_struct *files;
	struct signal_struct *signal;
	struct thread_struct thread;
	struct css_set *cgroups;
	struct task_struct *real_parent;
	struct task_io_accounting ioac;
	unsigned long nvcsw;
	unsigned long nivcsw;
	struct sched_entity se;
	struct task_group *sched_task_group;
	bool throttled; /* since 6.18 */
};

/* Not relocated from here on. */
#ifndef WICK_NATIVE
#pragma clang attribute pop
#endif

#include "bpf/arch/pt_regs.h"

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
struct bpf_perf_event_data {
	struct pt_regs regs;
	u64 sample_period;
	u64 addr;
};
