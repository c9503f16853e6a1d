/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "write_slot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "write_device.h"
#include "write_lease.h"

enum { ONE_MILLISECOND = 1000 };

/* A range that is being written: whole units from the caller's memory, the last one from ours. */
struct job {
  struct rdio_lease *lease;
  struct rdio_writer *writer;
  struct rdio_write_ring *ring;
  int64_t offset;
  const char *from;
  int64_t whole;
  char *last_unit; /* NULL: none */
  int64_t total;
  int64_t begun; /* bytes that were submitted, or given up */
  int error;     /* what says most, see fail */
};

/* How much an error leaves open: nothing where it was not sent, or the device has refused it. */
static int weight(int error) {
  switch (error) {
    case 0:
      return 0;
    case -ETIME:
    case -ECANCELED:
      return 1;
    case -EBADE:
      return 2;
    default:
      return 3;
  }
}

/*
 * Of several pieces' errors the one that leaves most open, and of those the first: whoever hears of
 * a refusal alone takes it that nothing of the range can reach the device any more.
 */
static void fail(struct job *job, int error) {
  if (weight(error) > weight(job->error)) {
    job->error = error;
  }
}

static int64_t result_of(int64_t result, size_t length) {
#ifdef RDIO_WRITE_HOOKS
  if (rdio_hook_result != NULL) {
    return rdio_hook_result(result, (int64_t)length);
  }
#endif
  (void)length;
  return result;
}

/* Whether a write of less than it should be can go on behind it. */
static bool is_part(const struct job *job, int64_t result, size_t length) {
  return result > 0 && (size_t)result < length && result % job->writer->block == 0;
}

/* Writes in this call, with a look before each try; what comes back is answered. */
static void write_now(struct job *job, struct rdio_sent piece) {
  while (piece.length > 0 && job->error == 0) {
    int error = rdio_lease_look(job->lease);
    if (error < 0) {
      fail(job, error);
      return;
    }
    ssize_t n = pwrite(job->writer->fd, piece.from, piece.length, (off_t)piece.place);
    int64_t result = result_of(n < 0 ? -errno : n, piece.length);
    rdio_lease_sent(job->lease);
    if (result == (int64_t)piece.length || is_part(job, result, piece.length)) {
      piece.place += result;
      piece.from += result;
      piece.length -= (size_t)result;
    } else if (result != -EINTR) {
      fail(job, result < 0 ? (int)result : -EIO);
    }
  }
}

static unsigned free_place(const struct rdio_write_ring *ring) {
  unsigned i = 0;
  while (ring->sent[i].length > 0) {
    i++;
  }
  return i;
}

/*
 * The kernel begins it in this call or, where that would have to wait, not at all (RWF_NOWAIT): a
 * worker of io_uring's that began it later would do so without a look.
 */
static bool submit(struct rdio_write_ring *ring, int fd, struct rdio_sent piece) {
  struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
  if (sqe == NULL) {
    return false;
  }
  unsigned place = free_place(ring);
  io_uring_prep_write(sqe, fd, piece.from, (unsigned)piece.length, (uint64_t)piece.place);
  sqe->rw_flags = RWF_NOWAIT;
  io_uring_sqe_set_data64(sqe, place);
  if (io_uring_submit(&ring->uring) != 1) {
    ring->is_spoiled = true;
    return false;
  }
  ring->sent[place] = piece;
  ring->under_way++;
  return true;
}

static void send_piece(struct job *job, struct rdio_sent piece) {
  struct rdio_write_ring *ring = job->ring;
  if (!ring->is_made || ring->is_spoiled) {
    write_now(job, piece);
    return;
  }
  int error = rdio_lease_look(job->lease);
  if (error < 0) {
    fail(job, error);
    return;
  }
  bool is_sent = submit(ring, job->writer->fd, piece);
  rdio_lease_sent(job->lease);
  if (!is_sent) {
    write_now(job, piece);
  }
}

static struct rdio_sent next_piece(const struct job *job) {
  bool is_whole = job->begun < job->whole;
  int64_t left = (is_whole ? job->whole : job->total) - job->begun;
  size_t most = left < RDIO_WRITE_BYTES ? (size_t)left : (size_t)RDIO_WRITE_BYTES;
  struct rdio_sent piece;
  piece.place = rdio_slot_map_piece(&job->lease->map, job->offset + job->begun, most, &piece.length);
  piece.from = is_whole ? job->from + job->begun : job->last_unit;
  return piece;
}

