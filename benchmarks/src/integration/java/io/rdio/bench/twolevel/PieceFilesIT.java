// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What file systems make of files in pieces. */
@Tag("loop")
class PieceFilesIT {
  private static final int FILES = 3;
  private static final int BLOCKS = 256;
  private static final int PIECE_BLOCKS = 2;

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void eachPieceIsAnExtent(String fileSystem) throws Exception {
    Requirements.requireLoop(fileSystem);
    Requirements.requireTool("filefrag");
    try (LoopVolume volume = LoopVolume.create(fileSystem, 320L << 20, Backing.DISK)) {
      Path folder = volume.mountPoint().resolve("data");
      PieceFiles pieces = new PieceFiles(folder, FILES, BLOCKS, PIECE_BLOCKS);
      pieces.write();
      for (int file = 0; file < FILES; file++) {
        assertThat(extents(pieces.path(file))).as("%d", file).isEqualTo(BLOCKS / PIECE_BLOCKS);
      }
    }
  }

  /** As the file system tells them, also those that lie behind each other. */
  private static long extents(Path file) throws IOException {
    return Command.run("filefrag", "-v", file.toString())
        .lines()
        .filter(line -> line.strip().matches("\\d+:.*"))
        .count();
  }
}
