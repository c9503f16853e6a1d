/* SPDX-License-Identifier: Apache-2.0 */
#include "checksum.h"

#include <pthread.h>
#include <string.h>

#include "checksum_kernels.h"

/* Bytes that are checked before they are copied: they must fit into a first-level cache. */
enum { GROUP_MAX = 16 << 10 };

static uint32_t stored_crc(const struct rdio_chunks *chunks, size_t index) {
  const uint8_t *crc = chunks->crcs + index * sizeof(uint32_t);
  return (uint32_t)crc[0] << 24 | (uint32_t)crc[1] << 16 | (uint32_t)crc[2] << 8 | crc[3];
}

/* Copies what is wanted of [from, to). */
static void copy_wanted(const struct rdio_chunks *chunks, size_t from, size_t to,
                        uint8_t *target) {
  size_t first = from > chunks->skip ? from : chunks->skip;
  size_t end = chunks->skip + chunks->wanted;
  size_t last = to < end ? to : end;
  if (target != NULL && first < last) {
    memcpy(target + (first - chunks->skip), chunks->data + first, last - first);
  }
}

/* Whether a chunk is right, which is then copied. */
static int takes_one(const struct rdio_kernel *kernel, const struct rdio_chunks *chunks,
                     size_t index, uint8_t *target) {
  size_t from = index * chunks->chunk;
  size_t left = chunks->length - from;
  size_t length = left < chunks->chunk ? left : chunks->chunk;
  if (kernel->one(chunks->data + from, length) != stored_crc(chunks, index)) {
    return 0;
  }
  copy_wanted(chunks, from, from + length, target);
  return 1;
}

/* The same for RDIO_LANES whole chunks: how many of them are right before the first wrong one. */
static size_t takes_lanes(const struct rdio_kernel *kernel, const struct rdio_chunks *chunks,
                          size_t index, uint8_t *target) {
  uint32_t crcs[RDIO_LANES];
  size_t from = index * chunks->chunk;
  kernel->lanes(chunks->data + from, chunks->chunk, crcs);
  size_t good = 0;
  while (good < RDIO_LANES && crcs[good] == stored_crc(chunks, index + good)) {
    good++;
  }
  copy_wanted(chunks, from, from + good * chunks->chunk, target);
  return good;
}

static int64_t verify_copy(const struct rdio_kernel *kernel, const struct rdio_chunks *chunks,
                           uint8_t *target) {
  size_t whole = chunks->length / chunks->chunk;
  size_t count = whole + (chunks->length % chunks->chunk != 0);
  size_t index = 0;
  if (kernel->lanes != NULL && chunks->chunk <= GROUP_MAX / RDIO_LANES) {
    for (; index + RDIO_LANES <= whole; index += RDIO_LANES) {
      size_t good = takes_lanes(kernel, chunks, index, target);
      if (good < RDIO_LANES) {
        return (int64_t)(index + good);
      }
    }
  }
  for (; index < count; index++) {
    if (!takes_one(kernel, chunks, index, target)) {
      return (int64_t)index;
    }
  }
  return RDIO_ALL_GOOD;
}

static void store_crc(const struct rdio_copy *copy, size_t index, uint32_t value) {
  uint8_t *crc = copy->crcs + index * sizeof value;
  crc[0] = (uint8_t)(value >> 24);
  crc[1] = (uint8_t)(value >> 16);
  crc[2] = (uint8_t)(value >> 8);
  crc[3] = (uint8_t)value;
}

static void copy_bytes(const struct rdio_copy *copy, size_t from, size_t length) {
  if (copy->source != NULL) {
    memcpy(copy->target + from, copy->source + from, length);
  }
}

/* RDIO_LANES whole chunks. */
static void copy_lanes(const struct rdio_kernel *kernel, const struct rdio_copy *copy,
                       size_t index) {
  uint32_t crcs[RDIO_LANES];
  size_t from = index * copy->chunk;
  copy_bytes(copy, from, RDIO_LANES * copy->chunk);
  kernel->lanes(copy->target + from, copy->chunk, crcs);
  for (size_t i = 0; i < RDIO_LANES; i++) {
    store_crc(copy, index + i, crcs[i]);
  }
}

static void checksum_copy(const struct rdio_kernel *kernel, const struct rdio_copy *copy) {
  size_t whole = copy->length / copy->chunk;
  size_t index = 0;
  if (kernel->lanes != NULL && copy->chunk <= GROUP_MAX / RDIO_LANES) {
    for (; index + RDIO_LANES <= whole; index += RDIO_LANES) {
      copy_lanes(kernel, copy, index);
    }
  }
  for (size_t from = index * copy->chunk; from < copy->length; from += copy->chunk, index++) {
    size_t left = copy->length - from;
    size_t length = left < copy->chunk ? left : copy->chunk;
    copy_bytes(copy, from, length);
    store_crc(copy, index, kernel->one(copy->target + from, length));
  }
}

static const struct rdio_kernel *kernel_of(enum rdio_checksum_way way,
                                           enum rdio_checksum_type type) {
  switch (way) {
    case RDIO_BY_TABLE:
      return rdio_kernel_by_table(type);
    case RDIO_BY_CRC_INSTRUCTION:
      return rdio_kernel_by_crc_instruction(type);
    case RDIO_BY_CARRYLESS_PRODUCT:
      return rdio_kernel_by_carryless_product(type);
    case RDIO_BY_WIDE_PRODUCT:
      return rdio_kernel_by_wide_product(type);
  }
  return NULL;
}

int rdio_checksum_has(enum rdio_checksum_way way, enum rdio_checksum_type type) {
  return kernel_of(way, type) != NULL;
}

int64_t rdio_verify_copy_by(enum rdio_checksum_way way, enum rdio_checksum_type type,
                            const struct rdio_chunks *chunks, uint8_t *target) {
  return verify_copy(kernel_of(way, type), chunks, target);
}

void rdio_checksum_copy_by(enum rdio_checksum_way way, enum rdio_checksum_type type,
                           const struct rdio_copy *copy) {
  checksum_copy(kernel_of(way, type), copy);
}

/* The fastest of each type, by type. */
static const struct rdio_kernel *fastest[RDIO_CRC32C + 1];
static pthread_once_t chosen = PTHREAD_ONCE_INIT;

static void choose(void) {
  for (enum rdio_checksum_type type = RDIO_CRC32; type <= RDIO_CRC32C; type++) {
    for (enum rdio_checksum_way way = RDIO_BY_TABLE; way <= RDIO_BY_WIDE_PRODUCT; way++) {
      const struct rdio_kernel *kernel = kernel_of(way, type);
      fastest[type] = kernel != NULL ? kernel : fastest[type];
    }
  }
}

int64_t rdio_verify_copy(enum rdio_checksum_type type, const struct rdio_chunks *chunks,
                         uint8_t *target) {
  if (type == RDIO_UNCHECKED) {
    copy_wanted(chunks, 0, chunks->length, target);
    return RDIO_ALL_GOOD;
  }
  pthread_once(&chosen, choose);
  return verify_copy(fastest[type], chunks, target);
}

void rdio_checksum_copy(enum rdio_checksum_type type, const struct rdio_copy *copy) {
  pthread_once(&chosen, choose);
  checksum_copy(fastest[type], copy);
}
