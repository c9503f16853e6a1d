/* SPDX-License-Identifier: Apache-2.0 */
#include "write_map.h"

#include <errno.h>

static bool is_unit(int unit, int device_block) {
  return unit >= RDIO_UNIT_MIN && unit <= RDIO_UNIT_MAX && (unit & (unit - 1)) == 0 &&
         device_block > 0 && unit % device_block == 0;
}

/* Of two extents that are in range each. */
static bool overlap(int64_t place, int64_t length, int64_t other, int64_t other_length) {
  return place < other + other_length && other < place + length;
}

static int check_extent(const int64_t *places, const int64_t *lengths, unsigned i, int unit,
                        int64_t device_bytes) {
  if (places[i] < 0 || places[i] % unit != 0 || lengths[i] <= 0 || lengths[i] % unit != 0 ||
      lengths[i] > RDIO_SLOT_BYTES_MAX) {
    return -EINVAL;
  }
  if (lengths[i] > device_bytes || places[i] > device_bytes - lengths[i]) {
    return -ERANGE;
  }
  for (unsigned j = 0; j < i; j++) {
    if (overlap(places[i], lengths[i], places[j], lengths[j])) {
      return -EINVAL;
    }
  }
  return 0;
}

int rdio_slot_map_make(struct rdio_slot_map *map, const int64_t *places, const int64_t *lengths,
                       unsigned count, int unit, int64_t device_bytes, int device_block) {
  if (count == 0 || count > RDIO_SLOT_EXTENTS || !is_unit(unit, device_block)) {
    return -EINVAL;
  }
  map->count = count;
  map->unit = unit;
  map->bytes = 0;
  for (unsigned i = 0; i < count; i++) {
    int error = check_extent(places, lengths, i, unit, device_bytes);
    if (error < 0) {
      return error;
    }
    map->bytes += lengths[i]; /* 64 lengths of 1 GiB at most: no overflow */
    map->place[i] = places[i];
    map->end[i] = map->bytes;
  }
  return map->bytes > RDIO_SLOT_BYTES_MAX ? -EINVAL : 0;
}

int64_t rdio_slot_round_up(const struct rdio_slot_map *map, int64_t end) {
  return (end + map->unit - 1) / map->unit * map->unit;
}

int rdio_slot_use(const struct rdio_slot_map *map, struct rdio_slot_use *use, int64_t offset,
                  int64_t length, bool is_last) {
  if (offset < 0 || offset % map->unit != 0 || length < 0 ||
      (!is_last && (length == 0 || length % map->unit != 0))) {
    return -EINVAL;
  }
  if (offset > map->bytes || length > map->bytes - offset) {
    return -ERANGE;
  }
  int64_t end = offset + length;
  int64_t reached = rdio_slot_round_up(map, end);
  bool is_known = use->end >= 0;
  if (is_last && is_known && end != use->end) {
    return -EINVAL;
  }
  /* Whole units up to the end: the rest of the last one would not be zeros. */
  if (is_known ? end > use->end : is_last && reached < use->reached) {
    return -ERANGE;
  }
  if (is_last) {
    use->end = end;
  }
  if (reached > use->reached) {
    use->reached = reached;
  }
  return 0;
}

int64_t rdio_slot_map_piece(const struct rdio_slot_map *map, int64_t offset, size_t most,
                            size_t *length) {
  unsigned i = 0;
  while (map->end[i] <= offset) {
    i++;
  }
  int64_t start = i == 0 ? 0 : map->end[i - 1];
  int64_t left = map->end[i] - offset;
  *length = (uint64_t)left < most ? (size_t)left : most;
  return map->place[i] + (offset - start);
}
