/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases and writes under AddressSanitizer and UBSan, on a temporary file, by io_uring and by pwrite.
 * argv[1]: a directory.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>

#include "write_fixture.h"

static void writes_whole_slot(void) {
  open_all();
  CHECK(rdio_slot_write(lease, 0, source, SLOT_UNITS * UNIT, false) == 0);
  CHECK(rdio_writer_flush(writer) == 0);
  place_expected(0, source, SLOT_UNITS * UNIT);
  close_all(0);
}

/* Zeros up to the unit, and what the caller's memory has there is left out. */
static void fills_last_unit(void) {
  open_all();
  int64_t length = 3 * UNIT + 17;
  CHECK(rdio_slot_write(lease, 49 * UNIT, source, length, true) == 0);
  place_expected(49 * UNIT, source, length);
  unsigned char zeros[UNIT] = {0};
  place_expected(49 * UNIT + length, zeros, UNIT - 17);
  CHECK(rdio_slot_write(lease, 53 * UNIT, source, UNIT, false) == -ERANGE);
  CHECK(rdio_slot_write(lease, 0, source + UNIT, UNIT, false) == 0);
  place_expected(0, source + UNIT, UNIT);
  close_all(0);
}

static void refuses_ranges(void) {
  open_all();
  CHECK(rdio_slot_write(lease, -UNIT, source, UNIT, false) == -EINVAL);
  CHECK(rdio_slot_write(lease, 1, source, UNIT, false) == -EINVAL);
  CHECK(rdio_slot_write(lease, 0, source, 1, false) == -EINVAL);
  CHECK(rdio_slot_write(lease, 0, source + 1, UNIT, false) == -EINVAL);
  CHECK(rdio_slot_write(lease, 0, NULL, UNIT, false) == -EINVAL);
  CHECK(rdio_slot_write(lease, SLOT_UNITS * UNIT, source, UNIT, false) == -ERANGE);
  CHECK(rdio_slot_write(lease, 0, source, INT64_MAX / UNIT * UNIT, false) == -ERANGE);
  CHECK(rdio_slot_write(lease, INT64_MAX / UNIT * UNIT, source, UNIT, false) == -ERANGE);
  CHECK(rdio_slot_write(lease + 1, 0, source, UNIT, false) == -ENOENT);
  CHECK(rdio_slot_write(-lease, 0, source, UNIT, false) == -ENOENT);
  CHECK(rdio_slot_write(INT64_MAX, 0, source, UNIT, false) == -ENOENT);
  CHECK(rdio_slot_write(0, 0, source, UNIT, false) == -ENOENT);
  CHECK(rdio_lease_end(INT64_MIN, 0) == -ENOENT);
  close_all(0);
}

/* Of a device that was ended by nobody: a lease that is over, by the clock of the look. */
static void looks_at_deadline(void) {
  open_all();
  struct rdio_lease *inside;
  CHECK(rdio_lease_enter(lease, &inside) == 0);
  int64_t deadline = inside->deadline;
  inside->deadline = rdio_read_clocks().boot; /* the timer stays where it was */
  CHECK(rdio_slot_write(lease, 0, source, UNIT, false) == -ETIME);
  CHECK(rdio_lease_renew(lease, in_seconds(600)) == -ETIME);
  inside->deadline = deadline;
  rdio_lease_leave(inside, false);
  CHECK(rdio_lease_renew(lease, rdio_read_clocks().boot) == -ETIME);
  CHECK(rdio_lease_renew(lease, INT64_MIN) == -ETIME);
  CHECK(rdio_lease_renew(lease, INT64_MAX) == -EINVAL);
  CHECK(rdio_lease_renew(lease, in_seconds(300)) == 0);
  close_all(1);
}

/* Whoever writes after the end has not written all that he thinks. */
static void ended_one_writes_nothing(void) {
  open_all();
  CHECK(rdio_lease_end(lease, 0) == 0);
  CHECK(rdio_lease_renew(lease, in_seconds(600)) == -ECANCELED);
  CHECK(rdio_slot_write(lease, 0, source, UNIT, false) == -ECANCELED);
  CHECK(rdio_lease_release(lease) == 1);
  CHECK(rdio_writer_close(writer) == 0);
  file_is_as_expected();
}

static void ends_all_after_a_pause(void) {
  open_all();
  int64_t other = new_lease(600);
  struct rdio_lease *inside;
  CHECK(rdio_lease_enter(lease, &inside) == 0);
  inside->granted.ahead += 2 * SECOND;
  rdio_lease_leave(inside, false);
  CHECK(rdio_slot_write(lease, 0, source, UNIT, false) == -ETIME);
  CHECK(rdio_lease_renew(other, in_seconds(600)) == -ECANCELED);
  CHECK(rdio_lease_end(other, 0) == 0);
  CHECK(rdio_lease_release(other) == 0);
  close_all(1);
}

static atomic_int in_window;
static atomic_int may_go;

static void stay_in_window(void) {
  in_window = 1;
  while (!may_go) {
    usleep(1000);
  }
}

/* A file system may not take it at once; then it looks again, at a lease that has ended by now. */
static void *write_one(void *unused) {
  (void)unused;
  int error = rdio_slot_write(lease, 0, source, UNIT, false);
  CHECK(error == 0 || (error == -ECANCELED && options == RDIO_WRITER_IMAGE));
  if (error == 0) {
    place_expected(0, source, UNIT);
  }
  return NULL;
}

