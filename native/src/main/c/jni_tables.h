/* SPDX-License-Identifier: Apache-2.0 */
/* One registration function for each Java class that has natives; called by JNI_OnLoad. */
#ifndef RDIO_JNI_TABLES_H
#define RDIO_JNI_TABLES_H

#include <jni.h>

/* Number of the interface between the Java classes and this library; DirectReader has the same. */
#ifndef RDIO_INTERFACE_VERSION
#define RDIO_INTERFACE_VERSION 10
#endif

/* JNI_OK, or a negative number with a Java exception pending. */
jint rdio_register_checksum_copy(JNIEnv *env);
jint rdio_register_direct_reader(JNIEnv *env);
jint rdio_register_huge_memory(JNIEnv *env);
jint rdio_register_local_socket(JNIEnv *env);
jint rdio_register_ring(JNIEnv *env);
jint rdio_register_shared_memory(JNIEnv *env);
jint rdio_register_verify_copy(JNIEnv *env);

#endif
