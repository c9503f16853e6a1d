/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "write_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "write_lease.h"

enum { INDEX_BITS = 8, INDEX_MASK = (1 << INDEX_BITS) - 1, LOOKED_AGAIN_NANOS = 100000000 };

#ifdef RDIO_WRITE_HOOKS
void (*rdio_hook_closing)(void);
#endif

static struct rdio_writer writers[RDIO_WRITERS];
_Static_assert(RDIO_WRITERS <= INDEX_MASK + 1, "handles have room for the number of each writer");

static int64_t handle_of(const struct rdio_writer *writer) {
  return (int64_t)writer->generation << INDEX_BITS | (writer - writers);
}

/* Under the lock; NULL for a handle of none that is open. */
static struct rdio_writer *writer_of(int64_t handle) {
  int64_t index = handle & INDEX_MASK;
  if (handle < 0 || index >= RDIO_WRITERS) {
    return NULL;
  }
  struct rdio_writer *writer = &writers[index];
  return writer->state == RDIO_WRITER_OPEN && handle_of(writer) == handle ? writer : NULL;
}

static int check_kind(mode_t mode, unsigned options) {
  bool is_image = S_ISREG(mode) && (options & RDIO_WRITER_IMAGE) != 0;
  return S_ISBLK(mode) || is_image ? 0 : -ENOTBLK;
}

/* Looked at before it is opened, for an open of something else may do something; and behind it. */
static int open_checked(const char *path, unsigned options) {
  struct stat before;
  if (stat(path, &before) < 0) {
    return -errno;
  }
  int error = check_kind(before.st_mode, options);
  if (error < 0) {
    return error;
  }
  int fd;
  do {
    fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    return -errno;
  }
  struct stat opened;
  int is_read_only = 0;
  if (fstat(fd, &opened) < 0) {
    error = -errno;
  } else if (opened.st_dev != before.st_dev || opened.st_ino != before.st_ino ||
             opened.st_rdev != before.st_rdev) {
    error = -ESTALE;
  } else if (S_ISBLK(opened.st_mode) && ioctl(fd, BLKROGET, &is_read_only) < 0) {
    error = -errno;
  } else if (is_read_only) {
    error = -EROFS;
  }
  if (error < 0) {
    close(fd);
    return error;
  }
  return fd;
}

static int64_t keep(int fd, unsigned options) {
  int64_t size = rdio_device_size(fd);
  int block = rdio_device_logical_block_size(fd);
  if (size < 0 || block < 0) {
    return size < 0 ? size : block;
  }
  for (int i = 0; i < RDIO_WRITERS; i++) {
    struct rdio_writer *writer = &writers[i];
    if (writer->state == RDIO_WRITER_FREE) {
      writer->state = RDIO_WRITER_OPEN;
      writer->fd = fd;
      writer->generation = (writer->generation + 1) & INT32_MAX;
      writer->size = size;
      writer->block = block;
      writer->by_pwrite = (options & RDIO_WRITER_BY_PWRITE) != 0;
      return handle_of(writer);
    }
  }
  return -EMFILE;
}

int64_t rdio_writer_open(const char *path, unsigned options) {
  int fd = open_checked(path, options);
  if (fd < 0) {
    return fd;
  }
  pthread_mutex_lock(&rdio_write_lock);
  int error = rdio_kill_timer_make();
  int64_t handle = error < 0 ? error : keep(fd, options);
  pthread_mutex_unlock(&rdio_write_lock);
  if (handle < 0) {
    close(fd);
  }
  return handle;
}

static void unmake(struct rdio_write_ring *ring) {
  if (ring->is_made) {
    io_uring_queue_exit(&ring->uring);
    ring->is_made = false;
  }
  ring->is_spoiled = false;
}

