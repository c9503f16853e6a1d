/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the observer's program in the kernel and its agent share. Included by both: only types of
 * linux/types.h.
 */
#ifndef RDIO_IOOBSERVER_SHARED_H
#define RDIO_IOOBSERVER_SHARED_H

enum {
  RDIO_OBSERVED_DEVICES = 16, /* at a time */
};

/* A request that a device has completed. */
struct rdio_io {
  __u64 sector; /* of 512 bytes, on the whole disk */
  __u32 sectors;
  __u16 slot;  /* of the device */
  __u16 write; /* 0: it was read; 1: its content may have changed (write, discard, write zeroes) */
};

#endif
