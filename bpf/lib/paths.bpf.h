/* SPDX-License-Identifier: GPL-2.0 */
/* Paths of files. A program puts the 64-bit id of a path into its rows and events; the path itself
 * goes to user space (src/tool/files/path_names.h) by a ring of its own, once for an id.
 *
 *   event->path = path_id(file);      // where nobody can close the file meanwhile
 *
 * A file that is renamed or deleted has another id. What a rename of a directory further up changes
 * is told when the path is told again, which is once a second for a file in use. */
#pragma once

#include "bpf/abi/paths.h"
#include "bpf/lib/hash.bpf.h"

#define WICK_PATH_FRESH_NS 1000000000ULL

const volatile u64 path_seed = 0;
u64 paths_lost; /* no room in the ring, or for writing the path down */

/* User space looks twice a second, or ten times: 2 MB are some 20,000 paths. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, WICK_PATH_RING);
} path_ring SEC(".maps");

/* When a path was told, by id. Of one that is forgotten user space hears once more. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u64);
} paths_told SEC(".maps");

/* Where a path is written down. A program on a function may be interrupted by another task's, which
 * takes the second. */
struct path_room {
	u64 is_taken;
	struct wick_path path;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct path_room);
} path_rooms SEC(".maps");

struct path_walk {
	struct dentry *dentry;
	struct mount *mount;
	struct dentry *top; /* of the mount */
	struct wick_path *path;
};

static __always_inline void enter_mount(struct path_walk *walk, struct mount *mount)
{
	walk->mount = mount;
	walk->top = BPF_CORE_READ(mount, mnt.mnt_root);
}

/* False: no room for more. */
static __always_inline bool write_name(struct wick_path *path, struct dentry *dentry)
{
	u32 at = path->bytes & (WICK_PATH_BYTES - 1);
	long size = bpf_probe_read_kernel_str(&path->names[at], WICK_PATH_NAME,
					      BPF_CORE_READ(dentry, d_name.name));

	if (size <= 0)
		return false;
	path->bytes = at + size;
	return path->bytes < WICK_PATH_BYTES - 2 * WICK_PATH_NAME;
}

/* A name, or from the top of a mount to where it is mounted. */
static long walk_step(u32 index, void *context)
{
	struct path_walk *walk = context;
	struct wick_path *path = walk->path;
	struct dentry *dentry = walk->dentry;
	struct dentry *parent;

	if (dentry == walk->top) {
		struct mount *inner = walk->mount;
		struct mount *outer = BPF_CORE_READ(inner, mnt_parent);

		if (!outer || outer == inner) {
			path->flags |= WICK_PATH_ROOTED;
			return 1;
		}
		walk->dentry = BPF_CORE_READ(inner, mnt_mountpoint);
		enter_mount(walk, outer);
		return 0;
	}
	parent = BPF_CORE_READ(dentry, d_parent);
	if (parent == dentry) {
		if (index == 0 && write_name(path, dentry))
			path->flags |= WICK_PATH_LOOSE;
		return 1;
	}
	if (!write_name(path, dentry))
		return 1;
	walk->dentry = parent;
	return 0;
}

static __always_inline bool write_path(struct wick_path *path, u64 id, struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	struct vfsmount *mounted = BPF_CORE_READ(file, f_path.mnt);
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	struct path_walk walk = {.dentry = dentry, .path = path};
	u32 bytes;

	path->id = id;
	path->inode = BPF_CORE_READ(inode, i_ino);
	path->mode = BPF_CORE_READ(inode, i_mode);
	path->flags = BPF_CORE_READ(dentry, d_hash.pprev) ? 0 : WICK_PATH_DELETED;
	path->bytes = 0;
	enter_mount(&walk, (void *)mounted - bpf_core_field_offset(struct mount, mnt));
	bpf_loop(WICK_PATH_STEPS, walk_step, &walk, 0);
	bytes = path->bytes & (WICK_PATH_BYTES - 1);
	return !bpf_ringbuf_output(&path_ring, path,
				   __builtin_offsetof(struct wick_path, names) + bytes,
				   BPF_RB_NO_WAKEUP);
}

static __always_inline bool tell_path(u64 id, struct file *file)
{
	for (u32 i = 0; i < 2; i++) {
		u32 key = i;
		struct path_room *room = bpf_map_lookup_elem(&path_rooms, &key);
		bool is_told;

		if (!room || __sync_lock_test_and_set(&room->is_taken, 1))
			continue;
		is_told = write_path(&room->path, id, file);
		room->is_taken = 0;
		return is_told;
	}
	return false;
}

static __always_inline u64 path_id(struct file *file)
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	u64 now_ns = bpf_ktime_get_ns();
	u64 id, *told_ns;

	id = hash_step(path_seed, (u64)dentry);
	id = hash_step(id, (u64)BPF_CORE_READ(file, f_path.mnt));
	id = hash_step(id, BPF_CORE_READ(file, f_inode, i_ino));
	id = hash_step(id, (u64)BPF_CORE_READ(dentry, d_parent));
	id = hash_step(id, BPF_CORE_READ(dentry, d_name.hash_len));
	id = hash_finish(hash_step(id, !BPF_CORE_READ(dentry, d_hash.pprev)));
	told_ns = bpf_map_lookup_elem(&paths_told, &id);
	if (told_ns && now_ns - *told_ns < WICK_PATH_FRESH_NS)
		return id;
	if (tell_path(id, file))
		bpf_map_update_elem(&paths_told, &id, &now_ns, BPF_ANY);
	else
		__sync_fetch_and_add(&paths_lost, 1);
	return id;
}
