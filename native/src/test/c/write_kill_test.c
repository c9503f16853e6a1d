/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel's timer does to a process whose write lease is over (W9): children that are stopped
 * between look and submission, or forget to end a lease. argv[1]: a directory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "write_device.h"
#include "write_lease.h"
#include "write_slot.h"

enum { UNIT = 4096, BYTES = 16 * UNIT, NO_FAILURE = 0, OLD = 0x5a };

static const int64_t MILLISECOND = 1000000;
static const char *path;

static void write_old_bytes(void) {
  unsigned char old[BYTES];
  memset(old, OLD, BYTES);
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(old, 1, BYTES, file) == BYTES && fclose(file) == 0);
}

static int has_old_bytes(void) {
  unsigned char found[BYTES];
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL && fread(found, 1, BYTES, file) == BYTES && fclose(file) == 0);
  for (int i = 0; i < BYTES; i++) {
    if (found[i] != OLD) {
      return 0;
    }
  }
  return 1;
}

static int64_t lease_for(int64_t writer, int64_t nanos) {
  struct rdio_writer *device;
  CHECK(rdio_writer_enter(writer, &device) == 0);
  struct rdio_slot_map map;
  int64_t place = UNIT;
  int64_t length = 4 * UNIT;
  CHECK(rdio_slot_map_make(&map, &place, &length, 1, UNIT, device->size, device->block) == 0);
  int64_t lease = rdio_lease_add(device, &map, rdio_read_clocks().boot + nanos);
  rdio_writer_leave(device);
  return lease;
}

static void *memory(void) {
  void *bytes = aligned_alloc(UNIT, 4 * UNIT);
  memset(bytes, 1, 4 * UNIT);
  return bytes;
}

static void stop(void) { raise(SIGSTOP); }

/* Ends only if it lived to submit its write. */
static void write_and_stop(unsigned options) {
  int64_t writer = rdio_writer_open(path, options);
  int64_t lease = lease_for(writer, 500 * MILLISECOND);
  void *bytes = memory();
  CHECK(rdio_slot_read_stamps(lease, bytes, 4 * UNIT) == 1);
  rdio_hook_looked = stop;
  rdio_slot_write(lease, 0, bytes, 4 * UNIT, false);
}

static void forget_lease(unsigned options) {
  lease_for(rdio_writer_open(path, options), 200 * MILLISECOND);
  sleep(60);
}

/* The timer is at the earliest of several, and moves with them. */
static void end_first_of_two(unsigned options) {
  int64_t writer = rdio_writer_open(path, options);
  int64_t early = lease_for(writer, 300 * MILLISECOND);
  int64_t late = lease_for(writer, 60000 * MILLISECOND);
  int64_t renewed = lease_for(writer, 300 * MILLISECOND);
  CHECK(rdio_lease_end(early, 0) == 0);
  CHECK(rdio_lease_renew(renewed, rdio_read_clocks().boot + 60000 * MILLISECOND) == 0);
  usleep(600000);
  CHECK(rdio_lease_end(late, 0) == 0);
  CHECK(rdio_lease_end(renewed, 0) == 0);
  CHECK(rdio_lease_release(early) == 0 && rdio_lease_release(late) == 0);
  CHECK(rdio_lease_release(renewed) == 0 && rdio_writer_close(writer) == 0);
}

static void renew_for_less(unsigned options) {
  int64_t lease = lease_for(rdio_writer_open(path, options), 60000 * MILLISECOND);
  CHECK(rdio_lease_renew(lease, rdio_read_clocks().boot + 200 * MILLISECOND) == 0);
  sleep(60);
}

static pid_t begin(void (*what)(unsigned), unsigned options) {
  pid_t child = fork();
  if (child == 0) {
    what(options);
    _exit(failures == 0 ? NO_FAILURE : 1);
  }
  return child;
}

static int status_of(pid_t child, int flags) {
  int status = 0;
  CHECK(waitpid(child, &status, flags) == child);
  return status;
}

static int has_no_failure(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == NO_FAILURE;
}

static int is_killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

static void stopped_one_is_killed(unsigned options, int is_continued) {
  write_old_bytes();
  pid_t child = begin(write_and_stop, options);
  CHECK(WIFSTOPPED(status_of(child, WUNTRACED)));
  if (is_continued) {
    /* Looked at, not taken: it has ended, at its deadline, and goes on by no signal. */
    siginfo_t ended;
    CHECK(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) == 0);
    CHECK(kill(child, SIGCONT) == 0);
  }
  CHECK(is_killed(status_of(child, 0)));
  CHECK(has_old_bytes());
}

/* The same child, continued in time, writes: so that the tests above do not pass for want of a write. */
static void one_in_time_writes(unsigned options) {
  write_old_bytes();
  pid_t child = begin(write_and_stop, options);
  int status = status_of(child, WUNTRACED);
  while (WIFSTOPPED(status)) {
    CHECK(kill(child, SIGCONT) == 0);
    status = status_of(child, WUNTRACED);
  }
  CHECK(has_no_failure(status));
  CHECK(!has_old_bytes());
}

static void refused(unsigned options) {
  CHECK(rdio_writer_open(path, options) == -EOPNOTSUPP);
}

/* In a child, for who has made a namespace can begin no process but its first one. */
static void first_process_is_refused(unsigned options) {
  if (unshare(CLONE_NEWPID) < 0) {
    fprintf(stderr, "not run: no PID namespace here: %s\n", strerror(errno));
    CHECK(!has_to_run_all());
    return;
  }
  CHECK(has_no_failure(status_of(begin(refused, options), 0)));
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: write_kill_test DIRECTORY\n");
    return 2;
  }
  if (is_emulated()) {
    fprintf(stderr, "not run: the emulator has timers of its own\n");
    return 0;
  }
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s/write_kill_test.%ld", argv[1], (long)getpid());
  path = name;
  write_old_bytes();
  for (int i = 0; i < 2; i++) {
    unsigned options = RDIO_WRITER_IMAGE | (i == 0 ? 0 : RDIO_WRITER_BY_PWRITE);
    stopped_one_is_killed(options, 0);
    stopped_one_is_killed(options, 1);
    one_in_time_writes(options);
  }
  CHECK(is_killed(status_of(begin(forget_lease, RDIO_WRITER_IMAGE), 0)));
  CHECK(is_killed(status_of(begin(renew_for_less, RDIO_WRITER_IMAGE), 0)));
  CHECK(has_no_failure(status_of(begin(end_first_of_two, RDIO_WRITER_IMAGE), 0)));
  CHECK(has_no_failure(status_of(begin(first_process_is_refused, RDIO_WRITER_IMAGE), 0)));
  unlink(path);
  return failures == 0 ? 0 : 1;
}
