/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device (or, in tests, a regular file) open for reading past the page cache. Plain C: what is
 * here can be tested without a JVM. Every function answers a value >= 0, or -errno.
 */
#ifndef RDIO_DEVICE_H
#define RDIO_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* O_RDONLY | O_DIRECT | O_CLOEXEC, so that a reader can never write. The descriptor. */
int rdio_device_open(const char *path);

int rdio_device_close(int fd);

/*
 * Reads on over short reads and signals. The bytes read: less than length only where the device or
 * file ends. Offset, length and address must be multiples of the device's alignment.
 */
int64_t rdio_device_pread(int fd, void *target, size_t length, int64_t offset);

/* Bytes: the capacity of a device, the length of a regular file; -ENOTBLK for anything else. */
int64_t rdio_device_size(int fd);

/* Bytes; 4096 for a regular file, which satisfies every file system that takes O_DIRECT. */
int rdio_device_logical_block_size(int fd);

/*
 * The kernel's number of this medium: another one is a medium changed under the same name.
 * -ENOTTY for a regular file and on kernels before 5.15.
 */
int64_t rdio_device_sequence(int fd);

/* CLOCK_BOOTTIME in nanoseconds: monotonic, and going on while the machine sleeps. */
int64_t rdio_boot_time_nanos(void);

#endif
