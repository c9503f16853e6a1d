// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.io.IOException;
import java.nio.file.Path;

/** Who has files open, as far as the kernel says it. Thread-safe. */
public final class FileUse {
  private FileUse() {}

  /**
   * Whether anybody has a file open or mapped, this process included. Its names say nothing of it:
   * who opened a file has it, and its blocks, until he closes it. That nobody has holds on only
   * where nobody can open it any more.
   *
   * @throws IOException where the kernel does not say: fs.leases-enable is 0, or another user has
   *     the file
   */
  public static boolean isOpen(Path file) throws IOException {
    try (OpenFile opened = OpenFile.forReading(file)) {
      return !opened.isAlone();
    }
  }
}
