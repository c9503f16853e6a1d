// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/*
 * KTracer, the kernel's half (BNEX, section 3.2): which pages of files fell out of the page cache
 * for want of memory. Reports runs of consecutive pages, not pages, so that a sequential reader's
 * evictions cost the evicting task an addition and the agent next to nothing.
 *
 * mm_filemap_delete_from_page_cache fires for every page that leaves the page cache, whatever the
 * cause, under the mapping's i_pages lock with interrupts off; so no program here is interrupted by
 * another one on its CPU, and a CPU's slot needs no lock.
 */
#include "kernel.h"
#include "ktracer.h"

/* As the kernel demands of programs that read its memory. */
char program_license[] SEC("license") = "GPL";

/* Set by the agent before the programs are loaded. */
const volatile __u32 page_shift = 12;

/* Set by the agent at any time. */
struct rdio_traced traced[RDIO_TRACED_DEVICES] = {};
struct rdio_cpu cpus[RDIO_CPUS] __attribute__((aligned(128))) = {};
/* Grows whenever extents of a file in this slot are about to be freed or moved. */
__u32 epochs[RDIO_EPOCHS] = {};
/* True once a file was marked FADV_NOREUSE: until then none is looked for. */
bool any_noreuse = false;

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 20);
} evicted SEC(".maps");

struct file_id {
  __u64 inode;
  __u32 device;
  __u32 generation;
};

/* Bounded; the files that were marked least recently are forgotten, and traced again. */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, RDIO_NOREUSE_FILES);
  __type(key, struct file_id);
  __type(value, __u8);
} noreuse SEC(".maps");

static __always_inline struct rdio_cpu *this_cpu(void) {
  return &cpus[bpf_get_smp_processor_id() & (RDIO_CPUS - 1)];
}

static __always_inline bool is_traced(__u32 device, __u32 kind) {
#pragma unroll
  for (int i = 0; i < RDIO_TRACED_DEVICES; i++) {
    if (traced[i].device == device && traced[i].kind == kind) {
      return true;
    }
  }
  return false;
}

/*
 * Hands a CPU's runs to the agent, which is woken only when much is waiting for it. Several at a
 * time, for to enter the ring buffer takes longer than all that is done for an eviction besides.
 */
static __always_inline void flush(struct rdio_cpu *cpu) {
  __u64 runs = cpu->held_runs;
  if (runs > RDIO_BATCH_RUNS) {
    return;
  }
  barrier_var(runs); /* two comparisons, which the verifier can follow, and not one of runs - 1 */
  if (runs == 0) {
    return;
  }
  bool much = bpf_ringbuf_query(&evicted, BPF_RB_AVAIL_DATA) > (1 << 18);
  if (bpf_ringbuf_output(&evicted, cpu->held, runs * sizeof cpu->held[0],
                         much ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP) == 0) {
    cpu->runs += runs;
  } else {
    cpu->lost_runs += runs;
    for (__u64 i = 0; i < RDIO_BATCH_RUNS; i++) {
      cpu->lost_pages += i < runs ? cpu->held[i].pages : 0;
    }
  }
  cpu->held_runs = 0;
}

static __always_inline bool is_noreuse(const struct rdio_evicted_run *page) {
  if (!any_noreuse || page->kind != RDIO_FILES) {
    return false;
  }
  struct file_id id = {page->inode, page->device, page->generation};
  return bpf_map_lookup_elem(&noreuse, &id);
}

/* Adds to the CPU's last run what continues it at either end; anything else begins a new one. */
static __always_inline void add(const struct rdio_evicted_run *page) {
  struct rdio_cpu *cpu = this_cpu();
  __u64 runs = cpu->held_runs;
  if (runs > 0 && runs <= RDIO_BATCH_RUNS) {
    struct rdio_evicted_run *run = &cpu->held[runs - 1];
    if (run->inode == page->inode && run->device == page->device &&
        run->generation == page->generation && run->kind == page->kind &&
        run->pages < RDIO_RUN_PAGES) {
      if (run->first_page + run->pages == page->first_page) {
        run->pages += page->pages;
        cpu->pages += page->pages;
        return;
      }
      if (page->first_page + page->pages == run->first_page) {
        run->first_page = page->first_page;
        run->pages += page->pages;
        cpu->pages += page->pages;
        return;
      }
    }
  }
  if (is_noreuse(page)) {
    cpu->noreuse_pages += page->pages;
    return;
  }
  if (runs >= RDIO_BATCH_RUNS) {
    flush(cpu);
    runs = 0;
  }
  cpu->held[runs] = *page;
  cpu->held_runs = runs + 1;
  cpu->pages += page->pages;
}

