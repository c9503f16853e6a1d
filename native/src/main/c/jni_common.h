/* SPDX-License-Identifier: Apache-2.0 */
/* What the glue of every Java class with natives needs. */
#ifndef RDIO_JNI_COMMON_H
#define RDIO_JNI_COMMON_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include <jni.h>

/* JNI_OK, or a negative number with a Java exception pending. */
static inline jint rdio_register(JNIEnv *env, const char *class_name,
                                 const JNINativeMethod *methods, size_t count) {
  jclass type = (*env)->FindClass(env, class_name);
  if (type == NULL) {
    return JNI_ERR;
  }
  jint result = (*env)->RegisterNatives(env, type, methods, (jint)count);
  (*env)->DeleteLocalRef(env, type);
  return result;
}

/* The same for an array of methods. */
#define RDIO_REGISTER(env, class_name, methods) \
  rdio_register(env, class_name, methods, sizeof(methods) / sizeof((methods)[0]))

/* Where a direct buffer is, and how many records it holds: 0 if it is no direct buffer. */
static inline int rdio_records(JNIEnv *env, jobject buffer, size_t record_bytes, void **address) {
  *address = (*env)->GetDirectBufferAddress(env, buffer);
  jlong bytes = (*env)->GetDirectBufferCapacity(env, buffer);
  if (*address == NULL || bytes < 0) {
    return 0;
  }
  jlong records = bytes / (jlong)record_bytes;
  return records > INT_MAX ? INT_MAX : (int)records;
}

/* A direct buffer on memory that somebody mapped; NULL where the JVM has none on foreign memory. */
static inline jobject rdio_buffer_of(JNIEnv *env, jclass type, jlong address, jlong length) {
  (void)type;
  return (*env)->NewDirectByteBuffer(env, (void *)(intptr_t)address, length);
}

#endif
