/* SPDX-License-Identifier: Apache-2.0 */
/* Glue between io.rdio.nativeio.Ring and ring.c; no logic of its own. */
#include <errno.h>

#include "jni_common.h"
#include "jni_tables.h"
#include "ring.h"

static struct rdio_ring *ring_of(jlong handle) { return (struct rdio_ring *)(intptr_t)handle; }

static jlong create(JNIEnv *env, jclass type, jint entries) {
  (void)env;
  (void)type;
  struct rdio_ring *ring;
  int error = rdio_ring_create((unsigned)entries, &ring);
  return error < 0 ? error : (jlong)(intptr_t)ring;
}

static void destroy(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  rdio_ring_destroy(ring_of(handle));
}

static jint prepare(JNIEnv *env, jclass type, jlong handle, jint fd, jlong address, jint length,
                    jlong offset, jlong tag, jint pinned) {
  (void)env;
  (void)type;
  if (length < 0) {
    return -EINVAL;
  }
  return rdio_ring_prepare(ring_of(handle), fd, (void *)(intptr_t)address, (size_t)length, offset,
                           tag, pinned);
}

static jint pin(JNIEnv *env, jclass type, jlong handle, jint index, jlong address, jint length) {
  (void)env;
  (void)type;
  if (index < 0 || length < 0) {
    return -EINVAL;
  }
  return rdio_ring_pin(ring_of(handle), (unsigned)index, (void *)(intptr_t)address, (size_t)length);
}

static jint enter(JNIEnv *env, jclass type, jlong handle, jint wait_for, jlong timeout_nanos,
                  jlong completions, jint max) {
  (void)env;
  (void)type;
  if (wait_for < 0 || max < 0) {
    return -EINVAL;
  }
  return rdio_ring_enter(ring_of(handle), (unsigned)wait_for, timeout_nanos,
                         (struct rdio_completion *)(intptr_t)completions, (unsigned)max);
}

static jboolean is_uring(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  return rdio_ring_kind_of(ring_of(handle)) == RDIO_RING_URING;
}

static const JNINativeMethod methods[] = {
    {"create", "(I)J", (void *)create},
    {"isUring", "(J)Z", (void *)is_uring},
    {"destroy", "(J)V", (void *)destroy},
    {"pin", "(JIJI)I", (void *)pin},
    {"prepare", "(JIJIJJI)I", (void *)prepare},
    {"enter", "(JIJJI)I", (void *)enter},
};

jint rdio_register_ring(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/Ring", methods);
}
