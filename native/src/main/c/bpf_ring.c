/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

struct rdio_bpf_ring {
  struct ring_buffer *buffer;
  size_t record_bytes;
  int batch;
  /* Of the poll that is under way. */
  char *records;
  int max;
  int count;
};

static int take(void *context, void *sample, size_t size) {
  struct rdio_bpf_ring *ring = context;
  size_t records = size / ring->record_bytes;
  if (records < 1 || records > (size_t)ring->batch) {
    return -EBADMSG;
  }
  memcpy(ring->records + (size_t)ring->count * ring->record_bytes, sample,
         records * ring->record_bytes);
  ring->count += (int)records;
  /* What was taken is gone from the ring either way: stop when there may be no room for more. */
  return ring->count + ring->batch <= ring->max ? 0 : -ENOBUFS;
}

int rdio_bpf_ring_open(int map, size_t record_bytes, int batch, struct rdio_bpf_ring **out) {
  struct rdio_bpf_ring *ring = calloc(1, sizeof *ring);
  if (ring == NULL) {
    return -ENOMEM;
  }
  ring->record_bytes = record_bytes;
  ring->batch = batch;
  ring->buffer = ring_buffer__new(map, take, ring, NULL);
  if (ring->buffer == NULL) {
    int error = -errno;
    free(ring);
    return error;
  }
  *out = ring;
  return 0;
}

int rdio_bpf_ring_poll(struct rdio_bpf_ring *ring, int timeout_millis, void *records, int max,
                       void (*flush)(void *context), void *context) {
  if (max < ring->batch) {
    return -EINVAL;
  }
  ring->records = records;
  ring->max = max;
  ring->count = 0;
  int result = ring_buffer__poll(ring->buffer, timeout_millis);
  if (result >= 0 && ring->count + ring->batch <= max) {
    if (flush != NULL) {
      flush(context);
    }
    result = ring_buffer__consume(ring->buffer);
  }
  return result < 0 && result != -ENOBUFS && result != -EINTR ? result : ring->count;
}

void rdio_bpf_ring_close(struct rdio_bpf_ring *ring) {
  if (ring != NULL) {
    ring_buffer__free(ring->buffer);
    free(ring);
  }
}
