/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices open for writing past the page cache (in tests, regular files), and the rings by which
 * writes go. For any number of threads. Handles are checked: -EBADF for one that is not open.
 */
#ifndef RDIO_WRITE_DEVICE_H
#define RDIO_WRITE_DEVICE_H

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rdio_lease;

/*
 * Devices open at a time: 4 KiB of memory each, and with its rings up to 9 descriptors. At most so
 * many writes of one are under way at a time, each of at most so many bytes.
 */
enum { RDIO_WRITERS = 256, RDIO_WRITE_RINGS = 8, RDIO_RING_WRITES = 8, RDIO_WRITE_BYTES = 512 << 10 };

/* A write that was submitted and not answered. */
struct rdio_sent {
  int64_t place;
  const char *from;
  size_t length; /* 0: none */
};

/* One thread has it at a time. */
struct rdio_write_ring {
  bool is_taken;
  bool is_made;
  bool is_spoiled; /* a write lies in its queue that was not submitted, and must never be */
  struct io_uring uring;
  unsigned under_way;
  struct rdio_sent sent[RDIO_RING_WRITES];
};

enum rdio_writer_state { RDIO_WRITER_FREE, RDIO_WRITER_OPEN, RDIO_WRITER_CLOSING };

/* One that is being closed is its closer's alone, until it is free. */
struct rdio_writer {
  enum rdio_writer_state state; /* under the lock, as the next two */
  uint32_t generation;
  unsigned users; /* leases, and threads in a call */
  int fd;
  int64_t size;
  int block;
  bool by_pwrite; /* the kernel, a seccomp filter or a test has no io_uring for us */
  struct rdio_write_ring rings[RDIO_WRITE_RINGS];
};

enum rdio_writer_option { RDIO_WRITER_IMAGE = 1, RDIO_WRITER_BY_PWRITE = 2 };

/*
 * Opens a block device, or with RDIO_WRITER_IMAGE a regular file; a handle. -ENOTBLK for anything
 * else, -EROFS for one that is read-only, -EOPNOTSUPP where the timer of write_clock.h would not end
 * this process, -EMFILE when RDIO_WRITERS are open, those that are being closed among them.
 */
int64_t rdio_writer_open(const char *path, unsigned options);

/*
 * -EBUSY while there are leases, ended ones too, or calls. Waits for the kernel, and nobody else does:
 * for all others the handle is of none that is open from then on.
 */
int rdio_writer_close(int64_t handle);

/* The device stays open until this thread leaves it. */
int rdio_writer_enter(int64_t handle, struct rdio_writer **writer);
void rdio_writer_leave(struct rdio_writer *writer);

/* What the device has answered is on its medium behind this, by a flush of this host's own (W11). */
int rdio_writer_flush(int64_t handle);

/* A ring for this thread, after a wait; NULL when the lease ended meanwhile. */
struct rdio_write_ring *rdio_writer_take_ring(struct rdio_writer *writer, struct rdio_lease *lease);

/* None of its writes may be under way. */
void rdio_writer_give_ring(struct rdio_write_ring *ring);

#ifdef RDIO_WRITE_HOOKS
/* Of tests: called where a close may have to wait. */
extern void (*rdio_hook_closing)(void);
#endif

#endif
