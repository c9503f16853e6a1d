/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches records of one size from a ring buffer that eBPF programs fill. For one thread at a time. */
#ifndef RDIO_BPF_RING_H
#define RDIO_BPF_RING_H

#include <stddef.h>

struct rdio_bpf_ring;

/*
 * The ring buffer of a map, by its descriptor, which stays the caller's. Its programs write no more
 * than batch records at a time. 0 or -errno.
 */
int rdio_bpf_ring_open(int map, size_t record_bytes, int batch, struct rdio_bpf_ring **out);

/*
 * Waits until the ring buffer fills or the time is over, and copies what there is, the oldest first:
 * at most max, which is no less than a batch; what is left over comes with the next call. How many,
 * or -errno.
 *
 * flush, unless it is NULL, is called after the wait for what its programs still hold back.
 */
int rdio_bpf_ring_poll(struct rdio_bpf_ring *ring, int timeout_millis, void *records, int max,
                       void (*flush)(void *context), void *context);

/* NULL is none. */
void rdio_bpf_ring_close(struct rdio_bpf_ring *ring);

#endif
