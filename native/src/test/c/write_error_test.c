/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes of a device's answers under AddressSanitizer and UBSan: parts, and errors of all kinds, by
 * io_uring and by pwrite. argv[1]: a directory.
 */
#define _GNU_SOURCE
#include <fcntl.h>

#include "write_fixture.h"

static int64_t by_halves(int64_t result, int64_t length) {
  return result == length && length > UNIT ? length / 2 / UNIT * UNIT : result;
}
static int64_t not_now(int64_t result, int64_t length) {
  static int count;
  return length >= UNIT && count++ % 2 == 0 ? -EAGAIN : result;
}
static int64_t odd_part(int64_t result, int64_t length) {
  (void)length;
  return result > 0 ? result - 1 : result;
}
static int64_t nothing(int64_t result, int64_t length) {
  (void)length;
  return result > 0 ? 0 : result;
}
static int64_t broken(int64_t result, int64_t length) {
  (void)length;
  return result > 0 ? -EIO : result;
}

static void goes_on_behind_parts(void) {
  open_all();
  rdio_hook_result = by_halves;
  CHECK(rdio_slot_write(lease, 0, source, SLOT_UNITS * UNIT, false) == 0);
  rdio_hook_result = NULL;
  place_expected(0, source, SLOT_UNITS * UNIT);
  close_all(0);
  if ((options & RDIO_WRITER_BY_PWRITE) == 0) {
    open_all();
    rdio_hook_result = not_now;
    int error = rdio_slot_write(lease, 0, source, 40 * UNIT, false);
    rdio_hook_result = NULL;
    CHECK(error == 0 || error == -EAGAIN); /* by pwrite, where there is no io_uring, it is an error */
    place_expected(0, source, 40 * UNIT);
    close_all(error != 0);
  }
}

static void tells_of_errors(void) {
  int64_t (*const faults[])(int64_t, int64_t) = {odd_part, nothing, broken};
  for (int i = 0; i < 3; i++) {
    open_all();
    rdio_hook_result = faults[i];
    CHECK(rdio_slot_write(lease, 0, source, 2 * UNIT, false) == -EIO);
    rdio_hook_result = NULL;
    place_expected(0, source, 2 * UNIT);
    close_all(1);
  }
  open_all();
  struct rdio_lease *inside;
  CHECK(rdio_lease_enter(lease, &inside) == 0);
  int fd = inside->writer->fd;
  inside->writer->fd = open(path, O_RDONLY | O_DIRECT);
  CHECK(rdio_slot_write(lease, 0, source, UNIT, false) == -EBADF);
  close(inside->writer->fd);
  CHECK(rdio_slot_write(lease, 0, source, UNIT, false) == -EBADF);
  inside->writer->fd = fd;
  rdio_lease_leave(inside, false);
  close_all(1);
}

/* The answers to come, whatever the device says; what it did is expected to be there. */
static const int *answers;
static int answered;

/* Two pieces: the first extent, and one unit of the second. */
enum { TWO_PIECES = 51 * UNIT };

static int64_t as_told(int64_t result, int64_t length) {
  if (result > 0) {
    int64_t offset = length == UNIT ? TWO_PIECES - UNIT : 0;
    place_expected(offset, source + offset, length);
  }
  return answers[answered++];
}

/* By pwrite, and where there is no io_uring, nothing is sent behind the first error. */
static void tells_of_what_leaves_most_open(void) {
  static const int given[][2] = {{-EBADE, -EIO}, {-EIO, -EBADE}, {-EBADE, -EBADE}};
  static const int told[] = {-EIO, -EIO, -EBADE};
  for (int i = 0; i < 3; i++) {
    open_all();
    answers = given[i];
    answered = 0;
    rdio_hook_result = as_told;
    int error = rdio_slot_write(lease, 0, source, TWO_PIECES, false);
    rdio_hook_result = NULL;
    CHECK(error == (answered == 2 ? told[i] : given[i][0]));
    CHECK(answered == 2 || (options & RDIO_WRITER_BY_PWRITE) != 0 || !has_to_run_all());
    close_all(1);
  }
}

static struct rdio_lease *looked_at;

static void over_behind_this_look(void) { looked_at->deadline = rdio_read_clocks().boot; }

/* Of a piece that was sent, while the next one came too late to be sent. */
static void tells_of_an_error_rather_than_of_the_look(void) {
  static const int given[] = {-EIO};
  open_all();
  CHECK(rdio_lease_enter(lease, &looked_at) == 0);
  int64_t deadline = looked_at->deadline;
  answers = given;
  answered = 0;
  rdio_hook_looked = over_behind_this_look; /* the timer stays where it was */
  rdio_hook_result = as_told;
  CHECK(rdio_slot_write(lease, 0, source, TWO_PIECES, false) == -EIO);
  CHECK(answered == 1);
  rdio_hook_result = NULL;
  rdio_hook_looked = NULL;
  looked_at->deadline = deadline;
  rdio_lease_leave(looked_at, false);
  close_all(1);
}

static void all(void) {
  goes_on_behind_parts();
  tells_of_errors();
  tells_of_what_leaves_most_open();
  tells_of_an_error_rather_than_of_the_look();
}

int main(int argc, char **argv) {
  begin(argc, argv);
  options = RDIO_WRITER_IMAGE;
  all();
  options = RDIO_WRITER_IMAGE | RDIO_WRITER_BY_PWRITE;
  all();
  return finish();
}
