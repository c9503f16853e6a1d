/* SPDX-License-Identifier: Apache-2.0 */
#include "jni_tables.h"

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  (void)reserved;
  JNIEnv *env;
  if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK) {
    return JNI_ERR;
  }
  if (rdio_register_direct_reader(env) != JNI_OK ||
      rdio_register_huge_memory(env) != JNI_OK || rdio_register_ring(env) != JNI_OK) {
    return JNI_ERR;
  }
  return JNI_VERSION_10;
}
