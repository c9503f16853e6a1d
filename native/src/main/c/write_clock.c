/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "write_clock.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NANOS_PER_SECOND = 1000000000, TRIES = 3, HELD_UP_NANOS = 100000000 };

static timer_t timer;
static bool is_made;

static int64_t nanos_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * NANOS_PER_SECOND + now.tv_nsec;
}

/* Read once more where the thread was held up between the two: that is no step of a clock. */
struct rdio_reading rdio_read_clocks(void) {
  struct rdio_reading reading;
  for (int i = 0; i < TRIES; i++) {
    int64_t before = nanos_of(CLOCK_BOOTTIME);
    int64_t wall = nanos_of(CLOCK_REALTIME);
    reading.boot = nanos_of(CLOCK_BOOTTIME);
    reading.ahead = wall - reading.boot;
    if (reading.boot - before < HELD_UP_NANOS) {
      break;
    }
  }
  return reading;
}

bool rdio_was_paused(struct rdio_reading before, struct rdio_reading now) {
  int64_t step = now.ahead - before.ahead;
  return step > NANOS_PER_SECOND || step < -NANOS_PER_SECOND;
}

int rdio_kill_timer_make(void) {
  if (getpid() == 1) {
    return -EOPNOTSUPP;
  }
  if (is_made) {
    return 0;
  }
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  if (timer_create(CLOCK_BOOTTIME, &event, &timer) < 0) {
    return -errno;
  }
  is_made = true;
  return 0;
}

int rdio_kill_timer_set(int64_t boot_nanos) {
  struct itimerspec at = {.it_value = {.tv_sec = boot_nanos / NANOS_PER_SECOND,
                                       .tv_nsec = boot_nanos % NANOS_PER_SECOND}};
  return timer_settime(timer, TIMER_ABSTIME, &at, NULL) < 0 ? -errno : 0;
}
