/* SPDX-License-Identifier: Apache-2.0 */
/* A ring by io_uring. */
#define _GNU_SOURCE
#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "ring_kinds.h"

enum { NANOS_PER_SECOND = 1000000000 };

struct uring_ring {
  struct rdio_ring ring;
  struct io_uring uring;
  bool pins;
  bool waits_by_poll;
};

static struct uring_ring *uring_of(struct rdio_ring *ring) { return (struct uring_ring *)ring; }

static void destroy(struct rdio_ring *ring) {
  io_uring_queue_exit(&uring_of(ring)->uring);
  free(uring_of(ring));
}

static int pin(struct rdio_ring *ring, unsigned index, void *memory, size_t length) {
  if (!uring_of(ring)->pins) {
    return -EOPNOTSUPP;
  }
  struct iovec piece = {.iov_base = memory, .iov_len = length};
  int pinned = io_uring_register_buffers_update_tag(&uring_of(ring)->uring, index, &piece, NULL, 1);
  return pinned < 0 ? pinned : 0;
}

static int prepare(struct rdio_ring *ring, int fd, void *target, size_t length, int64_t offset,
                   int64_t tag, int pinned) {
  struct io_uring_sqe *sqe = io_uring_get_sqe(&uring_of(ring)->uring);
  if (sqe == NULL) {
    return -EBUSY;
  }
  if (pinned == RDIO_RING_UNPINNED) {
    io_uring_prep_read(sqe, fd, target, (unsigned)length, (uint64_t)offset);
  } else {
    io_uring_prep_read_fixed(sqe, fd, target, (unsigned)length, (uint64_t)offset, pinned);
  }
  io_uring_sqe_set_data64(sqe, (uint64_t)tag);
  return 0;
}

void rdio_ring_wait_by_poll(struct rdio_ring *ring) {
  if (ring->kind == RDIO_RING_URING) {
    uring_of(ring)->waits_by_poll = true;
  }
}

/* Waits for a completion, without beginning anything. */
static int poll_for(struct io_uring *uring, int64_t timeout_nanos) {
  struct pollfd completion = {.fd = uring->ring_fd, .events = POLLIN};
  struct timespec limit = {.tv_sec = timeout_nanos / NANOS_PER_SECOND,
                           .tv_nsec = timeout_nanos % NANOS_PER_SECOND};
  return ppoll(&completion, 1, &limit, NULL) < 0 ? -errno : 0;
}

/* Of a wait while something could not be begun: soon it is tried again. */
static int64_t at_most_a_moment(int64_t timeout_nanos) {
  bool is_less = timeout_nanos >= 0 && timeout_nanos < RDIO_RING_MOMENT_NANOS;
  return is_less ? timeout_nanos : RDIO_RING_MOMENT_NANOS;
}

/* liburing's own way on such kernels is a timeout among the reads, with a completion of its own. */
static int submit_and_poll(struct io_uring *uring, unsigned wait_for, int64_t timeout_nanos) {
  int submitted = io_uring_submit(uring);
  if (submitted < 0 || io_uring_cq_ready(uring) >= wait_for) {
    return submitted;
  }
  bool is_left = io_uring_sq_ready(uring) > 0;
  return poll_for(uring, is_left ? at_most_a_moment(timeout_nanos) : timeout_nanos);
}

static int submit_and_wait(struct uring_ring *ring, unsigned wait_for, int64_t timeout_nanos) {
  if (wait_for == 0) {
    return io_uring_submit(&ring->uring);
  }
  if (timeout_nanos < 0) {
    return io_uring_submit_and_wait(&ring->uring, wait_for);
  }
  if (ring->waits_by_poll) {
    return submit_and_poll(&ring->uring, wait_for, timeout_nanos);
  }
  struct __kernel_timespec limit = {.tv_sec = timeout_nanos / NANOS_PER_SECOND,
                                    .tv_nsec = timeout_nanos % NANOS_PER_SECOND};
  struct io_uring_cqe *first;
  return io_uring_submit_and_wait_timeout(&ring->uring, &first, wait_for, &limit, NULL);
}

static unsigned take(struct io_uring *uring, struct rdio_completion *completions, unsigned max) {
  unsigned count = 0;
  struct io_uring_cqe *cqe;
  while (count < max && io_uring_peek_cqe(uring, &cqe) == 0) {
    completions[count].tag = (int64_t)io_uring_cqe_get_data64(cqe);
    completions[count].result = cqe->res;
    io_uring_cqe_seen(uring, cqe);
    count++;
  }
  return count;
}

static int enter(struct rdio_ring *ring, unsigned wait_for, int64_t timeout_nanos,
                 struct rdio_completion *completions, unsigned max) {
  struct io_uring *uring = &uring_of(ring)->uring;
  int submitted = submit_and_wait(uring_of(ring), wait_for, timeout_nanos);
  bool refused = submitted < 0 && submitted != -EINTR && submitted != -ETIME;
  /* The kernel did not wait; and the answer that is waited for may be here or on its way. */
  if (refused && wait_for > 0 && io_uring_cq_ready(uring) == 0) {
    poll_for(uring, at_most_a_moment(timeout_nanos));
  }
  unsigned count = take(uring, completions, max);
  if (count == 0 && refused) {
    return submitted;
  }
  return (int)count + (io_uring_sq_ready(uring) > 0 ? RDIO_RING_LEFT : 0);
}

static int create(unsigned entries, unsigned flags, struct rdio_ring **ring) {
  struct uring_ring *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return -ENOMEM;
  }
  int error = io_uring_queue_init(entries, &made->uring, flags);
  if (error < 0) {
    free(made);
    return error;
  }
  made->ring = (struct rdio_ring){RDIO_RING_URING, destroy, pin, prepare, enter};
  made->pins = io_uring_register_buffers_sparse(&made->uring, RDIO_RING_PINNED) == 0;
  made->waits_by_poll = (made->uring.features & IORING_FEAT_EXT_ARG) == 0;
  *ring = &made->ring;
  return 0;
}

int rdio_ring_create_uring(unsigned entries, struct rdio_ring **ring) {
  return create(entries, 0, ring);
}

int rdio_ring_create_cooperative(unsigned entries, struct rdio_ring **ring) {
  return create(entries, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, ring);
}
