/* SPDX-License-Identifier: Apache-2.0 */
/* Glue between io.rdio.nativeio.LocalSocket and socket.c; no logic of its own. */
#include <errno.h>

#include "jni_common.h"
#include "jni_tables.h"
#include "socket.h"

enum { PASSED_SHIFT = 32 };

/* -ENOMEM where the JVM has no memory for the path, with its OutOfMemoryError pending. */
static jint listen_jni(JNIEnv *env, jclass type, jstring path, jint mode, jint backlog) {
  (void)type;
  const char *chars = (*env)->GetStringUTFChars(env, path, NULL);
  if (chars == NULL) {
    return -ENOMEM;
  }
  int result = rdio_socket_listen(chars, (mode_t)mode, backlog);
  (*env)->ReleaseStringUTFChars(env, path, chars);
  return result;
}

/* The same. */
static jint connect_jni(JNIEnv *env, jclass type, jstring path, jlong patience) {
  (void)type;
  const char *chars = (*env)->GetStringUTFChars(env, path, NULL);
  if (chars == NULL) {
    return -ENOMEM;
  }
  int result = rdio_socket_connect(chars, patience);
  (*env)->ReleaseStringUTFChars(env, path, chars);
  return result;
}

/* The same. */
static jint send_to_jni(JNIEnv *env, jclass type, jstring address, jbyteArray message) {
  (void)type;
  const char *to = (*env)->GetStringUTFChars(env, address, NULL);
  jbyte *bytes = to == NULL ? NULL : (*env)->GetByteArrayElements(env, message, NULL);
  jint result = -ENOMEM;
  if (bytes != NULL) {
    jsize length = (*env)->GetArrayLength(env, message);
    result = rdio_socket_send_to(to, bytes, (size_t)length);
    (*env)->ReleaseByteArrayElements(env, message, bytes, JNI_ABORT);
  }
  if (to != NULL) {
    (*env)->ReleaseStringUTFChars(env, address, to);
  }
  return result;
}

static jint accept_jni(JNIEnv *env, jclass type, jint listener, jint timeout_millis) {
  (void)env;
  (void)type;
  return rdio_socket_accept(listener, timeout_millis);
}

static jint peer_jni(JNIEnv *env, jclass type, jint fd, jlong peer) {
  (void)env;
  (void)type;
  return rdio_socket_peer(fd, (struct rdio_peer *)(intptr_t)peer);
}

static jint set_timeout(JNIEnv *env, jclass type, jint fd, jlong nanos) {
  (void)env;
  (void)type;
  return rdio_socket_set_timeout(fd, nanos);
}

static jint send_jni(JNIEnv *env, jclass type, jint fd, jlong message, jint length, jint passed) {
  (void)env;
  (void)type;
  return length <= 0 ? -EINVAL
                     : rdio_socket_send(fd, (const void *)(intptr_t)message, (size_t)length, passed);
}

static jlong receive_jni(JNIEnv *env, jclass type, jint fd, jlong message, jint max,
                         jboolean wait) {
  (void)env;
  (void)type;
  if (max <= 0) {
    return -EINVAL;
  }
  int passed;
  int length = rdio_socket_receive(fd, (void *)(intptr_t)message, (size_t)max, wait, &passed);
  return length < 0 ? length : (jlong)(passed - RDIO_NO_FD) << PASSED_SHIFT | length;
}

static jint shutdown_jni(JNIEnv *env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return rdio_socket_shutdown(fd);
}

static jint close_jni(JNIEnv *env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return rdio_socket_close(fd);
}

static const JNINativeMethod methods[] = {
    {"listen", "(Ljava/lang/String;II)I", (void *)listen_jni},
    {"connect", "(Ljava/lang/String;J)I", (void *)connect_jni},
    {"sendTo", "(Ljava/lang/String;[B)I", (void *)send_to_jni},
    {"accept", "(II)I", (void *)accept_jni},
    {"peer", "(IJ)I", (void *)peer_jni},
    {"setTimeout", "(IJ)I", (void *)set_timeout},
    {"send", "(IJII)I", (void *)send_jni},
    {"receive", "(IJIZ)J", (void *)receive_jni},
    {"shutdown", "(I)I", (void *)shutdown_jni},
    {"close", "(I)I", (void *)close_jni},
};

jint rdio_register_local_socket(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/LocalSocket", methods);
}
