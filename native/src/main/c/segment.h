/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that a client shares with its host's agent: a sealed memfd, mapped by both. Every function
 * answers a value >= 0, or -errno.
 */
#ifndef RDIO_SEGMENT_H
#define RDIO_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * A new segment of zeroes, none of which takes memory before it is touched; a descriptor. It can
 * neither shrink nor grow any more, so that nobody who maps it can be made to touch what is gone.
 */
int rdio_segment_create(size_t length);

/*
 * The length of somebody else's segment. -EPERM unless it is a memfd of usual pages that can neither
 * shrink nor grow, and that can be written to.
 */
int64_t rdio_segment_length(int fd);

/*
 * Maps a segment at a multiple of RDIO_HUGE_PAGE, in huge pages where the kernel has any. Its
 * address.
 */
int64_t rdio_segment_map(int fd, size_t length);

int rdio_segment_unmap(void *memory, size_t length);

/*
 * Puts a range that was touched into huge pages, also where the kernel makes none by itself of
 * shared memory, which is its default. 0; -EINVAL before Linux 6.1, or where
 * nothing was touched; -EAGAIN or -EBUSY where the device or somebody's pin has some of it. Nothing
 * is changed then that anybody could see.
 */
int rdio_segment_collapse(void *memory, size_t length);

/* Gives the memory of a range back to the machine, which is zeroes from then on. */
int rdio_segment_release(int fd, int64_t offset, int64_t length);

/* Bytes of memory that a segment takes at present. */
int64_t rdio_segment_footprint(int fd);

#endif
