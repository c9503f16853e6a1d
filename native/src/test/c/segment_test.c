/* SPDX-License-Identifier: Apache-2.0 */
/* Runs segment.c under AddressSanitizer and UBSan. */
#define _GNU_SOURCE
#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"
#include "device.h"
#include "memory.h"

enum { LENGTH = 6 << 20 };

static void two_who_map_it_share_it(void) {
  int fd = rdio_segment_create(LENGTH);
  CHECK(fd >= 0);
  CHECK(rdio_segment_length(fd) == LENGTH);
  CHECK(rdio_segment_footprint(fd) == 0);
  int64_t one = rdio_segment_map(fd, LENGTH);
  int64_t other = rdio_segment_map(fd, LENGTH);
  CHECK(one > 0 && other > 0 && one != other);
  CHECK((size_t)one % RDIO_HUGE_PAGE == 0);
  unsigned char *here = (unsigned char *)(intptr_t)one;
  unsigned char *there = (unsigned char *)(intptr_t)other;
  CHECK(here[0] == 0 && here[LENGTH - 1] == 0);
  here[LENGTH - 1] = 7;
  CHECK(there[LENGTH - 1] == 7);
  CHECK(rdio_segment_footprint(fd) > 0);
  CHECK(rdio_segment_release(fd, 0, LENGTH) == 0);
  CHECK(rdio_segment_footprint(fd) == 0);
  CHECK(there[LENGTH - 1] == 0);
  CHECK(rdio_segment_unmap(here, LENGTH) == 0);
  CHECK(rdio_segment_unmap(there, LENGTH) == 0);
  CHECK(close(fd) == 0);
}

/* A Linux before 6.1, or whose administrator denies huge pages of shared memory, has none. */
static bool may_collapse(void) {
  char word[128] = "";
  FILE *setting = fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "re");
  bool denied = setting == NULL || fgets(word, sizeof word, setting) == NULL ||
                strstr(word, "[deny]") != NULL;
  if (setting != NULL) {
    fclose(setting);
  }
  struct utsname kernel;
  int major = 0;
  int minor = 0;
  bool known = uname(&kernel) == 0 && sscanf(kernel.release, "%d.%d", &major, &minor) == 2;
  return !denied && known && (major > 6 || (major == 6 && minor >= 1));
}

/* Whether it was or not, and where nothing was touched: the bytes stay. */
static void huge_pages_hold_what_the_small_ones_held(void) {
  int fd = rdio_segment_create(LENGTH);
  int64_t one = rdio_segment_map(fd, LENGTH);
  int64_t other = rdio_segment_map(fd, LENGTH);
  unsigned char *here = (unsigned char *)(intptr_t)one;
  unsigned char *there = (unsigned char *)(intptr_t)other;
  memset(here, 7, RDIO_HUGE_PAGE);
  here[RDIO_HUGE_PAGE + 5] = 8;
  for (size_t at = 0; at < LENGTH; at += RDIO_HUGE_PAGE) {
    int made = rdio_segment_collapse(here + at, RDIO_HUGE_PAGE);
    CHECK(made == 0 || at > 0 || !may_collapse());
  }
  CHECK(there[0] == 7 && there[RDIO_HUGE_PAGE - 1] == 7);
  CHECK(there[RDIO_HUGE_PAGE + 5] == 8 && there[RDIO_HUGE_PAGE + 6] == 0);
  CHECK(rdio_segment_collapse(here + 1, RDIO_HUGE_PAGE) == -EINVAL);
  CHECK(rdio_segment_unmap(here, LENGTH) == 0);
  CHECK(rdio_segment_unmap(there, LENGTH) == 0);
  CHECK(close(fd) == 0);
}

static void a_length_that_is_no_whole_page_is_mapped_too(void) {
  int fd = rdio_segment_create(5000);
  int64_t memory = rdio_segment_map(fd, 5000);
  CHECK(memory > 0);
  CHECK(rdio_segment_unmap((void *)(intptr_t)memory, 5000) == 0);
  CHECK(close(fd) == 0);
}

