/* SPDX-License-Identifier: Apache-2.0 */
/* Glue between io.rdio.nativeio.RequestObserver and ioobserver.c; no logic of its own. */
#include <errno.h>

#include "bpf_log.h"
#include "bpf_tables.h"
#include "ioobserver.h"
#include "jni_common.h"

static struct rdio_ioobserver *observer_of(jlong handle) {
  return (struct rdio_ioobserver *)(intptr_t)handle;
}

static jlong open_observer(JNIEnv *env, jclass type) {
  (void)type;
  struct rdio_ioobserver *observer = NULL;
  rdio_bpf_log_begin();
  int error = rdio_ioobserver_open(&observer);
  rdio_bpf_throw(env, error, "PrefCache's program cannot be loaded");
  return error == 0 ? (jlong)(intptr_t)observer : 0;
}

static jint observe(JNIEnv *env, jclass type, jlong handle, jint slot, jint device) {
  (void)env;
  (void)type;
  if (slot < 0 || slot >= RDIO_OBSERVED_DEVICES) {
    return -EINVAL;
  }
  rdio_ioobserver_observe(observer_of(handle), slot, (uint32_t)device);
  return 0;
}

static jint poll_ios(JNIEnv *env, jclass type, jlong handle, jint timeout_millis, jobject ios) {
  (void)type;
  void *address;
  int max = rdio_records(env, ios, sizeof(struct rdio_io), &address);
  return rdio_ioobserver_poll(observer_of(handle), timeout_millis, address, max);
}

static jlong lost(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  return (jlong)rdio_ioobserver_lost(observer_of(handle));
}

static void close_observer(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  rdio_ioobserver_close(observer_of(handle));
}

static const JNINativeMethod methods[] = {
    {"open", "()J", (void *)open_observer},
    {"observe", "(JII)I", (void *)observe},
    {"poll", "(JILjava/nio/ByteBuffer;)I", (void *)poll_ios},
    {"lost", "(J)J", (void *)lost},
    {"close", "(J)V", (void *)close_observer},
};

jint rdio_register_request_observer(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/RequestObserver", methods);
}
