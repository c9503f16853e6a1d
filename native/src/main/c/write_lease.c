/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "write_lease.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "write_device.h"

enum { NANOS_PER_SECOND = 1000000000, INDEX_BITS = 16, INDEX_MASK = (1 << INDEX_BITS) - 1 };

static const int64_t LONGEST_NANOS = 3600LL * NANOS_PER_SECOND;

pthread_mutex_t rdio_write_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t rdio_write_changed;

#ifdef RDIO_WRITE_HOOKS
void (*rdio_hook_looked)(void);
int64_t (*rdio_hook_result)(int64_t result, int64_t length);
#endif

static struct rdio_lease leases[RDIO_LEASES];
static int64_t armed_at; /* what the timer is set to; 0: to nothing */

/* By a clock that nobody sets, which a condition has only if it is made by code. */
__attribute__((constructor)) static void make_condition(void) {
  pthread_condattr_t by_clock;
  pthread_condattr_init(&by_clock);
  pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
  pthread_cond_init(&rdio_write_changed, &by_clock);
  pthread_condattr_destroy(&by_clock);
}

static int64_t handle_of(const struct rdio_lease *lease) {
  return (int64_t)lease->generation << INDEX_BITS | (lease - leases);
}

/* Under the lock; NULL for a handle that is of no lease. */
static struct rdio_lease *lease_of(int64_t handle) {
  int64_t index = handle & INDEX_MASK;
  if (handle < 0 || index >= RDIO_LEASES) {
    return NULL;
  }
  struct rdio_lease *lease = &leases[index];
  return lease->state != RDIO_LEASE_FREE && handle_of(lease) == handle ? lease : NULL;
}

/* Sets the timer to the earliest deadline of all leases by which somebody may write. */
static int arm(void) {
  int64_t earliest = 0;
  for (int i = 0; i < RDIO_LEASES; i++) {
    bool may_write = leases[i].state == RDIO_LEASE_LIVE || leases[i].state == RDIO_LEASE_ENDING;
    if (may_write && (earliest == 0 || leases[i].deadline < earliest)) {
      earliest = leases[i].deadline;
    }
  }
  if (earliest == armed_at) {
    return 0;
  }
  int error = rdio_kill_timer_set(earliest);
  if (error == 0) {
    armed_at = earliest;
  }
  return error;
}

static int check_deadline(int64_t deadline, int64_t now) {
  if (deadline <= now) {
    return -ETIME;
  }
  return deadline - now > LONGEST_NANOS ? -EINVAL : 0;
}

static struct rdio_lease *free_lease(void) {
  for (int i = 0; i < RDIO_LEASES; i++) {
    if (leases[i].state == RDIO_LEASE_FREE) {
      return &leases[i];
    }
  }
  return NULL;
}

static int64_t add(struct rdio_writer *writer, const struct rdio_slot_map *map, int64_t deadline) {
  struct rdio_lease *lease = free_lease();
  if (lease == NULL) {
    return -ENOSPC;
  }
  lease->granted = rdio_read_clocks();
  int error = check_deadline(deadline, lease->granted.boot);
  if (error < 0) {
    return error;
  }
  lease->generation = (lease->generation + 1) & INT32_MAX;
  lease->has_stamps = false;
  lease->has_failed = false;
  lease->use = (struct rdio_slot_use){.reached = 0, .end = -1};
  lease->writer = writer;
  lease->map = *map;
  lease->deadline = deadline;
  lease->state = RDIO_LEASE_LIVE;
  error = arm();
  if (error < 0) {
    lease->state = RDIO_LEASE_FREE;
    return error;
  }
  writer->users++;
  return handle_of(lease);
}

int64_t rdio_lease_add(struct rdio_writer *writer, const struct rdio_slot_map *map,
                       int64_t deadline) {
  pthread_mutex_lock(&rdio_write_lock);
  int64_t handle = add(writer, map, deadline);
  pthread_mutex_unlock(&rdio_write_lock);
  return handle;
}

/* Of all leases, for all of them were granted before the machine stood still. Under the lock. */
static void stop_all(void) {
  for (int i = 0; i < RDIO_LEASES; i++) {
    if (leases[i].state == RDIO_LEASE_LIVE) {
      leases[i].state = RDIO_LEASE_ENDING;
    }
  }
}

static int renew(struct rdio_lease *lease, int64_t deadline) {
  if (lease == NULL) {
    return -ENOENT;
  }
  if (lease->state != RDIO_LEASE_LIVE) {
    return -ECANCELED;
  }
  struct rdio_reading now = rdio_read_clocks();
  if (rdio_was_paused(lease->granted, now)) {
    stop_all();
    return -ETIME;
  }
  if (now.boot >= lease->deadline) {
    return -ETIME;
  }
  int error = check_deadline(deadline, now.boot);
  if (error < 0) {
    return error;
  }
  int64_t before = lease->deadline;
  lease->deadline = deadline;
  error = arm();
  if (error < 0) {
    lease->deadline = before;
  }
  return error;
}

