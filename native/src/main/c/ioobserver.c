/* SPDX-License-Identifier: Apache-2.0 */
#include "ioobserver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "ioobserver.skel.h"

struct rdio_ioobserver {
  struct ioobserver_bpf *bpf;
  struct ring_buffer *ring;
  /* Of the poll that is under way. */
  struct rdio_io *out;
  int max;
  int count;
};

static int take(void *context, void *sample, size_t size) {
  struct rdio_ioobserver *observer = context;
  if (size < sizeof *observer->out) {
    return -EBADMSG;
  }
  memcpy(&observer->out[observer->count++], sample, sizeof *observer->out);
  /* What was taken is gone from the ring either way: stop only when there is no room for more. */
  return observer->count < observer->max ? 0 : -ENOBUFS;
}

static int load(struct rdio_ioobserver *observer) {
  observer->bpf = ioobserver_bpf__open();
  if (observer->bpf == NULL) {
    return -errno;
  }
  int error = ioobserver_bpf__load(observer->bpf);
  if (error == 0) {
    error = ioobserver_bpf__attach(observer->bpf);
  }
  if (error == 0) {
    observer->ring =
        ring_buffer__new(bpf_map__fd(observer->bpf->maps.completed), take, observer, NULL);
    error = observer->ring == NULL ? -errno : 0;
  }
  if (error != 0) {
    ioobserver_bpf__destroy(observer->bpf);
  }
  return error;
}

int rdio_ioobserver_open(struct rdio_ioobserver **out) {
  struct rdio_ioobserver *observer = calloc(1, sizeof *observer);
  if (observer == NULL) {
    return -ENOMEM;
  }
  int error = load(observer);
  if (error != 0) {
    free(observer);
    return error;
  }
  *out = observer;
  return 0;
}

void rdio_ioobserver_observe(struct rdio_ioobserver *observer, int slot, uint32_t device) {
  __atomic_store_n(&observer->bpf->bss->observed[slot], device, __ATOMIC_SEQ_CST);
}

int rdio_ioobserver_poll(struct rdio_ioobserver *observer, int timeout_millis, struct rdio_io *ios,
                         int max) {
  if (max < 1) {
    return -EINVAL;
  }
  observer->out = ios;
  observer->max = max;
  observer->count = 0;
  int result = ring_buffer__poll(observer->ring, timeout_millis);
  if (result >= 0 && observer->count < max) {
    result = ring_buffer__consume(observer->ring);
  }
  return result < 0 && result != -ENOBUFS && result != -EINTR ? result : observer->count;
}

uint64_t rdio_ioobserver_lost(const struct rdio_ioobserver *observer) {
  return __atomic_load_n(&observer->bpf->bss->lost, __ATOMIC_RELAXED);
}

void rdio_ioobserver_close(struct rdio_ioobserver *observer) {
  ring_buffer__free(observer->ring);
  ioobserver_bpf__destroy(observer->bpf);
  free(observer);
}
