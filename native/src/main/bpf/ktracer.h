/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the KTracer's programs in the kernel and its agent share. Included by both: only types of
 * linux/types.h.
 */
#ifndef RDIO_KTRACER_SHARED_H
#define RDIO_KTRACER_SHARED_H

enum {
  RDIO_TRACED_DEVICES = 16, /* at a time */
  RDIO_CPUS = 1024,         /* a power of two; more share slots, and their runs are cut short */
  RDIO_RUN_PAGES = 4096,    /* a run ends when it has so many */
  RDIO_BATCH_RUNS = 8,      /* that a CPU hands to the agent at a time */
  RDIO_EPOCHS = 1 << 16,    /* see rdio_epoch_slot */
  RDIO_NOREUSE_FILES = 1 << 14,
};

/* What is traced of a device. */
enum rdio_traced_kind {
  RDIO_NOTHING,
  RDIO_FILES, /* pages of the files of the file system on it */
  RDIO_RAW,   /* pages of the device itself: its buffered reads */
};

struct rdio_traced {
  __u32 device; /* the kernel's dev_t: major << 20 | minor */
  __u32 kind;
};

/*
 * A run of evicted pages of one file, or of one device: kind RDIO_RAW, inode 0, and the page's
 * index is its place on the device.
 */
struct rdio_evicted_run {
  __u64 inode;
  __u64 first_page;
  __u32 pages;
  __u32 generation; /* of the inode; 0 where the classic tracepoint does not tell it */
  __u32 device;
  __u32 kind;
};

/*
 * One for each CPU, alone on its cache lines: runs that are not handed to the agent yet, of which
 * the last is still growing, and counts.
 */
struct rdio_cpu {
  struct rdio_evicted_run held[RDIO_BATCH_RUNS];
  __u64 held_runs;
  __u64 pages;      /* that went into runs */
  __u64 runs;       /* that were handed to the agent */
  __u64 lost_pages; /* and runs: the ring buffer was full */
  __u64 lost_runs;
  __u64 noreuse_pages; /* left out: their file is read once only, its reader said */
  __u64 unused[10];
};

/*
 * Where the epoch of a file's extents is counted. Files that share a slot share its epoch: one is
 * taken for changed when the other was.
 */
static inline __u32 rdio_epoch_slot(__u32 device, __u64 inode) {
  __u64 mixed = (inode ^ ((__u64)device << 40)) * 0x9E3779B97F4A7C15ULL;
  return (__u32)(mixed >> 48) & (RDIO_EPOCHS - 1);
}

#endif
