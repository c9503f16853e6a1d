/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

int64_t rdio_memory_map(size_t length) {
  if (length == 0 || length % RDIO_HUGE_PAGE != 0 || length > SIZE_MAX - RDIO_HUGE_PAGE) {
    return -EINVAL;
  }
  size_t room = length + RDIO_HUGE_PAGE;
  char *mapped = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    return -errno;
  }
  size_t head = (RDIO_HUGE_PAGE - (uintptr_t)mapped % RDIO_HUGE_PAGE) % RDIO_HUGE_PAGE;
  char *memory = mapped + head;
  /* What is cut off costs address space only, should the kernel not take it back. */
  if (head > 0) {
    (void)munmap(mapped, head);
  }
  (void)munmap(memory + length, RDIO_HUGE_PAGE - head);
  /* A kernel without transparent huge pages says EINVAL, and small pages do. */
  (void)madvise(memory, length, MADV_HUGEPAGE);
  return (int64_t)(intptr_t)memory;
}

int rdio_memory_unmap(void *memory, size_t length) {
  return munmap(memory, length) == 0 ? 0 : -errno;
}
