// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/*
 * PrefCache's view of what compute nodes read and write: requests that the exported device has
 * completed, in its own addresses. Under a kernel NVMe-oF target the namespace's commands arrive at
 * that device as requests like anybody else's, so one program serves with and without nvmet. The
 * agent's own I/O goes to the file behind a loop device and is not seen here.
 *
 * Completed, not issued: what a read left in the page cache can be let go of only when it is done.
 */
#include "kernel.h"
#include "ioobserver.h"

/* As the kernel demands of programs that read its memory. */
char program_license[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
  int major;
  int first_minor;
};

struct request_queue {
  struct gendisk *disk;
};

struct request {
  struct request_queue *q;
  unsigned int cmd_flags;
  __u64 __sector;
};

/* Up to 5.16. */
struct request___own_disk {
  struct gendisk *rq_disk;
};

#pragma clang attribute pop

enum { OP_MASK = 0xff, OP_READ = 0, OP_FIRST_PASSTHROUGH = 32 };

/* Set by the agent at any time: the kernel's dev_t, major << 20 | minor; 0 where none is. */
__u32 observed[RDIO_OBSERVED_DEVICES] = {};
__u64 lost = 0;

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 21);
} completed SEC(".maps");

static __always_inline void tell(const struct rdio_io *io) {
  bool much = bpf_ringbuf_query(&completed, BPF_RB_AVAIL_DATA) > (1 << 19);
  if (bpf_ringbuf_output(&completed, (void *)io, sizeof *io,
                         much ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP) != 0) {
    __sync_fetch_and_add(&lost, 1);
  }
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(request_completed, struct request *request, int error, unsigned int bytes) {
  unsigned int operation = request->cmd_flags & OP_MASK;
  struct gendisk *disk = bpf_core_field_exists(((struct request___own_disk *)0)->rq_disk)
                             ? ((struct request___own_disk *)request)->rq_disk
                             : request->q->disk;
  if (bytes < 512 || operation >= OP_FIRST_PASSTHROUGH || !disk) {
    return 0;
  }
  __u32 device = (__u32)disk->major << 20 | (__u32)disk->first_minor;
#pragma unroll
  for (int i = 0; i < RDIO_OBSERVED_DEVICES; i++) {
    if (observed[i] == device) {
      struct rdio_io io = {.sector = request->__sector,
                           .sectors = bytes >> 9,
                           .slot = (__u16)i,
                           .write = operation != OP_READ};
      tell(&io);
      return 0;
    }
  }
  return 0;
}
