/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the chunks of a block against their stored CRCs, or makes these, and copies the chunks
 * while they lie in the nearest cache: what comes from a device is in none, so going over it twice
 * costs twice.
 */
#ifndef RDIO_CHECKSUM_H
#define RDIO_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* As Hadoop numbers them in a meta file (DataChecksum). Without one all bytes are right. */
enum rdio_checksum_type { RDIO_UNCHECKED = 0, RDIO_CRC32 = 1, RDIO_CRC32C = 2 };

/* What there is to check, and what of it is wanted. */
struct rdio_chunks {
  const uint8_t *data; /* starts with a chunk */
  size_t length;       /* bytes of data; the last chunk may be short */
  size_t chunk;        /* bytes of a chunk, at least 1 */
  const uint8_t *crcs; /* four bytes for each chunk, the highest first */
  size_t skip;         /* bytes at the start of data that are not wanted */
  size_t wanted;       /* bytes behind these to copy; skip + wanted <= length */
};

/* What says that all chunks are right. */
#define RDIO_ALL_GOOD ((int64_t)-1)

/*
 * The index of the first chunk that does not match its CRC, or RDIO_ALL_GOOD. All chunks are
 * checked, also those of which no byte is wanted.
 *
 * target: takes the wanted bytes, of a chunk only once it is known to be right; NULL to check only.
 */
int64_t rdio_verify_copy(enum rdio_checksum_type type, const struct rdio_chunks *chunks,
                         uint8_t *target);

/* What is copied, and where its CRCs go. Source and target do not overlap. */
struct rdio_copy {
  const uint8_t *source; /* starts with a chunk; NULL: the target has the bytes already */
  size_t length;         /* bytes of source; the last chunk may be short */
  size_t chunk;          /* bytes of a chunk, at least 1 */
  uint8_t *target;       /* length bytes */
  uint8_t *crcs;         /* four bytes for each chunk, the highest first */
};

/*
 * Copies chunks, and stores the CRC of each: of the copy, so that the two agree even if somebody
 * changes the source meanwhile.
 */
void rdio_checksum_copy(enum rdio_checksum_type type, const struct rdio_copy *copy);

/* The ways there are to compute a CRC; of those that a type has, a later one is the faster. */
enum rdio_checksum_way {
  RDIO_BY_TABLE,
  RDIO_BY_CRC_INSTRUCTION,
  RDIO_BY_CARRYLESS_PRODUCT,
  RDIO_BY_WIDE_PRODUCT
};

/* Whether this processor has a way for a type. */
int rdio_checksum_has(enum rdio_checksum_way way, enum rdio_checksum_type type);

/* rdio_verify_copy by a way that this processor has; for tests and measurements. */
int64_t rdio_verify_copy_by(enum rdio_checksum_way way, enum rdio_checksum_type type,
                            const struct rdio_chunks *chunks, uint8_t *target);

/* The same of rdio_checksum_copy. */
void rdio_checksum_copy_by(enum rdio_checksum_way way, enum rdio_checksum_type type,
                           const struct rdio_copy *copy);

#endif
