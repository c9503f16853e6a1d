/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that lies in few pieces, physically: a device is told of each piece of a read by itself. */
#ifndef RDIO_MEMORY_H
#define RDIO_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Size and alignment of a huge page on x86-64 and, with pages of 4 KiB, on aarch64. */
#define RDIO_HUGE_PAGE ((size_t)2 << 20)

/*
 * Anonymous zeroed memory, aligned to RDIO_HUGE_PAGE, in huge pages where the kernel has any: none
 * is taken before it is touched. Its address; or -errno, -EINVAL unless length is a positive
 * multiple of RDIO_HUGE_PAGE.
 */
int64_t rdio_memory_map(size_t length);

/* Gives memory of rdio_memory_map back; 0 or -errno. */
int rdio_memory_unmap(void *memory, size_t length);

#endif
