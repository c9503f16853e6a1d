/* SPDX-License-Identifier: Apache-2.0 */
/* Runs both kinds of rings under AddressSanitizer and UBSan on a temporary file. argv[1]: a directory. */
#define _GNU_SOURCE
#include "ring.h"

#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "device.h"

enum { ENTRIES = 4, NO_LIMIT = -1, MILLISECOND = 1000000 };

static void reads_at_once(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[ENTRIES];
  for (int i = 0; i < ENTRIES; i++) {
    CHECK(rdio_ring_prepare(ring, fd, buffer + i * BLOCK, BLOCK, (ENTRIES - i) * BLOCK, i,
                            RDIO_RING_UNPINNED) == 0);
  }
  CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 0, ENTRIES, RDIO_RING_UNPINNED) == -EBUSY);
  CHECK(rdio_ring_enter(ring, ENTRIES, NO_LIMIT, done, ENTRIES) == ENTRIES);
  int seen = 0;
  for (int i = 0; i < ENTRIES; i++) {
    CHECK(done[i].tag >= 0 && done[i].tag < ENTRIES);
    seen |= 1 << done[i].tag;
    CHECK(done[i].result == BLOCK);
    CHECK(holds_file(buffer + i * BLOCK, (ENTRIES - i) * BLOCK, BLOCK));
  }
  CHECK(seen == (1 << ENTRIES) - 1);
}

static void tells_of_as_many_as_fit(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[ENTRIES];
  CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 0, 7, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_prepare(ring, fd, buffer + BLOCK, BLOCK, BLOCK, 8, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_enter(ring, 2, NO_LIMIT, done, 1) == 1);
  CHECK(rdio_ring_enter(ring, 1, NO_LIMIT, done + 1, 1) == 1);
  CHECK(done[0].tag + done[1].tag == 15);
  CHECK(rdio_ring_enter(ring, 0, NO_LIMIT, done, ENTRIES) == 0);
}

static void errors_are_results(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[2];
  CHECK(rdio_ring_prepare(ring, -1, buffer, BLOCK, 0, 1, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_enter(ring, 1, NO_LIMIT, done, 2) == 1);
  CHECK(done[0].result == -EBADF);
  CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 16 * BLOCK, 2, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_enter(ring, 1, NO_LIMIT, done, 2) == 1);
  CHECK(done[0].result == 0);
}

static void reads_to_pinned_memory(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[ENTRIES];
  int error = rdio_ring_pin(ring, 1, buffer, 2 * BLOCK);
  if (error == -EOPNOTSUPP || error == -ENOMEM) {
    fprintf(stderr, "not run: no pinned memory here: %s\n", strerror(-error));
    CHECK(!has_to_run_all());
    return;
  }
  CHECK(error == 0);
  CHECK(rdio_ring_pin(ring, RDIO_RING_PINNED, buffer, BLOCK) == -EINVAL);
  CHECK(rdio_ring_prepare(ring, fd, buffer + BLOCK, BLOCK, 3 * BLOCK, 1, 1) == 0);
  CHECK(rdio_ring_prepare(ring, fd, buffer + 2 * BLOCK, BLOCK, 0, 2, 1) == 0);
  CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 0, 3, 0) == 0);
  CHECK(rdio_ring_enter(ring, 3, NO_LIMIT, done, ENTRIES) == 3);
  for (int i = 0; i < 3; i++) {
    /* Neither memory behind the pinned piece nor an index without one can be written to. */
    CHECK(done[i].result == (done[i].tag == 1 ? BLOCK : -EFAULT));
  }
  CHECK(holds_file(buffer + BLOCK, 3 * BLOCK, BLOCK));
}

