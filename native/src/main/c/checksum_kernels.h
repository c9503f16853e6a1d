/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 and CRC-32C, as fast as the processor at hand can. Shared by checksum*.c only. */
#ifndef RDIO_CHECKSUM_KERNELS_H
#define RDIO_CHECKSUM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "checksum.h"

/* Chunks that are checked side by side: the result of a CRC instruction takes three cycles. */
enum { RDIO_LANES = 4 };

/* What a cache has at a time. */
enum { RDIO_CACHE_LINE = 64 };

/*
 * Fetches a line of each of the RDIO_LANES chunks behind those at hand: what a device has written
 * lies in no near cache, and a processor sees no further by itself. Nothing happens where there is
 * no memory. Always inlined, for GCC drops the call of a function that only fetches.
 */
__attribute__((always_inline)) static inline void rdio_fetch_next(const uint8_t *line, size_t chunk) {
  const uint8_t *next = line + RDIO_LANES * chunk;
  __builtin_prefetch(next);
  __builtin_prefetch(next + chunk);
  __builtin_prefetch(next + 2 * chunk);
  __builtin_prefetch(next + 3 * chunk);
}

struct rdio_kernel {
  /* The CRC of some bytes. */
  uint32_t (*one)(const uint8_t *data, size_t length);
  /* Those of RDIO_LANES chunks that lie one behind the other; NULL where that gains nothing. */
  void (*lanes)(const uint8_t *data, size_t chunk, uint32_t *crcs);
};

/* Goes on with a CRC, inverted neither before nor after. */
uint32_t rdio_crc_by_table(enum rdio_checksum_type type, uint32_t crc, const uint8_t *data,
                           size_t length);

/* One for each way. NULL where this processor, or this build, has no such way for the type. */
const struct rdio_kernel *rdio_kernel_by_table(enum rdio_checksum_type type);
const struct rdio_kernel *rdio_kernel_by_crc_instruction(enum rdio_checksum_type type);
const struct rdio_kernel *rdio_kernel_by_carryless_product(enum rdio_checksum_type type);
const struct rdio_kernel *rdio_kernel_by_wide_product(enum rdio_checksum_type type);

#endif
