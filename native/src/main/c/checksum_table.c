/* SPDX-License-Identifier: Apache-2.0 */
/* CRCs by eight tables at a time ("slicing by 8", Kounavis and Berry, 2005): on any processor. */
#include <pthread.h>

#include "checksum_kernels.h"

enum { SLICES = 8, BYTE_VALUES = 256, TYPES = RDIO_CRC32C + 1 };

/* The polynomials, the lowest power first. */
static const uint32_t polynomials[TYPES] = {[RDIO_CRC32] = 0xedb88320u, [RDIO_CRC32C] = 0x82f63b78u};

/* tables[type][i][b]: what a byte b does to a CRC when i zero bytes follow it. */
static uint32_t tables[TYPES][SLICES][BYTE_VALUES];
static pthread_once_t filled = PTHREAD_ONCE_INIT;

static void fill_of(enum rdio_checksum_type type) {
  for (uint32_t byte = 0; byte < BYTE_VALUES; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? polynomials[type] : 0);
    }
    tables[type][0][byte] = crc;
  }
  for (int slice = 1; slice < SLICES; slice++) {
    for (uint32_t byte = 0; byte < BYTE_VALUES; byte++) {
      uint32_t before = tables[type][slice - 1][byte];
      tables[type][slice][byte] = before >> 8 ^ tables[type][0][before & 0xff];
    }
  }
}

static void fill(void) {
  fill_of(RDIO_CRC32);
  fill_of(RDIO_CRC32C);
}

static uint32_t little_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

uint32_t rdio_crc_by_table(enum rdio_checksum_type type, uint32_t crc, const uint8_t *data,
                           size_t length) {
  pthread_once(&filled, fill);
  const uint32_t(*table)[BYTE_VALUES] = (const uint32_t(*)[BYTE_VALUES])tables[type];
  for (; length >= SLICES; length -= SLICES, data += SLICES) {
    uint32_t low = crc ^ little_endian(data);
    uint32_t high = little_endian(data + 4);
    crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^
          table[4][low >> 24] ^ table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^
          table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
  }
  for (; length > 0; length--, data++) {
    crc = crc >> 8 ^ table[0][(crc ^ *data) & 0xff];
  }
  return crc;
}

static uint32_t crc32_one(const uint8_t *data, size_t length) {
  return ~rdio_crc_by_table(RDIO_CRC32, ~0u, data, length);
}

static uint32_t crc32c_one(const uint8_t *data, size_t length) {
  return ~rdio_crc_by_table(RDIO_CRC32C, ~0u, data, length);
}

static const struct rdio_kernel kernels[TYPES] = {
    [RDIO_CRC32] = {.one = crc32_one},
    [RDIO_CRC32C] = {.one = crc32c_one},
};

const struct rdio_kernel *rdio_kernel_by_table(enum rdio_checksum_type type) {
  return &kernels[type];
}
