/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the bytes of a slot are on the device, and which ranges of it may be written (W13). Numbers
 * only: no call of the kernel, nothing allocated. What comes from outside may be anything.
 */
#ifndef RDIO_WRITE_MAP_H
#define RDIO_WRITE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  RDIO_SLOT_EXTENTS = 64,
  RDIO_UNIT_MIN = 512,
  RDIO_UNIT_MAX = 64 << 10,
  RDIO_SLOT_BYTES_MAX = 1 << 30
};

struct rdio_slot_map {
  unsigned count;
  int unit;
  int64_t bytes;
  int64_t place[RDIO_SLOT_EXTENTS]; /* on the device, in bytes */
  int64_t end[RDIO_SLOT_EXTENTS];   /* in the slot: just behind this extent */
};

/* How far a slot was written to, and where its block ends. */
struct rdio_slot_use {
  int64_t reached; /* end of the last unit that anybody was allowed to write */
  int64_t end;     /* of the block, in bytes; below zero until it is known */
};

/*
 * 0, and the map; -EINVAL for a unit that is no power of two in its range, or that a device with
 * such blocks cannot write, and for extents that are not of whole units at multiples of the unit,
 * overlap, or are too many or none, or longer than RDIO_SLOT_BYTES_MAX together; -ERANGE if one
 * ends behind the device.
 */
int rdio_slot_map_make(struct rdio_slot_map *map, const int64_t *places, const int64_t *lengths,
                       unsigned count, int unit, int64_t device_bytes, int device_block);

/*
 * Whether a range may be written, and notes it. offset: a multiple of the unit; length: whole
 * units, but any with is_last, for then the block ends behind it (and may be 0). -EINVAL for other
 * numbers, and for a second end that is not the first one. -ERANGE for what is outside of the slot
 * or behind the block's end, and for an end before what was written.
 */
int rdio_slot_use(const struct rdio_slot_map *map, struct rdio_slot_use *use, int64_t offset,
                  int64_t length, bool is_last);

/* The end of the unit that a byte offset of the slot ends in. */
int64_t rdio_slot_round_up(const struct rdio_slot_map *map, int64_t end);

/* Bytes from an offset below map->bytes on that are in one place, at most this many; the place. */
int64_t rdio_slot_map_piece(const struct rdio_slot_map *map, int64_t offset, size_t most,
                            size_t *length);

#endif
