/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads under way on devices: an io_uring, or where the kernel or a seccomp filter has none for us,
 * Linux's older io_submit. For one thread at a time, not always the same. Every function answers a
 * value >= 0, or -errno.
 */
#ifndef RDIO_RING_H
#define RDIO_RING_H

#include <stddef.h>
#include <stdint.h>

struct rdio_ring;

/* By which interface of the kernel. */
enum rdio_ring_kind { RDIO_RING_URING, RDIO_RING_AIO };

/* Pieces of memory that a ring can have pinned, and what stands for none of them. */
enum { RDIO_RING_PINNED = 32, RDIO_RING_UNPINNED = -1 };

/* What is added to a number of completions where not all that is prepared could be begun. */
enum { RDIO_RING_LEFT = 1 << 16 };

/* How long at most nothing is tried again that could not be begun. */
enum { RDIO_RING_MOMENT_NANOS = 1000000 };

/* How a read ended. */
struct rdio_completion {
  int64_t tag;
  int64_t result; /* bytes read, or -errno */
};

/* -ENOSYS, -EPERM or -EACCES where the kernel or a seccomp filter has neither kind for us. */
int rdio_ring_create(unsigned entries, struct rdio_ring **ring);

/* One of this kind, or none; for tests. */
int rdio_ring_create_of_kind(enum rdio_ring_kind kind, unsigned entries, struct rdio_ring **ring);

/*
 * An io_uring whose completions do not interrupt its thread but wait for its next call
 * (IORING_SETUP_COOP_TASKRUN, IORING_SETUP_TASKRUN_FLAG); for measurements. -EINVAL before Linux 5.19.
 */
int rdio_ring_create_cooperative(unsigned entries, struct rdio_ring **ring);

enum rdio_ring_kind rdio_ring_kind_of(const struct rdio_ring *ring);

/* No read may be under way: the kernel would still write to its memory. */
void rdio_ring_destroy(struct rdio_ring *ring);

/*
 * Pins memory for as long as the ring lives, so that reads to it need not do so each time. It
 * counts against RLIMIT_MEMLOCK, and must stay where it is. 0; -ENOMEM beyond that limit; -EINVAL
 * or -EOPNOTSUPP before Linux 5.19, and by io_submit. Each of the RDIO_RING_PINNED indices can be used once.
 */
int rdio_ring_pin(struct rdio_ring *ring, unsigned index, void *memory, size_t length);

/*
 * Prepares a read that rdio_ring_enter begins. -EBUSY when as many as there are entries are
 * prepared already. Alignment as for rdio_device_pread. pinned: the index of the pinned memory that
 * the target lies in, or RDIO_RING_UNPINNED.
 */
int rdio_ring_prepare(struct rdio_ring *ring, int fd, void *target, size_t length, int64_t offset,
                      int64_t tag, int pinned);

/*
 * Begins what is prepared, waits until so many reads have ended that nobody was told of yet, or the
 * time is over, or a signal comes, and tells of those that ended. Before Linux 5.11 one that ended
 * is enough. timeout_nanos: below zero to wait without limit; io_submit itself may wait for a device
 * that takes no more requests. The number of completions, at most max, which is less than
 * RDIO_RING_LEFT.
 *
 * The kernel may refuse to begin something, for lack of memory or of room for completions (-EAGAIN,
 * -EBUSY). What has ended is told of all the same; what could not be begun stays prepared for the next
 * call, and RDIO_RING_LEFT is added to the number. Where nothing has ended this is the kernel's
 * -errno; if the call was to wait it has done so for a moment, until then or until something ended.
 */
int rdio_ring_enter(struct rdio_ring *ring, unsigned wait_for, int64_t timeout_nanos,
                    struct rdio_completion *completions, unsigned max);

/* An io_uring waits from now on as on Linux before 5.11; for tests. */
void rdio_ring_wait_by_poll(struct rdio_ring *ring);

#endif
