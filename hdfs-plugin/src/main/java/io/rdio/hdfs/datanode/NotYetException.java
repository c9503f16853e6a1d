// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import java.io.IOException;

/**
 * The port cannot be opened now, for a reason that may go while the DataNode runs: another process
 * has it, or a file with certificates is wrong. The message says what to do.
 */
final class NotYetException extends IOException {
  NotYetException(String message, Throwable cause) {
    super(message, cause);
  }
}
