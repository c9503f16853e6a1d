/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

enum { LOG_BYTES = 4096 };

/*
 * What libbpf.a takes for stderr (see CMakeLists.txt). It writes there only by the printer that
 * rdio_bpf_log_install puts another in the place of.
 */
__attribute__((visibility("hidden"))) FILE *__wrap_stderr;

static _Thread_local char text[LOG_BYTES];

/* Keeps the end: what is too long loses its beginning. */
static int append(enum libbpf_print_level level, const char *format, va_list arguments) {
  if (level == LIBBPF_DEBUG || level == LIBBPF_INFO) {
    return 0;
  }
  char line[LOG_BYTES / 2];
  int written = vsnprintf(line, sizeof line, format, arguments);
  if (written < 0) {
    return 0;
  }
  size_t length = strlen(line);
  size_t used = strlen(text);
  if (used + length + 1 > sizeof text) {
    size_t cut = used + length + 1 - sizeof text;
    memmove(text, text + cut, used - cut + 1);
    used -= cut;
  }
  memcpy(text + used, line, length + 1);
  return 0;
}

void rdio_bpf_log_install(void) { libbpf_set_print(append); }

void rdio_bpf_log_begin(void) { text[0] = '\0'; }

const char *rdio_bpf_log(void) { return text; }

int rdio_bpf_throw(JNIEnv *env, int error, const char *what) {
  if (error == 0) {
    return 0;
  }
  char message[LOG_BYTES + 512];
  snprintf(message, sizeof message, "%s: %s%s%s", what, strerror(error < 0 ? -error : error),
           text[0] == '\0' ? "" : ": ", text);
  jclass type = (*env)->FindClass(env, "java/io/IOException");
  if (type != NULL) {
    (*env)->ThrowNew(env, type, message);
    (*env)->DeleteLocalRef(env, type);
  }
  return error;
}
