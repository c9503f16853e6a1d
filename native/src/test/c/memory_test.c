/* SPDX-License-Identifier: Apache-2.0 */
/* Runs memory.c under AddressSanitizer and UBSan. */
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

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

/* Whether the kernel's list of this process's memory says "hg", of huge pages, about an address. */
static int asks_for_huge_pages(int64_t address) {
  FILE *smaps = fopen("/proc/self/smaps", "r");
  char line[512];
  int there = 0;
  int asked = 0;
  while (smaps != NULL && fgets(line, sizeof line, smaps) != NULL) {
    uint64_t start;
    uint64_t end;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
      there = start <= (uint64_t)address && (uint64_t)address < end;
    } else if (there && strncmp(line, "VmFlags:", 8) == 0) {
      asked = strstr(line, " hg") != NULL;
    }
  }
  if (smaps != NULL) {
    fclose(smaps);
  }
  return asked;
}

static void asks_the_kernel_for_huge_pages(void) {
  if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) {
    fprintf(stderr, "not run: this kernel has no transparent huge pages\n");
    CHECK(!has_to_run_all());
    return;
  }
  if (is_emulated()) {
    fprintf(stderr, "not run: qemu-user does not tell what it has asked the kernel for\n");
    return;
  }
  int64_t address = rdio_memory_map(RDIO_HUGE_PAGE);
  CHECK(asks_for_huge_pages(address));
  CHECK(rdio_memory_unmap((void *)(intptr_t)address, RDIO_HUGE_PAGE) == 0);
}

static void refuses_lengths_that_are_no_huge_pages(void) {
  CHECK(rdio_memory_map(0) == -EINVAL);
  CHECK(rdio_memory_map(RDIO_HUGE_PAGE - 4096) == -EINVAL);
  CHECK(rdio_memory_map(SIZE_MAX / RDIO_HUGE_PAGE * RDIO_HUGE_PAGE) < 0);
  CHECK(rdio_memory_unmap((void *)1, RDIO_HUGE_PAGE) == -EINVAL);
}

int main(void) {
  maps_aligned_zeroed_memory();
  asks_the_kernel_for_huge_pages();
  refuses_lengths_that_are_no_huge_pages();
  return failures == 0 ? 0 : 1;
}
