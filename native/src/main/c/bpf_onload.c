/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf_log.h"
#include "bpf_tables.h"
#include "jni_common.h"

static jint interface_version(JNIEnv *env, jclass type) {
  (void)env;
  (void)type;
  return RDIO_BPF_INTERFACE_VERSION;
}

static jint register_version(JNIEnv *env) {
  static const JNINativeMethod methods[] = {
      {"interfaceVersion", "()I", (void *)interface_version},
  };
  return RDIO_REGISTER(env, "io/rdio/nativeio/BpfLibrary", methods);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  (void)reserved;
  rdio_bpf_log_install();
  JNIEnv *env;
  if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK) {
    return JNI_ERR;
  }
  if (register_version(env) != JNI_OK || rdio_register_ktracer(env) != JNI_OK ||
      rdio_register_request_observer(env) != JNI_OK) {
    return JNI_ERR;
  }
  return JNI_VERSION_10;
}
