/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few fields of the kernel's types that our programs read. Written by hand, so that nothing of
 * the building machine's kernel gets in: names only, whose places libbpf finds in the running
 * kernel's BTF when it loads a program (CO-RE). A suffix behind ___ is not part of a name: it tells
 * apart what one type looked like in different kernels.
 */
#ifndef RDIO_BPF_KERNEL_H
#define RDIO_BPF_KERNEL_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
/* Behind the helpers, which it calls. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
  __u32 s_dev;
  unsigned long s_magic;
};

struct inode {
  __u16 i_mode;
  unsigned int __i_nlink;
  unsigned long i_ino;
  __u32 i_rdev;
  __u32 i_generation;
  long long i_size;
  struct super_block *i_sb;
};

struct address_space {
  struct inode *host;
  unsigned long flags;
};

/* Since 6.18 the flags of a folio are a structure of this name. */
typedef struct {
  unsigned long f;
} memdesc_flags_t;

struct folio {
  memdesc_flags_t flags;
  struct address_space *mapping;
  unsigned long index;
  unsigned long _flags_1;
};

struct folio___flat_flags {
  unsigned long flags;
};

/* 6.0 to 6.5; later the order is in the low byte of _flags_1. */
struct folio___own_order {
  unsigned char _folio_order;
};

struct page {
  unsigned long flags;
  struct address_space *mapping;
  unsigned long index;
  unsigned char compound_order;
};

struct file {
  struct inode *f_inode;
};

struct fdtable {
  unsigned int max_fds;
  struct file **fd;
};

struct files_struct {
  struct fdtable *fdt;
};

struct task_struct {
  unsigned int flags;
  struct files_struct *files;
};

struct xfs_inode {
  struct inode i_vnode;
};

struct trace_event_raw_mm_filemap_op_page_cache {
  unsigned long i_ino;
  unsigned long index;
  __u32 s_dev;
  unsigned char order;
};

struct trace_event_raw_sys_enter {
  unsigned long args[6];
};

#pragma clang attribute pop

/* Their values are the running kernel's too. */
enum pageflags { PG_writeback = 1, PG_uptodate, PG_dirty, PG_head };
enum mapping_flags { AS_EXITING = 1 };

#define PF_MEMALLOC 0x800 /* of task_struct.flags: this task reclaims memory */
#define BDEVFS_MAGIC 0x62646576

#endif
