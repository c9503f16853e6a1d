/* SPDX-License-Identifier: Apache-2.0 */
/* Glue between io.rdio.nativeio.HugeMemory and memory.c; no logic of its own. */
#include <errno.h>

#include "jni_common.h"
#include "jni_tables.h"
#include "memory.h"

static jlong map(JNIEnv *env, jclass type, jlong length) {
  (void)env;
  (void)type;
  return length < 0 ? -EINVAL : rdio_memory_map((size_t)length);
}

static jint unmap(JNIEnv *env, jclass type, jlong address, jlong length) {
  (void)env;
  (void)type;
  return rdio_memory_unmap((void *)(intptr_t)address, (size_t)length);
}

static const JNINativeMethod methods[] = {
    {"map", "(J)J", (void *)map},
    {"unmap", "(JJ)I", (void *)unmap},
    {"bufferOf", "(JJ)Ljava/nio/ByteBuffer;", (void *)rdio_buffer_of},
};

jint rdio_register_huge_memory(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/HugeMemory", methods);
}
