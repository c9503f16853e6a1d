// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The two hard links that keep a replica's extents where they are. */
record PinnedFiles(Path block, Path meta) {

  /** Removes both; one that is gone already is no error. */
  void unlink() throws IOException {
    Files.deleteIfExists(block);
    Files.deleteIfExists(meta);
  }
}
