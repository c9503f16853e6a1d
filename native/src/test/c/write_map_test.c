/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of slots under AddressSanitizer and UBSan: its limits, and by chance against a model. */
#include "write_map.h"

#include <errno.h>
#include <string.h>

#include "check.h"

enum { UNIT = 4096, SECTOR = 512, DEVICE = 64 * UNIT, ROUNDS = 2000 };

static unsigned long long seed = 20261126;

/* Below a limit. */
static int64_t chance(int64_t limit) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int64_t)((seed >> 33) % (unsigned long long)limit);
}

static int make_one(int64_t place, int64_t length, int unit, int64_t device, int block) {
  struct rdio_slot_map map;
  return rdio_slot_map_make(&map, &place, &length, 1, unit, device, block);
}

static void takes_units_of_the_device_only(void) {
  CHECK(make_one(UNIT, UNIT, UNIT, DEVICE, SECTOR) == 0);
  CHECK(make_one(SECTOR, SECTOR, SECTOR, DEVICE, SECTOR) == 0);
  CHECK(make_one(0, 1 << 16, 1 << 16, DEVICE, UNIT) == 0);
  const int wrong[] = {0, 1, 256, 1000, 3 * SECTOR, 1 << 17, -UNIT, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CHECK(make_one(0, 1 << 20, wrong[i], 1 << 22, SECTOR) == -EINVAL);
  }
  CHECK(make_one(0, UNIT, SECTOR, DEVICE, UNIT) == -EINVAL);
  CHECK(make_one(0, UNIT, UNIT, DEVICE, 0) == -EINVAL);
  CHECK(make_one(0, UNIT, UNIT, DEVICE, -SECTOR) == -EINVAL);
}

static void takes_extents_of_the_device_only(void) {
  const int64_t wrong[][2] = {{-UNIT, UNIT}, {SECTOR, UNIT}, {0, 0}, {0, -UNIT}, {0, SECTOR},
                              {0, INT64_MIN}, {INT64_MIN, UNIT}, {0, (1LL << 30) + UNIT}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CHECK(make_one(wrong[i][0], wrong[i][1], UNIT, INT64_MAX, SECTOR) == -EINVAL);
  }
  const int64_t behind[][2] = {{DEVICE, UNIT}, {DEVICE - UNIT, 2 * UNIT}, {0, DEVICE + UNIT},
                               {INT64_MAX / UNIT * UNIT, UNIT}, {1LL << 62, UNIT}};
  for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
    CHECK(make_one(behind[i][0], behind[i][1], UNIT, DEVICE, SECTOR) == -ERANGE);
  }
  CHECK(make_one(DEVICE - UNIT, UNIT, UNIT, DEVICE, SECTOR) == 0);
  CHECK(make_one(0, UNIT, UNIT, 0, SECTOR) == -ERANGE);
}

static void takes_slots_that_are_whole(void) {
  struct rdio_slot_map map;
  int64_t places[RDIO_SLOT_EXTENTS + 1];
  int64_t lengths[RDIO_SLOT_EXTENTS + 1];
  for (int i = 0; i <= RDIO_SLOT_EXTENTS; i++) {
    places[i] = (int64_t)i << 25;
    lengths[i] = 1 << 24;
  }
  CHECK(rdio_slot_map_make(&map, places, lengths, RDIO_SLOT_EXTENTS, UNIT, INT64_MAX, SECTOR) == 0);
  CHECK(map.bytes == RDIO_SLOT_BYTES_MAX);
  CHECK(rdio_slot_map_make(&map, places, lengths, 0, UNIT, INT64_MAX, SECTOR) == -EINVAL);
  CHECK(rdio_slot_map_make(&map, places, lengths, RDIO_SLOT_EXTENTS + 1, UNIT, INT64_MAX,
                           SECTOR) == -EINVAL);
  CHECK(rdio_slot_map_make(&map, places, lengths, UINT32_MAX, UNIT, INT64_MAX, SECTOR) == -EINVAL);
  lengths[5] += UNIT;
  CHECK(rdio_slot_map_make(&map, places, lengths, RDIO_SLOT_EXTENTS, UNIT, INT64_MAX, SECTOR) ==
        -EINVAL);
  lengths[5] -= UNIT;
  places[7] = places[3] + lengths[3] - UNIT;
  CHECK(rdio_slot_map_make(&map, places, lengths, RDIO_SLOT_EXTENTS, UNIT, INT64_MAX, SECTOR) ==
        -EINVAL);
  places[7] = places[3] + lengths[3];
  CHECK(rdio_slot_map_make(&map, places, lengths, RDIO_SLOT_EXTENTS, UNIT, INT64_MAX, SECTOR) == 0);
}

