/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "memory.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1; not in the headers of glibc before 2.37 */
#endif

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW, STAT_BLOCK = 512 };

int rdio_segment_create(size_t length) {
  if (length == 0 || length > INT64_MAX) {
    return -EINVAL;
  }
  int fd = memfd_create("rdio-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) {
    return -errno;
  }
  if (ftruncate(fd, (off_t)length) != 0 || fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) != 0) {
    int error = -errno;
    (void)close(fd);
    return error;
  }
  return fd;
}

int64_t rdio_segment_length(int fd) {
  struct stat file;
  int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0) {
    return errno == EINVAL ? -EPERM : -errno; /* EINVAL: no memfd */
  }
  if ((seals & SEALS) != SEALS || (seals & F_SEAL_WRITE) != 0) {
    return -EPERM;
  }
  /* A hole in huge pages that are set aside (MFD_HUGETLB) is a SIGBUS once none of them is left. */
  struct statfs medium;
  if (fstatfs(fd, &medium) != 0) {
    return -errno;
  }
  if (medium.f_type != TMPFS_MAGIC) {
    return -EPERM;
  }
  return fstat(fd, &file) == 0 ? file.st_size : -errno;
}

int64_t rdio_segment_map(int fd, size_t length) {
  if (length == 0 || length > SIZE_MAX - RDIO_HUGE_PAGE) {
    return -EINVAL;
  }
  size_t room = length + RDIO_HUGE_PAGE;
  char *reserved = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    return -errno;
  }
  size_t head = (RDIO_HUGE_PAGE - (uintptr_t)reserved % RDIO_HUGE_PAGE) % RDIO_HUGE_PAGE;
  char *place = reserved + head;
  char *memory = mmap(place, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  if (memory == MAP_FAILED) {
    int error = -errno;
    (void)munmap(reserved, room);
    return error;
  }
  if (head > 0) {
    (void)munmap(reserved, head);
  }
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t mapped = (length + page - 1) / page * page;
  if (mapped < room - head) {
    (void)munmap(memory + mapped, room - head - mapped);
  }
  /* Kernels without huge pages of shared memory say EINVAL, and small pages do. */
  (void)madvise(memory, length, MADV_HUGEPAGE);
  return (int64_t)(intptr_t)memory;
}

int rdio_segment_unmap(void *memory, size_t length) {
  return munmap(memory, length) == 0 ? 0 : -errno;
}

int rdio_segment_collapse(void *memory, size_t length) {
  return madvise(memory, length, MADV_COLLAPSE) == 0 ? 0 : -errno;
}

int rdio_segment_release(int fd, int64_t offset, int64_t length) {
  int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  return fallocate(fd, mode, offset, length) == 0 ? 0 : -errno;
}

int64_t rdio_segment_footprint(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 ? (int64_t)file.st_blocks * STAT_BLOCK : -errno;
}
