// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdio.core.testing.LoopFileSystem;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who has a file open, as ext4's and xfs's kernels say it. */
@Tag("loop")
final class FileUseIT {
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void fileIsOpenAsLongAsSomebodyHasIt(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      Path file = Files.writeString(fs.mountPoint().resolve("file"), "content");
      Path link = Files.createLink(fs.mountPoint().resolve("link"), file);
      assertThat(FileUse.isOpen(link)).isFalse();
      for (StandardOpenOption how : List.of(StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        try (FileChannel opened = FileChannel.open(file, how)) {
          assertThat(opened.isOpen()).isTrue();
          assertThat(FileUse.isOpen(link)).as("%s", how).isTrue();
        }
        assertThat(FileUse.isOpen(link)).isFalse();
      }
      assertMapped(file, link);
      assertThatExceptionOfType(NoSuchFileException.class)
          .isThrownBy(() -> FileUse.isOpen(fs.mountPoint().resolve("missing")));
    }
  }

  /** By its own name, which is gone then: the kernel knows the file by no name. */
  private static void assertMapped(Path file, Path link) throws IOException {
    MappedByteBuffer mapped;
    try (FileChannel opened = FileChannel.open(file, StandardOpenOption.READ)) {
      mapped = opened.map(MapMode.READ_ONLY, 0, 7);
    }
    try {
      Files.delete(file);
      assertThat(FileUse.isOpen(link)).isTrue();
    } finally {
      Reference.reachabilityFence(mapped);
    }
  }
}