static const struct rdio_slot_use UNUSED = {.reached = 0, .end = -1};

static void refuses_hostile_ranges(void) {
  struct rdio_slot_map map;
  int64_t place = UNIT;
  int64_t length = 4 * UNIT;
  CHECK(rdio_slot_map_make(&map, &place, &length, 1, UNIT, DEVICE, SECTOR) == 0);
  struct rdio_slot_use use = UNUSED;
  CHECK(rdio_slot_use(&map, &use, -UNIT, UNIT, false) == -EINVAL);
  CHECK(rdio_slot_use(&map, &use, INT64_MIN, UNIT, false) == -EINVAL);
  CHECK(rdio_slot_use(&map, &use, SECTOR, UNIT, false) == -EINVAL);
  CHECK(rdio_slot_use(&map, &use, 0, -UNIT, false) == -EINVAL);
  CHECK(rdio_slot_use(&map, &use, 0, INT64_MIN, true) == -EINVAL);
  CHECK(rdio_slot_use(&map, &use, 0, 0, false) == -EINVAL);
  CHECK(rdio_slot_use(&map, &use, 0, SECTOR, false) == -EINVAL);
  CHECK(rdio_slot_use(&map, &use, 4 * UNIT, UNIT, false) == -ERANGE);
  CHECK(rdio_slot_use(&map, &use, 0, 5 * UNIT, false) == -ERANGE);
  CHECK(rdio_slot_use(&map, &use, UNIT, INT64_MAX / UNIT * UNIT, false) == -ERANGE);
  CHECK(rdio_slot_use(&map, &use, UNIT, INT64_MAX, true) == -ERANGE);
  CHECK(rdio_slot_use(&map, &use, INT64_MAX / UNIT * UNIT, UNIT, false) == -ERANGE);
  CHECK(rdio_slot_use(&map, &use, 4 * UNIT, 1, true) == -ERANGE);
  CHECK(use.reached == 0 && use.end == -1);
}

static void nothing_is_written_behind_the_end(void) {
  struct rdio_slot_map map;
  int64_t place = UNIT;
  int64_t length = 4 * UNIT;
  CHECK(rdio_slot_map_make(&map, &place, &length, 1, UNIT, DEVICE, SECTOR) == 0);
  struct rdio_slot_use use = UNUSED;
  CHECK(rdio_slot_use(&map, &use, UNIT, UNIT + 1, true) == 0);
  CHECK(use.end == 2 * UNIT + 1 && use.reached == 3 * UNIT);
  CHECK(rdio_slot_use(&map, &use, 3 * UNIT, UNIT, false) == -ERANGE);
  CHECK(rdio_slot_use(&map, &use, 2 * UNIT, UNIT, false) == -ERANGE); /* its zeros stay */
  CHECK(rdio_slot_use(&map, &use, 0, 2 * UNIT, false) == 0);
  CHECK(rdio_slot_use(&map, &use, 2 * UNIT, 1, true) == 0); /* again: the same end */
  CHECK(rdio_slot_use(&map, &use, 2 * UNIT, 2, true) == -EINVAL);
  CHECK(rdio_slot_use(&map, &use, 2 * UNIT, 0, true) == -EINVAL);
  use = UNUSED;
  CHECK(rdio_slot_use(&map, &use, 2 * UNIT, UNIT, false) == 0);
  CHECK(rdio_slot_use(&map, &use, 0, UNIT, true) == -ERANGE); /* something lies behind it */
  CHECK(use.end == -1);
  CHECK(rdio_slot_use(&map, &use, 3 * UNIT, 0, true) == 0);
  use = UNUSED;
  CHECK(rdio_slot_use(&map, &use, 4 * UNIT, 0, true) == 0);
  CHECK(rdio_slot_use(&map, &use, 0, 4 * UNIT, false) == 0);
  use = UNUSED;
  CHECK(rdio_slot_use(&map, &use, 0, 0, true) == 0);
  CHECK(rdio_slot_use(&map, &use, 0, UNIT, false) == -ERANGE);
}