/* Under the lock: behind it nobody but this thread finds the writer. */
static int begin_close(int64_t handle, struct rdio_writer **writer) {
  *writer = writer_of(handle);
  if (*writer == NULL) {
    return -EBADF;
  }
  if ((*writer)->users > 0) {
    return -EBUSY;
  }
  (*writer)->state = RDIO_WRITER_CLOSING;
  return 0;
}

/* Not under the lock, which whoever renews or ends a lease needs: the kernel may take its time. */
static int finish_close(struct rdio_writer *writer) {
#ifdef RDIO_WRITE_HOOKS
  if (rdio_hook_closing != NULL) {
    rdio_hook_closing();
  }
#endif
  for (int i = 0; i < RDIO_WRITE_RINGS; i++) {
    unmake(&writer->rings[i]);
  }
  return rdio_device_close(writer->fd);
}

int rdio_writer_close(int64_t handle) {
  struct rdio_writer *writer;
  pthread_mutex_lock(&rdio_write_lock);
  int error = begin_close(handle, &writer);
  pthread_mutex_unlock(&rdio_write_lock);
  if (error < 0) {
    return error;
  }
  error = finish_close(writer);
  pthread_mutex_lock(&rdio_write_lock);
  writer->state = RDIO_WRITER_FREE;
  pthread_mutex_unlock(&rdio_write_lock);
  return error;
}

int rdio_writer_enter(int64_t handle, struct rdio_writer **writer) {
  pthread_mutex_lock(&rdio_write_lock);
  *writer = writer_of(handle);
  if (*writer != NULL) {
    (*writer)->users++;
  }
  pthread_mutex_unlock(&rdio_write_lock);
  return *writer == NULL ? -EBADF : 0;
}

void rdio_writer_leave(struct rdio_writer *writer) {
  pthread_mutex_lock(&rdio_write_lock);
  writer->users--;
  pthread_mutex_unlock(&rdio_write_lock);
}

int rdio_writer_flush(int64_t handle) {
  struct rdio_writer *writer;
  int error = rdio_writer_enter(handle, &writer);
  if (error < 0) {
    return error;
  }
  /* Not repeated after an error: the kernel tells of one only once. */
  error = fdatasync(writer->fd) < 0 ? -errno : 0;
  rdio_writer_leave(writer);
  return error;
}

static struct rdio_write_ring *free_ring(struct rdio_writer *writer) {
  for (int i = 0; i < RDIO_WRITE_RINGS; i++) {
    if (!writer->rings[i].is_taken) {
      return &writer->rings[i];
    }
  }
  return NULL;
}

/* Where the kernel has none for us, writes go by pwrite: the place in the ring still counts. */
static void make(struct rdio_writer *writer, struct rdio_write_ring *ring) {
  if (!ring->is_made && !writer->by_pwrite) {
    int error = io_uring_queue_init(RDIO_RING_WRITES, &ring->uring, 0);
    ring->is_made = error == 0;
    writer->by_pwrite = error == -ENOSYS || error == -EPERM || error == -EACCES;
  }
}

struct rdio_write_ring *rdio_writer_take_ring(struct rdio_writer *writer,
                                              struct rdio_lease *lease) {
  pthread_mutex_lock(&rdio_write_lock);
  struct rdio_write_ring *ring = free_ring(writer);
  while (ring == NULL && lease->state == RDIO_LEASE_LIVE) {
    rdio_write_wait(LOOKED_AGAIN_NANOS);
    ring = free_ring(writer);
  }
  if (ring != NULL) {
    ring->is_taken = true;
    make(writer, ring);
  }
  pthread_mutex_unlock(&rdio_write_lock);
  return ring;
}

void rdio_writer_give_ring(struct rdio_write_ring *ring) {
  /* Not under the lock, as in a close: until it is given back it is this thread's. */
  if (ring->is_spoiled) {
    unmake(ring);
  }
  pthread_mutex_lock(&rdio_write_lock);
  ring->is_taken = false;
  pthread_cond_broadcast(&rdio_write_changed);
  pthread_mutex_unlock(&rdio_write_lock);
}
