/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The write leases of this process, on all its devices. A lease that was not ended has the timer of
 * write_clock.h at its deadline or earlier. For any number of threads. Handles are checked: one that
 * was never given, or that was released, is -ENOENT.
 */
#ifndef RDIO_WRITE_LEASE_H
#define RDIO_WRITE_LEASE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "write_clock.h"
#include "write_map.h"

enum { RDIO_LEASES = 1024 };

/* Guards what is not atomic; and is woken when a lease, a ring or a window changes. */
extern pthread_mutex_t rdio_write_lock;
extern pthread_cond_t rdio_write_changed;

struct rdio_writer;

enum rdio_lease_state { RDIO_LEASE_FREE, RDIO_LEASE_LIVE, RDIO_LEASE_ENDING, RDIO_LEASE_ENDED };

struct rdio_lease {
  _Atomic int state; /* changed under the lock */
  _Atomic int64_t deadline;
  _Atomic unsigned windows; /* threads between their look and their submission */
  uint32_t generation;
  unsigned calls; /* threads that use the lease: under the lock, as what follows */
  bool has_stamps;
  bool has_failed;
  struct rdio_slot_use use;
  struct rdio_writer *writer;
  /* These do not change while anybody uses the lease. */
  struct rdio_reading granted;
  struct rdio_slot_map map;
};

/*
 * A new lease, by its handle. deadline: of CLOCK_BOOTTIME, in the future by an hour at most, else
 * -ETIME and -EINVAL. -ENOSPC when there are RDIO_LEASES.
 */
int64_t rdio_lease_add(struct rdio_writer *writer, const struct rdio_slot_map *map,
                       int64_t deadline);

/* Another deadline, and the timer with it. -ETIME when the lease was over, -ECANCELED when ended. */
int rdio_lease_renew(int64_t handle, int64_t deadline);

/*
 * No look succeeds any more. 0 when no thread is between look and submission either (W10): from
 * then on the timer has nothing to do with this lease. -ETIMEDOUT when one still is after that
 * time; to be called again, for at the deadline the timer comes.
 */
int rdio_lease_end(int64_t handle, int64_t timeout_nanos);

/*
 * Forgets a lease. 0 if it is quiet, and each write was answered without an error (W11); 1 if quiet,
 * but one failed; -EBUSY while one is under way; -EINVAL for a lease that was not ended.
 */
int rdio_lease_release(int64_t handle);

/* The lease stays until this thread leaves it. */
int rdio_lease_enter(int64_t handle, struct rdio_lease **lease);
void rdio_lease_leave(struct rdio_lease *lease, bool has_failed);

/*
 * The look: 0 if this lease is valid now, and then this thread submits one write and says so.
 * -ECANCELED for an ended lease, -ETIME for one that is over.
 */
int rdio_lease_look(struct rdio_lease *lease);
void rdio_lease_sent(struct rdio_lease *lease);

/* Waits under the lock until something changes, but not for long: conditions are looked at again. */
void rdio_write_wait(int64_t most_nanos);

#ifdef RDIO_WRITE_HOOKS
/* Of tests: called between a look and its submission; and what a write of so many bytes came to. */
extern void (*rdio_hook_looked)(void);
extern int64_t (*rdio_hook_result)(int64_t result, int64_t length);
#endif

#endif
