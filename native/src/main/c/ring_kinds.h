/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a ring is made of, whichever interface of the kernel it goes by. Each kind has its state
 * behind a struct rdio_ring, which is the first of its members.
 */
#ifndef RDIO_RING_KINDS_H
#define RDIO_RING_KINDS_H

#include "ring.h"

struct rdio_ring {
  enum rdio_ring_kind kind;
  void (*destroy)(struct rdio_ring *ring);
  int (*pin)(struct rdio_ring *ring, unsigned index, void *memory, size_t length);
  int (*prepare)(struct rdio_ring *ring, int fd, void *target, size_t length, int64_t offset,
                 int64_t tag, int pinned);
  int (*enter)(struct rdio_ring *ring, unsigned wait_for, int64_t timeout_nanos,
               struct rdio_completion *completions, unsigned max);
};

int rdio_ring_create_uring(unsigned entries, struct rdio_ring **ring);
int rdio_ring_create_aio(unsigned entries, struct rdio_ring **ring);

#endif