static void end_waits_for_windows(void) {
  open_all();
  in_window = 0;
  may_go = 0;
  rdio_hook_looked = stay_in_window;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, write_one, NULL) == 0);
  while (!in_window) {
    usleep(1000);
  }
  CHECK(rdio_lease_end(lease, 0) == -ETIMEDOUT);
  CHECK(rdio_lease_end(lease, SECOND / 50) == -ETIMEDOUT);
  CHECK(rdio_lease_release(lease) == -EINVAL);
  CHECK(rdio_slot_write(lease, UNIT, source, UNIT, false) == -ECANCELED);
  may_go = 1;
  CHECK(rdio_lease_end(lease, 60 * SECOND) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  rdio_hook_looked = NULL;
  CHECK(rdio_lease_release(lease) == 1); /* the second write was refused: not all is there */
  CHECK(rdio_writer_close(writer) == 0);
  file_is_as_expected();
}

enum { THREADS = 12 };

static void *write_some(void *number) {
  int64_t first = (int64_t)(intptr_t)number * SLOT_UNITS / THREADS * UNIT;
  int64_t behind = ((int64_t)(intptr_t)number + 1) * SLOT_UNITS / THREADS * UNIT;
  for (int64_t at = first; at < behind; at += 10 * UNIT) {
    CHECK(rdio_slot_write(lease, at, source + at, 10 * UNIT, false) == 0);
  }
  return NULL;
}

static void many_threads_write(void) {
  open_all();
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&threads[i], NULL, write_some, (void *)i) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
  place_expected(0, source, SLOT_UNITS * UNIT);
  close_all(0);
}

static int64_t closing;
static int64_t opened_meanwhile;

/* In the thread that closes, so that nothing has to be waited for. */
static void go_on_while_closing(void) {
  rdio_hook_closing = NULL;
  int error = pthread_mutex_trylock(&rdio_write_lock);
  CHECK(error == 0);
  if (error != 0) {
    return;
  }
  pthread_mutex_unlock(&rdio_write_lock);
  CHECK(rdio_slot_write(lease, 0, source, UNIT, false) == 0);
  CHECK(rdio_lease_renew(lease, in_seconds(600)) == 0);
  CHECK(rdio_writer_close(closing) == -EBADF);
  CHECK(rdio_writer_flush(closing) == -EBADF);
  opened_meanwhile = rdio_writer_open(path, options);
  CHECK(opened_meanwhile > 0 && opened_meanwhile != closing);
}

/* A close may have to wait for the kernel: other devices' leases must be renewed and ended then. */
static void close_keeps_nobody_waiting(void) {
  open_all();
  closing = rdio_writer_open(path, options);
  opened_meanwhile = 0;
  rdio_hook_closing = go_on_while_closing;
  CHECK(rdio_writer_close(closing) == 0);
  CHECK(opened_meanwhile > 0);
  CHECK(rdio_writer_close(closing) == -EBADF);
  CHECK(rdio_writer_close(opened_meanwhile) == 0);
  place_expected(0, source, UNIT);
  close_all(0);
}

static void opens_nothing_else(void) {
  CHECK(rdio_writer_open(path, 0) == -ENOTBLK);
  CHECK(rdio_writer_open("/dev/null", RDIO_WRITER_IMAGE) == -ENOTBLK);
  CHECK(rdio_writer_open("/", RDIO_WRITER_IMAGE) == -ENOTBLK);
  CHECK(rdio_writer_open("/nonexistent", RDIO_WRITER_IMAGE) == -ENOENT);
}

/* More than a cluster of some size has volumes. */
static void many_devices_are_open(void) {
  static int64_t all[RDIO_WRITERS];
  CHECK(RDIO_WRITERS >= 200);
  for (int i = 0; i < RDIO_WRITERS; i++) {
    all[i] = rdio_writer_open(path, options);
    CHECK(all[i] > 0 && (i == 0 || all[i] != all[i - 1]));
  }
  CHECK(rdio_writer_open(path, options) == -EMFILE);
  CHECK(rdio_writer_close(all[70]) == 0);
  int64_t another = rdio_writer_open(path, options);
  CHECK(another > 0 && another != all[70]);
  CHECK(rdio_writer_flush(all[70]) == -EBADF);
  all[70] = another;
  for (int i = 0; i < RDIO_WRITERS; i++) {
    CHECK(rdio_writer_flush(all[i]) == 0);
    CHECK(rdio_writer_close(all[i]) == 0);
  }
}

static void leases_are_bounded(void) {
  open_all();
  static int64_t all[RDIO_LEASES];
  all[0] = lease;
  for (int i = 1; i < RDIO_LEASES; i++) {
    all[i] = new_lease(600 + i);
    CHECK(all[i] > 0);
  }
  CHECK(new_lease(600) == -ENOSPC);
  for (int i = 1; i < RDIO_LEASES; i++) {
    CHECK(rdio_lease_end(all[i], 0) == 0 && rdio_lease_release(all[i]) == 0);
  }
  CHECK(new_lease(0) == -ETIME);
  CHECK(new_lease(3601) == -EINVAL);
  close_all(0);
}

static void all(void) {
  writes_whole_slot();
  fills_last_unit();
  refuses_ranges();
  looks_at_deadline();
  ended_one_writes_nothing();
  ends_all_after_a_pause();
  end_waits_for_windows();
  many_threads_write();
  close_keeps_nobody_waiting();
}

int main(int argc, char **argv) {
  begin(argc, argv);
  options = RDIO_WRITER_IMAGE;
  all();
  opens_nothing_else();
  leases_are_bounded();
  many_devices_are_open();
  options = RDIO_WRITER_IMAGE | RDIO_WRITER_BY_PWRITE;
  all();
  return finish();
}
