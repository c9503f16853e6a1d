/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "jni_tables.h"

typedef jint (*registration)(JNIEnv *env);

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  (void)reserved;
  JNIEnv *env;
  if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK) {
    return JNI_ERR;
  }
  const registration all[] = {rdio_register_checksum_copy, rdio_register_direct_reader,
                              rdio_register_huge_memory,   rdio_register_local_socket,
                              rdio_register_ring,          rdio_register_shared_memory,
                              rdio_register_verify_copy};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (all[i](env) != JNI_OK) {
      return JNI_ERR;
    }
  }
  return JNI_VERSION_1_8;
}
