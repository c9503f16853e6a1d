/* SPDX-License-Identifier: Apache-2.0 */
/* What libbpf and the kernel's verifier said of this thread's last calls, for error messages. */
#ifndef RDIO_BPF_LOG_H
#define RDIO_BPF_LOG_H

#include <jni.h>

/* Once, before any call of libbpf: from then on its warnings go nowhere else. */
void rdio_bpf_log_install(void);

/* Forgets it. To be called before whatever may fail. */
void rdio_bpf_log_begin(void);

/* The end of it, where the cause stands: at most 4 KiB, valid until the next begin. */
const char *rdio_bpf_log(void);

/* Throws java.io.IOException with "WHAT: text of the errno: log" unless error is 0; the error. */
int rdio_bpf_throw(JNIEnv *env, int error, const char *what);

#endif
