/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device of a temporary file with one slot that is leased, and what is to be in the file: nothing
 * outside of the slot may change.
 */
#ifndef RDIO_WRITE_FIXTURE_H
#define RDIO_WRITE_FIXTURE_H

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "write_device.h"
#include "write_lease.h"
#include "write_slot.h"

enum { UNIT = 4096, UNITS = 1024, BYTES = UNITS * UNIT, SLOT_UNITS = 600, OLD = 0x5a };

static const int64_t SECOND = 1000000000;

/* A slot of three extents, not in the device's order, the second one longer than one write. */
static const int64_t PLACES[] = {700 * UNIT, 20 * UNIT, 10 * UNIT};
static const int64_t LENGTHS[] = {50 * UNIT, 545 * UNIT, 5 * UNIT};

static char path[PATH_MAX];
static unsigned options;
static unsigned char *source;
static unsigned char *expected;
static int64_t writer;
static int64_t lease;

static inline int64_t in_seconds(int seconds) { return rdio_read_clocks().boot + seconds * SECOND; }

static inline int64_t new_lease(int seconds) {
  struct rdio_writer *device;
  CHECK(rdio_writer_enter(writer, &device) == 0);
  struct rdio_slot_map map;
  CHECK(rdio_slot_map_make(&map, PLACES, LENGTHS, 3, UNIT, device->size, device->block) == 0);
  int64_t handle = rdio_lease_add(device, &map, in_seconds(seconds));
  rdio_writer_leave(device);
  return handle;
}

static inline void open_all(void) {
  memset(expected, OLD, BYTES);
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(expected, 1, BYTES, file) == BYTES && fclose(file) == 0);
  writer = rdio_writer_open(path, options);
  CHECK(writer > 0);
  lease = new_lease(600);
  CHECK(lease > 0);
  unsigned char *stamps = aligned_alloc(UNIT, 3 * UNIT);
  CHECK(rdio_slot_write(lease, 0, source, UNIT, false) == -EPERM);
  CHECK(rdio_slot_read_stamps(lease, stamps, 3 * UNIT - 1) == -EINVAL);
  CHECK(rdio_slot_write(lease, 0, source, UNIT, false) == -EPERM);
  CHECK(rdio_slot_read_stamps(lease, stamps, 3 * UNIT) == 3);
  CHECK(stamps[0] == OLD && stamps[3 * UNIT - 1] == OLD);
  free(stamps);
}

static inline void place_expected(int64_t offset, const unsigned char *from, int64_t length) {
  for (int64_t i = 0; i < length; i++) {
    int64_t at = offset + i;
    int extent = 0;
    while (at >= LENGTHS[extent]) {
      at -= LENGTHS[extent++];
    }
    expected[PLACES[extent] + at] = from[i];
  }
}

static inline void file_is_as_expected(void) {
  unsigned char *found = malloc(BYTES);
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL && fread(found, 1, BYTES, file) == BYTES && fclose(file) == 0);
  CHECK(memcmp(found, expected, BYTES) == 0);
  free(found);
}

static inline void close_all(int quiet) {
  CHECK(rdio_writer_close(writer) == -EBUSY);
  CHECK(rdio_lease_release(lease) == -EINVAL);
  CHECK(rdio_lease_end(lease, 0) == 0);
  CHECK(rdio_lease_end(lease, SECOND) == 0);
  CHECK(rdio_writer_close(writer) == -EBUSY);
  CHECK(rdio_lease_release(lease) == quiet);
  CHECK(rdio_lease_release(lease) == -ENOENT);
  CHECK(rdio_writer_close(writer) == 0);
  CHECK(rdio_writer_close(writer) == -EBADF);
  CHECK(rdio_writer_flush(writer) == -EBADF);
  file_is_as_expected();
}

/* Takes the one argument, a directory for the file. */
static inline void begin(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
    exit(2);
  }
  snprintf(path, sizeof path, "%s/write_test.%ld", argv[1], (long)getpid());
  source = aligned_alloc(UNIT, BYTES);
  expected = malloc(BYTES);
  for (int i = 0; i < BYTES; i++) {
    source[i] = (unsigned char)(i * 7 + i / UNIT + 1);
  }
}

/* The status to exit with. */
static inline int finish(void) {
  free(source);
  free(expected);
  unlink(path);
  return failures == 0 ? 0 : 1;
}

#endif
