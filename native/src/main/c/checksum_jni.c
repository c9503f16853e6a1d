/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Glue between io.rdio.nativeio.VerifyCopy, ChecksumCopy and checksum.c. Of its own it has the ways
 * into an array and out of one: while C has an array's address no garbage is collected, so never for
 * more than CRITICAL_MAX.
 */
#include <errno.h>
#include <stdint.h>

#include "checksum.h"
#include "jni_common.h"
#include "jni_tables.h"

enum { CRITICAL_MAX = 256 << 10 };

static jint to_memory(JNIEnv *env, jclass class, jint type, jlong data, jint length, jint chunk,
                      jlong crcs, jint skip, jint wanted, jlong target) {
  (void)env;
  (void)class;
  struct rdio_chunks chunks = {.data = (const uint8_t *)(intptr_t)data,
                               .length = (size_t)length,
                               .chunk = (size_t)chunk,
                               .crcs = (const uint8_t *)(intptr_t)crcs,
                               .skip = (size_t)skip,
                               .wanted = (size_t)wanted};
  return (jint)rdio_verify_copy((enum rdio_checksum_type)type, &chunks,
                                (uint8_t *)(intptr_t)target);
}

/* The part of some chunks that is [from, from + length), which begins with a chunk. */
static struct rdio_chunks part_of(const struct rdio_chunks *all, size_t from, size_t length) {
  size_t end = all->skip + all->wanted;
  size_t first = all->skip > from ? all->skip : from;
  size_t last = end < from + length ? end : from + length;
  struct rdio_chunks part = {.data = all->data + from,
                             .length = length,
                             .chunk = all->chunk,
                             .crcs = all->crcs + from / all->chunk * sizeof(uint32_t),
                             .skip = first < last ? first - from : 0,
                             .wanted = first < last ? last - first : 0};
  return part;
}

/* Checks a part and copies it to where it belongs in the array. */
static int64_t part_to_array(JNIEnv *env, enum rdio_checksum_type type,
                             const struct rdio_chunks *part, jbyteArray target, jint at) {
  if (part->length > CRITICAL_MAX) { /* one long chunk */
    int64_t bad = rdio_verify_copy(type, part, NULL);
    if (bad == RDIO_ALL_GOOD && part->wanted > 0) {
      (*env)->SetByteArrayRegion(env, target, at, (jsize)part->wanted,
                                 (const jbyte *)part->data + part->skip);
    }
    return bad;
  }
  uint8_t *array = (*env)->GetPrimitiveArrayCritical(env, target, NULL);
  if (array == NULL) {
    return -ENOMEM; /* with an OutOfMemoryError pending */
  }
  int64_t bad = rdio_verify_copy(type, part, array + at);
  (*env)->ReleasePrimitiveArrayCritical(env, target, array, 0);
  return bad;
}

/* Bytes of an array that are handled at a time: whole chunks, more than CRITICAL_MAX only of one. */
static size_t step_of(size_t chunk) {
  return chunk >= CRITICAL_MAX ? chunk : CRITICAL_MAX / chunk * chunk;
}

static jint to_array(JNIEnv *env, jclass class, jint type, jlong data, jint length, jint chunk,
                     jlong crcs, jint skip, jint wanted, jbyteArray target, jint at) {
  (void)class;
  struct rdio_chunks all = {.data = (const uint8_t *)(intptr_t)data,
                            .length = (size_t)length,
                            .chunk = (size_t)chunk,
                            .crcs = (const uint8_t *)(intptr_t)crcs,
                            .skip = (size_t)skip,
                            .wanted = (size_t)wanted};
  size_t step = step_of(all.chunk);
  jint copied = 0;
  for (size_t from = 0; from < all.length; from += step) {
    size_t left = all.length - from;
    struct rdio_chunks part = part_of(&all, from, left < step ? left : step);
    int64_t bad = part_to_array(env, (enum rdio_checksum_type)type, &part, target, at + copied);
    if (bad != RDIO_ALL_GOOD) {
      return (jint)(bad < 0 ? bad : bad + (int64_t)(from / all.chunk));
    }
    copied += (jint)part.wanted;
  }
  return (jint)RDIO_ALL_GOOD;
}

static jint from_memory(JNIEnv *env, jclass class, jint type, jlong source, jint length, jint chunk,
                        jlong target, jlong crcs) {
  (void)env;
  (void)class;
  struct rdio_copy copy = {.source = (const uint8_t *)(intptr_t)source,
                           .length = (size_t)length,
                           .chunk = (size_t)chunk,
                           .target = (uint8_t *)(intptr_t)target,
                           .crcs = (uint8_t *)(intptr_t)crcs};
  rdio_checksum_copy((enum rdio_checksum_type)type, &copy);
  return 0;
}

/* From an array's place on, as many bytes as the part says. */
static jint part_from_array(JNIEnv *env, enum rdio_checksum_type type, jbyteArray source, jint at,
                            struct rdio_copy *part) {
  if (part->length > CRITICAL_MAX) { /* one long chunk */
    (*env)->GetByteArrayRegion(env, source, at, (jsize)part->length, (jbyte *)part->target);
    rdio_checksum_copy(type, part); /* of what is there */
    return 0;
  }
  uint8_t *array = (*env)->GetPrimitiveArrayCritical(env, source, NULL);
  if (array == NULL) {
    return -ENOMEM; /* with an OutOfMemoryError pending */
  }
  part->source = array + at;
  rdio_checksum_copy(type, part);
  (*env)->ReleasePrimitiveArrayCritical(env, source, array, JNI_ABORT); /* nothing to copy back */
  return 0;
}

static jint from_array(JNIEnv *env, jclass class, jint type, jbyteArray source, jint at, jint length,
                       jint chunk, jlong target, jlong crcs) {
  (void)class;
  size_t step = step_of((size_t)chunk);
  for (size_t from = 0; from < (size_t)length; from += step) {
    size_t left = (size_t)length - from;
    struct rdio_copy part = {.length = left < step ? left : step,
                             .chunk = (size_t)chunk,
                             .target = (uint8_t *)(intptr_t)target + from,
                             .crcs = (uint8_t *)(intptr_t)crcs +
                                     from / (size_t)chunk * sizeof(uint32_t)};
    jint error =
        part_from_array(env, (enum rdio_checksum_type)type, source, at + (jint)from, &part);
    if (error < 0) {
      return error;
    }
  }
  return 0;
}

static const JNINativeMethod verify_methods[] = {
    {"toMemory", "(IJIIJIIJ)I", (void *)to_memory},
    {"toArray", "(IJIIJII[BI)I", (void *)to_array},
};

static const JNINativeMethod checksum_methods[] = {
    {"fromMemory", "(IJIIJJ)I", (void *)from_memory},
    {"fromArray", "(I[BIIIJJ)I", (void *)from_array},
};

jint rdio_register_verify_copy(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/VerifyCopy", verify_methods);
}

jint rdio_register_checksum_copy(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/ChecksumCopy", checksum_methods);
}
