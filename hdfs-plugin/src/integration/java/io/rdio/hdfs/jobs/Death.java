// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

/** How a DataNode dies: what those who connect to it hear of it. */
enum Death {
  /** Its process ends (SIGKILL): they are refused at once. */
  PROCESS,

  /** Its host is gone: they hear nothing. */
  HOST,

  /** Its process hangs (SIGSTOP): they are connected, and hear nothing from then on. */
  HANG
}