/*
 * Of all tasks that take pages out of the page cache only those that reclaim memory have this flag:
 * kswapd, whoever has to help it, a memory cgroup at its limit, DAMON. FADV_DONTNEED, drop_caches,
 * truncate, hole punching and unmounting do not.
 */
static __always_inline bool is_reclaim(void) {
  unsigned int flags;
  if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)) {
    flags = bpf_get_current_task_btf()->flags;
  } else {
    flags = BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), flags);
  }
  return flags & PF_MEMALLOC;
}

#define HAS_FLAG(flags, name) ((flags) & (1UL << bpf_core_enum_value(enum pageflags, name)))

static __always_inline bool is_clean(unsigned long flags) {
  return HAS_FLAG(flags, PG_uptodate) && !HAS_FLAG(flags, PG_dirty) &&
         !HAS_FLAG(flags, PG_writeback);
}

/* Whether the file goes on having these bytes: else their blocks are about to be freed. */
static __always_inline bool is_live(struct address_space *mapping, struct inode *inode,
                                    unsigned long index) {
  return inode->__i_nlink > 0 &&
         !(mapping->flags & (1UL << bpf_core_enum_value(enum mapping_flags, AS_EXITING))) &&
         (long long)(index << page_shift) < inode->i_size;
}

static __always_inline void evict(struct address_space *mapping, unsigned long index,
                                  unsigned int order) {
  struct inode *inode = mapping->host;
  struct super_block *sb = inode->i_sb;
  struct rdio_evicted_run page = {.first_page = index, .pages = 1U << (order & 31)};
  if (sb->s_magic == BDEVFS_MAGIC) {
    page.device = inode->i_rdev;
    page.kind = RDIO_RAW;
    if (!is_traced(page.device, RDIO_RAW)) {
      return;
    }
  } else {
    page.device = sb->s_dev;
    page.kind = RDIO_FILES;
    if (!is_traced(page.device, RDIO_FILES) || !is_live(mapping, inode, index)) {
      return;
    }
    page.inode = inode->i_ino;
    page.generation = inode->i_generation;
  }
  add(&page);
}

/* Where the tracepoint is told a folio: since 5.16. */
SEC("tp_btf/mm_filemap_delete_from_page_cache")
int BPF_PROG(evicted_folio, struct folio *folio) {
  if (!is_reclaim()) {
    return 0;
  }
  unsigned long flags = bpf_core_type_exists(memdesc_flags_t)
                            ? folio->flags.f
                            : ((struct folio___flat_flags *)folio)->flags;
  if (!is_clean(flags)) {
    return 0;
  }
  unsigned int order = 0;
  if (HAS_FLAG(flags, PG_head)) {
    if (bpf_core_field_exists(((struct folio___own_order *)0)->_folio_order)) {
      order = ((struct folio___own_order *)folio)->_folio_order;
    } else if (bpf_core_field_exists(((struct folio *)0)->_flags_1)) {
      order = folio->_flags_1 & 0xff;
    } else {
      order = BPF_CORE_READ((struct page *)((char *)folio + bpf_core_type_size(struct page)),
                            compound_order);
    }
  }
  evict(folio->mapping, folio->index, order);
  return 0;
}

/* Where it is told a page, the head of a compound one: up to 5.15. */
SEC("tp_btf/mm_filemap_delete_from_page_cache")
int BPF_PROG(evicted_page, struct page *page) {
  if (!is_reclaim() || !is_clean(page->flags)) {
    return 0;
  }
  unsigned int order = 0;
  if (HAS_FLAG(page->flags, PG_head)) {
    order = BPF_CORE_READ((struct page *)((char *)page + bpf_core_type_size(struct page)),
                          compound_order);
  }
  evict(page->mapping, page->index, order);
  return 0;
}

/*
 * Where the kernel does not let us have the above. The event does not tell whether a page is clean
 * and its file live; but reclaim takes clean pages only, so what slips through are pages of files
 * that are deleted and still open. Nor does it tell the inode's generation, and of a device's own
 * pages not the device, so that these are not traced.
 */
