/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PrefCache's observer of a device's reads and writes, the agent's half in C. An observer is for one
 * thread at a time. What the program is attached by is a descriptor of this process: with it it goes,
 * however it ends.
 */
#ifndef RDIO_IOOBSERVER_H
#define RDIO_IOOBSERVER_H

#include <stdint.h>

#include <linux/types.h>

#include "../bpf/ioobserver.h"

struct rdio_ioobserver;

/* Loads and attaches the program; nothing is observed yet. 0 or -errno. */
int rdio_ioobserver_open(struct rdio_ioobserver **out);

/* Observes a whole disk of the kernel's number in a slot below RDIO_OBSERVED_DEVICES; 0: none. */
void rdio_ioobserver_observe(struct rdio_ioobserver *observer, int slot, uint32_t device);

/*
 * Copies what was completed, the oldest first: at most max; what is left over comes with the next
 * call. Waits no longer than told for the ring buffer to fill. How many, or -errno.
 */
int rdio_ioobserver_poll(struct rdio_ioobserver *observer, int timeout_millis, struct rdio_io *ios,
                         int max);

/* Requests that were not told of since it was opened, for the ring buffer was full. */
uint64_t rdio_ioobserver_lost(const struct rdio_ioobserver *observer);

void rdio_ioobserver_close(struct rdio_ioobserver *observer);

#endif
