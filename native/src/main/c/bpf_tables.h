/* SPDX-License-Identifier: Apache-2.0 */
/* One registration function for each Java class with natives in librdio_bpf. */
#ifndef RDIO_BPF_TABLES_H
#define RDIO_BPF_TABLES_H

#include <jni.h>

/* Number of the interface between the Java classes and librdio_bpf; BpfLibrary has the same. */
#ifndef RDIO_BPF_INTERFACE_VERSION
#define RDIO_BPF_INTERFACE_VERSION 1
#endif

/* JNI_OK, or a negative number with a Java exception pending. */
jint rdio_register_ktracer(JNIEnv *env);
jint rdio_register_request_observer(JNIEnv *env);

#endif
