/* SPDX-License-Identifier: Apache-2.0 */
/* Runs checksum*.c under AddressSanitizer and UBSan, each way against one that works bit by bit. */
#include "checksum.h"

#include <string.h>

#include "check.h"

enum { MAX_BYTES = 70000, MAX_CHUNK = 9000, ROUNDS = 400 };

static const enum rdio_checksum_type types[] = {RDIO_CRC32, RDIO_CRC32C};
static const enum rdio_checksum_way ways[] = {RDIO_BY_TABLE, RDIO_BY_CRC_INSTRUCTION,
                                              RDIO_BY_CARRYLESS_PRODUCT, RDIO_BY_WIDE_PRODUCT};

static uint64_t state = 88172645463325252u;

/* From 0 to below a bound; the same at each run. */
static size_t below(size_t bound) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (size_t)(state % bound);
}

static uint32_t bit_by_bit(enum rdio_checksum_type type, const uint8_t *data, size_t length) {
  uint32_t polynomial = type == RDIO_CRC32 ? 0xedb88320u : 0x82f63b78u;
  uint32_t crc = ~0u;
  for (size_t i = 0; i < length; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? polynomial : 0);
    }
  }
  return ~crc;
}

static void store_crcs(enum rdio_checksum_type type, const uint8_t *data, size_t length,
                       size_t chunk, uint8_t *crcs) {
  for (size_t at = 0, i = 0; at < length; at += chunk, i++) {
    uint32_t crc = bit_by_bit(type, data + at, length - at < chunk ? length - at : chunk);
    for (size_t byte = 0; byte < sizeof crc; byte++) {
      crcs[i * sizeof crc + byte] = (uint8_t)(crc >> 8 * (sizeof crc - 1 - byte));
    }
  }
}

/* Memory of exactly so many bytes, so that one too far is found; at an odd address. */
static uint8_t *exactly(size_t bytes) { return malloc(bytes == 0 ? 1 : bytes); }

static void knows_the_published_values(void) {
  const uint8_t *digits = (const uint8_t *)"123456789";
  uint8_t crc32[] = {0xcb, 0xf4, 0x39, 0x26};
  uint8_t crc32c[] = {0xe3, 0x06, 0x92, 0x83};
  struct rdio_chunks chunks = {.data = digits, .length = 9, .chunk = 512, .crcs = crc32};
  CHECK(rdio_verify_copy(RDIO_CRC32, &chunks, NULL) == RDIO_ALL_GOOD);
  CHECK(rdio_verify_copy(RDIO_CRC32C, &chunks, NULL) == 0);
  chunks.crcs = crc32c;
  CHECK(rdio_verify_copy(RDIO_CRC32C, &chunks, NULL) == RDIO_ALL_GOOD);
}

/* One range: as it is, and with one bit turned. */
static void one_round(enum rdio_checksum_way way, enum rdio_checksum_type type) {
  size_t length = 1 + below(below(4) == 0 ? MAX_BYTES : 3000);
  size_t chunk = below(3) == 0 ? 512 : 1 + below(MAX_CHUNK);
  size_t count = (length + chunk - 1) / chunk;
  size_t skip = below(length + 1);
  size_t wanted = below(length - skip + 1);
  uint8_t *data = exactly(length);
  uint8_t *crcs = exactly(count * sizeof(uint32_t));
  uint8_t *target = exactly(wanted);
  for (size_t i = 0; i < length; i++) {
    data[i] = (uint8_t)below(256);
  }
  store_crcs(type, data, length, chunk, crcs);
  struct rdio_chunks chunks = {data, length, chunk, crcs, skip, wanted};
  CHECK(rdio_verify_copy_by(way, type, &chunks, NULL) == RDIO_ALL_GOOD);
  CHECK(rdio_verify_copy_by(way, type, &chunks, target) == RDIO_ALL_GOOD);
  CHECK(memcmp(target, data + skip, wanted) == 0);

  size_t wrong = below(length);
  data[wrong] ^= (uint8_t)(1 << below(8));
  memset(target, 0x5a, wanted);
  CHECK(rdio_verify_copy_by(way, type, &chunks, target) == (int64_t)(wrong / chunk));
  CHECK(rdio_verify_copy_by(way, type, &chunks, NULL) == (int64_t)(wrong / chunk));
  for (size_t i = 0; i < wanted; i++) { /* nothing of the wrong chunk, nor behind it */
    int right = skip + i < wrong / chunk * chunk;
    CHECK(target[i] == (right ? data[skip + i] : 0x5a));
  }
  free(data);
  free(crcs);
  free(target);
}

