/* SPDX-License-Identifier: Apache-2.0 */
/* Runs bpf_log.c under AddressSanitizer and UBSan, by the printer that it gives libbpf. */
#include "bpf_log.h"

#include "check.h"

#include <stdarg.h>
#include <string.h>

#include <bpf/libbpf.h>

static libbpf_print_fn_t printer;

static void print(enum libbpf_print_level level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printer(level, format, arguments);
  va_end(arguments);
}

static void keeps_warnings_only(void) {
  rdio_bpf_log_begin();
  print(LIBBPF_INFO, "of no interest\n");
  print(LIBBPF_WARN, "program '%s': %d\n", "x", -1);
  CHECK(strcmp(rdio_bpf_log(), "program 'x': -1\n") == 0);
  rdio_bpf_log_begin();
  CHECK(rdio_bpf_log()[0] == '\0');
}

/* Of more than there is room for, the end: that is where the verifier says what it minds. */
static void keeps_the_end(void) {
  char line[10000];
  memset(line, 'a', sizeof line - 1);
  line[sizeof line - 1] = '\0';
  rdio_bpf_log_begin();
  for (int i = 0; i < 1000; i++) {
    print(LIBBPF_WARN, "%.*s %d\n", i * 7 % (int)sizeof line, line, i);
    CHECK(strlen(rdio_bpf_log()) < 4096);
  }
  print(LIBBPF_WARN, "the cause\n");
  const char *log = rdio_bpf_log();
  CHECK(strcmp(log + strlen(log) - 10, "the cause\n") == 0);
}

int main(void) {
  rdio_bpf_log_install();
  printer = libbpf_set_print(NULL);
  rdio_bpf_log_install();
  keeps_warnings_only();
  keeps_the_end();
  return failures != 0;
}
