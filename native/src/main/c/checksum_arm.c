/* SPDX-License-Identifier: Apache-2.0 */
/* CRCs by the instructions that aarch64 has for both types (FEAT_CRC32), four chunks side by side. */
#include "checksum_kernels.h"

#ifdef __aarch64__

#include <arm_acle.h>
#include <string.h>
#include <sys/auxv.h>

#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif

#define CRC __attribute__((target("+crc")))
#define INLINED __attribute__((always_inline)) static inline

enum { WORD = sizeof(uint64_t) };

static inline uint64_t load(const uint8_t *from) {
  uint64_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

CRC INLINED uint32_t by_word(int castagnoli, uint32_t crc, uint64_t word) {
  return castagnoli ? __crc32cd(crc, word) : __crc32d(crc, word);
}

CRC INLINED uint32_t by_byte(int castagnoli, uint32_t crc, uint8_t byte) {
  return castagnoli ? __crc32cb(crc, byte) : __crc32b(crc, byte);
}

/* Goes on with a CRC over [at, length), and ends it. */
CRC INLINED uint32_t rest(int castagnoli, uint32_t crc, const uint8_t *data, size_t at,
                          size_t length) {
  for (; at + WORD <= length; at += WORD) {
    crc = by_word(castagnoli, crc, load(data + at));
  }
  for (; at < length; at++) {
    crc = by_byte(castagnoli, crc, data[at]);
  }
  return ~crc;
}

/* Written out, for a compiler that does not unroll keeps the lanes in memory. */
CRC INLINED void lanes(int castagnoli, const uint8_t *data, size_t chunk, uint32_t *crcs) {
  const uint8_t *lane_1 = data + chunk;
  const uint8_t *lane_2 = lane_1 + chunk;
  const uint8_t *lane_3 = lane_2 + chunk;
  uint32_t crc_0 = ~0u;
  uint32_t crc_1 = ~0u;
  uint32_t crc_2 = ~0u;
  uint32_t crc_3 = ~0u;
  size_t at = 0;
  for (; at + WORD <= chunk; at += WORD) {
    if (at % RDIO_CACHE_LINE == 0) {
      rdio_fetch_next(data + at, chunk);
    }
    crc_0 = by_word(castagnoli, crc_0, load(data + at));
    crc_1 = by_word(castagnoli, crc_1, load(lane_1 + at));
    crc_2 = by_word(castagnoli, crc_2, load(lane_2 + at));
    crc_3 = by_word(castagnoli, crc_3, load(lane_3 + at));
  }
  crcs[0] = rest(castagnoli, crc_0, data, at, chunk);
  crcs[1] = rest(castagnoli, crc_1, lane_1, at, chunk);
  crcs[2] = rest(castagnoli, crc_2, lane_2, at, chunk);
  crcs[3] = rest(castagnoli, crc_3, lane_3, at, chunk);
}

CRC static uint32_t crc32_one(const uint8_t *data, size_t length) {
  return rest(0, ~0u, data, 0, length);
}

CRC static void crc32_lanes(const uint8_t *data, size_t chunk, uint32_t *crcs) {
  lanes(0, data, chunk, crcs);
}

CRC static uint32_t crc32c_one(const uint8_t *data, size_t length) {
  return rest(1, ~0u, data, 0, length);
}

CRC static void crc32c_lanes(const uint8_t *data, size_t chunk, uint32_t *crcs) {
  lanes(1, data, chunk, crcs);
}

static const struct rdio_kernel crc32 = {.one = crc32_one, .lanes = crc32_lanes};
static const struct rdio_kernel crc32c = {.one = crc32c_one, .lanes = crc32c_lanes};

const struct rdio_kernel *rdio_kernel_by_crc_instruction(enum rdio_checksum_type type) {
  if ((getauxval(AT_HWCAP) & HWCAP_CRC32) == 0) {
    return NULL;
  }
  return type == RDIO_CRC32 ? &crc32 : &crc32c;
}

const struct rdio_kernel *rdio_kernel_by_carryless_product(enum rdio_checksum_type type) {
  (void)type;
  return NULL;
}

const struct rdio_kernel *rdio_kernel_by_wide_product(enum rdio_checksum_type type) {
  (void)type;
  return NULL;
}

#endif