static void nobody_can_take_its_pages_away(void) {
  int fd = rdio_segment_create(LENGTH);
  CHECK(ftruncate(fd, 0) != 0 && errno == EPERM);
  CHECK(ftruncate(fd, 2 * LENGTH) != 0 && errno == EPERM);
  CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) != 0 && errno == EPERM);
  CHECK(close(fd) == 0);
}

static void refuses_what_could_lose_its_pages(const char *directory) {
  int unsealed = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  CHECK(ftruncate(unsealed, LENGTH) == 0);
  CHECK(rdio_segment_length(unsealed) == -EPERM);
  CHECK(fcntl(unsealed, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  CHECK(rdio_segment_length(unsealed) == -EPERM);
  CHECK(fcntl(unsealed, F_ADD_SEALS, F_SEAL_GROW) == 0);
  CHECK(rdio_segment_length(unsealed) == LENGTH);
  CHECK(fcntl(unsealed, F_ADD_SEALS, F_SEAL_WRITE) == 0);
  CHECK(rdio_segment_length(unsealed) == -EPERM);
  CHECK(close(unsealed) == 0);

  char path[4096];
  snprintf(path, sizeof path, "%s/segment_test.file", directory);
  write_file(path);
  int file = open(path, O_RDWR | O_CLOEXEC);
  CHECK(rdio_segment_length(file) == -EPERM);
  CHECK(close(file) == 0);
  int pipes[2];
  CHECK(pipe2(pipes, O_CLOEXEC) == 0);
  CHECK(rdio_segment_length(pipes[0]) == -EPERM);
  CHECK(close(pipes[0]) == 0 && close(pipes[1]) == 0);
  CHECK(unlink(path) == 0);
  CHECK(rdio_segment_length(-1) == -EBADF);
}

/* Whoever passed it could make holes that no page is left for. */
static void refuses_huge_pages_that_are_set_aside(void) {
  int huge = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
  if (huge < 0) {
    CHECK(errno == ENOENT || errno == ENOSYS || errno == ENODEV || errno == EINVAL);
    return; /* a kernel without them */
  }
  CHECK(ftruncate(huge, LENGTH) == 0);
  CHECK(fcntl(huge, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
  CHECK(rdio_segment_length(huge) == -EPERM);
  CHECK(close(huge) == 0);
}

static void refuses_lengths_without_sense(void) {
  CHECK(rdio_segment_create(0) == -EINVAL);
  CHECK(rdio_segment_create(SIZE_MAX) == -EINVAL);
  CHECK(rdio_segment_map(0, 0) == -EINVAL);
  CHECK(rdio_segment_map(0, SIZE_MAX) == -EINVAL);
  CHECK(rdio_segment_map(-1, LENGTH) == -EBADF);
}

/* What the agent is for: a device's bytes come straight into memory that a client shares. */
static void a_device_is_read_into_it(const char *directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/segment_test.file", directory);
  write_file(path);
  int file = rdio_device_open(path);
  if (file == -EINVAL) {
    fprintf(stderr, "not run: no O_DIRECT in %s\n", directory);
    CHECK(!has_to_run_all());
  } else {
    int fd = rdio_segment_create(LENGTH);
    int64_t memory = rdio_segment_map(fd, LENGTH);
    unsigned char *bytes = (unsigned char *)(intptr_t)memory;
    CHECK(rdio_device_pread(file, bytes + BLOCK, 2 * BLOCK, BLOCK) == 2 * BLOCK);
    CHECK(holds_file(bytes + BLOCK, BLOCK, 2 * BLOCK));
    CHECK(rdio_segment_unmap(bytes, LENGTH) == 0);
    CHECK(close(fd) == 0);
    CHECK(rdio_device_close(file) == 0);
  }
  CHECK(unlink(path) == 0);
}

int main(int argc, char **argv) {
  const char *directory = argc > 1 ? argv[1] : ".";
  two_who_map_it_share_it();
  huge_pages_hold_what_the_small_ones_held();
  a_length_that_is_no_whole_page_is_mapped_too();
  nobody_can_take_its_pages_away();
  refuses_what_could_lose_its_pages(directory);
  refuses_huge_pages_that_are_set_aside();
  refuses_lengths_without_sense();
  a_device_is_read_into_it(directory);
  return failures == 0 ? 0 : 1;
}
