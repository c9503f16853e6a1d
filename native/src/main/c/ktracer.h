/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KTracer, the agent's half in C: loads the programs, flushes what CPUs hold back by time and
 * fetches what is in the ring buffer. One thread at a time may poll; all else is for any thread until
 * the tracer is closed. What the programs are attached by are descriptors of this process: with
 * it they go, however it ends.
 */
#ifndef RDIO_KTRACER_H
#define RDIO_KTRACER_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>

#include "../bpf/ktracer.h"

struct rdio_ktracer;

enum rdio_ktracer_probe {
  RDIO_BEST,    /* tp_btf, or else the classic tracepoint */
  RDIO_TP_BTF,  /* tp_btf or nothing */
  RDIO_CLASSIC, /* the classic tracepoint or nothing */
};

/* Sums over all CPUs since the tracer was opened. */
struct rdio_ktracer_counts {
  uint64_t pages;
  uint64_t runs;
  uint64_t lost_pages;
  uint64_t lost_runs;
  uint64_t noreuse_pages;
};

/*
 * Loads and attaches; no device is traced yet. 0 or -errno, with bpf_log telling more. Needs
 * CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN.
 */
int rdio_ktracer_open(enum rdio_ktracer_probe probe, bool noreuse, struct rdio_ktracer **out);

/* Which of the probes it is: RDIO_TP_BTF or RDIO_CLASSIC. */
enum rdio_ktracer_probe rdio_ktracer_probe(const struct rdio_ktracer *tracer);

/* Whether changes of the extents of this file system's files are noticed: "ext4" or "xfs". */
bool rdio_ktracer_watches(const struct rdio_ktracer *tracer, const char *fs_type);

/* Whether files marked FADV_NOREUSE are noticed. */
bool rdio_ktracer_knows_noreuse(const struct rdio_ktracer *tracer);

/* Traces a device of the kernel's number in a slot below RDIO_TRACED_DEVICES, or stops it. */
void rdio_ktracer_trace(struct rdio_ktracer *tracer, int slot, uint32_t device,
                        enum rdio_traced_kind kind);

/*
 * Waits until the ring buffer fills or the time is over, has flushed what CPUs hold back, and
 * copies what there is, the oldest first: at most max; what is left over comes with the next call.
 * How many, or -errno.
 */
int rdio_ktracer_poll(struct rdio_ktracer *tracer, int timeout_millis,
                      struct rdio_evicted_run *runs, int max);

struct rdio_ktracer_counts rdio_ktracer_counts(const struct rdio_ktracer *tracer);

/* RDIO_EPOCHS of them, for as long as the tracer is open. */
const uint32_t *rdio_ktracer_epochs(const struct rdio_ktracer *tracer);

void rdio_ktracer_close(struct rdio_ktracer *tracer);

#endif
