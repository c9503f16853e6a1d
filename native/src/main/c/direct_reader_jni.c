/* SPDX-License-Identifier: Apache-2.0 */
/* Glue between io.rdio.nativeio.DirectReader and device.c; no logic of its own. */
#include <errno.h>

#include "device.h"
#include "jni_common.h"
#include "jni_tables.h"

static jint interface_version(JNIEnv *env, jclass type) {
  (void)env;
  (void)type;
  return RDIO_INTERFACE_VERSION;
}

static jint open_device(JNIEnv *env, jclass type, jstring path) {
  (void)type;
  const char *chars = (*env)->GetStringUTFChars(env, path, NULL);
  if (chars == NULL) {
    return -ENOMEM;
  }
  int fd = rdio_device_open(chars);
  (*env)->ReleaseStringUTFChars(env, path, chars);
  return fd;
}

static jint close_device(JNIEnv *env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return rdio_device_close(fd);
}

static jint pread_device(JNIEnv *env, jclass type, jint fd, jlong address, jint length,
                         jlong offset) {
  (void)env;
  (void)type;
  if (length < 0) {
    return -EINVAL;
  }
  return (jint)rdio_device_pread(fd, (void *)(intptr_t)address, (size_t)length, offset);
}

static jlong device_size(JNIEnv *env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return rdio_device_size(fd);
}

static jint logical_block_size(JNIEnv *env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return rdio_device_logical_block_size(fd);
}

static jlong disk_sequence(JNIEnv *env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return rdio_device_sequence(fd);
}

static jlong boot_time_nanos(JNIEnv *env, jclass type) {
  (void)env;
  (void)type;
  return rdio_boot_time_nanos();
}

static jlong address_of(JNIEnv *env, jclass type, jobject buffer) {
  (void)type;
  return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

static const JNINativeMethod methods[] = {
    {"interfaceVersion", "()I", (void *)interface_version},
    {"open", "(Ljava/lang/String;)I", (void *)open_device},
    {"close", "(I)I", (void *)close_device},
    {"pread", "(IJIJ)I", (void *)pread_device},
    {"deviceSize", "(I)J", (void *)device_size},
    {"logicalBlockSize", "(I)I", (void *)logical_block_size},
    {"diskSequence", "(I)J", (void *)disk_sequence},
    {"bootTimeNanos", "()J", (void *)boot_time_nanos},
    {"addressOf", "(Ljava/nio/ByteBuffer;)J", (void *)address_of},
};

jint rdio_register_direct_reader(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/DirectReader", methods);
}
