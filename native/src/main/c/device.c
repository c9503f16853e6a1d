/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef BLKGETDISKSEQ /* headers before Linux 5.15 */
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

enum { REGULAR_FILE_ALIGNMENT = 4096 };

int rdio_device_open(const char *path) {
  int fd;
  do {
    fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

int rdio_device_close(int fd) {
  /* Linux has freed the descriptor even where close reports EINTR: it must not be repeated. */
  return close(fd) < 0 && errno != EINTR ? -errno : 0;
}

int64_t rdio_device_pread(int fd, void *target, size_t length, int64_t offset) {
  size_t done = 0;
  while (done < length) {
    ssize_t n = pread(fd, (char *)target + done, length - done, (off_t)(offset + (int64_t)done));
    if (n > 0) {
      done += (size_t)n;
    } else if (n == 0) {
      break;
    } else if (errno != EINTR) {
      return -errno;
    }
  }
  return (int64_t)done;
}

int64_t rdio_device_size(int fd) {
  struct stat st;
  if (fstat(fd, &st) < 0) {
    return -errno;
  }
  if (S_ISREG(st.st_mode)) {
    return st.st_size;
  }
  if (!S_ISBLK(st.st_mode)) {
    return -ENOTBLK;
  }
  uint64_t bytes;
  return ioctl(fd, BLKGETSIZE64, &bytes) < 0 ? -errno : (int64_t)bytes;
}

int rdio_device_logical_block_size(int fd) {
  struct stat st;
  if (fstat(fd, &st) < 0) {
    return -errno;
  }
  if (S_ISREG(st.st_mode)) {
    return REGULAR_FILE_ALIGNMENT;
  }
  int bytes;
  return ioctl(fd, BLKSSZGET, &bytes) < 0 ? -errno : bytes;
}

int64_t rdio_device_sequence(int fd) {
  uint64_t sequence;
  return ioctl(fd, BLKGETDISKSEQ, &sequence) < 0 ? -errno : (int64_t)sequence;
}

int64_t rdio_boot_time_nanos(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_BOOTTIME, &now) < 0) {
    return -errno;
  }
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
