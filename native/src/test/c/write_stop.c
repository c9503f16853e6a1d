/* SPDX-License-Identifier: Apache-2.0 */
/* In the test's librdio-write: with RDIO_TEST_STOP set the process stops between look and submission. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>

#include "write_lease.h"

/*
 * By a signal to this very thread: one to the process may be taken by another thread, and this one
 * would go on until it hears of it.
 */
static void stop(void) { raise(SIGSTOP); }

__attribute__((constructor)) static void hook(void) {
  if (getenv("RDIO_TEST_STOP") != NULL) {
    rdio_hook_looked = stop;
  }
}
