/* SPDX-License-Identifier: Apache-2.0 */
#include "ioobserver.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#include "bpf_ring.h"
#include "ioobserver.skel.h"

struct rdio_ioobserver {
  struct ioobserver_bpf *bpf;
  struct rdio_bpf_ring *ring;
};

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
    error = rdio_bpf_ring_open(bpf_map__fd(observer->bpf->maps.completed), sizeof(struct rdio_io),
                               1, &observer->ring);
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
  return rdio_bpf_ring_poll(observer->ring, timeout_millis, ios, max, NULL, NULL);
}

uint64_t rdio_ioobserver_lost(const struct rdio_ioobserver *observer) {
  return __atomic_load_n(&observer->bpf->bss->lost, __ATOMIC_RELAXED);
}

void rdio_ioobserver_close(struct rdio_ioobserver *observer) {
  rdio_bpf_ring_close(observer->ring);
  ioobserver_bpf__destroy(observer->bpf);
  free(observer);
}