SEC("tracepoint/filemap/mm_filemap_delete_from_page_cache")
int evicted_classic(struct trace_event_raw_mm_filemap_op_page_cache *event) {
  if (!is_reclaim() || !is_traced(event->s_dev, RDIO_FILES)) {
    return 0;
  }
  unsigned int order = 0;
  if (bpf_core_field_exists(event->order)) {
    order = event->order;
  }
  struct rdio_evicted_run page = {.inode = event->i_ino,
                                  .first_page = event->index,
                                  .pages = 1U << (order & 31),
                                  .device = event->s_dev,
                                  .kind = RDIO_FILES};
  add(&page);
  return 0;
}

/* Run by the agent, on each CPU that holds runs: BPF_PROG_TEST_RUN, with preemption off. */
SEC("raw_tp")
int flush_held_runs(void *unused) {
  (void)unused;
  flush(this_cpu());
  return 0;
}

static __always_inline int extents_change(struct inode *inode) {
  __u32 device = BPF_CORE_READ(inode, i_sb, s_dev);
  if (is_traced(device, RDIO_FILES)) {
    __sync_fetch_and_add(&epochs[rdio_epoch_slot(device, BPF_CORE_READ(inode, i_ino))], 1);
  }
  return 0;
}

static __always_inline int xfs_extents_change(struct xfs_inode *inode) {
  return bpf_core_type_exists(struct xfs_inode) ? extents_change(&inode->i_vnode) : 0;
}

/*
 * What ext4 passes through before it frees blocks, and before it moves extents within a file or to
 * another one (truncate, punch, collapse, insert, EXT4_IOC_MOVE_EXT): it forgets what its status
 * tree knows of them, the file's i_data_sem held for writing, which FIEMAP takes for reading.
 */
SEC("raw_tp/ext4_es_remove_extent")
int BPF_PROG(ext4_forgets_extents, struct inode *inode) { return extents_change(inode); }

/* Once more where blocks are really freed: a truncate lets go of i_data_sem now and then. */
SEC("raw_tp/ext4_free_blocks")
int BPF_PROG(ext4_frees_blocks, struct inode *inode) { return extents_change(inode); }

/* xfs changes its list of extents under the file's ILOCK, which FIEMAP takes shared. */
SEC("raw_tp/xfs_iext_remove")
int BPF_PROG(xfs_removes_extent, struct xfs_inode *inode) { return xfs_extents_change(inode); }

SEC("raw_tp/xfs_bmap_pre_update")
int BPF_PROG(xfs_updates_extent, struct xfs_inode *inode) { return xfs_extents_change(inode); }

/* Exchanges two files' lists as a whole, where the kernel still does it so for xfs_fsr. */
SEC("raw_tp/xfs_swap_extent_before")
int BPF_PROG(xfs_swaps_extents, struct xfs_inode *inode) { return xfs_extents_change(inode); }

SEC("tracepoint/syscalls/sys_enter_fadvise64")
int fadvise(struct trace_event_raw_sys_enter *call) {
  enum { NORMAL = 0, NOREUSE = 5 };
  unsigned long fd = call->args[0];
  unsigned long advice = call->args[3];
  if (advice != NORMAL && advice != NOREUSE) {
    return 0;
  }
  struct task_struct *task = (struct task_struct *)bpf_get_current_task();
  struct fdtable *table = BPF_CORE_READ(task, files, fdt);
  if (fd >= BPF_CORE_READ(table, max_fds)) {
    return 0;
  }
  struct file **slot = BPF_CORE_READ(table, fd) + fd;
  struct file *file = 0;
  bpf_probe_read_kernel(&file, sizeof file, slot);
  struct inode *inode = BPF_CORE_READ(file, f_inode);
  struct file_id id = {.inode = BPF_CORE_READ(inode, i_ino),
                       .device = BPF_CORE_READ(inode, i_sb, s_dev),
                       .generation = BPF_CORE_READ(inode, i_generation)};
  if (!is_traced(id.device, RDIO_FILES)) {
    return 0;
  }
  if (advice == NOREUSE) {
    __u8 marked = 1;
    bpf_map_update_elem(&noreuse, &id, &marked, BPF_ANY);
    any_noreuse = true;
  } else {
    bpf_map_delete_elem(&noreuse, &id);
  }
  return 0;
}
