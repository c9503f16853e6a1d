/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring by the older interface of Linux, io_submit, which the seccomp profiles of containers allow
 * where they refuse io_uring. Its calls are made as they are: libaio adds nothing to them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring_kinds.h"

enum { NANOS_PER_SECOND = 1000000000, EVENTS_AT_ONCE = 16 };

struct aio_ring {
  struct rdio_ring ring;
  aio_context_t context;
  unsigned entries;
  /* Reads that are prepared: the first of them, in the order in which they are to begin. */
  unsigned prepared;
  struct iocb *reads;
  struct iocb **order;
  /* Those that the kernel did not take: they have ended, and nobody was told yet. */
  unsigned refused;
  struct rdio_completion *refusals;
};

static struct aio_ring *aio_of(struct rdio_ring *ring) { return (struct aio_ring *)ring; }

static void free_memory(struct aio_ring *aio) {
  free(aio->reads);
  free(aio->order);
  free(aio->refusals);
  free(aio);
}

static void destroy(struct rdio_ring *ring) {
  syscall(SYS_io_destroy, aio_of(ring)->context);
  free_memory(aio_of(ring));
}

static int pin(struct rdio_ring *ring, unsigned index, void *memory, size_t length) {
  (void)ring;
  (void)index;
  (void)memory;
  (void)length;
  return -EOPNOTSUPP;
}

static int prepare(struct rdio_ring *ring, int fd, void *target, size_t length, int64_t offset,
                   int64_t tag, int pinned) {
  struct aio_ring *aio = aio_of(ring);
  if (aio->prepared == aio->entries) {
    return -EBUSY;
  }
  if (pinned != RDIO_RING_UNPINNED) {
    return -EINVAL;
  }
  struct iocb *read = &aio->reads[aio->prepared++];
  memset(read, 0, sizeof *read);
  read->aio_lio_opcode = IOCB_CMD_PREAD;
  read->aio_fildes = (uint32_t)fd;
  read->aio_buf = (uint64_t)(uintptr_t)target;
  read->aio_nbytes = length;
  read->aio_offset = offset;
  read->aio_data = (uint64_t)tag;
  return 0;
}

/* The kernel has copied what it took: the rest moves to the front. */
static void forget(struct aio_ring *aio, unsigned begun) {
  aio->prepared -= begun;
  memmove(aio->reads, aio->reads + begun, aio->prepared * sizeof *aio->reads);
}

/*
 * Begins what is prepared, up to the first for which the kernel has no place now. One that can
 * never be read is no reason not to begin the others.
 */
static int submit(struct aio_ring *aio) {
  while (aio->prepared > 0) {
    for (unsigned i = 0; i < aio->prepared; i++) {
      aio->order[i] = &aio->reads[i];
    }
    long begun = syscall(SYS_io_submit, aio->context, (long)aio->prepared, aio->order);
    if (begun > 0) {
      forget(aio, (unsigned)begun);
    } else if (begun == 0 || errno == EAGAIN) {
      return -EAGAIN;
    } else if (aio->refused == aio->entries) {
      return -EBUSY; /* until somebody takes what has ended */
    } else {
      aio->refusals[aio->refused].tag = (int64_t)aio->reads[0].aio_data;
      aio->refusals[aio->refused++].result = -errno;
      forget(aio, 1);
    }
  }
  return 0;
}

static unsigned take_refusals(struct aio_ring *aio, struct rdio_completion *to, unsigned max) {
  unsigned count = aio->refused < max ? aio->refused : max;
  memcpy(to, aio->refusals, count * sizeof *to);
  aio->refused -= count;
  memmove(aio->refusals, aio->refusals + count, aio->refused * sizeof *to);
  return count;
}

/* At most so many that have ended; waits until there are least of them, or the limit is over. */
static int take_events(struct aio_ring *aio, unsigned least, struct timespec *limit,
                       struct rdio_completion *to, unsigned max) {
  struct io_event events[EVENTS_AT_ONCE];
  unsigned most = max < EVENTS_AT_ONCE ? max : EVENTS_AT_ONCE;
  unsigned wanted = least < most ? least : most;
  long count = syscall(SYS_io_getevents, aio->context, (long)wanted, (long)most, events, limit);
  if (count < 0) {
    return -errno;
  }
  for (long i = 0; i < count; i++) {
    to[i].tag = (int64_t)events[i].data;
    to[i].result = events[i].res;
  }
  return (int)count;
}

static int64_t monotonic_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NANOS_PER_SECOND + now.tv_nsec;
}

static int told(const struct aio_ring *aio, unsigned count, int error) {
  if (count == 0 && error < 0) {
    return error;
  }
  return (int)count + (aio->prepared > 0 ? RDIO_RING_LEFT : 0);
}

static int enter(struct rdio_ring *ring, unsigned wait_for, int64_t timeout_nanos,
                 struct rdio_completion *completions, unsigned max) {
  struct aio_ring *aio = aio_of(ring);
  int submitted = submit(aio);
  unsigned count = take_refusals(aio, completions, max);
  int64_t most = timeout_nanos;
  if (submitted < 0 && (most < 0 || most > RDIO_RING_MOMENT_NANOS)) {
    most = RDIO_RING_MOMENT_NANOS; /* what is waited for may not be under way */
  }
  int64_t end = most < 0 ? 0 : monotonic_nanos() + most;
  while (count < max) {
    unsigned least = count < wait_for ? wait_for - count : 0;
    int64_t left = least == 0 || most < 0 ? 0 : end - monotonic_nanos();
    left = left < 0 ? 0 : left;
    struct timespec limit = {.tv_sec = left / NANOS_PER_SECOND, .tv_nsec = left % NANOS_PER_SECOND};
    bool unlimited = least > 0 && most < 0;
    int taken =
        take_events(aio, least, unlimited ? NULL : &limit, completions + count, max - count);
    if (taken < 0 && taken != -EINTR) {
      return told(aio, count, taken);
    }
    count += taken < 0 ? 0 : (unsigned)taken;
    if (taken < EVENTS_AT_ONCE) {
      break; /* all that have ended, or a signal, or the limit */
    }
  }
  return told(aio, count, submitted);
}

int rdio_ring_create_aio(unsigned entries, struct rdio_ring **ring) {
  if (entries == 0) {
    return -EINVAL;
  }
  struct aio_ring *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return -ENOMEM;
  }
  made->ring = (struct rdio_ring){RDIO_RING_AIO, destroy, pin, prepare, enter};
  made->entries = entries;
  made->reads = calloc(entries, sizeof *made->reads);
  made->order = calloc(entries, sizeof *made->order);
  made->refusals = calloc(entries, sizeof *made->refusals);
  bool room = made->reads != NULL && made->order != NULL && made->refusals != NULL;
  if (!room || syscall(SYS_io_setup, (long)entries, &made->context) < 0) {
    int error = room ? -errno : -ENOMEM;
    free_memory(made);
    return error;
  }
  *ring = &made->ring;
  return 0;
}