/* Which unit of the device has which unit of the slot, told one by one. */
struct model {
  int of_slot[64];
  unsigned units;
};

static unsigned by_chance(struct model *model, int64_t *places, int64_t *lengths, int unit) {
  char taken[64] = {0};
  unsigned count = 1 + (unsigned)chance(6);
  model->units = 0;
  unsigned made = 0;
  for (unsigned i = 0; i < count; i++) {
    int64_t first = chance(64);
    int64_t units = 0;
    while (units < 1 + chance(5) && first + units < 64 && !taken[first + units]) {
      taken[first + units] = 1;
      model->of_slot[model->units++] = (int)(first + units++);
    }
    if (units > 0) {
      places[made] = first * unit;
      lengths[made++] = units * unit;
    }
  }
  return made;
}

/* Each byte of a range is at its place, and no piece leaves its extent or is longer than told. */
static void pieces_are_where_the_model_says(int unit) {
  struct model model;
  int64_t places[6];
  int64_t lengths[6];
  unsigned count = by_chance(&model, places, lengths, unit);
  struct rdio_slot_map map;
  CHECK(rdio_slot_map_make(&map, places, lengths, count, unit, 64 * (int64_t)unit, SECTOR) == 0);
  CHECK(map.bytes == (int64_t)model.units * unit);
  int64_t offset = chance(map.bytes);
  int64_t end = offset + 1 + chance(map.bytes - offset);
  while (offset < end) {
    size_t length = 0;
    size_t most = 1 + (size_t)chance(end - offset);
    int64_t place = rdio_slot_map_piece(&map, offset, most, &length);
    CHECK(length > 0 && length <= most);
    int64_t last = offset + (int64_t)length - 1;
    CHECK(place == model.of_slot[offset / unit] * (int64_t)unit + offset % unit);
    CHECK(place + (int64_t)length - 1 == model.of_slot[last / unit] * (int64_t)unit + last % unit);
    if (length == 0) {
      return;
    }
    offset += (int64_t)length;
  }
}

/* Ranges by chance, hostile ones among them: what is allowed stays in the slot and its block. */
static void what_is_allowed_is_harmless(int unit) {
  struct rdio_slot_map map;
  int64_t place = 0;
  int64_t length = 16 * (int64_t)unit;
  CHECK(rdio_slot_map_make(&map, &place, &length, 1, unit, length, SECTOR) == 0);
  struct rdio_slot_use use = UNUSED;
  int64_t behind = 0;
  for (int i = 0; i < 40; i++) {
    int64_t offset = (chance(20) - 2) * unit + (chance(8) == 0 ? chance(unit) : 0);
    int64_t bytes = (chance(20) - 2) * unit + (chance(2) == 0 ? chance(unit) : 0);
    bool is_last = chance(8) == 0;
    if (rdio_slot_use(&map, &use, offset, bytes, is_last) != 0) {
      continue;
    }
    int64_t reached = rdio_slot_round_up(&map, offset + bytes);
    CHECK(offset >= 0 && bytes >= 0 && offset % unit == 0 && reached <= map.bytes);
    CHECK(is_last || bytes % unit == 0);
    CHECK(!is_last || use.end == offset + bytes);
    behind = reached > behind ? reached : behind;
    CHECK(use.reached == behind);
    CHECK(use.end < 0 || behind <= rdio_slot_round_up(&map, use.end));
  }
}

int main(void) {
  takes_units_of_the_device_only();
  takes_extents_of_the_device_only();
  takes_slots_that_are_whole();
  refuses_hostile_ranges();
  nothing_is_written_behind_the_end();
  for (int i = 0; i < ROUNDS; i++) {
    pieces_are_where_the_model_says(i % 2 == 0 ? UNIT : SECTOR);
    what_is_allowed_is_harmless(i % 2 == 0 ? UNIT : SECTOR);
  }
  return failures == 0 ? 0 : 1;
}