/* A pipe stands for a device that does not answer: what is written to it is its answer. */
static void gives_up_waiting(struct rdio_ring *ring, unsigned char *buffer) {
  struct rdio_completion done[2];
  int ends[2];
  CHECK(pipe(ends) == 0);
  memset(buffer, 0, 2 * BLOCK);
  CHECK(rdio_ring_prepare(ring, ends[0], buffer, BLOCK, 0, 1, RDIO_RING_UNPINNED) == 0);
  int64_t begun = rdio_boot_time_nanos();
  CHECK(rdio_ring_enter(ring, 1, 20 * MILLISECOND, done, 2) == 0);
  CHECK(rdio_boot_time_nanos() - begun >= 20 * MILLISECOND);
  CHECK(rdio_ring_enter(ring, 0, 0, done, 2) == 0);
  CHECK(rdio_ring_enter(ring, 1, 0, done, 2) == 0);
  memset(buffer + BLOCK, 7, BLOCK);
  CHECK(write(ends[1], buffer + BLOCK, BLOCK) == BLOCK);
  CHECK(rdio_ring_enter(ring, 1, 60000LL * MILLISECOND, done, 2) == 1);
  CHECK(done[0].tag == 1 && done[0].result == BLOCK);
  CHECK(memcmp(buffer, buffer + BLOCK, BLOCK) == 0);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

/* What the kernel does not take at all neither holds up what it takes nor is lost. */
static void takes_what_can_be_read(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  struct rdio_completion done[ENTRIES];
  for (int i = 0; i < ENTRIES; i++) {
    CHECK(rdio_ring_prepare(ring, i == 1 || i == 3 ? -1 : fd, buffer + i * BLOCK, BLOCK, i * BLOCK,
                            i, RDIO_RING_UNPINNED) == 0);
  }
  CHECK(rdio_ring_enter(ring, ENTRIES, NO_LIMIT, done, ENTRIES) == ENTRIES);
  for (int i = 0; i < ENTRIES; i++) {
    int64_t tag = done[i].tag;
    CHECK(done[i].result == (tag == 1 || tag == 3 ? -EBADF : BLOCK));
    CHECK(done[i].result < 0 || holds_file(buffer + tag * BLOCK, tag * BLOCK, BLOCK));
  }
}

/* A ring that was destroyed a moment ago may end a wait early, as a signal does: but not often. */
static void waits_as_long_as_told(struct rdio_ring *ring) {
  enum { LIMIT = 20 * MILLISECOND, TRIES = 10 };
  struct rdio_completion done[2];
  int64_t begun = rdio_boot_time_nanos();
  int64_t waited = 0;
  int tries = 0;
  for (; waited < LIMIT && tries < TRIES; tries++) {
    CHECK(rdio_ring_enter(ring, 1, LIMIT - waited, done, 2) == 0);
    waited = rdio_boot_time_nanos() - begun;
  }
  CHECK(waited >= LIMIT);
  CHECK(rdio_ring_enter(ring, 1, 0, done, 2) == 0);
  CHECK(rdio_ring_enter(ring, 0, NO_LIMIT, done, 2) == 0);
}

static void both(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  reads_at_once(ring, fd, buffer);
  tells_of_as_many_as_fit(ring, fd, buffer);
  errors_are_results(ring, fd, buffer);
  takes_what_can_be_read(ring, fd, buffer);
  waits_as_long_as_told(ring);
}

/* From now on the kernel refuses this process each io_uring_enter as it does under memory pressure. */
static bool refuse_to_enter(void) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_enter, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Its own failures: a process that is refused all io_uring_enter is of no use for other tests. */
static int failures_where_refused(int fd, unsigned char *buffer) {
  struct rdio_ring *ring;
  struct rdio_completion done[ENTRIES];
  int ends[2];
  failures = 0;
  CHECK(rdio_ring_create_of_kind(RDIO_RING_URING, ENTRIES, &ring) == 0);
  CHECK(pipe(ends) == 0);
  CHECK(rdio_ring_prepare(ring, ends[0], buffer, BLOCK, 0, 1, RDIO_RING_UNPINNED) == 0);
  CHECK(rdio_ring_enter(ring, 0, 0, done, ENTRIES) == 0);
  if (!refuse_to_enter()) {
    fprintf(stderr, "not run: no filter of system calls here: %s\n", strerror(errno));
    return has_to_run_all() ? 1 : 0;
  }
  CHECK(rdio_ring_prepare(ring, fd, buffer + BLOCK, BLOCK, 0, 2, RDIO_RING_UNPINNED) == 0);
  /* Nothing has ended: no wait without limit, and no call without a pause, but for few. */
  int64_t begun = rdio_boot_time_nanos(), waited = 0;
  for (int tries = 0; waited < RDIO_RING_MOMENT_NANOS && tries < 10; tries++) {
    CHECK(rdio_ring_enter(ring, 1, NO_LIMIT, done, ENTRIES) == -EAGAIN);
    waited = rdio_boot_time_nanos() - begun;
  }
  CHECK(waited >= RDIO_RING_MOMENT_NANOS);
  CHECK(rdio_ring_enter(ring, 0, 0, done, ENTRIES) == -EAGAIN);
  CHECK(write(ends[1], buffer + 2 * BLOCK, BLOCK) == BLOCK);
  /* The second read cannot begin, and the first one has its answer in the ring. */
  int told = -EAGAIN;
  for (int tries = 0; told == -EAGAIN && tries < 60000; tries++) {
    told = rdio_ring_enter(ring, 1, 60000LL * MILLISECOND, done, ENTRIES);
  }
  CHECK(told == RDIO_RING_LEFT + 1);
  CHECK(done[0].tag == 1 && done[0].result == BLOCK);
  CHECK(rdio_ring_enter(ring, 1, NO_LIMIT, done, ENTRIES) == -EAGAIN);
  return failures;
}

static void tells_what_ended_where_nothing_can_begin(int fd, unsigned char *buffer) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    _exit(failures_where_refused(fd, buffer) == 0 ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void by_uring(struct rdio_ring *ring, int fd, unsigned char *buffer) {
  reads_at_once(ring, fd, buffer);
  reads_to_pinned_memory(ring, fd, buffer);
  gives_up_waiting(ring, buffer);
  rdio_ring_wait_by_poll(ring);
  reads_at_once(ring, fd, buffer);
  gives_up_waiting(ring, buffer);
  tells_what_ended_where_nothing_can_begin(fd, buffer);
}

/* As a ring that interrupts its thread. */
static void by_cooperative_uring(int fd, unsigned char *buffer) {
  struct rdio_ring *ring;
  int error = rdio_ring_create_cooperative(ENTRIES, &ring);
  if (error == -EINVAL) {
    fprintf(stderr, "not run: no cooperative io_uring before Linux 5.19\n");
    CHECK(!has_to_run_all());
    return;
  }
  CHECK(error == 0);
  reads_at_once(ring, fd, buffer);
  tells_of_as_many_as_fit(ring, fd, buffer);
  gives_up_waiting(ring, buffer);
  rdio_ring_destroy(ring);
}

/* A ring of a kind; NULL, and why, where this machine has none. */
static struct rdio_ring *ring_of_kind(enum rdio_ring_kind kind) {
  struct rdio_ring *ring = NULL;
  int error = rdio_ring_create_of_kind(kind, ENTRIES, &ring);
  if (error < 0) {
    const char *name = kind == RDIO_RING_URING ? "io_uring" : "io_submit";
    fprintf(stderr, "not run: no %s here: %s\n", name, strerror(-error));
    bool forbidden = error == -ENOSYS || error == -EPERM || error == -EACCES;
    CHECK(forbidden && !has_to_run_all());
    return NULL;
  }
  CHECK(rdio_ring_kind_of(ring) == kind);
  struct rdio_ring *none;
  CHECK(rdio_ring_create_of_kind(kind, 0, &none) == -EINVAL);
  return ring;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: ring_test DIRECTORY\n");
    return 2;
  }
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/ring_test.%ld", argv[1], (long)getpid());
  write_file(path);
  unsigned char *buffer = aligned_alloc(BLOCK, ENTRIES * BLOCK);
  int fd = rdio_device_open(path);
  for (enum rdio_ring_kind kind = RDIO_RING_URING; kind <= RDIO_RING_AIO; kind++) {
    struct rdio_ring *ring = ring_of_kind(kind);
    if (ring != NULL) {
      both(ring, fd, buffer);
      if (kind == RDIO_RING_URING) {
        by_uring(ring, fd, buffer);
        by_cooperative_uring(fd, buffer);
      } else {
        CHECK(rdio_ring_pin(ring, 0, buffer, BLOCK) == -EOPNOTSUPP);
        CHECK(rdio_ring_prepare(ring, fd, buffer, BLOCK, 0, 1, 0) == -EINVAL);
      }
      rdio_ring_destroy(ring);
    }
  }
  CHECK(rdio_device_close(fd) == 0);
  free(buffer);
  unlink(path);
  return failures == 0 ? 0 : 1;
}