/* Waits for one answer. What the device did not take without waiting is written by waiting. */
static void take_answer(struct job *job) {
  struct rdio_write_ring *ring = job->ring;
  struct io_uring_cqe *cqe;
  int error = io_uring_wait_cqe(&ring->uring, &cqe);
  if (error < 0) {
    /* A signal; or memory is short: the answer comes all the same, and must be waited for. */
    usleep(error == -EINTR ? 0 : ONE_MILLISECOND);
    return;
  }
  struct rdio_sent *sent = &ring->sent[io_uring_cqe_get_data64(cqe)];
  struct rdio_sent piece = *sent;
  int64_t result = result_of(cqe->res, piece.length);
  io_uring_cqe_seen(&ring->uring, cqe);
  sent->length = 0;
  ring->under_way--;
  if (is_part(job, result, piece.length)) {
    piece.place += result;
    piece.from += result;
    piece.length -= (size_t)result;
    write_now(job, piece);
  } else if (result == -EAGAIN || result == -EOPNOTSUPP || result == -EINTR) {
    write_now(job, piece);
  } else if (result != (int64_t)piece.length) {
    fail(job, result < 0 ? (int)result : -EIO);
  }
}

static void run(struct job *job) {
  struct rdio_write_ring *ring = job->ring;
  while (ring->under_way > 0 || (job->error == 0 && job->begun < job->total)) {
    if (job->error == 0 && job->begun < job->total && ring->under_way < RDIO_RING_WRITES) {
      struct rdio_sent piece = next_piece(job);
      job->begun += (int64_t)piece.length;
      send_piece(job, piece);
    } else {
      take_answer(job);
    }
  }
}

/* Of our own memory: the client's behind the block's end is not ours to fill. */
static int fill_last_unit(struct job *job, int64_t length) {
  int unit = job->lease->map.unit;
  job->whole = length / unit * unit;
  job->total = rdio_slot_round_up(&job->lease->map, length);
  if (job->whole == job->total) {
    return 0;
  }
  void *memory;
  if (posix_memalign(&memory, RDIO_UNIT_MAX, (size_t)unit) != 0) {
    return -ENOMEM;
  }
  job->last_unit = memory;
  size_t rest = (size_t)(length - job->whole);
  memcpy(job->last_unit, job->from + job->whole, rest);
  memset(job->last_unit + rest, 0, (size_t)unit - rest);
  return 0;
}

static int write_range(struct job *job, int64_t length) {
  int error = fill_last_unit(job, length);
  if (error < 0) {
    return error;
  }
  job->ring = rdio_writer_take_ring(job->writer, job->lease);
  if (job->ring == NULL) {
    free(job->last_unit);
    return -ECANCELED;
  }
  run(job);
  rdio_writer_give_ring(job->ring);
  free(job->last_unit);
  return job->error;
}

static int claim(struct rdio_lease *lease, int64_t offset, const void *from, int64_t length,
                 bool is_last) {
  if ((uintptr_t)from % (unsigned)lease->writer->block != 0 || (from == NULL && length > 0)) {
    return -EINVAL;
  }
  pthread_mutex_lock(&rdio_write_lock);
  int error = lease->has_stamps
                  ? rdio_slot_use(&lease->map, &lease->use, offset, length, is_last)
                  : -EPERM;
  pthread_mutex_unlock(&rdio_write_lock);
  return error;
}

int rdio_slot_write(int64_t handle, int64_t offset, const void *from, int64_t length,
                    bool is_last) {
  struct rdio_lease *lease;
  int error = rdio_lease_enter(handle, &lease);
  if (error < 0) {
    return error;
  }
  error = claim(lease, offset, from, length, is_last);
  bool is_claimed = error == 0;
  if (is_claimed && length > 0) {
    struct job job = {.lease = lease, .writer = lease->writer, .offset = offset, .from = from};
    error = write_range(&job, length);
  }
  rdio_lease_leave(lease, is_claimed && error < 0);
  return error;
}

static int read_stamps(const struct rdio_lease *lease, char *to, int64_t capacity) {
  int unit = lease->map.unit;
  if (capacity < (int64_t)lease->map.count * unit) {
    return -EINVAL;
  }
  for (unsigned i = 0; i < lease->map.count; i++) {
    int64_t n = rdio_device_pread(lease->writer->fd, to + (size_t)i * (size_t)unit, (size_t)unit,
                                  lease->map.place[i]);
    if (n != unit) {
      return n < 0 ? (int)n : -EIO;
    }
  }
  return (int)lease->map.count;
}

int rdio_slot_read_stamps(int64_t handle, void *to, int64_t capacity) {
  struct rdio_lease *lease;
  int error = rdio_lease_enter(handle, &lease);
  if (error < 0) {
    return error;
  }
  int result = read_stamps(lease, to, capacity);
  if (result > 0) {
    pthread_mutex_lock(&rdio_write_lock);
    lease->has_stamps = true;
    pthread_mutex_unlock(&rdio_write_lock);
  }
  rdio_lease_leave(lease, false);
  return result;
}
