// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The two hard links that keep a replica's extents where they are. */
public record PinnedFiles(Path block, Path meta) {

  /** Removes both; one that is gone already is no error. */
  public void unlink() throws IOException {
    Files.deleteIfExists(block);
    Files.deleteIfExists(meta);
  }
}
