/* SPDX-License-Identifier: Apache-2.0 */
/* What the C tests share: a CHECK that goes on, and a file whose bytes follow from their offset. */
#ifndef RDIO_CHECK_H
#define RDIO_CHECK_H

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4096, BLOCKS = 5, TAIL = 1000, SIZE = BLOCKS * BLOCK + TAIL };

static int failures;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      failures++;                                                             \
    }                                                                         \
  } while (0)

/* Whether the test runs by qemu-user, which has not all calls of the kernel: neither kind of ring. */
static inline int is_emulated(void) { return getenv("RDIO_EMULATED") != NULL; }

/* Whether it is an error that something cannot run here. */
static inline int has_to_run_all(void) {
  return getenv("RDIO_REQUIRE_ALL") != NULL && !is_emulated();
}

static inline unsigned char byte_at(long offset) { return (unsigned char)(offset * 31 + offset / BLOCK); }

static inline int holds_file(const unsigned char *bytes, long offset, long length) {
  for (long i = 0; i < length; i++) {
    if (bytes[i] != byte_at(offset + i)) {
      return 0;
    }
  }
  return 1;
}

static inline void write_file(const char *path) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  for (long i = 0; i < SIZE; i++) {
    fputc(byte_at(i), file);
  }
  if (fclose(file) != 0) {
    perror(path);
    exit(2);
  }
}

#endif
