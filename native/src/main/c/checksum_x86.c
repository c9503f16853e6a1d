/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRCs by what x86 processors have for them: CRC-32C by SSE 4.2's crc32 instruction, several chunks
 * side by side; CRC-32, for which there is no instruction, by folding 64 bytes at a time with
 * carry-less products, or 128 where one instruction makes two of them (Gopal et al., "Fast CRC
 * Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009). What folds over a
 * distance of d bits is x^(d+32) and x^(d-32) modulo the polynomial, reflected, times two.
 */
#include "checksum_kernels.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <string.h>

#define SSE42 __attribute__((target("sse4.2"))) static
#define CARRYLESS __attribute__((target("sse4.2,pclmul"))) static

enum { WORD = sizeof(uint64_t), VECTOR = sizeof(__m128i), FOLDED = 4 * VECTOR };

static inline uint64_t load(const uint8_t *from) {
  uint64_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

/* Goes on with a CRC over [at, length), and ends it. */
SSE42 uint32_t crc32c_rest(uint64_t crc, const uint8_t *data, size_t at, size_t length) {
  for (; at + WORD <= length; at += WORD) {
    crc = _mm_crc32_u64(crc, load(data + at));
  }
  for (; at < length; at++) {
    crc = _mm_crc32_u8((uint32_t)crc, data[at]);
  }
  return ~(uint32_t)crc;
}

SSE42 uint32_t crc32c_one(const uint8_t *data, size_t length) {
  return crc32c_rest(~0u, data, 0, length);
}

/* Written out, for a compiler that does not unroll keeps the lanes in memory: half as fast. */
SSE42 void crc32c_lanes(const uint8_t *data, size_t chunk, uint32_t *crcs) {
  const uint8_t *lane_1 = data + chunk;
  const uint8_t *lane_2 = lane_1 + chunk;
  const uint8_t *lane_3 = lane_2 + chunk;
  uint64_t crc_0 = ~0u;
  uint64_t crc_1 = ~0u;
  uint64_t crc_2 = ~0u;
  uint64_t crc_3 = ~0u;
  size_t at = 0;
  for (; at + WORD <= chunk; at += WORD) {
    if (at % RDIO_CACHE_LINE == 0) {
      rdio_fetch_next(data + at, chunk);
    }
    crc_0 = _mm_crc32_u64(crc_0, load(data + at));
    crc_1 = _mm_crc32_u64(crc_1, load(lane_1 + at));
    crc_2 = _mm_crc32_u64(crc_2, load(lane_2 + at));
    crc_3 = _mm_crc32_u64(crc_3, load(lane_3 + at));
  }
  crcs[0] = crc32c_rest(crc_0, data, at, chunk);
  crcs[1] = crc32c_rest(crc_1, lane_1, at, chunk);
  crcs[2] = crc32c_rest(crc_2, lane_2, at, chunk);
  crcs[3] = crc32c_rest(crc_3, lane_3, at, chunk);
}

static const struct rdio_kernel crc32c = {.one = crc32c_one, .lanes = crc32c_lanes};

const struct rdio_kernel *rdio_kernel_by_crc_instruction(enum rdio_checksum_type type) {
  return type == RDIO_CRC32C && __builtin_cpu_supports("sse4.2") ? &crc32c : NULL;
}

CARRYLESS inline __m128i vector_at(const uint8_t *from) {
  return _mm_loadu_si128((const __m128i *)(const void *)from);
}

/* Moves what was folded so far behind the bytes that come next. */
CARRYLESS inline __m128i fold(__m128i folded, __m128i by, __m128i next) {
  __m128i low = _mm_clmulepi64_si128(folded, by, 0x00);
  __m128i high = _mm_clmulepi64_si128(folded, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* From 128 bits to the 32 of the CRC: two more foldings, then Barrett's reduction. */
CARRYLESS uint32_t reduce(__m128i folded) {
  const __m128i by_64 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i by_32 = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i low_32 = _mm_setr_epi32(-1, 0, 0, 0);
  __m128i x = _mm_xor_si128(_mm_clmulepi64_si128(folded, by_64, 0x10), _mm_srli_si128(folded, 8));
  __m128i y = _mm_clmulepi64_si128(_mm_and_si128(x, low_32), by_32, 0x00);
  x = _mm_xor_si128(y, _mm_srli_si128(x, 4));
  y = _mm_clmulepi64_si128(_mm_and_si128(x, low_32), barrett, 0x10);
  y = _mm_clmulepi64_si128(_mm_and_si128(y, low_32), barrett, 0x00);
  return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, y), 1);
}

/* The CRC, not ended, of whole vectors that are FOLDED bytes at least. Written out as above. */
CARRYLESS uint32_t crc32_vectors(const uint8_t *data, size_t length) {
  const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i folded_0 = _mm_xor_si128(vector_at(data), _mm_cvtsi32_si128(-1));
  __m128i folded_1 = vector_at(data + VECTOR);
  __m128i folded_2 = vector_at(data + 2 * VECTOR);
  __m128i folded_3 = vector_at(data + 3 * VECTOR);
  size_t at = FOLDED;
  for (; at + FOLDED <= length; at += FOLDED) {
    folded_0 = fold(folded_0, by_512, vector_at(data + at));
    folded_1 = fold(folded_1, by_512, vector_at(data + at + VECTOR));
    folded_2 = fold(folded_2, by_512, vector_at(data + at + 2 * VECTOR));
    folded_3 = fold(folded_3, by_512, vector_at(data + at + 3 * VECTOR));
  }
  __m128i all = fold(folded_0, by_128, folded_1);
  all = fold(all, by_128, folded_2);
  all = fold(all, by_128, folded_3);
  for (; at + VECTOR <= length; at += VECTOR) {
    all = fold(all, by_128, vector_at(data + at));
  }
  return reduce(all);
}

/* Goes on with a CRC from what was folded, and ends it. */
static uint32_t crc32_rest(uint32_t crc, const uint8_t *data, size_t at, size_t length) {
  return ~rdio_crc_by_table(RDIO_CRC32, crc, data + at, length - at);
}

static uint32_t crc32_one(const uint8_t *data, size_t length) {
  size_t vectors = length < FOLDED ? 0 : length - length % VECTOR;
  uint32_t crc = vectors == 0 ? ~0u : crc32_vectors(data, vectors);
  return crc32_rest(crc, data, vectors, length);
}

static const struct rdio_kernel crc32 = {.one = crc32_one};

const struct rdio_kernel *rdio_kernel_by_carryless_product(enum rdio_checksum_type type) {
  int has = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.2");
  return type == RDIO_CRC32 && has ? &crc32 : NULL;
}

/*
 * The same with two products in one instruction. Not four, as AVX-512 has: chunks are short, and
 * what is folded in parallel has to be folded together at each one's end.
 */
#define WIDE __attribute__((target("sse4.2,pclmul,avx2,vpclmulqdq"))) static

enum { WIDE_VECTOR = sizeof(__m256i), WIDE_FOLDED = 4 * WIDE_VECTOR };

WIDE inline __m256i wide_at(const uint8_t *from) {
  return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

WIDE inline __m256i wide_fold(__m256i folded, __m256i by, __m256i next) {
  __m256i low = _mm256_clmulepi64_epi128(folded, by, 0x00);
  __m256i high = _mm256_clmulepi64_epi128(folded, by, 0x11);
  return _mm256_xor_si256(_mm256_xor_si256(low, high), next);
}

/* As crc32_vectors, of WIDE_FOLDED bytes at least. */
WIDE uint32_t crc32_wide_vectors(const uint8_t *data, size_t length) {
  const __m256i by_1024 = _mm256_set_epi64x(0x014a7fe880, 0x01e88ef372, 0x014a7fe880, 0x01e88ef372);
  const __m256i by_256 = _mm256_set_epi64x(0x015a546366, 0x00f1da05aa, 0x015a546366, 0x00f1da05aa);
  const __m128i by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m256i start = _mm256_set_epi32(0, 0, 0, 0, 0, 0, 0, -1);
  __m256i folded_0 = _mm256_xor_si256(wide_at(data), start);
  __m256i folded_1 = wide_at(data + WIDE_VECTOR);
  __m256i folded_2 = wide_at(data + 2 * WIDE_VECTOR);
  __m256i folded_3 = wide_at(data + 3 * WIDE_VECTOR);
  size_t at = WIDE_FOLDED;
  for (; at + WIDE_FOLDED <= length; at += WIDE_FOLDED) {
    folded_0 = wide_fold(folded_0, by_1024, wide_at(data + at));
    folded_1 = wide_fold(folded_1, by_1024, wide_at(data + at + WIDE_VECTOR));
    folded_2 = wide_fold(folded_2, by_1024, wide_at(data + at + 2 * WIDE_VECTOR));
    folded_3 = wide_fold(folded_3, by_1024, wide_at(data + at + 3 * WIDE_VECTOR));
  }
  __m256i both = wide_fold(folded_0, by_256, folded_1);
  both = wide_fold(both, by_256, folded_2);
  both = wide_fold(both, by_256, folded_3);
  __m128i all = fold(_mm256_castsi256_si128(both), by_128, _mm256_extracti128_si256(both, 1));
  for (; at + VECTOR <= length; at += VECTOR) {
    all = fold(all, by_128, vector_at(data + at));
  }
  return reduce(all);
}

static uint32_t crc32_wide_one(const uint8_t *data, size_t length) {
  if (length < WIDE_FOLDED) {
    return crc32_one(data, length);
  }
  size_t vectors = length - length % VECTOR;
  return crc32_rest(crc32_wide_vectors(data, vectors), data, vectors, length);
}

static const struct rdio_kernel wide_crc32 = {.one = crc32_wide_one};

const struct rdio_kernel *rdio_kernel_by_wide_product(enum rdio_checksum_type type) {
  int has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("vpclmulqdq");
  return has && rdio_kernel_by_carryless_product(type) != NULL ? &wide_crc32 : NULL;
}

#endif
