/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 and CRC-32C, as fast as the processor at hand can. Shared by checksum*.c only. */
#ifndef RDIO_CHECKSUM_KERNELS_H
#define RDIO_CHECKSUM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "checksum.h"

/* Chunks that are checked side by side: the result of a CRC instruction takes three cycles. */
enum { RDIO_LANES = 4 };

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

#endif
