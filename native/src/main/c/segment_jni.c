/* SPDX-License-Identifier: Apache-2.0 */
/* Glue between io.rdio.nativeio.SharedMemory and segment.c; no logic of its own. */
#include <errno.h>

#include "jni_common.h"
#include "jni_tables.h"
#include "segment.h"

static jint create(JNIEnv *env, jclass type, jlong length) {
  (void)env;
  (void)type;
  return length <= 0 ? -EINVAL : rdio_segment_create((size_t)length);
}

static jlong length_of(JNIEnv *env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return rdio_segment_length(fd);
}

static jlong map(JNIEnv *env, jclass type, jint fd, jlong length) {
  (void)env;
  (void)type;
  return length <= 0 ? -EINVAL : rdio_segment_map(fd, (size_t)length);
}

static jint unmap(JNIEnv *env, jclass type, jlong address, jlong length) {
  (void)env;
  (void)type;
  return length <= 0 ? -EINVAL : rdio_segment_unmap((void *)(intptr_t)address, (size_t)length);
}

static jint collapse(JNIEnv *env, jclass type, jlong address, jlong length) {
  (void)env;
  (void)type;
  return length <= 0 ? -EINVAL : rdio_segment_collapse((void *)(intptr_t)address, (size_t)length);
}

static jint release(JNIEnv *env, jclass type, jint fd, jlong offset, jlong length) {
  (void)env;
  (void)type;
  return rdio_segment_release(fd, offset, length);
}

static jlong footprint(JNIEnv *env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return rdio_segment_footprint(fd);
}

static const JNINativeMethod methods[] = {
    {"create", "(J)I", (void *)create},
    {"length", "(I)J", (void *)length_of},
    {"map", "(IJ)J", (void *)map},
    {"unmap", "(JJ)I", (void *)unmap},
    {"collapse", "(JJ)I", (void *)collapse},
    {"release", "(IJJ)I", (void *)release},
    {"footprint", "(I)J", (void *)footprint},
    {"bufferOf", "(JJ)Ljava/nio/ByteBuffer;", (void *)rdio_buffer_of},
};

jint rdio_register_shared_memory(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/SharedMemory", methods);
}
