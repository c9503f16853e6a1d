/* SPDX-License-Identifier: Apache-2.0 */
/* Runs device.c under AddressSanitizer and UBSan on a temporary file. argv[1]: a directory. */
#define _GNU_SOURCE
#include "device.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void reads_what_was_written(int fd, unsigned char *buffer) {
  CHECK(rdio_device_pread(fd, buffer, 2 * BLOCK, BLOCK) == 2 * BLOCK);
  CHECK(holds_file(buffer, BLOCK, 2 * BLOCK));
}

static void read_is_short_only_at_the_end(int fd, unsigned char *buffer) {
  CHECK(rdio_device_pread(fd, buffer, 3 * BLOCK, 4 * BLOCK) == BLOCK + TAIL);
  CHECK(holds_file(buffer, 4 * BLOCK, BLOCK + TAIL));
  CHECK(rdio_device_pread(fd, buffer, BLOCK, 16 * BLOCK) == 0);
  CHECK(rdio_device_pread(fd, buffer, 0, 0) == 0);
}

static void errors_are_negative_errno(int fd, unsigned char *buffer, const char *directory) {
  CHECK(rdio_device_open("/nonexistent/device") == -ENOENT);
  CHECK(rdio_device_pread(-1, buffer, BLOCK, 0) == -EBADF);
  CHECK(rdio_device_pread(fd, buffer, BLOCK, -1) == -EINVAL);
  CHECK(rdio_device_size(-1) == -EBADF);
  CHECK(rdio_device_logical_block_size(-1) == -EBADF);
  CHECK(rdio_device_sequence(fd) < 0);
  CHECK(rdio_device_close(INT_MAX) == -EBADF);
  int plain = open(directory, O_RDONLY | O_CLOEXEC);
  CHECK(rdio_device_size(plain) == -ENOTBLK);
  CHECK(rdio_device_logical_block_size(plain) == -ENOTTY);
  CHECK(rdio_device_close(plain) == 0);
}

static void boot_time_goes_on(void) {
  int64_t before = rdio_boot_time_nanos();
  CHECK(before > 0);
  CHECK(rdio_boot_time_nanos() >= before);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: device_test DIRECTORY\n");
    return 2;
  }
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/device_test.%ld", argv[1], (long)getpid());
  write_file(path);
  unsigned char *buffer = aligned_alloc(BLOCK, 4 * BLOCK);
  int fd = rdio_device_open(path);
  if (fd < 0) {
    fprintf(stderr, "O_DIRECT open of %s: %s\n", path, strerror(-fd));
    unlink(path);
    return 2;
  }
  CHECK((fcntl(fd, F_GETFL) & (O_ACCMODE | O_DIRECT)) == (O_RDONLY | O_DIRECT));
  CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(rdio_device_size(fd) == SIZE);
  CHECK(rdio_device_logical_block_size(fd) == BLOCK);
  reads_what_was_written(fd, buffer);
  read_is_short_only_at_the_end(fd, buffer);
  errors_are_negative_errno(fd, buffer, argv[1]);
  boot_time_goes_on();
  CHECK(rdio_device_close(fd) == 0);
  CHECK(rdio_device_close(fd) == -EBADF);
  free(buffer);
  unlink(path);
  return failures == 0 ? 0 : 1;
}
