/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"

#include <errno.h>

#include "ring_kinds.h"

int rdio_ring_create(unsigned entries, struct rdio_ring **ring) {
  int error = rdio_ring_create_uring(entries, ring);
  if (error != -ENOSYS && error != -EPERM && error != -EACCES) {
    return error;
  }
  return rdio_ring_create_aio(entries, ring) < 0 ? error : 0;
}

int rdio_ring_create_of_kind(enum rdio_ring_kind kind, unsigned entries, struct rdio_ring **ring) {
  return kind == RDIO_RING_AIO ? rdio_ring_create_aio(entries, ring)
                               : rdio_ring_create_uring(entries, ring);
}

enum rdio_ring_kind rdio_ring_kind_of(const struct rdio_ring *ring) { return ring->kind; }

void rdio_ring_destroy(struct rdio_ring *ring) { ring->destroy(ring); }

int rdio_ring_pin(struct rdio_ring *ring, unsigned index, void *memory, size_t length) {
  return ring->pin(ring, index, memory, length);
}

int rdio_ring_prepare(struct rdio_ring *ring, int fd, void *target, size_t length, int64_t offset,
                      int64_t tag, int pinned) {
  return ring->prepare(ring, fd, target, length, offset, tag, pinned);
}

int rdio_ring_enter(struct rdio_ring *ring, unsigned wait_for, int64_t timeout_nanos,
                    struct rdio_completion *completions, unsigned max) {
  return ring->enter(ring, wait_for, timeout_nanos, completions, max);
}
