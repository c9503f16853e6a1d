/* SPDX-License-Identifier: Apache-2.0 */
/* Runs memory.c under AddressSanitizer and UBSan. */
#include "memory.h"

#include <errno.h>

#include "check.h"

static void maps_aligned_zeroed_memory(void) {
  const size_t length = 3 * RDIO_HUGE_PAGE;
  for (int i = 0; i < 4; i++) {
    int64_t address = rdio_memory_map(length);
    CHECK(address > 0);
    if (address <= 0) {
      return;
    }
    CHECK((size_t)address % RDIO_HUGE_PAGE == 0);
    unsigned char *memory = (unsigned char *)(intptr_t)address;
    CHECK(memory[0] == 0 && memory[length / 2] == 0 && memory[length - 1] == 0);
    memory[0] = memory[length - 1] = 1;
    CHECK(rdio_memory_unmap(memory, length) == 0);
  }
}

static void refuses_lengths_that_are_no_huge_pages(void) {
  CHECK(rdio_memory_map(0) == -EINVAL);
  CHECK(rdio_memory_map(RDIO_HUGE_PAGE - 4096) == -EINVAL);
  CHECK(rdio_memory_map(SIZE_MAX / RDIO_HUGE_PAGE * RDIO_HUGE_PAGE) < 0);
  CHECK(rdio_memory_unmap((void *)1, RDIO_HUGE_PAGE) == -EINVAL);
}

int main(void) {
  maps_aligned_zeroed_memory();
  refuses_lengths_that_are_no_huge_pages();
  return failures == 0 ? 0 : 1;
}