int rdio_lease_renew(int64_t handle, int64_t deadline) {
  pthread_mutex_lock(&rdio_write_lock);
  int error = renew(lease_of(handle), deadline);
  pthread_mutex_unlock(&rdio_write_lock);
  return error;
}

static int end(struct rdio_lease *lease, int64_t timeout_nanos) {
  if (lease == NULL) {
    return -ENOENT;
  }
  if (lease->state == RDIO_LEASE_ENDED) {
    return 0;
  }
  if (lease->state == RDIO_LEASE_LIVE) {
    lease->state = RDIO_LEASE_ENDING;
    pthread_cond_broadcast(&rdio_write_changed);
  }
  lease->calls++;
  int64_t begun = rdio_read_clocks().boot;
  int64_t waited = 0;
  while (lease->windows > 0 && waited < timeout_nanos) {
    rdio_write_wait(timeout_nanos - waited);
    waited = rdio_read_clocks().boot - begun;
  }
  lease->calls--;
  if (lease->windows > 0) {
    return -ETIMEDOUT;
  }
  lease->state = RDIO_LEASE_ENDED;
  return arm();
}

int rdio_lease_end(int64_t handle, int64_t timeout_nanos) {
  pthread_mutex_lock(&rdio_write_lock);
  int error = end(lease_of(handle), timeout_nanos);
  pthread_mutex_unlock(&rdio_write_lock);
  return error;
}

static int release(struct rdio_lease *lease) {
  if (lease == NULL) {
    return -ENOENT;
  }
  if (lease->state != RDIO_LEASE_ENDED) {
    return -EINVAL;
  }
  if (lease->calls > 0) {
    return -EBUSY;
  }
  lease->state = RDIO_LEASE_FREE;
  lease->writer->users--;
  return lease->has_failed;
}

int rdio_lease_release(int64_t handle) {
  pthread_mutex_lock(&rdio_write_lock);
  int result = release(lease_of(handle));
  pthread_mutex_unlock(&rdio_write_lock);
  return result;
}

int rdio_lease_enter(int64_t handle, struct rdio_lease **lease) {
  pthread_mutex_lock(&rdio_write_lock);
  *lease = lease_of(handle);
  if (*lease != NULL) {
    (*lease)->calls++;
  }
  pthread_mutex_unlock(&rdio_write_lock);
  return *lease == NULL ? -ENOENT : 0;
}

void rdio_lease_leave(struct rdio_lease *lease, bool has_failed) {
  pthread_mutex_lock(&rdio_write_lock);
  lease->calls--;
  lease->has_failed |= has_failed;
  pthread_mutex_unlock(&rdio_write_lock);
}

static int refuse(struct rdio_lease *lease, int error) {
  rdio_lease_sent(lease);
  return error;
}

/*
 * The window is opened before the state is read, and the state is changed before the windows are
 * read: so either this thread sees that the lease ends, or who ends it sees this thread.
 */
int rdio_lease_look(struct rdio_lease *lease) {
  lease->windows++;
  if (lease->state != RDIO_LEASE_LIVE) {
    return refuse(lease, -ECANCELED);
  }
  struct rdio_reading now = rdio_read_clocks();
  if (rdio_was_paused(lease->granted, now)) {
    pthread_mutex_lock(&rdio_write_lock);
    stop_all();
    pthread_mutex_unlock(&rdio_write_lock);
    return refuse(lease, -ETIME);
  }
  if (now.boot >= lease->deadline) {
    return refuse(lease, -ETIME);
  }
#ifdef RDIO_WRITE_HOOKS
  if (rdio_hook_looked != NULL) {
    rdio_hook_looked();
  }
#endif
  return 0;
}

void rdio_lease_sent(struct rdio_lease *lease) {
  lease->windows--;
  if (lease->state == RDIO_LEASE_ENDING) {
    pthread_mutex_lock(&rdio_write_lock);
    pthread_cond_broadcast(&rdio_write_changed);
    pthread_mutex_unlock(&rdio_write_lock);
  }
}

void rdio_write_wait(int64_t most_nanos) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  int64_t nanos = most_nanos < NANOS_PER_SECOND ? most_nanos : NANOS_PER_SECOND;
  nanos += until.tv_nsec;
  until.tv_sec += nanos / NANOS_PER_SECOND;
  until.tv_nsec = nanos % NANOS_PER_SECOND;
  pthread_cond_timedwait(&rdio_write_changed, &rdio_write_lock, &until);
}
