/* SPDX-License-Identifier: Apache-2.0 */
/* The clock by which leases end, and the timer that ends a process that would write too late (W9). */
#ifndef RDIO_WRITE_CLOCK_H
#define RDIO_WRITE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_BOOTTIME, and what CLOCK_REALTIME is ahead of it; nanoseconds. */
struct rdio_reading {
  int64_t boot;
  int64_t ahead;
};

struct rdio_reading rdio_read_clocks(void);

/*
 * Whether the wall clock was set between two readings by more than a second: as by what corrects it
 * when a hypervisor had paused the machine, during which CLOCK_BOOTTIME does not go on (C6).
 */
bool rdio_was_paused(struct rdio_reading before, struct rdio_reading now);

/*
 * Makes the timer, at the first call; later ones answer the same. -EOPNOTSUPP where the process is
 * the first one of its PID namespace, which no SIGKILL from inside reaches. Not for several threads.
 */
int rdio_kill_timer_make(void);

/* Ends this process by SIGKILL at a time of CLOCK_BOOTTIME; 0: never. */
int rdio_kill_timer_set(int64_t boot_nanos);

#endif
