/* SPDX-License-Identifier: Apache-2.0 */
/* Glue between io.rdio.nativeio.KTracer and ktracer.c; no logic of its own. */
#include <errno.h>
#include <unistd.h>

#include "bpf_log.h"
#include "bpf_tables.h"
#include "jni_common.h"
#include "ktracer.h"

static struct rdio_ktracer *tracer_of(jlong handle) {
  return (struct rdio_ktracer *)(intptr_t)handle;
}

static jlong open_tracer(JNIEnv *env, jclass type, jint probe, jboolean noreuse) {
  (void)type;
  struct rdio_ktracer *tracer = NULL;
  rdio_bpf_log_begin();
  int error = rdio_ktracer_open((enum rdio_ktracer_probe)probe, noreuse, &tracer);
  rdio_bpf_throw(env, error, "KTracer's programs cannot be loaded");
  return error == 0 ? (jlong)(intptr_t)tracer : 0;
}

static jint probe(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  return (jint)rdio_ktracer_probe(tracer_of(handle));
}

static jboolean watches(JNIEnv *env, jclass type, jlong handle, jstring fs_type) {
  (void)type;
  const char *chars = (*env)->GetStringUTFChars(env, fs_type, NULL);
  if (chars == NULL) {
    return JNI_FALSE;
  }
  bool result = rdio_ktracer_watches(tracer_of(handle), chars);
  (*env)->ReleaseStringUTFChars(env, fs_type, chars);
  return result;
}

static jboolean knows_noreuse(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  return rdio_ktracer_knows_noreuse(tracer_of(handle));
}

static jint trace_device(JNIEnv *env, jclass type, jlong handle, jint slot, jint device,
                         jint kind) {
  (void)env;
  (void)type;
  if (slot < 0 || slot >= RDIO_TRACED_DEVICES || kind < RDIO_NOTHING || kind > RDIO_RAW) {
    return -EINVAL;
  }
  rdio_ktracer_trace(tracer_of(handle), slot, (uint32_t)device, (enum rdio_traced_kind)kind);
  return 0;
}

static jint poll_runs(JNIEnv *env, jclass type, jlong handle, jint timeout_millis, jobject runs) {
  (void)type;
  void *address;
  int max = rdio_records(env, runs, sizeof(struct rdio_evicted_run), &address);
  return rdio_ktracer_poll(tracer_of(handle), timeout_millis, address, max);
}

static jlongArray counts(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  struct rdio_ktracer_counts counts = rdio_ktracer_counts(tracer_of(handle));
  jlong values[] = {(jlong)counts.pages, (jlong)counts.runs, (jlong)counts.lost_pages,
                    (jlong)counts.lost_runs, (jlong)counts.noreuse_pages};
  jsize length = sizeof values / sizeof values[0];
  jlongArray array = (*env)->NewLongArray(env, length);
  if (array != NULL) {
    (*env)->SetLongArrayRegion(env, array, 0, length, values);
  }
  return array;
}

static jobject epochs(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  const uint32_t *first = rdio_ktracer_epochs(tracer_of(handle));
  return (*env)->NewDirectByteBuffer(env, (void *)(uintptr_t)first,
                                     RDIO_EPOCHS * (jlong)sizeof *first);
}

static jint epoch_slot(JNIEnv *env, jclass type, jint device, jlong inode) {
  (void)env;
  (void)type;
  return (jint)rdio_epoch_slot((uint32_t)device, (uint64_t)inode);
}

static jint page_bytes(JNIEnv *env, jclass type) {
  (void)env;
  (void)type;
  return (jint)sysconf(_SC_PAGESIZE);
}

static void close_tracer(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  rdio_ktracer_close(tracer_of(handle));
}

static const JNINativeMethod methods[] = {
    {"open", "(IZ)J", (void *)open_tracer},
    {"probe", "(J)I", (void *)probe},
    {"watches", "(JLjava/lang/String;)Z", (void *)watches},
    {"knowsNoReuse", "(J)Z", (void *)knows_noreuse},
    {"trace", "(JIII)I", (void *)trace_device},
    {"poll", "(JILjava/nio/ByteBuffer;)I", (void *)poll_runs},
    {"counts", "(J)[J", (void *)counts},
    {"epochs", "(J)Ljava/nio/ByteBuffer;", (void *)epochs},
    {"epochSlot", "(IJ)I", (void *)epoch_slot},
    {"pageBytes", "()I", (void *)page_bytes},
    {"close", "(J)V", (void *)close_tracer},
};

jint rdio_register_ktracer(JNIEnv *env) {
  return RDIO_REGISTER(env, "io/rdio/nativeio/KTracer", methods);
}
