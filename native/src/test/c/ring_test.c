/* SPDX-License-Identifier: Apache-2.0 */
/* Runs ring.c under AddressSanitizer and UBSan on a temporary file. argv[1]: a directory. */
#define _GNU_SOURCE
#include "ring.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "device.h"

enum { ENTRIES = 4, NO_LIMIT = -1, MILLISECOND = 1000000 };

static void reads_at_once(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[ENTRIES];
  for (int i = 0; i < ENTRIES; i++) {
    CHECK(rdio_ring_prepare(ring, fd, buffer + i * BLOCK, BLOCK, (ENTRIES - i) * BLOCK, i,
                            RDIO_RING_UNPINNED) == 0);
  }
  CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 0, ENTRIES, RDIO_RING_UNPINNED) == -EBUSY);
  CHECK(rdio_ring_enter(ring, ENTRIES, NO_LIMIT, done, ENTRIES) == ENTRIES);
  int seen = 0;
  for (int i = 0; i < ENTRIES; i++) {
    CHECK(done[i].tag >= 0 && done[i].tag < ENTRIES);
    seen |= 1 << done[i].tag;
    CHECK(done[i].result == BLOCK);
    CHECK(holds_file(buffer + i * BLOCK, (ENTRIES - i) * BLOCK, BLOCK));
  }
  CHECK(seen == (1 << ENTRIES) - 1);
}

static void tells_of_as_many_as_fit(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[ENTRIES];
  CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 0, 7, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_prepare(ring, fd, buffer + BLOCK, BLOCK, BLOCK, 8, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_enter(ring, 2, NO_LIMIT, done, 1) == 1);
  CHECK(rdio_ring_enter(ring, 1, NO_LIMIT, done + 1, 1) == 1);
  CHECK(done[0].tag + done[1].tag == 15);
  CHECK(rdio_ring_enter(ring, 0, NO_LIMIT, done, ENTRIES) == 0);
}

static void errors_are_results(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[2];
  CHECK(rdio_ring_prepare(ring, -1, buffer, BLOCK, 0, 1, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_enter(ring, 1, NO_LIMIT, done, 2) == 1);
  CHECK(done[0].result == -EBADF);
  CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 16 * BLOCK, 2, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_enter(ring, 1, NO_LIMIT, done, 2) == 1);
  CHECK(done[0].result == 0);
}

static void reads_to_pinned_memory(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[ENTRIES];
  int error = rdio_ring_pin(ring, 1, buffer, 2 * BLOCK);
  if (error == -EOPNOTSUPP || error == -ENOMEM) {
    fprintf(stderr, "not run: no pinned memory here: %s\n", strerror(-error));
    CHECK(getenv("RDIO_REQUIRE_ALL") == NULL);
    return;
  }
  CHECK(error == 0);
  CHECK(rdio_ring_pin(ring, RDIO_RING_PINNED, buffer, BLOCK) == -EINVAL);
  CHECK(rdio_ring_prepare(ring, fd, buffer + BLOCK, BLOCK, 3 * BLOCK, 1, 1) == 0);
  CHECK(rdio_ring_prepare(ring, fd, buffer + 2 * BLOCK, BLOCK, 0, 2, 1) == 0);
  CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 0, 3, 0) == 0);
  CHECK(rdio_ring_enter(ring, 3, NO_LIMIT, done, ENTRIES) == 3);
  for (int i = 0; i < 3; i++) {
    /* Neither memory behind the pinned piece nor an index without one can be written to. */
    CHECK(done[i].result == (done[i].tag == 1 ? BLOCK : -EFAULT));
  }
  CHECK(holds_file(buffer + BLOCK, 3 * BLOCK, BLOCK));
}

/* A pipe stands for a device that does not answer: what is written to it is its answer. */
static void gives_up_waiting(struct rdio_ring *ring, unsigned char *buffer) {
  struct rdio_completion done[2];
  int ends[2];
  CHECK(pipe(ends) == 0);
  memset(buffer, 0, 2 * BLOCK);
  CHECK(rdio_ring_prepare(ring, ends[0], buffer, BLOCK, 0, 1, RDIO_RING_UNPINNED) == 0);
  int64_t begun = rdio_boot_time_nanos();
  CHECK(rdio_ring_enter(ring, 1, 20 * MILLISECOND, done, 2) == 0);
  CHECK(rdio_boot_time_nanos() - begun >= 20 * MILLISECOND);
  CHECK(rdio_ring_enter(ring, 0, 0, done, 2) == 0);
  CHECK(rdio_ring_enter(ring, 1, 0, done, 2) == 0);
  memset(buffer + BLOCK, 7, BLOCK);
  CHECK(write(ends[1], buffer + BLOCK, BLOCK) == BLOCK);
  CHECK(rdio_ring_enter(ring, 1, 60000LL * MILLISECOND, done, 2) == 1);
  CHECK(done[0].tag == 1 && done[0].result == BLOCK);
  CHECK(memcmp(buffer, buffer + BLOCK, BLOCK) == 0);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: ring_test DIRECTORY\n");
    return 2;
  }
  struct rdio_ring *ring;
  CHECK(rdio_ring_create(0, &ring) == -EINVAL);
  int error = rdio_ring_create(ENTRIES, &ring);
  if (error == -ENOSYS || error == -EPERM || error == -EACCES) {
    fprintf(stderr, "not run: no io_uring here: %s\n", strerror(-error));
    return getenv("RDIO_REQUIRE_ALL") == NULL ? 0 : 1;
  }
  if (error < 0) {
    fprintf(stderr, "no ring: %s\n", strerror(-error));
    return 1;
  }
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/ring_test.%ld", argv[1], (long)getpid());
  write_file(path);
  unsigned char *buffer = aligned_alloc(BLOCK, ENTRIES * BLOCK);
  int fd = rdio_device_open(path);
  reads_at_once(ring, fd, buffer);
  tells_of_as_many_as_fit(ring, fd, buffer);
  errors_are_results(ring, fd, buffer);
  reads_to_pinned_memory(ring, fd, buffer);
  gives_up_waiting(ring, buffer);
  rdio_ring_wait_by_poll(ring);
  reads_at_once(ring, fd, buffer);
  gives_up_waiting(ring, buffer);
  CHECK(rdio_device_close(fd) == 0);
  rdio_ring_destroy(ring);
  free(buffer);
  unlink(path);
  return failures == 0 ? 0 : 1;
}