/* A copy of some chunks, with the CRCs that bit by bit makes. */
static void one_copy(enum rdio_checksum_way way, enum rdio_checksum_type type) {
  size_t length = 1 + below(below(4) == 0 ? MAX_BYTES : 3000);
  size_t chunk = below(3) == 0 ? 512 : 1 + below(MAX_CHUNK);
  size_t crc_bytes = (length + chunk - 1) / chunk * sizeof(uint32_t);
  uint8_t *source = exactly(length);
  uint8_t *target = exactly(length);
  uint8_t *crcs = exactly(crc_bytes);
  uint8_t *expected = exactly(crc_bytes);
  for (size_t i = 0; i < length; i++) {
    source[i] = (uint8_t)below(256);
  }
  store_crcs(type, source, length, chunk, expected);
  struct rdio_copy copy = {source, length, chunk, target, crcs};
  rdio_checksum_copy_by(way, type, &copy);
  CHECK(memcmp(target, source, length) == 0);
  CHECK(memcmp(crcs, expected, crc_bytes) == 0);
  memset(crcs, 0, crc_bytes);
  rdio_checksum_copy(type, &copy);
  CHECK(memcmp(crcs, expected, crc_bytes) == 0);
  free(source);
  free(target);
  free(crcs);
  free(expected);
}

static void every_way_agrees_with_bit_by_bit(void) {
  int run = 0;
  for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
      for (int i = 0; i < ROUNDS && rdio_checksum_has(ways[w], types[t]); i++, run++) {
        one_round(ways[w], types[t]);
        one_copy(ways[w], types[t]);
      }
    }
  }
  CHECK(run >= 2 * ROUNDS);
}

/* So that what is tested above is not the tables only, where machines are known. */
static void processors_of_today_have_instructions(void) {
  if (getenv("RDIO_REQUIRE_ALL") != NULL) {
    CHECK(rdio_checksum_has(RDIO_BY_CRC_INSTRUCTION, RDIO_CRC32C));
    CHECK(rdio_checksum_has(RDIO_BY_CRC_INSTRUCTION, RDIO_CRC32) ||
          rdio_checksum_has(RDIO_BY_CARRYLESS_PRODUCT, RDIO_CRC32));
  }
}

static void an_empty_range_is_right(void) {
  struct rdio_chunks none = {.data = NULL, .length = 0, .chunk = 512, .crcs = NULL};
  CHECK(rdio_verify_copy(RDIO_CRC32C, &none, NULL) == RDIO_ALL_GOOD);
}

static void without_a_checksum_all_is_right(void) {
  const uint8_t *digits = (const uint8_t *)"123456789";
  uint8_t target[4] = {0};
  struct rdio_chunks chunks = {.data = digits, .length = 9, .chunk = 1, .skip = 2, .wanted = 4};
  CHECK(rdio_verify_copy(RDIO_UNCHECKED, &chunks, target) == RDIO_ALL_GOOD);
  CHECK(memcmp(target, "3456", sizeof target) == 0);
}

int main(void) {
  knows_the_published_values();
  every_way_agrees_with_bit_by_bit();
  processors_of_today_have_instructions();
  an_empty_range_is_right();
  without_a_checksum_all_is_right();
  return failures == 0 ? 0 : 1;
}
