// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.carried;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Messages as they are on the wire. */
final class Bytes {
  private Bytes() {}

  /** All of a message that is in memory. */
  static byte[] of(InputStream message) {
    try (message) {
      return message.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
