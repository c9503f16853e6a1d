/* SPDX-License-Identifier: Apache-2.0 */
/* Glue between io.rdio.nativeio.write.WriteCalls and the C of the write_*.h; no logic of its own. */
#define _GNU_SOURCE
#include <errno.h>

#include "device.h"
#include "jni_common.h"
#include "write_device.h"
#include "write_lease.h"
#include "write_slot.h"
#include "write_tables.h"

static jint interface_version(JNIEnv *env, jclass type) {
  (void)env;
  (void)type;
  return RDIO_WRITE_INTERFACE_VERSION;
}

static jlong open_writer(JNIEnv *env, jclass type, jstring path, jint options) {
  (void)type;
  const char *chars = (*env)->GetStringUTFChars(env, path, NULL);
  if (chars == NULL) {
    return -ENOMEM;
  }
  int64_t handle = rdio_writer_open(chars, (unsigned)options);
  (*env)->ReleaseStringUTFChars(env, path, chars);
  return handle;
}

static jint close_writer(JNIEnv *env, jclass type, jlong writer) {
  (void)env;
  (void)type;
  return rdio_writer_close(writer);
}

static jlong size(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  struct rdio_writer *writer;
  int error = rdio_writer_enter(handle, &writer);
  if (error < 0) {
    return error;
  }
  int64_t bytes = writer->size;
  rdio_writer_leave(writer);
  return bytes;
}

static jint block_bytes(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  struct rdio_writer *writer;
  int error = rdio_writer_enter(handle, &writer);
  if (error < 0) {
    return error;
  }
  int bytes = writer->block;
  rdio_writer_leave(writer);
  return bytes;
}

static jint read_device(JNIEnv *env, jclass type, jlong handle, jlong address, jint length,
                        jlong offset) {
  (void)env;
  (void)type;
  struct rdio_writer *writer;
  int error = length < 0 || offset < 0 ? -EINVAL : rdio_writer_enter(handle, &writer);
  if (error < 0) {
    return error;
  }
  int64_t n = rdio_device_pread(writer->fd, (void *)(intptr_t)address, (size_t)length, offset);
  rdio_writer_leave(writer);
  return (jint)n;
}

static jint flush(JNIEnv *env, jclass type, jlong writer) {
  (void)env;
  (void)type;
  return rdio_writer_flush(writer);
}

static jlong lease(JNIEnv *env, jclass type, jlong handle, jlongArray places, jlongArray lengths,
                   jint unit, jlong deadline) {
  (void)type;
  jlong place[RDIO_SLOT_EXTENTS];
  jlong length[RDIO_SLOT_EXTENTS];
  jsize count = (*env)->GetArrayLength(env, places);
  if (count > RDIO_SLOT_EXTENTS || (*env)->GetArrayLength(env, lengths) != count) {
    return -EINVAL;
  }
  (*env)->GetLongArrayRegion(env, places, 0, count, place);
  if ((*env)->ExceptionCheck(env)) {
    return -EINVAL;
  }
  (*env)->GetLongArrayRegion(env, lengths, 0, count, length);
  if ((*env)->ExceptionCheck(env)) {
    return -EINVAL;
  }
  struct rdio_writer *writer;
  int error = rdio_writer_enter(handle, &writer);
  if (error < 0) {
    return error;
  }
  struct rdio_slot_map map;
  int64_t result = rdio_slot_map_make(&map, (const int64_t *)place, (const int64_t *)length,
                                      (unsigned)count, unit, writer->size, writer->block);
  if (result == 0) {
    result = rdio_lease_add(writer, &map, deadline);
  }
  rdio_writer_leave(writer);
  return result;
}

static jint renew(JNIEnv *env, jclass type, jlong lease, jlong deadline) {
  (void)env;
  (void)type;
  return rdio_lease_renew(lease, deadline);
}

static jint end(JNIEnv *env, jclass type, jlong lease, jlong timeout_nanos) {
  (void)env;
  (void)type;
  return rdio_lease_end(lease, timeout_nanos);
}

static jint release(JNIEnv *env, jclass type, jlong lease) {
  (void)env;
  (void)type;
  return rdio_lease_release(lease);
}

static jint write_slot(JNIEnv *env, jclass type, jlong lease, jlong offset, jlong address,
                       jint length, jboolean is_last) {
  (void)env;
  (void)type;
  return rdio_slot_write(lease, offset, (const void *)(intptr_t)address, length, is_last);
}

/* The buffer's memory stays for as long as the call has the buffer. NULL: it is no direct one. */
static char *place_in(JNIEnv *env, jobject buffer, jint position) {
  char *start = (*env)->GetDirectBufferAddress(env, buffer);
  return start == NULL ? NULL : start + position;
}

static jint write_buffer(JNIEnv *env, jclass type, jlong lease, jlong offset, jobject buffer,
                         jint position, jint length, jboolean is_last) {
  (void)type;
  const char *from = place_in(env, buffer, position);
  return from == NULL ? -EINVAL : rdio_slot_write(lease, offset, from, length, is_last);
}

static jint read_stamps(JNIEnv *env, jclass type, jlong lease, jobject buffer, jint position,
                        jint capacity) {
  (void)type;
  char *to = place_in(env, buffer, position);
  return to == NULL ? -EINVAL : rdio_slot_read_stamps(lease, to, capacity);
}

static const JNINativeMethod version[] = {
    {"interfaceVersion", "()I", (void *)interface_version},
};

static const JNINativeMethod methods[] = {
    {"open", "(Ljava/lang/String;I)J", (void *)open_writer},
    {"close", "(J)I", (void *)close_writer},
    {"size", "(J)J", (void *)size},
    {"blockBytes", "(J)I", (void *)block_bytes},
    {"read", "(JJIJ)I", (void *)read_device},
    {"flush", "(J)I", (void *)flush},
    {"lease", "(J[J[JIJ)J", (void *)lease},
    {"renew", "(JJ)I", (void *)renew},
    {"end", "(JJ)I", (void *)end},
    {"release", "(J)I", (void *)release},
    {"write", "(JJJIZ)I", (void *)write_slot},
    {"writeBuffer", "(JJLjava/nio/ByteBuffer;IIZ)I", (void *)write_buffer},
    {"readStamps", "(JLjava/nio/ByteBuffer;II)I", (void *)read_stamps},
};

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  (void)reserved;
  JNIEnv *env;
  if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK) {
    return JNI_ERR;
  }
  if (RDIO_REGISTER(env, "io/rdio/nativeio/WriteLibrary", version) != JNI_OK ||
      RDIO_REGISTER(env, "io/rdio/nativeio/write/WriteCalls", methods) != JNI_OK) {
    return JNI_ERR;
  }
  return JNI_VERSION_1_8;
}
