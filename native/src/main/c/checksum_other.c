/* SPDX-License-Identifier: Apache-2.0 */
/* Processors for which there is nothing but the tables. */
#include "checksum_kernels.h"

#if !defined(__x86_64__) && !defined(__aarch64__)

const struct rdio_kernel *rdio_kernel_by_crc_instruction(enum rdio_checksum_type type) {
  (void)type;
  return NULL;
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
